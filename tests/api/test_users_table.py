"""The user's table stays his: names, order, delimiter, encoding and ids come back as they were given."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import infostream_dedup
from infostream_dedup import dedup, ingest, pairs, read_documents
from infostream_dedup.errors import BadDataError, UsageError

TEXT = "Верховна Рада ухвалила закон про бюджети громад. Міністр фінансів Ткач назвав видатки на лікарні та школи."
OTHER = "Київський театр показав прем'єру вистави за романом Ольги Кобилянської, режисер Савченко запросив хор."
HEADER = ["Примітка", "Номер", "source", "Текст", "text"]
ROWS = [["а", "10", "x", TEXT, "1"], ["б", "2", "y", TEXT, "2"], ["в", "3", "z", OTHER, "3"]]
COLUMNS = "id=Номер,text=Текст"
DIFFER = ("differs_by", "differing")


@pytest.mark.parametrize("separator", [";", "\t", ",", "|"])
@pytest.mark.parametrize("encoding", ["cp1251", "utf-8", "utf-8-sig", "koi8-u"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_csv_file_is_written_as_it_was(tmp_path, separator, encoding, end):
    rows = [[cell.replace(",", "") for cell in row] for row in (HEADER, *ROWS)]
    lines = [separator.join(row) + end for row in rows]
    (tmp_path / "in.csv").write_bytes("".join(lines).encode(encoding))
    found = dedup(tmp_path / "in.csv", tmp_path / "out.csv", columns=COLUMNS)
    assert found.kept == 2
    assert (tmp_path / "out.csv").read_bytes() == "".join([lines[0], lines[1], lines[3]]).encode(encoding)


def test_new_columns_come_behind_and_a_dialect_can_be_chosen(tmp_path):
    text = "".join(";".join(row) + "\n" for row in (HEADER, *ROWS))
    (tmp_path / "in.csv").write_bytes(text.encode("cp1251"))
    dedup(tmp_path / "in.csv", tmp_path / "out.csv", columns=COLUMNS, annotate=True)
    lines = (tmp_path / "out.csv").read_bytes().decode("cp1251").splitlines()
    assert lines[0] == ";".join([*HEADER, "status", "of", "group", "kind", "probability", "story", *DIFFER])
    assert lines[2].startswith(f"б;2;y;{TEXT};2;exact;10;10;copy;")
    dedup(tmp_path / "in.csv", tmp_path / "out.csv", columns=COLUMNS, csv_dialect="standard")
    assert (tmp_path / "out.csv").read_bytes().decode("utf-8").startswith(",".join(HEADER) + "\n")


def test_files_written_differently_are_written_with_commas_in_utf_8(tmp_path):
    for name, separator, encoding, rows in (
        ("a", ";", "cp1251", ROWS[:1]),
        ("b", ",", "utf-8", [["г", "4", *ROWS[2][2:]]]),
    ):
        lines = [separator.join(f'"{cell}"' for cell in row) + "\n" for row in (HEADER, *rows)]
        (tmp_path / f"{name}.csv").write_bytes("".join(lines).encode(encoding))
    dedup([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "out.csv", columns=COLUMNS)
    assert (tmp_path / "out.csv").read_text("utf-8").startswith(",".join(HEADER) + "\n")


def test_a_frame_keeps_its_names_and_whole_numbers():
    frame = pd.DataFrame(ROWS, columns=HEADER).astype({"Номер": "int64"})
    found = dedup(frame, columns=COLUMNS, annotate=True).to_pandas()
    assert list(found.columns) == [*HEADER, "status", "of", "group", "kind", "probability", "story"]
    assert found["Номер"].tolist() == [10, 2, 3]
    assert found["of"].tolist()[1] == "10"
    assert frame.merge(dedup(frame, columns=COLUMNS).to_pandas(), on="Номер").shape[0] == 2


def test_made_ids_come_last_and_parts_of_objects_are_not_doubled():
    rows = [{"summary": {"content": TEXT}, "id": "mine"}, {"summary": {"content": OTHER}, "id": "mine"}]
    (first, _) = dedup(rows, columns="text=summary.content,source=id", make_ids=True).rows
    assert first == {"summary": {"content": TEXT}, "id": "mine"}
    (first, _) = dedup([{"t": TEXT}, {"t": OTHER}], columns="text=t", make_ids=True).rows
    assert list(first) == ["t", "id"]


def test_one_and_its_text_are_one_id_refused_with_both_lines(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"id": 1, "text": TEXT}) + "\n" + json.dumps({"id": "1", "text": OTHER}) + "\n", "utf-8")
    with pytest.raises(BadDataError, match=r"d\.jsonl:2: field 'id': '1' already occurred at .*d\.jsonl:1"):
        list(read_documents(path))


def test_a_stream_takes_one_and_its_text_for_one_document(tmp_path):
    with ingest([{"id": 1, "text": TEXT}], tmp_path / "s.db") as first:
        assert [verdict.status for verdict in first] == ["new"]
    with ingest([{"id": "1", "text": TEXT}], tmp_path / "s.db", on_conflict="error") as again:
        assert [verdict.id for verdict in again] == ["1"]


def test_pairs_say_how_many_they_are_and_by_what():
    rows = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    found = pairs(rows, columns=COLUMNS)
    assert len(found) == 1
    assert repr(found) == "<PairListing: 1 pair (1 copy) of 3 documents, by preset judged>"
    assert (
        repr(pairs(rows, columns=COLUMNS, k=3)) == "<PairListing: 1 pair (1 equal) of 3 documents, by key terms, k = 3>"
    )


def test_the_package_lists_what_it_has():
    assert {"sweep", "pairs", "dedup", "Deduplicator"} <= set(dir(infostream_dedup)) == set(infostream_dedup.__all__)


def test_options_are_named_as_the_caller_writes_them():
    with pytest.raises(UsageError) as caught:
        dedup([{"id": "1", "text": TEXT}], preset="judged", duplicate_rule="contained")
    assert "accept duplicate_rule; choose kinds with join" in str(caught.value)
    assert "accept --duplicate-rule; choose kinds with --join" in caught.value.for_command_line
    with pytest.raises(BadDataError, match=r"perhaps columns='text=body', make_ids=True"):
        dedup([{"body": TEXT}])


def test_skipped_records_are_counted_without_a_quarantine():
    found = dedup([{"id": "1", "text": TEXT}, {"id": "2"}], on_error="skip")
    assert (found.documents, found.report.quarantined) == (1, 1)
