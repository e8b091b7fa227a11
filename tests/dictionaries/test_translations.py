"""The table of nouns in three languages is well formed."""

from __future__ import annotations

import re

import pytest

from infostream_dedup.language.lexicon.tables import dictionaries_folder

FOREIGN = {
    "ru": re.compile("[іїєґІЇЄҐA-Za-z]"),
    "uk": re.compile("[ыэъёЫЭЪЁA-Za-z]"),
    "en": re.compile("[А-яЁёІіЇїЄєҐґ]"),
}


def _rows(name: str) -> list[list[str]]:
    lines = (dictionaries_folder() / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:] if line and not line.startswith("#")]


def test_every_row_has_its_cells_and_scripts() -> None:
    rows = _rows("translations.tsv")
    assert len(rows) > 4_500
    for row in rows:
        assert len(row) == 5, row
        assert all(cell and cell == cell.strip() for cell in row), row
        assert row[3] in ("noun", "adj"), row
        for language, cell in zip(("ru", "uk", "en"), row[:3], strict=True):
            assert not FOREIGN[language].search(cell), row
            variants = cell.split("|")
            assert all(variants), row
            assert len(set(variants)) == len(variants), row


def test_no_concept_is_there_twice() -> None:
    # A Russian word may have several concepts; with one and the same English word it is one.
    first = [(row[0].split("|")[0], row[2].split("|")[0]) for row in _rows("translations.tsv")]
    assert len(first) == len(set(first))


@pytest.mark.parametrize("name", ["false_friends.tsv", "blocklist.tsv"])
def test_other_tables_have_even_rows(name: str) -> None:
    rows = _rows(name)
    width = {"false_friends.tsv": 4, "blocklist.tsv": 3}[name]
    assert {len(row) for row in rows} == {width}


def test_no_translation_is_blocked() -> None:
    blocked = {row[1] for row in _rows("blocklist.tsv")}
    for row in _rows("translations.tsv"):
        assert not blocked & {variant for cell in row[:3] for variant in cell.split("|")}, row
