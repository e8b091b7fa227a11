"""What a window of documents holds in memory follows the documents that have not expired."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.machine.arrays import Ragged
from infostream_dedup.stream.window import EvenWindow, Window, without_first


@given(st.integers(0, 9000), st.data())
def test_elements_move_to_the_front(size: int, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, size))
    begin = data.draw(st.integers(0, end))
    assert without_first(np.arange(size).copy(), begin, end)[: end - begin].tolist() == list(range(begin, end))


def test_a_much_too_large_array_is_replaced() -> None:
    assert len(without_first(np.arange(1 << 16), 60_000, 61_000)) == 1 << 12
    assert len(without_first(np.arange(1 << 16), 10_000, 60_000)) == 1 << 16


def test_rows_of_one_length_come_and_go() -> None:
    rows = EvenWindow(np.int32, 2)
    rows.extend(np.array([[1, 2], [3, 4]], dtype=np.int32))
    rows.extend(np.array([5, 6], dtype=np.int32))
    assert (len(rows), rows.values_from(1).tolist()) == (3, [3, 4, 5, 6])
    rows.drop(2)
    assert (rows.values_from(0).tolist(), len(rows)) == ([5, 6], 1)


def test_a_window_holds_few_expired_documents_however_long_the_stream() -> None:
    window, room = Window(), []
    for _ in range(60):
        first = window.end
        ids = [f"d{first + number}" for number in range(1000)]
        row = Ragged(np.arange(1000 + 1, dtype=np.int64) * 2, np.arange(2 * 1000, dtype=np.int64) + 2 * first)
        clocks = np.arange(first, first + 1000, dtype=np.int64)
        window.extend(ids, [(b"", b"")] * 1000, [None] * 1000, clocks, clocks, (row, row, row, row))
        window.expire_before(window.end - 16_000)
        window.tidy()
        held = window.end - window.first
        assert held == len(window.ids) == len(window.groups) == len(window.hashes) == len(window.keys)
        assert held - len(window) <= max(1024, held // 8)
        assert window.ids[window.oldest - window.first] == f"d{window.oldest}"
        assert window.clocks[:held].tolist() == list(range(window.first, window.end))
        assert window.targets.row(held - 1).tolist() == [2 * window.end - 2, 2 * window.end - 1]
        room.append(len(window.targets.rows.values))
    # 16,000 documents, an eighth more that has expired, and a quarter of room.
    assert max(room) <= 2 * 16_000 * 8 // 7 * 5 // 4 + 2000
    assert room[30] == room[-1]
