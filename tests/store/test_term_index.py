"""The index of terms: what it finds, and that nothing damaged is ever believed."""

import sqlite3
from contextlib import closing
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.stream.store import Store, search_index
from infostream_dedup.stream.store.opening import create_tables
from infostream_dedup.stream.store.search_index import TermIndex, index_terms

SAME_HASH = ("plumless", "buckeroo")


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(search_index, "TERMS_IN_BLOCK", 4)


def rows_of(connection):
    return connection.execute("SELECT first, packed, checksum FROM term_index ORDER BY first").fetchall()


def add_terms(connection, terms):
    first = connection.execute("SELECT coalesce(max(number) + 1, 0) FROM term").fetchone()[0]
    connection.executemany("INSERT INTO term (number, term) VALUES (?, ?)", enumerate(terms, start=first))
    index_terms(connection, first + len(terms))


@pytest.fixture
def terms(small_blocks):
    with closing(sqlite3.connect(":memory:")) as connection:
        create_tables(connection)
        yield connection


def test_a_block_by_hand(terms):
    add_terms(terms, ["киев", "kyiv", "мир", "snow", "five"])
    ((first, packed, _),) = rows_of(terms)
    hashes = sorted((crc32(word.encode()), place) for place, word in enumerate(["киев", "kyiv", "мир", "snow"]))
    assert first == 0
    assert packed == b"".join(one.to_bytes(4, "little") for one, _ in hashes) + b"".join(
        place.to_bytes(2, "little") for _, place in hashes
    )
    assert TermIndex().numbers_of(terms, ["snow", "five", "war", "киев"]) == {"киев": 0, "snow": 3, "five": 4}
    assert TermIndex().numbers_of(terms, []) == {}


def test_terms_with_the_same_hash_are_told_apart(terms):
    assert crc32(SAME_HASH[0].encode()) == crc32(SAME_HASH[1].encode())
    add_terms(terms, ["a", SAME_HASH[0], "b", SAME_HASH[1], *"cdefg"])
    assert TermIndex().numbers_of(terms, SAME_HASH) == {SAME_HASH[0]: 1, SAME_HASH[1]: 3}
    with closing(sqlite3.connect(":memory:")) as other:
        create_tables(other)
        add_terms(other, ["a", SAME_HASH[0], "b", "c"])
        assert TermIndex().numbers_of(other, SAME_HASH) == {SAME_HASH[0]: 1}


@given(st.lists(st.lists(st.text("абвя", min_size=1, max_size=3), max_size=9), max_size=6), st.data())
def test_it_answers_like_a_dictionary(batches, data):
    with pytest.MonkeyPatch.context() as patch, closing(sqlite3.connect(":memory:")) as connection:
        patch.setattr(search_index, "TERMS_IN_BLOCK", 4)
        create_tables(connection)
        right, followed = {}, TermIndex()
        for batch in batches:
            new = list(dict.fromkeys(word for word in batch if word not in right))
            right |= {word: len(right) + place for place, word in enumerate(new)}
            add_terms(connection, new)
            asked = data.draw(st.lists(st.text("абвя", min_size=1, max_size=3), max_size=9))
            expected = {word: right[word] for word in asked if word in right}
            # Whether it has followed the store from the beginning, or reads it now.
            assert followed.numbers_of(connection, asked) == expected
            assert TermIndex().numbers_of(connection, asked) == expected
        assert len(rows_of(connection)) == len(right) // 4


def test_batches_index_their_terms(small_blocks, tmp_path, synthetic, faults):
    path = tmp_path / "a.db"
    synthetic.write(path, 20, lambda number: None)
    with Store.open(path) as store:
        words = [row[0] for row in store.connection.execute("SELECT term FROM term ORDER BY number")]
        assert len(words) >= 8
        assert [row[0] for row in rows_of(store.connection)] == list(range(0, len(words) - len(words) % 4, 4))
        right = {word: number for number, word in enumerate(words)}
        assert (TermIndex().numbers_of(store.connection, [*words, "нет"]), faults(store)) == (right, [])


@pytest.mark.parametrize("change", [
    "UPDATE term_index SET packed = zeroblob(24) WHERE first = 4",
    "UPDATE term_index SET packed = x'010203' WHERE first = 4",
    "UPDATE term_index SET checksum = zeroblob(16) WHERE first = 0", "DELETE FROM term_index WHERE first = 0",
    "DELETE FROM term_index", "INSERT INTO term_index VALUES (40000, x'', zeroblob(16))",
    "INSERT INTO term_index VALUES (3, x'', zeroblob(16))",
])  # fmt: skip
def test_damage_is_found_not_believed_and_rebuilt(small_blocks, tmp_path, synthetic, faults, change):
    path = tmp_path / "a.db"
    synthetic.write(path, 20, lambda number: None)
    with Store.open(path) as store:
        before = rows_of(store.connection)
        words = [row[0] for row in store.connection.execute("SELECT term FROM term ORDER BY number")]
        right = {word: number for number, word in enumerate(words)}
        store.connection.execute(change)
        (found,) = faults(store)
        assert found.check == "index"
        assert "'store index' rebuilds it" in found.first
        assert (TermIndex().numbers_of(store.connection, words), store.index()) == (right, (0, 0))
        assert (rows_of(store.connection), faults(store)) == (before, [])


def test_an_index_that_is_behind_catches_up_with_the_next_batch(small_blocks, tmp_path, monkeypatch, synthetic, faults):
    path = tmp_path / "a.db"
    with monkeypatch.context() as older:
        older.setattr("infostream_dedup.stream.store.search_index.index_terms", lambda connection, terms: None)
        synthetic.write(path, 20, lambda number: None)
    with Store.open(path) as store:
        assert rows_of(store.connection) == []
        # A row that is none of the index does not lead the next ones astray.
        store.connection.execute("INSERT INTO term_index VALUES (3, x'', zeroblob(16))")
        store.append(synthetic.batch(20))
        terms = store.position.terms
        store.connection.execute("DELETE FROM term_index WHERE first = 3")
        assert [row[0] for row in rows_of(store.connection)] == list(range(4, terms - terms % 4, 4))
        assert store.index() == (0, 0)
        assert [row[0] for row in rows_of(store.connection)] == list(range(0, terms - terms % 4, 4))
        assert faults(store) == []


def test_an_interrupted_look_up_loses_no_term(terms, monkeypatch):
    add_terms(terms, [f"{number}" for number in range(6)])
    index = TermIndex()
    assert index.numbers_of(terms, ["5"]) == {"5": 5}
    add_terms(terms, [f"{number}" for number in range(6, 17)])
    with monkeypatch.context() as interrupted:
        reads = iter([search_index._read_block])

        def read(*given):
            for one in reads:
                return one(*given)
            raise KeyboardInterrupt

        interrupted.setattr(search_index, "_read_block", read)
        with pytest.raises(KeyboardInterrupt):
            index.numbers_of(terms, ["5"])
    asked = [f"{number}" for number in range(20)]
    assert index.numbers_of(terms, asked) == {f"{number}": number for number in range(17)}


def test_a_term_with_two_numbers_is_found(store, faults):
    store.connection.execute("UPDATE term SET term = (SELECT term FROM term WHERE number = 0) WHERE number = 1")
    assert any(one.check == "numbering" and "several numbers" in one.first for one in faults(store))
