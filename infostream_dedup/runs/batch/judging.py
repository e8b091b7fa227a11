"""Judge the candidates of a collection by evidence: the second stage of preset ``judged``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.evidence.facts import DocumentFacts, equal_halves
from infostream_dedup.judging.evidence.judging import JudgedCandidates, deciding_pairs, judge_pairs
from infostream_dedup.judging.evidence.pair_evidence import HEAVIEST, heaviest, key_rows, shares_of_pairs
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.judging.evidence.screening import Screen
from infostream_dedup.links.compiled.earlier import linked_pairs
from infostream_dedup.links.similarity_matrix import kept_entries
from infostream_dedup.machine.threads import mapped, thread_count
from infostream_dedup.model.settings import CANDIDATE_TERMS, COMPARED_TERMS
from infostream_dedup.runs.batch.linking import MOST_VERBATIM_LINKS, link, link_nodes, node_pairs, verbatim_links

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.collecting import DocumentEvidence
    from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.terms.key_terms import KeyTerms

    Numbers = NDArray[np.signedinteger[Any]]
    Ordinals = tuple[Numbers, Numbers]
    Columns = tuple[NDArray[Any], ...]


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


def _places(one: Ordinals, other: Ordinals) -> NDArray[np.int64]:
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


_CHUNK: Final = 100_000
_SCREENED: Final = 1 << 20  # pairs judged together, and pairs screened together


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

    def candidates(self, *, k_min: int | None = None) -> Ordinals:
        """Return the pairs to judge as (earlier, later), in the order of (b, a).

        Both documents have the same language or the same text. Pairs of equal texts are included however short they
        are, unless ``k_min`` is given.
        """
        linked = link(self.key_terms, self.settings, k_min=k_min or CANDIDATE_TERMS)
        pairs = linked_pairs(linked.matrix.counts)
        return self._with_equal(pairs) if k_min is None else self._in_one_language(*pairs)

    def deciding_candidates(self) -> Ordinals:
        """Return the candidates that decide statuses, in the order of (b, a).

        Large clusters of documents with equal key terms contribute only pairs with the cluster's earliest documents.
        """
        if verbatim_links(self.key_terms) <= MOST_VERBATIM_LINKS:
            return self.candidates()
        settings = self.settings.but(k=CANDIDATE_TERMS)
        nodes = link_nodes(self.key_terms, settings, k_min=CANDIDATE_TERMS)
        earlier, later = (ends.astype(np.int64, copy=False) for ends in node_pairs(nodes, settings))
        return self._with_equal(by_later(earlier, later, len(self.facts.texts)))

    def _with_equal(self, pairs: Ordinals) -> Ordinals:
        a, b = self._in_one_language(*pairs)
        earlier, later = _equal(self.facts)
        b, a = united((b, a), (later, earlier))
        return a, b

    def judge(
        self, a: NDArray[Any], b: NDArray[Any], *, filtered: bool = True, shares: NDArray[np.float64] | None = None
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
        slices = _parts(b, chunk if screen is None else max(chunk, _SCREENED))
        parts: Iterator[Columns] = ((a[one].astype(np.int64), b[one].astype(np.int64)) for one in slices)

        def judge(part: Columns) -> JudgedCandidates:
            if screen is None:
                return self.judge(*part, filtered=filtered)
            some, others, bounds = part
            shares = shares_of_pairs(some, others, self.keys)
            kept = screen.may_decide(bounds, shares)
            return self.judge(some[kept], others[kept], filtered=filtered, shares=shares[kept])

        if screen is not None:
            left = (self._left_over(screen, *part, few=few) for part in parts)
            cut = (_at(part, places) for part in left for places in _parts(part[1], chunk))
            parts = _by_story(left, chunk) if by_story else cut
        done = 0
        for one in mapped(judge, parts, thread_count(0)):
            yield one
            if progress is not None:
                done = max(done, int(np.searchsorted(b, one.b.max(initial=-1), side="right")))
                progress("judging", done, len(b))

    def _left_over(self, screen: Screen, a: NDArray[Any], b: NDArray[Any], *, few: bool) -> Columns:
        """The pairs that a screen leaves over, and those of equal texts, with their bounds."""
        bounds = screen.bounds(a, b, self.facts.texts)
        if self.facts.openings is not None:
            bounds[(self.facts.openings[a] == self.facts.openings[b]) & (self.facts.openings[a] >= 0)] = np.inf
        if self.facts.halves is not None:
            bounds[self.facts.same_text(a, b)] = np.inf
        left = np.flatnonzero(bounds > -np.inf)
        if few:
            left = left[deciding_pairs(a[left], b[left], self.keys, self.evidence.records, self.evidence.triples)[0]]
        return a[left], b[left], bounds[left]

    def _in_one_language(self, a: Numbers, b: Numbers) -> Ordinals:
        """Return the pairs whose documents have the same language or the same text."""
        languages = self.key_terms.counts.languages
        if not np.any(languages[1:] != languages[:-1]):
            return a, b
        kept = languages[a] == languages[b]
        others = np.flatnonzero(~kept)
        kept[others] = self.facts.same_text(a[others], b[others])
        return a[kept], b[kept]


def _parts(b: NDArray[np.int64], size: int) -> Iterator[slice]:
    """Divide pairs in the order of b into parts of some size, or larger ones that hold all pairs of a b."""
    begin = 0
    while begin < len(b):
        end = int(np.searchsorted(b, b[min(begin + size, len(b)) - 1], side="right"))
        yield slice(begin, end)
        begin = end


def _by_story(parts: Iterator[Columns], chunk: int) -> Iterator[Columns]:
    """Divide pairs into parts whose documents have much wording in common, each in the order of (b, a)."""
    every = tuple(map(np.concatenate, zip(*parts, strict=True))) or (np.zeros(0, np.int64),) * 3
    a, b, bounds = every
    first, sure = np.arange(int(b.max(initial=-1)) + 1), bounds == np.inf
    np.minimum.at(first, b[sure], a[sure])
    order = np.argsort(first[b], kind="stable")
    for begin in range(0, len(order), chunk):
        yield _at(every, np.sort(order[begin : begin + chunk]))


def _at(part: Columns, places: slice | NDArray[np.int64]) -> Columns:
    return tuple(column[places] for column in part)


def _equal(facts: DocumentFacts) -> Ordinals:
    """Return all pairs of documents with equal texts, halves or openings; in large clusters, with the earliest one."""
    pairs = [_equal_texts(facts.texts), equal_halves(facts)]
    if facts.openings is not None:
        more, others = _equal_texts(facts.openings)
        wanted = facts.sources[more] != facts.sources[others]
        pairs.append((more[wanted], others[wanted]))
    found = np.unique(np.concatenate(pairs, axis=1), axis=1)
    return found[0], found[1]


def _equal_texts(texts: NDArray[np.int64]) -> Ordinals:
    """All pairs of equal texts (negative: an empty one); of large clusters, only pairs with the earliest."""
    order = np.argsort(texts, kind="stable")
    order = order[texts[order] >= 0]
    values = texts[order]
    begins = np.searchsorted(values, values, side="left")
    before = np.arange(len(values)) - begins
    if int(before.sum()) > MOST_VERBATIM_LINKS // 2:
        return order[begins][before > 0], order[before > 0]
    b = np.repeat(order, before)
    first = np.cumsum(before) - before
    return order[(np.arange(len(b)) - np.repeat(first - begins, before))], b
