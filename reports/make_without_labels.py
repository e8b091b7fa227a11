"""Makes without-labels.csv and the first part of without-labels.md: what is said without labels, beside the truth.

    python reports/make_without_labels.py [--set NAME] [--representation morph]

With ``--set`` or ``--representation`` only those rows of the table are measured again; the page needs all of them.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from frame import REPORTS, table, table_of, write_page
from without_labels_measuring import STEPS, measure
from without_labels_sets import FAMILIES, SETS

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
    rows = []
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
    p, r = float(row["true_precision"] or 0), float(row["true_recall"] or 0)
    return 2 * p * r / (p + r) if p + r else 0.0


def _in_short(figures: Sequence[Sequence[Row]]) -> str:
    reliable = [rows for rows in figures if rows[0]["verdict"] == "reliable"]
    families = [rows for rows in figures if rows[0]["set"] in FAMILIES]
    row = {
        "called reliable": f"{len(reliable)} of {len(figures)}",
        "of them family sets": f"{sum(rows in reliable for rows in families)} of {len(families)}",
        "mean error of P": _mean([_mean(_errors(rows, "precision")) for rows in reliable]),
        "mean error of R": _mean([_mean(_errors(rows, "recall")) for rows in reliable]),
        "greatest error": max((_greatest(rows) for rows in reliable), default=None),
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


def _greatest(rows: Sequence[Row]) -> float:
    return max([*_errors(rows, "precision"), *_errors(rows, "recall")], default=1.0)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


if __name__ == "__main__":
    main()
