"""Plans how a collection is cut so that its parts fit into memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from infostream_dedup.errors import ConfigurationError

LEAST_MEMORY: Final = 1 << 30
"""Minimum memory, in bytes, that the disk runner accepts."""

_FIXED: Final = 400 << 20
"""Bytes for Python, the libraries and the compiled code."""
_CHUNK_BYTES: Final = 14_000
"""Bytes of memory for each document of a chunk being counted; measured on synthetic texts of 225 words."""
_SHARD_BYTES: Final = 8
"""Bytes of memory for each target term of a shard: the term and its entry in a posting list."""
_BLOCK_BYTES: Final = 40
"""Bytes of memory for each link of a block being counted: the link, its transpose, and its packed words."""
_NODE_BYTES: Final = 40
_LEAST_CHUNK, _MOST_CHUNK = 2_000, 50_000
_UNITS: Final = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


@dataclass(frozen=True, slots=True)
class Cut:
    """How documents are cut; no result depends on it.

    Attributes:
        chunk: documents counted together; ``None`` to decide by the memory.
        shards: parts of the collection that are searched in sequence; ``None`` to decide by the memory.
        blocks: parts whose totals are counted in sequence; ``None`` to decide by the memory.
    """

    chunk: int | None = None
    shards: int | None = None
    blocks: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The cut of a run that may use a given amount of memory.

    Attributes:
        memory: memory in bytes.
        cut: what is already decided.
    """

    memory: int
    cut: Cut = Cut()

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
        kept = 12 * vocabulary + _NODE_BYTES * nodes
        room = max(self._room - kept, self._room // 4) // 2
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

    Example:
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
