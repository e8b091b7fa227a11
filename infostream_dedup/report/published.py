"""Figures that papers published, each on its own corpus, which differs from yours.

* D. Lande, tables 1 and 2: March 2009, 1,272,217 documents.
* Yu. Zelenkov, I. Segalovich, RCDL 2007, tables 2 to 4: about 500,000 Web documents of ROMIP, pool protocol. The row
  for "3+5" comes from the paper's text.
* L. Chala, P. Popadenko: expert pairs of a university library's method guides. (Their "3+5" repeats the row above.)
* Yu Haomin et al.: pairs of sentences from 2,000 documents of ClueWeb09.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from infostream_dedup.model.settings import base_of


@dataclass(frozen=True, slots=True)
class PublishedSeries:
    """One column group of the paper's tables."""

    name: str
    symmetry: dict[int, float]
    transitivity: dict[int, float]
    links: dict[int, int]


PUBLISHED: Final = {
    "stem": PublishedSeries(
        "standard way (stems)",
        {6: 0.43, 7: 0.50, 8: 0.55},
        {6: 0.72, 7: 0.82, 8: 0.90},
        {6: 11_623_225, 7: 6_704_983, 8: 4_525_533},
    ),
    "morph": PublishedSeries(
        "new way (frequency dictionaries)",
        {4: 0.26, 5: 0.31, 6: 0.35, 7: 0.41, 8: 0.45},
        {4: 0.57, 5: 0.64, 6: 0.69, 7: 0.73, 8: 0.83},
        {4: 23_263_120, 5: 9_905_076, 6: 5_388_866, 7: 3_412_895, 8: 2_539_295},
    ),
    "pivot": PublishedSeries(
        "across languages",
        {4: 0.16, 5: 0.13, 6: 0.10, 7: 0.07, 8: 0.06},
        {4: 0.08, 5: 0.03, 6: 0.01, 7: 0.02, 8: 0.03},
        {4: 3_488_705, 5: 873_533, 6: 283_027, 7: 125_533, 8: 63_698},
    ),
}


def published_beside(representation: str, block: str, blocks: Collection[tuple[str, str]]) -> PublishedSeries | None:
    """Return the paper's series to show beside one of ours; ``None`` if there is none."""
    counterpart = "cross" if (representation, "cross") in blocks else "all"
    return PUBLISHED.get(base_of(representation)) if block == counterpart else None


@dataclass(frozen=True, slots=True)
class PublishedMethod:
    """Figures of one method; ``None`` if not printed."""

    paper: str
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    pairs: int | None = None


_ROMIP: Final = "Zelenkov, Segalovich 2007"
_CHALA: Final = "Chala, Popadenko"
_YU: Final = "Yu et al., sentences"
PUBLISHED_METHODS: Final = {
    "md5": PublishedMethod(_ROMIP, 1.00, 0.23, 0.38, 2_791_226),
    "tf": PublishedMethod(_ROMIP, 0.94, 0.60, 0.73, 7_540_460),
    "tf-idf": PublishedMethod(_ROMIP, 0.96, 0.54, 0.69, 6_745_096),
    "tf-ridf": PublishedMethod(_ROMIP, 0.95, 0.59, 0.73, 7_373_208),
    "long-sent": PublishedMethod(_ROMIP, 0.80, 0.84, 0.82, 12_635_770),
    "heavy-sent": PublishedMethod(_ROMIP, 0.86, 0.62, 0.72, 8_544_468),
    "megashingles": PublishedMethod(_ROMIP, 0.91, 0.36, 0.51, 4_696_699),
    "lex-rand": PublishedMethod(_ROMIP, 0.97, 0.50, 0.66, 6_124_207),
    "log-shingles": PublishedMethod(_ROMIP, 0.97, 0.39, 0.56, 4_791_883),
    "descr-words": PublishedMethod(_ROMIP, 0.77, 0.44, 0.56, 6_927_589),
    "opt-freq": PublishedMethod(_ROMIP, 0.94, 0.59, 0.73, 7_531_378),
    "three-plus-five": PublishedMethod(_ROMIP, 0.95, 0.96, 0.95),
    "three-plus-two": PublishedMethod(_CHALA, 0.963, 0.956, 0.959),
    "three-plus-two:n=3": PublishedMethod(_CHALA, 0.978, 0.927, 0.952),
    "i-match": PublishedMethod(_YU, f1=0.877),
    "spotsigs": PublishedMethod(_YU, f1=0.764),
    "low-idf-sig": PublishedMethod(_YU, f1=0.954),
    "shingles": PublishedMethod(_YU, f1=0.960),
}
"""Published figures by the method's name in a comparison."""

_TABLE_4: Final = (
    ("tf", ("tf-idf", 0.83), ("tf-ridf", 0.79), ("long-sent", 0.40), ("heavy-sent", 0.68), ("megashingles", 0.54)),
    ("tf", ("lex-rand", 0.90), ("descr-words", 0.65)),
    ("tf-idf", ("tf-ridf", 0.75), ("long-sent", 0.38), ("heavy-sent", 0.76), ("megashingles", 0.60)),
    ("tf-idf", ("lex-rand", 0.88), ("descr-words", 0.71)),
    ("tf-ridf", ("long-sent", 0.32), ("heavy-sent", 0.60), ("megashingles", 0.48), ("lex-rand", 0.82)),
    ("tf-ridf", ("descr-words", 0.59)),
    ("long-sent", ("heavy-sent", 0.76), ("megashingles", 0.54), ("lex-rand", 0.54), ("descr-words", 0.55)),
    ("heavy-sent", ("megashingles", 0.59), ("lex-rand", 0.69), ("descr-words", 0.68)),
    ("megashingles", ("lex-rand", 0.56), ("descr-words", 0.53)),
    ("lex-rand", ("descr-words", 0.66)),
)
PUBLISHED_DICE: Final = {(one, other): value for one, *others in _TABLE_4 for other, value in others}
"""Table 4 of Zelenkov and Segalovich by the names of two methods; it lacks Log Shingles and Opt Freq."""
