"""The files of one job: what it reads, and what must not overwrite them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from infostream_dedup.documents.endings import STANDARD_STREAM
from infostream_dedup.documents.frames import loaded
from infostream_dedup.documents.outputs import same_file
from infostream_dedup.documents.text_files import files_of
from infostream_dedup.errors import ConfigurationError, NoInputError


def paths_of(source: Any) -> list[str]:
    """Return the files of a source, each by name, which no output may overwrite."""
    items = source if isinstance(source, list | tuple | set | frozenset) else [source]
    if not all(isinstance(item, str | Path) for item in items) or loaded(source) is not source:
        return []
    found: list[str] = []
    for item in items:
        # Reading the source reports what is missing. What lies at an address is no file of ours.
        if "://" not in str(item):
            with suppress(NoInputError):
                found += files_of(str(item))
    return [path for path in found if path != STANDARD_STREAM]


def is_read_from(source: Any, folder: Path, endings: tuple[str, ...]) -> bool:
    """Whether files that a job leaves in a folder will be read with the source next time."""
    if not paths_of(source):
        return False
    inside = folder.resolve()
    for item in map(Path, source if isinstance(source, list | tuple | set | frozenset) else [source]):
        # Reading the source reports a name that is too long.
        with suppress(OSError):
            if item.is_dir() and inside.is_relative_to(item.resolve()):
                return True
            found = [] if item.exists() else [Path(name).resolve() for name in paths_of(str(item))]
            if any(path.is_relative_to(inside) and path.name.endswith(endings) for path in found):
                return True
    return False


def check_quarantine(quarantine: str | Path | None, inputs: Iterable[str | Path | None]) -> None:
    """Refuse a quarantine file that the same job reads, before it is emptied."""
    if quarantine is not None and str(quarantine) == STANDARD_STREAM:
        raise ConfigurationError("the quarantine needs a file: it cannot be written to standard output")
    if quarantine is not None and any(name is not None and same_file(name, quarantine) for name in inputs):
        raise ConfigurationError(f"{quarantine} is one of the inputs; give the quarantine its own file")
