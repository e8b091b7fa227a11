"""Makes without-labels.csv and the first part of without-labels.md: what is said without labels, beside the truth.

    python reports/make_without_labels.py [--set NAME] [--representation morph]

With ``--set`` or ``--representation`` only those rows of the table are measured again; the page needs all of them.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, product
from typing import TYPE_CHECKING, Final

import numpy as np
from frame import REPORTS, read_table, table, table_of, with_copies, write_page, write_table
from without_labels_sets import FAMILIES, SETS, STEPS, judged, judged_links

from infostream_dedup.judging.evidence.pair_evidence import key_rows
from infostream_dedup.lab import duplicate_scores as duplicates
from infostream_dedup.lab.copy_scores import count_copies, harmonic
from infostream_dedup.lab.sweep_estimator import SweepEstimator, known_k
from infostream_dedup.links.measures import advise
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.linking import link

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.lab.census import CopyCensus
    from infostream_dedup.lab.copy_scores import Links
    from infostream_dedup.lab.duplicate_scores import ComparedCandidates
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.runs.batch.linking import Linked


_DECIMALS: Final = 6


def measure(name: str, representation: str) -> list[Row]:
    """Count, estimate and audit a set, and look up its truth: a row of the table for each k."""
    documents, settings = SETS[name].documents(), Settings(representation=representation)
    truth = SETS[name].truth(documents)
    collection, census = with_copies(documents)
    linked = link(collection.key_terms(settings), settings, k_min=1)
    links, counted, copies, _ = SweepEstimator(collection, census).linked(linked.key_terms, linked.matrix, settings)
    languages = linked.key_terms.counts.languages
    scores = count_copies(links, copies, counted, languages, steps=STEPS)["all"]
    candidates = drawn_and_compared(collection, census, linked, links, languages)
    known = judged(truth, candidates.a, candidates.b)
    estimate = duplicates.estimate_duplicates(candidates, steps=STEPS, about=known != 0)
    right, wrong, positives = judged_links(truth, links, counted)
    measures = {row.k: row for row in linked.relation().measures()}
    check = estimate.check.as_dict()
    head = [name, representation, len(documents), check["candidates"], scores[0].copies, estimate.code]
    head += [check.get(sign) for sign in SIGNS]
    head.append(advise(list(measures.values()), n=12, known=known_k(scores, estimate)).chosen)
    rows: list[Row] = []
    for at, k in enumerate(STEPS):
        shares = [_divided(right[at], right[at] + wrong[at]), _divided(right[at], positives)]
        shares += [scores[at].precision, scores[at].recall]
        shares += [estimate.scores[at].precision, estimate.scores[at].recall] if estimate.scores else [None, None]
        shares += [measures[k].symmetry, measures[k].transitivity]
        values = [*head, k, *(None if value is None else round(value, _DECIMALS) for value in shares)]
        cells = ["" if value is None else str(value) for value in values]
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return rows


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


def _divided(part: float, whole: float) -> float | None:
    return float(part / whole) if whole else None


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
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in read_table(TABLE):
        found[row["set"], row["representation"]].append(row)
    for representation, name in product(given.representation or REPRESENTATIONS, given.sets or SETS):
        begin = time.process_time()
        found[name, representation] = rows = measure(name, representation)
        print(name, representation, rows[0]["verdict"], f"{time.process_time() - begin:.1f} CPU s", flush=True)
        ordered = [found[name, one] for one, name in product(REPRESENTATIONS, SETS) if (name, one) in found]
        write_table(TABLE, COLUMNS, chain.from_iterable(ordered))
    write_page(
        "without-labels.md",
        "What is said without labels, beside the truth",
        "python reports/make_without_labels.py",
        [ABOUT, "## In short", _in_short(ordered), "## The estimate and its check", CHECKED, _checks(ordered)],
    )


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
