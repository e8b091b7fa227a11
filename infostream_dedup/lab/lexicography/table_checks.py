"""Rules for every row of the tables in ``dictionaries/``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from infostream_dedup.lab.lexicography.findings import Finding, Level
from infostream_dedup.lab.lexicography.letters import NAME_OF, mixed_part, stray_letter
from infostream_dedup.lab.lexicography.table_lines import read_lines, read_rows
from infostream_dedup.lab.lexicography.word_knowledge import is_confirmed, is_known, misfit, parts
from infostream_dedup.language.lexicon.spelling import key_form
from infostream_dedup.language.lexicon.tables import TableRow
from infostream_dedup.model import OUR_LANGUAGES, Language

__all__ = ["COLUMNS", "KINDS", "blocked_words", "check_tables", "contradictions", "files_of"]

_NAMES: Final = (*OUR_LANGUAGES, "kind")
_LISTED: Final = ("language", "word", "why")

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "translations.tsv": (*OUR_LANGUAGES, "pos", "source"),
    "false_friends.tsv": ("ru", "uk", "right_uk", "meaning"),
    "blocklist.tsv": _LISTED,
    "organisations.tsv": _NAMES,
    "places.tsv": _NAMES,
    "surnames.tsv": _NAMES,
    "first_names.tsv": _NAMES,
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
    """Check files in turn.

    Args:
        paths: result of :func:`files_of`.
        blocked: words that must not occur outside the block-list.

    Yields:
        The file, its good rows (empty for a stop list) and the findings in it, by line.
    """
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
    """Find words that no source knows or that are not nouns."""
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
    """Find names confirmed neither by a source nor by the spelling in another language.

    They are only doubts, because many names are rare.
    """
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
    """Find pairs in ``translations.tsv`` that ``false_friends.tsv`` declares wrong.

    Args:
        concepts: rows of ``translations.tsv``.
        friends: rows of ``false_friends.tsv``.
    """
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
