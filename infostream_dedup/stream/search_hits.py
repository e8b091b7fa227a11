"""The hits of a search, and what was searched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from infostream_dedup.model import Language
from infostream_dedup.model.tabular import Tabular


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A document that resembles the text.

    Attributes:
        ordinal: its place in the stream, from 0.
        id: id of the document.
        title: its headline.
        source: who published it; ``None`` if the store does not say.
        published: publication time, ISO 8601 in UTC; ``None`` if it has no date.
        url: its address; ``None`` if the store has none.
        language: its language.
        group: id of its group.
        forward: number of the text's key terms found in it, or of their equivalents if it is in another language.
        backward: number of its key terms found in the text.
        share_forward: share, by weight, of the text's key terms found in it, 0 to 1.
        share_backward: share, by weight, of its key terms found in the text, 0 to 1.
        relation: relation of the text to it at ``k_duplicate``: ``equal``, ``contained`` (it contains the text),
        ``contains``, or ``None``.
        kind: kind of the hit. In a store of preset ``judged``, for a hit in the text's language, as in ``pairs``:
            ``copy``, ``retold``, ``contained`` (it includes the text), ``contains``, ``template``, ``updated``,
            ``follow-up``, ``related``; a text without source and date is never ``template`` or ``updated``. In other
            stores, ``copy`` for an equal text. ``translation`` for a hit in another language if 0.4 of the weight and
            three terms match in both directions. Otherwise ``None``.
        probability: probability that the two are copies or report the same event, 0 to 1, rounded to 6 decimals;
        ``None`` if evidence did not compare them.
        terms: its terms that match in either direction, heaviest first.
        met: the text's key terms that were found: ``word`` in the text and ``their_word`` in the document.
        judged: whether the store has preset ``judged``.
    """

    ordinal: int
    id: str
    title: str
    source: str | None
    published: str | None
    url: str | None
    language: Language
    group: str
    forward: int
    backward: int
    share_forward: float
    share_backward: float
    relation: str | None
    kind: str | None
    probability: float | None
    terms: list[str]
    met: list[dict[str, str]]
    judged: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the row of ``search``; without ``probability`` if evidence does not decide."""
        return {name: getattr(self, name) for name in _columns(judged=self.judged)}


def _columns(*, judged: bool) -> tuple[str, ...]:
    left_out = ("judged",) if judged else ("judged", "probability")
    return tuple(name for name in Hit.__slots__ if name not in left_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """The documents that a search covered.

    Attributes:
        documents: number of documents that could have been found.
        languages: number of these documents per language.
        first: arrival of the first by the stream's clock, ISO 8601; ``None`` if no document has a date.
        last: arrival of the last.
        notes: what could not be searched for, and why.
    """

    documents: int
    languages: dict[str, int]
    first: str | None
    last: str | None
    notes: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        """Describe it in one line."""
        if not self.documents:
            return "searched nothing: no document of the store matches the selection"
        spoken = ", ".join(f"{language} {documents}" for language, documents in self.languages.items())
        summary = f"searched {self.documents} documents ({spoken})"
        if self.first is not None:
            summary += f" that arrived from {self.first} to {self.last}"
        return "; ".join([summary, *self.notes])


class SearchHits(Tabular, list[Hit]):
    """Hits of a search, the most similar first.

    Attributes:
        searched: documents that the search covered.
        columns: names of the columns of each row, in order.
    """

    def __init__(self, hits: list[Hit], searched: Searched, *, judged: bool) -> None:
        super().__init__(hits)
        self.searched = searched
        self.columns = _columns(judged=judged)

    def as_rows(self) -> list[dict[str, Any]]:
        """The hits, as plain dicts."""
        return [hit.as_dict() for hit in self]
