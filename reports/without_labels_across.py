"""Links between languages, whose truth is known: what would be said of them without labels, and what is true."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from without_labels_measuring import STEPS, drawn_and_compared
from without_labels_sets import CORPORA

from infostream_dedup import read_documents
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.lab.estimation.census import CopyCensus
from infostream_dedup.lab.estimation.duplicate_scores import estimate_duplicates
from infostream_dedup.lab.estimation.sweep_estimator import SweepEstimator
from infostream_dedup.lab.evaluation.collection_scores import evaluate, predictions_of, truth_for
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.collection import Collection, collect
from infostream_dedup.runs.batch.linking import Linked, link

__all__ = ["CORPORA_ACROSS", "measure_across"]

CORPORA_ACROSS: Final = ("wmt", "ntrex", "multilingual")
_PAIRS: Final = ("ru-uk", "en-ru", "en-uk")
_SETTINGS: Final = Settings(representation="pivot")


def measure_across(corpus: str) -> list[dict[str, Any]]:
    """Figures of each pair of languages of a corpus; a list holds one for each of ``STEPS``."""
    reader = EvidenceReader()
    collection = collect(read_documents(CORPORA / f"{corpus}.docs.jsonl.gz"), evidence=reader)
    census = CopyCensus(collection.documents, reader.finish(collection.languages))
    linked = link(collection.key_terms(_SETTINGS), _SETTINGS, k_min=1)
    found = (_measured(corpus, pair, collection, census, linked) for pair in _PAIRS)
    return [one for one in found if one is not None]


def _measured(
    corpus: str, pair: str, collection: Collection, census: CopyCensus, linked: Linked
) -> dict[str, Any] | None:
    kin = CORPORA / f"{corpus}.kin.jsonl.gz"
    truth = truth_for(
        collection,
        CORPORA / f"{corpus}.labels.jsonl.gz",
        kin=kin if kin.is_file() else None,
        lang=pair,
        domains=("!conversation",) if corpus == "wmt" else (),
        positive=("translation", "dup"),
    )
    if not len(truth.positives):
        return None
    rows = {row.step: row.scores for row in evaluate(predictions_of(linked), truth, recommended=6, resamples=1).rows}
    inside = np.flatnonzero(truth.scope.documents())
    part = census.part(inside)
    languages = linked.key_terms.counts.languages
    across = replace(linked, matrix=linked.matrix.between(languages, same=False))
    links, _, copies, _ = SweepEstimator(collection, part).linked(across.key_terms, across.matrix, _SETTINGS)
    between = languages[copies.a] != languages[copies.b]
    candidates = drawn_and_compared(collection, part, across, links, np.zeros_like(languages))
    estimate = estimate_duplicates(candidates, steps=STEPS, draws=2)
    f1 = {k: rows[k].f1 or 0.0 for k in STEPS}
    return {
        "corpus": corpus,
        "pair": pair,
        "candidates": len(candidates.a),
        "positives": len(truth.positives),
        "copies": int(between.sum()),
        "code": estimate.code,
        "check": estimate.check.as_dict(),
        "true": {
            "precision": [_rounded(rows[k].precision) for k in STEPS],
            "recall": [_rounded(rows[k].recall) for k in STEPS],
        },
        "estimated": {
            "precision": [_rounded(one.precision) for one in estimate.scores],
            "recall": [_rounded(one.recall) for one in estimate.scores],
        },
        "k": {"best": max(STEPS, key=f1.__getitem__), "six": _rounded(f1[6] / max(max(f1.values()), 1e-9))},
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else round(float(value), 6)
