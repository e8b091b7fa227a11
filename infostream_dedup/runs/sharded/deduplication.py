"""Statuses, groups and judged pairs of a collection in a work folder, as in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from infostream_dedup.judging.evidence import judging
from infostream_dedup.judging.evidence.explanation import EvidenceReason, reasons_of_pairs
from infostream_dedup.judging.evidence.facts import NO_SOURCE, DocumentFacts
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys, sum_keys
from infostream_dedup.judging.evidence.pair_evidence import heaviest
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.judging.evidence.policies import EVERY_PAIR, Policy
from infostream_dedup.judging.evidence.screening import Screen
from infostream_dedup.links.compiled.kernels.rows import mix_rows
from infostream_dedup.links.pair_rules import need
from infostream_dedup.machine import arrays
from infostream_dedup.machine.arrays import Bools, Int32s, Ints, Uint8s, Uint64s
from infostream_dedup.machine.scratch import row_blocks
from infostream_dedup.model import NO_TIME, Settings
from infostream_dedup.model.settings import CANDIDATE_TERMS, COMPARED_TERMS
from infostream_dedup.runs.batch import deduplication
from infostream_dedup.runs.batch.deduplication import repeats
from infostream_dedup.runs.batch.judging import EqualDocuments, bounds_of
from infostream_dedup.runs.batch.linking import MOST_VERBATIM_LINKS, least_count
from infostream_dedup.runs.batch.pairing import JudgedPairRow, ListedPairs, PairChoice, collected, judgements_of
from infostream_dedup.runs.sharded import key_terms
from infostream_dedup.runs.sharded.disk_runner import LinkedRun
from infostream_dedup.runs.sharded.kernels import join_edges, renumber_rows
from infostream_dedup.runs.sharded.linking import NodeTable
from infostream_dedup.runs.sharded.pairing import DocumentPairs, DocumentRows, paired, pick_terms, recounted
from infostream_dedup.runs.sharded.reading import DIGEST, FACTS, RECORDS, RunRows, new_wording, weighed_records
from infostream_dedup.runs.sharded.work_folder import Stage, joined
from infostream_dedup.terms.key_terms import INSUFFICIENT_TERMS
from infostream_dedup.terms.statistics import as_count

# Decides status and group of every document of a collection in a work folder, as `dedup` does in memory

_NOBODY: Final = -1
_PAIRS_AT_ONCE: Final = 1_000_000


class StatusRules:
    """Decides the relation of documents to earlier ones, some pairs at a time; the score must be ``count``."""

    def __init__(self, nodes: NodeTable, settings: Settings, duplicate_rule: deduplication.DuplicateRule) -> None:
        self._settings = settings
        self._duplicate_rule = duplicate_rule
        self._k_similar = min(deduplication.K_SIMILAR, settings.k)
        self._nodes, self._sizes = nodes, nodes.sizes.astype(np.int64)

    @property
    def least(self) -> int:
        """Smallest count that may decide a status."""
        return min(least_count(self._settings), least_count(self._settings, self._k_similar))

    def alone(self) -> Bools:
        """Bool (nodes,): whether the documents of a node do not repeat each other, although they are equal."""
        least = self._need(self._settings.k, self._sizes, self._sizes)
        return np.asarray((self._nodes.weights > 1) & (self._nodes.inside < least))

    def decide(self, pairs: DocumentPairs) -> tuple[DocumentPairs, DocumentPairs, DocumentPairs]:
        """Find the best earlier document that each later one repeats, the best that it resembles, and all repeats."""
        # If all weaker counts of a later document are too small to be known, all its pairs are returned; ``settled``
        # then finds the best.
        a, b = (self._sizes[self._nodes.node_of[side]] for side in (pairs.a, pairs.b))
        least = self._need(self._settings.k, a, b)
        relation = (pairs.forward >= least).astype(np.int64) + 2 * (pairs.backward >= least)
        # In a pair (a, b) the later b is judged: if the pair "contains", a contains b.
        same = repeats(relation, self._settings.rule, self._duplicate_rule) & (np.minimum(a, b) >= INSUFFICIENT_TERMS)
        alike = np.maximum(pairs.forward, pairs.backward) >= self._need(self._k_similar, a, b)
        return self._candidates(pairs.at(same)), self._candidates(pairs.at(alike)), pairs.at(same)

    def settled(self, pairs: DocumentPairs, recount: Callable[[DocumentPairs], DocumentPairs]) -> DocumentPairs:
        """Find the best pair of each later document."""
        _, number, times = np.unique(pairs.b, return_inverse=True, return_counts=True)
        several = times[number] > 1
        exact = recount(pairs.at(several)) if several.any() else pairs.at(several)
        both = DocumentPairs.joined([pairs.at(~several), exact])
        return both.at(deduplication.best_places(both.a, both.b, both.forward, both.backward))

    def _candidates(self, pairs: DocumentPairs) -> DocumentPairs:
        known = np.minimum(pairs.forward, pairs.backward) >= self.least
        left = ~np.isin(pairs.b, pairs.b[known]) & ~known
        best = np.zeros(len(pairs), dtype=np.bool_)
        some = pairs.at(known)
        best[np.flatnonzero(known)[deduplication.best_places(some.a, some.b, some.forward, some.backward)]] = True
        return pairs.at(best | left)

    def _need(self, k: int, a: Ints, b: Ints) -> Ints:
        return need(k, a, b, n=self._settings.n, short=self._settings.short)


class Statuses:
    """Collects the statuses of a collection; ``nodes`` are its nodes."""

    def __init__(self, nodes: NodeTable) -> None:
        self._nodes = nodes
        self._duplicate, self._similar = np.full((2, nodes.documents), _NOBODY, dtype=np.int64)
        self._parents = np.arange(nodes.documents, dtype=np.int32)

    def add(self, duplicate: DocumentPairs, similar: DocumentPairs, same: DocumentPairs) -> None:
        """Add a result of ``StatusRules.decide``, with the first two ``settled``."""
        self._duplicate[duplicate.b] = duplicate.a
        self._similar[similar.b] = similar.a
        join_groups(same.a, same.b, self._parents)

    def finish(self, rows: Sequence[dict[str, Any]]) -> deduplication.FoundStatuses:
        """Statuses of all documents."""
        first = _earliest(_digests(rows, self._nodes.documents)[:, :2])
        exact = np.where(first != np.arange(len(first)), first, _NOBODY)
        equal = np.flatnonzero(exact != _NOBODY)
        join_groups(exact[equal], equal, self._parents)
        short = self._nodes.sizes[self._nodes.node_of] < INSUFFICIENT_TERMS
        status, of = deduplication.chosen_statuses(exact, short, self._duplicate, self._similar)
        group = earliest_joined(self._parents)
        return deduplication.FoundStatuses(status, of, group, _ids_of(rows), joined(rows, "lengths"))


def _ids_of(rows: Sequence[dict[str, Any]]) -> Callable[[Ints], list[str]]:
    ids = pa.chunked_array([row["ids"] for row in rows], pa.string())
    return lambda documents: ids.take(documents).to_pylist()


def statuses_on_disk(
    linked: LinkedRun, *, duplicate_rule: deduplication.DuplicateRule = "equal"
) -> deduplication.FoundStatuses:
    """Decide as ``batch.deduplication.statuses`` does; scores are counts, and the hashes of bodies have been taken."""
    nodes = linked.nodes
    rules, found = StatusRules(nodes, linked.settings, duplicate_rule), Statuses(nodes)
    finder, alone = paired(linked, rules.least), rules.alone()
    step = f"{linked.settings.representation}: statuses"
    recount = partial(recounted, pick=lambda documents: pick_terms(linked.keys.batches("keys"), documents))
    for block in row_blocks(finder.work(whole=False) * nodes.weights, _PAIRS_AT_ONCE):
        duplicate, similar, same = rules.decide(finder.earlier(finder.members_of(block), alone))
        found.add(rules.settled(duplicate, recount), rules.settled(similar, recount), same)
        linked.run.tell(step, min(block.stop, len(nodes)), len(nodes))
    return found.finish(list(linked.documents()))


def join_groups(a: Ints, b: Ints, parents: Int32s) -> None:
    """Join pairs of documents; ``parents``, int32 (documents,), begin as the documents themselves."""
    every = np.arange(len(a), dtype=np.int64)
    join_edges(a.astype(np.int32), b.astype(np.int32), every, parents, np.empty(len(a), dtype=np.int64))


def earliest_joined(parents: Int32s) -> Ints:
    """The smallest document that each is joined with; a parent is always smaller than its children."""
    found = parents.astype(np.int64)
    while True:
        nearer = found[found]
        if np.array_equal(nearer, found):
            return found
        found = nearer


def _digests(rows: Sequence[dict[str, Any]], documents: int) -> Uint64s:
    """What ``equality_hash`` and ``NotCompared`` say: uint64 (documents, 5)."""
    return joined(rows, "digests", np.uint8).reshape(documents, DIGEST).copy().view(np.uint64)


def _earliest(keys: Uint64s) -> Ints:
    """The earliest equal row of each: int64 (rows,); -1 for rows that begin with zeros."""
    return np.where(np.any(keys[:, :2] != 0, axis=1), arrays.earliest_equal(list(keys.T)), _NOBODY)


# Judges pairs of a work folder by evidence, as `batch.judging` does in memory, some pairs at a time

_Pairs = tuple["Ints", "Ints"]
_SORTED_BYTES: Final = 40  # bytes of memory for each triple sorted at a time


class JudgedRun(LinkedRun):
    """A collection whose pairs are judged by evidence that the run took; links are of the heaviest compared terms."""

    @property
    def name(self) -> str:
        """Prefix of the names of its stages."""
        return "judged"

    @cached_property
    def compared(self) -> Stage:
        """The key terms that are compared, and targets."""
        return self.selected("compared", self.settings.but(n=COMPARED_TERMS), self._distinct)

    @cached_property
    def keys(self) -> Stage:
        """The heaviest key terms, and targets."""
        decided = {"compared": self.compared.key, "n": self.settings.n}
        return self.stage(
            "keys",
            key_terms.KEYS,
            decided,
            lambda: key_terms.fewer_keys(self.compared.batches("keys"), self.settings.n),
        )

    @cached_property
    def _distinct(self) -> key_terms.FrozenVocabulary | None:
        """The vocabulary of documents that do not repeat earlier ones, if some term may be too frequent."""
        vocabulary, most = self.vocabulary, self.settings.df_max
        counted = zip(vocabulary.df, vocabulary.totals, strict=True)
        # In a small language the background decides too; looking at all its documents takes little time.
        if not any(
            one.documents and (one.pseudo_documents or df.max(initial=0) > as_count(most, one.documents))
            for df, one in counted
        ):
            return None
        decided = {"statistics": self.statistics.key}
        found = self.stage("distinct", key_terms.STATISTICS, decided, lambda: [self._row()])
        return key_terms.FrozenVocabulary.of(found.batches("statistics"))

    def _row(self) -> pa.RecordBatch:
        words = sum(one.length for one in self.vocabulary.totals)
        parts = 1
        # Texts have about three words for each term that counts.
        while 3 * words * _SORTED_BYTES > parts * self.run.plan.memory:
            parts *= 2
        repeats = new_wording(self.counted.batches("raw"), self.vocabulary.documents, parts)
        return key_terms.count_distinct(self.counts(), self.vocabulary, repeats)

    @cached_property
    def languages(self) -> Uint8s:
        """uint8 (documents,), index into ``LANGUAGES``."""
        return joined(key_terms.KEYS.rows(self.keys.batches("keys")), "languages", np.uint8)

    @cached_property
    def facts(self) -> DocumentFacts:
        """Sources, times, texts and addresses: about 32 bytes of memory per document."""
        rows = list(FACTS.rows(self.counted.batches("facts")))
        sources = pa.chunked_array([row["sources"] for row in rows], pa.string()).combine_chunks().dictionary_encode()
        named = np.array(sources.dictionary.to_pylist(), dtype=object) != ""
        number = sources.indices.to_numpy().astype(np.int64)
        times, addresses, openings = (joined(rows, name) for name in ("times", "addresses", "openings"))
        digests = _digests(list(self.documents()), len(times))
        texts, halves = np.split(_earliest(np.concatenate([digests[:, :2], digests[:, 3:]])), 2)
        return DocumentFacts(
            np.where(named[number], number, NO_SOURCE) if len(number) else number,
            times,
            texts,
            addresses,
            openings,
            whole=_earliest(digests),
            halves=halves if np.any(halves >= 0) else None,
        )

    @property
    def dated(self) -> bool:
        """Whether any document has a date."""
        return bool(np.any(self.facts.times != NO_TIME))

    @cached_property
    def every_pair(self) -> bool:
        """Whether every pair of documents with equal key terms is judged: not if such clusters are large."""
        hashes = [np.zeros(0, dtype=np.uint64)]
        for row in key_terms.KEYS.rows(self.keys.batches("keys")):
            own = np.zeros(len(row["sizes"]), dtype=np.uint64)
            mix_rows(arrays.offsets_of(row["sizes"]), row["keys"], own)
            hashes.append(own[row["sizes"] > 0])
        equal = np.unique(np.concatenate(hashes), return_counts=True)[1].astype(np.int64)
        return int((equal * (equal - 1)).sum()) <= MOST_VERBATIM_LINKS

    def deciding(self, a: Ints, b: Ints) -> _Pairs:
        """The pairs, in the order of (b, a), that are enough to decide statuses."""
        if not judging.crowded(b).any():
            return a, b
        documents, (one, other) = arrays.numbered_ends(a, b)
        records, triples = self._records.records(documents), self._triples.triples(documents)
        known = (self._compared_keys(documents), records, triples)
        bounds = bounds_of(Screen.of(*known, shipped_model()), one, other, self.facts.at(documents))
        wanted, _ = judging.deciding_pairs(one, other, *known, bounds=bounds)
        return a[wanted], b[wanted]

    def judge(self, a: Ints, b: Ints, *, filtered: bool = True) -> judging.JudgedCandidates:
        """Judge pairs of documents; arguments and result as for ``batch.judging.JudgedCollection.judge``."""
        documents, (one, other) = arrays.numbered_ends(a, b)
        found = judging.judge_pairs(
            one,
            other,
            keys=self._compared_keys(documents),
            records=self._records.records(documents),
            triples=lambda rows: self._triples.triples(documents[rows]),
            documents=self.facts.at(documents),
            filtered=filtered,
        )
        return replace(found, a=a, b=b)

    @cached_property
    def _triples(self) -> RunRows:
        return RunRows.of_triples(self.counted.batches("raw"))

    @cached_property
    def _records(self) -> RunRows:
        found = self.stage(
            "records",
            RECORDS,
            {"counted": self.counted.key},
            lambda: weighed_records(list(self.counted.batches("raw")), self.languages.astype(np.int8)),
        )
        return RunRows.of(list(RECORDS.rows(found.batches("records"))), "sizes", "words")

    @cached_property
    def _ranked(self) -> tuple[RunRows, RunRows, RunRows]:
        """Key terms by rank among all key terms, their weights, and targets, memory-mapped."""
        found = self.stage("ranked", key_terms.KEYS, {"compared": self.compared.key}, self._ranks)
        rows = list(key_terms.KEYS.rows(found.batches("keys")))
        of = (("sizes", "keys"), ("sizes", "weights"), ("target_sizes", "targets"))
        keys, weights, targets = (RunRows.of(rows, sizes, values) for sizes, values in of)
        return keys, weights, targets

    def _ranks(self) -> Iterator[pa.RecordBatch]:
        place = self._places()
        nothing: dict[str, list[int]] = {name: [] for name in ("languages", "own", "hashes", "checks")}
        for row in key_terms.KEYS.rows(self.compared.batches("keys")):
            size = len(row["sizes"])
            rows: dict[str, NDArray[Any]] = {}
            for name, sizes in (("keys", "sizes"), ("targets", "target_sizes")):
                kept, numbers = np.empty(size, np.int32), np.empty(len(row[name]), np.uint32)
                indptr, every = arrays.offsets_of(row[sizes]), np.arange(size, dtype=np.int64)
                written = renumber_rows(indptr, row[name], every, place, True, kept, numbers)
                rows |= {name: numbers[:written], sizes: kept}
            # Key terms of a document are in code point order already, so that their weights keep their places.
            yield key_terms.KEYS.row(first=row["first"], weights=row["weights"], **rows, **nothing)

    def _places(self) -> Int32s:
        """int32 (vocabulary,): rank of each key term in code point order, -1 for other terms."""
        numbers = key_terms.mark_key_terms(self.compared.batches("keys"), len(self.vocabulary))
        rows = list(key_terms.LABELS.rows(key_terms.key_term_labels(self.counts(), self.vocabulary, numbers)))
        known = joined(rows, "numbers", np.uint32)
        order = pc.sort_indices(pa.chunked_array([row["terms"] for row in rows], pa.string())).to_numpy()
        place = np.empty(len(known), dtype=np.int32)
        place[known[order]] = np.arange(len(known), dtype=np.int32)
        return np.where(numbers >= 0, place[np.maximum(numbers, 0)] if len(place) else -1, -1).astype(np.int32)

    def _compared_keys(self, documents: Ints) -> ComparedKeys:
        """Key terms of documents, which ascend."""
        keys, heavy, targets = self._ranked
        asked, weighed = keys.some(documents, np.uint32), heavy.some(documents, np.int64).values
        answers, begins = targets.some(documents, np.uint32), asked.indptr
        top = heaviest(begins, weighed)
        own, squares = np.empty((len(documents), 2), dtype=np.int64), np.empty(len(documents), dtype=np.float64)
        sum_keys(begins, weighed, top, own, squares)
        return ComparedKeys(
            begins=begins,
            terms=asked.values.astype(np.int32),
            weights=weighed,
            heaviest=top,
            own=own,
            squares=squares,
            target_begins=answers.indptr,
            targets=answers.values.astype(np.int32),
        )


# Lists judged pairs of a collection in a work folder, as `batch.pairing` does, but not translations

_LISTED_AT_ONCE: Final = 200_000
_ROWS_AT_ONCE: Final = 50_000


def judged_pairs_on_disk(run: JudgedRun, choice: PairChoice, *, parts: Ints | None = None) -> Iterator[JudgedPairRow]:
    """Judged pairs as rows, as ``batch.pairing.judged_pair_rows`` yields them with ``between`` ``none``."""
    nobody = np.zeros(0, dtype=np.int64)
    nothing = ListedPairs.of(run.judge(nobody, nobody), np.zeros(0, dtype=np.bool_))
    found = collected(chain([nothing], _listed(run, choice, parts)), choice)
    rows = DocumentRows(run)
    for begin in range(0, len(found.a), _ROWS_AT_ONCE):
        part = found.at(slice(begin, begin + _ROWS_AT_ONCE))
        added = judgements_of(part, _reasons(run, part) if choice.explain else None)
        yield from rows.pair_rows(part.a, part.b, run.settings, made=JudgedPairRow, terms=choice.terms, added=added)


def _listed(collection: JudgedRun, choice: PairChoice, parts: Ints | None) -> Iterator[ListedPairs]:
    """Pairs that are listed, in the order of (a, b)."""
    finder, nodes = paired(collection, choice.k_min or CANDIDATE_TERMS), collection.nodes
    languages, facts = collection.languages, collection.facts
    equals = EqualDocuments(facts) if choice.k_min is None else None
    for block in row_blocks(finder.work(whole=True)[nodes.node_of], _LISTED_AT_ONCE):
        documents = np.arange(block.start, min(block.stop, len(languages)), dtype=np.int64)
        pairs = finder.later(documents)
        kept = pairs.at(facts.same_text(pairs.a, pairs.b) | (languages[pairs.a] == languages[pairs.b]))
        found = [np.stack((kept.a, kept.b)), np.stack(equals.after(documents)) if equals else np.zeros((2, 0), int)]
        a, b = np.unique(np.concatenate(found, axis=1), axis=1)
        wanted = languages[a] != languages[b] if choice.cross_language else np.full(len(a), True)
        if parts is not None:
            wanted &= parts[a] != parts[b]
        yield choice.listed(collection.judge(a[wanted], b[wanted], filtered=choice.least > 0))
        collection.run.tell("judging", int(documents[-1]) + 1, len(languages))


def _reasons(collection: JudgedRun, part: ListedPairs) -> list[list[EvidenceReason] | None]:
    judged = collection.judge(part.a, part.b, filtered=False)
    return [*reasons_of_pairs(judged.evidence, shipped_model(), judged.meaning)]


# Decides status and group of every document of a work folder, as preset `judged` does in memory

_DECIDED_AT_ONCE: Final = 200_000


def judged_statuses_on_disk(collection: JudgedRun, policy: Policy = EVERY_PAIR) -> deduplication.FoundJudgedStatuses:
    """Decide as ``batch.deduplication.judged_statuses`` does; the hashes of the bodies have been taken."""
    nodes = collection.nodes
    sizes = nodes.sizes[nodes.node_of]
    decided = deduplication.BestPairs.none(len(sizes))
    parents, kept = np.arange(len(sizes), dtype=np.int32), np.full(len(sizes), judging.KEPT, dtype=np.int8)
    for a, b in _candidates(collection):
        judged = collection.judge(*(collection.deciding(a, b) if policy.allows_every_pair else (a, b)))
        found = deduplication.verdicts_of(judged, policy, sizes)
        judging.yield_to_differing(found.b, found.status, found.kinds, found.wording)
        judging.break_chains(found, kept)
        decided.take(found)
    decided.find_forms()
    join_groups(*decided.joined(), parents)
    short = (sizes < INSUFFICIENT_TERMS) & (collection.facts.texts < 0)
    rows = list(collection.documents())
    return decided.found(earliest_joined(parents), short, _ids_of(rows), joined(rows, "lengths"))


def _candidates(collection: JudgedRun) -> Iterator[tuple[Ints, Ints]]:
    """Pairs to be judged: a few later documents at a time, each with all its earlier ones."""
    nodes, facts = collection.nodes, collection.facts
    finder, equals = paired(collection, CANDIDATE_TERMS), EqualDocuments(facts)
    # If each pair is judged, all documents of a node are looked at, otherwise only those that do not repeat each other.
    alone = np.full(len(nodes), True) if collection.every_pair else _apart(collection)
    for block in row_blocks(finder.work(whole=collection.every_pair) * nodes.weights, _DECIDED_AT_ONCE):
        documents = finder.members_of(block)
        pairs = finder.earlier(documents, alone)
        languages = collection.languages
        kept = pairs.at(facts.same_text(pairs.a, pairs.b) | (languages[pairs.a] == languages[pairs.b]))
        found = [np.stack((kept.b, kept.a)), np.stack(equals.before(documents))]
        b, a = np.unique(np.concatenate(found, axis=1), axis=1)
        yield a, b
        collection.run.tell("judging", block.stop, len(nodes))


def _apart(collection: JudgedRun) -> Bools:
    """Bool (nodes,): which nodes have several documents that are not linked to each other."""
    nodes, settings = collection.nodes, collection.settings
    sizes = nodes.sizes.astype(np.int64)
    least = need(CANDIDATE_TERMS, sizes, sizes, n=settings.n, short=settings.short)
    return np.asarray((nodes.weights > 1) & (nodes.inside < least))
