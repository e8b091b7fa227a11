"""Pairs of equivalents from the cache are those of the tables, whatever has happened to the file."""

import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from infostream_dedup.language.translation import word_pairs as making
from infostream_dedup.language.translation import word_pairs as pair_cache
from infostream_dedup.language.translation.word_pairs import COLUMNS, Equivalent, PairCache, word_pairs

PAIRS = {"снег": (Equivalent("сніг", 1.0), Equivalent("завірюха", 0.95)), "дом": (Equivalent("дім", 0.1 + 0.2),)}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, no pairs in memory, and none that come with the package."""
    monkeypatch.setenv("INFOSTREAM_DEDUP_CACHE", str(tmp_path))
    monkeypatch.setattr(making, "_shipped", lambda *_: None)
    word_pairs.cache_clear()
    pair_cache._file.cache_clear()
    yield tmp_path
    word_pairs.cache_clear()
    pair_cache._file.cache_clear()


@pytest.mark.parametrize(("source", "target"), making.SHIPPED)
def test_pairs_that_come_with_the_package_are_those_of_the_tables(source, target, monkeypatch) -> None:
    made = making._made(source, target)
    monkeypatch.undo()
    monkeypatch.setattr(making, "imported_tables", tuple)
    monkeypatch.setattr(making, "_made", lambda *_: pytest.fail("run tools/make_tables.py terms"))
    assert list(word_pairs(source, target).items()) == list(made.items())


def test_pairs_come_back_in_their_order_and_by_direction() -> None:
    assert PairCache().pairs("ru", "uk") is None
    PairCache().remember("ru", "uk", PAIRS)
    found = PairCache().pairs("ru", "uk")
    assert found == PAIRS
    assert found is not None
    assert list(found) == ["снег", "дом"]
    assert found["снег"][1].confidence == 0.95
    assert PairCache().pairs("uk", "ru") is None


@pytest.mark.parametrize("target", ["uk", "en"])
def test_a_second_process_reads_what_the_first_one_made(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = dict(word_pairs("ru", target))
    word_pairs.cache_clear()
    monkeypatch.setattr(making, "_made", lambda *_: pytest.fail("the tables were read again"))
    kept = word_pairs("ru", target)
    assert list(kept.items()) == list(made.items())
    assert len(kept) > 5_000


def test_a_damaged_file_is_made_again(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = dict(word_pairs("uk", "ru"))
    with sqlite3.connect(folder / "pairs.sqlite") as connection:
        ((packed,),) = connection.execute("SELECT packed FROM pairs").fetchall()
        connection.execute("UPDATE pairs SET packed = ?", (packed[:-20] + b"0" + packed[-19:],))
    connection.close()
    word_pairs.cache_clear()
    pair_cache._file.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert dict(word_pairs("uk", "ru")) == made
    assert "pairs uk-ru do not match their checksum" in caplog.text
    assert PairCache().pairs("uk", "ru") == made


def test_other_tables_have_other_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    word_pairs("ru", "uk")
    word_pairs.cache_clear()
    monkeypatch.setenv("INFOSTREAM_DEDUP_DATA", str(tmp_path))
    (tmp_path / "translations").mkdir()
    table = "\t".join(COLUMNS) + "\nru\tuk\tшмурдяк\tшмурдяка\tnoun\tboth"
    (tmp_path / "translations" / "mine.tsv").write_text(table, encoding="utf-8")
    assert word_pairs("ru", "uk")["шмурдяк"][0].term == "шмурдяка"
