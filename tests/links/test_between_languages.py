"""The rule between languages: who is pushed out, who is not, and that the answer is local."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.links.pair_rules import NEAR_BEST, nothing_better, one_to_one

RU, UK, EN = 0, 1, 2
Links = dict[tuple[int, int], float]


def kept(links: Links, languages: list[int], *groups: set[int]) -> set[tuple[int, int]]:
    """The links that are left, where documents of one group have one text."""

    def one_text(a, b):
        assert len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(a)
        assert all(languages[x] == languages[y] for x, y in zip(a, b, strict=True))
        return np.array([any({x, y} <= group for group in groups) for x, y in zip(a.tolist(), b.tolist(), strict=True)],
                        dtype=np.bool_)  # fmt: skip

    ends = np.array(list(links), dtype=np.int64).reshape(-1, 2)
    mask = nothing_better(ends[:, 0], ends[:, 1], np.array(list(links.values())), np.array(languages), one_text)
    return {pair for pair, stays in zip(links, mask.tolist(), strict=True) if stays}


def test_a_case_worked_by_hand():
    """Text 0 is rendered by 2; 3 is on the same topic, and rendered by 1. 4 is English and in nobody's way."""
    languages = [RU, RU, UK, UK, EN]
    links = {(0, 2): 0.8, (0, 3): 0.5, (1, 3): 0.7, (1, 2): 0.65, (0, 4): 0.4}
    # 0.65 is at least .9 of .7, the best of 1, but not of .8, the best of 2.
    assert kept(links, languages) == {(0, 2), (1, 3), (0, 4)}
    assert kept({**links, (1, 2): 0.72}, languages) == {(0, 2), (1, 3), (1, 2), (0, 4)}


def test_three_renderings_in_each_language_do_not_push_each_other_out():
    """Without the exception for one text, each document would keep only its nearest partners."""
    languages = [RU] * 3 + [UK] * 3 + [EN] * 3
    share = {0: 0.9, 1: 0.7, 2: 0.5}
    links = {(a, b): share[(a + b) % 3] for a in range(9) for b in range(a + 1, 9) if languages[a] != languages[b]}
    assert kept(links, languages, *({0, 1, 2}, {3, 4, 5}, {6, 7, 8})) == set(links)
    assert kept(links, languages) == {pair for pair, one in links.items() if one == 0.9}


def test_a_text_of_the_same_topic_does_not_come_in_through_a_rendering():
    languages = [RU, UK, UK, UK]
    links = {(0, 1): 0.8, (0, 2): 0.6, (0, 3): 0.6}
    assert kept(links, languages, {1, 2}) == {(0, 1), (0, 2)}
    # 3 is one text with 2, not with the best partner.
    assert kept(links, languages, {1, 2}, {2, 3}) == {(0, 1), (0, 2)}


def test_a_share_of_nine_tenths_of_the_best_is_enough_whatever_the_last_bit():
    assert kept({(0, 1): 0.8, (0, 2): 0.72}, [RU, UK, UK]) == {(0, 1), (0, 2)}
    assert 0.8 * NEAR_BEST > 0.72
    assert kept({(0, 1): 0.8, (0, 2): 0.719}, [RU, UK, UK]) == {(0, 1)}
    assert kept({}, []) == set()


@st.composite
def drawn(draw) -> tuple[Links, list[int], tuple[set[int], ...]]:
    languages = draw(st.lists(st.integers(0, 2), min_size=2, max_size=9))
    pairs = [(a, b) for b in range(len(languages)) for a in range(b) if languages[a] != languages[b]]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    shares = draw(st.lists(st.integers(40, 100), min_size=len(chosen), max_size=len(chosen)))
    groups = draw(st.lists(st.sets(st.integers(0, len(languages) - 1)), max_size=3))
    same = [{d for d in group if languages[d] == language} for group in groups for language in range(3)]
    return {pair: share / 100 for pair, share in zip(chosen, shares, strict=True)}, languages, tuple(same)


@given(drawn())
def test_the_answer_for_a_link_depends_on_its_ends_only(case):
    """What a stream relies on: it gives the links of a new document and those of its partners."""
    links, languages, groups = case
    whole = kept(links, languages, *groups)
    for a, b in links:
        near = {pair: share for pair, share in links.items() if {a, b} & set(pair)}
        assert ((a, b) in kept(near, languages, *groups)) == ((a, b) in whole)


@given(drawn())
def test_weak_links_decide_nothing_about_strong_ones(case):
    links, languages, groups = case
    strong = {pair: share for pair, share in links.items() if share >= 0.7}
    assert kept(strong, languages, *groups) == kept(links, languages, *groups) & set(strong)


@given(drawn())
def test_neither_order_nor_direction_of_links_matters(case):
    links, languages, groups = case
    turned = {(b, a): share for (a, b), share in reversed(links.items())}
    assert {(a, b) for b, a in kept(turned, languages, *groups)} == kept(links, languages, *groups)


@given(drawn())
def test_one_to_one_leaves_one_partner_in_each_language_and_no_free_pair(case):
    links, languages, _ = case
    ends = np.array(list(links), dtype=np.int64).reshape(-1, 2)
    mask = one_to_one(ends[:, 0], ends[:, 1], np.array(list(links.values())), np.array(languages))
    left = {pair for pair, stays in zip(links, mask.tolist(), strict=True) if stays}
    taken = [(end, languages[other]) for a, b in left for end, other in ((a, b), (b, a))]
    assert len(taken) == len(set(taken))
    for a, b in set(links) - left:
        rivals = [pair for pair in left if (a in pair and languages[b] in _languages(pair, languages))
                  or (b in pair and languages[a] in _languages(pair, languages))]  # fmt: skip
        assert max(links[pair] for pair in rivals) >= links[a, b]


def _languages(pair: tuple[int, int], languages: list[int]) -> set[int]:
    return {languages[end] for end in pair}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_equal_shares_go_to_the_first_pair(order):
    a, b = np.array([0, 0, 1]), np.array([2, 3, 2])
    mask = one_to_one(a[list(order)], b[list(order)], np.full(3, 0.5), np.array([RU, RU, UK, UK]))
    assert mask[list(order).index(0)]
    assert mask.sum() == 1
