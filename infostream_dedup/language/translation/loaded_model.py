"""A translation model in memory.

CTranslate2 and the package's tokeniser run the model of an Argos Translate package directly.
``argostranslate.translate`` is not used: it first splits every text into sentences, with a splitter that it downloads
at the first call, and translates text by text with a beam of four, which is many times slower for single words.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b, file_digest
from typing import TYPE_CHECKING, Any, Final, Protocol

import orjson

from infostream_dedup.errors import BadDataError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from infostream_dedup.model import Language

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
_DAMAGE: Final = (RuntimeError, ValueError, OSError, MemoryError)
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
        except _DAMAGE as error:
            raise self._damage_error("loaded", error) from error

    def translate(self, texts: Sequence[str]) -> list[str]:
        """Translate each text by greedy search; empty if the output was cut at ``LONGEST_OUTPUT`` tokens."""
        try:
            return [
                output
                for start in range(0, len(texts), _TEXTS_IN_CALL)
                for output in self._translate_batch(texts[start : start + _TEXTS_IN_CALL])
            ]
        except _DAMAGE as error:
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
