"""Learns judging/evidence/pair_model.json from the labelled sets, and judges it with each set left out.

python reports/learn_pair_model.py --check     # learns again, compares with the shipped file
python reports/learn_pair_model.py --judge     # a table: F of every set, by a model that has not seen it
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from frame import CORPORA, REPORTS
from pair_learning import TrainingSet, draw, learn, pair_weights
from pair_model_sets import SETS, JudgedSet, judged_set

from infostream_dedup.judging.evidence.pair_model import PairModel

MODEL = REPORTS.parent / "infostream_dedup" / "judging" / "evidence" / "pair_model.json"


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a model does on a set: counts of pairs."""

    right: int
    wrong: int
    missed: int

    @property
    def f1(self) -> float:
        """F1, 0 to 1."""
        return 2 * self.right / max(2 * self.right + self.wrong + self.missed, 1)


def training_set(judged: JudgedSet) -> TrainingSet:
    """The pairs of a set to learn from."""
    chosen = draw(judged.same)
    same = judged.same[chosen]
    weights = pair_weights(judged.families_a[chosen], judged.families_b[chosen], same)
    return TrainingSet(judged.name, judged.evidence[chosen], same, weights)


def learn_from(corpora: Path, names: Sequence[str]) -> PairModel:
    """Learn from some of the sets."""
    return learn([training_set(judged_set(corpora, name)) for name in names])


def judge(model: PairModel, judged: JudgedSet) -> Judgement:
    """Judge a model by a set: a right pair that is no candidate is missed."""
    said = model.probabilities(judged.evidence) >= 0.5
    right = int(np.count_nonzero(said & judged.same))
    return Judgement(right, int(np.count_nonzero(said & ~judged.same)), judged.positives - right)


def leave_one_out(corpora: Path) -> dict[str, Judgement]:
    """Judge every set by a model learned from all others."""
    return {
        name: judge(learn_from(corpora, [other for other in SETS if other != name]), judged_set(corpora, name))
        for name in SETS
    }


def main() -> None:
    """Learn, compare or judge, as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if the shipped file differs")
    parser.add_argument("--judge", action="store_true", help="print the leave-one-set-out table")
    given = parser.parse_args()
    if given.judge:
        for name, found in leave_one_out(given.corpora).items():
            print(f"{name:14} F {found.f1:.4f}  right {found.right}  wrong {found.wrong}  missed {found.missed}")
        return
    learned = learn_from(given.corpora, list(SETS)).as_json()
    if not given.check:
        MODEL.write_text(learned, "utf-8")
    elif MODEL.read_text("utf-8") != learned:
        sys.exit(f"{MODEL.name} differs from what the sets say; learn it again")


if __name__ == "__main__":
    main()
