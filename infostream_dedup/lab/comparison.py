"""Methods run, timed and compared: costs, joint coverage, disputed pairs, the pool of methods."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import combinations
from math import log2
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import numpy as np
import scipy.sparse as sp

from infostream_dedup.documents import ReadingReport
from infostream_dedup.errors import ConfigurationError, MissingExtraError
from infostream_dedup.judging.features import words as word_features
from infostream_dedup.lab import labels as labelling
from infostream_dedup.lab import scores as scoring
from infostream_dedup.lab.methods import POOL_METHODS, Method, Pairs, Texts, method_class, methods, written
from infostream_dedup.links.compiled.totals import sweep_counts
from infostream_dedup.links.measures import Measures
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine.arrays import Bools, Ints, Ragged, Uint64s, distinct, rows_from
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import VERSION, Settings
from infostream_dedup.model.limits import OneOf
from infostream_dedup.model.tabular import Tabular
from infostream_dedup.runs.batch.linking import pair_table
from infostream_dedup.terms.compiled import key_terms_of_surfaces

_Result = TypeVar("_Result")
_MIN_SECONDS: Final = 0.05  # minimum CPU seconds of the half from which growth can be measured


@dataclass(frozen=True, slots=True)
class Cost:
    """Time that some work took."""

    seconds: float  # wall-clock seconds
    cpu_seconds: float  # CPU seconds of this process with all its threads, and of the child processes it has waited for


def measured(work: Callable[[], _Result]) -> tuple[_Result, Cost]:
    """Do some work and return its result and cost."""
    seconds, cpu = time.perf_counter(), _cpu_seconds()
    return work(), Cost(time.perf_counter() - seconds, _cpu_seconds() - cpu)


def growth(whole: Cost, half: Cost) -> float | None:
    """Return the exponent e such that CPU time grows as n^e with the number n of documents."""
    return log2(whole.cpu_seconds / half.cpu_seconds) if half.cpu_seconds >= _MIN_SECONDS else None


def _cpu_seconds() -> float:
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


_SHARED: Final = ("languages", "words", "stop_places", "significant", "counts", "sentences", "plain", "surfaces")
"""The parts of the texts that methods share; they are read before any method is timed."""

_WARM_UP: Final = 20
"""Number of documents on which a method first runs untimed, so that loading dictionaries and packages is not timed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRun:
    """Result of one method on the collection."""

    name: str  # name as requested, with the parameters given (`three-plus-two:n=3`)
    method: Method  # the method with all its parameters
    codes: Ints  # int64 (pairs,), ascending codes of the unordered pairs it links (`pair_codes`)
    measures: Measures  # those of its relation (`Method.relation`); without symmetry if that has no direction
    bytes_per_document: float  # mean size of a signature in bytes
    cost: Cost  # cost of signing and linking, without reading the shared parts of the texts
    # exponent with which CPU time grows with the number of documents; `None` if not requested or if the run is too
    # short to measure
    growth: float | None = None


@dataclass(frozen=True, slots=True)
class MethodRuns:
    """Results of several methods on one collection."""

    documents: int  # number of documents
    runs: list[MethodRun]  # one for each method, in the order requested
    reading: Cost  # cost of reading the parts of the texts that methods share
    missing: dict[str, str]  # reason by name for each method that could not run


def run_methods(
    texts: Texts, names: Sequence[str] | None = None, *, with_growth: bool = False, progress: Progress | None = None
) -> MethodRuns:
    """Run methods in turn, independently of each other."""
    default = [name for name in methods() if not method_class(name).only_when_named]
    chosen = {name: written(name) for name in (default if names is None else names)}
    reading = read_texts(texts)
    half = Texts(texts.documents[: len(texts) // 2]) if with_growth else None
    if half is not None:
        read_texts(half)
    runs: list[MethodRun] = []
    missing: dict[str, str] = {}
    for number, (name, method) in enumerate(chosen.items()):
        if progress is not None:
            progress(f"methods: {name}", number, len(chosen))
        try:
            runs.append(_run_method(texts, half, name, method))
        except MissingExtraError as error:
            if names is not None:
                raise
            missing[name] = str(error)
    return MethodRuns(len(texts), runs, reading, missing)


def read_texts(texts: Texts) -> Cost:
    """Read the parts of the texts that all methods share, such as words and sentences, and return the cost."""
    return measured(lambda: [getattr(texts, part) for part in _SHARED])[1]


def _run_method(texts: Texts, half: Texts | None, name: str, method: Method) -> MethodRun:
    method.run(Texts(texts.documents[:_WARM_UP]))
    bare = texts.without_features()
    run, cost = measured(lambda: method.run(bare))
    exponent = None
    if half is not None:
        # Twice, as the first run may load code that smaller work did not need.
        costs = [measured(partial(method.run, half.without_features()))[1] for _ in range(2)]
        exponent = growth(cost, min(costs, key=lambda one: one.cpu_seconds))
    relation = method.relation(bare, run)
    measures = sweep_counts(relation_of(relation, len(texts)), [1])[0]
    return MethodRun(
        name=name,
        method=method,
        codes=np.unique(labelling.codes_of(run.pairs.a, run.pairs.b, len(texts))),
        measures=measures if relation.directed else replace(measures, symmetry=None),
        bytes_per_document=run.bytes_per_document,
        cost=cost,
        growth=exponent,
    )


def relation_of(pairs: Pairs, documents: int) -> SimilarityMatrix:
    """Return pairs as a similarity matrix of ones, to measure symmetry and transitivity."""
    a, b = pairs.a, pairs.b
    if not pairs.directed:
        a, b = np.concatenate((a, b)), np.concatenate((b, a))
    links = sp.coo_array((np.ones(len(a), dtype=np.uint8), (a, b)), shape=(documents, documents)).tocsr()
    links.sort_indices()
    return SimilarityMatrix(sp.csr_array(links), n=1, k_min=1)


def judged_by_labels(run: MethodRun, truth: labelling.Truth, *, resamples: int = 1000) -> dict[str, float | int | None]:
    """Compute precision, recall and F1 of one method with 95 % intervals, by the rules of ``evaluate``."""
    predictions = scoring.Predictions(run.codes, np.ones(len(run.codes), dtype=np.uint8), (1,), "k")
    row = scoring.evaluate(predictions, truth, recommended=1, resamples=resamples).rows[0]
    figures = row.scores.figures("precision", "recall", "f1", "tp", "fp", "fn", "linked", "judged")
    bounds = row.intervals
    for prefix, interval in (("", bounds.f1), ("precision_", bounds.precision), ("recall_", bounds.recall)):
        figures[f"{prefix}low"], figures[f"{prefix}high"] = interval or (None, None)
    groups = scoring.group_scores(
        labelling.number_components(truth.documents, *labelling.both_of(run.codes, truth.documents)), truth
    )
    return figures | (dict.fromkeys(scoring.GROUP_MEASURES) if groups is None else groups.as_dict())


# Compare methods on one collection: pairs, overlaps, speed, disagreements, and scores by labels or by a pool.


def dice_matrix(codes: Sequence[Ints]) -> list[list[float | None]]:
    """Return 2 |A ∩ B| / (|A| + |B|) of every two methods, which Zelenkov and Segalovich write as "2·A·B/(A+B)"."""
    table = found_by(codes)[1].astype(np.int64)
    met = (table.T @ table).tolist()
    sizes = [row[place] for place, row in enumerate(met)]
    return [
        [2 * both / (one + other) if one + other else None for both, other in zip(row, sizes, strict=True)]
        for row, one in zip(met, sizes, strict=True)
    ]


def found_by(codes: Sequence[Ints]) -> tuple[Ints, Bools]:
    """Determine which method finds which pair."""
    pairs = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *codes]))
    found = np.zeros((len(pairs), len(codes)), dtype=np.bool_)
    for column, own in enumerate(codes):
        found[:, column] = np.isin(pairs, own, assume_unique=True)
    return pairs, found


def found_alone(codes: Sequence[Ints]) -> list[int]:
    """Return for each method the number of its pairs that no other method finds."""
    _, found = found_by(codes)
    return [int(number) for number in found[found.sum(axis=1) == 1].sum(axis=0)]


_MOST_METHODS: Final = 63  # one bit per method must fit into one word


@dataclass(frozen=True, slots=True)
class JointCoverage:
    """What several methods find together."""

    methods: tuple[str, ...]  # names of two or three methods
    pairs: int  # number of pairs that at least one of them finds
    true: int  # number of true pairs among them
    recall: float | None  # share of the true pairs, 0 to 1; `None` if there are none
    best_alone: float | None  # recall of the best of them alone

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self) | {"methods": list(self.methods)}


def joint_coverage(
    codes: Mapping[str, Ints], true: Ints, *, sizes: Sequence[int] = (2, 3), most: int = 10
) -> list[JointCoverage]:
    """Find the pairs and triples of methods that cover most."""
    names = list(codes)[:_MOST_METHODS]
    pairs, table = found_by([codes[name] for name in names])
    bits = (table @ (np.int64(1) << np.arange(len(names), dtype=np.int64))).astype(np.int64)
    patterns, which = np.unique(bits, return_inverse=True)
    everywhere = np.bincount(which, minlength=len(patterns))
    right = np.bincount(which, weights=np.isin(pairs, true), minlength=len(patterns)).astype(np.int64)
    total = len(np.unique(true))

    def count(members: Sequence[int], weights: Ints) -> int:
        mask = np.int64(sum(1 << member for member in members))
        return int(weights[(patterns & mask) != 0].sum())

    found: list[JointCoverage] = []
    for size in sizes:
        rows = []
        for members in combinations(range(len(names)), size):
            covered = count(members, right)
            parts = [count(rest, right) for rest in combinations(members, size - 1)]
            if covered == max(parts):
                continue
            rows.append((-covered, count(members, everywhere), members))
        for covered, whole, members in sorted(rows)[:most]:
            alone = max(count((member,), right) for member in members)
            found.append(
                JointCoverage(
                    tuple(names[member] for member in members),
                    whole,
                    -covered,
                    round(-covered / total, 6) if total else None,
                    round(alone / total, 6) if total else None,
                )
            )
    return found


_LONG_SENTENCE: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFeatures:
    """What the documents of a pair have in common."""

    similarity: float  # String::Similarity of the texts as words without punctuation, 0 to 1
    jaccard5: float  # distinct word 5-grams common to both texts, divided by those in either, 0 to 1
    containment5: float  # distinct word 5-grams common to both texts, divided by those of the text with fewer, 0 to 1
    same_sentences: int  # number of distinct sentences of six or more words that occur in both texts
    forward: int  # number of key terms of the earlier document found in the later one (`morph`, 12 terms)
    backward: int  # number of key terms of the later document found in the earlier one
    terms: list[str]  # key terms found in either direction, heaviest first

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, with shares rounded to 4 decimals."""
        return {name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(self).items()}


def pair_features(texts: Texts, a: Ints, b: Ints) -> list[PairFeatures]:
    """Compute the features of pairs."""
    grams = distinct(texts.shingles(5, all_words=True))
    sentences = _hash_long_sentences(texts, np.unique(np.concatenate((a, b))))
    key_terms = key_terms_of_surfaces(texts.surfaces, Settings())
    table = pair_table(key_terms, a, b)
    found = []
    for pair, (one, other) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        jaccard, containment = _compare_sets(grams.row(one), grams.row(other))
        found.append(
            PairFeatures(
                similarity=word_features.string_similarity(texts.plain[one], texts.plain[other]),
                jaccard5=jaccard,
                containment5=containment,
                same_sentences=len(np.intersect1d(sentences.row(one), sentences.row(other), assume_unique=True)),
                forward=int(table.forward[pair]),
                backward=int(table.backward[pair]),
                terms=table.terms_of(pair, key_terms.counts.terms),
            )
        )
    return found


def _compare_sets(one: Uint64s, other: Uint64s) -> tuple[float, float]:
    """Return the resemblance of two sets and the containment of the smaller in the larger; 0 if either is empty."""
    smaller = min(len(one), len(other))
    if not smaller:
        return 0.0, 0.0
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / (len(one) + len(other) - shared), shared / smaller


def _hash_long_sentences(texts: Texts, documents: Ints) -> Ragged:
    """Return the distinct hashes of the given documents' long sentences; the rows of all other documents are empty."""
    words = texts.words
    hashes = word_features.hash_words(words.vocabulary)
    wanted = np.zeros(len(texts), dtype=np.bool_)
    wanted[documents] = True
    rows: list[list[int]] = [[] for _ in range(len(texts))]
    sizes = np.diff(words.breaks)
    for sentence in np.flatnonzero(wanted[words.sentence_documents] & (sizes >= _LONG_SENTENCE)).tolist():
        numbers = words.rows.values[words.breaks[sentence] : words.breaks[sentence + 1]]
        value = word_features.hash_sequences([hashes[number : number + 1] for number in numbers.tolist()])
        rows[int(words.sentence_documents[sentence])].append(int(value[0]))
    return distinct(rows_from(rows, np.uint64))


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """A pair as an example."""

    a: str  # id of the earlier document
    b: str  # id of the later one
    found_by: list[str]  # names of the methods that find it, in the order of the comparison
    of_kind: int  # number of pairs found by exactly these methods, which this pair represents in a sample
    features: PairFeatures  # what the two documents have in common

    def as_dict(self) -> dict[str, Any]:
        """Return a row of a labels file that has yet to be labelled: ``label`` is ``None``."""
        row = {"a": self.a, "b": self.b, "label": None, "found_by": self.found_by, "of_kind": self.of_kind}
        return row | self.features.as_dict()


def disputed(found: Mapping[str, Ints], number: int, *, known: Ints | None = None) -> Ints:
    """Draw pairs that some methods find and others do not, the same with any version of numpy."""
    codes, by = found_by(list(found.values()))
    open_pairs = ~by.all(axis=1)
    if known is not None:
        open_pairs &= ~np.isin(codes, known)
    codes, by = codes[open_pairs], by[open_pairs]
    if not len(codes):
        return np.zeros(0, dtype=np.int64)
    kinds, kind, sizes = np.unique(by, axis=0, return_inverse=True, return_counts=True)
    rank_of_kind = np.empty(len(kinds), dtype=np.int64)
    rank_of_kind[np.argsort(-sizes, kind="stable")] = np.arange(len(kinds))
    order = np.lexsort((codes, np.random.PCG64(0).random_raw(len(codes)), kind))
    turn = np.empty(len(codes), dtype=np.int64)
    turn[order] = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(codes[np.lexsort((rank_of_kind[kind], turn))][:number], dtype=np.int64)


def agreed(found: Mapping[str, Ints], number: int) -> Ints:
    """Pick pairs evenly from those that the most methods find."""
    codes, by = found_by(list(found.values()))
    times = by.sum(axis=1)
    best = codes[times == times.max(initial=0)]
    if len(best) <= number:
        return np.asarray(best, dtype=np.int64)
    return np.asarray(best[np.arange(number) * len(best) // number], dtype=np.int64)


def compared_pairs(texts: Texts, found: Mapping[str, Ints], codes: Ints) -> list[ComparedPair]:
    """Describe pairs by the methods that find them and what their documents have in common."""
    if not len(codes):
        return []
    names = list(found)
    all_codes, by = found_by(list(found.values()))
    _, kind, sizes = np.unique(by, axis=0, return_inverse=True, return_counts=True)
    places = np.searchsorted(all_codes, codes)
    a, b = labelling.both_of(codes, len(texts))
    ids = [document.id for document in texts.documents]
    return [
        ComparedPair(
            ids[one],
            ids[other],
            [name for name, finds in zip(names, by[place].tolist(), strict=True) if finds],
            int(sizes[kind[place]]),
            features,
        )
        for one, other, place, features in zip(
            a.tolist(), b.tolist(), places.tolist(), pair_features(texts, a, b), strict=True
        )
    ]


THRESHOLD: Final = 0.80  # minimum String::Similarity of a verified pair


def alike_pairs(texts: Sequence[str], codes: Ints) -> Ints:
    """Select the pairs whose texts have a String::Similarity of at least ``THRESHOLD``."""
    a, b = labelling.both_of(codes, len(texts))
    return codes[word_features.string_similarities(texts, a, b, threshold=THRESHOLD) > 0]


def pool_figures(codes: Ints, verified: Ints, alike: Ints) -> dict[str, float | int | None]:
    """Score one method: ``tp`` are its verified pairs, ``fp`` its other pairs, ``fn`` the verified pairs it misses."""
    right, similar = (len(np.intersect1d(codes, one, assume_unique=True)) for one in (verified, alike))
    scores, shares = scoring.Scores(right, len(codes) - right, len(verified) - right, len(codes)), _MAIN
    figures = scores.figures(*shares, "tp", "fp", "fn") | {"alike": similar / len(codes) if len(codes) else None}
    # Where the pool verifies nothing, it cannot tell right pairs from wrong ones.
    return figures if len(verified) else figures | dict.fromkeys(shares)


Protocol = Literal["labels", "pool"]
PROTOCOLS: Final = ("labels", "pool")
POOLS: Final = ("a0-a10", "all")
_AGREED: Final = 5
_TIMES: Final = ("seconds", "cpu_seconds", "growth")
_POOL: Final = ("methods", "pairs", "verified", "threshold")
_MAIN: Final = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """One row of the comparison."""

    run: MethodRun  # what the method links, keeps and costs
    # figures of the protocol; `precision`, `recall` and `f1`, 0 to 1 or `None`, come first
    figures: Mapping[str, float | int | None]
    only: int  # number of pairs that no other compared method finds

    def as_dict(self, *, times: bool = True) -> dict[str, Any]:
        """Return the row that ``compare`` prints."""
        measures = self.run.measures
        figures = dict(self.figures)
        row = {
            "method": self.run.name, "pairs": len(self.run.codes),
            **{name: figures.pop(name) for name in _MAIN}, "symmetry": measures.symmetry,
            "transitivity": measures.transitivity, "cpu_seconds": round(self.run.cost.cpu_seconds, 4),
            "bytes_per_document": round(self.run.bytes_per_document, 1), "seconds": round(self.run.cost.seconds, 4),
            "growth": None if self.run.growth is None else round(self.run.growth, 2), "only": self.only, **figures,
            "links": measures.links, "transitivity_error": measures.transitivity_error,
        }  # fmt: skip
        return row if times else {name: value for name, value in row.items() if name not in _TIMES}


@dataclass(frozen=True, slots=True)
class PoolSummary:
    """Size of a pool."""

    methods: list[str]  # names of the methods in the pool
    pairs: int  # number of all their pairs
    verified: int  # number of pairs with a String::Similarity of at least the threshold
    threshold: float = THRESHOLD  # minimum String::Similarity of a verified pair
    # int64 (verified,), codes of the verified pairs
    codes: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(Tabular):
    """Result of a comparison."""

    protocol: Protocol  # `labels` or `pool`
    rows: list[ComparedMethod]  # one row for each method, in the order of the tables
    dice: list[list[float | None]]  # Dice coefficients of every two methods, in the order of the rows
    documents: int  # number of documents
    # everything that determines the result: the methods with all their parameters and the protocol's options
    configuration: dict[str, Any]
    pool: PoolSummary | None = None  # size of the pool; `None` with the labels protocol
    missing: dict[str, str] = field(default_factory=dict)  # reason by name for each method that could not run
    notes: list[str] = field(default_factory=list)  # what readers of the figures should know
    agreements: list[ComparedPair] = field(default_factory=list)  # pairs that the most methods find
    # unlabelled pairs that some methods find and others do not
    disagreements: list[ComparedPair] = field(default_factory=list)
    # pairs and triples of methods that find most true pairs together
    coverage: list[JointCoverage] = field(default_factory=list)
    # cost of reading the parts of the texts that methods share
    reading: Cost = field(default_factory=lambda: Cost(0.0, 0.0))
    # whether the method with the best F1 may be called the best: not in an open world, where a method is not punished
    # for what it links beyond the labels
    has_best: bool = True
    report: ReadingReport | None = None  # what was read; `None` if no documents were read

    @property
    def names(self) -> list[str]:
        """Names of the methods, in the order of the rows."""
        return [row.run.name for row in self.rows]

    def as_dict(self, *, times: bool = True) -> dict[str, Any]:
        """Return the content of ``compare --format json``."""
        return {
            "rows": [row.as_dict(times=times) for row in self.rows], "protocol": self.protocol,
            "documents": self.documents, "pool": self.pool and {name: getattr(self.pool, name) for name in _POOL},
            "dice": {"methods": self.names, "values": self.dice},
            "coverage": [row.as_dict() for row in self.coverage], "missing": self.missing, "notes": self.notes,
            "configuration": self.configuration,
        }  # fmt: skip

    def as_rows(self) -> list[dict[str, Any]]:
        """The rows, as plain dicts."""
        return [row.as_dict() for row in self.rows]


def compare_methods(
    texts: Texts,
    rules: scoring.TruthRules = scoring.PLAIN_RULES,
    *,
    methods: Sequence[str] | None = None,
    labels: str | Path | Sequence[labelling.Label] | None = None,
    protocol: Protocol | None = None,
    pool: str = "a0-a10",
    resamples: int = 1000,
    growth: bool = False,
    examples: bool = False,
    disagreements: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Run methods on a collection and evaluate what they find."""
    protocol = _choose_protocol(
        protocol, pool, labels, restricted=bool(rules.kin or rules.lang or rules.domains or rules.closed)
    )
    if protocol == "pool" or examples or disagreements:
        word_features.require_similarity()
    truth, notes = None, []
    if labels is not None:
        listed = labelling.labels_in(labels)
        truth = rules.truth(texts, listed)
        notes = _write_notes(truth, listed, rules.positive)
    found = run_methods(texts, methods, with_growth=growth, progress=progress)
    names = {run.name: run.codes for run in found.runs}
    summary = None
    if protocol == "labels" and truth is not None:
        figures = [judged_by_labels(run, truth, resamples=resamples) for run in found.runs]
    else:
        figures, summary = judged_by_pool(texts, found, pool, progress=progress)
    known, nothing = None, np.zeros(0, dtype=np.int64)
    if truth is not None:
        known = np.sort(np.concatenate((truth.positives, truth.negatives, truth.others)))
    choices: dict[str, Any] = {"pool": pool, "threshold": THRESHOLD}
    if protocol == "labels":
        choices = {"positive": list(rules.positive), "lang": rules.lang}
        choices |= {"domains": list(rules.domains), "closed": rules.closed}
    choices["methods"] = {run.name: run.method.as_dict() for run in found.runs}
    examples_agreed = agreed(names, _AGREED) if examples else nothing
    examples_disputed = disputed(names, disagreements, known=known) if disagreements else nothing
    pairs = compared_pairs(texts, names, np.concatenate((examples_agreed, examples_disputed)))
    return Comparison(
        protocol=protocol,
        rows=[
            ComparedMethod(run, figure, only)
            for run, figure, only in zip(found.runs, figures, found_alone(list(names.values())), strict=True)
        ],
        dice=dice_matrix(list(names.values())),
        documents=len(texts),
        configuration={"version": VERSION, "protocol": protocol, **choices},
        has_best=truth is None or bool(truth.takes_part().any()),
        pool=summary,
        missing=found.missing,
        notes=notes,
        agreements=pairs[: len(examples_agreed)],
        disagreements=pairs[len(examples_agreed) :],
        coverage=joint_coverage(names, summary.codes if summary else nothing if truth is None else truth.positives),
        reading=found.reading,
    )


def judged_by_pool(
    texts: Texts, found: MethodRuns, pool: str = "a0-a10", *, progress: Progress | None = None
) -> tuple[list[dict[str, float | int | None]], PoolSummary]:
    """Compute precision, recall and F1 of every method by the pool protocol."""
    own = {run.name: run.codes for run in found.runs}
    members = own
    if pool == "a0-a10":
        absent = [name for name in POOL_METHODS if name not in own]
        added = {run.name: run.codes for run in run_methods(texts, absent, progress=progress).runs}
        members = {name: own[name] if name in own else added[name] for name in POOL_METHODS}
    all_codes = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *own.values(), *members.values()]))
    alike = alike_pairs(texts.plain, all_codes)
    pairs = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *members.values()]))
    verified = np.intersect1d(pairs, alike, assume_unique=True)
    summary = PoolSummary(list(members), len(pairs), len(verified), codes=verified)
    return [pool_figures(codes, verified, alike) for codes in own.values()], summary


def _choose_protocol(given: Protocol | None, pool: str, labels: object | None, *, restricted: bool) -> Protocol:
    if given is not None:
        OneOf(*PROTOCOLS).check("protocol", given)
    OneOf(*POOLS).check("pool", pool)
    if given == "labels" and labels is None:
        raise ConfigurationError("the protocol labels needs labels; name a file of labelled pairs, or take pool")
    protocol: Protocol = given or ("pool" if labels is None else "labels")
    if restricted and protocol == "pool":
        raise ConfigurationError(
            "kin, languages, domains and closed apply to labels only, but the protocol is pool; leave them out, "
            "or name labels"
        )
    return protocol


def _write_notes(truth: labelling.Truth, listed: Sequence[labelling.Label], positive: Sequence[str]) -> list[str]:
    notes = labelling.note_without_positives(truth, listed, positive)
    if not truth.takes_part().any():
        notes.append(
            "documents name no family, so only labelled pairs count, and what methods find beyond them is not "
            "judged; the columns linked and judged say how many pairs that is, and no method is called the best; if "
            "the labels are exhaustive, set closed (--closed)"
        )
    return notes
