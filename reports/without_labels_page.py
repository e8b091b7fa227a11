"""The page of reports/without-labels.md, from the figures of the sets."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from without_labels_audits import AUDITED_K, AUDITS, JUDGEMENTS
from without_labels_choice import SHIPPED, chosen_thresholds, errors_of, greatest_error, verdicts_without_kind
from without_labels_measuring import STEPS
from without_labels_more_page import across_section, stream_section
from without_labels_sets import FAMILIES

__all__ = ["page"]

PAGE: Final = Path(__file__).resolve().parent / "without-labels.md"

Figures = Mapping[str, Any]

_HEAD = """# What is said without labels, beside the truth

Made by `python reports/make_without_labels.py` ({date}; {machine}, two cores, Python {python}) on sets of `data/` that
are not part of this project; `--set` and `--representation` measure some of them again, `--page` writes this page from
the figures in `without-labels.json`. [Without labels](../docs/explanation/without-labels.md) says what is counted,
estimated and checked.

A pair whose truth is not known (kin families, unlisted pairs of a family) is left out of the truth, of the estimate
and of the audits. On `mdnews` and `slavictopics` right is what shares passages (any overlap label), in `mdnews` with
pairs of seven days and without series unless it says `no dates`; in family sets, another version of the same text.
*Thinned* and *rare* sets keep three versions of one text in three, or in twelve, and one of the others. Made-up sets
are news of `mdnews` without any labelled overlap, with edited copies (sentences cut and put in, word forms changed, at
10, 30 and 50 %); their names tell the share of right pairs among the candidates, roughly. *Rates* and *forms* are
filled in with other numbers or names each time, and none of them is right; *footers* of five sites are half of a text.
"""


def page(figures: Sequence[Figures], across: Sequence[Figures], stream: Figures | None) -> None:
    """Write the page.

    Args:
        figures: of each set, in order.
        across: of each pair of languages.
        stream: of the stream by days; ``None`` if it was not measured.
    """
    dates = sorted({one["date"] for one in figures})
    head = _HEAD.format(
        date=dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}",
        machine=platform.machine(),
        python=platform.python_version(),
    )
    parts = [head, _in_short(figures)]
    parts += [_check(figures), _choice(figures), _counts(figures), _intervals(figures), _ks(figures), _audits(figures)]
    parts += [across_section(across)] if across else []
    parts += [stream_section(stream)] if stream else []
    parts.append("## Every k")
    parts += [f"### {_name(one)}\n\n{_steps(one)}" for one in figures]
    PAGE.write_text("\n\n".join(part.strip() for part in parts) + "\n", encoding="utf-8")


def _in_short(figures: Sequence[Figures]) -> str:
    """The goals and what came of them."""
    without = _verdicts(figures)
    by_goal = []
    for title, named in (("the shipped thresholds", lambda one: one["code"]), ("leave-kind-out", without)):
        reliable = [one for one in figures if named(one) == "reliable"]
        families = [one for one in reliable if one["set"] in FAMILIES]
        worst = max(reliable, key=greatest_error, default=None)
        by_goal.append(
            [
                title,
                f"{len(reliable)} of {len(figures)}",
                f"{len(families)} of {sum(one['set'] in FAMILIES for one in figures)}",
                _figure(np.mean([_mean_error(one, "precision") for one in reliable]) if reliable else None),
                _figure(np.mean([_mean_error(one, "recall") for one in reliable]) if reliable else None),
                "-" if worst is None else f"{greatest_error(worst):.3f} ({_name(worst)})",
            ]
        )
    heads = "thresholds,called reliable,of them family sets,mean error of P,mean error of R,greatest error"
    return f"""## In short

{_table(heads.split(","), by_goal)}

{_k_summary(figures)}

{_audit_summary(figures)}"""


def _check(figures: Sequence[Figures]) -> str:
    rows = []
    without = _verdicts(figures)
    for one in figures:
        check, errors = one["check"], errors_of(one)
        some = bool(errors["precision"] or errors["recall"])
        rows.append(
            [
                _name(one),
                one["documents"],
                check["candidates"],
                f"{one['right_share']:.4f}",
                one["code"],
                without(one),
                *(_figure(check.get(sign) if one["code"] != "refused" else None) for sign in SHIPPED),
                *(_figure(_mean_error(one, name)) if some else "-" for name in errors),
                _figure(greatest_error(one)) if some else "-",
            ]
        )
    heads = (
        "set,documents,candidates,right share,verdict,verdict left out,links,all,unworded,refilled,far,P error,"
        "R error,greatest"
    )
    thresholds = ", ".join(f"{value:g}" for value in SHIPPED.values())
    return f"""## The estimate and its check

Errors are means over k = 3 to 12. `links`, `all`, `unworded`, `refilled` and `far` are five of the
six signs; the sixth, sources on which mixture and model differ, changes no verdict here. From
{thresholds} they speak against the fit. *Left out* is the verdict by thresholds that no set of
this kind had a part in (below).

{_table(heads.split(","), rows)}"""


def _choice(figures: Sequence[Figures]) -> str:
    found = verdicts_without_kind(figures)
    rows = [
        [f"without {kind}", *(_figure(value) for value in one["thresholds"].values())] for kind, one in found.items()
    ]
    rows.append(["all kinds", *(_figure(value) for value in chosen_thresholds(figures).values())])
    rows.append(["shipped", *(_figure(value) for value in SHIPPED.values())])
    return f"""## Thresholds chosen without the kind that is judged

A right fit errs by .05 at most at every k. Each threshold is between the greatest value of its sign in right fits
and the next greater value in a wrong one, a third of the way in logarithms: nearer to the right ones, because a wrong
figure called reliable is worse than a right one that is not shown. A kind is left out in both representations.

{_table(["chosen", "links", "all", "unworded", "refilled", "far"], rows)}"""


def _counts(figures: Sequence[Figures]) -> str:
    rows = []
    for one in figures:
        errors = errors_of(one, "counted")
        means = [_figure(float(np.mean(part)) if part else None) for part in errors.values()]
        rows.append([_name(one), one["positives"], one["counted"]["copies"], *means])
    return f"""## The count

A count is about copies. On `mdnews` and `slavictopics` its errors are those of the definition (three tenths of the word
triples against a fifth of the 5-grams); elsewhere they show how many duplicates are not copies.

{_table(["set", "right pairs", "copies", "P error", "R error"], rows)}"""


def _intervals(figures: Sequence[Figures]) -> str:
    rows = []
    totals = np.zeros((2, 2), dtype=np.int64)
    for one in figures:
        if one["code"] != "reliable":
            continue
        shown = []
        for part, name in enumerate(("precision", "recall")):
            held = _held(one, name)
            totals[part] += sum(held), len(held)
            shown.append(f"{sum(held)} of {len(held)}")
        rows.append([_name(one), *shown])
    rows.append(["all", *(f"{held} of {of} ({held / max(of, 1):.3f})" for held, of in totals.tolist())])
    return f"""## 95 % intervals of the estimate

How many intervals hold the truth, over k = 3 to 12 of the sets called reliable.

{_table(["set", "P", "R"], rows)}"""


def _held(one: Figures, name: str) -> list[bool]:
    return [
        bounds[0] - 1e-6 <= true <= bounds[1] + 1e-6
        for bounds, true in zip(one["estimated"][f"{name}_bounds"], one["true"][name], strict=True)
        if bounds is not None and true is not None
    ]


_CHOICES: Final[Mapping[str, str]] = {
    "recommended": "recommended",
    "estimated": "estimate alone",
    "counted": "count alone",
    "six": "k = 6",
    "old": "old rule",
    "hits": "mixture of hits",
    "greatest S T": "greatest H(S, T)",
}


def _ratios(one: Figures) -> dict[str, float | None]:
    """F1 at each choice of k over the greatest F1; ``None`` where nothing was chosen or nothing is right."""
    values = [_harmonic(p, r) for p, r in zip(one["true"]["precision"], one["true"]["recall"], strict=True)]
    best = max(values)
    found = {}
    for name in _CHOICES:
        k = AUDITED_K if name == "six" else one["k"][name]
        found[name] = None if k is None or best == 0 else values[k - STEPS[0]] / best
    return found


def _ks(figures: Sequence[Figures]) -> str:
    rows = []
    for one in figures:
        ratios = _ratios(one)
        ks = {**one["k"], "six": AUDITED_K}
        rows.append(
            [_name(one), *("-" if ratios[name] is None else f"{ks[name]} ({ratios[name]:.3f})" for name in _CHOICES)]
        )
    return f"""## k

In brackets, F1 at this k over the greatest F1 of k = 3 to 12. *Estimate alone* asks for no check, *count alone* for no
number of copies; the *old rule* is the one by S and T (6 after a refusal).

{_table(["set", *_CHOICES.values()], rows)}"""


def _k_summary(figures: Sequence[Figures]) -> str:
    ratios = [_ratios(one) for one in figures]
    rows = []
    for name, title in _CHOICES.items():
        known = [value for one in ratios if (value := one[name]) is not None]
        rows.append(
            [title, len(known), _figure(float(np.mean(known))), _figure(min(known))] if known else [title, 0, "-", "-"]
        )
    return _table(["choice of k", "sets", "F1 over the greatest: mean", "worst"], rows)


def _audits(figures: Sequence[Figures]) -> str:
    rows = []
    for one in figures:
        audits = one["audits"]
        shown: list[str] = []
        for name in ("precision", "recall"):
            part = audits[name]
            keys = ("true", "error", "covered", "width")
            shown += ["-"] * 4 if part is None else [f"{part[key]:.3f}" for key in keys]
        rows.append([_name(one), audits["pairs"], audits["right"], *shown])
    heads = "set,pairs,right,P: true,mean error,covered,width,R: true,mean error,covered,width"
    return f"""## Audits

{AUDITS} audits of {JUDGEMENTS} judgements at k = {AUDITED_K}, with labels as the judge; only pairs that a label
judges are asked about.

{_table(heads.split(","), rows)}"""


def _audit_summary(figures: Sequence[Figures]) -> str:
    rows = []
    for name, short in (("precision", "P"), ("recall", "R")):
        parts = [(one["audits"][name], _name(one)) for one in figures if one["audits"][name] is not None]
        if not parts:
            continue
        error = max(parts, key=lambda pair: pair[0]["error"])
        covered = min(parts, key=lambda pair: pair[0]["covered"])
        rows.append(
            [
                f"{short}, {AUDITS} audits of {JUDGEMENTS}",
                _figure(float(np.mean([part["error"] for part, _ in parts]))),
                f"{error[0]['error']:.3f} ({error[1]})",
                _figure(float(np.mean([part["covered"] for part, _ in parts]))),
                f"{covered[0]['covered']:.3f} ({covered[1]})",
            ]
        )
    return _table(["audit", "mean error", "greatest", "intervals that hold", "fewest"], rows)


def _steps(one: Figures) -> str:
    rows = []
    for at, k in enumerate(STEPS):
        estimated = [one["estimated"][name][at : at + 1] for name in ("precision", "recall")]
        rows.append(
            [
                k,
                *(_figure(one["true"][name][at]) for name in ("precision", "recall")),
                *(_figure(one["counted"][name][at]) for name in ("precision", "recall")),
                *(_figure(part[0] if part else None) for part in estimated),
                *(_figure(one[name][at]) for name in ("symmetry", "transitivity")),
            ]
        )
    return _table(["k", "true P", "true R", "counted P", "counted R", "estimated P", "estimated R", "S", "T"], rows)


def _verdicts(figures: Sequence[Figures]) -> Callable[[Figures], str]:
    found = {name: said for one in verdicts_without_kind(figures).values() for name, said in one["verdicts"].items()}
    return lambda one: found[_name(one)]


def _name(one: Figures) -> str:
    return f"{one['set']}, {one['representation']}"


def _mean_error(one: Figures, name: str) -> float:
    errors = errors_of(one)[name]
    return float(np.mean(errors)) if errors else np.nan


def _harmonic(one: float | None, other: float | None) -> float:
    return 2.0 * one * other / (one + other) if one and other else 0.0


def _figure(value: Any) -> str:
    return "-" if value is None or np.isnan(value) else f"{value:.3f}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
