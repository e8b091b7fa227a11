"""Wording from shared triples alone is the wording that all triples give."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infostream_dedup.judging.evidence import pair_evidence
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.pair_evidence import TripleRanges, fill_in_wording
from infostream_dedup.lab.estimation import census as module
from infostream_dedup.lab.estimation.census import shared_wording, texts_of_documents


def _every_pair(documents):
    return np.triu_indices(documents, 1)


def _from_all(rows):
    a, b = _every_pair(len(rows.begins) - 1)
    evidence = np.zeros((len(a), len(COLUMNS)))
    fill_in_wording(a, b, rows, evidence)
    return evidence


def _from_shared(rows, universe):
    ranges = TripleRanges.of(rows)
    texts = texts_of_documents(ranges.checksums(), ranges.sizes(), universe).stand_ins(len(rows.begins) - 1)
    found = shared_wording(ranges, texts)
    a, b = _every_pair(len(rows.begins) - 1)
    evidence = np.zeros((len(a), len(COLUMNS)))
    found.fill_in(a, b, evidence)
    return found, evidence


def test_a_case_worked_by_hand(triple_rows, universe):
    # 1 and 2 have the same text, so one of them stands for both. 5 is in one text only and gets no number.
    rows = triple_rows([[1, 2, 3, 5], [1, 2], [1, 2], [3, 7, 8]])
    found, evidence = _from_shared(rows, universe(4))
    assert found.texts.tolist() == [0, 1, 1, 3]
    assert found.terms == 3
    assert np.diff(found.begins).tolist() == [3, 2, 0, 1]
    forward, backward = evidence[:, COLUMNS.index("wording_forward") :].T
    assert forward.tolist() == [0.5, 0.5, 0.25, 1.0, 0.0, 0.0]
    assert backward.tolist() == [1.0, 1.0, 1 / 3, 1.0, 0.0, 0.0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sets(st.integers(0, 1 << 40), max_size=20), max_size=8), st.integers(0, 3))
def test_the_same_as_from_all_triples(triple_rows, universe, texts, seed):
    random = np.random.default_rng(seed)
    # Some texts occur several times, also in different weeks, and some documents are not counted.
    texts = [*texts, *(texts[place] for place in random.integers(0, max(len(texts), 1), 4 if texts else 0))]
    rows = triple_rows(texts)
    pairs = universe(len(texts), days=random.random(len(texts)) * 30 if seed else None)
    pairs = pairs._replace(counted=random.random(len(texts)) < 0.8)
    assert np.array_equal(_from_shared(rows, pairs)[1], _from_all(rows))


def test_parts_and_blocks_of_pairs_change_nothing(triple_rows, universe, edited, monkeypatch):
    rows = triple_rows(edited(7, [30, 10, *[2] * 20]))
    pairs = universe(len(rows.begins) - 1)
    whole = _from_shared(rows, pairs)
    monkeypatch.setattr(pair_evidence, "_PART", 4)
    monkeypatch.setattr(module, "_PAIRS_AT_ONCE", 101)
    parts = _from_shared(rows, pairs)
    assert parts[0].terms == whole[0].terms > 500
    assert np.array_equal(parts[1], whole[1])
    assert np.array_equal(whole[1], _from_all(rows))
