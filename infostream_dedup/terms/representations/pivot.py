"""Terms of one pivot language, into which the terms of the other languages are translated (Lande, section 3).

The terms of ``morph`` are translated; English terms are lemmas of nouns instead of stems.

Every source term has one canonical pivot term, its best equivalent, which carries document frequency and weight;
further equivalents count only in matching. The key terms of a document are the n heaviest of its canonical terms, and
are looked up among all equivalents of all terms of another document. A term without an equivalent adds to the length
of its document but is not a key term.

A key term of a document matches another document if any of its equivalents is among the equivalents of the other
document's terms; it counts once. Matching need not know about equivalents, because its columns are not terms but
distinct sets of equivalents, each with its canonical term: a document asks with its own columns, and answers to every
column that contains one of its equivalents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import scipy.sparse as sp

from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language, Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.equivalents import (
    NO_EQUIVALENT,
    Equivalents,
    SourceTerms,
    Translate,
    equivalents_of,
    source_terms,
    translate_by_ladder,
)
from infostream_dedup.terms.key_terms import KeyTerms, Select, StatisticsOfTerms
from infostream_dedup.terms.pivot_space import PivotSpace
from infostream_dedup.terms.plain import select_key_terms
from infostream_dedup.terms.representation import Representation, representation, term_frequencies
from infostream_dedup.terms.statistics import Statistics, Totals, filled_up
from infostream_dedup.text.tokens import Form

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["REPRESENTATION", "pivot_key_terms"]

_ROWS_AT_ONCE: Final = 8192


class _Pivot(Representation):
    name = "pivot"
    colour = "#2e8b57"
    marker = "D"
    cached = True

    def terms(self, forms: Sequence[Form], language: Language, settings: Settings) -> list[str | None]:
        if language != "en":
            return representation("morph").terms(forms, language, settings)
        from infostream_dedup.morphology.english_lemmas import noun_term

        return [noun_term(form, shape) for form, shape in forms]

    def frequencies(self, language: Language) -> Mapping[str, float]:
        """Return the background of the terms before translation."""
        return super().frequencies(language) if language == "en" else term_frequencies(language, "morph")

    def key_terms(
        self, counts: TermCounts, settings: Settings, select: Select, statistics: StatisticsOfTerms | None = None
    ) -> KeyTerms:
        """Select key terms after translation, by the statistics of the pivot space."""
        del statistics
        return pivot_key_terms(counts, settings, select=select)


REPRESENTATION: Final = _Pivot()


@dataclass(frozen=True, slots=True)
class _KeyColumns:
    """Distinct key columns, in the order of their canonical terms.

    Attributes:
        canonical: int32 (columns,), number of the canonical pivot term.
        sets: bool (columns, pivot terms), the equivalents that match each column.
        keys: int64 (documents, columns), weight of each key term in units of 1e-9; at most n in a row.
    """

    canonical: NDArray[np.int32]
    sets: sp.csr_array
    keys: sp.csr_array


@dataclass(frozen=True, slots=True)
class _Holders:
    """The source terms of its document that each key term represents.

    Attributes:
        indptr: int64 (key terms + 1,), bounds of the source terms of each key term.
        sources: int32, ascending within a key term.
    """

    indptr: NDArray[np.int64]
    sources: NDArray[np.int32]


def pivot_key_terms(
    counts: TermCounts,
    settings: Settings,
    *,
    select: Select = select_key_terms,
    translate: Translate = translate_by_ladder,
) -> KeyTerms:
    """Key terms of every document in the pivot language.

    Args:
        counts: the documents as counts of terms in their own languages.
        settings: pivot, weighting, n, df_min, df_max, target.
        select: selects the heaviest terms, plain or compiled.
        translate: returns the equivalents of terms.

    Returns:
        Key terms whose columns are sets of equivalents, with ``pivot`` set.
    """
    pivot = cast("Language", settings.pivot)
    sources = source_terms(counts)
    equivalents = equivalents_of(sources, pivot, translate, shares=_shares(counts))
    canonical = _canonical_counts(counts, sources, equivalents)
    ours = counts.languages < len(OUR_LANGUAGES)
    statistics = [
        _statistics(_of_documents(canonical, own), sources, equivalents, settings) for own in (ours, np.invert(ours))
    ]
    chosen = select(canonical, settings, [statistics[0]] * len(OUR_LANGUAGES) + statistics[1:])
    columns = _key_columns(chosen.keys, sources, equivalents)
    met_by = sources.counts if settings.target == "text" else _restricted(sources, equivalents, chosen.targets)
    space = PivotSpace(pivot, sources, equivalents, columns.canonical, columns.sets)
    return KeyTerms(columns.keys, _targets_of(met_by, columns, equivalents), canonical, chosen.statistics, space)


def _shares(counts: TermCounts) -> dict[Language, float]:
    """Return the share of documents in each of our languages, among those in any of them."""
    documents = np.bincount(counts.languages, minlength=len(LANGUAGES))[: len(OUR_LANGUAGES)]
    return dict(zip(OUR_LANGUAGES, (documents / max(documents.sum(), 1)).tolist(), strict=True))


def _of_documents(counts: TermCounts, chosen: NDArray[np.bool_]) -> TermCounts:
    """Return the counts of some documents, so that documents in other languages do not change the weights in ours."""
    if chosen.all():
        return counts
    rows = np.flatnonzero(chosen)
    return TermCounts(counts.counts[rows], counts.terms, counts.languages[rows], counts.lengths[rows])


def _canonical_counts(counts: TermCounts, sources: SourceTerms, equivalents: Equivalents) -> TermCounts:
    """Counts of canonical terms; the length of a document counts all of its terms."""
    known = np.flatnonzero(equivalents.canonical != NO_EQUIVALENT)
    ones = np.ones(len(known), dtype=np.int32)
    shape = (len(equivalents.canonical), len(equivalents.vocabulary))
    matrix = sp.csr_array(sources.counts @ sp.csr_array((ones, (known, equivalents.canonical[known])), shape=shape))
    matrix.sort_indices()
    return TermCounts(matrix, equivalents.vocabulary, counts.languages, counts.lengths)


def _statistics(counts: TermCounts, sources: SourceTerms, equivalents: Equivalents, settings: Settings) -> Statistics:
    """Statistics of the whole pivot space, with the background of its documents' languages."""
    df = np.bincount(counts.counts.indices, minlength=len(counts.terms))
    totals = Totals(len(counts.lengths), int(counts.lengths.sum()))
    background = (lambda: _frequencies(counts, sources, equivalents)) if settings.background else None
    return filled_up(counts.terms, df, totals, background if totals.documents else None)


def _frequencies(counts: TermCounts, sources: SourceTerms, equivalents: Equivalents) -> dict[str, float]:
    """Return the share of running words with each canonical term, averaged over the languages of the documents.

    The frequency in the pivot language alone would turn frequent words into rare terms, such as an English "saw" that
    is taken for the tool, Russian "пила".
    """
    shares = np.zeros(len(counts.terms), dtype=np.float64)
    for number, language in enumerate(LANGUAGES):
        own = np.flatnonzero((sources.languages == number) & (equivalents.canonical != NO_EQUIVALENT))
        if len(own):
            known = term_frequencies(language, "pivot")
            weights = [known.get(sources.terms[source], 0.0) for source in own.tolist()]
            part = np.bincount(equivalents.canonical[own], weights=weights, minlength=len(shares))
            shares += float((counts.languages == number).mean()) * part
    return dict(zip(counts.terms, shares.tolist(), strict=True))


def _restricted(sources: SourceTerms, equivalents: Equivalents, chosen: sp.csr_array) -> sp.csr_array:
    """Return the source terms of each document whose canonical term is among the chosen ones."""
    matrix = sources.counts
    kept = _places_of(matrix, equivalents, chosen) >= 0
    ends = np.concatenate(([0], np.cumsum(kept)))[matrix.indptr]
    return sp.csr_array((matrix.data[kept], matrix.indices[kept], ends), shape=matrix.shape)


def _key_columns(keys: sp.csr_array, sources: SourceTerms, equivalents: Equivalents) -> _KeyColumns:
    """Replace canonical terms by sets of equivalents.

    The set of a key term contains the equivalents of all source terms of its document with this canonical term.

    Args:
        keys: int64 (documents, pivot terms), weight of each canonical key term.
        sources: source terms of the same documents.
        equivalents: equivalents of the source terms.
    """
    groups, group_of_key = _groups(_holders(keys, sources, equivalents))
    names = [_canonical_and_set(group, equivalents) for group in groups]
    distinct = sorted(set(names))
    number_of = {name: number for number, name in enumerate(distinct)}
    column_of_group = np.array([number_of[name] for name in names], dtype=np.int32)
    # Ascending within a row, as they are sorted by canonical term, which is distinct there.
    columns = column_of_group[group_of_key]
    shape = (keys.shape[0], len(distinct))
    sizes = np.cumsum([0, *(len(members) for _, members in distinct)], dtype=np.int64)
    members = np.fromiter((term for _, members in distinct for term in members), dtype=np.int32, count=int(sizes[-1]))
    return _KeyColumns(
        np.fromiter((canonical for canonical, _ in distinct), dtype=np.int32, count=len(distinct)),
        sp.csr_array(
            (np.ones(len(members), dtype=np.bool_), members, sizes), shape=(len(distinct), len(equivalents.vocabulary))
        ),
        sp.csr_array((keys.data, columns, keys.indptr), shape=shape),
    )


def _holders(keys: sp.csr_array, sources: SourceTerms, equivalents: Equivalents) -> _Holders:
    place = _places_of(sources.counts, equivalents, keys)
    held = np.flatnonzero(place >= 0)
    order = np.lexsort((sources.counts.indices[held], place[held]))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(place[held], minlength=keys.nnz)))).astype(np.int64)
    return _Holders(indptr, sources.counts.indices[held][order])


def _places_of(counts: sp.csr_array, equivalents: Equivalents, chosen: sp.csr_array) -> NDArray[np.int64]:
    """Find the entry of ``chosen`` to which each entry of ``counts`` belongs.

    Args:
        counts: (documents, sources).
        equivalents: equivalents of the source terms.
        chosen: (documents, pivot terms), canonical terms of each document, sorted indices.

    Returns:
        int64 (entries of ``counts``,): number of the entry of ``chosen`` in the same row, at the canonical term; -1 if
        there is none.
    """
    places = np.full(counts.nnz, -1, dtype=np.int64)
    for start in range(0, counts.shape[0] if chosen.nnz else 0, _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, counts.shape[0])
        entries, there = (slice(matrix.indptr[start], matrix.indptr[stop]) for matrix in (counts, chosen))
        canonical = equivalents.canonical[counts.indices[entries]]
        wanted = _codes(counts.indptr[start : stop + 1], canonical, len(equivalents.vocabulary))
        offered = _codes(chosen.indptr[start : stop + 1], chosen.indices[there], len(equivalents.vocabulary))
        place = np.searchsorted(offered, wanted)
        found = (canonical >= 0) & (np.append(offered, -1)[place] == wanted)
        places[entries][found] = place[found] + there.start
    return places


def _codes(indptr: NDArray[np.integer], terms: NDArray[np.int32], width: int) -> NDArray[np.int64]:
    """Combine the row and term of each entry into one number."""
    return np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr)) * width + terms


def _groups(holders: _Holders) -> tuple[list[tuple[int, ...]], NDArray[np.int64]]:
    """Return the distinct groups of source terms that key terms represent, and int64 (key terms,), the group of each.

    Nearly all are single terms, so only the others need a loop.
    """
    begins, sizes = holders.indptr[:-1], np.diff(holders.indptr)
    number = np.empty(len(sizes), dtype=np.int64)
    alone, number[sizes == 1] = np.unique(holders.sources[begins[sizes == 1]], return_inverse=True)
    groups: list[tuple[int, ...]] = [(source,) for source in alone.tolist()]
    larger: dict[tuple[int, ...], int] = {}
    for key in np.flatnonzero(sizes > 1).tolist():
        group = tuple(holders.sources[holders.indptr[key] : holders.indptr[key + 1]].tolist())
        number[key] = larger.setdefault(group, len(groups) + len(larger))
    return [*groups, *larger], number


def _canonical_and_set(group: tuple[int, ...], equivalents: Equivalents) -> tuple[int, tuple[int, ...]]:
    every = {term for source in group for term in equivalents.of(source)}
    return int(equivalents.canonical[group[0]]), tuple(sorted(every))


def _targets_of(sources: sp.csr_array, columns: _KeyColumns, equivalents: Equivalents) -> sp.csr_array:
    """Find the columns to which each document answers: those that contain an equivalent of any of its terms.

    Args:
        sources: (documents, sources), the terms by which a document may be found; only the pattern counts.
        columns: the key columns.
        equivalents: equivalents of the source terms.

    Returns:
        bool (documents, columns), sorted indices. A document of 60 distinct terms answers to about a hundred columns,
        at 5 bytes each. The product is computed in blocks of rows.
    """
    shape = (len(equivalents.canonical), len(equivalents.vocabulary))
    ones = np.ones(len(equivalents.terms), dtype=np.bool_)
    means = sp.csr_array((ones, equivalents.terms, equivalents.indptr), shape=shape)
    means.sort_indices()
    meets = sp.csr_array(means @ columns.sets.T.tocsr())
    parts = []
    for start in range(0, sources.shape[0], _ROWS_AT_ONCE):
        block = sources[start : start + _ROWS_AT_ONCE]
        held = sp.csr_array((np.ones(block.nnz, dtype=np.bool_), block.indices, block.indptr), shape=block.shape)
        part = sp.csr_array(held @ meets)
        part.sort_indices()
        parts.append(part)
    if not parts:
        return sp.csr_array((0, len(columns.canonical)), dtype=np.bool_)
    return sp.csr_array(sp.vstack(parts, format="csr"))
