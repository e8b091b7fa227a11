"""Plans how a collection is cut so that its parts fit into memory."""

from __future__ import annotations

import gzip
import re
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from infostream_dedup.documents import json_bytes, row_of
from infostream_dedup.errors import CannotCreateError, ConfigurationError
from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import Document, Settings

if TYPE_CHECKING:
    import pyarrow as pa


LEAST_MEMORY: Final = 10**9  # minimum memory, in bytes, that the disk runner accepts
_FIXED: Final = 400 << 20  # bytes for Python, the libraries and the compiled code

_CHUNK_BYTES: Final = 14_000
"""Bytes of memory for each document of a chunk being counted; measured on synthetic texts of 225 words."""

_SHARD_BYTES: Final = 8  # bytes of memory for each target term of a shard: the term and its entry in a posting list

_BLOCK_BYTES: Final = 40
"""Bytes of memory for each link of a block being counted: the link, its transpose, and its packed words."""

_NODE_BYTES: Final = 40
_LEAST_CHUNK, _MOST_CHUNK = 2_000, 50_000
_UNITS: Final = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


@dataclass(frozen=True, slots=True)
class Cut:
    """How documents are cut; no result depends on it."""

    chunk: int | None = None  # documents counted together; `None` to decide by the memory
    shards: int | None = None  # parts of the collection that are searched in sequence; `None` to decide by the memory
    blocks: int | None = None  # parts whose totals are counted in sequence; `None` to decide by the memory


@dataclass(frozen=True, slots=True)
class Plan:
    """The cut of a run that may use a given amount of memory."""

    memory: int  # memory in bytes
    cut: Cut = Cut()  # what is already decided

    def __post_init__(self) -> None:
        if self.memory < LEAST_MEMORY:
            raise ConfigurationError(
                f"memory is {self.memory / 1e6:,.0f} MB; the disk runner needs at least {LEAST_MEMORY / 1e6:,.0f} MB "
                "(--memory)"
            )

    @property
    def _room(self) -> int:
        return self.memory - _FIXED

    @property
    def chunk(self) -> int:
        """Documents counted together."""
        if self.cut.chunk is not None:
            return self.cut.chunk
        return max(_LEAST_CHUNK, min(_MOST_CHUNK, self._room // 2 // _CHUNK_BYTES))

    def shards(self, targets: int, vocabulary: int, nodes: int) -> int:
        """Number of shards."""
        if self.cut.shards is not None:
            return self.cut.shards
        room = max(self._room - (12 * vocabulary + _NODE_BYTES * nodes), self._room // 4) // 2
        return max(1, -(-targets * _SHARD_BYTES // room))

    def blocks(self, links: int, nodes: int) -> int:
        """Number of blocks whose totals are counted in sequence."""
        if self.cut.blocks is not None:
            return self.cut.blocks
        room = max(self._room - _NODE_BYTES * nodes, self._room // 4)
        # A block also needs the rows to which its own rows link: about as many again.
        return 1 if links * _BLOCK_BYTES <= room else -(-links * 2 * _BLOCK_BYTES // room)


def memory_of(size: str | int) -> int:
    """Bytes of a size such as ``8GB``, ``500 MB`` or a number of bytes; a GB is 10^9 bytes, a GiB 2^30.

    >>> memory_of("8GB"), memory_of("1.5 GiB")
    (8000000000, 1610612736)
    """
    if isinstance(size, int):
        return size
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(I?)B?\s*", size.upper())
    if found is None or (found[3] and not found[2]):
        raise ConfigurationError(f"memory is {size!r}; expected a size such as 8GB or 500MB")
    unit = 1024 ** (" KMGT".index(found[2])) if found[3] else _UNITS[found[2]]
    return int(float(found[1]) * unit)


# Estimates what a run on disk will need, from a sample of its documents

SAMPLE: Final = 500  # number of documents read for an estimate
_KEY_BYTES: Final = 160
_LINK_BYTES: Final = 5
_MONTH: Final = 1_272_217

_LINKS_OF_MONTH: Final = 74.0
"""Links per document at k >= 4 in a synthetic month (reports/speed.md); real news has 13 in 10,868 documents."""

_GROWTH: Final = 1.32
_MATCHING_OF_MONTH: Final = 60.0  # CPU seconds for links, S and T of a synthetic month on disk
_COMPARED_BYTES: Final = 1_000
_JUDGING: Final = 3.0  # how many times longer finding and judging pairs takes than finding them alone (synthetic texts)
_OVERHEAD: Final = 1.3

_PACKED_BETTER: Final = {".gz": 1.0, ".zst": 1.0, ".xlsx": 1.0, ".bz2": 1.6, ".xz": 1.5}
"""How many times better than by gzip files are packed: 0.9 to 1.15, or 1.45 to 1.6, for news in three languages."""

_TENTH_OF_GIGABYTE: Final = 10**8

_MEMORY_OF_ENGINE: Final = 5_000
"""Bytes per document in the engine that keeps a collection in memory (reports/speed.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run will need, within a factor of two."""

    documents: int  # number of documents
    shards: int  # parts that are searched in sequence
    disk: int  # bytes of the work folder
    free: int  # bytes free in the work folder, counting its files from earlier runs, which are used or replaced
    seconds: float  # time in seconds
    memory: int  # bytes that the run may use
    folder: Path  # the work folder

    def __str__(self) -> str:
        return (
            f"plan: about {self.documents} documents in {self.shards} shard{'s' * (self.shards > 1)}, "
            f"{_amount(self.memory)} of memory, {_amount(self.disk)} in {self.folder} "
            f"({_amount(self.free)} free), {_duration(self.seconds)}"
        )

    def check(self) -> None:
        """Refuse a run that would fill the disk."""
        if self.disk > self.free:
            raise CannotCreateError(
                f"{self.folder} has {_amount(self.free)} free; a run over about {self.documents} documents needs "
                f"{_amount(self.disk)}: make {_amount(self.disk - self.free)} of room, or name another folder "
                "(--workdir)"
            )


def documents_in(paths: Sequence[str], sample: Sequence[Document]) -> int:
    """Estimate the number of documents in files from the size of a sample."""
    plain = b"\n".join(json_bytes(row_of(document)) for document in sample)
    packed = len(gzip.compress(plain, 6))
    found = 0.0
    for path in paths:
        rows = _rows_of_table(path)
        times = _PACKED_BETTER.get(Path(path).suffix.lower())
        size = len(plain) if times is None else packed / times
        found += Path(path).stat().st_size * len(sample) / size if rows is None else rows
    return max(len(sample), round(found))


def _rows_of_table(path: str) -> int | None:
    """Return the number of rows in a Parquet, Arrow or Feather file; ``None`` if the file does not state it."""
    form = {".parquet": "parquet", ".feather": "ipc", ".arrow": "ipc"}.get(Path(path).suffix.lower())
    if form is None:
        return None
    import pyarrow as pa
    import pyarrow.dataset as ds

    try:
        return int(ds.dataset(path, format=form).count_rows())
    except (pa.ArrowException, OSError):
        # Arrow's stream format does not state it, and is rarely packed.
        return None


def in_memory(documents: int) -> int:
    """Bytes of memory that the engine without a work folder would take."""
    return documents * _MEMORY_OF_ENGINE


def estimate(
    documents: Iterable[Document],
    number: int,
    settings: Sequence[Settings],
    plan: Plan,
    folder: Path,
    *,
    evidence: bool = False,
) -> Estimate:
    """Estimate a run by counting the terms of some documents."""
    from infostream_dedup.runs.sharded.work_folder import bytes_of_tables

    sample = list(islice(documents, SAMPLE))
    _count(sample[:1], settings, evidence=evidence)
    started = time.process_time()
    rows = _count(sample, settings, evidence=evidence)
    spent = (time.process_time() - started) / max(len(sample), 1)
    counted = [row for table, row in rows if table == "counts"]
    entries = sum(len(row.column("columns")[0]) for row in counted) / max(len(sample), 1)
    kept = sum(row.nbytes for _, row in rows) / max(len(sample), 1)
    if evidence:
        # Key terms that are compared, and records.
        kept += _COMPARED_BYTES + 4 * entries
    share = number / _MONTH
    links = _LINKS_OF_MONTH * share ** (_GROWTH - 1)
    disk = number * (kept + 4 * entries + len(settings) * (_KEY_BYTES + 2 * _LINK_BYTES * links))
    matching = len(settings) * _MATCHING_OF_MONTH * share**_GROWTH * (_JUDGING if evidence else 1)
    existing = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    return Estimate(
        documents=number,
        shards=plan.shards(round(number * entries / max(len(settings), 1)), number // 2, number),
        disk=round(disk),
        free=shutil.disk_usage(existing).free + bytes_of_tables(folder),
        seconds=_OVERHEAD * (number * spent + matching) / thread_count(0),
        memory=plan.memory,
        folder=folder,
    )


def _count(
    sample: Sequence[Document], settings: Sequence[Settings], *, evidence: bool
) -> list[tuple[str, pa.RecordBatch]]:
    from infostream_dedup.runs.sharded.reading import read_and_count

    return [*read_and_count(sample, settings, chunk=max(len(sample), 1), hashes=False, evidence=evidence, workers=1)]


def _amount(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= _TENTH_OF_GIGABYTE else f"{size / 1e6:.1f} MB"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
