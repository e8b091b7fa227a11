"""The screen keeps every pair that decides something, and few others."""

import numpy as np
import pytest

from infostream_dedup.judging.evidence import screening
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS, ComparedKeys, parts_of
from infostream_dedup.judging.evidence.kernels.packing import SUMS_AT
from infostream_dedup.judging.evidence.kernels.screening import (
    LEAD_ROW,
    MAY_SHARE,
    MOST_WORDS,
    sign_documents,
    signature_sizes,
    spread_leads,
    weigh_opening,
)
from infostream_dedup.judging.evidence.kinds import LEAST_WORDING
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, compared, key_rows, shares_of_pairs
from infostream_dedup.judging.evidence.pair_model import PairModel, shipped_model
from infostream_dedup.judging.evidence.reading import evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import EvidenceFrequencies, EvidenceRecords, pack_evidence
from infostream_dedup.judging.evidence.screening import Screen
from infostream_dedup.model import Document
from tests.evidence.test_pair_evidence import documents, key_terms


class Read:
    """Documents with their evidence."""

    def __init__(self, made: list[Document], keys: ComparedKeys) -> None:
        raw = read_evidence(*evidence_texts(made))
        self.keys = keys
        self.records: EvidenceRecords = pack_evidence(raw, np.zeros(len(made), dtype=np.int8), EvidenceFrequencies())
        self.triples = TripleRows(raw.triples, raw.ends[:, 0].copy())

    def screened(self, a: np.ndarray, b: np.ndarray, model: PairModel) -> np.ndarray:
        screen = Screen.of(self.keys, self.records, self.triples, model)
        bounds = screen.bounds(a, b, np.arange(len(self.records)))
        kept = screen.may_decide(bounds, shares_of_pairs(a, b, self.keys))
        assert not kept[bounds == -np.inf].any()
        return kept

    def decides(self, a: np.ndarray, b: np.ndarray, model: PairModel) -> np.ndarray:
        shares = shares_of_pairs(a, b, self.keys)
        evidence = compared(a, b, shares, keys=self.keys, records=self.records, triples=self.triples)
        wording = evidence[:, COLUMNS.index("wording_forward") :].max(axis=1)
        return (model.probabilities(evidence) >= 0.5) | (np.round(wording, 9) >= LEAST_WORDING)


def any_model(seed: int) -> PairModel:
    """The shipped model, or coefficients of any sign, with about half of all pairs on either side."""
    shipped = shipped_model()
    if seed == 0:
        return shipped
    draw = np.random.default_rng(seed)
    weights = dict(zip(shipped.coefficients, draw.normal(0, 3, len(shipped.coefficients)).tolist(), strict=True))
    return PairModel(float(draw.normal(-sum(weights.values()) / 2 - 4, 1)), weights)


def test_pairs_of_equal_texts_are_never_left_out() -> None:
    made = documents(0, 9)
    read = Read(made, key_rows(*key_terms(0, len(made))))
    screen = Screen.of(read.keys, read.records, read.triples, shipped_model())
    a, b, texts = np.array([0, 1, 0]), np.array([3, 4, 4]), np.array([7, -1, 2, 7, -1, 3, 4, 5, 6])
    found, different = screen.bounds(a, b, texts), screen.bounds(a, b, np.arange(9))
    assert found[0] == np.inf > different[0]
    assert np.array_equal(found[1:], different[1:])


@pytest.mark.parametrize("seed", range(6))
def test_no_pair_that_decides_is_left_out(seed: int) -> None:
    made = documents(seed, 45)
    read = Read(made, key_rows(*key_terms(seed, len(made))))
    a, b = (one.astype(np.int64) for one in np.triu_indices(len(made), 1))
    model = any_model(seed)
    kept, needed = read.screened(a, b, model), read.decides(a, b, model)
    assert kept[needed].all()
    assert needed.any()
    # Nor does an answer depend on the order of the pairs.
    order = np.lexsort((a, b))
    assert np.array_equal(read.screened(a[order], b[order], model), kept[order])


def test_threads_bound_pairs_as_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screening, "_PAIRS_FOR_THREADS", 1)
    made = documents(2, 45)
    read, model = Read(made, key_rows(*key_terms(2, len(made)))), any_model(2)
    a, b = (one.astype(np.int64) for one in np.triu_indices(len(made), 1))
    order = np.lexsort((a, b))
    one, three = (
        Screen.of(read.keys, read.records, read.triples, model, threads=threads).bounds(
            a[order], b[order], np.arange(len(made))
        )
        for threads in (1, 3)
    )
    assert np.array_equal(one, three)
    assert 0 < (one >= MAY_SHARE).sum() < len(one)


def test_openings_weigh_what_the_comparison_finds() -> None:
    made = documents(3, 20)
    read = Read(made, key_rows(*key_terms(3, len(made))))
    words, begins = read.records.words, read.records.begins
    leads = np.zeros(len(made) * LEAD_ROW, dtype=np.uint32)
    spread_leads(words, begins, leads)
    a, b = (one.astype(np.int64) for one in np.triu_indices(len(made), 1))
    shares = shares_of_pairs(a, b, read.keys)
    evidence = compared(a, b, shares, keys=read.keys, records=read.records, triples=read.triples)
    expected = evidence[:, COLUMNS.index("opening_forward")]
    met = [weigh_opening(leads, one, words, parts_of(words, begins[other])) for one, other in zip(a, b, strict=True)]
    assert np.array_equal(np.array(met) / np.maximum(words[begins[a] + SUMS_AT + 3].astype(np.float64), 1.0), expected)
    assert len(np.unique(expected)) > 5


def test_a_signature_has_a_bit_for_each_triple() -> None:
    """Nine triples need 72 bits, so two words; the highest seven bits choose the bit. A long document has none."""
    many = np.arange(MOST_WORDS * 8 + 1, dtype=np.uint64)
    nine = [3 << 57, (3 << 57) + 1, 64 << 57, 70 << 57, *range(123 << 57, 128 << 57, 1 << 57)]
    triples = np.concatenate([np.array(nine, dtype=np.uint64), many])
    begins = np.array([0, 9, 9, 9 + len(many)])
    bounds, doubled = np.empty(4, dtype=np.int64), np.zeros(3, dtype=np.int64)
    signature_sizes(begins, bounds)
    assert bounds.tolist() == [0, 2, 2, 2]
    signatures = np.ones(2, dtype=np.uint64)
    sign_documents(triples, begins, signatures, bounds, doubled)
    assert signatures.tolist() == [1 << 3, 1 | 1 << 6 | 31 << 59]
    assert doubled.tolist() == [1, 0, 0]
