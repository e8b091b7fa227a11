"""Word lists of our own: stop words, excluded nouns, repairs, added nouns."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon import word_lists
from infostream_dedup.language.lexicon.tables import dictionaries_folder
from infostream_dedup.language.lexicon.word_lists import excluded, repairs
from infostream_dedup.model import Language


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(word_lists, "dictionaries_folder", lambda: tmp_path)
    excluded.cache_clear()
    repairs.cache_clear()
    yield tmp_path
    excluded.cache_clear()
    repairs.cache_clear()


def test_row_of_a_table_says_why_and_where(folder: Path) -> None:
    (folder / "excluded.tsv").write_text("language\tword\twhy\nuk\tЛютий\tmonth\nru\tмарт\tmonth\n", encoding="utf-8")
    assert [(word, listed.why, listed.place) for word, listed in excluded("uk").items()] == [
        ("лютий", "month", "excluded.tsv:2")
    ]


def test_repair_without_a_lemma_means_no_noun(folder: Path) -> None:
    (folder / "repairs.tsv").write_text("language\tword\tlemma\twhy\nuk\tмати\t\tverb\n", encoding="utf-8")
    assert repairs("uk")["мати"].lemma == ""


@pytest.mark.parametrize(("rows", "message"), [
    ("xx\tслово\tw", r"excluded\.tsv:2: field 'language': 'xx'; expected one of ru, uk, en"),
    ("ru\t\tw", r"excluded\.tsv:2: field 'word': empty"),
    ("ru\tслово\tw\nru\tСлово\tw", r"excluded\.tsv:3: field 'word': 'Слово' is already in excluded\.tsv:2"),
])  # fmt: skip
def test_broken_row_names_file_line_and_field(folder: Path, rows: str, message: str) -> None:
    (folder / "excluded.tsv").write_text(f"language\tword\twhy\n{rows}\n", encoding="utf-8")
    with pytest.raises(BadDataError, match=message):
        excluded("ru")


@pytest.mark.parametrize("language", ["ru", "uk"])
def test_repairs_end_where_they_lead(language: Language) -> None:
    table = repairs(language)
    lemmas = {entry.lemma for entry in table.values()}
    assert not [lemma for lemma in sorted(lemmas) if lemma in table and table[lemma].lemma != lemma]


def test_readme_describes_every_file_and_no_other() -> None:
    folder = dictionaries_folder()
    readme = (folder / "README.md").read_text(encoding="utf-8")
    described = [
        name.strip("` ")
        for line in readme.splitlines()
        if line.startswith("| `")
        for name in line.split("|")[1].split(",")
    ]
    assert sorted(described) == sorted(path.name for path in folder.iterdir() if path.suffix in (".tsv", ".txt"))
