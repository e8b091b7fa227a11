"""Sentence features and passages side by side, as a part of passages.md: what each finds, and what it costs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from passages_collections import as_table, read_corpus, read_labels
from rapidfuzz.distance import Indel

from infostream_dedup.judging.features.hashing import hash_words
from infostream_dedup.judging.passages.features.sentences import ExactSentence
from infostream_dedup.judging.passages.sentence_classes import index_bags, matched
from infostream_dedup.judging.passages.sentence_feature import sentence_feature
from infostream_dedup.judging.passages.sentence_table import SentenceTable, read_sentences
from infostream_dedup.model import Document

SENTENCES = 57_135
"""Of the collection of Yu et al.; the gold set is cut to about as many."""

ALIKE = 0.8
"""Two sentences are copies when 2 LCS / (n + m) of their words is at least this."""

TAUS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Thresholds among which the best one is looked for."""

ALIGNED = 0.5
"""The same of a sentence and its correction: below it the two texts are not cut alike."""

REPEATS = 5

POSTING = 4
"""Bytes of a sentence number in an inverted list."""


@dataclass(frozen=True)
class Contestant:
    """One row of the comparison, with the paper's figures (ratios to 3-shingles).

    Attributes:
        name: name shown.
        notation: notation of the feature.
        f1: F1 in the paper; ``None`` if not given.
        space: ratio of space in the paper.
        indexing: ratio of indexing time in the paper.
        matching: ratio of matching time in the paper.
    """

    name: str
    notation: str
    f1: str = "-"
    space: str = "-"
    indexing: str = "-"
    matching: str = "-"


CONTESTANTS = (
    Contestant("3-shingles", "shingles", ".960", "1", "1", "1"),
    Contestant("Low-IDF-Sig, 10", "low-idf-sig:n=10"),
    Contestant("Low-IDF-Sig, 50", "low-idf-sig:n=50", "~.95", ".29", ".37", ".086"),
    Contestant("Low-IDF-Sig, 500", "low-idf-sig:n=500", ".954"),
    Contestant("Low-IDF-Sig, 50 of the corpus", "low-idf-sig:n=50:source=corpus"),
    Contestant("SpotSigs, all stop words", "spotsigs", ".764"),
    Contestant("I-Match, IDF .3 to 1", "i-match", ".877"),
    Contestant("exact sentence", "exact"),
)


@dataclass(frozen=True)
class Gold:
    """Sentences with judged pairs.

    Attributes:
        sentences: sentences of all documents.
        truth: int64 (pairs,), ascending codes (one * sentences + other, one < other) of the pairs that are copies.
        identical: int64 (identical,), codes of those copies that have the same words in the same order.
        documents: number of documents by corpus.
    """

    sentences: SentenceTable
    truth: NDArray[np.int64]
    identical: NDArray[np.int64]
    documents: dict[str, int]


def comparison() -> str:
    """Compare the contestants on one collection: what each finds, what it costs."""
    chosen = choose_documents()
    documents = [document for part in chosen.values() for document in part]
    sentences = read_sentences([one.text for one in documents], [one.lang for one in documents])
    found = {one.notation: _find_pairs(sentences, one.notation) for one in CONTESTANTS}
    pools = (pairs for by_tau in found.values() for pairs in by_tau.values())
    gold = gold_of(sentences, documents, pools, {name: len(part) for name, part in chosen.items()})
    costs = {one.notation: _cost(sentences, one.notation) for one in CONTESTANTS}
    hashing = _hashing(sentences)
    return f"""## Sentences: the comparison of Yu et al.

{_gold_text(gold)}

{_quality_table(gold, found)}

Space: {POSTING} bytes for each entry of the inverted lists. Indexing: from words to features to sorted lists; \
{hashing:.3f} s of it go into hashing the distinct words, the same for every feature (the second ratio leaves this \
out). Matching: all pairs at the feature's threshold. CPU seconds are the best of {REPEATS} runs. Visits: pairs of \
entries of one list, which is what an index without pruning compares, such as the paper's (n sentences with a feature \
make n² comparisons). Ratios are to 3-shingles, with the paper's beside them.

{_cost_table(costs, hashing)}

{_against_the_paper(gold, found, costs)}"""


def choose_documents() -> dict[str, list[Document]]:
    """Choose all of slavictopics, half as many sentences of uagec, labelled mdnews documents up to the paper's size."""
    room = SENTENCES
    chosen = {"slavictopics": read_corpus("slavictopics")}
    room -= _size(chosen["slavictopics"])
    corrected = _by_family(read_corpus("uagec"))
    chosen["uagec"] = list(_take_groups(corrected, room // 2))
    room -= _size(chosen["uagec"])
    by_id = {document.id: document for document in read_corpus("mdnews")}
    labelled = (
        (by_id[label["a"]], by_id[label["b"]]) for label in read_labels("mdnews") if label["label"] != "different"
    )
    chosen["mdnews"] = list(_take_groups(labelled, room))
    return chosen


def _by_family(documents: list[Document]) -> list[tuple[Document, ...]]:
    families: dict[str, list[Document]] = {}
    for document in documents:
        families.setdefault(document.extra["family"], []).append(document)
    return [tuple(family) for family in families.values()]


def _size(documents: Iterable[Document]) -> int:
    return len(read_sentences([document.text for document in documents], None))


def _take_groups(groups: Iterable[tuple[Document, ...]], room: int) -> Iterator[Document]:
    """Take documents of whole groups, each once, until there are enough sentences."""
    seen: set[str] = set()
    for group in groups:
        new = [document for document in group if document.id not in seen]
        room -= _size(new)
        if room < 0:
            return
        seen.update(document.id for document in new)
        yield from new


def _find_pairs(sentences: SentenceTable, notation: str) -> dict[float, NDArray[np.int64]]:
    """Find pairs at the feature's own threshold and at others."""
    feature = sentence_feature(notation)
    index = index_bags(feature.bags(sentences))
    found = {}
    for tau in dict.fromkeys((feature.tau, *(TAUS if feature.tau < 1 else ()))):
        pairs = matched(index, tau).pairs()
        found[tau] = np.unique(pairs[:, 0] * len(sentences) + pairs[:, 1])
    return found


def gold_of(
    sentences: SentenceTable, documents: list[Document], found: Iterable[NDArray[np.int64]], counts: dict[str, int]
) -> Gold:
    """Judge sentences: all of labelled pairs of documents against each other, and whatever was found.

    Args:
        sentences: sentences of the documents.
        documents: the documents.
        found: codes of the pairs that features found, each ascending.
        counts: number of documents by corpus.
    """
    aligned = _align_sentences(sentences, documents)
    labelled = _pair_labelled_sentences(sentences, documents)
    pool = np.unique(np.concatenate((*found, aligned, labelled)))
    equal = index_bags(ExactSentence().bags(sentences)).class_of.astype(np.int64)
    one, other = np.divmod(pool, len(sentences))
    # Equal sentences are judged once.
    low, high = np.minimum(equal[one], equal[other]), np.maximum(equal[one], equal[other])
    _, first, place = np.unique(low * len(sentences) + high, return_index=True, return_inverse=True)
    judged = np.array([_measure_similarity(sentences, *divmod(code, len(sentences))) for code in pool[first].tolist()])
    truth = np.union1d(pool[(judged >= ALIKE)[place]], aligned)
    return Gold(sentences, truth, pool[equal[one] == equal[other]], counts)


def _measure_similarity(sentences: SentenceTable, one: int, other: int) -> float:
    rows = sentences.words.rows
    return Indel.normalized_similarity(rows.row(one).tolist(), rows.row(other).tolist(), score_cutoff=ALIGNED)


def _align_sentences(sentences: SentenceTable, documents: list[Document]) -> NDArray[np.int64]:
    """Align sentences of uagec with their corrections in families whose texts have equally many sentences."""
    families: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        if document.id.startswith("ug-"):
            families.setdefault(document.extra["family"], []).append(number)
    codes = []
    for family in families.values():
        for place, one in enumerate(family):
            for other in family[place + 1 :]:
                begins, ends = sentences.first[[one, other]], sentences.first[[one + 1, other + 1]]
                if (ends - begins)[0] == (ends - begins)[1]:
                    pairs = zip(range(begins[0], ends[0]), range(begins[1], ends[1]), strict=True)
                    codes += [
                        a * len(sentences) + b for a, b in pairs if _measure_similarity(sentences, a, b) >= ALIGNED
                    ]
    return np.array(codes, dtype=np.int64)


def _pair_labelled_sentences(sentences: SentenceTable, documents: list[Document]) -> NDArray[np.int64]:
    """Pair every sentence of one document with every sentence of the other, for the labelled pairs of documents."""
    number = {document.id: place for place, document in enumerate(documents)}
    codes = [np.zeros(0, dtype=np.int64)]
    for name in ("mdnews", "slavictopics", "uagec"):
        for label in read_labels(name):
            if label["label"] != "different" and label["a"] in number and label["b"] in number:
                one, other = sorted((number[label["a"]], number[label["b"]]))
                a = np.arange(sentences.first[one], sentences.first[one + 1])
                b = np.arange(sentences.first[other], sentences.first[other + 1])
                codes.append((a[:, None] * len(sentences) + b).ravel())
    return np.concatenate(codes)


def _gold_text(gold: Gold) -> str:
    share = len(gold.identical) / len(gold.truth)
    parts = ", ".join(f"{number} of {name}" for name, number in gold.documents.items())
    return f"""The gold set: {len(gold.sentences)} sentences of {sum(gold.documents.values())} documents ({parts}); \
the paper's has {SENTENCES} of 2,000 web pages, labelled by hand. True pairs: {len(gold.truth)}, of which \
{100 * share:.1f} % are identical (the paper: more than 80 %). A pair is true when 2 LCS / (n + m) of its words is \
at least {ALIKE}, or when one is the correction of the other (uagec: sentence by sentence in texts with equally \
many). All sentences of labelled pairs of documents are judged against each other, and so is whatever any feature \
finds at a tau of {", ".join(map(str, TAUS))}. Edited: the true pairs that are not identical."""


def _quality_table(gold: Gold, found: dict[str, dict[float, NDArray[np.int64]]]) -> str:
    edited = np.setdiff1d(gold.truth, gold.identical)
    rows = []
    for one in CONTESTANTS:
        tau, pairs = next(iter(found[one.notation].items()))
        changed = np.setdiff1d(pairs, gold.identical)
        by_tau = {
            other: compute_scores(found[one.notation][other], gold.truth)[2] for other in sorted(found[one.notation])
        }
        best = max(by_tau, key=by_tau.__getitem__)
        rows.append(
            (
                *(one.name, tau, len(pairs)),
                *(f"{value:.3f}" for value in compute_scores(pairs, gold.truth)),
                one.f1,
                f"{by_tau[best]:.3f} at {best}",
                *(f"{value:.3f}" for value in compute_scores(changed, edited)),
            )
        )
    heads = ("feature", "tau", "pairs", "P", "R", "F1", "F1, paper", "best F1", "P, edited", "R, edited", "F1, edited")
    return as_table(heads, rows)


def compute_scores(pairs: NDArray[np.int64], truth: NDArray[np.int64]) -> tuple[float, float, float]:
    """Compute precision, recall and F1 of distinct codes."""
    met = len(np.intersect1d(pairs, truth, assume_unique=True))
    precision, recall = met / max(len(pairs), 1), met / max(len(truth), 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-12)


@dataclass(frozen=True)
class Cost:
    """Cost of a feature.

    Attributes:
        postings: number of entries of the inverted lists.
        visits: number of pairs of entries within a list.
        indexing: CPU seconds of indexing.
        matching: CPU seconds of matching.
    """

    postings: int
    visits: int
    indexing: float
    matching: float


def _hashing(sentences: SentenceTable) -> float:
    """Measure the CPU seconds of hashing the vocabulary, best of several runs."""
    taken = []
    for _ in range(REPEATS):
        begin = time.process_time()
        hash_words(sentences.words.vocabulary)
        taken.append(time.process_time() - begin)
    return min(taken)


def _cost(sentences: SentenceTable, notation: str) -> Cost:
    feature = sentence_feature(notation)
    indexing, matching = [], []
    for _ in range(REPEATS):
        begin = time.process_time()
        bags = feature.bags(sentences)
        index = index_bags(bags)
        middle = time.process_time()
        matched(index, feature.tau)
        indexing.append(middle - begin)
        matching.append(time.process_time() - middle)
    entries = np.unique(np.stack((bags.values, bags.numbers.astype(np.uint64)), axis=1), axis=0)
    df = np.unique(entries[:, 0], return_counts=True)[1]
    return Cost(index.postings, int((df * (df - 1) // 2).sum()), min(indexing), min(matching))


def _cost_table(costs: dict[str, Cost], hashing: float) -> str:
    base = costs[CONTESTANTS[0].notation]
    rows = []
    for one in CONTESTANTS:
        cost = costs[one.notation]
        rows.append(
            (
                one.name,
                f"{cost.postings * POSTING:,}",
                f"{cost.postings / base.postings:.2f}",
                one.space,
                f"{cost.indexing:.3f}",
                f"{cost.indexing / base.indexing:.2f}",
                f"{(cost.indexing - hashing) / (base.indexing - hashing):.2f}",
                one.indexing,
                f"{cost.matching:.4f}",
                f"{cost.matching / base.matching:.2f}",
                f"{cost.visits:,}",
                f"{cost.visits / base.visits:.3f}",
                one.matching,
            )
        )
    heads = ("feature", "bytes", "ratio", "paper", "indexing, s", "ratio", "ratio", "paper", "matching, s", "ratio")
    return as_table((*heads, "visits", "ratio", "paper (time)"), rows)


def _against_the_paper(gold: Gold, found: dict[str, dict[float, NDArray[np.int64]]], costs: dict[str, Cost]) -> str:
    shingles, chains = "shingles", "low-idf-sig:n=50"
    f1 = [compute_scores(next(iter(found[name].values())), gold.truth)[2] for name in (shingles, chains)]
    cost = costs[shingles]
    return f"""Against the paper: Low-IDF-Sig with 50 antecedents has \
{100 * costs[chains].postings / cost.postings:.0f} % of the entries of 3-shingles (paper: 29 %), and \
{100 * (f1[0] - f1[1]):.1f} points of F1 less (paper: 1): it loses edited sentences, of which there are more here. Its \
times are not a third and a twelfth, as in the paper. Features are computed on whole columns of numbers, in a time \
that hardly depends on how many entries are kept; and matching visits only pairs that can still reach tau, so the \
frequent shingles behind the paper's n² comparisons cost nothing: matching 3-shingles takes \
{100 * cost.matching / cost.indexing:.0f} % of the time of indexing them. That is why 3-shingles are the default."""
