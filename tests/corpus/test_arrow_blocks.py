"""Rows of tables read in columns are those read one by one, and so are errors, counts and what is set aside."""

from datetime import UTC, date, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.documents import Reading, ReadingReport, read_documents, reading, table_files
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.model import DocumentBlock, KeptDocuments, fields_of, without_text
from tests.corpus.test_block_reading import GERMAN, OPTIONS, agreed, assert_batches_are_single

TEXTS = [
    *(GERMAN, "Мэр открыл мост", "Зима. Снег\nидёт\tи идёт\r", "", None, "🙂 — «текст» \ue000\ud7ff", "a" * 200),
    *("Мэр", "д" * 63 + "\n" + "ы" * 40, "\x7f", "a\x85b", "\x00", "x" * 61 + "€" * 30),
]
IDS = st.one_of(st.none(), st.text(st.sampled_from("abcё1-\x01"), max_size=2), st.sampled_from(["i" * 600, "д" * 300]))
DAYS = ["2024-05-01", "2024-05-01T10:00:30.5+03:00", "2024-05-01T10:00", "21.11.2023 10:05", "2024-02-30", " ", None]
MOMENTS = [None, datetime(2024, 5, 1, 10, 30, 0, 5), datetime(1900, 1, 1), datetime(9999, 12, 31, 23, 59)]
DATES = {
    "string": (pa.string(), DAYS), "large": (pa.large_string(), DAYS),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), DAYS),
    "number": (pa.int64(), [None, 2024, 202405, 1714557600, 10**17]),
    "float": (pa.float64(), [None, 2024.0, 1.5, float("nan")]), "date": (pa.date32(), [None, date(2024, 5, 1)]),
    "local": (pa.timestamp("s"), [None, *(one.replace(microsecond=0) for one in MOMENTS[1:])]),
    "zoned": (pa.timestamp("us", "Europe/Kyiv"), [None, *(one.replace(tzinfo=UTC) for one in MOMENTS[1:3])]),
    "fine": (pa.timestamp("ns"), [None, datetime(2024, 5, 1, 10, 30, 0, 5)]), "null": (pa.null(), [None]),
}  # fmt: skip
OTHER = {
    "topic": (pa.string(), [None, "", "x", "\x00"]),
    "images": (pa.list_(pa.string()), [None, [], ["http://a.b/c.jpg"]]), "size": (pa.int64(), [None, 7]),
    "seen": (pa.timestamp("us"), [None, datetime(2024, 5, 1)]),
}  # fmt: skip


@st.composite
def tables(draw):
    """A table with odd values in columns of the types that tables have."""
    rows = draw(st.integers(0, 9))

    def column(values):
        return draw(st.lists(values, min_size=rows, max_size=rows))

    text = draw(st.sampled_from([pa.string(), pa.large_string()]))
    made = {
        "id": pa.array(column(IDS), draw(st.sampled_from([pa.string(), pa.large_string()]))),
        "text": pa.array(column(st.sampled_from(TEXTS)), text),
    }
    if draw(st.booleans()):
        made["title"] = pa.array(column(st.sampled_from(TEXTS)), text)
    if draw(st.booleans()):
        made["lang"] = pa.array(column(st.sampled_from(["ru", "uk", "en", "", None, "uk-UA", "de", "x!"])))
    if draw(st.booleans()):
        made["source"] = pa.array(column(st.sampled_from(["a.md", "b.ua", None, ""])))
    if draw(st.booleans()):
        made["url"] = pa.array(column(st.sampled_from(["http://a.md/1", None, "\x1f"])))
    if draw(st.booleans()):
        kind, values = DATES[draw(st.sampled_from(sorted(DATES)))]
        made["published"] = pa.array(column(st.sampled_from(values)), kind)
    for name in draw(st.sets(st.sampled_from(sorted(OTHER)), max_size=2)):
        kind, values = OTHER[name]
        made[name] = pa.array(column(st.sampled_from(values)), kind)
    return pa.table({name: made[name] for name in draw(st.permutations(list(made)))})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@given(tables(), st.sampled_from(OPTIONS), st.integers(1, 9), st.booleans())
@example(pa.table({"id": ["1", "1", "1"], "text": ["a", "a", "b"]}), {"on_error": "skip"}, 9, False)
def test_columns_are_what_single_rows_are(folder, table, options, size, in_file):
    source = table
    if in_file:
        source = folder / "odd.parquet"
        pq.write_table(table, source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_files, "BATCH_ROWS", size)
        patch.setattr(reading, "BATCH_ROWS", size)
        agreed(source, folder, **options)
        assert_batches_are_single(source, folder, **options)


def news(rows):
    return pa.table(
        {
            "id": [f"n{number}" for number in range(rows)], "topic": ["мэр"] * rows, "title": ["Мэр"] * rows,
            "text": ["Мэр открыл мост" if number % 3 else "Открыт мост" for number in range(rows)],
            "lang": ["ru"] * rows, "source": pa.array(["a.md"] * rows),
            "published": pa.array([datetime(2024, 5, 1, 7)] * rows, pa.timestamp("us", "UTC")),
            "url": [None if number % 2 else "http://a.md/1" for number in range(rows)],
        }
    )  # fmt: skip


def test_plain_rows_are_read_read_document_blocks():
    table = news(50)
    blocks = list(read_document_blocks(table, reading=Reading(), report=ReadingReport()))
    assert [type(one) for one in blocks] == [DocumentBlock]
    documents = list(read_documents(table))
    assert list(blocks[0]) == documents
    kept = KeptDocuments()
    kept.extend(blocks[0])
    assert list(kept) == list(map(without_text, documents))
    assert fields_of(kept) == fields_of(documents)


def test_rows_of_a_slice(folder):
    table = news(20).slice(7, 5)
    assert [one.id for one in next(read_document_blocks(table, reading=Reading(), report=ReadingReport()))] == [
        "n7", "n8", "n9", "n10", "n11",
    ]  # fmt: skip


def test_bytes_that_are_not_utf8_are_refused_by_the_row(folder):
    """Arrow does not look at strings that it is given as bytes: the row is named, as for single rows."""
    data = [b"\xd0\x9c\xd1\x8d\xd1\x80", b"\xd0", b"x\xff"]
    texts = pa.Array.from_buffers(
        pa.string(), 3, [None, pa.array([0, 6, 7, 9], pa.int32()).buffers()[1], pa.py_buffer(b"".join(data))]
    )
    found, *_ = agreed(pa.table({"id": ["1", "2", "3"], "text": texts}), folder, on_error="skip")
    assert [one.id for one in found] == ["1"]
