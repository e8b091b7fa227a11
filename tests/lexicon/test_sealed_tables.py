import random
from hashlib import sha256

import pytest

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon import tables
from infostream_dedup.language.lexicon.tables import checked_bytes, read_table, sealed

TABLE = "ru\tuk\nдом\tдім\nмир\tсвіт\n"


def test_a_sealed_table_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_bytes(sealed(TABLE.encode()))
    assert [row.cells["uk"] for row in read_table(path, ("ru", "uk"))] == ["дім", "світ"]
    path.write_text(TABLE, encoding="utf-8")
    assert checked_bytes(path) == TABLE.encode()


def test_no_flipped_bit_changes_a_row(tmp_path):
    path, draw = tmp_path / "t.tsv", random.Random(1)  # noqa: S311
    good = sealed(TABLE.encode())
    refused = 0
    for _ in range(200):
        bad = bytearray(good)
        bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
        path.write_bytes(bad)
        try:
            rows = read_table(path, ("ru", "uk"))
        except BadDataError:
            refused += 1
        else:
            assert [row.cells["uk"] for row in rows] == ["дім", "світ"]
    assert refused >= 150


def test_a_dictionary_of_the_wheel_must_be_what_was_installed(tmp_path, monkeypatch):
    folder = tmp_path / "_dictionaries"
    folder.mkdir()
    path = folder / "t.tsv"
    path.write_text(TABLE, encoding="utf-8")
    monkeypatch.setattr(tables, "_recorded", lambda: {"t.tsv": sha256(TABLE.encode()).digest()})
    assert len(read_table(path, ("ru", "uk"))) == 2
    path.write_text(TABLE.replace("дім", "дім "), encoding="utf-8")
    with pytest.raises(BadDataError, match="install infostream-dedup again"):
        read_table(path, ("ru", "uk"))
