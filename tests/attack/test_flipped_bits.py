"""Stores with one bit flipped: verified as damaged, refused, or saying all that they said."""

from __future__ import annotations

import random

from infostream_dedup.errors import InfostreamError
from infostream_dedup.store import Store


def test_no_flipped_bit_of_a_store_is_silent(synthetic, tmp_path, faults, record_figures, scale):
    whole = tmp_path / "whole.db"
    synthetic.write(whole, 20, lambda number: None)
    with Store.open(whole) as store:
        expected = synthetic.content(store)
    good, draw, path = whole.read_bytes(), random.Random(4), tmp_path / "s.db"  # noqa: S311
    refused = found = harmless = 0
    flips = 60 * scale
    for _ in range(flips):
        bad = bytearray(good)
        bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
        for left in tmp_path.glob("s.db*"):
            left.unlink()
        path.write_bytes(bad)
        try:
            with Store.open(path, read_only=True) as store:
                if faults(store):
                    found += 1
                    continue
                assert synthetic.content(store) == expected
                harmless += 1
        except InfostreamError:
            refused += 1
    record_figures(flips=flips, refused=refused, found_by_verify=found, harmless=harmless, silent=0)
    assert refused + found >= flips / 4
