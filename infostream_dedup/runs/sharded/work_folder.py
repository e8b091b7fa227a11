"""Files of a run in one folder, each stage with a manifest, so that a killed run resumes where it stopped.

A file counts only if its manifest exists: the manifest is written last, and contains the SHA-256 of the content and a
key that depends on everything that decides the content.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from infostream_dedup.errors import BadDataError, CannotCreateError, CannotWriteError, StoreBusyError
from infostream_dedup.machine.arrays import Ints
from infostream_dedup.machine.files import checked_bytes, make_private_folder, sealed
from infostream_dedup.machine.platform import lock_file, sync_path
from infostream_dedup.model import VERSION

# Tables of chunks: one row holds the arrays of many documents, so that small values are not handled row by row

_MARK: Final = b"infostream_dedup.table"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of one table; its rows are chunks."""

    name: str  # name of the table, kept in the metadata of each batch
    numbers: tuple[str, ...]  # int64 columns
    arrays: Mapping[str, str]  # columns of lists, with the numpy type of their values
    words: tuple[str, ...] = ()  # columns of lists of strings

    @property
    def schema(self) -> pa.Schema:
        """Arrow schema with the name and version of the table."""
        fields = [pa.field(name, pa.int64()) for name in self.numbers]
        fields += [pa.field(name, pa.list_(pa.from_numpy_dtype(np.dtype(kind)))) for name, kind in self.arrays.items()]
        fields += [pa.field(name, pa.list_(pa.string())) for name in self.words]
        return pa.schema(fields, {_MARK: f"{self.name} {_VERSION}".encode()})

    def row(self, **values: Any) -> pa.RecordBatch:
        """Return a batch of one row."""
        columns = [pa.array([int(values[name])], pa.int64()) for name in self.numbers]
        for name, kind in self.arrays.items():
            array = pa.array(np.ascontiguousarray(values[name], dtype=kind))
            columns.append(pa.ListArray.from_arrays(pa.array([0, len(array)], pa.int32()), array))
        for name in self.words:
            strings = pa.array(values[name], pa.string())
            columns.append(pa.ListArray.from_arrays(pa.array([0, len(strings)], pa.int32()), strings))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        """Read the rows of batches: numbers, arrays (without a copy) and lists of strings by column name."""
        for batch in batches:
            self.check(batch)
            for row in range(batch.num_rows):
                yield self._row(batch, row)

    def with_number(self, batch: pa.RecordBatch, name: str, value: int) -> pa.RecordBatch:
        """A batch of one row with another number in one column."""
        place = self.numbers.index(name)
        return batch.set_column(place, batch.schema.field(place), pa.array([value], pa.int64()))

    def with_arrays(self, batch: pa.RecordBatch, **arrays: NDArray[Any]) -> pa.RecordBatch:
        """A batch of one row with other arrays in some columns."""
        for name, array in arrays.items():
            place = batch.schema.get_field_index(name)
            values = pa.array(np.ascontiguousarray(array, dtype=self.arrays[name]))
            column = pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)
            batch = batch.set_column(place, batch.schema.field(place), column)
        return batch

    def check(self, batch: pa.RecordBatch) -> None:
        """Refuse a batch of another table or version."""
        found = (batch.schema.metadata or {}).get(_MARK, b"nothing known").decode()
        if found != f"{self.name} {_VERSION}":
            message = f"these are rows of {found}; expected {self.name} {_VERSION}: empty the work folder and run again"
            raise BadDataError(message, code="E_VERSION", source=f"<{self.name}>")

    def _row(self, batch: pa.RecordBatch, row: int) -> dict[str, Any]:
        found: dict[str, Any] = {name: batch.column(name)[row].as_py() for name in self.numbers}
        found.update((name, batch.column(name)[row].values.to_numpy()) for name in self.arrays)
        found.update((name, batch.column(name)[row].values) for name in self.words)
        return found


def joined(rows: Iterable[Mapping[str, Any]], name: str, kind: type[np.generic] = np.int64) -> NDArray[Any]:
    """One array column of all rows."""
    return np.concatenate([np.zeros(0, dtype=kind), *(row[name] for row in rows)])


def rows_by_chunk(documents: Ints, firsts: Ints) -> list[Ints]:
    """The rows of each chunk that are asked for; documents ascend, and ``firsts`` begin the chunks."""
    cuts = np.searchsorted(documents, np.append(firsts, np.iinfo(np.int64).max))
    return [documents[begin:end] - first for first, begin, end in zip(firsts, cuts, cuts[1:], strict=False)]


_ENDING: Final = ".arrow"
_PART: Final = f"{_ENDING}.part"
_LOCK: Final = "infostream-dedup.lock"

Make = Callable[[], Iterable[tuple[str, pa.RecordBatch]]]
"""Yields the batches of a stage, each with the name of the table it belongs to."""


def key_of(name: str, decided_by: Mapping[str, Any]) -> str:
    """32 hexadecimal digits that change with the name of a stage and with everything that decides its content."""
    text = json.dumps([VERSION, name, decided_by], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def bytes_of_tables(folder: Path) -> int:
    """Bytes of the tables in a work folder that may be missing, complete or not."""
    size = 0
    for path in folder.glob(f"*{_ENDING}*"):
        # Another run that works in the folder may remove it meanwhile.
        with suppress(FileNotFoundError):
            size += path.stat().st_size
    return size


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage whose files are complete."""

    key: str  # key of everything that decided its content
    paths: Mapping[str, Path]  # file of each table
    facts: Mapping[str, Any]  # further facts that the stage noted

    def batches(self, table: str) -> Iterator[pa.RecordBatch]:
        """The batches of a table, memory-mapped from its file: they take memory only while they are read."""
        with pa.memory_map(str(self.paths[table])) as file:
            reader = pa.ipc.open_file(file)
            for number in range(reader.num_record_batches):
                yield reader.get_batch(number)


class WorkFolder:
    """A folder that holds the files of one run at a time; made with mode 0700 if it is missing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: dict[str, Stage] = {}
        try:
            make_private_folder(path)
        except OSError as error:
            raise CannotCreateError(f"cannot create {path}: {error.strerror}; name another folder") from error

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs out of the folder."""
        descriptor = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if lock_file(descriptor) is False:
                raise StoreBusyError(f"another run is working in {self.path}; wait for it, or name another folder")
            # The folder may hold files of other programs, which also call unfinished files *.part.
            for part in self.path.glob(f"*{_PART}"):
                part.unlink()
            yield
        finally:
            os.close(descriptor)

    def stage(
        self,
        name: str,
        tables: Mapping[str, Layout],
        decided_by: Mapping[str, Any],
        make: Make,
        facts: Callable[[], Mapping[str, Any]] = dict,
        *,
        holds: Callable[[Mapping[str, Any]], bool] = lambda _: True,
    ) -> Stage:
        """Return a complete stage: left by an earlier run, or made now."""
        key = key_of(name, decided_by)
        seen = self._seen.get(name)
        if seen is not None and seen.key == key:
            # Nobody else writes here, and the files have been checked once.
            return seen
        found = self.complete(name, key)
        if found is None or not holds(found.facts):
            found = self._made(name, key, tables, make, facts)
        self._seen[name] = found
        return found

    def _made(
        self, name: str, key: str, tables: Mapping[str, Layout], make: Make, facts: Callable[[], Mapping[str, Any]]
    ) -> Stage:
        paths = {table: self.path / f"{name}.{table}{_ENDING}" for table in tables}
        self._manifest(name).unlink(missing_ok=True)
        try:
            self._write(paths, tables, make())
            content = {table: _fingerprint(path) for table, path in paths.items()}
            noted = dict(facts())
            manifest = {"stage": name, "version": VERSION, "key": key, "files": content, "facts": noted}
            part = self._manifest(name).with_suffix(".part")
            part.write_bytes(sealed(json.dumps(manifest, indent=1).encode() + b"\n"))
            part.replace(self._manifest(name))
        except OSError as error:
            raise CannotWriteError(
                f"cannot write to {self.path}: {error.strerror}; make room there, or name another folder (--workdir)"
            ) from error
        return Stage(key, paths, noted)

    def complete(self, name: str, key: str) -> Stage | None:
        """A stage that an earlier run completed with this key; ``None`` if there is none or a file was changed."""
        try:
            _, _, content = checked_bytes(self._manifest(name)).partition(b"\n")
            manifest = json.loads(content)
            if manifest["key"] != key:
                return None
            paths = {table: self.path / f"{name}.{table}{_ENDING}" for table in manifest["files"]}
            if any(_fingerprint(path) != manifest["files"][table] for table, path in paths.items()):
                return None
            return Stage(key, paths, manifest["facts"])
        except (OSError, ValueError, KeyError, TypeError, BadDataError):
            return None

    def drop(self, name: str) -> None:
        """Remove the files of a stage that is no longer needed."""
        self._seen.pop(name, None)
        self._manifest(name).unlink(missing_ok=True)
        for path in self.path.glob(f"{name}.*{_ENDING}"):
            path.unlink()

    def remove(self) -> None:
        """Remove the folder and all its files."""
        shutil.rmtree(self.path)

    def _manifest(self, name: str) -> Path:
        return self.path / f"{name}.json"

    def _write(
        self, paths: Mapping[str, Path], tables: Mapping[str, Layout], batches: Iterable[tuple[str, pa.RecordBatch]]
    ) -> None:
        parts = {table: path.with_suffix(_PART) for table, path in paths.items()}
        files = {table: pa.OSFile(str(part), "wb") for table, part in parts.items()}
        writers = {table: pa.ipc.new_file(files[table], layout.schema) for table, layout in tables.items()}
        try:
            for table, batch in batches:
                writers[table].write_batch(batch)
        finally:
            for table, writer in writers.items():
                writer.close()
                files[table].close()
        for table, part in parts.items():
            sync_path(part)
            part.replace(paths[table])


def _fingerprint(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return {"bytes": path.stat().st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
