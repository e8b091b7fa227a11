"""Checks that a word of our table leads to its equivalents through the dictionary, and they lead back to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations

from infostream_dedup.lab.lexicography.findings import Finding
from infostream_dedup.language.lexicon.spelling import key_form
from infostream_dedup.language.lexicon.tables import TableRow
from infostream_dedup.language.translation.refusals import allowed
from infostream_dedup.language.translation.rungs.dictionary import DictionaryRung
from infostream_dedup.language.translation.word_pairs import as_terms
from infostream_dedup.model import OUR_LANGUAGES, Language

__all__ = ["broken_round_trips"]


def broken_round_trips(
    rows: Sequence[TableRow], progress: Callable[[str, int, int | None], None] | None = None
) -> Iterator[Finding]:
    """Find rows of ``translations.tsv`` whose first words do not lead to each other in both directions.

    Args:
        rows: rows of the table that the engine uses.
        progress: called after each direction.

    Yields:
        A defect for each such row and direction.

    Raises:
        BadDataError: a table is malformed.
    """
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
