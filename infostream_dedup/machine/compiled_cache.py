"""Compiled code on disk, which is read only from folders that nobody else can write, and only if it is intact.

Numba keeps machine code in pickles, and a pickle runs whatever it contains. So a folder that others can write is never
read, and every file begins with the checksum of the rest: a damaged file counts as missing and is written again.
"""

from __future__ import annotations

import logging
import os
import pickle
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, Final

import numba
from numba.core import caching

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.machine.code_folders import folder_of, is_lasting
from infostream_dedup.machine.plain_work import NotOnDiskError, announce_compiling, is_plain
from infostream_dedup.machine.private_files import is_private, make_private_folder, owner_alone_writes

__all__ = ["hits_and_misses", "keep_compiled", "used_folders"]

# Numba's caches have no types; what we override is checked by tests.
_CONFIG: Final[Any] = numba.config
_FunctionCache: Final[Any] = caching.FunctionCache
_NullCache: Final[Any] = caching.NullCache
_IndexDataCacheFile: Final[Any] = caching.IndexDataCacheFile

_log = logging.getLogger(__name__)

_MAGIC: Final = b"ISDC\x01"
_CHECKSUM_BYTES: Final = 16
_BEGIN: Final = len(_MAGIC) + _CHECKSUM_BYTES


def keep_compiled(dispatcher: Any) -> None:
    """Let a compiled function keep its machine code on disk, if there is a safe folder.

    Args:
        dispatcher: result of ``numba.njit`` without ``cache=True``.

    Raises:
        ConfigurationError: numba is set not to compile.
    """
    if _CONFIG.DISABLE_JIT:
        raise ConfigurationError("NUMBA_DISABLE_JIT is set, but the loops must be compiled; unset it")
    _dispatchers.append(dispatcher)
    dispatcher._cache = _NotKept()
    try:
        kept = _Cache(dispatcher.py_func)
    except (RuntimeError, OSError, TypeError):
        # No trusted folder, or no source file: each process compiles for itself.
        return
    if is_private(Path(kept.cache_path)):
        dispatcher._cache = kept


_dispatchers: Final[list[Any]] = []


def hits_and_misses() -> tuple[int, int]:
    """Return how many functions, per combination of types, this process loaded from disk and compiled."""
    hits = sum(sum(one.stats.cache_hits.values()) for one in _dispatchers)
    return hits, sum(sum(one.stats.cache_misses.values()) for one in _dispatchers)


def used_folders() -> tuple[str, ...]:
    """Return the folders with the machine code of this process."""
    return tuple(sorted({str(one.stats.cache_path) for one in _dispatchers if one.stats.cache_path}))


class _NotKept(_NullCache):  # type: ignore[misc]
    """Machine code for this process only."""

    def load_overload(self, signature: Any, target: Any) -> Any:
        del signature, target
        if is_plain():
            raise NotOnDiskError
        announce_compiling(None)


@cache
def _source_stamp(source: str) -> bytes:
    """Digest of a source file and of all kernels: a function's machine code contains that of functions it calls."""
    return sha256(_kernels_digest() + Path(source).read_bytes()).digest()


@cache
def _kernels_digest() -> bytes:
    package = Path(__file__).resolve().parents[1]
    digest = sha256()
    compilers = [package / "machine" / name for name in ("array_indexes.py", "compiling.py", "machine_instructions.py")]
    for path in sorted((*compilers, *package.glob("**/kernels/*.py"))):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.digest()


class _Locator:
    """Tells numba the location of one function's machine code."""

    def __init__(self, function: Any, source: str, folder: str) -> None:
        self._py_file = source
        self._line = function.__code__.co_firstlineno
        self._folder = folder

    @classmethod
    def from_function(cls, function: Any, source: str) -> _Locator | None:
        if not Path(source).is_file():
            return None
        folder = folder_of(source)
        return None if folder is None else cls(function, source, folder)

    def ensure_cache_path(self) -> None:
        make_private_folder(Path(self._folder))

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> bytes:
        return _source_stamp(self._py_file)

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Place(_FunctionCache._impl_class):  # type: ignore[misc]
    _locator_classes = [_Locator]  # noqa: RUF012 - numba's own way


class _Files(_IndexDataCacheFile):  # type: ignore[misc]
    """Index and machine code of one function, each in a file that starts with its checksum."""

    def _load_index(self) -> dict[Any, str]:
        entry = _unpickle(self._index_path)
        if entry is None:
            return {}
        version, stamp, overloads = entry
        return dict(overloads) if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, self._dump((self._version, self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        data = _unpickle(self._data_path(name))
        if data is None:
            raise FileNotFoundError(name)
        return data

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), self._dump(data))

    def _write(self, path: str, content: bytes) -> None:
        with self._open_for_write(path) as file:
            if hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), 0o600)
            file.write(_MAGIC + _checksum(content) + content)


class _Cache(_FunctionCache):  # type: ignore[misc]
    _impl_class = _Place

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _Files(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, signature: Any, target: Any) -> Any:
        found = super().load_overload(signature, target)
        if found is None:
            if is_plain():
                raise NotOnDiskError
            announce_compiling(self.cache_path if is_lasting(self.cache_path) else None)
        return found

    def save_overload(self, signature: Any, data: Any) -> None:
        # A full disk must not stop a job whose code has just been compiled.
        try:
            super().save_overload(signature, data)
        except OSError as error:
            self.disable()
            _log.warning(
                "%s: compiled code cannot be kept (%s); continuing without it", self._cache_path, error.strerror
            )


def _checksum(content: bytes) -> bytes:
    return blake2b(content, digest_size=_CHECKSUM_BYTES).digest()


def _unpickle(path: str) -> Any:
    """Return the content of a file written by ``_save_index`` or ``_save_data``; ``None`` if it cannot be used."""
    content = _read(path)
    if content is None:
        return None
    try:
        return pickle.loads(content)  # noqa: S301 - nobody else could have written it
    except (AttributeError, ImportError):
        # Another version wrote it, and a class that its signatures mention has since been renamed or moved.
        return None


def _read(path: str) -> bytes | None:
    """Return a file without its checksum; ``None`` if it is missing, not ours, damaged, or not safe."""
    try:
        with Path(path).open("rb") as file:
            safe = owner_alone_writes(os.fstat(file.fileno()))
            content = file.read() if safe else b""
    except OSError:
        return None
    if not content.startswith(_MAGIC):
        return None
    if _checksum(content[_BEGIN:]) != content[len(_MAGIC) : _BEGIN]:
        _log.warning("%s: compiled code is damaged; compiling again", path)
        return None
    return content[_BEGIN:]
