"""TF-IDF cosine, worked by hand."""

import math

import pytest

from infostream_dedup.lab.methods import Texts, method


def test_the_cosine_by_hand():
    # All documents of two words; мост in two of five, the others in one.
    texts = Texts.of("мост река", "мост снег", "гром туча", "берег ветер", "город район")
    common, own = math.log(3.5 / 2.5), math.log(4.5 / 1.5)
    expected = common**2 / (common**2 + own**2)
    assert method("tf-idf-cosine", tau=0.05).run(texts).pairs.as_list() == [(0, 1, pytest.approx(expected, abs=1e-3))]


def test_words_of_most_documents_weigh_nothing():
    texts = Texts.of("мост река", "мост снег", "мост туча")
    assert not method("tf-idf-cosine", tau=0.05).run(texts).pairs.as_list()
