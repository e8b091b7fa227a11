"""Files that people have, as programs and sites write them."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup.documents import Reading, ReadingReport, read_documents
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.documents.documents import row_of
from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.model.document import single_documents

TEXT = "Мост через реку закрыли на ремонт до конца лета."
ROW = {"id": "1", "text": TEXT}


def _rows(source: Any, **options: Any) -> list[dict[str, Any]]:
    """Rows as they are written back; both ways of reading must agree."""
    documents = list(read_documents(source, **options))
    blocks = read_document_blocks(source, reading=Reading(**options), report=ReadingReport())
    again = [one for block in blocks for one in single_documents(block)]
    assert [(one.id, one.text, one.title, one.source, one.lang, one.time) for one in again] == [
        (one.id, one.text, one.title, one.source, one.lang, one.time) for one in documents
    ]
    assert [row_of(one) for one in again] == [row_of(one) for one in documents]
    return [row_of(one) for one in documents]


def _write(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", ["jl", "jsonlines", "ndjson"])
def test_lines_of_objects_have_many_endings(tmp_path: Path, ending: str) -> None:
    assert _rows(_write(tmp_path / f"d.{ending}", ROW)) == [ROW]


@pytest.mark.parametrize("ending", ["pq", "parq", "parquet.gzip", "snappy.parquet"])
def test_parquet_has_many_endings(tmp_path: Path, ending: str) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"id": ["1"], "text": [TEXT]}), tmp_path / f"d.{ending}", compression="gzip")
    assert _rows(tmp_path / f"d.{ending}") == [ROW]


@pytest.mark.parametrize(("inner", "content"), [("lenta.csv", f"id,text\n1,{TEXT}\n"), ("d.json", json.dumps([ROW]))])
def test_an_archive_of_one_file_is_read_as_that_file(tmp_path: Path, inner: str, content: str) -> None:
    path = tmp_path / "kaggle.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(inner, content)
        archive.writestr("__MACOSX/._x", "no document")
    assert _rows(path) == [ROW]
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("second.csv", content)
    with pytest.raises(ConfigurationError, match="holds 2 files, expected one; unpack it first"):
        read_documents(path)


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "d.csv.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("d.csv", "id,text\n" + "".join(f"{n},{TEXT} {n * 7919}\n" for n in range(99)))
    whole = bytearray(path.read_bytes())
    whole[100:140] = bytes(40)
    path.write_bytes(whole)
    with pytest.raises(BadDataError, match="truncated or damaged"):
        list(read_documents(path))


@pytest.mark.parametrize(
    "content",
    [
        f"id,text,,\n1,{TEXT},,\n",
        f'id, text\n1, "{TEXT}"\n',
        f"id|text\n1|{TEXT}\n",
        f"id\ttext\t\t\t\n1\t{TEXT}\t\t\t\n",
    ],
    ids=["columns of nothing", "blanks after commas", "bars", "tabs of nothing"],
)
def test_tables_as_spreadsheets_and_people_write_them(tmp_path: Path, content: str) -> None:
    assert _rows(_write(tmp_path / "d.csv", content)) == [ROW]


def test_a_value_in_a_column_without_a_name_is_not_lost(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="4 cells, expected 2"):
        list(read_documents(_write(tmp_path / "d.csv", f"id,text,,\n1,{TEXT},,here\n")))


def test_backslashes_before_quotes_are_named(tmp_path: Path) -> None:
    path = _write(tmp_path / "d.csv", 'id,text\n1,"Завод \\"Маяк\\" стоит"\n')
    with pytest.raises(BadDataError, match="escaped by backslashes"):
        list(read_documents(path))


def test_numbers_that_json_lacks_are_null(tmp_path: Path) -> None:
    line = '{"id":"1","text":"NaN в \\"тексте\\" Infinity","score":NaN,"other":[-Infinity,Infinity]}\n'
    expected = {"id": "1", "text": 'NaN в "тексте" Infinity', "score": None, "other": [None, None]}
    assert _rows(_write(tmp_path / "d.jsonl", line)) == [expected]
    assert _rows(_write(tmp_path / "d.json", f"[{line}]")) == [expected]


def test_ids_may_be_long_addresses(tmp_path: Path) -> None:
    address = "https://n.example/" + "%D0%BF" * 300
    assert _rows(_write(tmp_path / "d.jsonl", {"id": address, "text": TEXT})) == [{"id": address, "text": TEXT}]


ANSWERS: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [
    ({"response": {"numFound": 1, "docs": [ROW]}}, {}, ROW),
    ({"status": "ok", "articles": [{"url": "1", "content": TEXT}]}, {"columns": "id=url,text=content"}, ROW),
    (
        {"hits": {"total": 1, "hits": [{"_id": "1", "_source": {"body": TEXT}}]}},
        {"columns": "id=_id,text=_source.body"},
        {"id": "1", "_source": {"body": TEXT}, "text": TEXT},
    ),
    ({"columns": ["id", "text"], "index": [0], "data": [["1", TEXT]]}, {}, ROW),
    ({"id": {"0": "1"}, "text": {"0": TEXT}}, {}, ROW),
]


@pytest.mark.parametrize(("answer", "options", "expected"), ANSWERS)
def test_answers_of_services_are_read_however_deep(
    tmp_path: Path, answer: Any, options: dict[str, Any], expected: dict[str, Any]
) -> None:
    path = _write(tmp_path / "d.json", answer)
    assert _rows(path, **options) == [expected]
    long = {**answer, "note": ["x" * 100_000]} if "columns" not in answer and "id" not in answer else answer
    assert _rows(_write(path, long), **options) == [expected]


def test_lines_with_arrays_of_objects_stay_lines(tmp_path: Path) -> None:
    lines = [{"id": str(n), "body": TEXT, "media": {"items": [{"a": "x" * size}]}} for n, size in ((1, 9), (2, 99_999))]
    for order in (lines, lines[::-1]):
        path = _write(tmp_path / "d.json", "".join(json.dumps(one) + "\n" for one in order))
        assert [row["id"] for row in _rows(path, columns="text=body")] == [one["id"] for one in order]


def test_exports_of_databases_and_messengers() -> None:
    rows = [
        {"id": {"$oid": "507f1f77bcf86cd799439011"}, "text": TEXT, "published": {"$date": "2024-05-01T10:00:00Z"}},
        {"id": "b", "text": ["Срочно. ", {"type": "bold", "text": TEXT}], "source": 12.0, "title": 2024},
        {"id": "c", "text": None, "source": {"id": None, "name": "Маяк"}},
    ]
    first, second, third = read_documents(rows)
    assert (first.id, str(first.time)) == ("507f1f77bcf86cd799439011", "2024-05-01 10:00:00+00:00")
    assert (second.text, second.source, second.title) == (f"Срочно. {TEXT}", "12", "2024")
    assert (third.text, third.source) == ("", "Маяк")
    assert [row_of(one) for one in (first, second, third)] == rows, "written back as it was given"


def test_a_column_can_be_left_out() -> None:
    row = {"id": "1", "text": TEXT, "source": ["a", "b"]}
    with pytest.raises(BadDataError, match="columns='source=' leaves the column out"):
        list(read_documents([row]))
    (document,) = read_documents([row], columns="source=")
    assert (document.source, row_of(document)) == (None, {"id": "1", "text": TEXT, "source_": ["a", "b"]})


def test_a_part_of_an_object_is_named_by_the_message_and_found() -> None:
    row = {"id": "1", "text": {"content": TEXT, "direction": "ltr"}}
    with pytest.raises(BadDataError, match=r"columns='text=NAME\.content'"):
        list(read_documents([row]))
    assert [one.text for one in read_documents([row], columns="text=text.content")] == [TEXT]


@pytest.mark.parametrize("label", ["unknown", "N/A", "none", "-", "ru,uk", "NA", "unk", "русский", "und"])
def test_labels_that_name_no_language_are_absent(label: str) -> None:
    (document,) = read_documents([ROW | {"lang": label}])
    assert document.lang == ("ru" if label == "русский" else None)
    assert row_of(document)["lang"] == label


RUSSIAN = "Подъезды к объекту закрыты, мэрия обещает объезд. Этот этап ремонта завершится в сентябре, сообщили нам."
UKRAINIAN = "Під'їзди до об'єкта закриті, мерія обіцяє об'їзд. Цей етап ремонту завершиться у вересні, повідомили нам."
ENGLISH = "The roads to the site are closed and the city promises a detour. This part of the work ends in September."


@pytest.mark.parametrize(
    ("text", "label", "expected"),
    [
        (RUSSIAN, "uk", None),
        (UKRAINIAN, "ru", None),
        (ENGLISH, "ru", None),
        (RUSSIAN, "en", None),
        (RUSSIAN, "ru", "ru"),
        (UKRAINIAN, "uk", "uk"),
        (ENGLISH, "en", "en"),
        ("Снег", "uk", "uk"),
        ("Apple iPhone 15 Pro Max", "ru", "ru"),
        (RUSSIAN + UKRAINIAN, "uk", "uk"),
        (UKRAINIAN, "be", "be"),
        (ENGLISH, "de", None),
        (ENGLISH, "xx", None),
        (RUSSIAN + " Об этом же сказал и мэр, но он не знает, когда это будет.", "fr", None),
        ("Der Bundestag hat das Gesetz über „The Lord of the Rings“ und die Renten mit den Stimmen", "de", "de"),
    ],
)
def test_letters_correct_a_language(tmp_path: Path, text: str, label: str, expected: str | None) -> None:
    row = {"id": "1", "text": text, "lang": label}
    report = ReadingReport()
    (document,) = read_documents([row], report=report)
    assert (document.lang, row_of(document)) == (expected, row)
    assert report.corrected_languages == (expected is None)
    rows = [row | {"id": str(number)} if number % 9 == 0 else ROW | {"id": str(number)} for number in range(99)]
    path = _write(tmp_path / "d.jsonl", "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows))
    assert _rows(path) == rows
