"""The page orderings.md: which orderings of methods that were published hold on the labelled corpora."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from comparison_results import Judged, all_comparisons, as_figure
from comparison_texts import ORDERINGS_TEXT
from make_reports import table, write_page

from infostream_dedup.lab.evaluation.agreement import rank_correlation
from infostream_dedup.lab.evaluation.pool import POOL_METHODS
from infostream_dedup.report.published import PUBLISHED_DICE, PUBLISHED_METHODS


def orderings_page(judged: Judged) -> None:
    """Make the page on which published orderings hold."""
    parts = [ORDERINGS_TEXT["opening"]]
    for title, key, rows in (
        ("Long Sent has the best recall of A0 to A10", "recall", _best_recall(judged)),
        ("MD5, Lex Rand and Log Shingles have the best precision of A0 to A10", "precision", _best_precision(judged)),
        ('"3+5" is above all of A0 to A10 in F', "three-plus-five", _three_plus_five(judged)),
        ('"3+2": N = 3 raises precision and lowers recall against N = 2', "n", _n_three(judged)),
        ('"3+2" (N = 2) is a little above "3+5"', "three-plus-two", _against_three_plus_five(judged)),
        ("Low-IDF-Sig is near 3-shingles at a third of the postings", "low-idf", _low_idf(judged)),
        ("Decomposition (A11) finds practically everything", "decomposition", _decomposition(judged)),
        ("The order of A0 to A10 by F, and who agrees with whom", "order", _rank_orders(judged)),
    ):
        parts += [f"## {title}", table(rows), _count(rows) + ORDERINGS_TEXT[key]]
    parts.append(ORDERINGS_TEXT["closing"])
    write_page("orderings.md", "Which published orderings hold", "make_comparison.py", parts)


def _count(rows: Sequence[Mapping[str, Any]]) -> str:
    """Count each verdict in each column of verdicts."""
    columns = [name for name, value in rows[0].items() if value in ("yes", "no") or name == "holds"]
    told = []
    for name in columns:
        verdicts = Counter("-" if row[name] is None else row[name].partition(":")[0] for row in rows)
        counted = ", ".join(f"{verdict} {times}" for verdict, times in sorted(verdicts.items(), reverse=True))
        told.append(f"**{name.capitalize()}: {counted}.** ")
    return "".join(told)


def _best_recall(judged: Judged) -> list[dict[str, Any]]:
    rows = []
    for name, found in all_comparisons(judged):
        recall = {method: as_figure(found, method, "recall") or 0.0 for method in POOL_METHODS}
        others = {method: value for method, value in recall.items() if method != "long-sent"}
        best = max(others, key=others.__getitem__)
        rows.append(
            {
                "set": name,
                "Long Sent": recall["long-sent"],
                "best other": best,
                "its recall": others[best],
                "rank of Long Sent": 1 + sum(value > recall["long-sent"] for value in others.values()),
                "holds": _verdict(recall["long-sent"] >= others[best]),
            }
        )
    return rows


def _best_precision(judged: Judged) -> list[dict[str, Any]]:
    three = ("md5", "lex-rand", "log-shingles")
    rows = []
    for name, found in all_comparisons(judged):
        precision = {method: as_figure(found, method, "precision") for method in POOL_METHODS}
        known = {method: value for method, value in precision.items() if value is not None}
        own = [known[method] for method in three if method in known]
        others = {method: value for method, value in known.items() if method not in three}
        best = max(others, key=others.__getitem__, default=None)
        highest = 0.0 if best is None else others[best]
        failing = [method for method in three if known.get(method, 1.0) < highest]
        if not own:
            holds = None
        elif failing:
            holds = f"no: {', '.join(failing)}"
        else:
            holds = "tie" if min(own) == highest else "yes"
        rows.append(
            {
                "set": name,
                **{method: precision[method] for method in three},
                "best other": best,
                "its precision": highest if others else None,
                "lowest other": min(others.values(), default=None),
                "holds": holds,
            }
        )
    return rows


def _three_plus_five(judged: Judged) -> list[dict[str, Any]]:
    rows = []
    for name, found in all_comparisons(judged):
        f1 = {method: as_figure(found, method, "f1") or 0.0 for method in POOL_METHODS}
        best = max(f1, key=f1.__getitem__)
        own = as_figure(found, "three-plus-five", "f1") or 0.0
        rows.append(
            {"set": name, '"3+5"': own, "best of A0-A10": best, "its F": f1[best], "holds": _verdict(own > f1[best])}
        )
    return rows


def _n_three(judged: Judged) -> list[dict[str, Any]]:
    rows = []
    for name, found in all_comparisons(judged):
        figures = {
            f"{figure} N = {n}": as_figure(found, method, figure)
            for figure in ("precision", "recall", "f1", "alike")
            for n, method in ((2, "three-plus-two"), (3, "three-plus-two:n=3"))
        }
        pairs = {
            f"pairs N = {n}": as_figure(found, method, "pairs")
            for n, method in ((2, "three-plus-two"), (3, "three-plus-two:n=3"))
        }
        up = (figures["precision N = 3"] or 0) - (figures["precision N = 2"] or 0)
        down = (figures["recall N = 3"] or 0) - (figures["recall N = 2"] or 0)
        holds = (
            "yes"
            if up > 0 > down
            else "recall only"
            if down < 0 == up
            else "no difference"
            if up == down == 0
            else "no"
        )
        rows.append({"set": name, **pairs, **figures, "holds": holds})
    return rows


def _against_three_plus_five(judged: Judged) -> list[dict[str, Any]]:
    rows = []
    for name, found in all_comparisons(judged):
        five, two = (
            {figure: as_figure(found, method, figure) for figure in ("precision", "recall", "f1", "alike")}
            for method in ("three-plus-five", "three-plus-two")
        )
        rows.append(
            {
                "set": name,
                **{f'{figure} "3+5"': value for figure, value in five.items()},
                **{f'{figure} "3+2"': value for figure, value in two.items()},
                "holds": _verdict((two["f1"] or 0.0) >= (five["f1"] or 0.0)),
            }
        )
    return rows


def _low_idf(judged: Judged) -> list[dict[str, Any]]:
    rows = []
    for name, found in all_comparisons(judged):
        shingles, low = (as_figure(found, method, "f1") for method in ("shingles", "low-idf-sig"))
        sizes = [as_figure(found, method, "bytes_per_document") for method in ("low-idf-sig", "shingles")]
        near = shingles is not None and low is not None and low >= shingles - 0.02
        rows.append(
            {
                "set": name,
                "F 3-shingles": shingles,
                "F Low-IDF-Sig": low,
                "F SpotSigs": as_figure(found, "spotsigs", "f1"),
                "F I-Match": as_figure(found, "i-match", "f1"),
                "postings of Low-IDF-Sig / 3-shingles": sizes[0] / sizes[1],
                "within .02": _verdict(near),
                "at most a third": _verdict(3 * sizes[0] <= sizes[1]),
            }
        )
    return rows


def _decomposition(judged: Judged) -> list[dict[str, Any]]:
    return [
        {"set": name, **{figure: as_figure(found, "decomposition", figure) for figure in ("precision", "recall", "f1")}}
        for name, found in all_comparisons(judged)
    ]


def _rank_orders(judged: Judged) -> list[dict[str, Any]]:
    """Compute Spearman's correlation with the paper for F and for Dice coefficients."""
    rows = []
    for name, found in all_comparisons(judged):
        place = {method: number for number, method in enumerate(found.names)}
        ours = [found.dice[place[one]][place[other]] for one, other in PUBLISHED_DICE]
        rows.append(
            {
                "set": name,
                "F of A0-A10": rank_correlation(
                    [as_figure(found, method, "f1") for method in POOL_METHODS],
                    [PUBLISHED_METHODS[method].f1 for method in POOL_METHODS],
                ),
                "recall": rank_correlation(
                    [as_figure(found, method, "recall") for method in POOL_METHODS],
                    [PUBLISHED_METHODS[method].recall for method in POOL_METHODS],
                ),
                "precision": rank_correlation(
                    [as_figure(found, method, "precision") for method in POOL_METHODS],
                    [PUBLISHED_METHODS[method].precision for method in POOL_METHODS],
                ),
                "Dice": rank_correlation(ours, list(PUBLISHED_DICE.values())),
            }
        )
    return rows


def _verdict(holds: bool) -> str:
    return "yes" if holds else "no"
