"""Makes reports/comparison.md, comparison-times.md, comparison.csv and orderings.md, as part of ``make reports``.

The pages contain only numbers: no texts, ids or titles of the corpora.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping, Sequence
from typing import Any

from comparison_orderings import orderings_page
from comparison_results import BEST, Judged, as_figure
from comparison_texts import COMPARISON_TEXT, CROSS_TEXT, KEY_TERMS_TEXT, POOL_TEXT, TIMES_TEXT
from make_reports import CORPORA, NEWS, REPORTS, SETS, LabelledSet, table, write_page, write_text

from infostream_dedup import read_documents
from infostream_dedup.documents import csv_line
from infostream_dedup.lab.evaluation.collection_scores import truth_for
from infostream_dedup.lab.evaluation.comparison import ComparedMethod, Comparison, judged_by_pool
from infostream_dedup.lab.evaluation.labelled_runs import judged_by_labels
from infostream_dedup.lab.evaluation.method_runs import MethodRuns, run_methods
from infostream_dedup.lab.evaluation.overlap import dice_matrix, found_alone
from infostream_dedup.lab.methods import Texts
from infostream_dedup.lab.methods.registry import method_class, methods
from infostream_dedup.report.comparison import dice_figure, plane_figure
from infostream_dedup.report.plots import as_svg

VARIANTS = (
    "three-plus-two:n=3",
    "shingles:measure=containment",
    "shingles:tau=0.05",
    "shingles:w=2:tau=0.1",
    "tf-idf-cosine:tau=0.4",
    "key-terms-morph:rule=forward",
    BEST,
)
"""Beside every method with its defaults: N = 3, containment, low thresholds that found paraphrases on these very sets,
directed key terms, the preset ``best``."""

LARGEST = "mdnews"
"""The corpus that times are measured on."""

CROSS = (
    LabelledSet("wmt ru-uk news", "wmt", "ru-uk", NEWS, positive=("translation",)),
    LabelledSet("ntrex ru-uk", "ntrex", "ru-uk", positive=("translation",)),
)
"""Sets across languages, for key terms in the pivot language."""

DRAWN = ("mdnews dup", "uagec", "wmt ru news")
"""Sets whose plane of precision and recall is drawn; the first one's corpus also gives the Dice heat map."""

WHOLE = ("uagec", "wmt", "mdnews", "slavictopics", "tgpairs")
"""Corpora that the pool protocol is run on."""


def main() -> None:
    """Measure everything, then write the pages."""
    judged = Judged({}, {}, {}, {})
    for corpus in dict.fromkeys(labelled.corpus for labelled in SETS):
        judged.add(_measured(corpus))
        gc.collect()
    comparison_page(judged)
    times_page(judged)
    orderings_page(judged)


def _measured(corpus: str) -> Judged:
    judged = Judged({}, {}, {}, {})
    names = [*(name for name in methods() if not method_class(name).only_when_named), *VARIANTS]
    texts = Texts(list(read_documents(CORPORA / f"{corpus}.docs.jsonl.gz")))
    runs = run_methods(texts, names, with_growth=corpus == LARGEST, progress=_tell)
    judged.runs[corpus] = runs
    for labelled in SETS:
        if labelled.corpus == corpus:
            judged.sets[_name(labelled)] = _by_labels(texts, runs, labelled)
    for labelled in CROSS:
        if labelled.corpus == corpus:
            judged.cross[labelled.name] = _by_labels(texts, runs, labelled)
    if corpus in WHOLE:
        judged.pools[corpus] = _by_pool(texts, runs)
    print(corpus, f"{runs.reading.cpu_seconds:.1f} s of reading", flush=True)
    return judged


def _tell(step: str, done: int, total: int | None) -> None:
    print(f"{time.process_time():.0f} CPU s: {step} ({done} of {total})", flush=True)


def _name(labelled: LabelledSet) -> str:
    """Return the name of a set without its rule, since every method has a rule of its own."""
    return labelled.name.removesuffix(", either")


def _by_labels(texts: Texts, runs: MethodRuns, labelled: LabelledSet) -> Comparison:
    kin = CORPORA / f"{labelled.corpus}.kin.jsonl.gz"
    truth = truth_for(
        texts,
        CORPORA / f"{labelled.corpus}.labels.jsonl.gz",
        kin=kin if kin.is_file() else None,
        lang=labelled.lang,
        domains=labelled.domains,
        positive=labelled.positive,
    )
    return _comparison("labels", runs, [judged_by_labels(run, truth) for run in runs.runs])


def _by_pool(texts: Texts, runs: MethodRuns) -> Comparison:
    figures, summary = judged_by_pool(texts, runs, "a0-a10")
    found = _comparison("pool", runs, figures)
    return Comparison(
        protocol=found.protocol,
        rows=found.rows,
        dice=found.dice,
        documents=found.documents,
        configuration=found.configuration,
        pool=summary,
    )


def _comparison(protocol: Any, runs: MethodRuns, figures: Sequence[Mapping[str, float | int | None]]) -> Comparison:
    codes = [run.codes for run in runs.runs]
    rows = [
        ComparedMethod(run, figure, only)
        for run, figure, only in zip(runs.runs, figures, found_alone(codes), strict=True)
    ]
    return Comparison(protocol=protocol, rows=rows, dice=dice_matrix(codes), documents=runs.documents, configuration={})


def comparison_page(judged: Judged) -> None:
    """Make the page with all methods on all sets."""
    lines = [
        "set,protocol,method,pairs,precision,recall,f1,low,high,tp,fp,fn,symmetry,transitivity,bytes_per_document\n"
    ]
    for name, found in (*judged.sets.items(), *judged.cross.items(), *judged.pools.items()):
        lines += [_csv_line(name, found.protocol, row) for row in found.rows]
    write_text(REPORTS / "comparison.csv", "".join(lines))
    parts = [COMPARISON_TEXT, "## F1 by labels", table(_summary(judged)), KEY_TERMS_TEXT]
    parts += ["## Beaten by", table(_list_better_methods(judged))]
    for name, found in judged.sets.items():
        parts += [f"## {name}", table([_labels_row(row) for row in found.rows])]
        if name in DRAWN:
            parts.append(
                _save_figure(f"plane-{_slug(name)}", as_svg(plane_figure(found)), f"precision and recall on {name}")
            )
    parts += ["## Across languages", CROSS_TEXT, table(_tabulate_across_languages(judged))]
    parts.append(POOL_TEXT)
    for corpus, found in judged.pools.items():
        parts += [f"## {corpus}, pool", _pool_caption(found), table([_pool_row(row) for row in found.rows])]
    parts += ["## Symmetry and transitivity of each method's relation", table(_measures(judged))]
    parts += [
        "## Dice coefficients",
        _save_figure(f"dice-{LARGEST}", as_svg(dice_figure(judged.pools[LARGEST])), "Dice"),
    ]
    write_page("comparison.md", "Methods side by side", "make_comparison.py", parts)


def times_page(judged: Judged) -> None:
    """Make the page with the cost of each method on the largest corpus."""
    runs = judged.runs[LARGEST]
    rows = [
        {
            "method": run.name,
            "seconds": f"{run.cost.seconds:.2f}",
            "CPU seconds": f"{run.cost.cpu_seconds:.2f}",
            "growth": None if run.growth is None else f"{run.growth:.2f}",
            "bytes a document": f"{run.bytes_per_document:.0f}",
        }
        for run in runs.runs
    ]
    plain = [run for run in runs.runs if run.name in methods()]
    total = sum(run.cost.seconds for run in plain) + runs.reading.seconds
    told = (
        f"{LARGEST}, {runs.documents} documents. Reading, shared by all: {runs.reading.seconds:.1f} s, "
        f"{runs.reading.cpu_seconds:.1f} CPU s. All {len(plain)} methods with their defaults and the reading: "
        f"{total:.0f} s."
    )
    write_page("comparison-times.md", "What the methods cost", "make_comparison.py", [TIMES_TEXT, told, table(rows)])


def _summary(judged: Judged) -> list[dict[str, Any]]:
    names = next(iter(judged.sets.values())).names
    rows = [
        {"method": method, **{name: as_figure(found, method, "f1") for name, found in judged.sets.items()}}
        for method in names
    ]
    for row in rows:
        known = [value for name, value in row.items() if name != "method" and value is not None]
        row["mean"] = sum(known) / len(known) if known else None
    return rows


def _list_better_methods(judged: Judged) -> list[dict[str, Any]]:
    """List where another method beats our default."""
    rows = []
    for name, found in judged.sets.items():
        f1 = {row.run.name: row.figures["f1"] or 0.0 for row in found.rows}
        own = f1["key-terms-morph"]
        low, high = (as_figure(found, "key-terms-morph", end) for end in ("low", "high"))
        others = sorted((method for method in f1 if not method.startswith("key-terms")), key=lambda method: -f1[method])
        above = [f"{method} {f1[method]:.3f}" for method in others if f1[method] > own]
        best_default = next(method for method in others if ":" not in method)
        rows.append(
            {
                "set": name,
                "key-terms-morph": own,
                "95 %": f"{low:.3f} - {high:.3f}" if low is not None and high is not None else None,
                "preset best": f1[BEST],
                "best other at its default": f"{best_default} {f1[best_default]:.3f}",
                "above key-terms-morph": ", ".join(above) or "none",
            }
        )
    return rows


def _tabulate_across_languages(judged: Judged) -> list[dict[str, Any]]:
    """Tabulate F1 across languages of the methods that find anything there."""
    first = next(iter(judged.cross.values()))
    finding = [name for name in first.names if any(as_figure(found, name, "tp") for found in judged.cross.values())]
    return [
        {"method": name, **{title: as_figure(found, name, "f1") for title, found in judged.cross.items()}}
        for name in finding
    ]


def _measures(judged: Judged) -> list[dict[str, Any]]:
    names = next(iter(judged.runs.values())).runs
    rows = []
    for number, first in enumerate(names):
        row: dict[str, Any] = {"method": first.name}
        for corpus, runs in judged.runs.items():
            measures = runs.runs[number].measures
            row[f"S {corpus}"], row[f"T {corpus}"] = measures.symmetry, measures.transitivity
        rows.append(row)
    return rows


def _labels_row(row: ComparedMethod) -> dict[str, Any]:
    figures = row.figures
    return {
        "method": row.run.name,
        "P": figures["precision"],
        "R": figures["recall"],
        "F1": figures["f1"],
        "low": figures["low"],
        "high": figures["high"],
        "tp": figures["tp"],
        "fp": figures["fp"],
        "fn": figures["fn"],
        "bytes a document": f"{row.run.bytes_per_document:.0f}",
    }


def _pool_caption(found: Comparison) -> str:
    pool = found.pool
    size = "" if pool is None else f"; pool of {pool.pairs} pairs, {pool.verified} of them verified"
    return f"{found.documents} documents{size}."


def _pool_row(row: ComparedMethod) -> dict[str, Any]:
    figures = row.figures
    return {
        "method": row.run.name,
        "pairs": len(row.run.codes),
        "P": figures["precision"],
        "R": figures["recall"],
        "F1": figures["f1"],
        "alike": figures["alike"],
        "found alone": row.only,
    }


def _csv_line(name: str, protocol: str, row: ComparedMethod) -> str:
    figures = row.figures
    values = [
        name,
        protocol,
        row.run.name,
        len(row.run.codes),
        *(figures.get(figure) for figure in ("precision", "recall", "f1", "low", "high", "tp", "fp", "fn")),
        row.run.measures.symmetry,
        row.run.measures.transitivity,
        row.run.bytes_per_document,
    ]
    return csv_line([round(value, 6) if isinstance(value, float) else value for value in values]).decode()


def _save_figure(name: str, svg: str, caption: str) -> str:
    folder = REPORTS / "figures"
    folder.mkdir(exist_ok=True)
    write_text(folder / f"{name}.svg", svg)
    return f"![{caption}](figures/{name}.svg)"


def _slug(name: str) -> str:
    return "-".join(part for part in name.replace("+", " ").replace(",", " ").split())


if __name__ == "__main__":
    main()
