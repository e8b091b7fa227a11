"""Makes a part of without-labels.md, as part of ``make reports``: S and T of the links that a second look confirms."""

from __future__ import annotations

import sys
from typing import Any

from frame import documents_file, table, write_part

from infostream_dedup import sweep
from infostream_dedup.lab.copy_scores import harmonic
from infostream_dedup.runs.batch.sweeping import SweepResult, SweepRow

SETS = ("uagec", "wmt", "ntrex", "multilingual", "slavictopics", "tgpairs", "mdnews")

_ABOUT = """\
`infostream-dedup sweep DOCS --representation morph --confirmed` on the documents of every set, whatever their language.
A link i -> j at k is confirmed if the pair model gives the pair a probability of .5 and more. An equivalence has
S = T = 1. H is the harmonic mean of S and T. Nothing here needs labels; the coefficients of the model were learned on
labelled pairs of all these sets but mdnews and multilingual, S and T were not asked."""


def main() -> None:
    """Measure and write the page."""
    found = {}
    for name in SETS:
        found[name] = sweep(documents_file(name), representations=["morph"], confirmed=True, examples=False)
        print(name, file=sys.stderr)
    answers = [_answer(name, result) for name, result in found.items()]
    nearer = sum(row["nearer"] == "yes" for row in answers)
    six = sum(row["H at 6, confirmed"] > row["H at 6"] for row in answers)
    closer = sum((row["T "] or 0.0) >= (row["T"] or 0.0) for row in answers)
    told = (
        '**Does the second look bring "similar" closer to an equivalence? '
        f"On {nearer} of {len(answers)} sets** by H at the k that is best for each of the two, over k = 3..12; "
        f"on {six} of {len(answers)} at k = 6. "
        f"It is symmetry that gains most; T is no lower on {closer} of {len(answers)}."
    )
    parts = [_ABOUT, "## The answer", told, table(answers)]
    title, command = "The links that a second look confirms", "python reports/make_confirmed.py"
    write_part("without-labels.md", "confirmed", title, command, parts)


def _answer(name: str, result: SweepResult) -> dict[str, Any]:
    plain, confirmed = (_best(result, block) for block in ("all", "confirmed"))
    return {
        "set": name,
        "documents": plain.measures.documents,
        **_figures("plain", plain),
        **_figures("confirmed", confirmed),
        "H at 6": _harmonic(_at(result, "all", 6)),
        "H at 6, confirmed": _harmonic(_at(result, "confirmed", 6)),
        "nearer": "yes" if _harmonic(confirmed) > _harmonic(plain) else "no",
    }


def _figures(said: str, row: SweepRow) -> dict[str, Any]:
    found = {"S": row.measures.symmetry, "T": row.measures.transitivity, "H": _harmonic(row)}
    more = "" if said == "plain" else " "
    return {f"{said}: k": row.measures.k} | {name + more: value for name, value in found.items()}


def _best(result: SweepResult, block: str) -> SweepRow:
    return max((row for row in result.rows if row.block == block and (row.measures.k or 0) >= 3), key=_harmonic)


def _at(result: SweepResult, block: str, k: int) -> SweepRow:
    return next(row for row in result.rows if row.block == block and row.measures.k == k)


def _harmonic(row: SweepRow) -> float:
    return harmonic(row.measures.symmetry, row.measures.transitivity)


if __name__ == "__main__":
    main()
