"""Find the words of two documents that match in the pivot language, and the rung that translated them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final

from infostream_dedup.language.translation.written_names import plain_term
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.terms.equivalents import Equivalents, SourceTerms
from infostream_dedup.terms.pivot_space import PivotSpace

SAME: Final = "same"
"""The rung of words that needed no translation."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two words that match.

    Attributes:
        a: term of one document in its language.
        b: term of the other document in its language.
        pivot: the equivalent they share.
        rung: the rung that translated the word that is not in the pivot language; both rungs, with a plus sign, if
            neither word is and they differ; ``same`` for one word of one language.
    """

    a: str
    b: str
    pivot: str
    rung: str

    def as_dict(self) -> dict[str, str]:
        """Plain values."""
        return {"a": self.a, "b": self.b, "pivot": self.pivot, "rung": self.rung}

    def __str__(self) -> str:
        """``голова=глава (dictionary)``, or ``head=глава=голова (dictionary)``; equal words appear once."""
        words = "=".join(dict.fromkeys((self.a, self.pivot, self.b)))
        return words if self.rung == SAME else f"{words} ({self.rung})"


@dataclass(frozen=True, slots=True)
class _Answer:
    """One equivalent of a source term, with its rank among the equivalents."""

    source: int
    place: int


def meetings(space: PivotSpace, a: int, b: int, columns: Iterable[int], weights: Iterable[int]) -> list[Meeting]:
    """Return the words of the columns in which two documents match, heaviest first, without repetitions.

    Among several pairs of words that share an equivalent, the one with the highest confidence is named, and the word
    that the key term represents is preferred to a synonym.
    """
    of_a, of_b = (_answers(space.sources, space.equivalents, document) for document in (a, b))
    total: dict[Meeting, int] = {}
    for column, weight in zip(columns, weights, strict=True):
        found = _meeting(space, of_a, of_b, column)
        total[found] = total.get(found, 0) + weight
    return sorted(total, key=lambda one: (-total[one], one.pivot, one.a, one.b))


def translations(sources: SourceTerms, equivalents: Equivalents, pivot: Language, *, least: float) -> list[Meeting]:
    """Return the words of two documents that match, whether or not they are key terms.

    Every word is named with the word of the other document that it matches with the highest confidence.
    """
    of_a, of_b = (_answers(sources, equivalents, document) for document in range(2))
    best: dict[tuple[int, int], tuple[float, int, _Answer, _Answer]] = {}
    for term in sorted(of_a.keys() & of_b.keys()):
        for one, other in product(of_a[term], of_b[term]):
            confidence = float(equivalents.confidences[one.place] * equivalents.confidences[other.place])
            for side in enumerate((one.source, other.source)):
                if confidence >= least and (side not in best or confidence > best[side][0]):
                    best[side] = confidence, term, one, other
    found = (_named(sources, equivalents, pivot, term, one, other) for _, term, one, other in best.values())
    return list(dict.fromkeys(found))


def _answers(sources: SourceTerms, equivalents: Equivalents, document: int) -> dict[int, list[_Answer]]:
    """Return the pivot terms of a document, each with the source terms to which it is equivalent."""
    counts = sources.counts
    found: dict[int, list[_Answer]] = {}
    for source in counts.indices[counts.indptr[document] : counts.indptr[document + 1]].tolist():
        for place in range(int(equivalents.indptr[source]), int(equivalents.indptr[source + 1])):
            found.setdefault(int(equivalents.terms[place]), []).append(_Answer(source, place))
    return found


def _meeting(space: PivotSpace, of_a: dict[int, list[_Answer]], of_b: dict[int, list[_Answer]], column: int) -> Meeting:
    sets, canonical = space.sets, space.equivalents.canonical
    own = int(space.canonical[column])
    candidates = [
        (term, one, other)
        for term in sets.indices[sets.indptr[column] : sets.indptr[column + 1]].tolist()
        for one in of_a.get(term, ())
        for other in of_b.get(term, ())
    ]
    confidences = space.equivalents.confidences

    def rank(candidate: tuple[int, _Answer, _Answer]) -> tuple[bool, float, bool, int, int, int]:
        term, one, other = candidate
        stands_for = own in (canonical[one.source], canonical[other.source])
        confidence = float(confidences[one.place] * confidences[other.place])
        return not stands_for, -confidence, term != own, term, one.source, other.source

    term, one, other = min(candidates, key=rank)
    return _named(space.sources, space.equivalents, space.language, term, one, other)


def _named(
    sources: SourceTerms, equivalents: Equivalents, pivot: Language, term: int, one: _Answer, other: _Answer
) -> Meeting:
    a, b = (plain_term(sources.terms[answer.source]) for answer in (one, other))
    return Meeting(a, b, equivalents.vocabulary[term], _rung(sources, equivalents, pivot, one, other))


def _rung(sources: SourceTerms, equivalents: Equivalents, pivot: Language, one: _Answer, other: _Answer) -> str:
    if one.source == other.source:
        return SAME
    own = LANGUAGES.index(pivot)
    translated = [answer for answer in (one, other) if sources.languages[answer.source] != own]
    return "+".join(dict.fromkeys(equivalents.rungs[answer.place] for answer in translated)) or SAME
