"""Makes every figure in reports/ from the labelled corpora beside the project: ``make reports``.

The pages contain only numbers: no texts, ids or titles of the corpora.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from old_rule import old_recommendation

from infostream_dedup import Settings, read_documents
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.lab.estimation.census import CopyCensus
from infostream_dedup.lab.estimation.sweep_estimator import SweepEstimator
from infostream_dedup.lab.evaluation.agreement import agreement
from infostream_dedup.lab.evaluation.collection_scores import Evaluation, evaluate_collection, predictions_of, truth_for
from infostream_dedup.lab.evaluation.scores import scores
from infostream_dedup.language.text.language import detect
from infostream_dedup.model import full_text
from infostream_dedup.report.plots import Quantity, as_svg, curve_figure
from infostream_dedup.runs.batch.collection import Collection, collect
from infostream_dedup.runs.batch.linking import Linked, link
from infostream_dedup.runs.batch.sweeping import SweepResult, SweepRow

REPORTS = Path(__file__).resolve().parent
CORPORA = REPORTS.parents[1] / "shared" / "data"


@dataclass(frozen=True)
class LabelledSet:
    """One row of the quality table.

    Attributes:
        name: name shown.
        corpus: stem of the file name in the corpora folder.
        lang: as for ``evaluate --lang``.
        domains: as for ``evaluate --domain``.
        positive: as for ``evaluate --positive``.
        rule: as for ``evaluate --rule``.
        label_free: whether it counts in the mean of the label-free row.
        must: goals for the defaults and for the preset ``best``.
        ambitious: goal for the preset ``best``.
    """

    name: str
    corpus: str
    lang: str | None = None
    domains: tuple[str, ...] = ()
    positive: tuple[str, ...] = ("dup",)
    rule: str = "both"
    label_free: bool = False
    must: float | None = None
    ambitious: float | None = None
    english: bool = field(default=False)


NEWS = ("", "news")
OTHER = ("!", "!news", "!conversation")

SETS = (
    LabelledSet("uagec", "uagec", label_free=True, must=0.985, ambitious=0.990),
    LabelledSet("wmt ru news", "wmt", "ru", NEWS, label_free=True, must=0.975, ambitious=0.993),
    LabelledSet("wmt uk news", "wmt", "uk", NEWS, label_free=True, must=0.980, ambitious=0.993),
    LabelledSet("wmt en news", "wmt", "en", NEWS, label_free=True, must=0.935, ambitious=0.975, english=True),
    LabelledSet("wmt ru other", "wmt", "ru", OTHER, must=0.94, ambitious=0.98),
    LabelledSet("wmt en other", "wmt", "en", OTHER, must=0.94, ambitious=0.955, english=True),
    LabelledSet("ntrex en", "ntrex", "en", label_free=True, must=0.98, ambitious=1.0, english=True),
    LabelledSet("mdnews dup", "mdnews", label_free=True, must=0.99, ambitious=0.99),
    LabelledSet("mdnews dup+similar, either", "mdnews", positive=("dup", "similar"), rule="either", must=0.985),
    LabelledSet("slavictopics dup", "slavictopics", label_free=True, must=0.98, ambitious=1.0),
    LabelledSet("tgpairs, either", "tgpairs", positive=("similar",), rule="either", must=0.82, ambitious=0.86),
)
"""Goals: the development column; see the closing lines of quality.md for where each is judged."""

CONFIGURATIONS: tuple[tuple[str, Settings], ...] = (
    ("morph, bm25", Settings()),
    ("stem, bm25", Settings(representation="stem")),
    ("stem, tfidf", Settings(representation="stem", weighting="tfidf")),
)
_DRAWN = ", bm25"


def main() -> None:
    """Make the requested pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", help="language, sweeps, quality, agreement; all by default")
    pages = parser.parse_args().pages or ["language", "sweeps", "quality", "agreement"]
    collections = _Collections()
    makers = {"language": language_page, "sweeps": sweep_pages, "quality": quality_page, "agreement": agreement_page}
    for page in pages:
        makers[page](collections)


class _Collections:
    """The corpora, each read once."""

    def __init__(self) -> None:
        self._read: dict[str, Collection] = {}
        self._choosers: dict[str, SweepEstimator] = {}

    def __getitem__(self, corpus: str) -> Collection:
        if corpus not in self._read:
            reader = EvidenceReader()
            found = collect(read_documents(CORPORA / f"{corpus}.docs.jsonl.gz"), evidence=reader)
            census = CopyCensus(found.documents, reader.finish(found.languages))
            self._choosers[corpus] = SweepEstimator(found, census)
            self._read[corpus] = found
        return self._read[corpus]

    def chooser(self, corpus: str) -> SweepEstimator:
        """What recommends k without labels."""
        self[corpus]
        return self._choosers[corpus]

    @staticmethod
    def labels(corpus: str) -> Path:
        return CORPORA / f"{corpus}.labels.jsonl.gz"

    @staticmethod
    def kin(corpus: str) -> Path | None:
        path = CORPORA / f"{corpus}.kin.jsonl.gz"
        return path if path.is_file() else None


def corpora() -> list[str]:
    """Return the names of the corpora, in alphabetical order."""
    return sorted(path.name.split(".")[0] for path in CORPORA.glob("*.docs.jsonl.gz"))


def language_page(collections: _Collections) -> None:
    """Make the page on how often the language of a document is detected correctly."""
    del collections
    rows: list[dict[str, Any]] = []
    for corpus in corpora():
        hits: dict[str, list[bool]] = {}
        for document in read_documents(CORPORA / f"{corpus}.docs.jsonl.gz"):
            hits.setdefault(str(document.lang), []).append(detect(full_text(document)) == document.lang)
        rows += [
            {
                "set": corpus,
                "language": language,
                "documents": len(found),
                "found": sum(found),
                "accuracy": np.mean(found),
            }
            for language, found in sorted(hits.items())
        ]
    for language in ("ru", "uk", "en"):
        own = [row for row in rows if row["language"] == language and row["set"] != "all"]
        documents, found = sum(row["documents"] for row in own), sum(row["found"] for row in own)
        rows.append(
            {"set": "all", "language": language, "documents": documents, "found": found, "accuracy": found / documents}
        )
    write_page("language.md", "Language identification", "make_reports.py language", [table(rows)])


def sweep_pages(collections: _Collections) -> None:
    """Make the pages on S and T of every corpus."""
    parts: list[str] = []
    lines = [
        "set,configuration,k,documents,links,reciprocal,paths,closed,symmetry,transitivity,sampled,transitivity_error"
    ]
    for corpus in corpora():
        rows: list[SweepRow] = []
        recommended: list[str] = []
        for name, settings in CONFIGURATIONS:
            linked = _link(collections[corpus], settings)
            measures = linked.relation().measures()
            rows += [SweepRow(name, "all", row) for row in measures]
            lines += [",".join([corpus, name.replace(", ", "-"), *_csv_values(row.as_dict())]) for row in measures]
            advice = old_recommendation(linked)
            recommended.append(f"- {name}: {advice.k if advice.k is not None else 'none'}: {advice.reason}")
        figures = _sweep_figures(corpus, rows)
        parts += [f"## {corpus}", _sweep_table(rows), "k by the old rule:\n\n" + "\n".join(recommended), figures]
    write_text(REPORTS / "sweeps.csv", "\n".join(lines) + "\n")
    write_page("sweeps.md", "Symmetry and transitivity of every set", "make_reports.py sweeps", parts)


def quality_page(collections: _Collections) -> None:
    """Make the page on precision, recall and F1 of every labelled set."""
    configurations = (
        *CONFIGURATIONS,
        ("best, morph", Settings.of(preset="best")),
        ("best, stem", Settings.of(preset="best", representation="stem")),
    )
    parts: list[str] = []
    summary: list[dict[str, Any]] = []
    for name, settings in configurations:
        rows, label_free = [], []
        for labelled in SETS:
            found = _evaluate(collections, labelled, settings)
            rows.append(_quality_row(labelled, found, settings))
            if labelled.label_free and found.share_of_best is not None:
                label_free.append(found.share_of_best)
        parts += [f"## {name}", table(rows)]
        if settings.score == "count":
            summary.append(
                {
                    "configuration": name,
                    "sets": len(label_free),
                    "mean F/F(best)": float(np.mean(label_free)) if label_free else None,
                    "least F/F(best)": min(label_free, default=None),
                }
            )
    parts += [
        "## k without labels",
        "F at the recommended k (estimated, counted, or 6) over F at the best k.",
        table(summary),
    ]
    write_page("quality.md", "Quality on the labelled sets", "make_reports.py quality", parts)


def agreement_page(collections: _Collections) -> None:
    """Make the page on whether S follows precision and T follows recall, as the paper assumes."""
    rows: list[dict[str, Any]] = []
    for labelled in SETS:
        settings = Settings(rule=labelled.rule, representation="stem" if labelled.english else "morph")
        collection = collections[labelled.corpus]
        truth = truth_for(
            collection,
            collections.labels(labelled.corpus),
            kin=collections.kin(labelled.corpus),
            lang=labelled.lang,
            domains=labelled.domains,
            positive=labelled.positive,
        )
        linked = _link(collection, settings)
        predictions = predictions_of(linked)
        verdicts, in_scope = truth.judge(predictions.codes), truth.in_scope(predictions.codes)
        judged = scores(predictions, verdicts, len(truth.positives), in_scope)
        measures = linked.relation(np.flatnonzero(truth.scope.documents())).measures()
        at = slice(2, 10)
        found = agreement(
            [row.symmetry for row in measures][at],
            [row.transitivity for row in measures][at],
            [score.precision for score in judged][at],
            [score.recall for score in judged][at],
        )
        rows.append(
            {
                "set": labelled.name,
                "S with precision": found.symmetry_precision,
                "S with recall": found.symmetry_recall,
                "T with precision": found.transitivity_precision,
                "T with recall": found.transitivity_recall,
            }
        )
    median: dict[str, Any] = {"set": "median"}
    for column in list(rows[0])[1:]:
        known = [row[column] for row in rows if row[column] is not None]
        median[column] = float(np.median(known)) if known else None
    write_page(
        "agreement.md",
        "Do S and T follow precision and recall?",
        "make_reports.py agreement",
        [AGREEMENT_TEXT, table([*rows, median])],
    )


AGREEMENT_TEXT = """\
The paper assumes that symmetry follows precision and transitivity follows recall, and says that both only test how
close "similar" comes to an equivalence. Below: Spearman's rank correlation over k = 3..10 between S(k) or T(k) and
precision or recall at the same k (default configuration; English sets by stems; a dash where one side is constant).
Recall falls whenever k rises, by construction; so whatever rises with k correlates negatively with recall.

The figures say: on most sets S and T both follow precision loosely. Neither follows recall, and on two sets
(slavictopics, wmt ru other) both run against precision, because whole documents there agree on fewer and fewer terms
while the remaining links are right. So S and T show where "similar" becomes an equivalence, which helps to pick k (see
the label-free rows of quality.md); "S is precision, T is recall" does not hold."""


def _evaluate(collections: _Collections, labelled: LabelledSet, settings: Settings) -> Evaluation:
    return evaluate_collection(
        collections[labelled.corpus],
        collections.labels(labelled.corpus),
        settings.but(rule=labelled.rule),
        chooser=collections.chooser(labelled.corpus),
        kin=collections.kin(labelled.corpus),
        lang=labelled.lang,
        domains=labelled.domains,
        positive=labelled.positive,
    )


def _quality_row(labelled: LabelledSet, found: Evaluation, settings: Settings) -> dict[str, Any]:
    share = settings.score == "share"
    at = found.recommended if share else next(row for row in found.rows if row.step == settings.k)
    low, high = at.intervals.f1 or (None, None)
    best = found.best
    return {
        "set": labelled.name,
        "at": f"share {at.step:g}" if share else f"k {at.step:g}",
        "tp": at.scores.tp,
        "fp": at.scores.fp,
        "fn": at.scores.fn,
        "P": at.scores.precision,
        "R": at.scores.recall,
        "F1": at.scores.f1,
        "low": low,
        "high": high,
        "goal": labelled.ambitious if share else labelled.must,
        "recommended": "refused" if found.recommended.refused else f"{found.recommended.step:g}",
        "F1 there": found.recommended.scores.f1,
        "best": f"{best.step:g}" if best else None,
        "F1 best": best.scores.f1 if best else None,
    }


def _link(collection: Collection, settings: Settings) -> Linked:
    return link(collection.key_terms(settings), settings, k_min=1)


def _sweep_table(rows: Sequence[SweepRow]) -> str:
    lines: dict[int, dict[str, Any]] = {}
    for row in rows:
        measures = row.measures
        line = lines.setdefault(int(measures.k or 0), {"k": measures.k})
        line[f"links {row.representation}"] = measures.links
        line[f"S {row.representation}"] = measures.symmetry
        line[f"T {row.representation}"] = measures.transitivity
    return table([lines[k] for k in sorted(lines)])


def _sweep_figures(corpus: str, rows: list[SweepRow]) -> str:
    """Draw S and T with weighting BM25, beside the paper's points: a plot has one series for each representation."""
    folder = REPORTS / "figures"
    folder.mkdir(exist_ok=True)
    drawn = [
        replace(row, representation=row.representation.removesuffix(_DRAWN))
        for row in rows
        if row.representation.endswith(_DRAWN)
    ]
    result = SweepResult(rows=drawn, recommended_k={}, reason={}, configuration={})
    lines = []
    quantities: tuple[Quantity, ...] = ("symmetry", "transitivity")
    for quantity in quantities:
        path = folder / f"{corpus}-{quantity}.svg"
        write_text(path, as_svg(curve_figure(result, quantity)))
        lines.append(f"![{quantity} of {corpus}](figures/{path.name})")
    return "\n".join(lines)


def _csv_values(row: dict[str, Any]) -> Iterator[str]:
    for name, value in row.items():
        if name != "threshold":
            yield "" if value is None else f"{value:.6f}" if isinstance(value, float) else str(value)


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


def write_page(name: str, title: str, command: str, parts: Sequence[str]) -> None:
    """Write a page with the command, machine and date that made it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    origin = (
        f"Made by `make reports` (`python reports/{command}`) on {date.today().isoformat()}, "
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {memory:.0f} GiB. "
        "Corpora: see docs/reports.md."
    )
    write_text(REPORTS / name, "\n\n".join([f"# {title}", origin, *parts]) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file and print its name."""
    path.write_text(text, encoding="utf-8")
    print(path.relative_to(REPORTS.parent))


if __name__ == "__main__":
    main()
