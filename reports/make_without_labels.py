"""Makes without-labels.csv and the first part of without-labels.md: what is said without labels, beside the truth.

    python reports/make_without_labels.py [--set NAME] [--representation morph]

With ``--set`` or ``--representation`` only those rows of the table are measured again; the page needs all of them.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from frame import REPORTS, table, table_of, write_page
from without_labels_sets import FAMILIES, SETS

from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.judging.evidence.pair_evidence import key_rows
from infostream_dedup.lab import duplicate_scores as duplicates
from infostream_dedup.lab.census import CopyCensus, in_universe
from infostream_dedup.lab.copy_scores import CopyScores, count_copies, harmonic
from infostream_dedup.lab.labels import both_of, codes_of
from infostream_dedup.lab.sweep_estimator import SweepEstimator, known_k
from infostream_dedup.links.measures import advise
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.linking import link

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from without_labels_sets import TrueSet

    from infostream_dedup.lab.copy_scores import Links
    from infostream_dedup.lab.duplicate_scores import ComparedCandidates, DuplicateEstimate
    from infostream_dedup.lab.labels import Truth
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.runs.batch.linking import Linked


STEPS: Final = range(3, 13)
_DECIMALS: Final = 6


def measure(name: str, one: TrueSet, representation: str) -> dict[str, Any]:
    """Count, estimate and audit a set, and look up its truth."""
    begin = time.process_time()
    documents = one.documents()
    truth, reader, settings = one.truth(documents), EvidenceReader(), Settings(representation=representation)
    collection = collect(documents, evidence=reader)
    census = CopyCensus(collection.documents, reader.finish(collection.languages))
    linked = link(collection.key_terms(settings), settings, k_min=1)
    links, counted, copies, _ = SweepEstimator(collection, census).linked(linked.key_terms, linked.matrix, settings)
    languages = linked.key_terms.counts.languages
    scores = count_copies(links, copies, counted, languages, steps=STEPS)["all"]
    candidates = drawn_and_compared(collection, census, linked, links, languages)
    known = _judged(truth, candidates.a, candidates.b)
    estimate = duplicates.estimate_duplicates(candidates, steps=STEPS, about=known != 0)
    a, b = np.repeat(np.arange(len(documents)), np.diff(links.indptr)), links.indices.astype(np.int64)
    a, b = a[a < b], b[a < b]
    grades = links.grades_of(a, b)
    inside, series = in_universe(counted.universe, a, b)
    kept = inside & ~series & (grades >= STEPS[0])
    verdicts, grades = _judged(truth, a[kept], b[kept]), grades[kept]
    inside, series = in_universe(counted.universe, *both_of(truth.positives, len(documents)))
    positives = int((inside & ~series).sum())
    right = np.array([((verdicts == 1) & (grades >= k)).sum() for k in STEPS], dtype=np.float64)
    wrong = np.array([((verdicts == -1) & (grades >= k)).sum() for k in STEPS], dtype=np.float64)
    measures = {row.k: row for row in linked.relation().measures()}
    check = estimate.check.as_dict()
    return {
        "set": name,
        "kind": one.kind,
        "representation": representation,
        "documents": len(documents),
        "positives": positives,
        "right_share": round(float((known == 1).sum() / max((known != 0).sum(), 1)), _DECIMALS),
        "true": {
            "precision": [_rounded(one) for one in _divided(right, right + wrong).tolist()],
            "recall": [_rounded(one) for one in _divided(right, np.full(len(right), float(positives))).tolist()],
        },
        "counted": _counted(scores),
        "code": estimate.code,
        "check": check,
        "estimated": _estimated(estimate),
        "symmetry": [_rounded(measures[k].symmetry) for k in STEPS],
        "transitivity": [_rounded(measures[k].transitivity) for k in STEPS],
        "k": {
            "recommended": advise(list(measures.values()), n=12, known=known_k(scores, estimate)).chosen,
            "estimated": _greatest([harmonic(one.precision, one.recall) for one in estimate.scores]),
            "counted": _greatest([one.f1 for one in scores]),
            "greatest S T": _greatest([harmonic(measures[k].symmetry, measures[k].transitivity) for k in STEPS]),
        },
        "cpu_seconds": round(time.process_time() - begin, 1),
    }


def drawn_and_compared(
    collection: Collection, census: CopyCensus, linked: Linked, links: Links, languages: NDArray[np.uint8]
) -> ComparedCandidates:
    """Candidates as a sweep by counts draws and compares them."""
    drawn = duplicates.draw_candidates(
        linked.matrix,
        links,
        facts=census.facts,
        universe=census.counted.universe,
        languages=languages,
        checked_step=duplicates.CHECKED_K,
    )
    thirty = collection.key_terms_of(linked.settings.but(n=30), drawn.documents(), linked.key_terms)
    return duplicates.compare_candidates(
        drawn,
        links,
        key_rows(thirty.keys, thirty.targets),
        records=census.records,
        wording=census.wording,
        facts=census.facts,
        checked_step=duplicates.CHECKED_K,
        lowest_step=duplicates.LOWEST_K,
    )


def _judged(truth: Truth, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int8]:
    codes = codes_of(a, b, truth.documents)
    order, found = np.argsort(codes, kind="stable"), np.empty(len(codes), dtype=np.int8)
    found[order] = truth.judge(codes[order])
    return found


def _counted(scores: list[CopyScores]) -> dict[str, Any]:
    return {
        "copies": scores[0].copies,
        "precision": [_rounded(one.precision) for one in scores],
        "recall": [_rounded(one.recall) for one in scores],
    }


def _estimated(estimate: DuplicateEstimate) -> dict[str, Any]:
    scores = estimate.scores
    return {
        "precision": [_rounded(one.precision) for one in scores],
        "recall": [_rounded(one.recall) for one in scores],
        "precision_bounds": [one.precision_bounds for one in scores],
        "recall_bounds": [one.recall_bounds for one in scores],
    }


def _divided(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.full(len(part), np.nan, dtype=np.float64)
    np.divide(part, whole, out=found, where=whole > 0)
    return found


def _greatest(values: list[float]) -> int | None:
    """The k of the greatest value, the least such k; ``None`` without values."""
    return STEPS[int(np.argmax(values))] if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else round(value, _DECIMALS)


TABLE: Final = REPORTS / "without-labels.csv"
SIGNS: Final = ("disagreement", "overall", "unworded", "refilled", "far")
CURVES: Final = tuple(f"{said}_{name}" for said in ("true", "counted", "estimated") for name in ("precision", "recall"))
HEAD: Final = ("set", "representation", "documents", "candidates", "copies", "verdict", *SIGNS, "recommended", "k")
COLUMNS: Final = (*HEAD, *CURVES, "symmetry", "transitivity")
REPRESENTATIONS: Final = ("morph", "stem")
Row = Mapping[str, str]

ABOUT = """\
[Without labels](../docs/explanation/without-labels.md) says what is counted, estimated and checked; every k of every
set is in [without-labels.csv](without-labels.csv).

A pair whose truth is not known (kin families, unlisted pairs of a family) is left out of the truth and of the estimate.
On `mdnews` and `slavictopics` right is what shares passages (any overlap label), in `mdnews` with pairs of seven days
and without series unless it says `no dates`; in family sets, another version of the same text. *Thinned* and *rare*
sets keep three versions of one text in three, or in twelve, and one of the others. Made-up sets are news of `mdnews`
without any labelled overlap, with edited copies (sentences cut and put in, word forms changed, at 10, 30 and 50 %);
their names tell the share of right pairs among the candidates, roughly. *Rates* and *forms* are filled in with other
numbers or names each time, and none of them is right; *footers* of five sites are half of a text."""

CHECKED = """\
Errors are means over k = 3 to 12. `links`, `all`, `unworded`, `refilled` and `far` are the signs that speak against a
fit."""


def main() -> None:
    """Measure the sets and write table and page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", dest="sets", action="append", choices=list(SETS))
    parser.add_argument("--representation", action="append", choices=REPRESENTATIONS)
    given = parser.parse_args()
    found: dict[tuple[str, str], list[Row]] = {}
    if TABLE.is_file():
        with TABLE.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                found.setdefault((row["set"], row["representation"]), []).append(row)
    for representation in given.representation or REPRESENTATIONS:
        for name in given.sets or SETS:
            measured = measure(name, SETS[name], representation)
            found[name, representation] = rows_of(measured)
            print(name, representation, measured["code"], f"{measured['cpu_seconds']} CPU s", flush=True)
            _write(found)
    ordered = [found[name, one] for one in REPRESENTATIONS for name in SETS if (name, one) in found]
    write_page(
        "without-labels.md",
        "What is said without labels, beside the truth",
        "python reports/make_without_labels.py",
        [ABOUT, "## In short", _in_short(ordered), "## The estimate and its check", CHECKED, _checks(ordered)],
    )


def rows_of(one: Mapping[str, Any]) -> list[Row]:
    """A measured set as rows of the table, one for each k."""
    check, head = one["check"], [one["set"], one["representation"], one["documents"]]
    head += [check["candidates"], one["counted"]["copies"], one["code"], *(check.get(sign) for sign in SIGNS)]
    rows: list[Row] = []
    for at, k in enumerate(STEPS):
        curves = [one[said][name] for said in ("true", "counted", "estimated") for name in ("precision", "recall")]
        curves += [one["symmetry"], one["transitivity"]]
        values = [*head, one["k"]["recommended"], k, *(curve[at] if curve else None for curve in curves)]
        cells = ["" if value is None else str(value) for value in values]
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return rows


def _write(found: Mapping[tuple[str, str], Sequence[Row]]) -> None:
    with TABLE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for one in REPRESENTATIONS:
            for name in SETS:
                writer.writerows(found.get((name, one), ()))


def _errors(rows: Sequence[Row], name: str, said: str = "estimated") -> list[float]:
    both = [(row[f"true_{name}"], row[f"{said}_{name}"]) for row in rows]
    return [abs(float(true) - float(value)) for true, value in both if true and value]


def _f1(row: Row) -> float:
    return harmonic(float(row["true_precision"] or 0), float(row["true_recall"] or 0))


def _in_short(figures: Sequence[Sequence[Row]]) -> str:
    reliable = [rows for rows in figures if rows[0]["verdict"] == "reliable"]
    families = [rows for rows in figures if rows[0]["set"] in FAMILIES]
    row = {
        "called reliable": f"{len(reliable)} of {len(figures)}",
        "of them family sets": f"{sum(rows in reliable for rows in families)} of {len(families)}",
        "mean error of P": _mean([_mean(_errors(rows, "precision")) for rows in reliable]),
        "mean error of R": _mean([_mean(_errors(rows, "recall")) for rows in reliable]),
        "greatest error": max(
            (max([*_errors(rows, "precision"), *_errors(rows, "recall")], default=1.0) for rows in reliable),
            default=None,
        ),
    }
    shares = []
    for rows in figures:
        best = max(map(_f1, rows))
        if best:
            there = next(one for one in rows if one["k"] == one["recommended"])
            six = next(one for one in rows if one["k"] == "6")
            shares.append((_f1(there) / best, _f1(six) / best))
    chosen = [
        {"choice of k": name, "sets": len(shares), "F1 over the greatest: mean": _mean(values), "worst": min(values)}
        for name, values in zip(("recommended", "k = 6"), zip(*shares, strict=True), strict=False)
    ]
    return "\n\n".join([table([row]), *([table(chosen)] if chosen else [])])


def _checks(figures: Sequence[Sequence[Row]]) -> str:
    lines = []
    for rows in figures:
        first = rows[0]
        signs = [float(first[sign]) if first[sign] and first["verdict"] != "refused" else None for sign in SIGNS]
        errors = [_mean(_errors(rows, name)) for name in ("precision", "recall")]
        name = f"{first['set']}, {first['representation']}"
        lines.append([name, first["documents"], first["candidates"], first["verdict"], *signs, *errors])
    heads = "set,documents,candidates,verdict,links,all,unworded,refilled,far,P error,R error"
    return table_of(heads.split(","), lines)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


if __name__ == "__main__":
    main()
