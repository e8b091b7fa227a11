"""The order of rows of pairs, where key terms decide about them, and of pairs as numbers."""

import numpy as np
import pytest

from infostream_dedup import pairs
from infostream_dedup.runs.batch.judging import by_later, united
from infostream_dedup.runs.batch.pairing import PairRow, ordered_rows
from infostream_dedup.sample import documents_path


def _row(name: str, forward: float, backward: float) -> PairRow:
    return PairRow(
        a=name, b="x", forward=1, backward=1, n_a=1, n_b=1, share_forward=forward, share_backward=backward,
        relation=None, terms=None, met=None,
    )  # fmt: skip


def test_by_hand() -> None:
    rows = [_row("a", 0.9, 0.2), _row("b", 0.5, 0.4), _row("c", 0.4, 0.8), _row("d", 0.2, 0.9)]

    def found(*, strongest_first: bool, top: int | None) -> str:
        return "".join(row.a for row in ordered_rows(iter(rows), strongest_first=strongest_first, top=top))

    # c and b share the smaller share, a and d both; of equals the earlier comes first.
    assert found(strongest_first=True, top=None) == "cbad"
    assert found(strongest_first=True, top=3) == "cba"
    assert found(strongest_first=False, top=3) == "abc"
    assert found(strongest_first=False, top=None) == "abcd"


@pytest.mark.parametrize("preset", ["faithful", "best", "similar"])
def test_every_preset_lists_its_strongest_pairs(preset: str) -> None:
    source = str(documents_path())
    every = list(pairs(source, preset=preset, terms=False, representation="stem"))
    keys = [(-min(row.share_forward, row.share_backward), -max(row.share_forward, row.share_backward)) for row in every]
    order = sorted(range(len(every)), key=lambda at: (keys[at], at))
    strongest = pairs(source, preset=preset, terms=False, representation="stem", sort="strength")
    assert list(strongest) == [every[at] for at in order]
    top = list(pairs(source, preset=preset, terms=False, representation="stem", top=7))
    assert top == [every[at] for at in sorted(order[:7])]


_DOCUMENTS = 9


def drawn(seed: int, count: int) -> list[tuple[int, int]]:
    draw = np.random.default_rng(seed)
    return [(int(a), int(b)) for a, b in draw.integers(0, _DOCUMENTS, (count, 2))]


def ends(given: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.array(given, dtype=np.int64).reshape(-1, 2).T
    return a, b


@pytest.mark.parametrize(("seed", "count", "more"), [(1, 0, 0), (1, 0, 3), (2, 20, 0), (3, 20, 5), (4, 40, 40)])
def test_pairs_of_either_list_are_united(seed: int, count: int, more: int) -> None:
    one, other = sorted(set(drawn(seed, count))), list(dict.fromkeys(drawn(seed + 10, more)))
    a, b = united(ends(one), ends(other))
    assert list(zip(a.tolist(), b.tolist(), strict=True)) == sorted({*one, *other})


def test_pairs_are_sorted_by_the_later_document() -> None:
    given = drawn(5, 30)
    expected = sorted(given, key=lambda pair: pair[::-1])
    for order in (given, expected):
        first, second = by_later(*ends(order), _DOCUMENTS)
        assert list(zip(first.tolist(), second.tolist(), strict=True)) == expected
