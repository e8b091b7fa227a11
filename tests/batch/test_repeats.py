"""A story that makes up most of a collection keeps its key terms where evidence decides."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import dedup
from infostream_dedup.judging.evidence import pair_evidence
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.model import Document, Settings
from infostream_dedup.runs.batch.collection import collect
from tests.long_words import LONG_WORDS

WORDS = LONG_WORDS[300:3000]
PLAIN = Settings(representation="stem", background=False, df_min=1, weighting="tfidf")


def test_a_document_repeats_earlier_ones_if_most_of_its_triples_are_theirs():
    triples = np.array([1, 2, 3, 1, 2, 9, 9, 10, 1, 3, 4], dtype=np.uint64)
    rows = TripleRows(triples, np.array([0, 3, 6, 8, 8, 11]))
    # None, two of three, one of two, an empty text, two of three.
    assert rows.repeat_earlier().tolist() == [False, True, False, False, True]


@given(st.lists(st.sets(st.integers(0, 60) | st.integers(2**64 - 20, 2**64 - 1), max_size=12), max_size=9))
def test_repeats_by_sets(texts):
    rows = TripleRows(
        np.array([triple for text in texts for triple in sorted(text)], dtype=np.uint64),
        np.cumsum([0, *map(len, texts)]),
    )
    expected = [2 * len(text - set().union(*texts[:place])) < len(text) for place, text in enumerate(texts)]
    assert rows.repeat_earlier().tolist() == expected


def test_parts_change_no_repeats(monkeypatch):
    draw = np.random.default_rng(2)
    pool = draw.integers(0, 2**63, 2000).astype(np.uint64) * np.uint64(2)
    parts = [np.unique(draw.choice(pool, 40)) for _ in range(200)]
    rows = TripleRows(np.concatenate(parts), np.cumsum([0, *map(len, parts)]))
    whole = rows.repeat_earlier()
    monkeypatch.setattr(pair_evidence, "_PART", 3)
    assert rows.repeat_earlier().tolist() == whole.tolist()
    assert 0 < whole.sum() < 200


@pytest.fixture
def collection():
    texts = ["bridge river mayor", "bridge river minister", "bridge river judge", "forest winter court"]
    return collect([Document(id=str(number), text=text, lang="en") for number, text in enumerate(texts)])


def keys(terms):
    return [sorted(terms.terms_of(document)) for document in range(terms.keys.shape[0])]


def test_what_only_repeats_lift_above_df_max_stays_a_key_term(collection):
    assert keys(collection.key_terms(PLAIN)) == [["mayor"], ["minist"], ["judg"], ["court", "forest", "winter"]]
    found = collection.key_terms_despite_repeats(PLAIN, lambda: np.array([False, True, True, False]))
    assert keys(found) == [
        ["bridg", "mayor", "river"], ["bridg", "minist", "river"], ["bridg", "judg", "river"],
        ["court", "forest", "winter"],
    ]  # fmt: skip
    # Weighed by their frequency among the distinct documents, one of two; the others by theirs among all, one of four.
    weights = dict(zip(found.terms_of(0), sorted(found.keys.data[:3].tolist(), reverse=True), strict=True))
    assert weights["mayor"] > weights["bridg"] == weights["river"] > 0


def test_dedup_of_one_story():
    draw = random.Random(5)  # noqa: S311
    base, texts = draw.sample(WORDS, 60), []
    for _ in range(1100):
        text = list(base)
        text[draw.randrange(60)] = draw.choice(WORDS)
        texts.append(" ".join(text))
    rows = [{"id": str(number), "text": text, "lang": "ru"} for number, text in enumerate(texts)]
    found = Counter(row["status"] for row in dedup(rows, annotate=True, preset="judged").as_rows())
    assert found["new"] == 1
    # Some differ from each other in a word that may turn the news round.
    assert found["duplicate"] + found["exact"] + found["similar"] == 1099
    assert found["similar"] < 450
