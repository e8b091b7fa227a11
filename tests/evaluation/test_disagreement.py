"""Which pairs are drawn for an expert, and what is told of them."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.lab.evaluation.comparison import agreed, compared_pairs, disputed
from infostream_dedup.lab.evaluation.labels import labels_of
from infostream_dedup.lab.methods import Texts
from infostream_dedup.model import Document

SETS = st.lists(st.sets(st.integers(0, 30)), min_size=1, max_size=4)


def _found(*sets: set[int]) -> dict[str, np.ndarray]:
    return {f"m{number}": np.array(sorted(one), dtype=np.int64) for number, one in enumerate(sets)}


def test_every_kind_of_disagreement_has_its_turn() -> None:
    many = set(range(10, 20))
    drawn = disputed(_found({1, 2, 3} | many, {1, 2, 3, 4}, {1, 5, 6}), 5)
    # Kinds by size: only m0 (10 pairs), m0 and m1 (2, 3), only m2 (5, 6), only m1 (4); 1 is found by all.
    assert [value in many for value in drawn.tolist()] == [True, False, False, False, True]
    assert drawn[1] in (2, 3) or drawn[1] in (5, 6)
    assert 4 in drawn


@given(SETS, st.integers(1, 40), st.sets(st.integers(0, 30)))
def test_drawn_pairs_are_disputed_unknown_and_distinct(sets: list[set[int]], number: int, known: set[int]) -> None:
    drawn = disputed(_found(*sets), number, known=np.array(sorted(known), dtype=np.int64)).tolist()
    possible = set().union(*sets) - set.intersection(*sets) - known
    assert set(drawn) <= possible
    assert len(set(drawn)) == len(drawn) == min(number, len(possible))


@given(SETS)
def test_a_shorter_draw_begins_a_longer_one(sets: list[set[int]]) -> None:
    found = _found(*sets)
    assert disputed(found, 3).tolist() == disputed(found, 9).tolist()[:3]


def test_agreed_pairs_are_those_of_the_most_methods() -> None:
    assert agreed(_found({1, 2, 3}, {2, 3}, {3, 4}), 5).tolist() == [3]
    assert agreed(_found(set(range(10)), set(range(10))), 5).tolist() == [0, 2, 4, 6, 8]
    assert agreed(_found(set(), set()), 5).tolist() == []


@pytest.fixture
def texts() -> Texts:
    story = "Мэр города Приозёрска торжественно открыл новый мост через реку Сухону."
    more = "Движение по мосту откроют завтра утром, сообщили журналисты городской газеты."
    return Texts(
        [
            Document(id="а", text=f"{story} {more}", lang="ru"), Document(id="б", text=f"{story} {more}", lang="ru"),
            Document(id="в", text=f"{story} Погода испортилась.", lang="ru"), Document(id="г", text="", lang="ru"),
        ]
    )  # fmt: skip


def test_features_by_hand(texts: Texts) -> None:
    found = {"x": np.array([1, 2, 3], dtype=np.int64), "y": np.array([1, 6], dtype=np.int64)}
    equal, part, none = compared_pairs(texts, found, np.array([1, 2, 3]))
    assert (equal.a, equal.b, equal.found_by, equal.of_kind) == ("а", "б", ["x", "y"], 1)
    assert (equal.features.similarity, equal.features.jaccard5, equal.features.same_sentences) == (1.0, 1.0, 2)
    # Words: 10 + 10 against 10 + 2; 5-grams: 16 against 8, of which the 6 of the first sentence meet.
    assert (part.features.same_sentences, part.features.containment5) == (1, pytest.approx(6 / 8))
    assert part.features.jaccard5 == pytest.approx(6 / 18)
    assert (part.found_by, part.of_kind) == (["x"], 2)
    assert (none.features.jaccard5, none.features.containment5, none.features.terms) == (0.0, 0.0, [])


def test_a_row_can_be_filled_in_and_read(texts: Texts) -> None:
    pair = compared_pairs(texts, {"x": np.array([1], dtype=np.int64)}, np.array([1]))[0]
    row = json.loads(json.dumps(pair.as_dict()))
    assert row["label"] is None
    assert labels_of([row]) == []
    assert [label.label for label in labels_of([row | {"label": "dup"}])] == ["dup"]
