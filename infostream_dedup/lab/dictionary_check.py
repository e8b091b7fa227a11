"""Check the tables of translations: format, letters, words, names, round trips."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from pathlib import Path
from typing import Any, Final, Literal

from infostream_dedup.errors import NoInputError
from infostream_dedup.lab.dictionary_imports import NAME_OF, mixed_part, stray_letter
from infostream_dedup.language.lexicon.frequency import form_frequencies, part_of_speech
from infostream_dedup.language.lexicon.tables import APOSTROPHE, TableRow, dictionaries_folder, is_latin, key_form
from infostream_dedup.language.lexicon.word_lists import NAME_TABLES, added_nouns, personal_names
from infostream_dedup.language.translation import romanisation
from infostream_dedup.language.translation.ladder import allowed
from infostream_dedup.language.translation.rungs.cognates import international_keys
from infostream_dedup.language.translation.rungs.dictionary import DictionaryRung
from infostream_dedup.language.translation.word_pairs import as_terms
from infostream_dedup.model import OUR_LANGUAGES, Language

Level = Literal["defect", "doubt"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one row."""

    level: Level  # `defect`, which must be corrected, or `doubt`, a name that no source confirms but may be right
    file: str  # name of the table without its folder
    line: int  # line number, from 1
    field: str  # faulty column; empty for the whole line
    message: str  # what was found and what was expected
    advice: str  # what to do about it

    def __str__(self) -> str:
        place = ":".join(filter(None, (self.file, str(self.line), self.field)))
        return f"{place}: {self.message}; {self.advice}"


_NAME: Final = "NNP"
_SHARE_OF_PLURAL: Final = 0.1
"""A word whose plural is this frequent is also a noun: Christians, Romans, but hardly Millers."""


def names_as_nouns(concepts: Sequence[TableRow], tables: Mapping[str, Sequence[TableRow]]) -> list[Finding]:
    """Defects: English nouns that texts nearly always write as a name, listed as one with other Russian words."""
    named: dict[str, set[str]] = {}
    for row in (row for table in NAME_TABLES for row in tables.get(table, ())):
        for english, name in product(_variants(row, "en"), _variants(row, "ru")):
            if " " not in english and not english.isupper():
                named.setdefault(key_form(english), set()).add(key_form(name))
    found = []
    for row in concepts:
        russian = {key_form(word) for word in _variants(row, "ru")}
        for word in _variants(row, "en"):
            key = key_form(word)
            if key in named and not named[key] & russian and _is_written_as_name(key):
                message = f"{word!r} is the name {', '.join(sorted(named[key]))} in nearly all texts"
                advice = "give another English word, or remove the row"
                found.append(Finding("defect", row.file, row.line, "en", message, advice))
    return found


def _variants(row: TableRow, language: Language) -> list[str]:
    """Spellings of a cell; empty ones, which are another fault, are left out."""
    return list(filter(None, _split_variants(row, language)))


def _is_written_as_name(word: str) -> bool:
    if part_of_speech(word) is not None or not (part_of_speech(word.capitalize()) or "").startswith(_NAME):
        return False
    frequency = form_frequencies("en")
    return frequency(f"{word}s") < _SHARE_OF_PLURAL * frequency(word)


def broken_round_trips(
    rows: Sequence[TableRow], progress: Callable[[str, int, int | None], None] | None = None
) -> Iterator[Finding]:
    """Find rows of ``translations.tsv`` whose first words do not lead to each other in both directions."""
    directions = list(permutations(OUR_LANGUAGES, 2))
    for done, (source, target) in enumerate(directions, start=1):
        pairs = [(row, _first_word(row, source), _first_word(row, target)) for row in rows]
        single = [(row, one, other) for row, one, other in pairs if one and other]
        ones = as_terms([one for _, one, _ in single], source)
        others = as_terms([other for _, _, other in single], target)
        there = _look_up(ones, source, target)
        back = _look_up(others, target, source)
        for (row, one, other), term, equivalent in zip(single, ones, others, strict=True):
            if equivalent not in there[term] or term not in back[equivalent]:
                message = f"{one!r} does not lead to {other!r} ({target}) and back"
                advice = f"see: infostream-dedup dictionaries show {one} --from {source} --to {target}"
                yield Finding("defect", row.file, row.line, source, message, advice)
        if progress:
            progress("round trips", done, len(directions))


def _first_word(row: TableRow, language: Language) -> str:
    """Return the first word of a cell; empty if it is a phrase, which is not a term."""
    word = key_form(row.cells[language].partition("|")[0].strip())
    return "" if " " in word else word


def _look_up(terms: Sequence[str], source: Language, target: Language) -> dict[str, set[str]]:
    found = DictionaryRung().translate(terms, source, target)
    return {
        term: {one.term for one in allowed(term, answers, source, target, looked_up=True)}
        for term, answers in zip(terms, found, strict=True)
    }


_INVISIBLE: Final = frozenset("\u00a0\u00ad\u200b\u200c\u200d\u200e\u200f\ufeff")


def read_lines(path: Path) -> tuple[list[tuple[int, str]], list[Finding]]:
    """Read the non-blank lines that are not comments, with their numbers, and find faults of the text itself."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NoInputError(f"{path}: cannot read the dictionary: {error.strerror}") from None
    lines: list[tuple[int, str]] = []
    findings: list[Finding] = []
    for number, raw in enumerate(data.split(b"\n"), start=1):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"byte {error.start} of the line is not UTF-8"
            findings.append(Finding("defect", path.name, number, "", message, "save the file as UTF-8"))
            continue
        faults = []
        if "\r" in line:
            faults.append(("a carriage return", "end lines with only a line feed"))
        if not unicodedata.is_normalized("NFC", line):
            faults.append(("decomposed letters (not NFC)", "write each letter as one character"))
        if invisible := sorted(_INVISIBLE & set(line)):
            faults.append((f"the invisible character U+{ord(invisible[0]):04X}", "delete it"))
        for message, advice in faults:
            findings.append(Finding("defect", path.name, number, "", message, advice))
        if line.strip() and not line.startswith("#"):
            lines.append((number, line.strip("\r\n")))
    return lines, findings


def read_rows(path: Path, columns: Sequence[str]) -> tuple[list[TableRow], list[Finding]]:
    """Read the good rows of a table and find the faults of the others."""
    lines, findings = read_lines(path)
    expected = ", ".join(columns)
    number, header = lines[0] if lines else (1, "")
    if header.split("\t") != list(columns):
        message = f"the header is {header!r}; expected the columns {expected}"
        return [], [
            *findings,
            Finding("defect", path.name, number, "", message, "correct the header; separate columns by one tab"),
        ]
    rows = []
    for number, line in lines[1:]:
        cells = line.split("\t")
        if len(cells) != len(columns):
            message = f"{len(cells)} cells; expected {len(columns)}: {expected}"
            findings.append(Finding("defect", path.name, number, "", message, "put one tab between cells"))
            continue
        rows.append(TableRow(path.name, number, dict(zip(columns, cells, strict=True))))
        findings.extend(
            Finding("defect", path.name, number, column, f"{cell!r} has extra blanks", "keep one blank between words")
            for column, cell in rows[-1].cells.items()
            if any(part != " ".join(part.split()) for part in cell.split("|"))
        )
    return rows, findings


_PART: Final = re.compile(f"[^\\W\\d_]+(?:{APOSTROPHE}[^\\W\\d_]+)*")
_ALIKE: Final = 0.4  # maximum transcription cost at which another language's spelling confirms a name
_FITTING: Final = {"noun": frozenset(("NOUN",)), "adj": frozenset(("NOUN", "ADJF", "PRTF"))}


def parts(word: str) -> list[str]:
    """Return the runs of letters of a word or phrase, as key forms.

    >>> parts("Нью-Йорк таймс")
    ['нью', 'йорк', 'таймс']
    """
    return _PART.findall(key_form(word))


def is_known(part: str, language: Language) -> bool:
    """Return whether pymorphy3, wordfreq, names-translator or our list of new nouns contains the word."""
    if form_frequencies(language)(part) > 0:
        return True
    if language == "en":
        return form_frequencies("en")(_strip_diacritics(part)) > 0
    return (
        bool(_analyzer(language).word_is_known(part.replace(APOSTROPHE, "'")))
        or part in personal_names(language)
        or part in added_nouns(language)
    )


def is_confirmed(part: str, language: Language, others: list[tuple[str, Language]]) -> bool:
    """Return whether a word of another language is the same in other letters (Zelenskyy), or an international word."""
    key, roots = romanisation.latin_key(_strip_diacritics(part)), set(international_keys(part, language))
    if any(not roots.isdisjoint(international_keys(other, its)) for other, its in others):
        return True
    return any(
        romanisation.latin_key(_strip_diacritics(other)) == key or _measure_cost(part, language, other, its) <= _ALIKE
        for other, its in others
    )


def misfit(word: str, language: Language, part_of_speech: str) -> str:
    """Return why a word cannot be what its row says; empty if it can or if nothing is known about it."""
    spelling = word.replace(APOSTROPHE, "'")
    # No installed package knows English parts of speech, and many stop words are also nouns (well, back).
    if word in added_nouns(language) or language == "en" or not _analyzer(language).word_is_known(spelling):
        return ""
    tags = [parse.tag for parse in _analyzer(language).parse(spelling)]
    fitting = [tag for tag in tags if str(tag.POS) in _FITTING[part_of_speech]]
    if not fitting:
        expected = "a noun" if part_of_speech == "noun" else "an adjective"
        return f"is not {expected} ({', '.join(sorted({str(tag.POS) for tag in tags}))})"
    # Abbreviations have no case.
    return "is not a nominative" if all(tag.case not in (None, "nomn") for tag in fitting) else ""


def _measure_cost(one: str, language: Language, other: str, its: Language) -> float:
    if (language == "en") == (its == "en"):
        return float("inf")
    latin, cyrillic = (one, other) if language == "en" else (other, one)
    return romanisation.transcription_cost(romanisation.folded_latin(latin), romanisation.folded_cyrillic(cyrillic))


def _strip_diacritics(part: str) -> str:
    """Strip the diacritics of a Latin word, as most English texts do: Šefčovič becomes Sefcovic."""
    if not is_latin(part):
        return part
    decomposed = unicodedata.normalize("NFD", part.replace("ł", "l").replace("đ", "d").replace("ı", "i"))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@cache
def _analyzer(language: Language) -> Any:
    from pymorphy3 import MorphAnalyzer

    return MorphAnalyzer(lang=language)


_NAMES: Final = (*OUR_LANGUAGES, "kind")
_LISTED: Final = ("language", "word", "why")

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "translations.tsv": (*OUR_LANGUAGES, "pos", "source"),
    "false_friends.tsv": ("ru", "uk", "right_uk", "meaning"),
    "blocklist.tsv": _LISTED,
    **dict.fromkeys(("organisations.tsv", "places.tsv", "surnames.tsv", "first_names.tsv"), _NAMES),
    "nouns.tsv": _LISTED,
    "repairs.tsv": ("language", "word", "lemma", "why"),
    "excluded.tsv": _LISTED,
    "translated_names.tsv": _LISTED,
}
"""The tables and their columns."""

_STOP_LISTS: Final[dict[str, Language]] = {"stop_ru.txt": "ru", "stop_uk.txt": "uk", "stop_en.txt": "en"}

KINDS: Final[dict[str, frozenset[str]]] = {
    "organisations.tsv": frozenset(
        """armed-group army bank church firm international legal-form media ngo party science sport state""".split()
    ),
    "places.tsv": frozenset(
        """capital city continent country district island lake mountain region river sea village""".split()
    ),
    "surnames.tsv": frozenset("business culture media military politician religion science sport".split()),
    "first_names.tsv": frozenset(("female", "male")),
}
"""The kinds of names of each table."""

_PARTS_OF_SPEECH: Final = ("noun", "adj")
_RETYPE: Final = "retype it with the letters of one alphabet"
_LOOK: Final = "look it up and correct or remove it"
_Blocked = dict[Language, frozenset[str]]
_Check = Callable[[Sequence[TableRow]], Iterator[Finding]]


def files_of(folder: Path) -> list[Path]:
    """Return the existing tables and stop lists of a folder, in a fixed order."""
    return [path for path in (folder / name for name in (*COLUMNS, *_STOP_LISTS)) if path.is_file()]


def blocked_words(folder: Path) -> _Blocked:
    """Return the key forms of a folder's block-list by language; empty if the list is missing or malformed."""
    path = folder / "blocklist.tsv"
    rows = read_rows(path, _LISTED)[0] if path.is_file() else []
    return {
        language: frozenset(key_form(row.cells["word"]) for row in rows if row.cells["language"] == language)
        for language in OUR_LANGUAGES
    }


def check_tables(paths: Iterable[Path], blocked: _Blocked) -> Iterator[tuple[Path, list[TableRow], list[Finding]]]:
    """Check files in turn."""
    for path in paths:
        if path.name in _STOP_LISTS:
            rows: list[TableRow] = []
            findings = _check_stop_list(path, _STOP_LISTS[path.name])
        else:
            rows, findings = read_rows(path, COLUMNS[path.name])
            findings.extend(_choose_check(path.name, blocked)(rows))
        yield path, rows, sorted(findings, key=lambda one: (one.line, one.field, one.message))


def _choose_check(name: str, blocked: _Blocked) -> _Check:
    if name == "translations.tsv":
        return lambda rows: _check_concepts(rows, blocked)
    if name == "false_friends.tsv":
        return lambda rows: _check_false_friends(rows, blocked)
    if name in KINDS:
        return lambda rows: _check_names(rows, KINDS[name], blocked)
    return _check_listed


def _make_finding(row: TableRow, field: str, message: str, advice: str, level: Level = "defect") -> Finding:
    return Finding(level, row.file, row.line, field, message, advice)


def _split_variants(row: TableRow, field: str) -> list[str]:
    cell = row.cells[field]
    return [variant.strip() for variant in cell.split("|")] if cell else []


def _check_cell(row: TableRow, field: str, language: Language, blocked: _Blocked, *, latin: bool) -> Iterator[Finding]:
    """Find empty, repeated and blocked variants, and letters of another language."""
    seen: set[str] = set()
    for variant in _split_variants(row, field):
        key = key_form(variant)
        if not variant:
            yield _make_finding(row, field, f"{row.cells[field]!r} contains an empty variant", "remove the extra bar")
            continue
        # In the tables of names, case distinguishes an abbreviation from a word.
        same = variant if latin or field not in OUR_LANGUAGES else key
        if same in seen:
            yield _make_finding(row, field, f"{variant!r} is repeated in the cell", "keep one")
        seen.add(same)
        if stray := stray_letter(key if language == "uk" else variant, language, latin=latin):
            message = f"{variant!r} has {stray!r}, which {NAME_OF[language]} words do not have"
            yield _make_finding(row, field, message, "correct the word or move it to its column")
        elif mixed := mixed_part(variant):
            yield _make_finding(row, field, f"{mixed!r} mixes Latin and Cyrillic letters", _RETYPE)
        if not blocked[language].isdisjoint(parts(variant)):
            yield _make_finding(row, field, f"{variant!r} is on the block-list", "remove it: no answer may be a slur")


def _check_concepts(rows: Sequence[TableRow], blocked: _Blocked) -> Iterator[Finding]:
    lines: dict[tuple[str, ...], int] = {}
    for row in rows:
        for language in OUR_LANGUAGES:
            if not row.cells[language]:
                yield _make_finding(row, language, "empty", f"give the {NAME_OF[language]} word or remove the row")
            yield from _check_cell(row, language, language, blocked, latin=False)
        if row.cells["pos"] not in _PARTS_OF_SPEECH:
            message = f"{row.cells['pos']!r}; expected {' or '.join(_PARTS_OF_SPEECH)}"
            yield _make_finding(row, "pos", message, "write one of them")
            continue
        if not row.cells["source"]:
            yield _make_finding(row, "source", "empty", "write own, or the origin of the row")
        yield from _check_words(row)
        # A Russian word may have several concepts; with the same English word it is a single concept.
        concept = tuple(key_form(row.cells[language].partition("|")[0]) for language in ("ru", "en"))
        if concept in lines:
            message = f"{concept[0]!r} with {concept[1]!r} is also at the start of line {lines[concept]}"
            yield _make_finding(row, "ru", message, "join the two rows")
        lines.setdefault(concept, row.line)


def _check_words(row: TableRow) -> Iterator[Finding]:
    words = [
        (language, word)
        for language in OUR_LANGUAGES
        for word in _split_variants(row, language)
        if word and not stray_letter(key_form(word), language)
    ]
    every = [(part, language) for language, word in words for part in parts(word)]
    for language, word in words:
        others = [(part, its) for part, its in every if its != language]
        unknown = [
            part for part in parts(word) if not is_known(part, language) and not is_confirmed(part, language, others)
        ]
        if unknown:
            message = f"{unknown[0]!r} is known neither to the morphological dictionary nor to wordfreq"
            yield _make_finding(row, language, message, _LOOK)
        elif " " not in word and (why := misfit(key_form(word), language, row.cells["pos"])):
            advice = "write the nominative of a noun, or correct the column pos"
            yield _make_finding(row, language, f"{word!r} {why}", advice)


def _check_names(rows: Sequence[TableRow], kinds: frozenset[str], blocked: _Blocked) -> Iterator[Finding]:
    lines: dict[tuple[str, str, str], int] = {}
    for row in rows:
        organisation = row.file == "organisations.tsv"
        for language in OUR_LANGUAGES:
            yield from _check_cell(row, language, language, blocked, latin=organisation)
            for variant in _split_variants(row, language):
                # Two kinds may share a name: Шахтёр the club and Шахтёр the firm.
                key = (row.cells["kind"] if organisation else "", language, variant.casefold())
                if lines.setdefault(key, row.line) != row.line:
                    message = f"{variant!r} is also in line {lines[key]}"
                    yield _make_finding(row, language, message, "keep it in one row: a name has one translation")
        if not any(row.cells[language] for language in OUR_LANGUAGES):
            yield _make_finding(row, "ru", "no name in any language", "give one or remove the row")
        if row.cells["kind"] not in kinds:
            message = f"{row.cells['kind']!r}; expected one of {', '.join(sorted(kinds))}"
            yield _make_finding(row, "kind", message, "write one of them")
        if not organisation:
            yield from _check_name_words(row)


def _check_name_words(row: TableRow) -> Iterator[Finding]:
    """Doubt names confirmed neither by a source nor by the spelling in another language: many names are rare."""
    every = [(part, its) for its in OUR_LANGUAGES for word in _split_variants(row, its) for part in parts(word)]
    for part, language in every:
        others = [(other, its) for other, its in every if its != language]
        if not is_known(part, language) and not is_confirmed(part, language, others):
            message = f"{part!r} is not in any source, nor spelt like the name in another language"
            yield _make_finding(row, language, message, "look up its spelling", "doubt")


def _check_false_friends(rows: Sequence[TableRow], blocked: _Blocked) -> Iterator[Finding]:
    lines: dict[tuple[str, str], int] = {}
    fields: tuple[tuple[str, Language], ...] = (("ru", "ru"), ("uk", "uk"), ("right_uk", "uk"))
    for row in rows:
        for field, language in fields:
            if not row.cells[field]:
                yield _make_finding(row, field, "empty", f"give the {NAME_OF[language]} word")
            yield from _check_cell(row, field, language, blocked, latin=False)
            for part in (part for word in _split_variants(row, field) for part in parts(word)):
                if not is_known(part, language):
                    message = f"{part!r} is known neither to the morphological dictionary nor to wordfreq"
                    yield _make_finding(row, field, message, _LOOK)
        if not row.cells["meaning"]:
            yield _make_finding(row, "meaning", "empty", "give the meaning of the Ukrainian word")
        pair = (key_form(row.cells["ru"]), key_form(row.cells["uk"]))
        if pair in lines:
            yield _make_finding(row, "ru", f"the pair is also in line {lines[pair]}", "keep one of the rows")
        lines.setdefault(pair, row.line)


def _check_listed(rows: Sequence[TableRow]) -> Iterator[Finding]:
    """Check a table of single words with their language: nouns, repairs, excluded words, the block-list."""
    lines: dict[tuple[str, str], int] = {}
    for row in rows:
        language, word = row.cells["language"], key_form(row.cells["word"])
        if language not in OUR_LANGUAGES:
            message = f"{language!r}; expected one of {', '.join(OUR_LANGUAGES)}"
            yield _make_finding(row, "language", message, "write one of them")
            continue
        if not word:
            yield _make_finding(row, "word", "empty", "give the word or remove the row")
        if not row.cells["why"]:
            yield _make_finding(row, "why", "empty", "give the reason in a few words")
        if (language, word) in lines:
            message = f"{word!r} is also in line {lines[language, word]}"
            yield _make_finding(row, "word", message, "keep one")
        lines.setdefault((language, word), row.line)
        yield from _check_listed_word(row, language, word)


def _check_listed_word(row: TableRow, language: Language, word: str) -> Iterator[Finding]:
    if stray := stray_letter(word, language, latin=True):
        message = f"{word!r} has {stray!r}, which {NAME_OF[language]} words do not have"
        yield _make_finding(row, "word", message, "correct the word or its language")
    elif mixed := mixed_part(word):
        yield _make_finding(row, "word", f"{mixed!r} mixes Latin and Cyrillic letters", _RETYPE)
    elif row.file != "blocklist.tsv" and any(not is_known(part, language) for part in parts(word)):
        # A doubt only: words are listed here because a dictionary lacks them.
        yield _make_finding(row, "word", f"{word!r} is not in any source", "look up its spelling", "doubt")
    lemma = key_form(row.cells.get("lemma", ""))
    if not lemma:
        return
    if any(not is_known(part, language) for part in parts(lemma)):
        yield _make_finding(row, "lemma", f"{lemma!r} is not in any source", _LOOK)
    elif (why := misfit(lemma, language, "adj")) and "-" not in lemma:
        yield _make_finding(row, "lemma", f"{lemma!r} {why}", "give the nominative of a noun")


def _check_stop_list(path: Path, language: Language) -> list[Finding]:
    lines, findings = read_lines(path)
    seen: dict[str, int] = {}
    for number, line in lines:
        word = line.partition("#")[0].strip()
        if not word:
            continue
        if word != key_form(word):
            advice = f"write {key_form(word)!r}"
            findings.append(Finding("defect", path.name, number, "word", f"{word!r} is not a key form", advice))
        if stray := stray_letter(word, language):
            message = f"{word!r} has {stray!r}, which {NAME_OF[language]} words do not have"
            findings.append(Finding("defect", path.name, number, "word", message, "correct the word"))
        if word in seen:
            message = f"{word!r} is also in line {seen[word]}"
            findings.append(Finding("defect", path.name, number, "word", message, "keep one"))
        seen.setdefault(word, number)
    return findings


def contradictions(concepts: Sequence[TableRow], friends: Sequence[TableRow]) -> list[Finding]:
    """Find pairs in ``translations.tsv`` that ``false_friends.tsv`` declares wrong."""
    lines: dict[tuple[str, str], int] = {}
    for row in concepts:
        for pair in product(map(key_form, _split_variants(row, "ru")), map(key_form, _split_variants(row, "uk"))):
            lines.setdefault(pair, row.line)
    findings = []
    for row in friends:
        ru, uk = key_form(row.cells["ru"]), key_form(row.cells["uk"])
        right = set(map(key_form, _split_variants(row, "right_uk")))
        if uk not in right and (ru, uk) in lines:
            message = f"{ru} - {uk} is declared wrong here, but translations.tsv:{lines[ru, uk]} gives it"
            advice = f"remove {uk!r} from that row, or add it to right_uk if it is right in some sense"
            findings.append(_make_finding(row, "uk", message, advice))
    return findings


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of a check."""

    folder: Path  # folder checked
    files: int  # number of files read
    rows: int  # number of table rows read
    findings: tuple[Finding, ...]  # defects and doubts, by file and line
    # whether round trips were tried, which happens only in the folder that the engine uses, and only if no defect
    # prevents its tables from being loaded
    round_trips: bool

    @property
    def defects(self) -> tuple[Finding, ...]:
        """Findings that must be corrected."""
        return tuple(one for one in self.findings if one.level == "defect")


def check(folder: Path | None = None, progress: Callable[[str, int, int | None], None] | None = None) -> Checked:
    """Check the dictionaries.

    Rows must have their columns, and words the letters of their language; words of ``translations.tsv`` must be
    nominatives of nouns known to pymorphy3 or wordfreq; nothing may be repeated; no equivalent may be on the
    block-list; ``false_friends.tsv`` must not contradict another table; no English noun may be a word that is a
    name in nearly all texts; the first words of a row must lead to each other in both directions.
    """
    own = dictionaries_folder()
    where = own if folder is None else folder
    paths = files_of(where)
    if not paths:
        raise NoInputError(f"{where}: no dictionary in it; expected translations.tsv and others, as in {own.name}/")
    findings: list[Finding] = []
    rows: dict[str, list[TableRow]] = {}
    for done, (path, good, found) in enumerate(check_tables(paths, blocked_words(where)), start=1):
        rows[path.name] = good
        findings.extend(found)
        if progress:
            progress("tables", done, len(paths))
    concepts = rows.get("translations.tsv", [])
    findings.extend(contradictions(concepts, rows.get("false_friends.tsv", [])))
    findings.extend(names_as_nouns(concepts, rows))
    is_own = where.resolve() == own.resolve() and not any(one.level == "defect" for one in findings)
    if is_own:
        findings.extend(broken_round_trips(concepts, progress))
    return Checked(where, len(paths), sum(map(len, rows.values())), tuple(findings), is_own)
