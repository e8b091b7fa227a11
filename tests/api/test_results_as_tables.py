"""Results are tables: for Arrow, pandas and polars, in short, and in a notebook."""

import copy
import re
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest

from infostream_dedup import (
    Deduplicator,
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
from infostream_dedup.runs.sharded.vocabulary import CollisionError
from infostream_dedup.sample import documents_path, labels_path

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
        assert names == arrow.column_names == list(pandas.columns) == polars.columns
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

    assert Two().to_arrow().to_pydict() == {"a": [1, 2], "b": [None, "x"]}
    assert repr(Two()) == "<Two: 2 rows of a, b>"


def test_results_without_rows_have_their_columns() -> None:
    apart = [{"id": "1", "text": "Снег выпал в Киеве"}, {"id": "2", "text": "Парламент Франции принял бюджет"}]
    for found in (pairs(apart), pairs(apart, k=6), passages.find(apart), pairs([])):
        assert found.to_arrow().column_names == list(found.columns)
        assert found.to_arrow().num_rows == 0


def test_a_field_of_several_types_is_text_in_a_table() -> None:
    values = [1, "a", {"б": 2}, None, 10**30, [1]]
    rows = [{"id": str(number), "text": "Снег", "x": value} for number, value in enumerate(values)]
    found = dedup(rows, annotate=True).to_arrow()["x"].to_pylist()
    assert found == ["1", "a", '{"б":2}', None, "1" + "0" * 30, "[1]"]


def sent(value: Any) -> Any:
    """What another process receives."""
    return ForkingPickler.loads(ForkingPickler.dumps(value))


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
        patch.setattr(Deduplicator, "process", interrupted_now)
        with pytest.raises(KeyboardInterrupt):
            read(found)
    with pytest.raises(UsageError, match="interrupted, so the rest is missing; repeat the call"):
        read(found)
    assert len(ingest(DOCUMENTS, tmp_path / "s.db", batch_size=20).to_arrow()) == 60


def interrupted_now(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def test_rows_can_be_read_again_in_any_way_and_order() -> None:
    rows = [{"a": str(number)} for number in range(5)]
    ways = [
        list,
        lambda found: found.rows,
        lambda found: list(found.as_dicts()),
        lambda found: found.to_arrow().to_pylist(),
    ]
    for first in ways:
        for second in ways:
            listing: Listing[dict[str, Any]] = Listing(iter(rows), ("a",), ReadingReport())
            assert first(listing) == second(listing) == list(sent(listing)) == rows
    listing = Listing(iter(rows), ("a",), ReadingReport())
    assert next(listing) == next(iter(listing)) == rows[0], "a loop begins at the first row"
    assert next(listing) == rows[1]
    assert list(zip(listing, listing, strict=True)) == [(row, row) for row in rows]


def test_rows_that_were_passed_on_are_named_so() -> None:
    listing: Listing[dict[str, Any]] = Listing(iter([{"a": "1"}, {"a": "2"}]), ("a",), ReadingReport())
    assert next(listing) == {"a": "1"}
    assert list(listing.once()) == [{"a": "1"}, {"a": "2"}]
    with pytest.raises(UsageError, match="passed on by once"):
        listing.to_arrow()


def test_a_look_at_pairs_does_not_use_them_up() -> None:
    found = pairs(DOCUMENTS, preset="faithful")
    assert repr(found).startswith(f"<PairListing: {len(found)} pairs (")
    found._repr_html_()
    first = list(found)
    assert first == found.rows == list(found)
    assert len(first) > 3


@pytest.mark.parametrize("k", [4, 9])
def test_another_k_gives_what_another_run_gives(k: int) -> None:
    found = pairs(DOCUMENTS, k_min=2, representation="stem")
    again = found.rethreshold(k)
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
    sure = judged.rethreshold(min_probability=0.99)
    assert list(sure) == list(pairs(DOCUMENTS, min_probability=0.99))


def test_dedup_without_a_file_gives_the_documents(tmp_path) -> None:
    found = dedup(DOCUMENTS)
    dedup(DOCUMENTS, tmp_path / "out.jsonl")
    written = [one.id for one in read_documents(tmp_path / "out.jsonl")]
    assert [row["id"] for row in found.rows] == written
    assert len(written) + len(found.removed) == len(DOCUMENTS)
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
        assert again == run
        assert (again.rows, again.removed, again.members) == (run.rows, run.removed, run.members)
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
        assert verdicts[0].status == "new"
        assert verdicts.to_pandas()["id"].tolist() == [one.id for one in DOCUMENTS]
        assert repr(verdicts).startswith("<Verdicts: 60 rows of id, status, of, group")
    frame = ingest(DOCUMENTS, tmp_path / "b.db").to_pandas()
    assert frame["status"].tolist() == [one.status for one in verdicts]


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
    relation = duckdb.sql("SELECT unnest(['1', '2']) AS id, $text AS text", params={"text": TEXT})
    assert len(pairs(relation).rows) == 1
