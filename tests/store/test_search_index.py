"""The index of closed epochs: what it says, and that nothing else is ever believed."""

import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import BadDataError
from infostream_dedup.machine.arrays import INT32
from infostream_dedup.stream.store import Store, search_index
from infostream_dedup.stream.store.search_index import IndexPart, TermDocuments


def blob(*terms):
    return np.array(terms, dtype=INT32).tobytes()


def test_a_part_by_hand():
    part = IndexPart.of_documents(
        7,
        [("ru", "agency", blob(5), blob(3, 5, 9)), ("uk", None, None, None), ("en", "agency", blob(9, 3), blob(3, 9))],
    )
    assert (part.first, part.end, len(part)) == (7, 10, 3)
    assert (part.languages.tolist(), part.sizes.tolist()) == ([0, search_index.GONE, 2], [1, 0, 2])
    assert (part.names, part.sources.tolist()) == (["agency"], [0, -1, 0])
    places, documents = part.targets.of_terms(np.array([9, 4, -1, 3]))
    assert list(zip(places.tolist(), documents.tolist(), strict=True)) == [(0, 0), (0, 2), (3, 0), (3, 2)]
    assert [one.tolist() for one in part.keys.of_terms(np.array([3, 5]))] == [[0, 1], [2, 0]]
    assert IndexPart.unpacked(7, part.packed()).packed() == part.packed()


def test_a_part_holds_what_two_bytes_can_number():
    with pytest.raises(ValueError, match="65537 documents"):
        IndexPart.of_documents(0, [("ru", None, b"", b"")] * 65_537)


@given(
    st.lists(st.one_of(st.none(), st.sets(st.integers(0, 40), max_size=9)), max_size=20),
    st.lists(st.integers(-2, 45), max_size=9),
)
def test_terms_find_their_documents(rows, asked):
    lists = TermDocuments.of([None if row is None else blob(*sorted(row)) for row in rows])
    places, documents = lists.of_terms(np.array(asked, dtype=np.int64))
    right = [(place, at) for place, term in enumerate(asked) for at, row in enumerate(rows) if row and term in row]
    assert list(zip(places.tolist(), documents.tolist(), strict=True)) == right


def test_epochs_are_indexed_as_they_close(sound):
    rows = search_index.index_rows(sound.connection)
    assert sound.connection.execute("SELECT count(*) FROM epoch_frequency").fetchone()[0]
    assert (rows[0].first, [row.end for row in rows[:-1]]) == (0, [row.first for row in rows[1:]])
    assert rows[-1].end == search_index.indexed_until(sound.connection)
    open_epoch = sound.connection.execute("SELECT epoch FROM document WHERE ordinal = ?", (rows[-1].end,))
    assert open_epoch.fetchone()[0] == sound.connection.execute("SELECT max(epoch) FROM document").fetchone()[0]
    for row in rows:
        assert (
            search_index.read_part(sound.connection, row).packed()
            == search_index.part_of(sound.connection, row.first, row.end).packed()
        )


def test_lost_rows_are_added_again(sound):
    rows = search_index.index_rows(sound.connection)
    assert len(rows) > 1
    sound.connection.execute("DELETE FROM search_index")
    assert sound.index() == (sum(row.documents for row in rows), 0)
    assert (search_index.index_rows(sound.connection), sound.index()) == (rows, (0, 0))


def test_what_was_forgotten_is_not_in_the_index(sound):
    before = search_index.index_rows(sound.connection)
    sound.forget("документ-3")
    after = search_index.index_rows(sound.connection)
    changed = [row for row, now in zip(before, after, strict=True) if row != now]
    assert [row.first <= 3 < row.end for row in changed] == [True]
    part = search_index.read_part(sound.connection, after[before.index(changed[0])])
    assert part.languages[3 - part.first] == search_index.GONE
    assert not (part.targets.documents == 3 - part.first).any()
    assert not (part.keys.documents == 3 - part.first).any()


def test_what_expired_is_not_in_the_index(store, faults):
    below = store.expire().below
    assert below
    for row in search_index.index_rows(store.connection):
        part = search_index.read_part(store.connection, row)
        assert row.end > below
        assert (part.languages[: max(below - row.first, 0)] == search_index.GONE).all()
    assert (faults(store), store.index()) == ([], (0, 0))


@pytest.mark.parametrize("change", ["packed = zeroblob(length(packed))", "checksum = zeroblob(16)", "documents = 1"])
def test_damage_is_found_and_rebuilt(store, faults, change):
    rows = search_index.index_rows(store.connection)
    store.connection.execute(f"UPDATE search_index SET {change} WHERE first = 0")  # noqa: S608
    assert search_index.read_part(store.connection, search_index.index_rows(store.connection)[0]) is None
    (found,) = [one for one in faults(store) if one.check == "index"]
    assert found.faults >= 1
    assert "'store index' rebuilds it" in found.first
    if "documents" not in change:
        assert (store.index(), search_index.index_rows(store.connection)) == ((0, rows[0].documents), rows)
        assert faults(store) == []


@pytest.mark.parametrize("change", ["language = '2u'", "keys = x'010203'"])
def test_a_signature_that_was_never_written_is_refused(store, faults, change):
    store.connection.execute("PRAGMA ignore_check_constraints = 1")
    table = "signature" if "keys" in change else "document"
    store.connection.execute(f"UPDATE {table} SET {change} WHERE ordinal = 1")  # noqa: S608
    assert any(one.check == "index" and "cannot be read" in one.first for one in faults(store))
    with pytest.raises(BadDataError, match="numbered 0 to 9 cannot be read"):
        search_index.part_of(store.connection, 0, 10)


def test_a_row_that_says_something_else_is_found(store, faults):
    """A whole row with a right checksum, but not of these signatures."""
    store.connection.execute("UPDATE signature SET targets = zeroblob(4) WHERE ordinal = 1")
    assert any(one.check == "index" and "differs from the signatures" in one.first for one in faults(store))


def test_a_process_killed_while_it_indexes_leaves_the_store_whole(filled, faults):
    with Store.open(filled) as store:
        rows = search_index.index_rows(store.connection)
        store.connection.execute("DELETE FROM search_index")
    script = (
        "import os, signal, sys\n"
        "from infostream_dedup.stream.store import Store, search_index\n"
        "written = search_index._write\n"
        "def write(*given):\n"
        "    written(*given)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "search_index._write = write\n"
        "Store.open(sys.argv[1]).index()\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(filled)], check=False).returncode == -9
    with Store.open(filled) as store:
        assert (search_index.index_rows(store.connection), faults(store)) == ([], [])
        assert (store.index(), search_index.index_rows(store.connection)) == ((rows[-1].end, 0), rows)


def test_the_table_refuses_nonsense(store):
    for values in [(-1, 1, b"", bytes(16)), (900, 0, b"", bytes(16)), (900, 1, b"", b"short")]:
        with pytest.raises(sqlite3.IntegrityError):
            store.connection.execute("INSERT INTO search_index VALUES (?, ?, ?, ?)", values)
