"""Judge the candidates of a collection by evidence: the second stage of preset ``judged``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.judging.evidence.collecting import DocumentEvidence
from infostream_dedup.judging.evidence.facts import DocumentFacts, equal_halves
from infostream_dedup.judging.evidence.judging import LEAST_SHARE, JudgedCandidates, deciding_pairs, judge_pairs
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
from infostream_dedup.judging.evidence.kernels.screening import MAY_SHARE
from infostream_dedup.judging.evidence.pair_evidence import HEAVIEST, heaviest, key_rows, shares_of_pairs
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.judging.evidence.screening import Screen
from infostream_dedup.links.compiled.earlier import linked_pairs
from infostream_dedup.links.compiled.matching import match_weights
from infostream_dedup.links.similarity_matrix import kept_entries
from infostream_dedup.machine.arrays import Floats, Ints, places_of
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.scratch import row_blocks
from infostream_dedup.machine.threads import mapped, thread_count
from infostream_dedup.model import Settings
from infostream_dedup.model.settings import CANDIDATE_TERMS, COMPARED_TERMS
from infostream_dedup.runs.batch.collection import Collection
from infostream_dedup.runs.batch.linking import MOST_VERBATIM_LINKS, link, link_nodes, node_pairs, verbatim_links
from infostream_dedup.terms.key_terms import KeyTerms

Numbers = NDArray[np.signedinteger[Any]]
Ordinals = tuple[Numbers, Numbers]


def united(one: Ordinals, other: Ordinals) -> Ordinals:
    """Return pairs that are in either list, each once, in the order of (first, second)."""
    order = np.lexsort((other[1], other[0]))
    # Of the same type: otherwise a search would convert all of ``one``.
    other = other[0][order].astype(one[0].dtype, copy=False), other[1][order].astype(one[1].dtype, copy=False)
    if not len(one[0]):
        return other
    places = _places(one, other)
    inside = np.minimum(places, len(one[0]) - 1)
    missing = (one[0][inside] != other[0]) | (one[1][inside] != other[1])
    if not np.any(missing):
        return one
    first, second = (np.insert(mine, places[missing], its[missing]) for mine, its in zip(one, other, strict=True))
    return first, second


def _places(one: Ordinals, other: Ordinals) -> Ints:
    """Place of each pair of ``other`` in the order of ``one``: a binary search for all at once, in little memory."""
    low = np.searchsorted(one[0], other[0], side="left")
    high = np.searchsorted(one[0], other[0], side="right")
    while np.any(low < high):
        middle = (low + high) // 2
        searched = low < high
        below = searched & (one[1][np.where(searched, middle, 0)] < other[1])
        low, high = np.where(below, middle + 1, low), np.where(searched & ~below, middle, high)
    return low


def by_later(a: Numbers, b: Numbers, documents: int) -> Ordinals:
    """Return pairs in the order of (b, a)."""
    if np.all((b[1:] > b[:-1]) | (b[1:] == b[:-1]) & (a[1:] >= a[:-1])):
        return a, b
    b, a = np.divmod(np.sort(b * np.int64(documents) + a), max(documents, 1))
    return a, b


_CHUNK: Final = 100_000  # pairs judged together
_SCREENED: Final = 1 << 20  # pairs screened together


@dataclass(frozen=True, slots=True)
class JudgedCollection:
    """A collection with everything needed to judge its pairs."""

    collection: Collection  # the documents; text hashes are needed
    settings: Settings  # settings of the 12 key terms and of the relation
    key_terms: KeyTerms  # the 12 heaviest key terms of each document
    keys: ComparedKeys  # the 30 heaviest
    evidence: DocumentEvidence  # evidence of each document
    facts: DocumentFacts  # sources, times, texts and addresses

    @classmethod
    def of(cls, collection: Collection, evidence: DocumentEvidence, settings: Settings) -> JudgedCollection:
        """Find the key terms of a collection; a story that fills the collection keeps its key terms, as in a stream."""
        terms = collection.key_terms_despite_repeats(settings.but(n=COMPARED_TERMS), evidence.triples.repeat_earlier)
        keys = key_rows(terms.keys, terms.targets)
        chosen = keys.heaviest if settings.n == HEAVIEST else heaviest(keys.begins, keys.weights, settings.n)
        return cls(
            collection,
            settings,
            replace(terms, keys=kept_entries(terms.keys, chosen == 1)),
            keys,
            evidence,
            DocumentFacts.of_documents(collection.documents, collection.text_hashes, collection.openings),
        )

    def candidates(self, *, k_min: int | None = None, filtered: bool = False) -> Ordinals:
        """Return the pairs to judge as (earlier, later), in the order of (b, a)."""
        # Both documents have the same language or the same text. Pairs of equal texts are included however short they
        # are, unless ``k_min`` is given. ``filtered`` leaves out most of those that do not pass the filter.
        if filtered and k_min is None and self.settings.n == HEAVIEST:
            terms = self.key_terms
            return self._with_equal(match_weights(terms.keys, terms.targets, LEAST_SHARE, terms=CANDIDATE_TERMS))
        pairs = linked_pairs(link(self.key_terms, self.settings, k_min=k_min or CANDIDATE_TERMS).matrix.counts)
        return self._with_equal(pairs) if k_min is None else self._in_one_language(*pairs)

    def deciding_candidates(self) -> Ordinals:
        """Return the candidates that decide statuses, in the order of (b, a)."""
        # Large clusters of documents with equal key terms contribute only pairs with the cluster's earliest documents.
        if verbatim_links(self.key_terms) <= MOST_VERBATIM_LINKS:
            return self.candidates(filtered=True)
        settings = self.settings.but(k=CANDIDATE_TERMS)
        nodes = link_nodes(self.key_terms, settings, k_min=CANDIDATE_TERMS)
        earlier, later = (ends.astype(np.int64, copy=False) for ends in node_pairs(nodes, settings))
        return self._with_equal(by_later(earlier, later, len(self.facts.texts)))

    def _with_equal(self, pairs: Ordinals) -> Ordinals:
        a, b = self._in_one_language(*pairs)
        later, earlier = EqualDocuments(self.facts).before(every := np.arange(len(self.facts.texts)))
        # One sorted number for each pair: NumPy finds distinct columns, or distinct numbers by hashing, far slower.
        equal = np.sort(later * np.int64(len(every)) + earlier)
        b, a = united((b, a), np.divmod(equal[np.diff(equal, prepend=-1) > 0], max(len(every), 1)))
        return a, b

    def judge(
        self, a: NDArray[Any], b: NDArray[Any], *, filtered: bool = True, shares: Floats | None = None
    ) -> JudgedCandidates:
        """Judge all pairs at once; arguments as in ``judge_pairs``."""
        return judge_pairs(
            a,
            b,
            keys=self.keys,
            records=self.evidence.records,
            triples=self.evidence.triples,
            documents=self.facts,
            shares=shares,
            filtered=filtered,
            meanings=self.evidence.meanings,
        )

    def judged(
        self,
        a: Numbers,
        b: Numbers,
        *,
        filtered: bool = True,
        screened: bool = False,
        few: bool = False,
        by_story: bool = False,
        chunk: int = _CHUNK,
        progress: Progress | None = None,
    ) -> Iterator[JudgedCandidates]:
        """Judge pairs in chunks of bounded size, ordered by the later document, whose pairs share a chunk.

        screened: leave out what certainly gives the later document no status, unless meanings may change verdicts.
        few: and of very many alike, most.
        by_story: documents of much common wording share a chunk instead, so that each is read once.
        """
        a, b = by_later(a, b, len(self.facts.texts))
        screen = None
        if screened and self.evidence.meanings is None:
            known = (self.keys, self.evidence.records, self.evidence.triples)
            screen = Screen.of(*known, shipped_model(), threads=thread_count(0))
        left, others, bounds = a, b, np.zeros(0)
        if screen is not None:
            left, others, bounds = self._left_over(screen, a, b, few=few, progress=progress)
        places: Iterator[Any] = _parts(others, chunk)
        if by_story and screen is not None:
            places = _by_story(left, others, bounds, chunk)

        def judge(some: Any) -> JudgedCandidates:
            one, other = left[some].astype(np.int64), others[some].astype(np.int64)
            if screen is None:
                return self.judge(one, other, filtered=filtered)
            shares = shares_of_pairs(one, other, self.keys)
            kept = screen.may_decide(bounds[some], shares)
            return self.judge(one[kept], other[kept], filtered=filtered, shares=shares[kept])

        every, done = list(places), 0
        for some, found in zip(every, mapped(judge, every, thread_count(0)), strict=True):
            yield found
            if progress is not None:
                done += len(left[some])
                progress("judging", done, len(left))

    def _left_over(
        self, screen: Screen, a: Numbers, b: Numbers, *, few: bool, progress: Progress | None
    ) -> tuple[Numbers, Numbers, Floats]:
        """The pairs that a screen leaves over, and those of equal texts, in their order, with their bounds."""
        known, done = (self.keys, self.evidence.records, self.evidence.triples), 0
        reached = np.empty(len(a), dtype=np.float64)
        for places in _near(a, b):
            one, other = a[places].astype(np.int64), b[places].astype(np.int64)
            bounds = bounds_of(screen, one, other, self.facts)
            if few:
                kept = np.flatnonzero(bounds > -np.inf)
                deciding, _ = deciding_pairs(one[kept], other[kept], *known, bounds=bounds[kept])
                bounds[kept[~deciding]] = -np.inf
            reached[places] = bounds
            done += len(places)
            if progress is not None:
                progress("screening", done, len(a))
        kept = np.flatnonzero(reached > -np.inf)
        return a[kept], b[kept], reached[kept]

    def _in_one_language(self, a: Numbers, b: Numbers) -> Ordinals:
        """Return the pairs whose documents have the same language or the same text."""
        languages = self.key_terms.counts.languages
        if not np.any(languages[1:] != languages[:-1]):
            return a, b
        kept = languages[a] == languages[b]
        others = np.flatnonzero(~kept)
        kept[others] = self.facts.same_text(a[others], b[others])
        return a[kept], b[kept]


def bounds_of(screen: Screen, a: Ints, b: Ints, facts: DocumentFacts) -> Floats:
    """``Screen.bounds``, inf for equal texts and openings."""
    bounds = screen.bounds(a, b, facts.texts)
    if facts.openings is not None:
        bounds[(facts.openings[a] == facts.openings[b]) & (facts.openings[a] >= 0)] = np.inf
    if facts.halves is not None:
        bounds[facts.same_text(a, b)] = np.inf
    return bounds


def _parts(b: Ints, size: int) -> Iterator[slice]:
    """Divide pairs in the order of b into parts of some size, or larger ones that hold all pairs of a b."""
    begin = 0
    while begin < len(b):
        end = int(np.searchsorted(b, b[min(begin + size, len(b)) - 1], side="right"))
        yield slice(begin, end)
        begin = end


def _near(a: Numbers, b: Numbers) -> Iterator[Ints]:
    """Divide the places of pairs in the order of b: what is known of a document waits in the cache of the processor."""
    begins = np.flatnonzero(np.diff(b, prepend=-1))
    order = np.argsort(a[begins], kind="stable")
    begins, sizes = begins[order], np.diff(begins, append=len(b))[order]
    for part in row_blocks(sizes, _SCREENED):
        yield places_of(begins[part], sizes[part])


def _by_story(a: Numbers, b: Numbers, bounds: Floats, chunk: int) -> Iterator[Ints]:
    """Divide the places of pairs into parts whose documents have much wording in common, each in order."""
    first, sure = np.arange(int(b.max(initial=-1)) + 1), bounds >= MAY_SHARE
    np.minimum.at(first, b[sure], a[sure])
    order = np.argsort(first[b], kind="stable")
    for begin in range(0, len(order), chunk):
        yield np.sort(order[begin : begin + chunk])


class EqualTexts:
    """Pairs of documents with equal texts; in large clusters, only pairs with the earliest document.

    ``texts``: (documents,), the earliest document with this text, negative for an empty one.
    """

    def __init__(self, texts: Ints) -> None:
        self._texts = texts
        self._order = np.argsort(texts, kind="stable")
        self._begins = np.searchsorted(texts[self._order], texts)
        self._place = np.empty(len(texts), dtype=np.int64)
        self._place[self._order] = np.arange(len(texts))
        before = np.where(texts >= 0, self._place - self._begins, 0)
        self._great = int(before.sum()) > MOST_VERBATIM_LINKS // 2
        self._before = np.minimum(before, 1) if self._great else before

    def before(self, documents: Ints) -> Ordinals:
        """Later and earlier document of each pair whose later document is among ``documents``."""
        return self._run(documents, self._begins, self._before[documents])

    def after(self, documents: Ints) -> Ordinals:
        """Earlier and later document of each pair whose earlier document is among ``documents``."""
        ends = np.searchsorted(self._texts[self._order], self._texts[documents], side="right")
        length = np.where(self._texts[documents] >= 0, ends - self._place[documents] - 1, 0)
        if self._great:
            length = np.where(self._place[documents] == self._begins[documents], length, 0)
        return self._run(documents, self._place + 1, length)

    def _run(self, documents: Ints, begins: Ints, length: Ints) -> Ordinals:
        return np.repeat(documents, length), self._order[places_of(begins[documents], length)]


class EqualDocuments:
    """Pairs of documents with equal texts or halves, and of two sources with equal openings."""

    def __init__(self, facts: DocumentFacts) -> None:
        self._sources = facts.sources
        self._texts = EqualTexts(facts.texts)
        self._halves = equal_halves(facts)
        self._openings = None if facts.openings is None else EqualTexts(facts.openings)

    def before(self, documents: Ints) -> Ordinals:
        """As ``EqualTexts.before``."""
        return self._all(documents, EqualTexts.before, self._halves[::-1])

    def after(self, documents: Ints) -> Ordinals:
        """As ``EqualTexts.after``."""
        return self._all(documents, EqualTexts.after, self._halves)

    def _all(self, documents: Ints, of: Callable[[EqualTexts, Ints], Ordinals], halves: Ordinals) -> Ordinals:
        own = np.isin(halves[0], documents)
        found = [of(self._texts, documents), (halves[0][own], halves[1][own])]
        if self._openings is not None:
            one, other = of(self._openings, documents)
            wanted = self._sources[one] != self._sources[other]
            found.append((one[wanted], other[wanted]))
        one, other = np.concatenate(found, axis=1)
        return one, other
