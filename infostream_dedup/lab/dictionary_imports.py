"""Import pairs of translations from other people's dictionaries."""

from __future__ import annotations

import io
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, cast
from xml.parsers import expat

from infostream_dedup.documents.outputs import open_output
from infostream_dedup.errors import BadDataError, CannotCreateError, ConfigurationError, NoInputError
from infostream_dedup.language.lexicon.tables import is_latin, key_form, read_table
from infostream_dedup.language.text.normalise import clean
from infostream_dedup.language.translation import word_pairs
from infostream_dedup.language.translation.ladder import is_blocked
from infostream_dedup.machine.files import Readable, make_private_folder, sealed
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import OUR_LANGUAGES, Language
from infostream_dedup.model.limits import OneOf

NAME_OF: Final[dict[Language, str]] = {"ru": "Russian", "uk": "Ukrainian", "en": "English"}

_STRAY: Final[dict[Language, re.Pattern[str]]] = {
    "ru": re.compile("[іїєґ]|(?![а-яё])\\w", re.IGNORECASE),
    "uk": re.compile("[ыэъё]|(?![а-яіїєґ\u02bc])\\w", re.IGNORECASE),
    "en": re.compile("[\u0370-\u1fff]", re.IGNORECASE),
}
_STRAY_BESIDE_LATIN: Final[dict[Language, re.Pattern[str]]] = {
    "ru": re.compile("[іїєґ]", re.IGNORECASE),
    "uk": re.compile("[ыэъё]", re.IGNORECASE),
    "en": _STRAY["en"],
}


_MIXED: Final = re.compile(
    "(?<![^\\W\\d_])[^\\W\\d_]*(?:[\u0400-\u052f][a-z]|[a-z][\u0400-\u052f])[^\\W\\d_]*", re.IGNORECASE
)


def mixed_part(word: str) -> str:
    """Return the first run of letters that mixes Latin and Cyrillic; empty if there is none.

    >>> mixed_part("BMWшник"), mixed_part("IT-компания")
    ('BMWшник', '')
    """
    found = _MIXED.search(word)
    return found.group() if found else ""


def stray_letter(word: str, language: Language, *, latin: bool = False) -> str:
    """Return the first letter or digit that words of the language do not have; empty if there is none."""
    found = (_STRAY_BESIDE_LATIN if latin else _STRAY)[language].search(word)
    return found.group() if found else ""


PARTS_OF_SPEECH: Final = ("noun", "name", "adj")
"""Parts of speech that can be imported; terms are nouns and names, and adjectives used as such."""

Direction = Literal["both", "forward", "backward"]
_MAX_LENGTH: Final = 100


@dataclass(frozen=True, slots=True)
class WantedPairs:
    """What to import from a file."""

    file: str  # name of the file as given by the user
    source: Language  # language of its left or first words
    target: Language  # language of its other words
    parts: frozenset[str]  # parts of speech to import, from `PARTS_OF_SPEECH`


@dataclass(frozen=True, slots=True)
class NewPair:
    """A pair of key forms to import."""

    source: str  # word of the source language
    target: str  # its equivalent in the target language
    part: str  # one of `PARTS_OF_SPEECH`
    direction: Direction  # direction in which the pair translates


def _fault(message: str, file: str, line: int | None = None, field: str | None = None) -> BadDataError:
    return BadDataError(message, code="E_IMPORT", source=file, line=line, field=field)


class PairIntake:
    """Sorts the pairs that a reader offers: good ones, errors of rows, and numbers of sound rows left out by reason."""

    def __init__(self, wanted: WantedPairs) -> None:
        self.wanted = wanted
        self.broken: list[BadDataError] = []
        self.left_out: Counter[str] = Counter()
        self._pairs: dict[tuple[str, str], NewPair] = {}

    @property
    def pairs(self) -> tuple[NewPair, ...]:
        """Good pairs in the order of the file, each once."""
        return tuple(self._pairs.values())

    def reject(self, line: int, field: str | None, message: str) -> None:
        """Record a row that cannot be used; the message says what was found, what was expected and what to do."""
        self.broken.append(_fault(message, self.wanted.file, line, field))

    def leave_out(self, reason: str) -> None:
        """Count a sound row that is not wanted."""
        self.left_out[reason] += 1

    def offer(
        self,
        line: int,
        words: tuple[str, str],
        part: str,
        *,
        fields: tuple[str, str],
        direction: Direction = "both",
        edited: bool = True,
    ) -> None:
        """Take a pair, leave it out or reject its row."""
        if part not in self.wanted.parts:
            return self.leave_out("another part of speech")
        keys = tuple(key_form(" ".join(clean(word).split())) for word in words)
        languages = (self.wanted.source, self.wanted.target)
        for key, word, field, language in zip(keys, words, fields, languages, strict=True):
            stray = "" if is_latin(key) and language != "en" else stray_letter(key, language, latin=True)
            if not key:
                message = "an empty word; expected a word; give it or remove the row"
            elif len(key) > _MAX_LENGTH:
                message = (
                    f"a word of {len(key)} characters; expected {_MAX_LENGTH} at most; correct it or remove the row"
                )
            elif stray:
                message = (
                    f"{word!r} has {stray!r}, which {NAME_OF[language]} words do not have; correct the word, or check"
                    " whether --from and --to are swapped"
                )
            else:
                continue
            return self.reject(line, field, message) if edited else self.leave_out("not a word of its language")
        source, target = keys
        if " " in source or " " in target:
            return self.leave_out("a phrase: terms are single words")
        if is_blocked(source, languages[0]) or is_blocked(target, languages[1]):
            return self.leave_out("on the block-list")
        known = self._pairs.setdefault((source, target), pair := NewPair(source, target, part, direction))
        if known is not pair:
            self.leave_out("repeated in the file")
            if known.direction != direction:
                self._pairs[source, target] = NewPair(source, target, known.part, "both")
        return None


_TSV_PARTS: Final = dict(zip(PARTS_OF_SPEECH, PARTS_OF_SPEECH, strict=True)) | {
    "": "noun", "n": "noun", "np": "name", "adjective": "adj",
}  # fmt: skip


def read_tsv(stream: BinaryIO, intake: PairIntake) -> None:
    """Read a table: a header, then one row per line. Empty lines and lines that start with ``#`` are skipped."""
    # Columns are named after the code of their language, or ``source`` and ``target``; ``pos`` may give noun (the
    # default), name or adj. A cell may contain several equivalents separated by ``|``.
    places: tuple[int, int, int | None] | None = None
    width = 0
    for number, raw in enumerate(stream, start=1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            intake.reject(number, None, f"byte {error.start} is not UTF-8; save the table as UTF-8")
            continue
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if places is None:
            places, width = _locate_columns(cells, number, intake), len(cells)
        elif len(cells) != width:
            intake.reject(number, None, f"{len(cells)} cells; expected {width} as in the header; correct the tabs")
        else:
            _offer(cells, number, places, intake)


def _locate_columns(header: list[str], line: int, intake: PairIntake) -> tuple[int, int, int | None]:
    wanted = intake.wanted
    # A table like translations.tsv also has a column source, with the origin of its rows.
    source = _find_column(header, (wanted.source, "source"))
    target = _find_column(header, (wanted.target, "target"))
    if source is None or target is None:
        message = (
            f"the header is {', '.join(map(repr, header))}; expected a column source (or {wanted.source}) and a column"
            f" target (or {wanted.target}), separated by tabs; put such a line first"
        )
        raise _fault(message, wanted.file, line)
    return source, target, _find_column(header, ("pos",))


def _find_column(header: list[str], names: Iterable[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _offer(cells: list[str], line: int, places: tuple[int, int, int | None], intake: PairIntake) -> None:
    source, target, pos = places
    given = "" if pos is None else cells[pos].casefold()
    if given not in _TSV_PARTS:
        intake.reject(line, "pos", f"{given!r}; expected {', '.join(PARTS_OF_SPEECH)} or nothing; write one of them")
        return
    fields = (intake.wanted.source, intake.wanted.target)
    for one in cells[source].split("|"):
        for other in cells[target].split("|"):
            intake.offer(line, (one, other), _TSV_PARTS[given], fields=fields)


_WIKTIONARY_PARTS: Final = {"noun": "noun", "name": "name", "proper noun": "name", "adj": "adj", "adjective": "adj"}
_ADVICE: Final = "get the dump again or remove the line"
_WIKTIONARY_FIELDS: Final = ("word", "translations")


def read_wiktionary(stream: BinaryIO, intake: PairIntake) -> None:
    """Read translations between both languages; other entries, redirects and those without a word are left out."""
    import orjson

    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        try:
            entry = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            intake.reject(number, None, f"is not JSON ({error}); {_ADVICE}")
            continue
        if not isinstance(entry, dict):
            intake.reject(number, None, f"a JSON {type(entry).__name__}; expected an object; {_ADVICE}")
            continue
        _read_entry(entry, number, intake)


def _read_entry(entry: dict[str, Any], line: int, intake: PairIntake) -> None:
    source, target = intake.wanted.source, intake.wanted.target
    language = entry.get("lang_code")
    if "redirect" in entry or language not in (source, target):
        intake.leave_out("an entry of another language or a redirect")
        return
    word = entry.get("word")
    if not isinstance(word, str):
        intake.reject(line, "word", f"{word!r}; expected a text; {_ADVICE}")
        return
    part = _WIKTIONARY_PARTS.get(str(entry.get("pos", "")).casefold(), "")
    other = target if language == source else source
    for place, translation in _find_translations(entry):
        if not isinstance(translation, dict):
            intake.reject(line, place, f"{translation!r}; expected an object; {_ADVICE}")
        elif (translation.get("code") or translation.get("lang_code")) == other:
            equivalent = translation.get("word") or ""
            if not isinstance(equivalent, str):
                intake.reject(line, place, f"the word is {equivalent!r}; expected a text; {_ADVICE}")
                continue
            words = (word, equivalent) if language == source else (equivalent, word)
            intake.offer(line, words, part, fields=_WIKTIONARY_FIELDS, edited=False)


def _find_translations(entry: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the translations of the entry and of its senses, each with the name of its field."""
    senses = entry.get("senses")
    holders = [("translations", entry)]
    holders += [("senses.translations", sense) for sense in (senses if isinstance(senses, list) else [])]
    for place, holder in holders:
        found = holder.get("translations") if isinstance(holder, dict) else None
        if found is None:
            continue
        if not isinstance(found, list):
            yield place, found
            continue
        yield from ((place, one) for one in found)


_APERTIUM_PARTS: Final = {"n": "noun", "np": "name", "adj": "adj"}
_DIRECTIONS: Final[dict[str, Direction]] = {"": "both", "LR": "forward", "RL": "backward"}
_SIDES: Final = {"l": (0,), "r": (1,), "i": (0, 1)}
_HOMONYM_MARKS: Final = str.maketrans("", "", "¹²³⁴⁵⁶⁷⁸⁹⁰")
_APERTIUM_FIELDS: Final = ("l", "r")


def read_apertium(stream: BinaryIO, intake: PairIntake) -> None:
    """Read a dictionary with the source language left; opens no other file, refuses one that declares entities."""
    _Reader(intake).read(stream)


class _RefusedError(Exception):
    """The file contains something that no dictionary needs."""


class _Reader:
    def __init__(self, intake: PairIntake) -> None:
        self._intake = intake
        self._parser = expat.ParserCreate()
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._refuse_entity
        self._parser.SkippedEntityHandler = self._refuse_entity
        self._parser.ExternalEntityRefHandler = self._refuse_entity
        self._parser.buffer_text = True
        self._root = ""
        self._paradigm: str | None = None
        self._symbols_of_paradigms: dict[str, str] = {}
        self._start_entry({})
        self._inside = False

    def read(self, stream: BinaryIO) -> None:
        try:
            self._parser.ParseFile(stream)
        except expat.ExpatError as error:
            reason = f"is not well-formed XML ({expat.ErrorString(error.code)}); get the file again"
            raise _fault(reason, self._intake.wanted.file, error.lineno) from None
        except _RefusedError as refused:
            raise _fault(str(refused), self._intake.wanted.file, self._parser.CurrentLineNumber) from None

    def _refuse_entity(self, *_: Any) -> int:
        raise _RefusedError("declares or uses entities, which no Apertium dictionary needs; remove them")

    def _start_entry(self, attributes: dict[str, str]) -> None:
        self._inside = True
        self._line = self._parser.CurrentLineNumber
        self._attributes = attributes
        self._words = ["", ""]
        self._symbol = ""
        self._paradigms: list[str] = []
        self._has_pair = False
        self._sides: tuple[int, ...] = ()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._root:
            self._root = tag
            if tag != "dictionary":
                raise _RefusedError(f"the root is <{tag}>; expected <dictionary>, a bilingual Apertium dictionary")
        elif tag == "pardef":
            self._paradigm = attributes.get("n", "")
        elif tag == "e" and self._paradigm is None:
            self._start_entry(attributes)
        elif tag == "s":
            # Record the first symbol of an entry or a paradigm, which is its part of speech.
            symbol = attributes.get("n", "")
            if self._paradigm is not None:
                self._symbols_of_paradigms.setdefault(self._paradigm, symbol)
            elif self._inside and not self._symbol:
                self._symbol = symbol
        elif self._inside:
            if tag in _SIDES:
                self._sides = _SIDES[tag]
                self._has_pair = True
            elif tag == "par":
                self._paradigms.append(attributes.get("n", ""))
            elif tag in ("b", "j"):
                self._text(" ")
            elif tag == "re":
                # A regular expression matches numbers and the like; it is not a word.
                self._attributes = {**self._attributes, "i": "yes"}

    def _text(self, text: str) -> None:
        for side in self._sides:
            self._words[side] += text

    def _end(self, tag: str) -> None:
        if tag in _SIDES:
            self._sides = ()
        elif tag == "pardef":
            self._paradigm = None
        elif tag == "e" and self._inside and self._paradigm is None:
            self._inside = False
            self._offer()

    def _offer(self) -> None:
        if self._attributes.get("i") == "yes" or not self._has_pair:
            return
        restriction = self._attributes.get("r", "")
        if restriction not in _DIRECTIONS:
            message = f"{restriction!r}; expected LR, RL or nothing; correct the attribute"
            self._intake.reject(self._line, "r", message)
            return
        symbols = [self._symbol, *(self._symbols_of_paradigms.get(name, "") for name in self._paradigms)]
        part = _APERTIUM_PARTS.get(next(filter(None, symbols), ""), "")
        left, right = (" ".join(word.split()).translate(_HOMONYM_MARKS) for word in self._words)
        self._intake.offer(self._line, (left, right), part, fields=_APERTIUM_FIELDS, direction=_DIRECTIONS[restriction])


TableFormat = Literal["tsv", "apertium", "wiktionary"]

FORMATS: Final[Mapping[TableFormat, Callable[[BinaryIO, PairIntake], None]]] = {
    "tsv": read_tsv,
    "apertium": read_apertium,
    "wiktionary": read_wiktionary,
}
"""Reader of each format."""

TERMS: Final = ("noun", "name")  # parts of speech that can be terms
_NAME: Final = re.compile(r"[^\W_][\w.+-]{0,99}")
_ENDINGS: Final = (".gz", ".tsv", ".txt", ".dix", ".xml", ".jsonl", ".json")
_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Imported:
    """Result of an import."""

    name: str  # name of the table
    path: Path  # file of the table
    pairs: int  # number of pairs in it
    replaced: bool  # whether a table of that name existed before
    left_out: Mapping[str, int]  # number of sound rows that were not imported, by reason
    broken: tuple[BadDataError, ...]  # errors of the broken rows that were skipped


def import_table(
    file: Path,
    source: Language,
    target: Language,
    table_format: TableFormat,
    *,
    parts: Iterable[str] = TERMS,
    name: str | None = None,
    skip: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Read pairs of words and install them where the ladder looks them up, with effect at once, also here."""
    wanted = WantedPairs(str(file), source, target, frozenset(parts))
    table = _derive_name(file, wanted) if name is None else name
    _check_options(wanted, table_format, table)
    intake = PairIntake(wanted)
    with _open(file, progress) as stream:
        FORMATS[table_format](stream, intake)
    if intake.broken and not skip:
        raise _summarise(intake.broken)
    if not intake.pairs:
        why = ", ".join(f"{number} {reason}" for reason, number in sorted(intake.left_out.items())) or "it is empty"
        message = (
            f"no pair of {' or '.join(sorted(wanted.parts))} between {source} and {target} in it"
            f" ({why}); check whether --from, --to, --format and --pos fit the file"
        )
        raise _fault(message, str(file))
    path = word_pairs.imported_folder() / f"{table}.tsv"
    replaced = path.exists()
    _write(path, intake.pairs, wanted, file)
    _forget_answers()
    return Imported(
        table, path, len(intake.pairs), replaced, dict(sorted(intake.left_out.items())), tuple(intake.broken)
    )


def installed_tables() -> list[dict[str, Any]]:
    """Return name, number of pairs, languages and path of each imported table, by name."""
    found = []
    for path in word_pairs.imported_tables():
        rows = read_table(path, word_pairs.COLUMNS)
        pairs = {"-".join(sorted((row.cells["source_language"], row.cells["target_language"]))) for row in rows}
        found.append({"name": path.stem, "pairs": len(rows), "languages": sorted(pairs), "file": str(path)})
    return found


def remove_table(name: str) -> Path:
    """Remove an imported table; answers change at once."""
    known = {path.stem: path for path in word_pairs.imported_tables()}
    if name not in known:
        there = ", ".join(known) or "none"
        raise NoInputError(f"no imported table is named {name!r}; there are: {there}")
    try:
        known[name].unlink()
    except OSError as error:
        raise CannotCreateError(f"{known[name]}: cannot be removed: {error.strerror}") from None
    _forget_answers()
    return known[name]


def _check_options(wanted: WantedPairs, table_format: str, name: str) -> None:
    for option, language in (("--from", wanted.source), ("--to", wanted.target)):
        OneOf(*OUR_LANGUAGES).check(option, language)
    if wanted.source == wanted.target:
        raise ConfigurationError(f"--from and --to are both {wanted.source}; expected two languages")
    OneOf(*FORMATS).check("--format", table_format)
    if not wanted.parts or not wanted.parts <= set(PARTS_OF_SPEECH):
        raise ConfigurationError(f"--pos is {sorted(wanted.parts)}; expected some of {', '.join(PARTS_OF_SPEECH)}")
    if not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"the table's name is {name!r}; expected letters, digits, dots and hyphens, starting with a letter or"
            " digit; give one with --name"
        )


def _derive_name(file: Path, wanted: WantedPairs) -> str:
    stem = file.name
    while stem.casefold().endswith(_ENDINGS):
        stem = stem[: stem.rindex(".")]
    tidy = re.sub(r"[^\w.+-]+", "-", stem)
    return f"{tidy}.{wanted.source}-{wanted.target}"


def _summarise(broken: list[BadDataError]) -> BadDataError:
    """Return the first fault, with the number of the others and how to continue."""
    error, more = broken[0], len(broken) - 1
    others = f" ({more} more such {'row' if more == 1 else 'rows'})" if more else ""
    message = f"{error.message}{others}; --skip imports the rest without broken rows"
    return _fault(message, error.source, error.line, error.field)


def _write(path: Path, pairs: Iterable[NewPair], wanted: WantedPairs, file: Path) -> None:
    try:
        make_private_folder(path.parent)
    except OSError as error:
        raise CannotCreateError(f"{path.parent}: cannot be created: {error.strerror}") from None
    lines = ["\t".join(cells) + "\n" for cells in (word_pairs.COLUMNS, *(_make_cells(pair, wanted) for pair in pairs))]
    with open_output(path, inputs=(file,)) as output:
        output.write(sealed("".join(lines).encode()))


def _make_cells(pair: NewPair, wanted: WantedPairs) -> tuple[str, ...]:
    if pair.direction == "backward":
        return (wanted.target, wanted.source, pair.target, pair.source, pair.part, "forward")
    return (wanted.source, wanted.target, pair.source, pair.target, pair.part, pair.direction)


def _forget_answers() -> None:
    word_pairs.forget_imported()
    word_pairs.word_pairs.cache_clear()


class _ReportingFile(Readable):
    """A file that reports how much of it has been read."""

    def __init__(self, raw: BinaryIO, size: int, progress: Progress) -> None:
        self._raw, self._size, self._progress = raw, size, progress
        self._done = 0

    def made(self, most: int) -> bytes:
        data = self._raw.read(most)
        self._done += len(data)
        self._progress("read", self._done, self._size)
        return data


@contextmanager
def _open(file: Path, progress: Progress | None) -> Iterator[BinaryIO]:
    try:
        with file.open("rb") as raw:
            packed = raw.peek(len(_GZIP)).startswith(_GZIP)
            size = file.stat().st_size
            plain = io.BufferedReader(_ReportingFile(raw, size, progress), 1 << 20) if progress else raw
            yield cast("BinaryIO", GzipFile(fileobj=plain) if packed else plain)
    except (BadGzipFile, EOFError, zlib.error) as error:
        raise _fault(f"cannot be unpacked ({error}); get the file again", str(file)) from None
    except OSError as error:
        raise NoInputError(f"{file}: cannot be read: {error.strerror or error}") from None
