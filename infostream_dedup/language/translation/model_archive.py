"""Check and extract ``.argosmodel`` files.

An ``.argosmodel`` is a zip of one top folder with ``metadata.json``, ``sentencepiece.model`` or ``bpe.model``, and
``model/`` in the format of CTranslate2. Such files come from anywhere, so nothing in them is trusted: every name, type
and size is checked before the first byte is written.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, NoReturn, cast

import orjson

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.model import OUR_LANGUAGES, Language

LARGEST_TOTAL: Final = 2 * 1024**3
"""Maximum size of all files together; the largest known models of Argos Translate have a tenth of it."""
LARGEST_RATIO: Final = 50
"""Maximum compression ratio; that of weights is below 2, that of vocabularies below 10."""
MOST_FILES: Final = 1_000

_LARGEST_METADATA: Final = 1024**2
_CHUNK: Final = 1024**2
_VERSION: Final = re.compile("[0-9A-Za-z][0-9A-Za-z.+-]{0,19}")
_PART: Final = re.compile('[^\\x00-\\x1f\\x7f\\\\/:*?"<>|]{1,200}')
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_TOKENISERS: Final = ("sentencepiece.model", "bpe.model")
# Errors of zipfile for broken archives; OSError comes from a seek before the beginning.
_DAMAGE: Final = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, RuntimeError, OSError)


@dataclass(frozen=True, slots=True)
class ModelMetadata:
    """Metadata of a package.

    Attributes:
        source: language it translates from.
        target: language it translates to.
        version: version of the package, such as ``1.9``; safe as a part of a file name.
        target_prefix: first token for models of several target languages; mostly empty.
    """

    source: Language
    target: Language
    version: str
    target_prefix: str


@dataclass(frozen=True, slots=True)
class ModelArchive:
    """A checked archive.

    Attributes:
        path: the file, as the user named it.
        metadata: its metadata.
    """

    path: Path
    metadata: ModelMetadata
    _archive: zipfile.ZipFile
    _files: dict[PurePosixPath, zipfile.ZipInfo]

    def extract(self, folder: Path) -> None:
        """Write all files, without the top folder, into a new folder."""
        folder.mkdir()
        for name, info in self._files.items():
            path = folder.joinpath(*name.parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                for chunk in _content(self._archive, info, self.path):
                    file.write(chunk)
                # Synced before the folder gets its name, so that after a power cut a model is complete or missing.
                file.flush()
                os.fsync(file.fileno())


@contextmanager
def opened_archive(path: Path) -> Iterator[ModelArchive]:
    """Open an ``.argosmodel`` file and check everything in it except the weights."""
    if not path.is_file():
        raise NoInputError(f"{path}: no such file; name an .argosmodel file on this machine")
    try:
        archive = zipfile.ZipFile(path)
    except PermissionError as error:
        raise NoInputError(f"{path}: {error.strerror}; make the file readable") from error
    except _DAMAGE as error:
        _refuse(path, "E_ZIP", f"is not an .argosmodel file, which is a zip archive ({error}); download it again")
    with archive:
        files = _without_top(_read_checked(archive, path), path)
        _check_parts(files, path)
        metadata = files[PurePosixPath("metadata.json")]
        if metadata.file_size > _LARGEST_METADATA:
            _refuse(path, "E_METADATA", f"metadata.json has {metadata.file_size} bytes, at most {_LARGEST_METADATA}")
        content = b"".join(_content(archive, metadata, path))
        yield ModelArchive(path, read_metadata(content, str(path)), archive, files)


def read_metadata(content: bytes, source: str) -> ModelMetadata:
    """Read ``metadata.json``.

    Args:
        content: bytes of the file.
    """
    try:
        fields = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise BadDataError(
            f"metadata.json is not JSON ({error}); get the package again", code="E_METADATA", source=source
        ) from error
    if not isinstance(fields, dict):
        raise BadDataError("metadata.json is not a JSON object", code="E_METADATA", source=source)
    kind = fields.get("type", "translate")
    if kind != "translate":
        raise _wrong_field("type", kind, "translate", source)
    version = fields.get("package_version")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise _wrong_field("package_version", version, "a version such as 1.9", source)
    prefix = fields.get("target_prefix", "")
    if not isinstance(prefix, str):
        raise _wrong_field("target_prefix", prefix, "a string", source)
    from_code, to_code = _language(fields, "from_code", source), _language(fields, "to_code", source)
    if from_code == to_code:
        raise _wrong_field("to_code", to_code, "a language other than from_code", source)
    return ModelMetadata(from_code, to_code, version, prefix)


def _language(fields: dict[str, Any], name: str, source: str) -> Language:
    code = fields.get(name)
    if code not in OUR_LANGUAGES:
        raise _wrong_field(name, code, f"a language we know ({', '.join(OUR_LANGUAGES)})", source)
    return cast("Language", code)


def _wrong_field(name: str, value: object, expected: str, source: str) -> BadDataError:
    shown = "nothing" if value is None else repr(value)[:80]
    return BadDataError(
        f"metadata.json holds {shown}, expected {expected}; get another package",
        code="E_METADATA",
        source=source,
        field=name,
    )


def _read_checked(archive: zipfile.ZipFile, path: Path) -> dict[PurePosixPath, zipfile.ZipInfo]:
    """Return the files of an archive by name; raise if a name, type or size does not belong to a model."""
    entries = archive.infolist()
    if len(entries) > MOST_FILES:
        _refuse(path, "E_UNSAFE", f"holds {len(entries)} files; a model has at most {MOST_FILES}")
    total = sum(entry.file_size for entry in entries)
    # Uses the size of the file, because overlapping entries share their compressed bytes.
    limit = min(LARGEST_TOTAL, LARGEST_RATIO * path.stat().st_size)
    if total > limit:
        _refuse(path, "E_UNSAFE", f"would unpack to {total} bytes, at most {limit} are allowed for a file of its size")
    files: dict[PurePosixPath, zipfile.ZipInfo] = {}
    for entry in entries:
        name = _safe_name(entry, path)
        if not entry.is_dir():
            if name in files:
                _refuse(path, "E_UNSAFE", f"holds {str(name)!r} twice")
            files[name] = entry
    _check_collisions(files, path)
    return files


def _safe_name(entry: zipfile.ZipInfo, path: Path) -> PurePosixPath:
    """Return the name of an entry if it can only mean a plain file below the top folder."""
    # The original name, because zipfile cuts names at a zero byte.
    raw = entry.orig_filename
    parts = raw.removesuffix("/").split("/")
    if any(part in (".", "..") or part.endswith((".", " ")) or not _PART.fullmatch(part) for part in parts):
        _refuse(path, "E_UNSAFE", f"holds the name {raw[:200]!r}, which could lead out of its folder")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        _refuse(path, "E_UNSAFE", f"holds {raw!r}, which is a link or a device; a model is made of plain files")
    if entry.flag_bits & 1:
        _refuse(path, "E_UNSAFE", f"holds {raw!r}, which is encrypted")
    if entry.compress_type not in _METHODS:
        _refuse(path, "E_UNSAFE", f"holds {raw!r}, packed by method {entry.compress_type}; expected deflate or none")
    return PurePosixPath(*parts)


def _check_collisions(files: dict[PurePosixPath, zipfile.ZipInfo], path: Path) -> None:
    """Raise if two names would be one file on some file system, or one is both file and folder."""
    folded: dict[str, PurePosixPath] = {}
    for name in files:
        for place in (name, *name.parents[:-1]):
            seen = folded.setdefault(str(place).casefold(), place)
            if seen != place or (place != name and place in files):
                _refuse(path, "E_UNSAFE", f"holds {str(place)!r} twice, as {str(seen)!r} too")


def _without_top(files: dict[PurePosixPath, zipfile.ZipInfo], path: Path) -> dict[PurePosixPath, zipfile.ZipInfo]:
    """Return the names below the single top folder."""
    tops = sorted({name.parts[0] for name in files})
    if len(tops) != 1 or any(len(name.parts) == 1 for name in files):
        _refuse(path, "E_MODEL", f"has {tops[:5]} at its top, expected one folder with metadata.json and model/ in it")
    return {PurePosixPath(*name.parts[1:]): entry for name, entry in files.items()}


def _check_parts(files: dict[PurePosixPath, zipfile.ZipInfo], path: Path) -> None:
    names = {str(name) for name in files}
    missing = [name for name in ("metadata.json", "model/model.bin") if name not in names]
    if not names.intersection(_TOKENISERS):
        missing.append(" or ".join(_TOKENISERS))
    if not any(name.startswith("model/") and "vocabulary" in name for name in names):
        missing.append("model/shared_vocabulary.json")
    if missing:
        _refuse(path, "E_MODEL", f"lacks {', '.join(missing)}; get a package made for Argos Translate 1.x")


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> Iterator[bytes]:
    """Read a file, and check it against the size and checksum in the archive."""
    left = entry.file_size
    try:
        with archive.open(entry) as file:
            while chunk := file.read(_CHUNK):
                left -= len(chunk)
                if left < 0:
                    break
                yield chunk
    except _DAMAGE as error:
        _refuse(path, "E_ZIP", f"is damaged at {entry.filename!r} ({error}); download it again")
    if left:
        _refuse(path, "E_ZIP", f"is damaged: {entry.filename!r} does not have the size given; download it again")


def _refuse(path: Path, code: str, reason: str) -> NoReturn:
    raise BadDataError(reason, code=code, source=str(path))
