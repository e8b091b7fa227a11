"""Pairs of a matrix in blocks: the same as all at once."""

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup import Settings
from infostream_dedup.documents import read_documents
from infostream_dedup.runs.batch import linking
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.examples import spread_pairs
from infostream_dedup.runs.batch.linking import (
    LinkedPairs,
    candidate_pairs,
    chunks_of_pairs,
    least_count,
    link,
    relations,
)
from infostream_dedup.sample import documents_path


@pytest.fixture(params=[1, 7, 10_000])
def counts(request, monkeypatch):
    monkeypatch.setattr(linking, "_BLOCK_LINKS", request.param)
    random = np.random.default_rng(5)
    dense = random.integers(0, 256, (23, 23)) * (random.random((23, 23)) < 0.3)
    np.fill_diagonal(dense, 0)
    return sp.csr_array(dense.astype(np.uint8))


def test_blocks_hold_every_pair_once_with_both_counts(counts):
    pairs = LinkedPairs(counts)
    dense = counts.toarray().astype(int)
    found = [row for block in pairs.blocks for row in zip(*(part.tolist() for part in pairs.of(block)), strict=True)]
    assert found == [
        (a, b, dense[a, b], dense[b, a]) for a in range(23) for b in range(a + 1, 23) if dense[a, b] or dense[b, a]
    ]


def test_examples_are_spread_as_over_one_list(counts):
    counts.data %= 5
    counts.data += 1
    dense = counts.toarray()
    strongest = np.triu(np.maximum(dense, dense.T))
    chosen, tallies = spread_pairs(LinkedPairs(counts), 6)
    for k in range(1, 6):
        at = np.argwhere(strongest == k)
        wanted = np.unique(np.linspace(0, len(at) - 1, min(len(at), 10)).astype(np.int64))
        assert tallies[k] == len(at)
        assert chosen[k].T.tolist() == at[wanted].tolist()


@pytest.mark.parametrize("short", ["scaled", "strict"])
def test_pairs_without_a_relation_are_left_out_and_no_others(short):
    settings = Settings(k=6, short=short)
    key_terms = collect(read_documents(documents_path())).key_terms(settings)
    linked = link(key_terms, settings, k_min=least_count(settings))
    everything = next(iter(chunks_of_pairs(key_terms, *candidate_pairs(linked))))
    related = relations(everything, settings) > 0
    a, b = candidate_pairs(linked, 6)
    assert 0 < len(a) < len(everything) or short == "strict"
    assert (a.tolist(), b.tolist()) == (everything.a[related].tolist(), everything.b[related].tolist())
