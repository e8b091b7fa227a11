"""An audit of a collection: pairs for a person to judge, then count, estimate and judgements side by side."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.errors import BadDataError, UsageError
from infostream_dedup.lab.estimation.audit_population import audited_pairs
from infostream_dedup.lab.estimation.auditing import AuditedPairs, audit_scores, pairs_to_judge
from infostream_dedup.lab.estimation.candidates import CANDIDATE_COUNT
from infostream_dedup.lab.estimation.copy_census import CopyCensus
from infostream_dedup.lab.estimation.sweep_estimator import SweepEstimator
from infostream_dedup.runs.batch.linking import link

if TYPE_CHECKING:
    from infostream_dedup.judging.evidence.collecting import DocumentEvidence
    from infostream_dedup.lab.estimation.resampling import Bounds
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.runs.batch.link_estimate import LinkEstimate

__all__ = ["ASKED_COLUMNS", "AUDIT_COLUMNS", "AuditedCollection"]

ASKED_COLUMNS = (
    *("a", "b", "label", "wording", "title_a", "title_b"),
    *("text_a", "text_b", "url_a", "url_b", "audit"),
)
AUDIT_COLUMNS = (
    *("source", "k", "pairs", "precision", "precision_low", "precision_high"),
    *("recall", "recall_low", "recall_high", "note"),
)

_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class AuditedCollection:
    """A collection with the pairs that an audit covers.

    Attributes:
        collection: the documents.
        population: the pairs.
        estimate: estimate made without judgements.
        k: threshold at which pairs are linked.
    """

    collection: Collection
    population: AuditedPairs
    estimate: LinkEstimate
    k: int

    @classmethod
    def of(
        cls,
        collection: Collection,
        evidence: DocumentEvidence,
        settings: Settings,
        *,
        k: int,
        engine: str = "auto",
        progress: Progress | None = None,
    ) -> AuditedCollection:
        """Link a collection and find the pairs.

        Args:
            collection: read with text hashes.
            evidence: evidence of the documents.
            settings: settings of key terms; the score must be ``count``.
            k: 3 to n.
            engine: engine that matches; it does not change the result.
            progress: called with each step.

        Raises:
            UsageError: k or the score cannot be audited.
        """
        if settings.n < CANDIDATE_COUNT:
            raise UsageError(f"audit needs at least {CANDIDATE_COUNT} key terms; n is {settings.n} (--n)")
        if settings.score != "count" or not CANDIDATE_COUNT <= k <= settings.n:
            raise UsageError(
                f"audit needs the count score and k from {CANDIDATE_COUNT} to {settings.n}; got score "
                f"{settings.score} and k = {k}"
            )
        key_terms = collection.key_terms(settings)
        matrix = link(key_terms, settings, k_min=CANDIDATE_COUNT, engine=engine).matrix
        census = CopyCensus(collection.documents, evidence)
        estimator = SweepEstimator(collection, census)
        links, counted, copies, _ = estimator.linked(key_terms, matrix, settings, progress=progress)
        population = audited_pairs(matrix, links, copies, wording=census.wording, universe=counted.universe, step=k)
        estimate = estimator.estimate(key_terms, matrix, settings, ("all",), progress=progress)
        return cls(collection, population, estimate, k)

    @property
    def mark(self) -> str:
        """The pairs and their strata as 12 hexadecimal digits: other documents or settings have another mark."""
        population = self.population
        rows = np.stack([population.a, population.b, population.strata]).astype("<i8")
        return hashlib.sha256(rows.tobytes()).hexdigest()[:12]

    def ask(self, pairs: int) -> list[dict[str, Any]]:
        """Return rows to judge, in an order that reveals nothing about them; ``label`` is empty, texts are missing.

        Args:
            pairs: maximum number of rows, at least 1.
        """
        population, documents = self.population, self.collection.documents
        rows, mark = [], self.mark
        for row in pairs_to_judge(population, pairs).tolist():
            one, other = documents[int(population.a[row])], documents[int(population.b[row])]
            rows.append(
                {
                    "a": one.id,
                    "b": other.id,
                    "label": None,
                    "wording": round(float(population.wording[row]), _DECIMALS),
                    "title_a": one.title,
                    "title_b": other.title,
                    "text_a": None,
                    "text_b": None,
                    "url_a": one.url,
                    "url_b": other.url,
                    "audit": mark,
                }
            )
        return rows

    def judged(
        self, labels: Mapping[tuple[str, str], bool], source: str, doubt: str = ""
    ) -> tuple[list[dict[str, Any]], int]:
        """Return count, estimate and judgements side by side, and how many judged pairs the audit does not cover.

        Args:
            labels: whether each pair of ids, in either order, is right.
            source: name of the labels in messages.
            doubt: why the figures may be wrong; empty if nothing speaks against them.

        Raises:
            BadDataError: the audit covers none of the judged pairs.
        """
        places = {one.id: number for number, one in enumerate(self.collection.documents)}
        wanted = {
            tuple(sorted((places[a], places[b]))): right
            for (a, b), right in labels.items()
            if a in places and b in places
        }
        pairs = zip(self.population.a.tolist(), self.population.b.tolist(), strict=True)
        found = [(row, wanted[pair]) for row, pair in enumerate(pairs) if pair in wanted]
        if not found:
            raise BadDataError(
                f"none of its {len(labels)} judged pairs is among the {len(self.population)} that an audit of these "
                "documents covers; give the documents and settings with which the pairs were chosen",
                code="E_NOT_ASKED",
                source=source,
            )
        rows = np.array([row for row, _ in found], dtype=np.int64)
        scores = audit_scores(self.population, rows, np.array([right for _, right in found], dtype=np.bool_))
        guessed = f"strata without a judgement: {scores.unjudged}; their shares are guessed" if scores.unjudged else ""
        note = "; ".join(filter(None, [doubt, guessed]))
        audited = {
            "source": "audited",
            "k": self.k,
            "pairs": scores.judged,
            **_figures("precision", scores.precision, scores.precision_bounds),
            **_figures("recall", scores.recall, scores.recall_bounds),
            "note": note,
        }
        return [self._counted(), self._estimated(), audited], len(labels) - len(found)

    def _counted(self) -> dict[str, Any]:
        columns = self.estimate.columns["all", self.k]
        named = {name: columns[f"copy_{name}"] for name in AUDIT_COLUMNS[3:9]}
        note = "precision: links that are copies; recall: copies that are linked"
        return {"source": "counted", "k": self.k, "pairs": columns["copies"], **named, "note": note}

    def _estimated(self) -> dict[str, Any]:
        columns = self.estimate.columns["all", self.k]
        named = {name: columns[name] for name in AUDIT_COLUMNS[3:9]}
        check = self.estimate.summary["duplicates"]["check"]
        note = f"{columns['reliable_code']}: {check['reason']}"
        return {"source": "estimated", "k": self.k, "pairs": check["candidates"], **named, "note": note}


def _figures(name: str, value: float | None, bounds: Bounds | None) -> dict[str, float | None]:
    low, high = bounds or (None, None)
    return {
        name: _rounded(value),
        f"{name}_low": _rounded(low),
        f"{name}_high": _rounded(high),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DECIMALS)
