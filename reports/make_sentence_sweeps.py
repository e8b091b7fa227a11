"""Makes reports/sentence-sweeps.md: figures 1 and 2 of Yu et al., drawn on our sentences.

The page contains only numbers: no texts, ids or titles of the corpora.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray
from passages_collections import REPORTS, as_table
from passages_contestants import choose_documents, compute_scores, gold_of

from infostream_dedup.judging.features.low_idf_signatures import antecedent_places
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.spot_signatures import spot_signatures
from infostream_dedup.judging.features.words import stop_word_places
from infostream_dedup.judging.passages.sentence_classes import index_bags, matched
from infostream_dedup.judging.passages.sentence_feature import sentence_feature
from infostream_dedup.judging.passages.sentence_table import SentenceTable, read_sentences
from infostream_dedup.report.plots import as_svg, plain_axes

TAUS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
IDF_RANGES = tuple((low, high) for high in (0.7, 0.85, 1.0) for low in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5))
ANTECEDENTS = (0, 5, 10, 24, 50, 100, 250, 500, 1000)
FEW_SPOTS = 24
"""Antecedents of the authors of SpotSigs."""

ABOUT = """\
Figures 1 and 2 of Yu et al. on {sentences} sentences of {documents} documents (theirs: 57135), {true} true pairs. Which
pairs are true is as in [passages.md](passages.md); the pool is what any setting below finds. These are sweeps over the
judged pairs themselves: they show shapes and choose nothing."""

Pairs = NDArray[np.int64]


@dataclass(frozen=True)
class Curve:
    """One line of a figure.

    Attributes:
        name: what the line shows.
        points: pairs found at each place of the horizontal axis.
    """

    name: str
    points: Mapping[float, Pairs]


@dataclass(frozen=True)
class Sweep:
    """One panel of a figure.

    Attributes:
        title: heading.
        axis: what is varied.
        curves: its lines.
        published: what the paper says of it.
    """

    title: str
    axis: str
    curves: Sequence[Curve]
    published: str


def main() -> None:
    """Make the page."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    chosen = choose_documents()
    documents = [document for part in chosen.values() for document in part]
    sentences = read_sentences([one.text for one in documents], [one.lang for one in documents])
    sweeps = _sweeps(sentences)
    pools = (pairs for sweep in sweeps.values() for curve in sweep.curves for pairs in curve.points.values())
    gold = gold_of(sentences, documents, pools, {name: len(part) for name, part in chosen.items()})
    origin = (
        f"Made by `python reports/make_sentence_sweeps.py` on {date.today().isoformat()}, Python "
        f"{platform.python_version()}. Corpora: see docs/reports.md."
    )
    about = ABOUT.format(sentences=len(sentences), documents=len(documents), true=len(gold.truth))
    parts = ["# Sentences: thresholds and antecedents", origin, about]
    for slug, sweep in sweeps.items():
        figures = {
            curve.name: {place: compute_scores(pairs, gold.truth)[2] for place, pairs in curve.points.items()}
            for curve in sweep.curves
        }
        _draw(slug, sweep, figures)
        parts += [f"## {sweep.title}", sweep.published, f"![{sweep.title}](figures/sentences-{slug}.svg)"]
        parts += [_tabulate(sweep, figures), _best(figures)]
    (REPORTS / "sentence-sweeps.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _sweeps(sentences: SentenceTable) -> dict[str, Sweep]:
    low_idf = {n: _bags(sentences, f"low-idf-sig:n={n}") for n in ANTECEDENTS}
    return {
        "shingles": Sweep(
            "Figure 1, left: shingles of 3, 4 and 5 words",
            "tau",
            [Curve(f"{w} words", _by_tau(_bags(sentences, f"shingles:w={w}"))) for w in (3, 4, 5)],
            "Published: the three are close, and all best at tau .6; 3 words .960 there.",
        ),
        "i-match": Sweep(
            "Figure 1, middle: range of IDF of I-Match",
            "least IDF",
            [
                Curve(
                    f"to {high}",
                    {
                        low: _pairs(_bags(sentences, f"i-match:low={low}:high={high}"), 1.0)
                        for low, top in IDF_RANGES
                        if top == high
                    },
                )
                for high in dict.fromkeys(high for _, high in IDF_RANGES)
            ],
            "Published: best for IDF .3 to 1.0, .877.",
        ),
        "spotsigs": Sweep(
            "Figure 1, right: antecedents of SpotSigs",
            "tau",
            [
                Curve("all stop words", _by_tau(_spots(sentences, None))),
                Curve(f"{FEW_SPOTS} most frequent", _by_tau(_spots(sentences, FEW_SPOTS))),
            ],
            "Published: 24 antecedents find too little in a sentence; all 365 stop words are best at tau .7, .764.",
        ),
        "antecedents": Sweep(
            "Figure 2, left: antecedents of Low-IDF-Sig, tau .6",
            "antecedents",
            [Curve("Low-IDF-Sig", {float(n): _pairs(bags, 0.6) for n, bags in low_idf.items()})],
            "Published: good from few antecedents on, then rising a little to about .95.",
        ),
        "low-idf-sig": Sweep(
            "Figure 2, right: tau of Low-IDF-Sig",
            "tau",
            [Curve(f"{n} antecedents", _by_tau(low_idf[n])) for n in (10, 500, 1000)],
            "Published: 10, 500 and 1000 antecedents go alike, and like shingles; best .954 at 500, tau .6.",
        ),
    }


def _bags(sentences: SentenceTable, notation: str) -> Rows:
    return sentence_feature(notation).bags(sentences)


def _spots(sentences: SentenceTable, most: int | None) -> Rows:
    """Chains of SpotSigs with all stop words as antecedents, or with the most frequent words among them."""
    languages = sentences.sentence_languages
    stops = stop_word_places(sentences.words, languages)
    first = stops if most is None else stops & antecedent_places(sentences.words, languages, most)
    return spot_signatures(sentences.words, first, stops, c=3, d=1, within_sentences=True)


def _by_tau(bags: Rows) -> dict[float, Pairs]:
    return {tau: _pairs(bags, tau) for tau in TAUS}


def _pairs(bags: Rows, tau: float) -> Pairs:
    found = matched(index_bags(bags), tau).pairs()
    return np.unique(found[:, 0] * len(bags) + found[:, 1])


def _draw(slug: str, sweep: Sweep, figures: Mapping[str, Mapping[float, float]]) -> None:
    figure, axes = plain_axes(width=6.4, height=3.6)
    for name, points in figures.items():
        axes.plot(list(points), list(points.values()), linewidth=1.8, marker="o", markersize=4, label=name)
    axes.set_xlabel(sweep.axis)
    axes.set_ylabel("F1")
    axes.set_ylim(0, 1.02)
    if sweep.axis == "antecedents":
        axes.set_xscale("symlog", linthresh=5)
        axes.set_xlim(left=0)
    axes.legend(loc="lower right", frameon=False, fontsize=9)
    drawn = as_svg(figure)
    path = REPORTS / "figures" / f"sentences-{slug}.svg"
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n{drawn}\n', encoding="utf-8")


def _tabulate(sweep: Sweep, figures: Mapping[str, Mapping[float, float]]) -> str:
    places = list(dict.fromkeys(place for points in figures.values() for place in points))
    heads = (sweep.axis, *(f"{place:g}" for place in places))
    return as_table(heads, [(name, *(f"{points[place]:.3f}" for place in places)) for name, points in figures.items()])


def _best(figures: Mapping[str, Mapping[float, float]]) -> str:
    told = []
    for name, points in figures.items():
        best = max(points, key=points.__getitem__)
        told.append(f"{name} {points[best]:.3f} at {best:g}")
    return f"Best: {'; '.join(told)}."


if __name__ == "__main__":
    main()
