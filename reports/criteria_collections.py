"""The labelled sets of criteria.md, read and judged once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infostream_dedup import read_documents
from infostream_dedup.judging.criteria.candidates import key_term_candidates
from infostream_dedup.judging.criteria.document_models import DocumentModels, document_models
from infostream_dedup.judging.criteria.judged_pairs import JudgedPairs, judged_pairs
from infostream_dedup.lab.evaluation.labels import FALSE, Label, codes_of, kin_by_field, read_kin, read_labels, truth_of
from infostream_dedup.model import Document

REPORTS = Path(__file__).resolve().parent

CORPORA = REPORTS.parents[1] / "shared" / "data"


@dataclass(frozen=True)
class Judged:
    """One row of the tables.

    Attributes:
        name: name shown.
        corpus: stem of the file name in the corpora folder.
        preset: preset of the classifier.
        positive: labels that mean "repeats".
        kinds: kinds of labels that count; all by default.
        by_family: whether candidate pairs of two families that are not kin count as original pairs, besides the
            listed ones.
        goal: F1 to reach, if there is a goal.
    """

    name: str
    corpus: str
    preset: str
    positive: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    by_family: bool = False
    goal: float | None = None


SETS = (
    Judged("mdnews, dup against all the rest", "mdnews", "duplicate", ("dup",), goal=0.95),
    Judged(
        "mdnews, dup against templates and random",
        "mdnews",
        "duplicate",
        ("dup",),
        ("reprint", "template", "random"),
        goal=0.95,
    ),
    Judged("slavictopics, dup against all the rest", "slavictopics", "duplicate", ("dup",)),
    Judged("slavictopics, dup and similar", "slavictopics", "story", ("dup", "similar")),
    Judged("tgpairs, same story", "tgpairs", "story", ("similar",), goal=0.86),
    Judged("uagec, all candidates", "uagec", "duplicate", ("dup",), by_family=True),
)


class Corpora:
    """The corpora, each read and modelled once."""

    def __init__(self) -> None:
        self._models: dict[str, DocumentModels] = {}
        self._documents: dict[str, list[Document]] = {}
        self.seconds: dict[str, float] = {}

    def documents(self, corpus: str) -> list[Document]:
        """Return the documents of a corpus in the order of the file."""
        if corpus not in self._documents:
            self._documents[corpus] = list(read_documents(CORPORA / f"{corpus}.docs.jsonl.gz"))
        return self._documents[corpus]

    def models(self, corpus: str) -> DocumentModels:
        """Return the document models of a corpus."""
        if corpus not in self._models:
            documents = self.documents(corpus)
            start = time.process_time()
            self._models[corpus] = document_models(documents)
            self.seconds[corpus] = time.process_time() - start
        return self._models[corpus]

    def labels(self, corpus: str, kinds: Sequence[str] = ()) -> list[Label]:
        """Return the labels of a corpus, of some kinds or all."""
        labels = read_labels(CORPORA / f"{corpus}.labels.jsonl.gz")
        return [label for label in labels if not kinds or label.extra.get("kind") in kinds]

    def pairs(self, judged: Judged) -> JudgedPairs:
        """Return the judged pairs of one row."""
        models = self.models(judged.corpus)
        labels = self.labels(judged.corpus, judged.kinds)
        if judged.by_family:
            labels = [*(label for label in labels if label.label in judged.positive), *self._label_unrelated(judged)]
        return judged_pairs(labels, models.ids, positive=judged.positive)

    def _label_unrelated(self, judged: Judged) -> list[Label]:
        """Return candidate pairs of two families that are not kin, which count as different."""
        models, documents = self.models(judged.corpus), self.documents(judged.corpus)
        kin_file = CORPORA / f"{judged.corpus}.kin.jsonl.gz"
        kin = read_kin(kin_file) if kin_file.is_file() else []
        kin += kin_by_field(documents, "submission", "translation")
        truth = truth_of(documents, models.languages, self.labels(judged.corpus), kin=kin, positive=judged.positive)
        i, j = key_term_candidates(models)
        wrong = truth.judge(codes_of(i, j, len(models))) == FALSE
        return [
            Label(models.ids[a], models.ids[b], "different")
            for a, b in zip(i[wrong].tolist(), j[wrong].tolist(), strict=True)
        ]


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Format rows as a Markdown table with the columns of the first row."""
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(_cell(row.get(name)) for name in names) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
