"""The columns that a sweep gets: on the sample, by share, on pivot blocks, and on real news."""

import gzip
import json

import numpy as np
import pytest

from infostream_dedup import sweep
from infostream_dedup.documents import read_documents
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.lab.estimation.census import counted_pairs, find_all_copies, in_universe
from infostream_dedup.lab.estimation.copy_scores import Links, count_copies
from infostream_dedup.lab.estimation.sweep_estimator import SweepEstimator
from infostream_dedup.links.pair_rules import count_grades
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.linking import link
from infostream_dedup.sample import documents_path

STORY = (
    "Вчера в {} открыли новый мост через реку, который строили четыре года и семь месяцев подряд, а {} жители "
    "соседних районов теперь смогут добираться до работы на двадцать минут быстрее прежнего, сообщила мэрия"
)


def _texts():
    towns = ["Казани", "Самаре", "Пензе", "Томске"]
    return [{"id": f"{town}-{word}", "text": STORY.format(town, word)} for town in towns for word in ("все", "многие")]


SHORT = [{"id": f"short {number}", "text": "Снег идёт в Киеве уже третий день"} for number in range(3)]


def test_a_story_that_all_print_is_one_cluster_of_copies_and_short_texts_are_left_out():
    found = sweep([*_texts(), *SHORT], representations=["stem"], df_max=0.9, estimate=True)
    row = found.rows[2].as_dict()
    assert row["copies"] == 28
    assert row["copy_precision"] == 1.0
    universe = found.without_labels["stem"]["universe"]
    assert universe == {"documents": 8, "days": None, "short": 3, "undated": 0, "few_terms": 0}


def test_without_estimates_the_rows_are_those_of_before():
    plain = sweep(str(documents_path()), representations=["stem"], estimate=False)
    full = sweep(str(documents_path()), representations=["stem"], estimate=True)
    for one, other in zip(plain.rows, full.rows, strict=True):
        assert "copies" not in one.as_dict()
        assert one.as_dict().items() < other.as_dict().items()
    assert "without_labels" not in plain.as_dict()


def test_key_terms_of_some_documents_are_theirs_in_all():
    collection = collect(read_documents(documents_path()))
    for settings in (Settings(representation="stem"), Settings.of(representation="pivot", preset="best")):
        every, chosen = collection.key_terms(settings), np.array([3, 150, 7])
        some = collection.key_terms_of(settings.but(n=30), chosen, every)
        whole = collection.key_terms(settings.but(n=30))
        assert (some.keys != whole.keys[chosen]).nnz == (some.targets != whole.targets[chosen]).nnz == 0
        assert some.keys.nnz > 60


def test_evidence_is_forgotten_after_the_last_representation(monkeypatch):
    asked = []
    for name in ("estimate", "forget"):
        method = getattr(SweepEstimator, name)

        def noted(self, *given, name=name, method=method, **more):
            asked.append(name)
            return method(self, *given, **more)

        monkeypatch.setattr(SweepEstimator, name, noted)
    sweep(str(documents_path()), representations=["stem", "morph"], estimate=True)
    assert asked == ["estimate", "estimate", "forget"]


def test_shares_and_blocks_have_the_columns_too():
    found = sweep(str(documents_path()), representations=["pivot"], score="share", preset="best", estimate=True)
    rows = {(row.block, row.measures.threshold): row.as_dict() for row in found.rows}
    alls, mono, cross = (rows[block, 0.4] for block in ("all", "mono", "cross"))
    assert alls["copies"] == mono["copies"] + cross["copies"]
    assert alls["copy_recall"] is not None


def _labelled(corpora, name):
    reader = EvidenceReader()
    documents = read_documents(corpora / f"{name}.docs.jsonl.gz")
    collection = collect(documents, evidence=reader)
    evidence, settings = reader.finish(collection.languages), Settings()
    counted = counted_pairs(DocumentFacts.of_documents(collection.documents, collection.text_hashes), evidence.records)
    copies = find_all_copies(evidence.triples, counted.universe)
    key_terms = collection.key_terms(settings)
    matrix = link(key_terms, settings, k_min=3).matrix
    links = Links.of(count_grades(matrix.counts, key_terms.sizes, n=12))
    place = {one.id: number for number, one in enumerate(collection.documents)}
    with gzip.open(corpora / f"{name}.labels.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    pairs = [sorted((place[row["a"]], place[row["b"]])) for row in rows if row["label"] in ("dup", "similar")]
    a, b = np.unique(np.array(pairs, dtype=np.int64), axis=0).T
    inside, series = in_universe(counted.universe, a, b)
    kept = inside & ~series
    grades = links.grades_of(a[kept], b[kept])
    scores = count_copies(links, copies, counted, key_terms.counts.languages, steps=range(3, 13))["all"]
    true = [int((grades >= one.step).sum()) for one in scores]
    precision = [abs(one.precision - hit / one.links) for one, hit in zip(scores, true, strict=True)]
    recall = [abs(one.recall - hit / int(kept.sum())) for one, hit in zip(scores, true, strict=True)]
    return float(np.mean(precision)), float(np.mean(recall))


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "most"), [("slavictopics", (0.02, 0.06)), pytest.param("mdnews", (0.02, 0.08), marks=pytest.mark.slow)]
)
def test_the_count_is_right_on_real_news(corpora, name, most):
    """Against every label of overlapping 5-grams; nothing here was chosen on these sets but the definition."""
    precision, recall = _labelled(corpora, name)
    assert precision <= most[0]
    assert recall <= most[1]
