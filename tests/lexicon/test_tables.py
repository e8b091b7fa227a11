"""Tables and lists as files: what is read, and what a broken one is told."""

from pathlib import Path

import pytest

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.language.lexicon.tables import read_table, read_words


def write(folder: Path, text: str | bytes, name: str = "names.tsv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_rows_know_their_line_and_comments_are_skipped(tmp_path: Path) -> None:
    path = write(tmp_path, "# about\nru\tuk\n\n# Europe\nКиев\t Київ \nМинск\t\n")
    rows = read_table(path, ("ru", "uk"))
    assert [(row.line, row.cells) for row in rows] == [
        (5, {"ru": "Киев", "uk": "Київ"}),
        (6, {"ru": "Минск", "uk": ""}),
    ]


def test_windows_line_ends_and_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    path = write(tmp_path, b"\xef\xbb\xbfru\tuk\r\n\xd0\x9c\t\xd0\x9c\r\n")
    assert [row.cells for row in read_table(path, ("ru", "uk"))] == [{"ru": "М", "uk": "М"}]


@pytest.mark.parametrize(("content", "message"), [
    ("ru\ten\n", r"names\.tsv:1: header is 'ru\\ten'; expected the columns ru, uk"), ("", "header is ''"),
    ("ru\tuk\nа\tб\nв\n", r"names\.tsv:3: 1 cells; expected 2"), (b"ru\tuk\n\xff\t\n", "not UTF-8"),
])  # fmt: skip
def test_a_table_that_cannot_be_read_names_file_and_line(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(BadDataError, match=message):
        read_table(write(tmp_path, content), ("ru", "uk"))


def test_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoInputError, match=r"stop_xx\.txt: cannot read"):
        read_words(tmp_path / "stop_xx.txt")


def test_words_end_at_a_comment(tmp_path: Path) -> None:
    assert read_words(write(tmp_path, "# list\nи\n в # in\n\n", "stop.txt")) == ["и", "в"]
