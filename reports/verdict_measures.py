"""What kinds and statuses are worth on labelled news: as a stream of seven days, and in a closed world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from evidence_collection import EvidenceCollection
from pair_model_sets import read_rows
from scipy.sparse.csgraph import connected_components

from infostream_dedup import read_documents
from infostream_dedup.judging.evidence.facts import DAY, NO_TIME, DocumentFacts
from infostream_dedup.judging.evidence.judging import JudgedCandidates, judge_pairs
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind
from infostream_dedup.judging.evidence.pair_model import PairModel
from infostream_dedup.judging.evidence.status import STATUS_NAMES, DocumentStatus, best_pairs, joined_kinds
from infostream_dedup.language.text.fingerprint import text_hash

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OVERLAP", "LabelledNews", "StreamFigures", "closed_figures", "labelled_news", "stream_figures"]

OVERLAP = ("reprint", "partial", "contained")
"""Kinds of labels that say: one text has copied from the other."""

_WINDOW = 7 * DAY
_OWN_AGAIN = ("copy", "updated", "follow-up", "template")


@dataclass(frozen=True, slots=True)
class LabelledNews:
    """A labelled collection with its candidates.

    Attributes:
        collection: the documents.
        facts: their sources, times and texts.
        a: int64 (pairs,), earlier document of each candidate.
        b: int64 (pairs,), the later one.
        labels: rows of the labels that say something is shared, by pair.
    """

    collection: EvidenceCollection
    facts: DocumentFacts
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    labels: Mapping[tuple[int, int], dict[str, Any]]

    def judged(self, model: PairModel | None, chosen: NDArray[np.bool_], *, filtered: bool = True) -> JudgedCandidates:
        """Judge some of the candidates."""
        held = self.collection
        return judge_pairs(
            self.a[chosen], self.b[chosen], keys=held.keys, records=held.records, triples=held.triples,
            documents=self.facts, model=model, filtered=filtered,
        )  # fmt: skip

    def in_window(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Dated pairs at most seven days apart."""
        times = self.facts.times
        dated = (times[a] != NO_TIME) & (times[b] != NO_TIME)
        return np.asarray(dated & (np.abs(np.where(dated, times[a] - times[b], 0)) <= _WINDOW), dtype=np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFigures:
    """Figures of a stream, see ``reports/verdicts.md``."""

    documents: int
    candidates: int
    passed: int
    statuses: Counter[str]
    kinds: Counter[str]
    duplicate_right: float
    duplicate_or_exact_right: float
    reprints: Counter[str]
    reprints_across: Counter[str]
    equal_texts: Counter[str]
    templates: Counter[str]
    template_statuses: Counter[str]
    containing: int
    containing_pairs: float
    largest_group: int
    best: list[tuple[int, int, str, str]]
    """Rows of the documents that are not new: earlier, later, kind, status."""


def labelled_news(corpora: Path, name: str, *, as_stream: bool = False) -> LabelledNews:
    """Read a labelled collection and find its candidates."""
    collection = EvidenceCollection.of(read_documents(corpora / f"{name}.docs.jsonl.gz"), as_stream=as_stream)
    documents = collection.documents
    times = [None if one.time is None else int(one.time.timestamp() * 1e6) for one in documents]
    facts = DocumentFacts.of(
        [one.source for one in documents], times, [text_hash(one.text) for one in documents],
        [one.url for one in documents],
    )  # fmt: skip
    place = {one.id: number for number, one in enumerate(documents)}
    labels = {
        tuple(sorted((place[row["a"]], place[row["b"]]))): row
        for row in read_rows(corpora / f"{name}.labels.jsonl.gz")
        if row["label"] in ("dup", "similar")
    }
    return LabelledNews(collection, facts, *collection.candidates(), labels)  # type: ignore[arg-type]


def stream_figures(news: LabelledNews, model: PairModel | None = None) -> StreamFigures:
    """Let every dated document ask those of the seven days before it."""
    judged = news.judged(model, news.in_window(news.a, news.b))
    status = judged.statuses(joined_kinds(["copy"]))
    best = best_pairs(judged.a, judged.b, status, judged.probability, judged.shares)
    best = best[status[best] > DocumentStatus.NEW]
    pairs = list(zip(judged.a.tolist(), judged.b.tolist(), strict=True))
    place = {pair: number for number, pair in enumerate(pairs)}
    status_of = {pairs[at][1]: STATUS_NAMES[status[at]] for at in best.tolist()}
    label = np.array([news.labels.get(pair, {"kind": ""})["kind"] for pair in pairs])
    overlap = np.isin(label, OVERLAP)
    dated = int(np.count_nonzero(news.facts.times != NO_TIME))
    inside = [pair for pair in news.labels if news.in_window(*(np.array([one]) for one in pair))[0]]

    def kind_at(pair: tuple[int, int]) -> str:
        return KIND_NAMES[judged.kinds[place[pair]]] if pair in place else "no candidate"

    def later(chosen: list[tuple[int, int]]) -> Counter[str]:
        return Counter(status_of.get(pair[1], "new") for pair in chosen)

    def labelled(kind: str) -> list[tuple[int, int]]:
        return [pair for pair in inside if news.labels[pair]["kind"] == kind]

    sources, texts = news.facts.sources, news.facts.texts
    containing = [
        pair
        for pair in inside
        if news.labels[pair]["kind"] in ("partial", "contained") and (news.labels[pair]["containment5"] or 0) >= 0.5
    ]
    duplicates = best[status[best] == DocumentStatus.DUPLICATE]
    repeated = best[status[best] >= DocumentStatus.DUPLICATE]
    statuses = Counter(status_of.values())
    statuses["new"] = dated - statuses.total()
    joined = status >= DocumentStatus.DUPLICATE
    return StreamFigures(
        documents=dated,
        candidates=len(judged),
        passed=int(judged.passed.sum()),
        statuses=statuses,
        kinds=Counter(KIND_NAMES[judged.kinds[at]] for at in best.tolist() if status[at] == DocumentStatus.SIMILAR),
        duplicate_right=_share(overlap[duplicates]),
        duplicate_or_exact_right=_share(overlap[repeated]),
        reprints=later(labelled("reprint")),
        reprints_across=later([pair for pair in labelled("reprint") if sources[pair[0]] != sources[pair[1]]]),
        equal_texts=later([pair for pair in labelled("reprint") if texts[pair[0]] == texts[pair[1]]]),
        templates=Counter(kind_at(pair) for pair in labelled("template")),
        template_statuses=later(labelled("template")),
        containing=len(containing),
        containing_pairs=_share([pair in place and status[place[pair]] > 0 for pair in containing]),
        largest_group=_largest_group(judged.a[joined], judged.b[joined]),
        best=[(*pairs[at], KIND_NAMES[judged.kinds[at]], STATUS_NAMES[status[at]]) for at in best.tolist()],
    )


def _share(right: Sequence[bool] | NDArray[np.bool_]) -> float:
    """Share of true ones, NaN without any."""
    return float(np.mean(right)) if len(right) else np.nan


def _largest_group(a: NDArray[np.int64], b: NDArray[np.int64]) -> int:
    size = int(max(a.max(initial=0), b.max(initial=0))) + 1
    joined = sp.csr_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(size, size))
    return int(np.bincount(connected_components(joined, directed=False)[1]).max())


def closed_figures(news: LabelledNews, model: PairModel | None = None) -> dict[str, Any]:
    """Every pair of kind ``copy`` without a label of overlap counts as wrong."""
    judged = news.judged(model, np.ones(len(news.a), dtype=np.bool_))
    pairs = list(zip(judged.a.tolist(), judged.b.tolist(), strict=True))
    kinds = {pair: KIND_NAMES[kind] for pair, kind in zip(pairs, judged.kinds.tolist(), strict=True)}
    copies = [pair for pair in pairs if kinds[pair] == KIND_NAMES[Kind.COPY]]
    right = sum(news.labels.get(pair, {"kind": ""})["kind"] in OVERLAP for pair in copies)
    reprints = [pair for pair, row in news.labels.items() if row["kind"] == "reprint"]
    sources = news.facts.sources

    def found(pair: tuple[int, int]) -> bool:
        own = sources[pair[0]] == sources[pair[1]]
        return kinds.get(pair) in (_OWN_AGAIN if own else ("copy",))

    return {
        "copies": len(copies),
        "right": right,
        "reprints": len(reprints),
        "copy": sum(kinds.get(pair) == "copy" for pair in reprints),
        "found": sum(map(found, reprints)),
    }
