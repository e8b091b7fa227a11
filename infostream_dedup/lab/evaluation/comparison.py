"""Compares methods on one collection: precision and recall, overlap, symmetry and transitivity, cost.

There are two protocols. *labels*: labelled pairs define which pairs are true, and families and kin, if documents name
them, which are false (``truth``). *pool*: the pairs that the methods of 2007 find together, verified by
String::Similarity, are true (``pool``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.features.string_similarity import require_similarity
from infostream_dedup.lab.evaluation.collection_scores import truth_for
from infostream_dedup.lab.evaluation.coverage import JointCoverage, joint_coverage
from infostream_dedup.lab.evaluation.disagreement import ComparedPair, agreed, compared_pairs, disputed
from infostream_dedup.lab.evaluation.labelled_runs import judged_by_labels
from infostream_dedup.lab.evaluation.labels import Label, labels_in
from infostream_dedup.lab.evaluation.method_runs import MethodRun, MethodRuns, run_methods
from infostream_dedup.lab.evaluation.overlap import dice_matrix, found_alone
from infostream_dedup.lab.evaluation.pool import POOL_METHODS, THRESHOLD, MethodPool, alike_pairs, pool_of, pool_score
from infostream_dedup.lab.evaluation.timing import Cost
from infostream_dedup.lab.evaluation.truth import Truth, note_without_positives
from infostream_dedup.lab.methods import Texts
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import VERSION
from infostream_dedup.model.tabular import Tabular

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.documents import ReadingReport

__all__ = [
    "POOLS",
    "PROTOCOLS",
    "ComparedMethod",
    "Comparison",
    "PoolSummary",
    "compare_methods",
    "judged_by_pool",
]

Protocol = Literal["labels", "pool"]
PROTOCOLS: Final = ("labels", "pool")
POOLS: Final = ("a0-a10", "all")

_AGREED: Final = 5
_TIMES: Final = ("seconds", "cpu_seconds", "growth")


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """One row of the comparison.

    Attributes:
        run: what the method links, keeps and costs.
        figures: figures of the protocol; ``precision``, ``recall`` and ``f1``, 0 to 1 or ``None``, come first.
        only: number of pairs that no other compared method finds.
    """

    run: MethodRun
    figures: Mapping[str, float | int | None]
    only: int

    def as_dict(self, *, times: bool = True) -> dict[str, Any]:
        """Return the row that ``compare`` prints.

        Args:
            times: whether to include seconds, CPU seconds and growth, which vary from run to run.
        """
        measures = self.run.measures
        figures = dict(self.figures)
        row = {
            "method": self.run.name,
            "pairs": len(self.run.codes),
            **{name: figures.pop(name) for name in ("precision", "recall", "f1")},
            "symmetry": measures.symmetry,
            "transitivity": measures.transitivity,
            "cpu_seconds": round(self.run.cost.cpu_seconds, 4),
            "bytes_per_document": round(self.run.bytes_per_document, 1),
            "seconds": round(self.run.cost.seconds, 4),
            **({"growth": round(self.run.growth, 2)} if self.run.growth is not None else {"growth": None}),
            "only": self.only,
            **figures,
            "links": measures.links,
            "transitivity_error": measures.transitivity_error,
        }
        return row if times else {name: value for name, value in row.items() if name not in _TIMES}


@dataclass(frozen=True, slots=True)
class PoolSummary:
    """Size of a pool.

    Attributes:
        methods: names of the methods in the pool.
        pairs: number of all their pairs.
        verified: number of pairs with a String::Similarity of at least the threshold.
        threshold: minimum String::Similarity of a verified pair.
        codes: int64 (verified,), codes of the verified pairs.
    """

    methods: list[str]
    pairs: int
    verified: int
    threshold: float = THRESHOLD
    codes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(Tabular):
    """Result of a comparison.

    Attributes:
        protocol: ``labels`` or ``pool``.
        rows: one row for each method, in the order of the tables.
        dice: Dice coefficients of every two methods, in the order of the rows.
        documents: number of documents.
        configuration: everything that determines the result: the methods with all their parameters and the protocol's
            options.
        pool: size of the pool; ``None`` with the labels protocol.
        missing: reason by name for each method that could not run.
        notes: what readers of the figures should know.
        agreements: pairs that the most methods find.
        disagreements: unlabelled pairs that some methods find and others do not.
        coverage: pairs and triples of methods that find most true pairs together.
        reading: cost of reading the parts of the texts that methods share.
        has_best: whether the method with the best F1 may be called the best: not in an open world, where a method is
            not punished for what it links beyond the labels.
        report: what was read; ``None`` if no documents were read.
    """

    protocol: Protocol
    rows: list[ComparedMethod]
    dice: list[list[float | None]]
    documents: int
    configuration: dict[str, Any]
    pool: PoolSummary | None = None
    missing: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    agreements: list[ComparedPair] = field(default_factory=list)
    disagreements: list[ComparedPair] = field(default_factory=list)
    coverage: list[JointCoverage] = field(default_factory=list)
    reading: Cost = field(default_factory=lambda: Cost(0.0, 0.0))
    has_best: bool = True
    report: ReadingReport | None = None

    @property
    def names(self) -> list[str]:
        """Names of the methods, in the order of the rows."""
        return [row.run.name for row in self.rows]

    def as_dict(self, *, times: bool = True) -> dict[str, Any]:
        """Return the content of ``compare --format json``.

        Args:
            times: whether to include the columns that vary from run to run.
        """
        return {
            "rows": [row.as_dict(times=times) for row in self.rows],
            "protocol": self.protocol,
            "documents": self.documents,
            "pool": None
            if self.pool is None
            else {
                "methods": self.pool.methods,
                "pairs": self.pool.pairs,
                "verified": self.pool.verified,
                "threshold": self.pool.threshold,
            },
            "dice": {"methods": self.names, "values": self.dice},
            "coverage": [row.as_dict() for row in self.coverage],
            "missing": self.missing,
            "notes": self.notes,
            "configuration": self.configuration,
        }

    def as_rows(self) -> list[dict[str, Any]]:
        """The rows, as plain dicts."""
        return [row.as_dict() for row in self.rows]


def compare_methods(
    texts: Texts,
    *,
    methods: Sequence[str] | None = None,
    labels: str | Path | Sequence[Label] | None = None,
    protocol: Protocol | None = None,
    pool: str = "a0-a10",
    kin: str | Path | None = None,
    kin_field: str | None = "submission=translation",
    lang: str | None = None,
    domains: Sequence[str] = (),
    positive: Sequence[str] = ("dup",),
    closed: bool = False,
    resamples: int = 1000,
    growth: bool = False,
    examples: bool = False,
    disagreements: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Run methods on a collection and evaluate what they find.

    Args:
        texts: the collection.
        methods: names with parameters as in ``methods.notation``; by default all methods that can run.
        labels: labelled pairs, or the file that contains them.
        protocol: ``labels`` (the default if labels are given) or ``pool``.
        pool: methods of the pool: ``a0-a10`` as in the paper, run for the pool even if not compared, or ``all``
            compared methods.
        kin: file of kin families, whose pairs do not count as negatives.
        kin_field: see ``truth_for``.
        lang: language or language pair to which the labels protocol is restricted.
        domains: domains to which the labels protocol is restricted.
        positive: labels that count as true.
        closed: see ``truth_of``.
        resamples: number of collections drawn for the intervals of the labels protocol.
        growth: whether to run every method also on half of the collection.
        examples: whether to pick pairs on which the methods agree.
        disagreements: number of unlabelled pairs to draw on which the methods disagree.
        progress: called at each step.

    Raises:
        ConfigurationError: a method, parameter or protocol is unknown, or the input does not fit the protocol.
        BadDataError: the labels or the kin families do not fit the documents.
        MissingExtraError: a requested method, the pool protocol, examples or disagreements need a package that is not
            installed.
    """
    protocol = _choose_protocol(protocol, pool, labels, restricted=bool(kin or lang or domains or closed))
    if protocol == "pool" or examples or disagreements:
        require_similarity()
    truth, notes = None, []
    if labels is not None:
        listed = labels_in(labels)
        truth = truth_for(
            texts,
            listed,
            kin=kin,
            kin_field=kin_field,
            lang=lang,
            domains=domains,
            positive=positive,
            closed=closed,
        )
        notes = _write_notes(truth, listed, positive)
    found = run_methods(texts, methods, with_growth=growth, progress=progress)
    names = {run.name: run.codes for run in found.runs}
    summary = None
    if protocol == "labels" and truth is not None:
        figures = [judged_by_labels(run, truth, resamples=resamples) for run in found.runs]
    else:
        figures, summary = judged_by_pool(texts, found, pool, progress=progress)
    known = None if truth is None else np.sort(np.concatenate((truth.positives, truth.negatives, truth.others)))
    examples_agreed = agreed(names, _AGREED) if examples else np.zeros(0, dtype=np.int64)
    examples_disputed = disputed(names, disagreements, known=known) if disagreements else np.zeros(0, dtype=np.int64)
    pairs = compared_pairs(texts, names, np.concatenate((examples_agreed, examples_disputed)))
    return Comparison(
        protocol=protocol,
        rows=[
            ComparedMethod(run, figure, only)
            for run, figure, only in zip(found.runs, figures, found_alone(list(names.values())), strict=True)
        ],
        dice=dice_matrix(list(names.values())),
        documents=len(texts),
        configuration=_describe_configuration(found, protocol, pool, lang, domains, positive, closed=closed),
        has_best=truth is None or bool(truth.takes_part().any()),
        pool=summary,
        missing=found.missing,
        notes=notes,
        agreements=pairs[: len(examples_agreed)],
        disagreements=pairs[len(examples_agreed) :],
        coverage=joint_coverage(names, summary.codes if summary else _true_pairs(truth)),
        reading=found.reading,
    )


def _true_pairs(truth: Truth | None) -> NDArray[np.int64]:
    return np.zeros(0, dtype=np.int64) if truth is None else truth.positives


def judged_by_pool(
    texts: Texts, found: MethodRuns, pool: str = "a0-a10", *, progress: Progress | None = None
) -> tuple[list[dict[str, float | int | None]], PoolSummary]:
    """Compute precision, recall and F1 of every method by the pool protocol.

    Args:
        texts: the collection.
        found: results of the methods on it.
        pool: see ``compare_methods``; methods of the pool that are not among the runs are run now.
        progress: called for each method run now.

    Returns:
        For each run ``precision``, ``recall``, ``f1``, ``tp``, ``fp``, ``fn`` and ``alike`` (``PoolScore``); and the
        size of the pool.
    """
    own = {run.name: run.codes for run in found.runs}
    members = own
    if pool == "a0-a10":
        absent = [name for name in POOL_METHODS if name not in own]
        others = run_methods(texts, absent, progress=progress).runs
        added = {run.name: run.codes for run in others}
        members = {name: own[name] if name in own else added[name] for name in POOL_METHODS}
    all_codes = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *own.values(), *members.values()]))
    alike = alike_pairs(texts.plain, all_codes)
    made = pool_of(members, alike)
    return [_judge_by_pool(codes, made, alike) for codes in own.values()], PoolSummary(
        list(made.methods), len(made.pairs), len(made.verified), codes=made.verified
    )


def _judge_by_pool(
    codes: NDArray[np.int64], pool: MethodPool, alike: NDArray[np.int64]
) -> dict[str, float | int | None]:
    judged = pool_score(codes, pool, alike)
    return {
        "precision": judged.scores.precision,
        "recall": judged.scores.recall,
        "f1": judged.scores.f1,
        "tp": judged.scores.tp,
        "fp": judged.scores.fp,
        "fn": judged.scores.fn,
        "alike": judged.alike,
    }


def _choose_protocol(given: Protocol | None, pool: str, labels: object | None, *, restricted: bool) -> Protocol:
    if given is not None and given not in PROTOCOLS:
        raise ConfigurationError(f"protocol is {given!r}; expected one of {', '.join(PROTOCOLS)}")
    if pool not in POOLS:
        raise ConfigurationError(f"pool is {pool!r}; expected one of {', '.join(POOLS)}")
    if given == "labels" and labels is None:
        raise ConfigurationError("the protocol labels needs labels; name a file of labelled pairs, or take pool")
    protocol: Protocol = given or ("pool" if labels is None else "labels")
    if restricted and protocol == "pool":
        raise ConfigurationError(
            "kin, languages, domains and closed apply to labels only, but the protocol is pool; leave them out, "
            "or name labels"
        )
    return protocol


def _write_notes(truth: Truth, listed: Sequence[Label], positive: Sequence[str]) -> list[str]:
    notes = note_without_positives(truth, listed, positive)
    if not truth.takes_part().any():
        notes.append(
            "documents name no family, so only labelled pairs count, and what methods find beyond them is not "
            "judged; the columns linked and judged say how many pairs that is, and no method is called the best; if "
            "the labels are exhaustive, set closed (--closed)"
        )
    return notes


def _describe_configuration(
    found: MethodRuns,
    protocol: Protocol,
    pool: str,
    lang: str | None,
    domains: Sequence[str],
    positive: Sequence[str],
    *,
    closed: bool,
) -> dict[str, Any]:
    choices: dict[str, Any] = (
        {"positive": list(positive), "lang": lang, "domains": list(domains), "closed": closed}
        if protocol == "labels"
        else {"pool": pool, "threshold": THRESHOLD}
    )
    return {
        "version": VERSION,
        "protocol": protocol,
        **choices,
        "methods": {run.name: run.method.as_dict() for run in found.runs},
    }
