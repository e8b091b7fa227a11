"""Translation models on this machine: their folders, the installed models, installation, and models in memory.

The folder is that of Argos Translate, so that both use each other's models. Nothing here goes online.

CTranslate2 and the package's tokeniser run the model of an Argos Translate package directly.
``argostranslate.translate`` is not used: it first splits every text into sentences, with a splitter that it downloads
at the first call, and translates text by text with a beam of four, which is many times slower for single words.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b, file_digest
from pathlib import Path, PurePosixPath
from typing import Any, Final, NoReturn, Protocol, cast

import orjson

from infostream_dedup.errors import BadDataError, CannotCreateError, MissingExtraError, NoInputError
from infostream_dedup.machine.platform import lock_file, sync
from infostream_dedup.model import OUR_LANGUAGES, Language

# A translation model on this machine


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """An installed model."""

    source: Language  # language it translates from
    target: Language  # language it translates to
    version: str  # version of the package
    folder: Path  # folder with its files
    target_prefix: str = ""  # first token for the decoder; mostly empty


# Checksums of the files of an installed translation model, in a file beside them

_NAME: Final = "infostream-dedup-checksums.json"


def write_checksums(folder: Path) -> None:
    """Record the checksums of a model's files."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != _NAME]
    found = {str(path.relative_to(folder)): _checksum(path) for path in files}
    (folder / _NAME).write_bytes(orjson.dumps(found, option=orjson.OPT_SORT_KEYS))


def damaged_file(folder: Path) -> str | None:
    """Return the name of a file that differs from the installed one; ``None`` if all are equal or have no checksums."""
    listed = folder / _NAME
    if not listed.is_file():
        return None
    try:
        noted = orjson.loads(listed.read_bytes())
        wrong = [name for name, checksum in noted.items() if _checksum(folder / name) != checksum]
    except (orjson.JSONDecodeError, AttributeError, TypeError, ValueError, FileNotFoundError, IsADirectoryError):
        return _NAME
    return min(wrong, default=None)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()


LONGEST_OUTPUT: Final = 64
"""Maximum number of tokens. Even a word spelt letter by letter needs fewer; longer output repeats itself."""

_TOKENS_IN_BATCH: Final = 2_048
_TEXTS_IN_CALL: Final = 10_000

# Errors of CTranslate2 and SentencePiece for damaged files.
_UNLOADABLE: Final = (RuntimeError, ValueError, OSError, MemoryError)
_PURPOSE: Final = "translation by an installed model"


class _Tokeniser(Protocol):
    def encode(self, text: str) -> list[str]: ...

    def decode(self, tokens: list[str]) -> str: ...


class LoadedModel:
    """A model in memory; it runs on the CPU and never goes online. ``source`` is what errors name."""

    def __init__(self, model: InstalledModel, *, source: str | None = None) -> None:
        self._prefix = model.target_prefix
        self._source = source or str(model.folder)
        try:
            import ctranslate2
        except ImportError as error:
            raise MissingExtraError("ctranslate2", "translate", _PURPOSE) from error
        try:
            damaged = damaged_file(model.folder)
            if damaged is not None:
                raise ValueError(f"{damaged} is not what was installed; install the model again")
            self._tokeniser = _tokeniser(model)
            # Products of 8-bit weights depend on the processor: those without VNNI saturate sums, and words change.
            self._translator: Any = ctranslate2.Translator(
                str(model.folder / "model"), device="cpu", compute_type="float32"
            )
        except _UNLOADABLE as error:
            raise self._damage_error("loaded", error) from error

    def translate(self, texts: Sequence[str]) -> list[str]:
        """Translate each text by greedy search; empty if the output was cut at ``LONGEST_OUTPUT`` tokens."""
        try:
            return [
                output
                for start in range(0, len(texts), _TEXTS_IN_CALL)
                for output in self._translate_batch(texts[start : start + _TEXTS_IN_CALL])
            ]
        except _UNLOADABLE as error:
            raise self._damage_error("used", error) from error

    def _damage_error(self, purpose: str, error: Exception) -> BadDataError:
        return BadDataError(
            f"the translation model cannot be {purpose} ({error}); get the .argosmodel file again and install it",
            code="E_MODEL",
            source=self._source,
        )

    def _translate_batch(self, texts: Sequence[str]) -> list[str]:
        tokens = [self._tokeniser.encode(text) for text in texts]
        results = self._translator.translate_batch(
            tokens,
            target_prefix=[[self._prefix]] * len(tokens) if self._prefix else None,
            # The size of a batch counts tokens, not texts: CTranslate2 groups texts of equal length.
            batch_type="tokens",
            max_batch_size=_TOKENS_IN_BATCH,
            beam_size=1,
            max_decoding_length=LONGEST_OUTPUT,
        )
        return [self._decode(result.hypotheses[0]) for result in results]

    def _decode(self, tokens: list[str]) -> str:
        if len(tokens) >= LONGEST_OUTPUT:
            return ""
        if self._prefix and tokens[:1] == [self._prefix]:
            tokens = tokens[1:]
        return self._tokeniser.decode(tokens)


class _SentencePiece:
    """The tokeniser of nearly all packages."""

    def __init__(self, path: Path) -> None:
        try:
            import sentencepiece
        except ImportError as error:
            raise MissingExtraError("sentencepiece", "translate", _PURPOSE) from error
        self._processor = sentencepiece.SentencePieceProcessor(model_file=str(path))

    def encode(self, text: str) -> list[str]:
        pieces: list[str] = self._processor.encode(text, out_type=str)
        return pieces

    def decode(self, tokens: list[str]) -> str:
        # Models trained with other tokenisers keep their marks for blanks.
        text: str = self._processor.decode(tokens)
        return text.replace("▁", " ").replace("_", " ")


def _tokeniser(model: InstalledModel) -> _Tokeniser:
    pieces = model.folder / "sentencepiece.model"
    if pieces.is_file():
        return _SentencePiece(pieces)
    try:
        from argostranslate.tokenizer import BPETokenizer
    except ImportError as error:
        raise MissingExtraError("argostranslate", "translate", "a translation model with bpe.model") from error
    bpe: _Tokeniser = BPETokenizer(model.folder / "bpe.model", model.source, model.target)
    try:
        # It reads its file at the first text, and exits the program if the file is broken.
        bpe.encode("")
    except SystemExit as error:
        raise ValueError("bpe.model is broken") from error
    return bpe


# Check and extract `.argosmodel` files.
#
# An `.argosmodel` is a zip of one top folder with `metadata.json`, `sentencepiece.model` or `bpe.model`, and `model/`
# in the format of CTranslate2. Such files come from anywhere, so nothing in them is trusted: every name, type and
# size is checked before the first byte is written.

LARGEST_TOTAL: Final = 2 * 1024**3
"""Maximum size of all files together; the largest known models of Argos Translate have a tenth of it."""

LARGEST_RATIO: Final = 50  # maximum compression ratio; that of weights is below 2, that of vocabularies below 10
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
    """Metadata of a package."""

    source: Language  # language it translates from
    target: Language  # language it translates to
    version: str  # version of the package, such as `1.9`; safe as a part of a file name
    target_prefix: str  # first token for models of several target languages; mostly empty


@dataclass(frozen=True, slots=True)
class ModelArchive:
    """A checked archive."""

    path: Path  # the file, as the user named it
    metadata: ModelMetadata  # its metadata
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
                sync(file.fileno())


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
        names = {str(name) for name in files}
        missing = [name for name in ("metadata.json", "model/model.bin") if name not in names]
        if not names.intersection(_TOKENISERS):
            missing.append(" or ".join(_TOKENISERS))
        if not any(name.startswith("model/") and "vocabulary" in name for name in names):
            missing.append("model/shared_vocabulary.json")
        if missing:
            _refuse(path, "E_MODEL", f"lacks {', '.join(missing)}; get a package made for Argos Translate 1.x")
        metadata = files[PurePosixPath("metadata.json")]
        if metadata.file_size > _LARGEST_METADATA:
            _refuse(path, "E_METADATA", f"metadata.json has {metadata.file_size} bytes, at most {_LARGEST_METADATA}")
        content = b"".join(_content(archive, metadata, path))
        yield ModelArchive(path, read_metadata(content, str(path)), archive, files)


def read_metadata(content: bytes, source: str) -> ModelMetadata:
    """Read ``metadata.json``."""
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
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
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


_log = logging.getLogger(__name__)
_PACKAGES: Final = "ARGOS_PACKAGES_DIR"
_LOCK: Final = ".infostream-dedup.lock"
_STAGING: Final = ".infostream-dedup-installing"


@dataclass(frozen=True, slots=True)
class Installation:
    """Result of an installation."""

    model: InstalledModel  # the installed model
    replaced: bool  # whether the same version was installed before
    tried: bool  # whether the model was tried; `False` if the extra `translate` is not installed


def models_folders() -> tuple[Path, ...]:
    """Return the folders with installed models, those of argostranslate or what it would use; new models go first."""
    try:
        # Importing it creates folders in the user's home, which may not be allowed.
        from argostranslate import settings
    except (ImportError, OSError):
        return (_default_folder(),)
    return tuple(Path(folder) for folder in settings.package_dirs)


def installed_models(folder: Path | None = None) -> tuple[InstalledModel, ...]:
    """List models between two of our languages, ordered by languages, the newest version first."""
    folders = models_folders() if folder is None else (folder,)
    found = [model for place in folders for model in _models_in(place)]
    # Sorted in steps, because versions descend and everything else ascends.
    found.sort(key=lambda model: str(model.folder))
    found.sort(key=lambda model: ([*map(int, re.findall("[0-9]+", model.version))], model.version), reverse=True)
    found.sort(key=lambda model: (model.source, model.target))
    return tuple(found)


def best_models(folder: Path | None = None) -> dict[tuple[Language, Language], InstalledModel]:
    """Return the newest model of each pair of languages."""
    best: dict[tuple[Language, Language], InstalledModel] = {}
    for model in installed_models(folder):
        best.setdefault((model.source, model.target), model)
    return best


def install_model(path: Path, *, folder: Path | None = None) -> Installation:
    """Install a local ``.argosmodel`` file: no incomplete model is ever in place, and the same version is replaced."""
    place = models_folders()[0] if folder is None else folder
    with opened_archive(path) as archive, _staging(place) as staging:
        fresh = staging / "package"
        archive.extract(fresh)
        write_checksums(fresh)
        model = _model(archive.metadata, fresh)
        tried = _try(model, str(path))
        # A name as Argos Translate gives: translate-uk_ru-1_9.
        version = re.sub("[^0-9A-Za-z]", "_", model.version)
        target = place / f"translate-{model.source}_{model.target}-{version}"
        replaced = _put(fresh, target, staging / "former")
    return Installation(_model(archive.metadata, target), replaced, tried)


def _default_folder() -> Path:
    given = os.environ.get(_PACKAGES)
    if given:
        return Path(given)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "argos-translate" / "packages"


def _models_in(folder: Path) -> Iterator[InstalledModel]:
    try:
        places = sorted(folder.iterdir())
    except OSError:
        return
    for place in places:
        path = place / "metadata.json"
        # Folders that begin with a dot are not models; we unpack models in one of them.
        if place.name.startswith(".") or not path.is_file():
            continue
        try:
            yield _model(read_metadata(path.read_bytes(), str(path)), place)
        except (BadDataError, OSError) as error:
            # Debug level, because a model of other languages is not an error.
            _log.debug("%s: not used: %s", place, error)


def _model(metadata: ModelMetadata, folder: Path) -> InstalledModel:
    return InstalledModel(metadata.source, metadata.target, metadata.version, folder, metadata.target_prefix)


def _try(model: InstalledModel, path: str) -> bool:
    """Try a model, so that a fault shows before it is installed; ``False`` if no package can load it."""
    try:
        LoadedModel(model, source=path).translate(["1"])
    except MissingExtraError:
        return False
    return True


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """An empty folder of ours, which Argos Translate ignores; it goes at the end or after a kill."""
    staging = folder / _STAGING
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / _LOCK).open("ab")
    except OSError as error:
        raise CannotCreateError(
            f"{folder}: {error.strerror}; set {_PACKAGES} to a folder that can be written"
        ) from error
    with lock:
        lock_file(lock.fileno(), wait=True)
        _remove(staging)
        staging.mkdir()
        try:
            (staging / "metadata.json").write_text(json.dumps({"type": "installing"}), encoding="utf-8")
            yield staging
        finally:
            _remove(staging)


def _remove(folder: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)


def _put(fresh: Path, target: Path, former: Path) -> bool:
    """Move a folder into place; an existing one is moved away first, and back if that fails."""
    replaced = target.exists()
    if replaced:
        target.rename(former)
    try:
        fresh.rename(target)
    except OSError:
        if replaced:
            former.rename(target)
        raise
    return replaced
