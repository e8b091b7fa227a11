"""Links that are counted and not stored, against the matrix written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from infostream_dedup.links import PLAIN, sweep_counts
from infostream_dedup.links.compiled.low_k import sweep_unstored

TERMS = 8
documents_strategy = st.lists(
    st.tuples(st.sets(st.integers(0, TERMS - 1), max_size=5), st.sets(st.integers(0, TERMS - 1), max_size=7)),
    max_size=9,
)


def matrices(documents):
    keys = np.zeros((len(documents), TERMS), dtype=np.int64)
    targets = np.zeros((len(documents), TERMS), dtype=np.bool_)
    for row, (key_terms, target) in enumerate(documents):
        keys[row, list(key_terms)] = 1
        targets[row, list(target)] = True
    return sp.csr_array(keys), sp.csr_array(targets)


@given(documents=documents_strategy, doubled=st.booleans(), shard_size=st.integers(1, 9))
@settings(max_examples=80, deadline=None)
def test_all_but_closed_paths_is_exact_and_those_are_near(documents, doubled, shard_size):
    # Doubled documents are matched as nodes of two and three.
    keys, targets = matrices(documents * 2 + documents[:1] if doubled else documents)
    found = sweep_unstored(keys, targets, n=5, most=3, walks=2000, shard_size=shard_size)
    expected = sweep_counts(PLAIN.match(keys, targets, n=5, weights=False, k_min=1), [1, 2, 3])
    for ours, theirs in zip(found, expected, strict=True):
        unsampled = {"closed": 0, "transitivity": None, "sampled": False, "transitivity_error": None}
        assert replace(ours, **unsampled) == replace(theirs, **unsampled)
        if theirs.transitivity is None:
            assert ours.transitivity is None
            assert not ours.sampled
            continue
        assert ours.sampled
        assert ours.transitivity_error == pytest.approx(
            np.sqrt(ours.transitivity * (1 - ours.transitivity) / 2000), rel=0.5
        )
        # All paths or none closed leaves no room for chance; else six standard errors of at least 1000 draws.
        spread = np.sqrt(theirs.transitivity * (1 - theirs.transitivity) / 1000)
        assert abs(ours.transitivity - theirs.transitivity) <= 6 * spread


def test_draws_do_not_depend_on_threads_or_on_other_ks():
    random = np.random.default_rng(1)
    keys = sp.csr_array((random.random((300, 40)) < 0.1).astype(np.int64))
    targets = sp.csr_array(random.random((300, 40)) < 0.3)
    three = sweep_unstored(keys, targets, n=40, most=3, workers=3)
    assert sweep_unstored(keys, targets, n=40, most=2, workers=1) == three[:2]
    exact = sweep_counts(PLAIN.match(keys, targets, n=40, weights=False, k_min=1), [1, 2, 3])
    for ours, theirs in zip(three, exact, strict=True):
        assert abs(ours.transitivity - theirs.transitivity) < 4 * ours.transitivity_error < 0.007


def test_progress_ends_with_all_documents():
    steps = []
    keys, targets = matrices([({0, 1}, {0, 1}), ({0}, {0}), ({0}, {0})])
    sweep_unstored(keys, targets, n=5)
    sweep_unstored(keys, targets, n=5, progress=lambda *step: steps.append(step))
    assert steps == [("counting links", 3, 3)]
