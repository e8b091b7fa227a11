"""Measures of groups: worked by hand, by their definitions over documents, and beside scikit-learn."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.lab.evaluation.labels import Kin, Truth, labels_of, truth_of
from infostream_dedup.lab.evaluation.scores import GroupScores, group_scores
from infostream_dedup.model import Document, Language


def _truth(families: list[str | None], listed: dict[tuple[int, int], str], **options: Any) -> Truth:
    documents = [Document(id=str(at), text="", extra={"family": family}) for at, family in enumerate(families)]
    labels = labels_of([{"a": str(a), "b": str(b), "label": label} for (a, b), label in listed.items()])
    languages: list[Language] = options.pop("languages", ["ru"] * len(families))
    return truth_of(documents, languages, labels, **options)


def _found(groups: list[int], truth: Truth) -> GroupScores:
    found = group_scores(np.array(groups), truth)
    assert found is not None
    return found


def test_worked_by_hand() -> None:
    # True groups 0 1 2, 3 4, 5; groups 0 1, 2 3 4, 5.
    truth = _truth([None] * 6, {(0, 1): "dup", (1, 2): "dup", (3, 4): "dup"}, closed=True)
    found = _found([0, 0, 1, 1, 1, 2], truth)
    # Of the groups: 0 and 1 are all right, 2 is alone in its, 3 and 4 are two thirds right, 5 is right.
    precision = float((1 + 1 + Fraction(1, 3) + Fraction(2, 3) + Fraction(2, 3) + 1) / 6)
    # Of the true groups: 0 and 1 have two of three, 2 has itself, 3, 4 and 5 have all.
    recall = float((Fraction(2, 3) + Fraction(2, 3) + Fraction(1, 3) + 3) / 6)
    assert (found.bcubed_precision, found.bcubed_recall) == pytest.approx((precision, recall))
    assert found.bcubed_f1 == pytest.approx(2 * precision * recall / (precision + recall))
    # Pairs: 0-1 and 3-4 are right, 2-3 and 2-4 wrong, 0-2 and 1-2 missed; 15 in all.
    assert found.pairwise_f1 == pytest.approx(2 * 2 / (2 * 2 + 2 + 2))
    assert found.ari == pytest.approx((2 - Fraction(4 * 4, 15)) / (4 - Fraction(4 * 4, 15)))


def test_an_open_world_has_no_figures() -> None:
    assert group_scores(np.array([0, 0]), _truth([None, None], {(0, 1): "dup"})) is None


def _by_definition(groups: list[int], truth: Truth) -> list[float | None]:
    """Every measure from every pair of documents, one by one."""
    size, classes = truth.documents, truth.classes().tolist()
    taking = np.flatnonzero(truth.takes_part()).tolist()

    def right(a: int, b: int) -> bool:
        return a == b or (
            classes[a] == classes[b] and bool(truth.in_scope(np.array([min(a, b) * size + max(a, b)]))[0])
        )

    def counted(a: int, b: int) -> bool:
        return right(a, b) or bool(truth.judge(np.array([min(a, b) * size + max(a, b)]))[0])

    precision = recall = Fraction(0)
    for a in taking:
        group = [b for b in taking if groups[a] == groups[b] and counted(a, b)]
        precision += Fraction(sum(right(a, b) for b in group), len(group)) / len(taking)
        true = [b for b in taking if right(a, b)]
        recall += Fraction(sum(groups[a] == groups[b] for b in true), len(true)) / len(taking)
    cells = {(one, other): 0 for one in (False, True) for other in (False, True)}
    for a, b in combinations(taking, 2):
        if counted(a, b):
            cells[right(a, b), groups[a] == groups[b]] += 1
    tp, fn, fp, tn = cells[True, True], cells[True, False], cells[False, True], cells[False, False]
    pairs, true_pairs, linked = tp + fn + fp + tn, tp + fn, tp + fp
    expected = Fraction(true_pairs * linked, pairs) if pairs else Fraction(0)
    most = Fraction(true_pairs + linked, 2)
    f1 = Fraction(2 * tp, true_pairs + linked) if true_pairs + linked else None
    found = [precision, recall, 2 * precision * recall / (precision + recall)]
    found += [Fraction(1) if fp == fn == 0 else (tp - expected) / (most - expected)]
    return [*map(float, found), None if f1 is None else float(f1)]


@given(st.data())
def test_agrees_with_the_definitions(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 7))
    closed = data.draw(st.booleans())
    families = data.draw(st.lists(st.sampled_from(["f", "g", "h", None]), min_size=size, max_size=size))
    pairs = list(combinations(range(size), 2))
    listed = data.draw(st.dictionaries(st.sampled_from(pairs), st.sampled_from(["dup", "different", "similar"])))
    languages = data.draw(st.lists(st.sampled_from(["ru", "uk", "en"]), min_size=size, max_size=size))
    asked = data.draw(st.sampled_from([None, "ru", "ru-uk", "ru,uk"]))
    kin = [Kin("f", "g")] if any(families) and data.draw(st.booleans()) else []
    truth = _truth(families, listed, closed=closed, languages=languages, language_pairs=asked, kin=kin)
    groups = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    found = group_scores(np.array(groups), truth)
    if found is None:
        assert not truth.takes_part().any()
    else:
        assert list(found.as_dict().values()) == pytest.approx(_by_definition(groups, truth))
