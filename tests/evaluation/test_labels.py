import gzip
from pathlib import Path

import pytest

from infostream_dedup.documents.outputs import write_rows
from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.lab.evaluation.labels import (
    Kin,
    Label,
    kin_by_field,
    labels_of,
    positive_labels,
    read_kin,
    read_labels,
)
from infostream_dedup.model import Document


def _file(folder: Path, content: bytes, name: str = "labels.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_labels_keep_other_fields_and_their_place(tmp_path: Path) -> None:
    path = _file(tmp_path, b'{"a":"x","b":"y","label":"dup","kind":"reprint"}\n\n{"a":"y","b":"z","label":"different"}')
    assert read_labels(path) == [
        Label("x", "y", "dup", str(path), 1, {"kind": "reprint"}),
        Label("y", "z", "different", str(path), 3, {}),
    ]


def test_a_spreadsheet_is_read(tmp_path: Path) -> None:
    # As Excel saves it: semicolons, CR LF, an empty row, blanks and capitals; the third pair is still to be judged.
    title = "В городе открыли новую школу, в которой будут учиться восемьсот детей"
    rows = f"a;b;label;title_a\r\nx;y;Dup ;{title}\r\ny;z;different;\r\nx;z;;{title}\r\n;;;\r\n"
    for encoding in ("utf-8-sig", "cp1251"):
        path = _file(tmp_path, rows.encode(encoding), "labels.csv")
        assert read_labels(path) == [
            Label("x", "y", "dup", str(path), 2, {"title_a": title}),
            Label("y", "z", "different", str(path), 3, {}),
        ]


def test_a_workbook_is_read_with_ids_of_digits(tmp_path: Path) -> None:
    rows = [{"a": 7, "b": "x", "label": "dup"}, {"a": "y", "b": "x", "label": None}]
    with (tmp_path / "labels.xlsx").open("wb") as stream:
        write_rows(rows, stream, "xlsx")
    assert [(one.a, one.b, one.label) for one in read_labels(tmp_path / "labels.xlsx")] == [("7", "x", "dup")]


def test_a_table_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="missing columns: label; the header has: a, b, text") as caught:
        read_labels(_file(tmp_path, b"a,b,text\nx,y,z\n", "labels.csv"))
    assert caught.value.code == "E_SCHEMA"


def test_gzip_and_byte_order_mark(tmp_path: Path) -> None:
    content = gzip.compress(b'\xef\xbb\xbf{"a":"x","b":"y","label":"dup"}\r\n')
    assert [label.label for label in read_labels(_file(tmp_path, content, "labels.jsonl.gz"))] == ["dup"]


def test_a_pair_may_come_twice_with_one_label() -> None:
    rows = [{"a": "x", "b": "y", "label": "dup"}, {"a": "y", "b": "x", "label": "dup"}]
    assert len(labels_of(rows)) == 2


@pytest.mark.parametrize(("line", "code", "field"), [
    (b'{"a":"x","b":"y","label":"dup"', "E_JSON", None),
    (b'{"a":"x","b":"\xff","label":"dup"}', "E_ENCODING", None), (b'["x","y","dup"]', "E_TYPE", None),
    (b'{"b":"y","label":"dup"}', "E_MISSING", "a"), (b'{"a":"x","b":null,"label":"dup"}', "E_MISSING", "b"),
    (b'{"a":"x","b":7,"label":"dup"}', "E_TYPE", "b"), (b'{"a":"","b":"y","label":"dup"}', "E_TYPE", "a"),
    (b'{"a":"x","b":"y"}', "E_MISSING", "label"), (b'{"a":"x","b":"y","label":"duplicate"}', "E_LABEL", "label"),
    (b'{"a":"x","b":"x","label":"dup"}', "E_SELF_PAIR", "b"),
    (b'{"a":"q","b":"p","label":"similar"}', "E_CONTRADICTION", "label"),
])  # fmt: skip
def test_a_bad_label_names_its_place(tmp_path: Path, line: bytes, code: str, field: str | None) -> None:
    path = _file(tmp_path, b'{"a":"p","b":"q","label":"dup"}\n' + line + b"\n")
    with pytest.raises(BadDataError) as caught:
        read_labels(path)
    assert (caught.value.code, caught.value.field, caught.value.line) == (code, field, 2)
    assert caught.value.source == str(path)


def test_a_contradiction_names_both_lines() -> None:
    rows = [{"a": "x", "b": "y", "label": "dup"}, {"a": "y", "b": "x", "label": "different"}]
    with pytest.raises(BadDataError, match=r"'y' and 'x' are 'different' here but 'dup' in line 1"):
        labels_of(rows)


KIN_FILE = gzip.compress(b'{"family_a":"f","family_b":"g"}\n' * 50)


@pytest.mark.parametrize("content", [b"no gzip at all", KIN_FILE[:-9]], ids=["other", "cut"])
def test_a_damaged_or_cut_off_gzip_file_is_named(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(BadDataError, match="gzip archive") as caught:
        read_kin(_file(tmp_path, content, "kin.jsonl.gz"))
    assert caught.value.code == "E_GZIP"


def test_kin_without_a_family_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="family_b"):
        read_kin(_file(tmp_path, b'{"family_a":"f"}\n'))


def test_kin_by_a_field_of_the_documents() -> None:
    def document(number: int, family: str | None, submission: str) -> Document:
        return Document(id=str(number), text="", extra={"family": family, "submission": submission})

    documents = [
        document(1, "f", "translation"), document(2, "f", "translation"), document(3, "g", "essay"),
        document(4, None, "translation"), document(5, "h", "translation"), document(6, "i", "translation"),
    ]  # fmt: skip
    why = "submission=translation"
    assert kin_by_field(documents, "submission", "translation") == [Kin("f", "h", why), Kin("h", "i", why)]


@pytest.mark.parametrize("given", [(), ("dup", "same"), ("different",)])
def test_wrong_positive_labels_are_refused(given: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match="expected one or more of dup, similar, translation"):
        positive_labels(given)


def test_a_pair_that_is_not_judged_yet_is_left_out(tmp_path: Path) -> None:
    path = _file(tmp_path, b'{"a":"x","b":"y","label":null}\n{"a":"x","b":"z","label":"dup"}\n')
    assert [(label.b, label.line) for label in read_labels(path)] == [("z", 2)]


def test_a_pair_waiting_for_its_label_contradicts_nothing_but_must_be_a_pair() -> None:
    rows = [{"a": "x", "b": "y", "label": None}, {"a": "y", "b": "x", "label": "similar"}]
    assert [label.label for label in labels_of(rows)] == ["similar"]
    with pytest.raises(BadDataError, match="two different documents"):
        labels_of([{"a": "x", "b": "x", "label": None}])
