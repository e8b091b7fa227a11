"""Whatever goes in comes out: documents written and read again, in every kind of file and frame."""

import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infostream_dedup.documents import outputs, read_documents, row_of, write_documents
from infostream_dedup.model import Document

# Control characters are replaced while reading; surrogates are no text.
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\t\n\r\"',;=+-@'"), max_size=40)
IDS = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("=-+@'"), min_size=1, max_size=20)
DATES = st.none() | st.sampled_from(["2024", "2024-05", "2024-05-06", "2024-05-06T10:11:12+03:00", "2024-05-06 10:11"])
NUMBERS = st.integers(10**9, 10**10) | st.floats(1e9, 1e10)
NAMES = st.sampled_from(["topic", "family", "время", "time", "Id", "a,b", "=x"])
FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | FINITE | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def _fields(dates: Any, extra: Any) -> Any:
    known = st.fixed_dictionaries(
        {"id": IDS, "text": TEXT},
        optional={
            "title": TEXT, "lang": st.sampled_from(["ru", "uk", "en"]), "published": dates,
            "source": TEXT.filter(bool), "url": TEXT.filter(bool),
        },
    )  # fmt: skip
    return st.builds(lambda row, other: {**row, **other}, known, st.dictionaries(NAMES, extra, max_size=3))


def _collections(dates: Any, extra: Any) -> Any:
    return st.lists(_fields(dates, extra), max_size=6, unique_by=lambda row: row["id"])


def _there_and_back(rows: list[dict[str, Any]], ending: str, **options: Any) -> tuple[list[Document], list[Document]]:
    documents = list(read_documents(rows))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"d{ending}"
        assert write_documents(documents, path, **options) == len(documents)
        return documents, list(read_documents(path))


def _without_nulls(documents: list[Document]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row_of(document).items() if value is not None} for document in documents]


@given(_collections(DATES | NUMBERS, JSON), st.sampled_from([".jsonl", ".jsonl.gz", ".ndjson", ".json"]))
def test_json_lines(rows: list[dict[str, Any]], ending: str) -> None:
    documents, back = _there_and_back(rows, ending)
    assert back == documents
    assert [list(row_of(document)) for document in back] == [list(row) for row in rows]


@given(_collections(DATES, TEXT.filter(bool)), st.sampled_from([".csv", ".csv.gz"]))
def test_csv_of_text(rows: list[dict[str, Any]], ending: str) -> None:
    documents, back = _there_and_back(rows, ending)
    # An absent cell of a column of others is an empty string in CSV.
    for row in (present := _without_nulls(back)):
        for name in [name for name, value in row.items() if value == "" and name not in ("id", "text", "title")]:
            del row[name]
    expected = _without_nulls(documents)
    for row in present + expected:
        row.setdefault("title", "")
    assert present == expected
    assert [document.time for document in back] == [document.time for document in documents]


@pytest.mark.parametrize("lang", ["", None, "und", "hy"])
def test_a_language_found_in_the_text_is_not_written(lang: str | None) -> None:
    rows = [{"id": "a", "text": "\u0530" * 12, "lang": lang}, {"id": "b", "text": "слово", "lang": "ru"}]
    documents, back = _there_and_back(rows, ".csv")
    assert [document.lang for document in documents] == [document.lang for document in back] == ["hy", "ru"]
    assert [row_of(document)["lang"] for document in documents] == [lang, "ru"]


@given(_collections(DATES | NUMBERS, st.integers(-(2**63), 2**63 - 1)))
def test_csv_of_numbers_keeps_their_digits(rows: list[dict[str, Any]]) -> None:
    documents, back = _there_and_back(rows, ".csv")
    assert [document.time for document in back] == [document.time for document in documents]
    for document, again in zip(documents, back, strict=True):
        assert {name: str(value) for name, value in document.extra.items()} == {
            name: value for name, value in again.extra.items() if value
        }


@given(_collections(NUMBERS, st.floats(1, 10)))
def test_csv_with_decimal_commas_keeps_moments(rows: list[dict[str, Any]]) -> None:
    documents, back = _there_and_back(rows, ".csv", dialect="excel")
    assert [(one.id, one.text, one.time) for one in back] == [(one.id, one.text, one.time) for one in documents]


@given(_collections(DATES | st.integers(10**9, 10**10), TEXT.filter(bool) | st.integers(-(2**63), 2**64)))
def test_workbook(rows: list[dict[str, Any]]) -> None:
    documents, back = _there_and_back(rows, ".xlsx")
    fields = ("id", "text", "title", "lang", "source", "url", "time")
    assert [[getattr(one, name) for name in fields] for one in back] == [
        [getattr(one, name) for name in fields] for one in documents
    ]
    for document, again in zip(documents, back, strict=True):
        for name, value in document.extra.items():
            # Numbers of a workbook are floating.
            kept = again.extra[name]
            assert value == kept if isinstance(kept, float) else str(value) == kept


EXTRAS = {
    "text": TEXT, "whole numbers": st.integers(-(2**63), 2**63 - 1),
    "numbers": st.integers(-(2**53), 2**53) | st.floats(allow_nan=False), "booleans": st.booleans(),
    "lists": st.lists(TEXT, max_size=3),
    "lists of lists": st.lists(st.lists(st.none() | st.integers(0, 9), max_size=2), max_size=2),
    "lists of nulls": st.lists(st.none(), max_size=3),
    "objects": st.tuples(st.none() | st.integers(0, 9), TEXT).map(lambda pair: {"a": pair[0], "b": pair[1]}),
}  # fmt: skip


@pytest.mark.parametrize("batch", [1, 8192])
@pytest.mark.parametrize("kind", EXTRAS)
def test_parquet(kind: str, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "_BATCH_ROWS", batch)

    @settings(max_examples=20, deadline=None)
    @given(_collections(DATES, st.none() | EXTRAS[kind]))
    def check(rows: list[dict[str, Any]]) -> None:
        documents, back = _there_and_back(rows, ".parquet")
        given, came = _without_nulls(documents), _without_nulls(back)
        for row in given + came:
            row.setdefault("title", "")
        assert came == given
        assert [document.time for document in back] == [document.time for document in documents]

    check()


@given(_collections(DATES | NUMBERS, JSON), st.sampled_from([1, 2, 8192]))
def test_parquet_of_anything_keeps_documents_and_columns(rows: list[dict[str, Any]], batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outputs, "_BATCH_ROWS", batch)
        documents, back = _there_and_back(rows, ".parquet")
    assert [(d.id, d.text, d.title, d.lang, d.time) for d in back] == [
        (d.id, d.text, d.title, d.lang, d.time) for d in documents
    ]
    columns = dict.fromkeys(name for row in rows for name in row)
    assert all(set(row_of(document)) - {"title"} == set(columns) - {"title"} for document in back)


@pytest.mark.parametrize("kind", ["pandas", "polars", "Arrow"])
def test_frames(kind: str) -> None:
    @given(_collections(DATES, TEXT))
    def check(rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        frame: Any = {
            "pandas": pd.DataFrame,
            "polars": lambda values: pl.DataFrame(values, infer_schema_length=None),
            "Arrow": lambda values: pa.Table.from_pylist(
                values, schema=pa.schema({name: pa.string() for row in values for name in row})
            ),
        }[kind](rows)
        given, came = _without_nulls(list(read_documents(rows))), _without_nulls(list(read_documents(frame)))
        for row in given + came:
            row.setdefault("title", "")
        assert came == given

    check()


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_a_null_title_stays_null_and_an_empty_one_empty(ending: str) -> None:
    rows = [{"title": title, "id": str(number), "text": "слово"} for number, title in enumerate(("", None, "Мост"))]
    documents, back = _there_and_back(rows, ending)
    for read in (documents, back):
        assert [document.title for document in read] == ["", "", "Мост"]
        assert [row_of(document) for document in read] == rows
