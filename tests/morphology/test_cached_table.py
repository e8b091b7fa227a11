"""The cache file as a table in memory: the same answers, read once it is worth it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.morphology import form_cache as cached_table
from infostream_dedup.language.morphology.cache_file import UNKNOWN_ROW, CacheFile, FormLines, FormRow
from infostream_dedup.language.morphology.form_cache import NO_TERM, UNKNOWN, CachedTable, FormCache, table_of
from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.language.text.tokens import Shape

SHAPES = len(Shape)
ROWS: dict[str, FormRow] = {
    "0банка": ("банк", 1), "2банка": ("банк", 1), "2шольца": ("шольц", 0), "0идти": (None, 0), "3оон": ("оон", 1),
    "0вжухами": ("вжух", 0),
}  # fmt: skip


def in_lines(rows: dict[str, FormRow]) -> FormLines:
    lines = "".join(f"{key}\0{term}\0{strict}\n" for key, (term, strict) in rows.items())
    return FormLines(lines.encode(), "".join(str(int(term is not None)) for term, _ in rows.values()).encode())


def as_rows(found: FormLines) -> dict[str, FormRow]:
    parts = zip((line.split("\0") for line in found.lines.decode().splitlines()), found.has_term, strict=True)
    return {key: (term if has == ord("1") else None, int(strict)) for (key, term, strict), has in parts}


@pytest.fixture
def file(tmp_path: Path) -> CacheFile:
    file = CacheFile(tmp_path / "forms.sqlite", "one")
    file.remember("ru", ROWS)
    file.remember("uk", {"0банку": ("банк", 1)})
    return file


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table is worth reading for one word in two rows."""
    monkeypatch.setattr(cached_table, "_FEWEST_ASKED", 1)
    monkeypatch.setattr(cached_table, "_ROWS_PER_ASKED", 2)


def test_answers_worked_by_hand() -> None:
    table, forms = table_of(in_lines(ROWS)), SurfaceList.of(["шольца", "оон", "банка", "идти", "щзж"])
    words = np.array([2, SHAPES + 3, 2 * SHAPES, 2 * SHAPES + 1, 3 * SHAPES, 4 * SHAPES], dtype=np.int64)
    for strict, first in ((False, "шольц"), (True, NO_TERM)):
        numbers = table.numbers(forms, words, strict=strict).tolist()
        found = [table.terms[number] if number >= 0 else number for number in numbers]
        assert found == [first, "оон", "банк", UNKNOWN, NO_TERM, UNKNOWN]


def test_every_row_of_one_language_is_read(file: CacheFile) -> None:
    assert as_rows(file.every_row("ru")) == ROWS
    assert as_rows(file.every_row("uk")) == {"0банку": ("банк", 1)}
    assert as_rows(file.every_row("en")) == {}
    assert (file.count("ru"), file.count("en")) == (6, 0)
    assert as_rows(CacheFile(file.path, "another").every_row("ru")) == {}


def test_nothing_is_read_from_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = CacheFile(tmp_path / "forms.sqlite", "one")
    assert (file.count("ru"), as_rows(file.every_row("ru"))) == (0, {})
    assert CachedTable("ru", file).when_asked_for(10**6) is None


@pytest.mark.parametrize("change", ["term = 'банки'", "term = 'б' || char(10) || 'к'", "strict = 7", "checksum = 1"])
def test_a_damaged_row_makes_the_whole_file_be_forgotten(file: CacheFile, change: str) -> None:
    with closing(sqlite3.connect(file.path)) as connection, connection:
        connection.execute(f"UPDATE form SET {change} WHERE key = '0банка'")  # noqa: S608
    assert as_rows(file.every_row("ru")) == {}
    assert not file.path.exists()


shapes = st.integers(0, SHAPES - 1)
rows = st.dictionaries(
    st.builds("{}{}".format, shapes, st.text("абв", min_size=1, max_size=3)),
    st.just((None, 0)) | st.tuples(st.text("абв", min_size=1, max_size=3), st.integers(0, 1)), min_size=1,
)  # fmt: skip


@given(rows, st.lists(st.builds("{}{}".format, shapes, st.text("абв", min_size=1, max_size=3)), unique=True))
def test_any_table_answers_as_its_rows(known: dict[str, FormRow], asked: list[str]) -> None:
    assert table_of(in_lines(known)).rows(asked) == [known.get(key, UNKNOWN_ROW) for key in asked]


def test_the_table_is_read_once_enough_words_were_asked_for(file: CacheFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_table, "_FEWEST_ASKED", 3)
    monkeypatch.setattr(cached_table, "_ROWS_PER_ASKED", 1)
    table = CachedTable("ru", file)
    # Six rows: not worth it for fewer than six words in all.
    assert [table.when_asked_for(words) is not None for words in (2, 2, 1, 0)] == [False, False, False, False]
    assert table.when_asked_for(1) is not None
    assert table.when_asked_for(0) is table.when_asked_for(0)


def test_a_very_large_cache_stays_on_disk(file: CacheFile, cheap: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_table, "_MOST_ROWS", 5)
    assert CachedTable("ru", file).when_asked_for(10**6) is None


@pytest.mark.parametrize("strict", [True, False])
def test_terms_are_the_same_with_a_table(file: CacheFile, cheap: None, strict: bool) -> None:
    keys = ["0банка", "0идти", "0правительства", "0щзжами", "2шольца"]
    cache = FormCache("ru", CacheFile(file.path, "one"))
    assert cache.table(len(keys)) is not None
    found = cache.terms_of_new(keys, strict=strict)
    assert found[:3] == ["банк", None, "правительство"]
    assert found[4] == (None if strict else "шольц")
    assert found == FormCache("ru", CacheFile(file.path, "one")).terms_of_uncommon(keys, strict=strict, kept=True)


def test_what_others_cache_later_is_found_in_the_file(file: CacheFile, cheap: None) -> None:
    cache = FormCache("ru", file)
    assert cache.table(5) is not None
    CacheFile(file.path, "one").remember("ru", {"0щзжами": ("позже", 1)})
    assert cache.terms_of_new(["0щзжами", "3оон"], strict=True) == ["позже", "оон"]
