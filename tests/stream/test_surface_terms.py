"""What surfaces mean does not depend on how many of them are remembered."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.stream import analysis
from infostream_dedup.stream.analysis import SurfaceTerms, TermNumbers
from tests.terms.test_counting import read

WORDS = ["мост", "мосты", "река", "рекаКиев", "и", "word", "words", "премьер-министр", "ПриватБанк", "ъ"]
ALL = (1 << len(LANGUAGES)) - 1


def terms_of(held, words, language):
    codes = held.codes(SurfaceList.of(words), np.full(len(words), ALL, dtype=np.uint8))[language].tolist()
    return [read(code, held.more) for code in codes]


@given(
    batches=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6, unique=True), max_size=8),
    most=st.integers(1, 8),
)
def test_terms_stay_when_memory_starts_over(batches, most):
    with pytest.MonkeyPatch.context() as patch:
        unbounded = SurfaceTerms(Settings(representation="stem"), TermNumbers())
        wanted = [terms_of(unbounded, words, 0) for words in batches]
        patch.setattr(analysis, "_MOST_REMEMBERED", most)
        bounded = SurfaceTerms(Settings(representation="stem"), TermNumbers())
        assert [terms_of(bounded, words, 0) for words in batches] == wanted


def test_words_are_put_in_the_order_of_the_text():
    words, places = analysis._in_order_of_text(np.array([7, 2, 7, 0, 2, 9]), 10)
    assert words.tolist() == [7, 2, 0, 9]
    assert places.tolist() == [0, 1, 0, 2, 1, 3]


@given(st.lists(st.integers(0, 8), max_size=20))
def test_any_words_are_put_in_the_order_of_the_text(words):
    distinct, places = analysis._in_order_of_text(np.array(words, dtype=np.int64), 9)
    assert (distinct.tolist(), distinct[places].tolist()) == (list(dict.fromkeys(words)), words)


@given(st.lists(st.sampled_from(WORDS), min_size=1, unique=True), st.sampled_from([0, 1, 2]))
def test_few_and_many_words_are_learnt_alike(words, language):
    with pytest.MonkeyPatch.context() as patch:
        few = terms_of(SurfaceTerms(Settings(representation="stem"), TermNumbers()), words, language)
        patch.setattr(analysis, "_MANY", 1)
        assert terms_of(SurfaceTerms(Settings(representation="stem"), TermNumbers()), words, language) == few


def test_what_was_remembered_before_is_not_analysed_again(monkeypatch):
    monkeypatch.setattr(analysis, "_MOST_REMEMBERED", 4)
    asked = []
    learn = SurfaceTerms._learnt

    def learnt(self, surfaces, wanted, language):
        asked.extend(surfaces.some(wanted))
        return learn(self, surfaces, wanted, language)

    monkeypatch.setattr(SurfaceTerms, "_learnt", learnt)
    held = SurfaceTerms(Settings(representation="stem"), TermNumbers())
    for words in (["мост", "река"], ["мост", "гора"], ["река", "лес"], ["мост", "река"], ["лес", "дом"], ["гора"]):
        held.codes(SurfaceList.of(words), np.ones(len(words), dtype=np.uint8))
    # Memory begins anew with the third batch, which knows the river still, and with the fifth: the hill is forgotten.
    assert asked == ["мост", "река", "гора", "лес", "дом", "гора"]


def test_memory_starts_over_in_the_arrays_of_the_one_before_the_last(monkeypatch):
    monkeypatch.setattr(analysis, "_MOST_REMEMBERED", 2000)
    held, used = SurfaceTerms(Settings(representation="stem"), TermNumbers()), []
    for batch in range(8):
        words = [f"слово{batch}{number}" for number in range(1500)]
        held.codes(SurfaceList.of(words), np.ones(len(words), dtype=np.uint8))
        used.append((held._pool.table.slots, held._pool.table.pool, held._codes))
    # Every batch starts over, and the first two enlarge the arrays, if any do.
    for former, now in zip(used[1:], used[3:], strict=False):
        assert all(one is other for one, other in zip(former, now, strict=True))
