"""Learns judging/evidence/pair_model.json from the labelled sets, and judges it with each set left out.

python reports/learn_pair_model.py --check     # learns again, compares with the shipped file
python reports/learn_pair_model.py --judge     # a table: F of every set, by a model that has not seen it
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
from frame import NEWS, OTHER, REPORTS, LabelledSet, documents_file, labels_file
from pair_learning import TrainingSet, draw, learn, pair_weights
from without_labels_sets import judged

from infostream_dedup import Settings, read_documents
from infostream_dedup.judging.evidence.collecting import DocumentEvidence, EvidenceReader
from infostream_dedup.judging.evidence.pair_evidence import compared, key_rows, shares_of_pairs
from infostream_dedup.judging.evidence.pair_model import PairModel
from infostream_dedup.lab.labels import FALSE, TRUE, Truth, read_labels
from infostream_dedup.runs.batch.collection import Collection, collect
from infostream_dedup.runs.batch.linking import candidate_pairs, link

if TYPE_CHECKING:
    from numpy.typing import NDArray


MODEL = REPORTS.parent / "infostream_dedup" / "judging" / "evidence" / "pair_model.json"

SETS: Final[Mapping[str, LabelledSet]] = {
    one.name: one
    for one in (
        LabelledSet("uagec", "uagec"),
        LabelledSet("wmt ru", "wmt", "ru", NEWS),
        LabelledSet("wmt uk", "wmt", "uk", NEWS),
        LabelledSet("wmt en", "wmt", "en", NEWS),
        LabelledSet("wmt other ru", "wmt", "ru", OTHER),
        LabelledSet("wmt other en", "wmt", "en", OTHER),
        LabelledSet("ntrex en", "ntrex", "en"),
        LabelledSet("slavictopics", "slavictopics"),
        LabelledSet("tgpairs", "tgpairs", positive=("similar",)),
    )
}


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Candidates of a set whose answer is known."""

    name: str
    evidence: NDArray[np.float64]
    same: NDArray[np.bool_]
    families_a: NDArray[np.int64]
    families_b: NDArray[np.int64]
    positives: int


@cache
def judged_set(name: str) -> JudgedSet:
    """Read a set, find its candidates and compare them."""
    collection, evidence = _collected(SETS[name].corpus, SETS[name].lang)
    truth = _truth(SETS[name], collection)
    a, b = _candidates(collection)
    verdicts = judged(truth, a, b)
    if name == "slavictopics":
        topics = np.unique([one.extra.get("topic") or "" for one in collection.documents], return_inverse=True)[1]
        verdicts[(verdicts != TRUE) & (topics[a] != topics[b])] = FALSE
    a, b, same = a[verdicts != 0], b[verdicts != 0], verdicts[verdicts != 0] == TRUE
    terms = collection.key_terms(Settings(n=30))
    keys = key_rows(terms.keys, terms.targets)
    shares = shares_of_pairs(a, b, keys)
    found = compared(a, b, shares, keys=keys, records=evidence.records, triples=evidence.triples)
    families = truth.circles if truth.circles.max() >= 0 else np.arange(truth.documents)
    return JudgedSet(name, found, same, families[a], families[b], len(truth.positives))


@cache
def _collected(corpus: str, language: str | None) -> tuple[Collection, DocumentEvidence]:
    """The documents of a corpus, or those of one language."""
    reader = EvidenceReader()
    documents = (one for one in read_documents(documents_file(corpus)) if language in (None, one.lang))
    collection = collect(documents, evidence=reader)
    return collection, reader.finish(collection.languages)


def _truth(one: LabelledSet, collection: Collection) -> Truth:
    known = {document.id for document in collection.documents}
    labels = [label for label in read_labels(labels_file(one.corpus)) if label.a in known and label.b in known]
    return one.rules.truth(collection, labels)


def _candidates(collection: Collection) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs with three of twelve key terms in one direction, as (earlier, later), ordered by the later one."""
    settings = Settings(n=12)
    one, other = candidate_pairs(link(collection.key_terms(settings), settings, k_min=3), None)
    order = np.lexsort((one, other))
    return one[order].astype(np.int64), other[order].astype(np.int64)


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


def training_set(known: JudgedSet) -> TrainingSet:
    """The pairs of a set to learn from."""
    chosen = draw(known.same)
    same = known.same[chosen]
    weights = pair_weights(known.families_a[chosen], known.families_b[chosen], same)
    return TrainingSet(known.name, known.evidence[chosen], same, weights)


def learn_from(names: Sequence[str]) -> PairModel:
    """Learn from some of the sets."""
    return learn([training_set(judged_set(name)) for name in names])


def judge(model: PairModel, known: JudgedSet) -> Judgement:
    """Judge a model by a set: a right pair that is no candidate is missed."""
    said = model.probabilities(known.evidence) >= 0.5
    right = int(np.count_nonzero(said & known.same))
    return Judgement(right, int(np.count_nonzero(said & ~known.same)), known.positives - right)


def leave_one_out() -> dict[str, Judgement]:
    """Judge every set by a model learned from all others."""
    return {name: judge(learn_from([other for other in SETS if other != name]), judged_set(name)) for name in SETS}


def main() -> None:
    """Learn, compare or judge, as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if the shipped file differs")
    parser.add_argument("--judge", action="store_true", help="print the leave-one-set-out table")
    given = parser.parse_args()
    if given.judge:
        for name, found in leave_one_out().items():
            print(f"{name:14} F {found.f1:.4f}  right {found.right}  wrong {found.wrong}  missed {found.missed}")
        return
    learned = learn_from(list(SETS)).as_json()
    if not given.check:
        MODEL.write_text(learned, "utf-8")
    elif MODEL.read_text("utf-8") != learned:
        sys.exit(f"{MODEL.name} differs from what the sets say; learn it again")


if __name__ == "__main__":
    main()
