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

import pyarrow as pa

from infostream_dedup.errors import BadDataError, CannotCreateError, CannotWriteError, StoreBusyError
from infostream_dedup.language.lexicon.sealed_tables import checked_bytes, sealed
from infostream_dedup.machine.file_lock import lock_file
from infostream_dedup.machine.private_files import make_private_folder
from infostream_dedup.model import VERSION
from infostream_dedup.runs.sharded.layout import Layout

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
    """A stage whose files are complete.

    Attributes:
        key: key of everything that decided its content.
        paths: file of each table.
        facts: further facts that the stage noted.
    """

    key: str
    paths: Mapping[str, Path]
    facts: Mapping[str, Any]

    def batches(self, table: str) -> Iterator[pa.RecordBatch]:
        """The batches of a table, memory-mapped from its file: they take memory only while they are read."""
        with pa.memory_map(str(self.paths[table])) as file:
            reader = pa.ipc.open_file(file)
            for number in range(reader.num_record_batches):
                yield reader.get_batch(number)


class WorkFolder:
    """A folder that holds the files of one run at a time.

    Args:
        path: the folder; made with mode 0700 if it is missing.

    Raises:
        CannotCreateError: it cannot be made.
    """

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
        """Return a complete stage: left by an earlier run, or made now.

        Args:
            make: yields their batches; called only if they are not there.
            holds: whether the facts noted by an earlier run still hold; if not, the stage is made again.
        """
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
        self,
        name: str,
        key: str,
        tables: Mapping[str, Layout],
        make: Make,
        facts: Callable[[], Mapping[str, Any]],
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
            with part.open("rb") as file:
                os.fsync(file.fileno())
            part.replace(paths[table])


def _fingerprint(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return {"bytes": path.stat().st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
