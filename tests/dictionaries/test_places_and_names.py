"""The hand-written dictionaries of places, surnames and first names keep their form."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

DICTIONARIES = Path(__file__).resolve().parents[2] / "dictionaries"
HEADER = "ru\tuk\ten\tkind"
KINDS = {
    "places": {
        "capital", "city", "continent", "country", "district", "island", "lake", "mountain", "region", "river", "sea",
        "village",
    },
    "surnames": {"business", "culture", "media", "military", "politician", "religion", "science", "sport"},
    "first_names": {"female", "male"},
}  # fmt: skip
MIN_ROWS = {"places": 1200, "surnames": 1200, "first_names": 600}
MIN_ROWS_OF_KIND = {
    "places": {"capital": 110, "city": 500, "country": 185, "region": 180, "river": 30, "island": 30},
    "surnames": {"politician": 600, "business": 80, "sport": 150, "culture": 150, "military": 40, "media": 30},
    "first_names": {"female": 200, "male": 350},
}
# A part is a name ("Гарсия"), a particle ("де"), "the" or an abbreviation with full stops ("U.S.").
LETTERS = {
    "ru": re.compile(r"[А-Яа-яЁё' .-]+"),
    "uk": re.compile(r"[А-ЩЬЮЯЄІЇҐа-щьюяєіїґ' .-]+"),
    "en": re.compile(r"[A-Za-zÀ-ÖØ-öø-ɏ' .-]+"),
}
LANGUAGES = tuple(LETTERS)


class Row(NamedTuple):
    """One line of a dictionary: variants per language, the canonical form first."""

    line: int
    names: dict[str, list[str]]
    kind: str


@cache
def lines(name: str) -> tuple[str, ...]:
    return tuple((DICTIONARIES / f"{name}.tsv").read_bytes().decode("utf-8").split("\n"))


@cache
def rows(name: str) -> tuple[Row, ...]:
    found = []
    for number, line in enumerate(lines(name)[1:], start=2):
        if line and not line.startswith("#"):
            *cells, kind = line.split("\t")
            assert len(cells) == len(LANGUAGES), f"{name}.tsv:{number}: {line!r}"
            names = {language: cell.split("|") for language, cell in zip(LANGUAGES, cells, strict=True)}
            found.append(Row(number, names, kind))
    return tuple(found)


every_dictionary = pytest.mark.parametrize("name", sorted(KINDS))
every_language = pytest.mark.parametrize("language", LANGUAGES)


def one_row_with(name: str, language: str, variant: str) -> Row:
    (row,) = [row for row in rows(name) if variant in row.names[language]]
    return row


@every_dictionary
def test_file_is_plain_tab_separated_text(name: str) -> None:
    text = "\n".join(lines(name))
    assert lines(name)[0] == HEADER
    assert lines(name)[-1] == "", "the last line ends with a line break"
    assert "" not in lines(name)[:-1], "no empty lines"
    assert "\r" not in text
    assert "\ufeff" not in text
    assert unicodedata.is_normalized("NFC", text)


@every_dictionary
def test_kinds_are_known_and_all_in_use(name: str) -> None:
    assert {row.kind for row in rows(name)} == KINDS[name]


@every_dictionary
def test_there_are_enough_rows(name: str) -> None:
    assert len(rows(name)) >= MIN_ROWS[name]
    for kind, least in MIN_ROWS_OF_KIND[name].items():
        assert sum(row.kind == kind for row in rows(name)) >= least, kind


@every_dictionary
def test_no_cell_is_empty_and_no_space_is_stray(name: str) -> None:
    for row in rows(name):
        for variant in chain.from_iterable(row.names.values()):
            assert variant, f"{name}.tsv:{row.line}: an empty cell or variant"
            assert variant == " ".join(variant.split()), f"{name}.tsv:{row.line}: {variant!r}"


@every_dictionary
@every_language
def test_script_is_the_one_of_the_language(name: str, language: str) -> None:
    for row in rows(name):
        for variant in row.names[language]:
            assert LETTERS[language].fullmatch(variant), f"{name}.tsv:{row.line}: {variant!r} in {language}"


@every_dictionary
@every_language
def test_canonical_form_is_written_as_a_name(name: str, language: str) -> None:
    for row in rows(name):
        canonical = row.names[language][0]
        assert canonical[0].isupper(), f"{name}.tsv:{row.line}: {canonical!r}"


@every_dictionary
@every_language
def test_a_variant_belongs_to_one_row_only(name: str, language: str) -> None:
    first_line: dict[str, int] = {}
    for row in rows(name):
        for variant in row.names[language]:
            seen = first_line.setdefault(variant.casefold(), row.line)
            assert seen == row.line, f"{name}.tsv:{row.line}: {variant!r} stands in line {seen} too"
        assert len(set(row.names[language])) == len(row.names[language]), f"{name}.tsv:{row.line}: repeats itself"


def test_well_known_names_meet_in_one_row() -> None:
    for name, ru, uk, en, kind in [
        ("places", "Киев", "Київ", "Kyiv", "capital"),
        ("places", "Харьковщина", "Харківщина", "Kharkiv region", "region"),
        ("places", "Бахмут", "Бахмут", "Bakhmut", "city"),
        ("places", "Гагаузия", "Гагаузія", "Gagauzia", "region"),
        ("places", "Германия", "Німеччина", "Germany", "country"),
        ("surnames", "Зеленский", "Зеленський", "Zelenskyy", "politician"),
        ("surnames", "Горбачёв", "Горбачов", "Gorbachev", "politician"),
        ("surnames", "Залужный", "Залужний", "Zaluzhnyi", "military"),
        ("surnames", "Ахметов", "Ахметов", "Akhmetov", "business"),
        ("surnames", "Усик", "Усик", "Usyk", "sport"),
        ("first_names", "Владимир", "Володимир", "Volodymyr", "male"),
        ("first_names", "Елена", "Олена", "Olena", "female"),
        ("first_names", "Эммануэль", "Емманюель", "Emmanuel", "male"),
    ]:
        row = one_row_with(name, "ru", ru)
        assert (row.names["ru"][0], row.names["uk"][0], row.names["en"][0], row.kind) == (ru, uk, en, kind)


@pytest.mark.parametrize(
    ("name", "ru", "variants"),
    [
        ("places", "Киев", {"Kyiv", "Kiev"}),
        ("places", "Днепр", {"Dnipro", "Dnipropetrovsk"}),
        ("surnames", "Эрдоган", {"Erdogan", "Erdoğan"}),
        ("surnames", "Тимошенко", {"Tymoshenko", "Timoshenko"}),
        ("first_names", "Александр", {"Oleksandr", "Alexander", "Aleksandr"}),
    ],
)
def test_usual_spellings_of_the_press_are_together(name: str, ru: str, variants: set[str]) -> None:
    assert variants <= set(one_row_with(name, "ru", ru).names["en"])
