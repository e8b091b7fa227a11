"""Judges pairs of a work folder by evidence, as ``batch.judging`` does in memory, some pairs at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from infostream_dedup.arrays import offsets_of, places_of
from infostream_dedup.judging.evidence.facts import NO_SOURCE, DocumentFacts
from infostream_dedup.judging.evidence.judging import JudgedCandidates, judge_pairs
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys, sum_keys
from infostream_dedup.judging.evidence.pair_evidence import heaviest
from infostream_dedup.links.compiled.kernels.row_equality import mix_rows
from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.model import NO_TIME
from infostream_dedup.runs.batch.judging import COMPARED_TERMS
from infostream_dedup.runs.batch.verbatim import MOST_VERBATIM_LINKS
from infostream_dedup.runs.sharded.deduplication import equal_texts
from infostream_dedup.runs.sharded.evidence import FACTS, RECORDS, RunRows, new_wording, weighed_records
from infostream_dedup.runs.sharded.kernels.rows import renumber_rows
from infostream_dedup.runs.sharded.key_terms import KEYS, LABELS, fewer_keys, key_term_labels, mark_key_terms
from infostream_dedup.runs.sharded.linked_run import LinkedRun
from infostream_dedup.runs.sharded.vocabulary import STATISTICS, FrozenVocabulary, count_distinct
from infostream_dedup.terms.weighting import as_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.runs.sharded.work_folder import Stage


_Pairs = tuple["NDArray[np.int64]", "NDArray[np.int64]"]

_SORTED_BYTES: Final = 40
"""Bytes of memory for each triple sorted at a time."""


class JudgedRun(LinkedRun):
    """A collection whose pairs are judged by evidence; arguments as for ``LinkedRun``, with a run that took evidence.

    The key terms that link documents are the heaviest of the compared ones.
    """

    @property
    def name(self) -> str:
        """Prefix of the names of its stages."""
        return "judged"

    @cached_property
    def compared(self) -> Stage:
        """The key terms that are compared, and targets."""
        settings = self.settings.but(n=COMPARED_TERMS)
        return self.selected("compared", settings, self._distinct)

    @cached_property
    def keys(self) -> Stage:
        """The heaviest key terms, and targets."""
        rows = lambda: (("keys", row) for row in fewer_keys(self.compared.batches("keys"), self.settings.n))  # noqa: E731
        return self.stage("keys", {"keys": KEYS}, {"compared": self.compared.key, "n": self.settings.n}, rows)

    @cached_property
    def _distinct(self) -> FrozenVocabulary | None:
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
        found = self.stage("distinct", {"statistics": STATISTICS}, decided, lambda: iter([("statistics", self._row())]))
        return FrozenVocabulary.of(found.batches("statistics"))

    def _row(self) -> pa.RecordBatch:
        words = sum(one.length for one in self.vocabulary.totals)
        parts = 1
        # Texts have about three words for each term that counts.
        while 3 * words * _SORTED_BYTES > parts * self.run.plan.memory:
            parts *= 2
        repeats = new_wording(self.counted.batches("raw"), self.vocabulary.documents, parts)
        return count_distinct(self.counts(), self.vocabulary, repeats)

    @cached_property
    def languages(self) -> NDArray[np.uint8]:
        """uint8 (documents,), index into ``LANGUAGES``."""
        rows = KEYS.rows(self.keys.batches("keys"))
        return np.concatenate([np.zeros(0, np.uint8), *(row["languages"] for row in rows)])

    @cached_property
    def facts(self) -> DocumentFacts:
        """Sources, times, texts and addresses: about 32 bytes of memory per document."""
        rows = list(FACTS.rows(self.counted.batches("facts")))
        sources = pa.chunked_array([row["sources"] for row in rows], pa.string()).combine_chunks().dictionary_encode()
        named = np.array(sources.dictionary.to_pylist(), dtype=object) != ""
        number = sources.indices.to_numpy().astype(np.int64)
        times = np.concatenate([np.zeros(0, np.int64), *(row["times"] for row in rows)])
        return DocumentFacts(
            np.where(named[number], number, NO_SOURCE) if len(number) else number,
            times,
            equal_texts(list(self.documents()), len(times)),
            *(
                np.concatenate([np.zeros(0, np.int64), *(row[name] for row in rows)])
                for name in ("addresses", "openings")
            ),
        )

    @property
    def dated(self) -> bool:
        """Whether any document has a date."""
        return bool(np.any(self.facts.times != NO_TIME))

    @cached_property
    def every_pair(self) -> bool:
        """Whether every pair of documents with equal key terms is judged: not if such clusters are large."""
        hashes = [np.zeros(0, dtype=np.uint64)]
        for row in KEYS.rows(self.keys.batches("keys")):
            own = np.zeros(len(row["sizes"]), dtype=np.uint64)
            mix_rows(offsets_of(row["sizes"]), row["keys"], own)
            hashes.append(own[row["sizes"] > 0])
        equal = np.unique(np.concatenate(hashes), return_counts=True)[1].astype(np.int64)
        return int((equal * (equal - 1)).sum()) <= MOST_VERBATIM_LINKS

    def judge(self, a: NDArray[np.int64], b: NDArray[np.int64], *, filtered: bool = True) -> JudgedCandidates:
        """Judge pairs of documents; arguments and result as for ``batch.judging.JudgedCollection.judge``."""
        documents, places = np.unique(np.concatenate([a, b]), return_inverse=True)
        one, other = places[: len(a)].astype(np.int64), places[len(a) :].astype(np.int64)
        found = judge_pairs(
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
            {"records": RECORDS},
            {"counted": self.counted.key},
            lambda: weighed_records(list(self.counted.batches("raw")), self.languages.astype(np.int8)),
        )
        return RunRows.of_records(found.batches("records"))

    @cached_property
    def _ranked(self) -> list[tuple[int, TermRows, NDArray[np.int64], TermRows]]:
        """First document, key terms, weights and targets of each chunk, by rank among all key terms, memory-mapped."""
        found = self.stage(
            "ranked", {"keys": KEYS}, {"compared": self.compared.key}, lambda: (("keys", row) for row in self._ranks())
        )
        return [
            (
                row["first"],
                TermRows(offsets_of(row["sizes"]), row["keys"], 0),
                row["weights"],
                TermRows(offsets_of(row["target_sizes"]), row["targets"], 0),
            )
            for row in KEYS.rows(found.batches("keys"))
        ]

    def _ranks(self) -> Iterator[pa.RecordBatch]:
        place = self._places()
        nothing: dict[str, list[int]] = {name: [] for name in ("languages", "own", "hashes", "checks")}
        for row in KEYS.rows(self.compared.batches("keys")):
            size = len(row["sizes"])
            rows: dict[str, NDArray[Any]] = {}
            for name, sizes in (("keys", "sizes"), ("targets", "target_sizes")):
                kept, numbers = np.empty(size, np.int32), np.empty(len(row[name]), np.uint32)
                indptr, every = offsets_of(row[sizes]), np.arange(size, dtype=np.int64)
                written = renumber_rows(indptr, row[name], every, place, True, kept, numbers)
                rows |= {name: numbers[:written], sizes: kept}
            # Key terms of a document are in code point order already, so that their weights keep their places.
            yield KEYS.row(first=row["first"], weights=row["weights"], **rows, **nothing)

    def _places(self) -> NDArray[np.int32]:
        """int32 (vocabulary,): rank of each key term in code point order, -1 for other terms."""
        numbers = mark_key_terms(self.compared.batches("keys"), len(self.vocabulary))
        rows = list(LABELS.rows(key_term_labels(self.counts(), self.vocabulary, numbers)))
        known = np.concatenate([np.zeros(0, np.uint32), *(row["numbers"] for row in rows)])
        order = pc.sort_indices(pa.chunked_array([row["terms"] for row in rows], pa.string())).to_numpy()
        place = np.empty(len(known), dtype=np.int32)
        place[known[order]] = np.arange(len(known), dtype=np.int32)
        return np.where(numbers >= 0, place[np.maximum(numbers, 0)] if len(place) else -1, -1).astype(np.int32)

    def _compared_keys(self, documents: NDArray[np.int64]) -> ComparedKeys:
        """Key terms of documents, which ascend."""
        firsts = np.array([first for first, *_ in self._ranked], dtype=np.int64)
        cuts = np.searchsorted(documents, np.append(firsts, np.iinfo(np.int64).max))
        keys, weights = [np.zeros(0, np.uint32)], [np.zeros(0, np.int64)]
        targets, sizes, target_sizes = [np.zeros(0, np.uint32)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for (first, asked, heavy, answers), begin, end in zip(self._ranked, cuts, cuts[1:], strict=False):
            rows = documents[begin:end] - first
            places, length = _entries(asked.indptr, rows)
            keys.append(asked.indices[places])
            weights.append(heavy[places])
            sizes.append(length)
            places, length = _entries(answers.indptr, rows)
            targets.append(answers.indices[places])
            target_sizes.append(length)
        begins, weighed = offsets_of(np.concatenate(sizes)), np.concatenate(weights)
        terms = np.concatenate(keys).astype(np.int32)
        top = heaviest(begins, weighed)
        own, squares = np.empty((len(documents), 2), dtype=np.int64), np.empty(len(documents), dtype=np.float64)
        sum_keys(begins, weighed, top, own, squares)
        return ComparedKeys(
            begins=begins,
            terms=terms,
            weights=weighed,
            heaviest=top,
            own=own,
            squares=squares,
            target_begins=offsets_of(np.concatenate(target_sizes)),
            targets=np.concatenate(targets).astype(np.int32),
        )


class EqualTexts:
    """Pairs of documents with equal texts; in large clusters, only pairs with the earliest document.

    Args:
        texts: int64 (documents,), the earliest document with this text, negative for an empty one.
    """

    def __init__(self, texts: NDArray[np.int64]) -> None:
        self._texts = texts
        self._order = np.argsort(texts, kind="stable")
        self._begins = np.searchsorted(texts[self._order], texts)
        self._place = np.empty(len(texts), dtype=np.int64)
        self._place[self._order] = np.arange(len(texts))
        before = np.where(texts >= 0, self._place - self._begins, 0)
        self._great = int(before.sum()) > MOST_VERBATIM_LINKS // 2
        self._before = np.minimum(before, 1) if self._great else before

    def before(self, documents: NDArray[np.int64]) -> _Pairs:
        """Later and earlier document of each pair whose later document is among ``documents``."""
        return self._run(documents, self._begins, self._before[documents])

    def after(self, documents: NDArray[np.int64]) -> _Pairs:
        """Earlier and later document of each pair whose earlier document is among ``documents``."""
        ends = np.searchsorted(self._texts[self._order], self._texts[documents], side="right")
        length = np.where(self._texts[documents] >= 0, ends - self._place[documents] - 1, 0)
        if self._great:
            length = np.where(self._place[documents] == self._begins[documents], length, 0)
        return self._run(documents, self._place + 1, length)

    def _run(self, documents: NDArray[np.int64], begins: NDArray[np.int64], length: NDArray[np.int64]) -> _Pairs:
        place = places_of(begins[documents], length)
        return np.repeat(documents, length), self._order[place]


class EqualDocuments:
    """Pairs of documents with equal texts, and of two sources with equal openings."""

    def __init__(self, facts: DocumentFacts) -> None:
        self._sources = facts.sources
        self._texts = EqualTexts(facts.texts)
        self._openings = None if facts.openings is None else EqualTexts(facts.openings)

    def before(self, documents: NDArray[np.int64]) -> _Pairs:
        """As ``EqualTexts.before``."""
        return self._both(
            self._texts.before(documents), None if self._openings is None else self._openings.before(documents)
        )

    def after(self, documents: NDArray[np.int64]) -> _Pairs:
        """As ``EqualTexts.after``."""
        return self._both(
            self._texts.after(documents), None if self._openings is None else self._openings.after(documents)
        )

    def _both(self, texts: _Pairs, openings: _Pairs | None) -> _Pairs:
        if openings is None:
            return texts
        wanted = self._sources[openings[0]] != self._sources[openings[1]]
        one, other = (np.concatenate([mine, its[wanted]]) for mine, its in zip(texts, openings, strict=True))
        return one, other


def _entries(indptr: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of the entries of rows, and how many each row has."""
    length = indptr[rows + 1] - indptr[rows]
    return places_of(indptr[rows], length), length
