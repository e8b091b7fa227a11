"""From candidates to judged pairs: the same steps for a collection and a stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.facts import DocumentFacts, PairFacts, facts_of_pairs, same_opening
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
from infostream_dedup.judging.evidence.kinds import ONE_TEXT, Kind, kinds_of_rules, rules_of_pairs
from infostream_dedup.judging.evidence.meaning import Meanings, with_meaning
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, compared, fill_in_wording, shares_of_pairs
from infostream_dedup.judging.evidence.pair_model import DECIMALS, PairModel, shipped_model
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.judging.evidence.status import statuses

if TYPE_CHECKING:
    from numpy.typing import NDArray


FILTER: Final = 0.9
"""Threshold of the filter: share of 12 key terms plus twice the share of 30, added over both directions.

It loses at most 0.07 % of the pairs that the model accepts in any development set, and none with wording >= 0.3.
"""

OPENING_PROBABILITY: Final = 0.96
"""Least probability of two sources that begin alike on one day: 24 of 24 pairs read were the same news (Laplace)."""

TripleSource = Callable[["NDArray[np.int64]"], TripleRows]
"""Returns the triples of given rows, in their order; the rows are ascending and distinct."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCandidates:
    """Candidates and their verdicts.

    Attributes:
        a: int64 (pairs,), row of the earlier document.
        b: int64 (pairs,), row of the later one.
        passed: bool (pairs,), whether the pair passed the filter; for the others only the shares are known.
        evidence: float64 (pairs, COLUMNS), zeros except for the shares if a pair did not pass.
        probability: float64 (pairs,), rounded to ``DECIMALS``; 1 for equal texts, 0 if a pair did not pass.
        kinds: int8 (pairs,), ``Kind``; ``related`` if a pair did not pass.
        rules: int8 (pairs,), index of the rule in ``RULES``; ``len(RULES)`` if none applied.
        facts: facts that the rules used.
        meaning: float64 (pairs,), cosine of the meanings, NaN if it was not computed; ``None`` without meanings.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    passed: NDArray[np.bool_]
    evidence: NDArray[np.float64]
    probability: NDArray[np.float64]
    kinds: NDArray[np.int8]
    rules: NDArray[np.int8]
    facts: PairFacts
    meaning: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.a)

    @property
    def wording(self) -> NDArray[np.float64]:
        """float64 (pairs, 2), wording forward and backward, rounded."""
        return np.stack([self.facts.wording_forward, self.facts.wording_backward], axis=1)

    @property
    def shares(self) -> NDArray[np.float64]:
        """float64 (pairs, 2), share of the 12 key terms forward and backward, rounded."""
        return np.round(self.evidence[:, :2], DECIMALS)

    @property
    def one_text(self) -> NDArray[np.bool_]:
        """Which pairs may have the same text, perhaps reworded or in another version: bool (pairs,).

        Used for two documents that share a translation, so if source or date is unknown the model's verdict is enough.
        """
        retold = ~self.facts.known & ~self.facts.own & (self.probability >= 0.5) & (self.kinds == Kind.RELATED)
        return np.asarray(np.isin(self.kinds, ONE_TEXT) | retold, dtype=np.bool_)

    def statuses(self, joined: NDArray[np.bool_]) -> NDArray[np.int8]:
        """``DocumentStatus`` that each pair gives its later document: int8 (pairs,)."""
        return statuses(self.kinds, self.facts.same_text, self.facts.wording_most, joined)


def passes_filter(evidence: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which pairs are worth comparing in full: bool (pairs,); only the shares are used."""
    shares = np.round(evidence[:, 0] + evidence[:, 1] + 2.0 * (evidence[:, 2] + evidence[:, 3]), DECIMALS)
    return np.asarray(shares >= FILTER, dtype=np.bool_)


def judge_pairs(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    *,
    keys: ComparedKeys,
    records: EvidenceRecords,
    triples: TripleRows | TripleSource,
    documents: DocumentFacts | tuple[DocumentFacts, DocumentFacts],
    model: PairModel | None = None,
    shares: NDArray[np.float64] | None = None,
    filtered: bool = True,
    meanings: Meanings | None = None,
) -> JudgedCandidates:
    """Judge candidates. The verdict on a pair does not depend on the other pairs.

    Args:
        a: int64 (pairs,), row of the earlier document.
        b: int64 (pairs,), row of the later one.
        model: pair model; ``None`` for the shipped one.
    """
    evidence = shares_of_pairs(a, b, keys) if shares is None else shares
    earlier, later = (documents.at(a), documents.at(b)) if isinstance(documents, DocumentFacts) else documents
    same_text = (earlier.texts == later.texts) & (earlier.texts >= 0)
    opening = same_opening(earlier, later)
    passed = passes_filter(evidence) | same_text | opening if filtered else np.ones(len(a), dtype=np.bool_)
    probability = np.zeros(len(a), dtype=np.float64)
    if passed.all():
        close = evidence = _compared(a, b, evidence, keys, records, triples)
    else:
        evidence[passed] = close = _compared(a[passed], b[passed], evidence[passed], keys, records, triples)
    probability[passed] = (model or shipped_model()).probabilities(close)
    meaning = None
    if meanings is not None:
        probability, meaning = with_meaning(a, b, probability, meanings)
    probability[opening] = np.maximum(probability[opening], OPENING_PROBABILITY)
    probability[same_text] = 1.0
    tokens = np.minimum(records.tokens(a), records.tokens(b))
    facts = facts_of_pairs(earlier, later, evidence, probability, tokens)
    rules = rules_of_pairs(facts)
    return JudgedCandidates(
        a=a,
        b=b,
        passed=passed,
        evidence=evidence,
        probability=probability,
        kinds=np.where(passed, kinds_of_rules(rules), Kind.RELATED).astype(np.int8),
        rules=rules,
        facts=facts,
        meaning=meaning,
    )


def _compared(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    evidence: NDArray[np.float64],
    keys: ComparedKeys,
    records: EvidenceRecords,
    triples: TripleRows | TripleSource,
) -> NDArray[np.float64]:
    """Evidence of pairs; the pairs of one later document are compared together."""
    if np.any(b[1:] < b[:-1]):
        order = np.argsort(b, kind="stable")
        evidence[order] = _compared(a[order], b[order], evidence[order], keys, records, triples)
        return evidence
    compared(a, b, evidence, keys=keys, records=records, triples=None)
    if callable(triples):
        # Marking what occurs is several times as fast as sorting.
        places = np.zeros(max(a.max(), b.max()) + 1 if len(a) else 0, dtype=np.int64)
        places[a] = places[b] = 1
        rows = np.flatnonzero(places)
        places[rows] = np.arange(len(rows))
        found = triples(rows)
        a, b = places[a], places[b]
    else:
        found = triples
    fill_in_wording(a, b, found, evidence)
    return evidence
