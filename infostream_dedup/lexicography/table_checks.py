"""What every row of a table in ``dictionaries/`` must be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from infostream_dedup.lexicography.findings import Finding, Level
from infostream_dedup.lexicography.letters import NAME_OF, mixed_part, stray_letter
from infostream_dedup.lexicography.table_lines import read_lines, read_rows
from infostream_dedup.lexicography.word_knowledge import is_confirmed, is_known, misfit, parts
from infostream_dedup.lexicon.spelling import key_form
from infostream_dedup.lexicon.tables import Row
from infostream_dedup.model import LANGUAGES, Language

__all__ = ["COLUMNS", "KINDS", "blocked_words", "check_tables", "contradictions", "files_of"]

_NAMES: Final = (*LANGUAGES, "kind")
_LISTED: Final = ("language", "word", "why")

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "translations.tsv": (*LANGUAGES, "pos", "source"),
    "false_friends.tsv": ("ru", "uk", "right_uk", "meaning"),
    "blocklist.tsv": _LISTED,
    "organisations.tsv": _NAMES,
    "places.tsv": _NAMES,
    "surnames.tsv": _NAMES,
    "first_names.tsv": _NAMES,
    "nouns.tsv": _LISTED,
    "repairs.tsv": ("language", "word", "lemma", "why"),
    "excluded.tsv": _LISTED,
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
_RETYPE: Final = "type it anew with the letters of one alphabet"
_LOOK: Final = "look it up and mend it, or take it out"
_Blocked = dict[Language, frozenset[str]]
_Check = Callable[[Sequence[Row]], Iterator[Finding]]


def files_of(folder: Path) -> list[Path]:
    """The tables and stop lists of a folder that are there, in a fixed order."""
    return [path for path in (folder / name for name in (*COLUMNS, *_STOP_LISTS)) if path.is_file()]


def blocked_words(folder: Path) -> _Blocked:
    """Key forms of the block-list of a folder by language; none where it is missing or broken."""
    path = folder / "blocklist.tsv"
    rows = read_rows(path, _LISTED)[0] if path.is_file() else []
    return {
        language: frozenset(key_form(row.cells["word"]) for row in rows if row.cells["language"] == language)
        for language in LANGUAGES
    }


def check_tables(paths: Iterable[Path], blocked: _Blocked) -> Iterator[tuple[Path, list[Row], list[Finding]]]:
    """Check files one by one.

    Args:
        paths: files of :func:`files_of`.
        blocked: words that must stand nowhere but in the block-list.

    Yields:
        The file, its good rows (none of a stop list) and what was found in it, by line.
    """
    for path in paths:
        if path.name in _STOP_LISTS:
            rows: list[Row] = []
            findings = _check_stop_list(path, _STOP_LISTS[path.name])
        else:
            rows, findings = read_rows(path, COLUMNS[path.name])
            findings.extend(_check_of(path.name, blocked)(rows))
        yield path, rows, sorted(findings, key=lambda one: (one.line, one.field, one.message))


def _check_of(name: str, blocked: _Blocked) -> _Check:
    if name == "translations.tsv":
        return lambda rows: _check_concepts(rows, blocked)
    if name == "false_friends.tsv":
        return lambda rows: _check_false_friends(rows, blocked)
    if name in KINDS:
        return lambda rows: _check_names(rows, KINDS[name], blocked)
    return _check_listed


def _finding(row: Row, field: str, message: str, advice: str, level: Level = "defect") -> Finding:
    return Finding(level, row.file, row.line, field, message, advice)


def _variants(row: Row, field: str) -> list[str]:
    cell = row.cells[field]
    return [variant.strip() for variant in cell.split("|")] if cell else []


def _check_cell(row: Row, field: str, language: Language, blocked: _Blocked, *, latin: bool) -> Iterator[Finding]:
    """Empty, repeated, blocked variants and letters of another language."""
    seen: set[str] = set()
    for variant in _variants(row, field):
        key = key_form(variant)
        if not variant:
            yield _finding(row, field, f"{row.cells[field]!r} contains an empty variant", "take out the extra bar")
            continue
        # Case tells an abbreviation from a word in the tables of names.
        same = variant if latin or field not in LANGUAGES else key
        if same in seen:
            yield _finding(row, field, f"{variant!r} stands twice in the cell", "leave it once")
        seen.add(same)
        if stray := stray_letter(key if language == "uk" else variant, language, latin=latin):
            message = f"{variant!r} has {stray!r}, which {NAME_OF[language]} words do not have"
            yield _finding(row, field, message, "mend the word or move it to its column")
        elif mixed := mixed_part(variant):
            yield _finding(row, field, f"{mixed!r} mixes Latin and Cyrillic letters", _RETYPE)
        if not blocked[language].isdisjoint(parts(variant)):
            yield _finding(row, field, f"{variant!r} is on the block-list", "take it out: no answer may be a slur")


def _check_concepts(rows: Sequence[Row], blocked: _Blocked) -> Iterator[Finding]:
    lines: dict[tuple[str, ...], int] = {}
    for row in rows:
        for language in LANGUAGES:
            if not row.cells[language]:
                yield _finding(row, language, "empty", f"give the {NAME_OF[language]} word or take the row out")
            yield from _check_cell(row, language, language, blocked, latin=False)
        if row.cells["pos"] not in _PARTS_OF_SPEECH:
            message = f"{row.cells['pos']!r}; expected {' or '.join(_PARTS_OF_SPEECH)}"
            yield _finding(row, "pos", message, "write one of them")
            continue
        if not row.cells["source"]:
            yield _finding(row, "source", "empty", "write own, or where the row is from")
        yield from _check_words(row)
        # A Russian word may have several concepts; with one and the same English word it is one.
        concept = tuple(key_form(row.cells[language].partition("|")[0]) for language in ("ru", "en"))
        if concept in lines:
            message = f"{concept[0]!r} with {concept[1]!r} begins line {lines[concept]} too"
            yield _finding(row, "ru", message, "join the two rows")
        lines.setdefault(concept, row.line)


def _check_words(row: Row) -> Iterator[Finding]:
    """Words that nothing knows or that are no nouns."""
    words = [
        (language, word)
        for language in LANGUAGES
        for word in _variants(row, language)
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
            yield _finding(row, language, message, _LOOK)
        elif " " not in word and (why := misfit(key_form(word), language, row.cells["pos"])):
            advice = "write the nominative of a noun, or mend the column pos"
            yield _finding(row, language, f"{word!r} {why}", advice)


def _check_names(rows: Sequence[Row], kinds: frozenset[str], blocked: _Blocked) -> Iterator[Finding]:
    lines: dict[tuple[str, str, str], int] = {}
    for row in rows:
        organisation = row.file == "organisations.tsv"
        for language in LANGUAGES:
            yield from _check_cell(row, language, language, blocked, latin=organisation)
            for variant in _variants(row, language):
                # Two kinds may share a name: Шахтёр the club and Шахтёр the firm.
                key = (row.cells["kind"] if organisation else "", language, variant.casefold())
                if lines.setdefault(key, row.line) != row.line:
                    message = f"{variant!r} stands in line {lines[key]} too"
                    yield _finding(row, language, message, "leave it in one row: a name has one translation")
        if not any(row.cells[language] for language in LANGUAGES):
            yield _finding(row, "ru", "no name in any language", "give one or take the row out")
        if row.cells["kind"] not in kinds:
            message = f"{row.cells['kind']!r}; expected one of {', '.join(sorted(kinds))}"
            yield _finding(row, "kind", message, "write one of them")
        if not organisation:
            yield from _check_name_words(row)


def _check_name_words(row: Row) -> Iterator[Finding]:
    """Names that neither a source nor the spelling in another language confirms: a doubt only, for many are rare."""
    every = [(part, its) for its in LANGUAGES for word in _variants(row, its) for part in parts(word)]
    for part, language in every:
        others = [(other, its) for other, its in every if its != language]
        if not is_known(part, language) and not is_confirmed(part, language, others):
            message = f"{part!r} is in no source, nor spelt like the name in another language"
            yield _finding(row, language, message, "look up its spelling", "doubt")


def _check_false_friends(rows: Sequence[Row], blocked: _Blocked) -> Iterator[Finding]:
    lines: dict[tuple[str, str], int] = {}
    fields: tuple[tuple[str, Language], ...] = (("ru", "ru"), ("uk", "uk"), ("right_uk", "uk"))
    for row in rows:
        for field, language in fields:
            if not row.cells[field]:
                yield _finding(row, field, "empty", f"give the {NAME_OF[language]} word")
            yield from _check_cell(row, field, language, blocked, latin=False)
            for part in (part for word in _variants(row, field) for part in parts(word)):
                if not is_known(part, language):
                    message = f"{part!r} is known neither to the morphological dictionary nor to wordfreq"
                    yield _finding(row, field, message, _LOOK)
        if not row.cells["meaning"]:
            yield _finding(row, "meaning", "empty", "say what the Ukrainian word means")
        pair = (key_form(row.cells["ru"]), key_form(row.cells["uk"]))
        if pair in lines:
            yield _finding(row, "ru", f"the pair stands in line {lines[pair]} too", "leave one of the rows")
        lines.setdefault(pair, row.line)


def _check_listed(rows: Sequence[Row]) -> Iterator[Finding]:
    """Tables of single words with their language: nouns, repairs, excluded words, the block-list."""
    lines: dict[tuple[str, str], int] = {}
    for row in rows:
        language, word = row.cells["language"], key_form(row.cells["word"])
        if language not in LANGUAGES:
            message = f"{language!r}; expected one of {', '.join(LANGUAGES)}"
            yield _finding(row, "language", message, "write one of them")
            continue
        if not word:
            yield _finding(row, "word", "empty", "give the word or take the row out")
        if not row.cells["why"]:
            yield _finding(row, "why", "empty", "give the reason in a few words")
        if (language, word) in lines:
            message = f"{word!r} stands in line {lines[language, word]} too"
            yield _finding(row, "word", message, "leave it once")
        lines.setdefault((language, word), row.line)
        yield from _check_listed_word(row, language, word)


def _check_listed_word(row: Row, language: Language, word: str) -> Iterator[Finding]:
    if stray := stray_letter(word, language, latin=True):
        message = f"{word!r} has {stray!r}, which {NAME_OF[language]} words do not have"
        yield _finding(row, "word", message, "mend the word or its language")
    elif mixed := mixed_part(word):
        yield _finding(row, "word", f"{mixed!r} mixes Latin and Cyrillic letters", _RETYPE)
    elif row.file != "blocklist.tsv" and any(not is_known(part, language) for part in parts(word)):
        # Words are listed because a dictionary lacks them.
        yield _finding(row, "word", f"{word!r} is in no source", "look up its spelling", "doubt")
    lemma = key_form(row.cells.get("lemma", ""))
    if not lemma:
        return
    if any(not is_known(part, language) for part in parts(lemma)):
        yield _finding(row, "lemma", f"{lemma!r} is in no source", _LOOK)
    elif (why := misfit(lemma, language, "adj")) and "-" not in lemma:
        yield _finding(row, "lemma", f"{lemma!r} {why}", "give the nominative of a noun")


def _check_stop_list(path: Path, language: Language) -> list[Finding]:
    lines, findings = read_lines(path)
    seen: dict[str, int] = {}
    for number, line in lines:
        word = line.partition("#")[0].strip()
        if not word:
            continue
        if word != key_form(word):
            advice = f"write {key_form(word)!r}"
            findings.append(Finding("defect", path.name, number, "word", f"{word!r} is no key form", advice))
        if stray := stray_letter(word, language):
            message = f"{word!r} has {stray!r}, which {NAME_OF[language]} words do not have"
            findings.append(Finding("defect", path.name, number, "word", message, "mend the word"))
        if word in seen:
            message = f"{word!r} stands in line {seen[word]} too"
            findings.append(Finding("defect", path.name, number, "word", message, "leave it once"))
        seen.setdefault(word, number)
    return findings


def contradictions(concepts: Sequence[Row], friends: Sequence[Row]) -> list[Finding]:
    """Pairs that ``translations.tsv`` gives and ``false_friends.tsv`` says are wrong.

    Args:
        concepts: rows of the one.
        friends: rows of the other.
    """
    lines: dict[tuple[str, str], int] = {}
    for row in concepts:
        for pair in product(map(key_form, _variants(row, "ru")), map(key_form, _variants(row, "uk"))):
            lines.setdefault(pair, row.line)
    findings = []
    for row in friends:
        ru, uk = key_form(row.cells["ru"]), key_form(row.cells["uk"])
        right = set(map(key_form, _variants(row, "right_uk")))
        if uk not in right and (ru, uk) in lines:
            message = f"{ru} - {uk} is said to be wrong, and translations.tsv:{lines[ru, uk]} gives it"
            advice = f"take {uk!r} out of that row, or add it to right_uk if it is right in some sense"
            findings.append(_finding(row, "uk", message, advice))
    return findings
