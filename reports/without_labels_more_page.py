"""Two sections of reports/without-labels.md: links between languages, and a stream by days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from without_labels_measuring import STEPS
from without_labels_stream import CHANCES

__all__ = ["across_section", "stream_section"]

Figures = Mapping[str, Any]

_SIGNS: Final = ("disagreement", "overall", "unworded")


def across_section(figures: Sequence[Figures]) -> str:
    """What would be said of links between languages, beside the truth."""
    rows, steps = [], []
    for one in figures:
        errors = [_error(one, "precision"), _error(one, "recall")]
        rows.append(
            [
                f"{one['corpus']} {one['pair']}",
                one["candidates"],
                one["positives"],
                one["copies"],
                one["code"],
                *("-" if one["code"] == "refused" else f"{one['check'][sign]:.3f}" for sign in _SIGNS),
                *("-" if error is None else f"{error:.3f}" for error in errors),
                one["k"]["best"],
                f"{one['k']['six']:.3f}",
            ]
        )
        for place, k in enumerate(STEPS):
            cells = (one[kind][name] for kind in ("true", "estimated") for name in ("precision", "recall"))
            shown = (values[place] if values else None for values in cells)
            steps.append([f"{one['corpus']} {one['pair']}", k, *("-" if x is None else f"{x:.3f}" for x in shown)])
    heads = "set,candidates,translations,copies,verdict,links,all,unworded,P error,R error,best k,F1 at 6 over best"
    return f"""## Across languages

Links of representation `pivot` between two languages; right are translations. The count does not apply: a translation
shares no word triples with its original, so there are no copies, or a few by names, numbers and quotations, however
good the links are. The estimate here is the same mixture, of the fields that pairs of two languages have: shares of 30
key terms in the pivot language, numbers and transliterated names. `sweep` does not show it: the pair model that checks
it has never seen two languages, so nothing can call it reliable, and the check says so wherever there is enough to fit.
The last column is what `default: 6` costs. `multilingual` has dates, so there the estimate is of pairs of seven days,
and the truth of all pairs: its errors are those of both.

{_table(heads.split(","), rows)}

{_table(["set", "k", "true P", "true R", "estimated P", "estimated R"], steps)}"""


def stream_section(one: Figures) -> str:
    """What the days of a stream show."""
    names = {"documents": "documents", "links": "links", "copies": "copies", "linked_copies": "linked copies"}
    rows: list[list[Any]] = [[shown, *one[name]] for name, shown in names.items()]
    for chance, begun in zip(CHANCES, one["drifts"], strict=True):
        rows.append([f"drifts by chance < {chance:g}", *begun])
    return f"""## A stream by days

The dated documents of `mdnews` through `ingest` (preset `judged`), then `store copies`: links are verdicts `exact` and
`duplicate`, copies documents that copy one of the seven days before, series left out. A drift lasts one day or several,
of one source or of all, of one of three shares. The alarm of `store copies --drifts` asks for a chance below .0001: a
power of ten below anything in the first half. The second half had no part in that.

{_table(["", "first half", "second half"], rows)}"""


def _error(one: Figures, name: str) -> float | None:
    pairs = zip(one["true"][name], one["estimated"][name] or [], strict=False)
    found = [abs(true - said) for true, said in pairs if true is not None and said is not None]
    return float(np.mean(found)) if found else None


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
