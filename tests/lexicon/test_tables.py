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


def test_wrong_header_names_file_and_line(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match=r"names\.tsv:1: header is 'ru\\ten'; expected the columns ru, uk"):
        read_table(write(tmp_path, "ru\ten\n"), ("ru", "uk"))


def test_empty_file_has_no_header(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="header is ''"):
        read_table(write(tmp_path, ""), ("ru", "uk"))


def test_row_with_another_number_of_cells_names_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match=r"names\.tsv:3: 1 cells; expected 2"):
        read_table(write(tmp_path, "ru\tuk\nа\tб\nв\n"), ("ru", "uk"))


def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="not UTF-8"):
        read_table(write(tmp_path, b"ru\tuk\n\xff\t\n"), ("ru", "uk"))


def test_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoInputError, match=r"stop_xx\.txt: cannot read"):
        read_words(tmp_path / "stop_xx.txt")


def test_words_end_at_a_comment(tmp_path: Path) -> None:
    assert read_words(write(tmp_path, "# list\nи\n в # in\n\n", "stop.txt")) == ["и", "в"]
