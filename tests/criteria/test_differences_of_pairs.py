"""Each criterion by hand, its range and its edge cases."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.criteria import CRITERIA, differences, document_models
from infostream_dedup.judging.criteria.document_models import weighted_sets
from infostream_dedup.model import Document

SHARES = (
    "words", "title", "sentences", "paragraphs", "numbers", "number_order", "site", "key_terms", "wording", "lead",
)  # fmt: skip
SYMMETRIC = (
    "words", "title", "number_order", "time_apart", "another_day", "site", "evidence", "wording_of_both", "other_text",
)  # fmt: skip
ANTISYMMETRIC = ("images", "links", "time", "source")
BRIDGE = "Мост через реку закрыли на ремонт.\nАвтобусы пустили в объезд по набережной."
SCHOOL = "Школа в посёлке получила новую крышу."


def of_pair(name, one, other, *, authority=(np.nan, np.nan)):
    filling = [Document(id=f"f{n}", text=text, lang="ru") for n, text in enumerate((SCHOOL, "Суд вынес приговор."))]
    models = document_models([one, other, *filling])
    given_authority = np.array([authority[0]]), np.array([authority[1]])
    forward, backward = differences(models, np.array([0]), np.array([1]), [name], given_authority)
    return forward[0, 0], backward[0, 0]


def document(text="", **fields):
    return Document(id=fields.pop("id", text[:20] or "empty"), text=text, lang="ru", **fields)


def test_a_copy_differs_in_nothing():
    one = document(BRIDGE + " Ремонт стоит 14,5 млн.", id="a", title="Мост закрыт", source="x.example")
    other = document(BRIDGE + " Ремонт стоит 14.50 млн.", id="b", title="Мост закрыт", source="x.example")
    for name in (*SHARES, "images", "links"):
        assert of_pair(name, one, other) == (0, 0), name


def test_by_hand():
    for name, one, other, expected in [
        ("words", "", BRIDGE, (1, 1)), ("words", "", "", (1, 1)),
        ("words", SCHOOL, "Футболисты сыграли вничью", (1, 1)), ("sentences", "", BRIDGE, (0, 1)),
        ("paragraphs", "", BRIDGE, (0, 1)), ("sentences", "", "", (0, 0)),
        ("numbers", "нет чисел", "было 7 из 12", (0, 1)),
        ("numbers", "было 7 из 12", "стало 7 из 15 и 20", (1 / 2, 2 / 3)), ("numbers", "счёт 6:4", "счёт 4:6", (0, 0)),
        ("numbers", "5 и 5 и 5", "5", (0, 0)), ("number_order", "нет чисел", "нет", (0, 0)),
        ("number_order", "нет чисел", "было 7 из 12", (1, 1)),
        # Neighbours change places: one edit, of two numbers.
        ("number_order", "счёт 6:4", "счёт 4:6", (1 / 2, 1 / 2)),
        ("number_order", "6:4, 3:6, 6:2", "6:4, 6:3, 6:2", (1 / 6, 1 / 6)),
        # CA to ABC: 3 edits where nothing is edited twice; the unrestricted distance would be 2.
        ("number_order", "3 1", "1 2 3", (1, 1)), ("key_terms", "", BRIDGE, (0, 1)),
        ("other_text", BRIDGE, BRIDGE.replace("\n", " \n\n"), (0, 0)),
        ("other_text", BRIDGE, BRIDGE.replace("закрыли", "Закрыли"), (1, 1)), ("other_text", "", "", (1, 1)),
    ]:  # fmt: skip
        assert of_pair(name, document(one, id="a"), document(other, id="b")) == pytest.approx(expected)


def test_sentences_are_equal_whatever_the_order_of_words_but_not_with_other_numbers():
    one = document("Доллар подорожал до 41,25 кроны.", id="a")
    assert of_pair("sentences", one, document("До 41,25 кроны доллар подорожал.", id="b")) == (0, 0)
    assert of_pair("sentences", one, document("Доллар подорожал до 41,52 кроны.", id="b")) == (1, 1)


def test_a_paragraph_cut_into_lines_is_one_paragraph():
    one = document("Мост через реку закрыли на ремонт.", id="a")
    assert of_pair("paragraphs", one, document("Мост через реку\nзакрыли на ремонт.", id="b")) == (0, 0)


def test_weighted_share_of_a_set():
    sets = weighted_sets(np.array([0, 0, 0, 1]), np.array([7, 7, 8, 7], np.uint64), np.array([3.0, 3.0, 1.0, 3.0]), 3)
    i, j = np.array([0, 1, 2, 0]), np.array([1, 0, 0, 2])
    assert sets.lacking(i, j).tolist() == [0.25, 0, 0, 1]


def test_counts_of_objects():
    one = document(BRIDGE, id="a", images=["1.jpg", "2.jpg"], links=3)
    other = document(BRIDGE + " https://x.example/1 www.y.example", id="b", images="5")
    assert of_pair("images", one, other) == (-3, 3)
    assert of_pair("links", one, other) == (1, -1)


@pytest.mark.parametrize(("hours", "expected"), [(0, 0), (12, 0), (15, 0.25), (18, 0.5), (24, 1), (500, 1)])
def test_another_day_begins_after_half_a_day(hours, expected):
    early = document(BRIDGE, id="a", time=datetime(2025, 3, 3, 9, tzinfo=UTC))
    late = document(BRIDGE, id="b", time=datetime(2025, 3, 3, 9, tzinfo=UTC) + timedelta(hours=hours))
    assert of_pair("another_day", late, early) == of_pair("another_day", early, late) == (expected, expected)
    assert np.isnan(of_pair("another_day", late, document(BRIDGE, id="c"))).all()


WORDS = "мост река школа суд 5 41,25 6:4 автобус. Ремонт\nЗакрыли".split(" ")


@given(st.lists(st.tuples(*[st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)] * 2), min_size=2, max_size=5))
def test_ranges_and_directions(texts):
    documents = [document(text, id=str(n), title=title, source="s") for n, (text, title) in enumerate(texts)]
    models = document_models(documents)
    i, j = (side.ravel() for side in np.meshgrid(np.arange(len(texts)), np.arange(len(texts))))
    authority = np.linspace(0, 1, len(texts))
    names = list(CRITERIA)
    forward, backward = differences(models, i, j, names, (authority[i], authority[j]))
    swapped = differences(models, j, i, names, (authority[j], authority[i]))
    np.testing.assert_allclose(swapped, (backward, forward), atol=1e-12)
    for column, name in enumerate(names):
        told = forward[:, column][~np.isnan(forward[:, column])]
        if name in SHARES:
            assert told.min() >= 0
            assert told.max() <= 1
        if name in SYMMETRIC:
            np.testing.assert_array_equal(forward[:, column], backward[:, column])
        if name in ANTISYMMETRIC:
            np.testing.assert_array_equal(forward[:, column], -backward[:, column])
