"""CSV read in columns gives the documents, errors and counts of CSV read row by row."""

import csv
import gzip
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.documents import Reading, ReadingReport, block_reading, read_documents
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.model import DocumentBlock

from .test_block_reading import agreed

CELLS = ["1", "2", "слово", "", " ", "a b", "'=1", "'x", "ru", "de", "2024-05-01", "not a date", "🙂", "é"]
QUOTED = [*CELLS, 'сказал "да"', "a,b", "две\nстроки", "\r\n", '"', ";", "\t"]
PIECES = ['"', ",", ";", "\n", "\r\n", "\r", "a", "1", "ё", "'", " ", '""', "\0", "x,y\n"]
OPTIONS = [
    {}, {"on_error": "skip"}, {"on_error": "skip", "max_errors": 2}, {"on_error": "skip", "max_line_bytes": 40},
    {"on_error": "skip", "other_languages": "fail"},
    {"on_error": "skip", "make_ids": True}, {"on_error": "skip", "columns": "text=topic"},
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("csv")


def cell(draw, delimiter):
    text = draw(st.sampled_from(QUOTED))
    if draw(st.booleans()) or any(one in text for one in ('"', "\n", "\r", delimiter)):
        return '"' + text.replace('"', '""') + '"'
    return text


@st.composite
def tables(draw):
    delimiter = draw(st.sampled_from(",;\t|"))
    names = ["id", "text", *draw(st.lists(st.sampled_from(["title", "lang", "published", "topic"]), unique=True))]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    declared = [f"sep={delimiter}"] if delimiter == "|" or draw(st.booleans()) else []
    rows = [*declared, delimiter.join(names)]
    for number in range(draw(st.integers(0, 12))):
        cells = [cell(draw, delimiter) for _ in names]
        cells[0] = str(draw(st.integers(0, 9)) if draw(st.integers(0, 5)) == 0 else 100 + number)
        if draw(st.integers(0, 15)) == 0:
            cells = cells[:-1] if draw(st.booleans()) else [*cells, "more"]
        rows.append(delimiter.join(cells))
    data = (end.join(rows) + draw(st.sampled_from(["", end, end + end]))).encode()
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.sampled_from([*(one.encode() for one in PIECES), b"\xff"])) + data[at:]
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + data


@given(tables(), st.sampled_from(OPTIONS), st.integers(1, 9))
@example(b'id,text\n1,"a\nb"\n1,c\n2,"d"e\n3,f\n', {"on_error": "skip"}, 2)
@example(b"id,text\n1,a\n2\n3,c\n\n4,d\n", {"on_error": "skip"}, 9)
def test_columns_are_what_single_rows_are(folder, data, options, size):
    path = folder / "odd.csv"
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_reading, "TOGETHER", size)
        agreed(path, folder, **options)


@given(st.lists(st.sampled_from(PIECES), max_size=25), st.integers(1, 4))
def test_any_bytes(folder, pieces, size):
    path = folder / "any.csv"
    path.write_bytes(("id,text\n" + "".join(pieces)).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_reading, "TOGETHER", size)
        agreed(path, folder, on_error="skip")


def test_plain_news_is_read_in_columns(tmp_path):
    path, stream = tmp_path / "news.csv", io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["id", "title", "text", "lang", "published", "source"])
    for number in range(60):
        text = f'Мэр сказал: "открыт мост {number}",\nи ушёл'
        writer.writerow([f"n{number}", "", text, "ru", "2024-05-01T10:00:00+03:00", "a.md"])
    path.write_text(stream.getvalue(), encoding="utf-8", newline="")
    blocks = list(read_document_blocks(path, reading=Reading(), report=ReadingReport()))
    assert [type(one) for one in blocks] == [DocumentBlock]
    documents = list(read_documents(path))
    assert list(blocks[0]) == documents
    assert documents[7].text == 'Мэр сказал: "открыт мост 7",\nи ушёл'


@pytest.mark.parametrize(("first", "delimiter"), [
    ("sep=;", ";"), ("SEP=,", ","), ('"sep=;"', ";"), ("sep=\t", "\t"), ("sep=|", "|"), ("sep=;", ","),
])  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_line_with_which_excel_declares_the_delimiter(tmp_path, first, delimiter, encoding):
    path = tmp_path / "excel.csv"
    lines = [first, *(delimiter.join(cells) for cells in (("id", "text"), ("a", "Снег выпал"), ("a", "Дождь")))]
    path.write_bytes("\r\n".join(lines).encode(encoding))
    documents, _, _, error, report, *_, set_aside = agreed(path, tmp_path, on_error="skip")
    assert [(one.id, one.text) for one in documents] == [("a", "Снег выпал")]
    assert (error, report.quarantined_by_code) == (None, {"E_ID_CONFLICT": 1})
    assert b'"line":4' in set_aside


def test_only_the_declaration_is_an_empty_file(tmp_path):
    (tmp_path / "excel.csv").write_text("sep=;\n", encoding="utf-8")
    assert "the file is empty" in agreed(tmp_path / "excel.csv", tmp_path)[3][1]


def test_the_place_of_a_repeated_id(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text('id,text\na,"one\ntwo\nthree"\nb,four\na,five\n', encoding="utf-8")
    assert agreed(path, tmp_path)[3][2]["line"] == 6


def test_rows_after_a_stray_quote_are_read(tmp_path):
    path = tmp_path / "stray.csv"
    rows = [f"{number},text {number}" for number in range(40)]
    rows[20] = '20,5" disk'
    path.write_text("id,text\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = list(read_document_blocks(path, reading=Reading(), report=ReadingReport()))
    assert [len(one.ids) for one in found] == [40]
    agreed(path, tmp_path)


def test_a_broken_archive_gives_what_came_before_the_break(tmp_path, monkeypatch):
    monkeypatch.setattr(block_reading, "TOGETHER", 500)
    table = "id,text\n" + "".join(f'{number},"слово {number * 7919 % 1000}\n{number}"\n' for number in range(3000))
    whole = gzip.compress(table.encode())
    path = tmp_path / "cut.csv.gz"
    for size in (len(whole) // 2, len(whole) - 9, 40):
        path.write_bytes(whole[:size])
        agreed(path, tmp_path, on_error="skip")
