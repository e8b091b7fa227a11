"""The parts of a pivot space that can be computed chunk by chunk: counts, statistics, key columns and targets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.language.translation.word_pairs import plain_term
from infostream_dedup.machine.arrays import Bools, Floats, Int32s, Ints, offsets_of, sparse_rows
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language, Settings
from infostream_dedup.terms.compiled import rows_of
from infostream_dedup.terms.equivalents import NO_EQUIVALENT, Equivalents, SourceTerms
from infostream_dedup.terms.kernels import NOTHING, Rows, add_frequencies, find_places, list_by_place
from infostream_dedup.terms.key_terms import KeyTerms, pattern
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import Statistics, TermCounts, Totals, document_probability, filled_up, weigh

ColumnName = tuple[int, tuple[int, ...]]
"""A key column: its canonical pivot term and the set of equivalents that match it, ascending."""


def canonical_counts(counts: TermCounts, sources: SourceTerms, equivalents: Equivalents) -> TermCounts:
    """Counts of canonical terms; the length of a document counts all of its terms."""
    known = equivalents.canonical != NO_EQUIVALENT
    canonical, shape = equivalents.canonical[known], (len(known), len(equivalents.vocabulary))
    matrix = sources.counts @ sparse_rows(np.ones(len(canonical), dtype=np.int32), canonical, offsets_of(known), shape)
    matrix.sort_indices()
    return TermCounts(matrix, equivalents.vocabulary, counts.languages, counts.lengths)


@dataclass(frozen=True, slots=True)
class SpaceCounts:
    """Whole numbers that decide the statistics of a pivot space; those of disjoint sets of documents add up."""

    # int64 (2, pivot terms), documents in our languages and in others that contain each canonical term
    df: Ints
    documents: Ints  # int64 (languages,), in the order of `LANGUAGES`
    lengths: Ints  # int64 (languages,), sums of the lengths of the documents

    @classmethod
    def of(cls, canonical: TermCounts) -> SpaceCounts:
        """Count documents, given as counts of canonical terms."""
        df = np.zeros((2, len(canonical.terms)), dtype=np.int64)
        add_frequencies(*rows_of(canonical.counts), (canonical.languages >= len(OUR_LANGUAGES)).astype(np.uint8), df)
        documents = np.bincount(canonical.languages, minlength=len(LANGUAGES))
        lengths = np.zeros(len(LANGUAGES), dtype=np.int64)
        np.add.at(lengths, canonical.languages, canonical.lengths)
        return cls(df, documents.astype(np.int64), lengths)

    def __add__(self, other: SpaceCounts) -> SpaceCounts:
        return SpaceCounts(self.df + other.df, self.documents + other.documents, self.lengths + other.lengths)

    def statistics(self, sources: SourceTerms, equivalents: Equivalents, settings: Settings) -> list[Statistics]:
        """Statistics for each of ``LANGUAGES``, with the background of the documents' languages."""
        ours = slice(0, len(OUR_LANGUAGES))
        own = [self._statistics(0, ours, sources, equivalents, settings)] * len(OUR_LANGUAGES)
        return [*own, self._statistics(1, slice(len(OUR_LANGUAGES), None), sources, equivalents, settings)]

    def _statistics(
        self, row: int, languages: slice, sources: SourceTerms, equivalents: Equivalents, settings: Settings
    ) -> Statistics:
        documents = np.zeros(len(LANGUAGES), dtype=np.int64)
        documents[languages] = self.documents[languages]
        totals = Totals(int(documents.sum()), int(self.lengths[languages].sum()))
        needed = settings.background and totals.documents
        background = partial(_frequencies, documents, sources, equivalents) if needed else None
        return filled_up(equivalents.vocabulary, self.df[row], totals, background)


def _frequencies(documents: Ints, sources: SourceTerms, equivalents: Equivalents) -> dict[str, float]:
    """Share of running words of each canonical term, averaged over languages: "saw" is common, "пила" is not."""
    shares = np.zeros(len(equivalents.vocabulary), dtype=np.float64)
    for number, language in enumerate(LANGUAGES):
        own = np.flatnonzero((sources.languages == number) & (equivalents.canonical != NO_EQUIVALENT))
        if len(own):
            known = term_frequencies(language, "pivot")
            # wordfreq does not know how often a word is a name, so noun and name both count as frequent.
            weights = [known.get(plain_term(sources.terms[source]), 0.0) for source in own.tolist()]
            part = np.bincount(equivalents.canonical[own], weights=weights, minlength=len(shares))
            shares += float(documents[number] / documents.sum()) * part
    return dict(zip(equivalents.vocabulary, shares.tolist(), strict=True))


def restricted(sources: SourceTerms, equivalents: Equivalents, chosen: sp.csr_array) -> sp.csr_array:
    """Return the source terms of each document whose canonical term is among the chosen ones."""
    return _chosen(sources.counts, _places_of(rows_of(sources.counts), equivalents, chosen) != NOTHING)


def _chosen(matrix: sp.csr_array, kept: Bools) -> sp.csr_array:
    return sparse_rows(matrix.data[kept], matrix.indices[kept], offsets_of(kept)[matrix.indptr], matrix.shape)


@dataclass(frozen=True, slots=True)
class KeyNames:
    """The key columns that some documents ask with."""

    names: list[ColumnName]  # distinct names, ascending
    # int64 (key terms,), position in `names` of each key term, in the order of the key matrix
    number: Ints

    @classmethod
    def of(cls, keys: sp.csr_array, sources: SourceTerms, equivalents: Equivalents) -> KeyNames:
        """Replace canonical terms by the equivalents of all source terms of their document with this canonical term."""
        rows = rows_of(sources.counts)
        places = _places_of(rows, equivalents, keys)
        # The source terms of its document that each key term represents.
        indptr = offsets_of(np.bincount(places + 1, minlength=keys.nnz + 1)[1:])
        holders = np.empty(indptr[-1], dtype=np.int32)
        list_by_place(places, rows.terms, indptr[:-1].copy(), holders)
        groups, group_of_key = _groups(indptr, holders)
        terms, at = equivalents.terms.tolist(), equivalents.indptr.tolist()
        members = ({term for one in group for term in terms[at[one] : at[one + 1]]} for group in groups)
        canonical = equivalents.canonical[[group[0] for group in groups]].tolist()
        named = [*zip(canonical, map(tuple, map(sorted, members)), strict=True)]
        names = sorted(set(named))
        number_of = {name: number for number, name in enumerate(names)}
        return cls(names, np.array([number_of[name] for name in named], dtype=np.int64)[group_of_key])


@dataclass(frozen=True, slots=True)
class KeyColumns:
    """Distinct key columns, in the order of their canonical terms."""

    canonical: Int32s  # int32 (columns,), number of the canonical pivot term
    sets: sp.csr_array  # bool (columns, pivot terms), the equivalents that match each column

    def __len__(self) -> int:
        return len(self.canonical)

    @classmethod
    def of(cls, names: Iterable[ColumnName], terms: int) -> KeyColumns:
        """Number columns; names are distinct and ascend."""
        every = list(names)
        sizes = offsets_of([len(members) for _, members in every])
        members = np.fromiter((term for _, members in every for term in members), dtype=np.int32, count=int(sizes[-1]))
        held = np.ones(len(members), dtype=np.bool_)
        return cls(
            np.fromiter((canonical for canonical, _ in every), dtype=np.int32, count=len(every)),
            sparse_rows(held, members, sizes, (len(every), terms)),
        )

    def keyed(self, keys: sp.csr_array, columns: Ints) -> sp.csr_array:
        """Key terms by column, ascending within a document, instead of canonical term."""
        return sparse_rows(keys.data, columns, keys.indptr, (keys.shape[0], len(self)))


class Targets:
    """Finds the columns to which documents answer: those that contain an equivalent of any of their terms."""

    def __init__(self, columns: KeyColumns, equivalents: Equivalents) -> None:
        shape = (len(equivalents.canonical), len(equivalents.vocabulary))
        ones = np.ones(len(equivalents.terms), dtype=np.bool_)
        self._meets = sparse_rows(ones, equivalents.terms, equivalents.indptr, shape) @ columns.sets.T.tocsr()

    def of(self, sources: sp.csr_array) -> sp.csr_array:
        """Targets of documents: bool (documents, columns), sorted indices."""
        found: sp.csr_array = pattern(sources) @ self._meets
        found.sort_indices()
        return found


def _places_of(counted: Rows, equivalents: Equivalents, chosen: sp.csr_array) -> Ints:
    """Find the entry of ``chosen``, canonical terms of each document, to which each counted term belongs."""
    places = np.empty(len(counted.terms), dtype=np.int64)
    last = np.full(len(equivalents.vocabulary), -1, dtype=np.int64)
    find_places(counted, equivalents.canonical, rows_of(chosen), last, places)
    return places


def _groups(indptr: Ints, sources: Int32s) -> tuple[list[tuple[int, ...]], Ints]:
    """The distinct groups of source terms that key terms represent, and int64 (key terms,), the group of each."""
    begins, sizes = indptr[:-1], np.diff(indptr)
    number = np.empty(len(sizes), dtype=np.int64)
    # Nearly all are single terms, so only the others need a loop.
    single = sources[begins[sizes == 1]]
    used = np.bincount(single) > 0
    number[sizes == 1] = (np.cumsum(used) - 1)[single]
    groups: list[tuple[int, ...]] = [(source,) for source in np.flatnonzero(used).tolist()]
    larger: dict[tuple[int, ...], int] = {}
    for key in np.flatnonzero(sizes > 1).tolist():
        group = tuple(sources[indptr[key] : indptr[key + 1]].tolist())
        number[key] = larger.setdefault(group, len(groups) + len(larger))
    return [*groups, *larger], number


# Measure how much of a collection the pivot language cannot express


def untranslated_shares(key_terms: KeyTerms, settings: Settings) -> dict[Language, float]:
    """Return the share of the total term weight that terms without an equivalent have, per language of the documents.

    They are weighted as if they were separate terms of the pivot space, by the background of their own language.
    """
    if key_terms.pivot is None:
        raise ValueError("these key terms are not in a pivot language; make them with representation pivot")
    canonical, space = key_terms.counts, key_terms.pivot
    df = np.bincount(space.sources.counts.indices, minlength=len(space.sources.terms))
    ours = int(np.count_nonzero(canonical.languages < len(OUR_LANGUAGES)))
    unknown = statistics_of_untranslated(df, ours, space.sources, space.equivalents, key_terms.statistics[0])
    weights = weights_of_languages(
        canonical, space.sources, space.equivalents, (key_terms.statistics, unknown), settings
    )
    return shares_of_weights(weights)


def statistics_of_untranslated(
    df: NDArray[np.integer], ours: int, sources: SourceTerms, equivalents: Equivalents, of_space: Statistics
) -> Statistics:
    """Statistics of terms without an equivalent, each as if it were a separate term of the pivot space."""
    unknown = np.where((equivalents.canonical == NO_EQUIVALENT) & ~sources.seldom_nouns(), df, 0).astype(np.float64)
    pseudo = of_space.documents - ours
    for number, language in enumerate(OUR_LANGUAGES) if pseudo else ():
        own = np.flatnonzero((sources.languages == number) & (unknown > 0))
        if len(own):
            terms = [sources.terms[term] for term in own.tolist()]
            unknown[own] += pseudo * document_probability(terms, term_frequencies(language, "pivot"))
    return Statistics(of_space.documents, unknown, of_space.average_length)


def weights_of_languages(
    canonical: TermCounts,
    sources: SourceTerms,
    equivalents: Equivalents,
    statistics: tuple[list[Statistics], Statistics],
    settings: Settings,
) -> Floats:
    """Weight of terms with an equivalent and of those without, by language: float64 (2, languages); parts add up."""
    unknown = _chosen(sources.counts, (equivalents.canonical == NO_EQUIVALENT)[sources.counts.indices])
    rest = TermCounts(unknown, sources.terms, canonical.languages, canonical.lengths)
    known = _weight_by_language(canonical, statistics[0], settings)
    return np.stack((known, _weight_by_language(rest, [statistics[1]] * len(LANGUAGES), settings)))


def shares_of_weights(weights: Floats) -> dict[Language, float]:
    """Share of the weight that terms without an equivalent have, for each of our languages with any weight."""
    unknown, every = weights[1], weights.sum(axis=0)
    return {language: float(unknown[n] / every[n]) for n, language in enumerate(OUR_LANGUAGES) if every[n] > 0}


def _weight_by_language(counts: TermCounts, statistics: list[Statistics], settings: Settings) -> Floats:
    weights = np.asarray(weigh(counts, statistics, settings).sum(axis=1), dtype=np.float64)
    return np.bincount(counts.languages, weights=weights, minlength=len(LANGUAGES)).astype(np.float64)
