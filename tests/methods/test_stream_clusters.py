"""Stream clusters: by hand, and against vectors of clusters that are summed up."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from infostream_dedup.judging.features.fingerprints import count_words, tf_idf_weights
from infostream_dedup.judging.features.words import read_words, significant
from infostream_dedup.lab.methods import Texts, method
from infostream_dedup.lab.methods.registry import method_class
from infostream_dedup.model import Document

START = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = "мост река снег школа крыша футбол матч голос пожар склад город цена рынок дождь ветер поезд".split()


def _document(name, text, hours=None, **given):
    time = None if hours is None else START + timedelta(hours=hours)
    return Document(id=name, text=text, lang=given.pop("lang", "ru"), time=time, **given)


def _others(count):
    """Documents of other words, so that words of the story are rare."""
    return [_document(f"other {number}", f"слово{number} дело{number} место{number}") for number in range(count)]


def _pairs(documents, **given):
    found = method("stream-clusters", **given).run(Texts(documents)).pairs
    return list(zip(found.a.tolist(), found.b.tolist(), strict=True))


def test_time_apart_divides_one_text_into_two_clusters_where_it_weighs_enough():
    text = "Мост закрыли ночью"
    near, far = _document("1", text, 0), _document("2", text, 72)
    documents = [near, far, *_others(5)]
    # Equal words, 72 hours apart: three times exp(-1/2) = .607, so .8 + .2 · .607 = .921 and .5 + .5 · .607 = .803.
    assert _pairs(documents, tau=0.92) == [(0, 1)]
    assert _pairs(documents, tau=0.93) == []
    assert _pairs(documents, tau=0.8, time=0.5) == [(0, 1)]
    assert _pairs(documents, tau=0.81, time=0.5) == []
    # Without a time words alone count.
    assert _pairs([near, _document("2", text), *_others(5)], tau=0.99) == [(0, 1)]


def test_languages_and_empty_documents_stay_apart():
    text = "Мост закрыли ночью"
    other = [_document("1", text), _document("2", text, lang="uk"), _document("3", ""), _document("4", "")]
    assert _pairs([*other, *_others(5)]) == []


def test_pairs_are_all_pairs_of_a_cluster():
    text = "Мост закрыли ночью"
    documents = [_document("1", text), *_others(5), _document("2", text), _document("3", text)]
    assert _pairs(documents) == [(0, 6), (0, 7), (6, 7)]


@pytest.mark.parametrize("seed", range(5))
def test_clusters_are_those_of_summed_vectors(seed):
    random = np.random.default_rng(seed)
    documents = [
        _document(str(number), " ".join(random.choice(WORDS, 6)), float(random.integers(0, 200)), title=title)
        for number, title in enumerate(random.choice([*WORDS[:6], ""], 40).tolist())
    ]
    assert _pairs(documents, tau=0.45) == _plain(documents, 0.45, 0.2, 72.0)


def _plain(documents, tau, share, sigma):
    full = [f"{one.title} {one.text}" if one.title else one.text for one in documents]
    parts = [_unit(texts) for texts in ([one.title or "" for one in documents], [one.text for one in documents], full)]
    clusters = []
    for place, document in enumerate(documents):
        hour = (document.time - START).total_seconds() / 3600
        best, best_score = None, -1.0
        for cluster in clusters:
            cosines = []
            for part in parts:
                if part[place].any():
                    summed = part[cluster].sum(axis=0)
                    norm = np.sqrt(summed @ summed)
                    cosines.append(part[place] @ summed / norm if norm else 0.0)
            hours = [(documents[one].time - START).total_seconds() / 3600 for one in cluster]
            near = [np.exp(-((hour - at) ** 2) / (2 * sigma**2)) for at in (min(hours), max(hours), np.mean(hours))]
            score = round((1 - share) * float(np.mean(cosines)) + share * float(np.mean(near)), 9)
            if score > best_score:
                best, best_score = cluster, score
        if best is not None and best_score >= tau:
            best.append(place)
        else:
            clusters.append([place])
    return sorted((a, b) for cluster in clusters for a in cluster for b in cluster if a < b)


def _unit(texts):
    counts = count_words(significant(read_words(texts), ["ru"] * len(texts)))
    dense = counts.rows(np.maximum(tf_idf_weights(counts), 0)).toarray().astype(np.float64)
    norms = np.sqrt((dense**2).sum(axis=1, keepdims=True))
    return np.divide(dense, norms, out=np.zeros_like(dense), where=norms > 0)


def test_it_runs_only_when_named():
    assert method_class("stream-clusters").only_when_named
