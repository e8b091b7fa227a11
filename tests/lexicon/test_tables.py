"""Tables and lists as files: what is read, and what a broken one is told."""

import random
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.language.lexicon import tables
from infostream_dedup.language.lexicon.tables import checked_bytes, dictionaries_folder, read_table, read_words, sealed


def written(folder: Path, text: str | bytes, name: str = "names.tsv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_rows_know_their_line_and_comments_are_skipped(tmp_path: Path) -> None:
    path = written(tmp_path, "# about\nru\tuk\n\n# Europe\nКиев\t Київ \nМинск\t\n")
    rows = read_table(path, ("ru", "uk"))
    assert [(row.line, row.cells) for row in rows] == [
        (5, {"ru": "Киев", "uk": "Київ"}),
        (6, {"ru": "Минск", "uk": ""}),
    ]


def test_windows_line_ends_and_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    path = written(tmp_path, b"\xef\xbb\xbfru\tuk\r\n\xd0\x9c\t\xd0\x9c\r\n")
    assert [row.cells for row in read_table(path, ("ru", "uk"))] == [{"ru": "М", "uk": "М"}]


@pytest.mark.parametrize(("content", "message"), [
    ("ru\ten\n", r"names\.tsv:1: header is 'ru\\ten'; expected the columns ru, uk"), ("", "header is ''"),
    ("ru\tuk\nа\tб\nв\n", r"names\.tsv:3: 1 cells; expected 2"), (b"ru\tuk\n\xff\t\n", "not UTF-8"),
])  # fmt: skip
def test_a_table_that_cannot_be_read_names_file_and_line(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(BadDataError, match=message):
        read_table(written(tmp_path, content), ("ru", "uk"))


def test_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoInputError, match=r"stop_xx\.txt: cannot read"):
        read_words(tmp_path / "stop_xx.txt")


def test_words_end_at_a_comment(tmp_path: Path) -> None:
    assert read_words(written(tmp_path, "# list\nи\n в # in\n\n", "stop.txt")) == ["и", "в"]


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


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installation of its own: the folder of the package."""
    package = tmp_path / "infostream_dedup"
    monkeypatch.setattr(tables, "__file__", str(package / "language" / "lexicon" / "folder.py"))
    dictionaries_folder.cache_clear()
    yield package
    dictionaries_folder.cache_clear()


def make(path: Path) -> Path:
    path.mkdir(parents=True)
    (path / "README.md").write_text("", encoding="utf-8")
    return path


def test_checkout_has_them_beside_the_package(package: Path) -> None:
    expected = make(package.parent / "dictionaries")
    assert dictionaries_folder() == expected


def test_wheel_has_them_inside(package: Path) -> None:
    make(package.parent / "dictionaries")
    expected = make(package / "_dictionaries")
    assert dictionaries_folder() == expected


def test_broken_installation_says_where_it_looked(package: Path) -> None:
    with pytest.raises(NoInputError, match=r"dictionaries of infostream-dedup are missing; looked in .*_dictionaries"):
        dictionaries_folder()
