"""The hand-written list of organisations: its format, its scripts, and no organisation twice."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

TABLE = Path(__file__).resolve().parents[2] / "dictionaries" / "organisations.tsv"
HEADER = ("ru", "uk", "en", "kind")
LANGUAGES = HEADER[:3]
KINDS = frozenset(
    {
        "armed-group", "army", "bank", "church", "firm", "international", "legal-form", "media", "ngo", "party",
        "science", "sport", "state",
    }
)  # fmt: skip
FOREIGN_LETTERS = {
    "ru": re.compile(r"[іїєґ]", re.IGNORECASE),
    "uk": re.compile(r"[ыэъё]", re.IGNORECASE),
    "en": re.compile(r"[\u0400-\u04ff]"),
}
CYRILLIC = re.compile(r"[\u0400-\u04ff]")
LATIN = re.compile(r"[a-z\u00c0-\u024f]", re.IGNORECASE)
# A hyphen or a stop parts a word whose halves may be of two scripts: "ТНК-BP", "Страна.ua".
PART = re.compile(r"[^\W_]+")
FORBIDDEN_SIGNS = re.compile('["«»“”„‘’ʼ`´\u00ad\u200b-\u200f\u00a0]')


class Row(NamedTuple):
    """A row of the table: the line in the file, the variants of each language, the kind."""

    line: int
    ru: tuple[str, ...]
    uk: tuple[str, ...]
    en: tuple[str, ...]
    kind: str


def _data_lines() -> list[tuple[int, str]]:
    lines = TABLE.read_text(encoding="utf-8").split("\n")
    return [(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    result = []
    for number, line in _data_lines()[1:]:
        cells = line.split("\t")
        assert len(cells) == len(HEADER), f"line {number} has {len(cells)} cells: {line!r}"
        ru, uk, en, kind = cells
        result.append(Row(number, tuple(ru.split("|")), tuple(uk.split("|")), tuple(en.split("|")), kind))
    return result


def _variants(rows: list[Row]) -> list[tuple[Row, str, str]]:
    return [(row, language, variant) for row in rows for language in LANGUAGES for variant in getattr(row, language)]


def test_header_and_file_form() -> None:
    data = TABLE.read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in data
    assert data.endswith(b"\n")
    assert tuple(_data_lines()[0][1].split("\t")) == HEADER


def test_text_is_nfc() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert unicodedata.is_normalized("NFC", text)


def test_there_are_enough_rows_of_every_known_kind(rows: list[Row]) -> None:
    count = Counter(row.kind for row in rows)
    assert set(count) == KINDS
    assert len(rows) >= 600
    assert min(count.values()) >= 20


def test_no_cell_or_variant_is_empty(rows: list[Row]) -> None:
    empty = [(row.line, language) for row, language, variant in _variants(rows) if not variant.strip()]
    assert empty == []


def test_a_variant_has_two_signs_or_more(rows: list[Row]) -> None:
    short = [(row.line, variant) for row, _, variant in _variants(rows) if len(variant) < 2]
    assert short == []


def test_no_stray_spaces(rows: list[Row]) -> None:
    stray = [(row.line, variant) for row, _, variant in _variants(rows) if variant != " ".join(variant.split())]
    assert stray == []


def test_no_quotes_and_only_the_plain_apostrophe(rows: list[Row]) -> None:
    wrong = [(row.line, variant) for row, _, variant in _variants(rows) if FORBIDDEN_SIGNS.search(variant)]
    assert wrong == []


def test_letters_belong_to_the_language(rows: list[Row]) -> None:
    wrong = [
        (row.line, language, variant)
        for row, language, variant in _variants(rows)
        if FOREIGN_LETTERS[language].search(variant)
    ]
    assert wrong == []


def test_no_part_of_a_word_mixes_scripts(rows: list[Row]) -> None:
    wrong = [
        (row.line, variant)
        for row, _, variant in _variants(rows)
        for part in PART.findall(variant)
        if CYRILLIC.search(part) and LATIN.search(part)
    ]
    assert wrong == []


def test_no_variant_is_twice_in_a_cell(rows: list[Row]) -> None:
    twice = [
        (row.line, language, getattr(row, language))
        for row in rows
        for language in LANGUAGES
        if len(set(getattr(row, language))) < len(getattr(row, language))
    ]
    assert twice == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_canonical_name_is_of_one_row_of_its_kind(rows: list[Row], language: str) -> None:
    lines = defaultdict(list)
    for row in rows:
        lines[row.kind, getattr(row, language)[0].casefold()].append(row.line)
    assert {name: found for name, found in lines.items() if len(found) > 1} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_variant_leads_to_one_row_of_its_kind(rows: list[Row], language: str) -> None:
    """A name of two rows of a kind would have two translations."""
    lines = defaultdict(set)
    for row in rows:
        for variant in getattr(row, language):
            lines[row.kind, variant.casefold()].add(row.line)
    assert {name: sorted(found) for name, found in lines.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("ru", "uk", "en"),
    [
        ("ООН", "ООН", "UN"), ("ВОЗ", "ВООЗ", "WHO"), ("ВСУ", "ЗСУ", "AFU"), ("ГБР", "ДБР", "SBI"),
        ("ЦИК", "ЦВК", "CEC"), ("Шахтёр", "Шахтар", "Shakhtar"), ("ИГИЛ", "ІДІЛ", "ISIS"), ("ООО", "ТОВ", "LLC"),
    ],
)  # fmt: skip
def test_well_known_organisations_are_there(rows: list[Row], ru: str, uk: str, en: str) -> None:
    assert (ru, uk, en) in {(row.ru[0], row.uk[0], row.en[0]) for row in rows}
