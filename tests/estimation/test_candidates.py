"""Drawn candidates are those with the smallest hashes among all pairs that qualify."""

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup.judging.evidence.facts import DAY, DocumentFacts
from infostream_dedup.lab.estimation import candidates
from infostream_dedup.lab.estimation.candidates import draw_candidates
from infostream_dedup.lab.estimation.census import DrawnPairs, hash_of_pairs, in_universe, thinned
from infostream_dedup.lab.estimation.copy_scores import Links
from infostream_dedup.links import SimilarityMatrix
from infostream_dedup.model import NO_TIME

_STEP = 5


def _made(documents, seed):
    """Counts of both directions, of which many are below 3 or missing, with grades of their own."""
    random = np.random.default_rng(seed)
    counts = random.integers(0, 13, (documents, documents)).astype(np.uint8)
    counts[random.random((documents, documents)) < 0.5] = 0
    np.fill_diagonal(counts, 0)
    matrix = sp.csr_array(counts)
    grades = sp.csr_array((np.minimum(matrix.data, 9), matrix.indices, matrix.indptr), shape=matrix.shape)
    times = (random.random(documents) * 200 * DAY).astype(np.int64)
    times[random.random(documents) < 0.1] = NO_TIME
    none = np.full(documents, -1, dtype=np.int64)
    facts = DocumentFacts(random.integers(-1, 3, documents), times, none, none)
    return SimilarityMatrix(matrix, 12, 1), Links.of(grades), facts, random.integers(0, 2, documents).astype(np.uint8)


def _slowly(matrix, links, facts, universe, languages, most):
    """The same by dense matrices and one pair at a time."""
    counts = matrix.counts.toarray()
    a, b = np.nonzero(np.triu((counts >= 3) | (counts.T >= 3), k=1))
    alike = languages[a] == languages[b]
    a, b = a[alike], b[alike]
    linked = (counts[a, b] >= 3) & (counts[b, a] >= 3) & (links.grades_of(a, b) >= _STEP)
    known = (
        (facts.times[a] != NO_TIME) & (facts.times[b] != NO_TIME) & (facts.sources[a] >= 0) & (facts.sources[b] >= 0)
    )
    far = linked & known & (facts.sources[a] != facts.sources[b]) & (abs(facts.times[a] - facts.times[b]) > 60 * DAY)
    inside, series = in_universe(universe, a, b)
    kept = inside & ~series
    found = []
    for chosen, size in zip((kept, kept & linked, far), most, strict=True):
        drawn = DrawnPairs(size)
        drawn.add(a[chosen], b[chosen])
        found.append(np.stack(drawn.pairs()))
    return [*found, int(far.sum())]


@pytest.mark.parametrize("most", [(5, 3, 2), (40, 20, 5), (100_000, 100_000, 100_000)])
@pytest.mark.parametrize("dated", [False, True])
def test_equal_to_a_draw_from_a_list_of_all_pairs(universe, monkeypatch, most, dated):
    for name, value in zip(("MOST_CANDIDATES", "MOST_LINKS", "MOST_FAR_LINKS"), most, strict=True):
        monkeypatch.setattr(candidates, name, value)
    for seed in range(6):
        matrix, links, facts, languages = _made(60, seed)
        random = np.random.default_rng(100 + seed)
        days = random.random(60) * 20 if dated else None
        pairs = universe(60, days=days, sources=facts.sources, titles=random.integers(0, 4, 60))
        pairs = pairs._replace(counted=random.random(60) < 0.9)
        found = draw_candidates(matrix, links, facts=facts, universe=pairs, languages=languages, checked_step=_STEP)
        expected = _slowly(matrix, links, facts, pairs, languages, most)
        assert found.far_links == expected[3] > 0
        for one, other in zip((found.pairs, found.linked, found.far), expected, strict=False):
            assert np.array_equal(one, other)
        assert found.pairs.shape[1] > 0


def test_halved_as_if_by_one_thread():
    a, b = np.triu_indices(60, 1)
    hashes = hash_of_pairs(a, b)
    kept, halvings = thinned(a, b, halvings=0, most=500)
    assert halvings == 2
    assert kept.tolist() == np.flatnonzero(hashes < np.uint64(1 << 62)).tolist()
    assert thinned(a, b, halvings=0, most=len(a))[1] == 0
    assert thinned(a, b, halvings=5, most=len(a))[1] == 5
