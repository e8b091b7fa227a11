"""The tables and figures of the other papers, redone on collections of known truth, for make_paper.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from criteria_tables import PUBLISHED, candidate_table
from frame import REPORTS, documents_file, labels_file, rank_correlation, table, table_of, write_text

from infostream_dedup import Document, read_documents
from infostream_dedup.api.evaluate import compare
from infostream_dedup.judging.criteria.classifier import CLASSIFIER_PRESETS
from infostream_dedup.judging.criteria.document_models import DocumentModels, document_models, key_term_candidates
from infostream_dedup.judging.criteria.judged_pairs import judged_pairs
from infostream_dedup.judging.criteria.training import CurvePoint, LearnedAuthority, curve_criteria, learning_curve
from infostream_dedup.lab.comparison import Comparison
from infostream_dedup.lab.labels import Label, read_labels
from infostream_dedup.lab.methods import POOL_METHODS
from infostream_dedup.report.comparison import PUBLISHED_F, learning_figure
from infostream_dedup.report.drawing import Axis, Panel, Picture, Stroke, as_svg
from infostream_dedup.report.tables import PUBLISHED_DICE, PUBLISHED_METHODS

TAUS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_WIDTHS: Final = (3, 4, 5)
_ANTECEDENTS: Final = (1, 5, 20, 50, 200, 500)
_SIZES: Final = (50, 100, 200, 400, 800)
_NEWEST: Final = 1_502  # documents of the day of Andreev et al
_COLOURS: Final = ("#1f6fb4", "#2e8b57", "#d2691e")


@dataclass(frozen=True)
class Known:
    """A collection whose duplicates are known: all of them (``closed``), or only labelled pairs."""

    name: str
    documents: list[Document]
    labels: list[Label]
    closed: bool

    @classmethod
    def of_corpus(cls, name: str) -> Known | None:
        """A labelled corpus, where it lies beside the checkout."""
        if not documents_file(name).is_file():
            return None
        return cls(name, list(read_documents(documents_file(name))), read_labels(labels_file(name)), closed=False)

    @cached_property
    def models(self) -> DocumentModels:
        """What the nine criteria compare."""
        return document_models(self.documents)

    def compared(self, methods: Sequence[str], **more: Any) -> Comparison:
        """Methods by labels, or by the pool."""
        labels: dict[str, Any] = {} if "protocol" in more else {"labels": self.labels, "closed": self.closed}
        return compare(self.documents, methods=methods, resamples=1, **labels, **more)


def figure_of(found: Comparison, method: str, name: str) -> float | None:
    """One figure of one method; None where it has none."""
    return next((row.as_dict().get(name) for row in found.rows if row.run.name == method), None)


def methods_table(found: Mapping[str, Comparison], methods: Sequence[str]) -> str:
    """Precision, recall and F1 as published and by each comparison."""
    heads = ["method", "published P, R, F1", *(f"{name}: P, R, F1" for name in found)]

    def shown(values: Sequence[float | None]) -> str:
        return " ".join("-" if one is None else f"{one:.2f}" for one in values)

    rows = []
    for method in methods:
        paper = PUBLISHED_METHODS[method]
        ours = [
            shown([figure_of(one, method, name) for name in ("precision", "recall", "f1")]) for one in found.values()
        ]
        rows.append([method, shown([paper.precision, paper.recall, paper.f1]), *ours])
    return table_of(heads, rows)


def romip(found: Mapping[str, Comparison]) -> Iterator[str]:
    """Which statements of Zelenkov and Segalovich hold."""
    for name, one in found.items():
        f1, recall, precision = (
            {method: figure_of(one, method, figure) for method in POOL_METHODS}
            for figure in ("f1", "recall", "precision")
        )
        known = {method: value for method, value in recall.items() if value is not None}
        if not known:
            yield f"{name}: no pair is true, so nothing can be said."
            continue
        best = max(known, key=known.__getitem__)
        exact = [method for method in ("md5", "lex-rand", "log-shingles") if precision[method] is not None]
        top = max(value for value in precision.values() if value is not None)
        both = all((precision[method] or 0) >= top for method in exact)
        five = figure_of(one, "three-plus-five", "f1") or 0.0
        place = {method: number for number, method in enumerate(one.names)}
        dice = rank_correlation(
            [one.dice[place[a]][place[b]] for a, b in PUBLISHED_DICE], list(PUBLISHED_DICE.values())
        )
        ranks = rank_correlation(list(f1.values()), [PUBLISHED_METHODS[method].f1 for method in f1])
        yield (
            f"{name}: the greatest recall of A0 to A10 is that of {best} (published: long-sent); the precision of MD5,"
            f' Lex Rand and Log Shingles is {"" if both else "not "}the greatest (published: it is); "3+5" is'
            f" {'above' if five > max(filter(None, f1.values()), default=0) else 'not above'} all of them in F1"
            f" (published: above); Spearman's correlation with the paper is {_shown(ranks)} for F1 and {_shown(dice)}"
            " for the Dice coefficients of its Table 4."
        )


def chala(found: Mapping[str, Comparison]) -> Iterator[str]:
    """Which statements of Chala and Popadenko hold."""
    for name, one in found.items():
        two, three = (
            [figure_of(one, method, figure) or 0.0 for figure in ("precision", "recall", "f1")]
            for method in ("three-plus-two", "three-plus-two:n=3")
        )
        five = figure_of(one, "three-plus-five", "f1") or 0.0
        yield (
            f"{name}: from N = 2 to 3, precision changes by {three[0] - two[0]:+.3f} (published +.015) and recall by"
            f' {three[1] - two[1]:+.3f} (-.029); "3+2" is {two[2] - five:+.3f} above "3+5" in F1 (+.009).'
        )


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def table_1(collections: Sequence[Known]) -> str:
    """What a filter before the criteria passes, as Table 1 of Andreev et al."""
    rows = [{"collection": "the paper", **PUBLISHED}]
    for one in collections:
        newest = _NEWEST if len(one.documents) > 5 * _NEWEST else None
        name = one.name if newest is None else f"the newest {newest} of {one.name}"
        words, links = candidate_table(one.models, one.labels, newest=newest)
        rows += [{"collection": name, **row} for row in (words, links)]
    return table(rows)


def says_of_filters(collections: Sequence[Known]) -> Iterator[str]:
    """What Table 1 shows here."""
    for one in collections:
        words, links = candidate_table(one.models, one.labels)
        yield (
            f"{one.name}, all pairs: two words pass {words['recall']:.2f} of the duplicates (published .80) and reject"
            f" {words['rejected']} of the pairs (.99998); three key terms of twelve pass {links['recall']:.2f}."
        )


def learned(one: Known) -> tuple[list[CurvePoint], str]:
    """Learning curves on candidate pairs, as Figure 3 of Andreev et al.; the file of the figure."""
    ids, codes = one.models.ids, {(label.a, label.b): label for label in one.labels}
    i, j = key_term_candidates(one.models)
    pairs = [(ids[min(a, b)], ids[max(a, b)]) for a, b in zip(i.tolist(), j.tolist(), strict=True)]
    known = [
        codes.get(pair) or codes.get((pair[1], pair[0])) or (Label(*pair, "different") if one.closed else None)
        for pair in pairs
    ]
    preset = CLASSIFIER_PRESETS["duplicate"]
    points = learning_curve(
        one.models,
        judged_pairs([label for label in known if label is not None], ids, positive=("dup",)),
        curve_criteria(preset.criteria),
        preset.rule,
        sizes=_SIZES,
        draws=10,
        authority=LearnedAuthority(one.models),
        prior=preset.prior,
    )
    return points, _drawn(f"paper-learning-{_slug(one.name)}", learning_figure(points, published=True))


def curve_table(points: Sequence[CurvePoint]) -> str:
    """F1 of each set of criteria by the number of pairs learned from."""
    criteria = list(dict.fromkeys(point.criteria for point in points))
    own = {(point.criteria, point.size): point.f1[0] for point in points}
    rows = [[size, *(own.get((name, size)) for name in criteria)] for size in sorted({point.size for point in points})]
    paper = ["published, where flat", *(PUBLISHED_F.get(name) for name in criteria)]
    return table_of(["pairs learned from", *(f"F1, {name}" for name in criteria)], [*rows, paper])


def saturation(points: Sequence[CurvePoint]) -> str:
    """Whether 400 pairs are enough, and all criteria better than some."""
    own = {(point.criteria, point.size): point.f1[0] for point in points}
    last = max(size for _, size in own)
    gain = own["all", last] - own["all", min(400, last)]
    some = max(own[name, last] for name in ("words", "paragraphs"))
    return (
        f"Beyond 400 pairs F1 of all criteria changes by {gain:+.3f} (published: 400 are enough); all criteria are"
        f" {own['all', last] - some:+.3f} above the better of words and paragraphs (published: +.15)."
    )


def sentence_sweeps(one: Known) -> tuple[list[str], str]:
    """F1 of shingles by their threshold, of Low-IDF-Sig by the number of antecedents; what holds of Yu et al."""
    shingles = {w: [f"shingles:w={w}:tau={tau}" for tau in TAUS] for w in _WIDTHS}
    low = [f"low-idf-sig:n={n}" for n in _ANTECEDENTS]
    found = one.compared([*(name for names in shingles.values() for name in names), *low, "i-match", "spotsigs"])
    f1 = {row.run.name: row.as_dict().get("f1") or 0.0 for row in found.rows}
    # A name is told without parameters that are the defaults.
    ours = list(f1.values())
    tau = {w: ours[place * len(TAUS) : (place + 1) * len(TAUS)] for place, w in enumerate(_WIDTHS)}
    by_n = ours[len(_WIDTHS) * len(TAUS) : -2]
    first = _lines("tau", TAUS, {f"{w}-shingles": values for w, values in tau.items()})
    second = _lines("antecedents (logarithm)", [float(np.log10(n)) for n in _ANTECEDENTS], {"Low-IDF-Sig": by_n})
    slug = _slug(one.name)
    figures = [_drawn(f"paper-shingles-{slug}", first), _drawn(f"paper-low-idf-{slug}", second)]
    best = TAUS[int(np.argmax(tau[3]))]
    spread = max(by_n[1:]) - min(by_n[1:])
    return figures, (
        f"3-shingles are best at tau = {best} (published .6), where F1 is {max(tau[3]):.3f} (.960); 4 and 5 are"
        f" {max(tau[4]) - max(tau[3]):+.3f} and {max(tau[5]) - max(tau[3]):+.3f} (alike). From 5 antecedents on, F1 of"
        f" Low-IDF-Sig varies by {spread:.3f} (published: hardly) up to {max(by_n):.3f} (.954); I-Match has"
        f" {ours[-2]:.3f} (.877), SpotSigs {ours[-1]:.3f} (.764). The paper compares sentences, this page whole texts."
    )


def _lines(label: str, across: Sequence[float], curves: Mapping[str, Sequence[float]]) -> Picture:
    lines = [
        Stroke(points=list(zip(across, values, strict=True)), colour=colour, marker="o", label=name)
        for (name, values), colour in zip(curves.items(), _COLOURS, strict=False)
    ]
    ticks = [(at, f"{at:.1f}") for at in across]
    panel = Panel(
        x=Axis(low=min(across) - 0.05, high=max(across) + 0.05, ticks=ticks, label=label),
        y=Axis(low=0.0, high=1.04, ticks=[(tenth / 5, f"{tenth / 5:.1f}") for tenth in range(6)], label="F1"),
        height=260,
        lines=lines,
    )
    return Picture(panels=[panel], width=620, beside=True)


def _drawn(name: str, picture: Picture) -> str:
    file = REPORTS / "figures" / f"{name}.svg"
    write_text(file, as_svg(picture) + "\n")
    return f"figures/{file.name}"


def _slug(name: str) -> str:
    return name.replace(" ", "-")
