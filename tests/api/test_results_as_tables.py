"""Results are tables, carry the report of what was read, and leave the user's table his."""

import copy
import json
import operator
import re
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.reduction import ForkingPickler
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pytest

import infostream_dedup
from infostream_dedup import (
    Deduplicator,
    api,
    compare,
    dedup,
    evaluate,
    ingest,
    pairs,
    passages,
    read_documents,
    search,
    sweep,
)
from infostream_dedup.api import Listing
from infostream_dedup.documents import ReadingReport
from infostream_dedup.errors import BadDataError, ConfigurationError, InfostreamError, MissingExtraError, UsageError
from infostream_dedup.model.tabular import Tabular, table_html
from infostream_dedup.runs.sharded.key_terms import CollisionError
from infostream_dedup.sample import documents_path, labels_path

# Results are tables: for Arrow, pandas and polars, in short, and in a notebook.
DOCUMENTS = list(read_documents(documents_path()))[:60]
TEXT = "Президент Зеленський відкрив у Харкові новий завод разом із мером Тереховим у понеділок."


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "stream.db"
    with Deduplicator.open(path) as stream:
        stream.process(DOCUMENTS)
    return path


def results(store):
    yield sweep(DOCUMENTS, representations=["stem"])
    yield pairs(DOCUMENTS)
    yield pairs(DOCUMENTS, preset="faithful")
    yield dedup(DOCUMENTS)
    yield evaluate(documents_path(), labels_path())
    yield compare(DOCUMENTS, methods=["md5", "key-terms-stem"], protocol="pool")
    yield search(store, DOCUMENTS[0].text)
    yield passages.find(DOCUMENTS)
    yield passages.compare(DOCUMENTS[0].text, DOCUMENTS[0].text)


def test_every_result_converts_and_shows_itself(store) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    for result in results(store):
        assert isinstance(result, Tabular)
        assert len(repr(result)) < 300, result
        rows = result.as_rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        arrow, pandas, polars = result.to_arrow(), result.to_pandas(), result.to_polars()
        assert len(rows) == arrow.num_rows == len(pandas) == len(polars) > 0, repr(result)
        assert set(names) == {name for name in arrow.column_names if not name.startswith("title_")}
        assert arrow.column_names == list(pandas.columns) == polars.columns
        assert "<table>" in result._repr_html_()


def test_html_escapes_cuts_and_counts() -> None:
    shown = table_html([{"id": "<b>", "text": "я" * 500, "terms": ["a", None]}, {"id": None}], more=1234)
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert max(map(len, re.findall(r"<td>(.*?)</td>", shown))) == 123
    assert "<td>a, None</td>" in shown
    assert shown.endswith("<p>and 1,234 more</p>")


def test_a_column_that_only_later_rows_have_is_kept() -> None:
    class Two(Tabular):
        def as_rows(self):
            return [{"a": 1}, {"a": 2, "b": "x"}]

    assert (Two().to_arrow().to_pydict(), repr(Two())) == ({"a": [1, 2], "b": [None, "x"]}, "<Two: 2 rows of a, b>")


def test_results_without_rows_have_their_columns() -> None:
    apart = [{"id": "1", "text": "Снег выпал в Киеве"}, {"id": "2", "text": "Парламент Франции принял бюджет"}]
    for found in (pairs(apart), pairs(apart, k=6), passages.find(apart), pairs([])):
        assert set(found.to_arrow().column_names) - {"title_a", "title_b"} == set(found.columns)
        assert found.to_arrow().num_rows == 0
    for options in ({}, {"preset": "faithful"}, {"by": "wording"}, {"explain": True}):
        empty = pairs(apart, **options).to_arrow().schema
        assert empty == pairs(DOCUMENTS, **options).to_arrow().select(empty.names).schema, options


def test_a_frame_without_rows_keeps_its_columns() -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    rows = {"id": ["1"], "text": [TEXT], "любое": [3]}
    frame = pandas.DataFrame(rows)
    for empty in (frame[frame["id"] == "2"], polars.DataFrame(rows).clear().lazy(), frame[:0].set_index("id")):
        assert set(dedup(empty).to_pandas()) == set(rows), type(empty)
        added = sent(dedup(empty, annotate=True, k=6, prefix="x_")).to_arrow().column_names[3:]
        assert added == ["x_status", "x_of", "x_group"]
    assert dedup(frame).columns == dedup([]).columns == ()


def test_an_ingestion_that_nobody_reads_warns(tmp_path) -> None:
    with pytest.warns(RuntimeWarning, match="nothing was ingested"):
        ingest(DOCUMENTS, tmp_path / "a.db")
    assert len(list(ingest(DOCUMENTS, tmp_path / "a.db"))) == len(DOCUMENTS)
    assert ingest([], tmp_path / "a.db", annotate=True).to_arrow().num_rows == 0


def test_a_field_of_several_types_is_text_in_a_table() -> None:
    values = [1, "a", {"б": 2}, None, 10**30, [1]]
    rows = [{"id": str(number), "text": "Снег", "x": value} for number, value in enumerate(values)]
    assert dedup(rows, annotate=True).to_arrow()["x"].to_pylist() == ["1", "a", '{"б":2}', None, "1" + "0" * 30, "[1]"]


def sent(value: Any) -> Any:
    return ForkingPickler.loads(ForkingPickler.dumps(value))


def test_pairs_of_a_file_reach_another_process():
    found = pairs(documents_path())
    assert sent(found).to_arrow() == found.to_arrow()


def test_results_go_to_other_processes_and_back(store) -> None:
    for result in results(store):
        assert sent(result).as_rows() == result.as_rows(), repr(result)
    unread = pairs(DOCUMENTS)
    assert sent(unread).as_rows() == pairs(DOCUMENTS).as_rows() == unread.as_rows()
    found = dedup(DOCUMENTS, k=6)
    copied = sent(found)
    assert (copied.kept, copied.rows, copied.members) == (found.kept, found.rows, found.members)
    assert found.rethreshold(5).kept <= found.kept
    with pytest.raises(UsageError, match="only the result that dedup returned can try another k"):
        copied.rethreshold(5)


@pytest.mark.parametrize("error", [
    BadDataError("what", code="E_ID", source="a.jsonl", line=3, field="id", byte_offset=7, raw=b"x"),
    MissingExtraError("numpy", "all", "counting"), CollisionError(5, ["a", "b"]), UsageError("no"),
], ids=lambda error: type(error).__name__)  # fmt: skip
def test_errors_go_to_other_processes_and_back(error: InfostreamError) -> None:
    error.add_note("said later")
    for copied in (sent(error), copy.deepcopy(error)):
        assert type(copied) is type(error)
        assert (str(copied), copied.args, vars(copied)) == (str(error), error.args, vars(error))


def interrupted(*_: Any, **__: Any) -> Any:
    yield {"a": "1"}
    raise KeyboardInterrupt


def test_an_interruption_is_not_the_end_of_the_rows() -> None:
    listing: Listing[dict[str, Any]] = Listing(interrupted(), ("a",), ReadingReport())
    with pytest.raises(KeyboardInterrupt):
        listing.to_arrow()
    for again in (lambda: listing.rows, lambda: list(listing), listing.to_arrow, lambda: sent(listing)):
        with pytest.raises(UsageError, match="interrupted, so the rest is missing; repeat the call"):
            again()


@pytest.mark.parametrize("read", [list, lambda found: found.to_arrow(), lambda found: list(found.batches())])
def test_an_interruption_is_not_the_end_of_a_stream(read, tmp_path, monkeypatch) -> None:
    found = ingest(DOCUMENTS, tmp_path / "s.db", batch_size=20)
    assert next(found).id == DOCUMENTS[0].id
    with monkeypatch.context() as patch:
        patch.setattr(Deduplicator, "process", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            read(found)
    with pytest.raises(UsageError, match="interrupted, so the rest is missing; repeat the call"):
        read(found)
    assert len(ingest(DOCUMENTS, tmp_path / "s.db", batch_size=20).to_arrow()) == 60


def test_rows_can_be_read_again_in_any_way_and_order() -> None:
    rows = [{"a": str(number)} for number in range(5)]
    ways = [
        list, lambda found: found.rows, lambda found: list(found.as_dicts()),
        lambda found: found.to_arrow().to_pylist(),
    ]  # fmt: skip
    for first in ways:
        for second in ways:
            listing: Listing[dict[str, Any]] = Listing(iter(rows), ("a",), ReadingReport())
            assert first(listing) == second(listing) == list(sent(listing)) == rows
    listing = Listing(iter(rows), ("a",), ReadingReport())
    assert next(listing) == next(iter(listing)) == rows[0], "a loop begins at the first row"
    assert (next(listing), list(zip(listing, listing, strict=True))) == (rows[1], [(row, row) for row in rows])


def test_rows_that_were_passed_on_are_named_so() -> None:
    listing: Listing[dict[str, Any]] = Listing(iter([{"a": "1"}, {"a": "2"}]), ("a",), ReadingReport())
    assert (next(listing), list(listing.once())) == ({"a": "1"}, [{"a": "1"}, {"a": "2"}])
    with pytest.raises(UsageError, match="passed on by once"):
        listing.to_arrow()


def test_threads_may_read_a_listing_at_once() -> None:
    def rows():
        for number in range(2000):
            time.sleep(1e-5)
            yield {"a": number}

    listing = Listing(rows(), ("a",), ReadingReport())
    ways = [list, lambda found: found.rows, len, next] * 4
    for one in (listing, sent(Listing(rows(), ("a",), ReadingReport()))):
        with ThreadPoolExecutor(len(ways)) as threads:
            found = list(threads.map(operator.call, ways, [one] * len(ways)))
        assert found[:3] == [list(rows()), list(rows()), 2000]
        assert sorted(row["a"] for row in found[3::4]) == [0, 1, 2, 3]


def test_a_look_at_pairs_does_not_use_them_up() -> None:
    found = pairs(DOCUMENTS, preset="faithful")
    assert repr(found).startswith(f"<PairListing: {len(found)} pairs (")
    found._repr_html_()
    first = list(found)
    assert first == found.rows == list(found)
    assert len(first) > 3


@pytest.mark.parametrize("k", [4, 9])
def test_another_k_gives_what_another_run_gives(k: int) -> None:
    again = pairs(DOCUMENTS, k_min=2, representation="stem").rethreshold(k)
    assert list(again) == list(pairs(DOCUMENTS, k=k, representation="stem"))
    assert list(again.rethreshold(12)) == list(pairs(DOCUMENTS, k=12, representation="stem"))


def test_thresholds_that_the_rows_cannot_answer_are_refused() -> None:
    faithful, judged = pairs(DOCUMENTS, preset="faithful"), pairs(DOCUMENTS, kinds="all")
    with pytest.raises(UsageError, match="hold the pairs of k = 6 to 12 of score count, not of 5"):
        faithful.rethreshold(5)
    with pytest.raises(UsageError, match="listed by k"):
        faithful.rethreshold(min_probability=0.9)
    with pytest.raises(UsageError, match="listed by min_probability"):
        judged.rethreshold(7)
    assert list(judged.rethreshold(min_probability=0.99)) == list(pairs(DOCUMENTS, min_probability=0.99))


def test_dedup_without_a_file_gives_the_documents(tmp_path) -> None:
    found = dedup(DOCUMENTS)
    dedup(DOCUMENTS, tmp_path / "out.jsonl")
    written = [one.id for one in read_documents(tmp_path / "out.jsonl")]
    assert ([row["id"] for row in found.rows], len(written) + len(found.removed)) == (written, len(DOCUMENTS))
    assert found.groups == len(found.members) > 0
    for row in found.removed:
        assert row["id"] in found.members[row["group"]]
        assert row["status"] in ("exact", "duplicate")
    assert repr(found) == f"<DedupSummary: {len(written)} of 60 documents kept, {found.groups} groups>"
    with pytest.raises(UsageError, match="wrote its rows to a file"):
        dedup(DOCUMENTS, tmp_path / "out.jsonl").to_pandas()


@pytest.mark.parametrize("options", [{}, {"annotate": True}, {"duplicate_rule": "contained", "show": "longest"}])
def test_dedup_at_another_k_is_another_run(options) -> None:
    found = dedup(DOCUMENTS, k=6, **options)
    seen = set()
    for k in (12, 3, 6):
        again, run = found.rethreshold(k), dedup(DOCUMENTS, k=k, **options)
        assert (again, (again.rows, again.removed, again.members)) == (run, (run.rows, run.removed, run.members))
        assert again.rethreshold(6) == found
        seen.add(str(again.statuses))
    assert len(seen) > 1
    with pytest.raises(ConfigurationError):
        found.rethreshold(0)


def test_dedup_without_a_k_has_no_other(tmp_path) -> None:
    with pytest.raises(UsageError, match="k did not decide"):
        dedup(DOCUMENTS).rethreshold(6)
    with pytest.raises(UsageError, match="k did not decide"):
        dedup(DOCUMENTS, score="share").rethreshold(6)
    with pytest.raises(UsageError, match="leave out the argument out"):
        dedup(DOCUMENTS, tmp_path / "out.jsonl", k=6).rethreshold(7)


def test_verdicts_are_a_list_and_a_table(tmp_path) -> None:
    with Deduplicator.open(tmp_path / "a.db") as stream:
        verdicts = stream.process(DOCUMENTS)
        assert (verdicts[0].status, verdicts.to_pandas()["id"].tolist()) == ("new", [one.id for one in DOCUMENTS])
        assert repr(verdicts).startswith("<Verdicts: 60 rows of id, status, of, group")
    assert ingest(DOCUMENTS, tmp_path / "b.db").to_pandas()["status"].tolist() == [one.status for one in verdicts]


def test_frames_relations_and_texts_go_in() -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    rows = [{"id": "1", "text": TEXT}, {"id": "2", "text": TEXT}]
    sources = [
        [TEXT, TEXT], pandas.Series([TEXT, TEXT]), polars.Series([TEXT, TEXT]), pandas.DataFrame(rows),
        polars.DataFrame(rows).lazy(),
    ]  # fmt: skip
    for source in sources:
        assert pairs(source).to_arrow().select(["a", "b"]).to_pylist() == [{"a": "1", "b": "2"}]
    duckdb = pytest.importorskip("duckdb")
    assert len(pairs(duckdb.sql("SELECT unnest(['1', '2']) AS id, $text AS text", params={"text": TEXT})).rows) == 1


# Results carry the report of what was read; iterators give each row once.
REPORTS_TEXT = "Президент Зеленський відкрив у Харкові новий завод разом із мером Тереховим. Приїхали сто гостей."
REPORTS_DOCUMENTS = [
    {"id": "1", "text": REPORTS_TEXT, "group": "1"}, {"id": "2", "text": f"{REPORTS_TEXT} Грав оркестр.", "group": "1"},
    {"id": "2", "text": "again"}, {"id": "3", "text": "Погода"},
]  # fmt: skip


@pytest.fixture
def skipping(tmp_path):
    """Reading options that set the second document 2 aside."""
    return api.Reading(on_error="skip", quarantine=tmp_path / "bad.jsonl")


@pytest.mark.parametrize("call", [
    lambda reading, folder: api.sweep(REPORTS_DOCUMENTS, representations=["stem"], reading=reading),
    lambda reading, folder: api.pairs(REPORTS_DOCUMENTS, representation="stem", reading=reading),
    lambda reading, folder: api.dedup(REPORTS_DOCUMENTS, folder / "out.jsonl", representation="stem", reading=reading),
    lambda reading, folder: api.compare(REPORTS_DOCUMENTS, methods=["md5"], pool="all", reading=reading),
    lambda reading, folder: api.passages.find(REPORTS_DOCUMENTS, reading=reading),
    lambda reading, folder: api.passages.find_novel(REPORTS_DOCUMENTS, reading=reading),
    lambda reading, folder: api.passages.find_digests(REPORTS_DOCUMENTS, reading=reading),
    lambda reading, folder: api.boilerplate(REPORTS_DOCUMENTS, reading=reading),
    lambda reading, folder: api.provenance(REPORTS_DOCUMENTS, reading=reading),
])  # fmt: skip
def test_results_carry_what_was_read(call, skipping, tmp_path):
    report = call(skipping, tmp_path).report
    assert (report.read, report.used, report.quarantined) == (4, 3, 1)


def test_an_evaluation_carries_what_was_read():
    found = api.evaluate(str(documents_path()), labels_path(), representation="stem")
    assert found.report.used == 199
    assert "report" not in found.as_dict()


def test_an_ingestion_gives_verdicts_and_counts(tmp_path, skipping):
    with api.ingest(
        REPORTS_DOCUMENTS, tmp_path / "stream.db", batch_size=1, reading=skipping, window_days=None
    ) as found:
        assert found.report.read == 0
        assert [verdict.status for verdict in found] == ["new", "duplicate", "insufficient_text"]
    assert (found.report.used, found.report.quarantined, list(found)) == (3, 1, [])
    assert [verdict.status for verdict in api.ingest(REPORTS_DOCUMENTS[:1], tmp_path / "stream.db")] == ["new"]


def test_an_ingestion_that_is_left_keeps_what_it_gave(tmp_path):
    with api.ingest(REPORTS_DOCUMENTS[:2], tmp_path / "stream.db", batch_size=1) as found:
        next(found)
    assert {row["what"]: row["value"] for row in api.store.stats(tmp_path / "stream.db")}["documents"] == 1


def test_single_settings_of_a_stream_complete_those_of_its_store(tmp_path):
    store = tmp_path / "stream.db"
    list(api.ingest(REPORTS_DOCUMENTS[:1], store, k_duplicate=7, n=14))
    list(api.ingest(REPORTS_DOCUMENTS[1:2], store, n=14))
    with pytest.raises(ConfigurationError, match="k_duplicate"):
        list(api.ingest(REPORTS_DOCUMENTS[1:2], store, k_duplicate=6))


def test_pairs_name_their_columns():
    found = api.pairs(REPORTS_DOCUMENTS[:2], representation="stem", terms=False)
    assert [list(row.as_dict()) for row in found] == [list(found.columns)]
    assert api.pairs(REPORTS_DOCUMENTS[:2], representation="stem").to_arrow().column("a").to_pylist() == ["1"]


def test_rows_as_dicts_serialise():
    assert json.loads(json.dumps(list(api.passages.find(REPORTS_DOCUMENTS[:2]).as_dicts())))[0]["a"] == "1"


# The user's table stays his: names, order, delimiter, encoding and ids come back as they were given.
TABLE_TEXT = (
    "Верховна Рада ухвалила закон про бюджети громад. Міністр фінансів Ткач назвав видатки на лікарні та школи."
)
OTHER = "Київський театр показав прем'єру вистави за романом Ольги Кобилянської, режисер Савченко запросив хор."
HEADER = ["Примітка", "Номер", "source", "Текст", "text"]
ROWS = [["а", "10", "x", TABLE_TEXT, "1"], ["б", "2", "y", TABLE_TEXT, "2"], ["в", "3", "z", OTHER, "3"]]
COLUMNS = "id=Номер,text=Текст"
DIFFER = ("differs_by", "differing")


@pytest.mark.parametrize("separator", [";", "\t", ",", "|"])
@pytest.mark.parametrize("encoding", ["cp1251", "utf-8", "utf-8-sig", "koi8-u"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_csv_file_is_written_as_it_was(tmp_path, separator, encoding, end):
    rows = [[cell.replace(",", "") for cell in row] for row in (HEADER, *ROWS)]
    lines = [separator.join(row) + end for row in rows]
    (tmp_path / "in.csv").write_bytes("".join(lines).encode(encoding))
    assert dedup(tmp_path / "in.csv", tmp_path / "out.csv", columns=COLUMNS).kept == 2
    assert (tmp_path / "out.csv").read_bytes() == "".join([lines[0], lines[1], lines[3]]).encode(encoding)


def test_new_columns_come_behind_and_a_dialect_can_be_chosen(tmp_path):
    (tmp_path / "in.csv").write_bytes("".join(";".join(row) + "\n" for row in (HEADER, *ROWS)).encode("cp1251"))
    dedup(tmp_path / "in.csv", tmp_path / "out.csv", columns=COLUMNS, annotate=True)
    lines = (tmp_path / "out.csv").read_bytes().decode("cp1251").splitlines()
    assert lines[0] == ";".join([*HEADER, "status", "of", "group", "kind", "probability", "story", *DIFFER])
    assert lines[2].startswith(f"б;2;y;{TABLE_TEXT};2;exact;10;10;copy;")
    dedup(tmp_path / "in.csv", tmp_path / "out.csv", columns=COLUMNS, csv_dialect="standard")
    assert (tmp_path / "out.csv").read_bytes().decode("utf-8").startswith(",".join(HEADER) + "\n")


def test_files_written_differently_are_written_with_commas_in_utf_8(tmp_path):
    other = [["г", "4", *ROWS[2][2:]]]
    for name, separator, encoding, rows in (("a", ";", "cp1251", ROWS[:1]), ("b", ",", "utf-8", other)):
        lines = [separator.join(f'"{cell}"' for cell in row) + "\n" for row in (HEADER, *rows)]
        (tmp_path / f"{name}.csv").write_bytes("".join(lines).encode(encoding))
    dedup([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "out.csv", columns=COLUMNS)
    assert (tmp_path / "out.csv").read_text("utf-8").startswith(",".join(HEADER) + "\n")


def test_a_frame_keeps_its_names_and_whole_numbers():
    frame = pd.DataFrame(ROWS, columns=HEADER).astype({"Номер": "int64"})
    found = dedup(frame, columns=COLUMNS, annotate=True).to_pandas()
    assert list(found.columns) == [*HEADER, "status", "of", "group", "kind", "probability", "story"]
    assert (found["Номер"].tolist(), found["of"].tolist()[1]) == ([10, 2, 3], "10")
    assert frame.merge(dedup(frame, columns=COLUMNS).to_pandas(), on="Номер").shape[0] == 2


def test_made_ids_come_last_and_parts_of_objects_are_not_doubled():
    rows = [{"summary": {"content": TABLE_TEXT}, "id": "mine"}, {"summary": {"content": OTHER}, "id": "mine"}]
    (first, _) = dedup(rows, columns="text=summary.content,source=id", make_ids=True).rows
    assert first == {"summary": {"content": TABLE_TEXT}, "id": "mine", "id_": first["id_"]}
    (first, _) = dedup([{"t": TABLE_TEXT}, {"t": OTHER}], columns="text=t", make_ids=True).rows
    doubled = dedup([{"id": 1, "text": TABLE_TEXT}, {"id": 1, "text": OTHER}], columns="id=", make_ids=True).rows
    assert [(one["id"], one["id_"] == doubled[0]["id_"]) for one in doubled] == [(1, True), (1, False)]
    assert list(first) == ["t", "id"]


def test_one_and_its_text_are_one_id_refused_with_both_lines(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(
        json.dumps({"id": 1, "text": TABLE_TEXT}) + "\n" + json.dumps({"id": "1", "text": OTHER}) + "\n", "utf-8"
    )
    with pytest.raises(BadDataError, match=r"d\.jsonl:2: field 'id': '1' already occurred at .*d\.jsonl:1"):
        list(read_documents(path))


def test_a_stream_takes_one_and_its_text_for_one_document(tmp_path):
    with ingest([{"id": 1, "text": TABLE_TEXT}], tmp_path / "s.db") as first:
        assert [verdict.status for verdict in first] == ["new"]
    with ingest([{"id": "1", "text": TABLE_TEXT}], tmp_path / "s.db", on_conflict="error") as again:
        assert [verdict.id for verdict in again] == ["1"]


def test_pairs_say_how_many_they_are_and_by_what():
    rows = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    found = pairs(rows, columns=COLUMNS)
    assert (len(found), repr(found)) == (1, "<PairListing: 1 pair (1 copy) of 3 documents, by preset judged>")
    shown = repr(pairs(rows, columns=COLUMNS, k=3))
    assert shown == "<PairListing: 1 pair (1 equal) of 3 documents, by key terms, k = 3>"


def test_the_package_lists_what_it_has():
    assert {"sweep", "pairs", "dedup", "Deduplicator"} <= set(dir(infostream_dedup)) == set(infostream_dedup.__all__)


def test_options_are_named_as_the_caller_writes_them():
    with pytest.raises(UsageError) as caught:
        dedup([{"id": "1", "text": TABLE_TEXT}], preset="judged", duplicate_rule="contained")
    assert "accept duplicate_rule; choose kinds with join" in str(caught.value)
    assert "accept --duplicate-rule; choose kinds with --join" in caught.value.for_command_line
    with pytest.raises(BadDataError, match=r"perhaps columns='text=body', make_ids=True"):
        dedup([{"body": TABLE_TEXT}])


def test_skipped_records_are_counted_without_a_quarantine():
    found = dedup([{"id": "1", "text": TABLE_TEXT}, {"id": "2"}], on_error="skip")
    assert (found.documents, found.report.quarantined) == (1, 1)


# Commands give the same bytes whether a file is read in columns or document by document.
