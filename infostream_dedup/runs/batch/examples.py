"""Example pairs at each k, for an expert to judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.runs.batch.linking import LinkedPairs, pair_table, what_met

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from infostream_dedup.links import SimilarityMatrix
    from infostream_dedup.model import Settings
    from infostream_dedup.runs.batch.collection import Weighable
    from infostream_dedup.terms.key_terms import KeyTerms
    from infostream_dedup.terms.matched_words import Meeting


_EXAMPLES: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A pair whose stronger direction has exactly k terms."""

    representation: str  # `stem`, `morph` or `pivot`
    k: int  # key terms shared in the stronger direction
    a: str  # id of the earlier document
    b: str  # id of the later document
    title_a: str  # title of a
    title_b: str  # title of b
    language_a: str  # language of a
    language_b: str  # language of b
    forward: int  # key terms of a found in b
    backward: int  # key terms of b found in a
    terms: list[str]  # the shared terms, heaviest first
    source_a: str | None = None  # source of a
    source_b: str | None = None  # source of b
    published_a: str | int | float | None = None  # date of a, as given
    published_b: str | int | float | None = None  # date of b, as given
    url_a: str | None = None  # address of a
    url_b: str | None = None  # address of b
    out_of: int = 0  # number of pairs at this k from which the examples were drawn
    # in a pivot language, the words that became the terms, heaviest first; otherwise `None`
    met: list[Meeting] | None = None


def pick_examples(
    collection: Weighable,
    key_terms: KeyTerms,
    matrix: SimilarityMatrix,
    settings: Settings,
    ks: Sequence[int] | None = None,
    *,
    across: SimilarityMatrix | None = None,
) -> list[Example]:
    """Up to ten pairs at each k, spread evenly over the collection."""
    found: list[Example] = []
    source = across if across is not None and across.counts.nnz else matrix
    chosen, tallies = spread_pairs(LinkedPairs(source.counts), settings.n)
    for k in range(matrix.k_min, settings.n + 1) if ks is None else ks:
        a, b = chosen.get(k, np.zeros((2, 0), dtype=np.int64))
        pairs = pair_table(key_terms, a, b)
        for pair in range(len(pairs)):
            i, j = int(pairs.a[pair]), int(pairs.b[pair])
            terms, met = what_met(pairs, pair, key_terms)
            first, second = collection.documents[i], collection.documents[j]
            found.append(
                Example(
                    representation=settings.representation,
                    k=k,
                    a=first.id,
                    b=second.id,
                    title_a=first.title,
                    title_b=second.title,
                    language_a=collection.languages[i],
                    language_b=collection.languages[j],
                    forward=int(pairs.forward[pair]),
                    backward=int(pairs.backward[pair]),
                    terms=terms,
                    source_a=first.source,
                    source_b=second.source,
                    published_a=first.published,
                    published_b=second.published,
                    url_a=first.url,
                    url_b=second.url,
                    out_of=int(tallies[k]),
                    met=met,
                )
            )
    return found


def spread_pairs(pairs: LinkedPairs, n: int) -> tuple[dict[int, NDArray[np.int64]], NDArray[np.int64]]:
    """Up to ten pairs at each count of the stronger direction, evenly spread."""
    tallies = np.zeros((len(pairs.blocks) + 1, n + 1), dtype=np.int64)
    for number, block in enumerate(pairs.blocks, start=1):
        _, _, forward, backward = pairs.of(block)
        tallies[number] = np.bincount(np.maximum(forward, backward), minlength=n + 1)
    before = np.cumsum(tallies, axis=0)
    # Up to ten positions, evenly spread.
    ends = ((k, int(before[-1, k])) for k in range(1, n + 1))
    places = {k: np.unique(np.linspace(0, end - 1, min(end, _EXAMPLES)).astype(np.int64)) for k, end in ends}
    found: dict[int, list[NDArray[np.int64]]] = {}
    for number, block in enumerate(pairs.blocks):
        here = {k: _within(places[k], *before[number : number + 2, k]) for k in places}
        if any(len(wanted) for wanted in here.values()):
            a, b, forward, backward = pairs.of(block)
            for k, wanted in here.items():
                at = np.flatnonzero(np.maximum(forward, backward) == k)[wanted]
                found.setdefault(k, []).append(np.stack((a[at], b[at])))
    return {k: np.concatenate(parts, axis=1) for k, parts in found.items()}, before[-1]


def _within(places: NDArray[np.int64], first: int, last: int) -> NDArray[np.int64]:
    """Return the positions from ``first`` to ``last`` - 1, relative to ``first``."""
    return places[(places >= first) & (places < last)] - first
