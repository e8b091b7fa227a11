"""Every error that a user can meet, with its exit code on the command line.

A message says what was found, what was expected and what to do. Any other exception is a bug (exit code 70).
"""

from __future__ import annotations

import re
from functools import partial
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path
from shutil import which
from typing import Any, Final
from urllib.parse import urlsplit

__all__ = [
    "BadDataError", "CannotCreateError", "CannotWriteError", "ConfigurationError", "InfostreamError",
    "MissingExtraError", "NoInputError", "StoreBusyError", "StoreMovedError", "UsageError",
]  # fmt: skip


_BOTH_SPELLINGS: Final = re.compile(r"(?<!\S)(?P<before>\S+(?: \S+)?) \((?P<flag>--[\w.: -]+)\)")
_COMMAND: Final = r"\b(?:dedup|ingest|sweep|serve|pairs|search|evaluate|audit|train|demo|(?:store|desk|passages) \w+)"
_FLAG: Final = re.compile(rf"(?P<whole>{_COMMAND} (?:[A-Z.]+ )?--[^;']*)|(?<![\w-])--(?P<name>[a-z]+(?:-[a-z]+)*)\b")
"""A command line stays as it is, a flag alone is an argument."""


_COLUMNS: Final = re.compile(r"--columns (?:'([^']*)'|(\S*[^\s;]))( --make-ids)?")


def _spelled(found: re.Match[str], *, flags: bool) -> str:
    """``batch_id (--batch-id)`` as one of the two; other words before a flag are kept."""
    words, (flag, *value) = found["before"].split(), found["flag"].split()
    name = flag.removeprefix("--").replace("-", "_")
    size = 1 + len(value)
    if words[-size:][1:] == value and words[-size:][0].rstrip("s") == name.rstrip("s"):
        return " ".join([*words[:-size], found["flag"]] if flags else words)
    return found[0]


class InfostreamError(Exception):
    """Base of all errors raised on purpose by this package."""

    exit_code = 70

    def __str__(self) -> str:
        """The message, with options named as in Python."""
        told = _BOTH_SPELLINGS.sub(partial(_spelled, flags=False), super().__str__())
        told = _COLUMNS.sub(lambda found: f"columns={found[1] or found[2]!r}{', make_ids=True' * bool(found[3])}", told)
        told = told.replace("--make-ids", "make_ids=True")
        return _FLAG.sub(lambda found: found["whole"] or found["name"].replace("-", "_"), told)

    @property
    def for_command_line(self) -> str:
        """The message, with options named as on the command line."""
        return _BOTH_SPELLINGS.sub(partial(_spelled, flags=True), super().__str__())

    def __reduce__(self) -> Any:
        # Exceptions are copied by calling their class with the message alone. In a pool of processes, an error that
        # cannot be restored breaks the pool or leaves it waiting for ever.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[InfostreamError], arguments: tuple[Any, ...], state: dict[str, Any]) -> InfostreamError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class ConfigurationError(InfostreamError):
    """An option or a configuration file is wrong."""

    exit_code = 78


class UsageError(ConfigurationError):
    """Arguments contradict each other, or an argument does not fit the data."""

    exit_code = 2


class NoInputError(InfostreamError):
    """An input cannot be found or opened."""

    exit_code = 66


class CannotCreateError(InfostreamError):
    """An output cannot be created."""

    exit_code = 73


class CannotWriteError(InfostreamError):
    """Writing failed midway: the disk is full, or the device has gone."""

    exit_code = 74


class StoreBusyError(InfostreamError):
    """Another process kept the store locked longer than we wait."""

    exit_code = 75


class StoreMovedError(StoreBusyError):
    """The file at the path of an open store is no longer the file that was opened: nothing may be acknowledged."""


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra into this Python, from where the package was installed."""
    import json
    import shlex
    from sysconfig import get_path
    from urllib.request import url2pathname

    project, told = Path(__file__).resolve().parents[1], None
    try:
        told = Distribution.from_name("infostream-dedup").read_text("direct_url.json")
    except PackageNotFoundError:
        # A checkout that is on the path.
        told = json.dumps({"url": project.as_uri()}) if (project / "pyproject.toml").is_file() else None
    where: dict[str, Any] = json.loads(told or "{}")
    target = f"infostream-dedup[{extra}]"
    if "vcs_info" in where:
        target += f" @ {where['vcs_info']['vcs']}+{where['url']}"
    elif where.get("url", "").startswith("file:"):
        target = f"{url2pathname(urlsplit(where['url']).path)}[{extra}]"
    edited = ["-e"] if where.get("dir_info", {}).get("editable") else []
    scripts = Path(get_path("scripts"))
    pip = "pip" if Path(which("pip") or "").parent == scripts else str(scripts / "pip")
    return shlex.join([pip, "install", *edited, target])


class MissingExtraError(InfostreamError):
    """An optional package that is needed is not installed.

    Args:
        package: the package that failed to import.
        extra: the extra of infostream-dedup that installs it.
        purpose: what it is needed for.
    """

    exit_code = 78

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.missing = package, extra, purpose
        super().__init__(f"{purpose} needs the package {package}, which is not installed; {how_to_install(extra)}")


class BadDataError(InfostreamError):
    """An input was read, but its content is not what was expected.

    Args:
        message: what was found and what was expected, in one sentence.
        code: short stable code of the kind of fault, such as ``E_JSON``.
        source: file name as given by the user, ``-`` for standard input, ``<list>`` for values in memory.
        line: 1-based line (JSONL, CSV) or row (Parquet, values in memory); None if there is no such line.
        field: name of the faulty field; None if the whole line is faulty.
        byte_offset: offset of the line's first byte in the uncompressed stream; None if unknown.
        raw: the bytes of the line as read, for a quarantine row.
    """

    exit_code = 65

    def __init__(
        self,
        message: str,
        *,
        code: str,
        source: str,
        line: int | None = None,
        field: str | None = None,
        byte_offset: int | None = None,
        raw: bytes = b"",
    ) -> None:
        self.message = message
        self.code = code
        self.source = source
        self.line = line
        self.field = field
        self.byte_offset = byte_offset
        self.raw = raw
        place = source if line is None else f"{source}:{line}"
        what = message if field is None else f"field {field!r}: {message}"
        super().__init__(f"{place}: {what} [{code}]")
