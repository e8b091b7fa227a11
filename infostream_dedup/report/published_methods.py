"""Figures that the papers published for their methods, each on its own corpus, which differs from yours.

* Yu. Zelenkov, I. Segalovich, RCDL 2007, tables 2 to 4: about 500,000 Web documents of ROMIP, pool protocol. The row
  for "3+5" comes from the paper's text.
* L. Chala, P. Popadenko: expert pairs of a university library's method guides. (Their "3+5" repeats the row above.)
* Yu Haomin et al.: pairs of sentences from 2,000 documents of ClueWeb09.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["PUBLISHED_DICE", "PUBLISHED_METHODS", "PublishedMethod"]


@dataclass(frozen=True, slots=True)
class PublishedMethod:
    """Figures of one method; ``None`` if not printed.

    Attributes:
        paper: short name of the paper.
        precision: precision, 0 to 1.
        recall: recall, 0 to 1.
        f1: F1 as printed, 0 to 1.
        pairs: number of pairs found.
    """

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
