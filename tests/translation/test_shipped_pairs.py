"""Pairs of equivalents that come with the package are those of the tables; imported tables add to them."""

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from infostream_dedup.language.translation import word_pairs as making
from infostream_dedup.language.translation.word_pairs import COLUMNS, word_pairs
from infostream_dedup.model import OUR_LANGUAGES


@pytest.fixture(autouse=True)
def _none_in_memory() -> Iterator[None]:
    word_pairs.cache_clear()
    yield
    word_pairs.cache_clear()


@pytest.mark.parametrize(("source", "target"), [*permutations(OUR_LANGUAGES, 2)])
def test_pairs_that_come_with_the_package_are_those_of_the_tables(source, target, monkeypatch) -> None:
    made = making._made(source, target)
    monkeypatch.setattr(making, "imported_tables", tuple)
    monkeypatch.setattr(making, "_made", lambda *_: pytest.fail("run tools/make_tables.py terms"))
    assert list(word_pairs(source, target).items()) == list(made.items())
    assert len(made) > 5_000


def test_other_tables_have_other_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    word_pairs("ru", "uk")
    word_pairs.cache_clear()
    monkeypatch.setenv("INFOSTREAM_DEDUP_DATA", str(tmp_path))
    (tmp_path / "translations").mkdir()
    table = "\t".join(COLUMNS) + "\nru\tuk\tшмурдяк\tшмурдяка\tnoun\tboth"
    (tmp_path / "translations" / "mine.tsv").write_text(table, encoding="utf-8")
    assert word_pairs("ru", "uk")["шмурдяк"][0].term == "шмурдяка"
