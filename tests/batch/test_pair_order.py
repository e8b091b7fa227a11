"""The order of rows of pairs, where key terms decide about them."""

import pytest

from infostream_dedup import pairs
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
