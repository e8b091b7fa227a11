"""Our name tables and the personal names of names-translator."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon import word_lists
from infostream_dedup.language.lexicon.word_lists import NAME_TABLES, NameKind, name_rows, names, personal_names


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A dictionaries folder of its own, with empty name tables."""
    for table in NAME_TABLES:
        (tmp_path / table).write_text("ru\tuk\ten\tkind\n", encoding="utf-8")
    monkeypatch.setattr(word_lists, "dictionaries_folder", lambda: tmp_path)
    names.cache_clear()
    name_rows.cache_clear()
    yield tmp_path
    names.cache_clear()
    name_rows.cache_clear()


def test_one_word_variants_are_names_and_longer_ones_are_not(folder: Path) -> None:
    (folder / "organisations.tsv").write_text(
        "ru\tuk\ten\tkind\nООН|Организация Объединённых Наций\tООН\tUN|United Nations\tinternational\n",
        encoding="utf-8",
    )
    assert {key: (name.kinds, name.place) for key, name in names("ru").items()} == {
        "оон": (NameKind.ORGANISATION | NameKind.ABBREVIATION, "organisations.tsv:2")
    }
    assert list(names("en")) == ["un"]


def test_word_of_two_tables_is_both(folder: Path) -> None:
    (folder / "surnames.tsv").write_text("ru\tuk\ten\tkind\nВашингтон\tВашингтон\tWashington\tp\n", encoding="utf-8")
    (folder / "places.tsv").write_text("ru\tuk\ten\tkind\nВашингтон\tВашингтон\tWashington\tcity\n", encoding="utf-8")
    assert names("ru")["вашингтон"].kinds == NameKind.SURNAME | NameKind.PLACE


def test_keys_fold_yo_and_apostrophes(folder: Path) -> None:
    (folder / "places.tsv").write_text("ru\tuk\ten\tkind\nОрёл\tКам'янське\t\tcity\n", encoding="utf-8")
    assert (list(names("ru")), list(names("uk"))) == (["орел"], ["камʼянське"])


@pytest.mark.parametrize(("row", "message"), [
    ("Киев\tКиїв||Кий\tKyiv\tcity", r"places\.tsv:2: field 'uk': .* contains an empty variant"),
    ("\t\t\tcity", r"places\.tsv:2: .*no name in any language"),
])  # fmt: skip
def test_a_broken_row_names_file_line_and_field(folder: Path, row: str, message: str) -> None:
    (folder / "places.tsv").write_text(f"ru\tuk\ten\tkind\n{row}\n", encoding="utf-8")
    with pytest.raises(BadDataError, match=message):
        names("uk")


def test_personal_names_of_both_languages() -> None:
    assert {"порошенко", "дмитро"} <= personal_names("uk")
    assert {"порошенко", "дмитрий"} <= personal_names("ru")
    assert personal_names("en") == frozenset()
