"""The census of copies finds exactly the pairs that comparing every pair finds."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infostream_dedup import Document
from infostream_dedup.judging.evidence import pair_evidence
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.lab.estimation.census import counted_pairs, find_all_copies
from infostream_dedup.runs.batch.collection import collect


def _brute_force(triples, universe):
    """Wording of every pair of three tenths and more, by one product of sparse matrices."""
    names, columns = np.unique(triples.triples, return_inverse=True)
    sizes = np.diff(triples.begins)
    if len(names) == 0:
        return {}
    table = sp.csr_array(
        (np.ones(len(columns), dtype=np.int32), columns, triples.begins), shape=(len(sizes), len(names))
    )
    shared = sp.triu(table @ table.T, k=1).tocoo()
    a, b = shared.coords
    smaller = np.minimum(sizes[a], sizes[b])
    found = (shared.data / smaller >= 0.3) & universe.counted[a] & universe.counted[b]
    if universe.window >= 0:
        found &= np.abs(universe.times[a] - universe.times[b]) <= universe.window
    pairs = zip(a[found].tolist(), b[found].tolist(), strict=True)
    return dict(zip(pairs, (shared.data / smaller)[found].tolist(), strict=True))


def _table(copies):
    return dict(zip(zip(copies.a.tolist(), copies.b.tolist(), strict=True), copies.wording.tolist(), strict=True))


def test_a_case_worked_by_hand(triple_rows, universe):
    # 0 and 1 share 3 of the 10 triples of 1; 0 and 2 share 2 of 10; 3 is equal to 0; 4 lies inside 0.
    rows = triple_rows([range(12), [0, 1, 2, *range(20, 27)], [0, 1, *range(30, 38)], range(12), range(4, 8)])
    found = find_all_copies(rows, universe(5))
    assert _table(found) == {(0, 1): 0.3, (0, 3): 1.0, (0, 4): 1.0, (1, 3): 0.3, (3, 4): 1.0}
    assert (found.total, found.series, found.sampled) == (5, 0, 1)


def test_only_pairs_of_seven_days_and_series_apart(triple_rows, universe):
    rows = triple_rows([range(30)] * 4)
    within = universe(
        4, days=np.array([0.0, 6.0, 7.0, 20.0]), sources=np.array([1, 1, 2, 1]), titles=np.array([5, 6, 5, 5])
    )
    found = find_all_copies(rows, within)
    assert sorted(_table(found)) == [(0, 1), (0, 2), (1, 2)]
    assert (found.total, found.series) == (2, 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sets(st.integers(0, 40), max_size=25), max_size=14), st.integers(0, 3))
def test_equal_to_brute_force_on_anything(triple_rows, universe, texts, seed):
    rows = triple_rows(texts)
    days = None if seed == 0 else np.random.default_rng(seed).random(len(texts)) * 25
    pairs = universe(len(texts), days=days)
    assert _table(find_all_copies(rows, pairs)) == _brute_force(rows, pairs)


@pytest.mark.parametrize("dated", [False, True])
def test_equal_to_brute_force_with_clusters_of_2_to_500(triple_rows, universe, edited, dated):
    # 60 texts is the border between rare and common triples; 500 print one story.
    texts = edited(1, [500, 300, 100, 61, 60, 59, *[2] * 460])
    rows = triple_rows([*texts, *[texts[0]] * 70])
    random = np.random.default_rng(2)
    days = random.random(len(rows.begins) - 1) * 40 if dated else None
    pairs = universe(len(rows.begins) - 1, days=days)
    expected = _brute_force(rows, pairs)
    assert _table(find_all_copies(rows, pairs)) == expected
    assert len(expected) > 3_000


def test_tables_in_parts_give_the_same(triple_rows, universe, edited, monkeypatch):
    rows = triple_rows(edited(3, [80, 20, *[3] * 40]))
    pairs = universe(len(rows.begins) - 1)
    whole = _table(find_all_copies(rows, pairs))
    monkeypatch.setattr(pair_evidence, "_PART", 5)
    assert _table(find_all_copies(rows, pairs)) == whole
    assert whole


def test_more_pairs_than_are_kept_are_counted_and_sampled(triple_rows, universe, edited):
    rows = triple_rows(edited(4, [200, *[2] * 50]))
    pairs = universe(len(rows.begins) - 1)
    whole = find_all_copies(rows, pairs)
    part = find_all_copies(rows, pairs, most=1000)
    assert part.total == whole.total > 5_000
    assert part.sampled > 1
    assert 500 / 1.3 < len(part) <= 1000
    assert _table(part).items() < _table(whole).items()
    assert part.sampled * len(part) == pytest.approx(whole.total, rel=0.2)


@pytest.mark.slow
def test_a_story_of_500_sites_is_found_among_texts(corpora):
    """Real texts, edited: each site drops a few words of one story, so that none of its triples is rare."""
    with gzip.open(corpora / "mdnews.docs.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for _, line in zip(range(400), lines, strict=False)]
    words = rows[0]["text"].split()
    random = np.random.default_rng(5)
    for number in range(500):
        kept = [word for word, draw in zip(words, random.random(len(words)), strict=True) if draw > 0.05]
        rows.append({"id": f"site {number}", "text": " ".join(kept)})
    reader = EvidenceReader()
    collection = collect([Document(id=row["id"], text=row["text"]) for row in rows], evidence=reader)
    evidence = reader.finish(collection.languages)
    counted = counted_pairs(DocumentFacts.of_documents(collection.documents, collection.text_hashes), evidence.records)
    found = find_all_copies(evidence.triples, counted.universe)
    sites = (found.a >= 400) & (found.b >= 400)
    assert int(sites.sum()) == 500 * 499 // 2


def test_equal_to_brute_force_on_300_real_documents(corpora):
    with gzip.open(corpora / "slavictopics.docs.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for _, line in zip(range(300), lines, strict=False)]
    reader = EvidenceReader()
    collection = collect([Document(id=row["id"], text=row["text"]) for row in rows], evidence=reader)
    evidence = reader.finish(collection.languages)
    counted = counted_pairs(DocumentFacts.of_documents(collection.documents, collection.text_hashes), evidence.records)
    found = find_all_copies(evidence.triples, counted.universe)
    assert _table(found) == _brute_force(evidence.triples, counted.universe)
    assert len(found) > 50


def test_nothing_comes_of_nothing(universe):
    rows = TripleRows(np.zeros(0, dtype=np.uint64), np.zeros(1, dtype=np.int64))
    assert len(find_all_copies(rows, universe(0))) == 0
