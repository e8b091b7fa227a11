"""Spark gives what the engine gives, however tasks and streams are cut; most tests need Java 17 and pyspark."""

import hashlib
import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import Deduplicator, Settings, StreamSettings, dedup, pairs, sweep
from infostream_dedup.errors import BadDataError, ConfigurationError, UsageError
from infostream_dedup.runs.batch.linking import least_count
from infostream_dedup.runs.spark.streaming import SlotWriter, judge_in_store

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def rows(collections):
    """Documents in the order of their ids, some in Ukrainian, with clusters of equal ones and empty texts."""
    found = [*collections["equal texts"][:70], *collections["empty texts"][:1], *collections["empty texts"][-1:]]
    return [{"id": f"{place:03d}", "text": one.text, "lang": one.lang} for place, one in enumerate(found)]


@pytest.fixture
def frame(spark, rows):
    return spark.createDataFrame(rows, "id string, text string, lang string").repartition(4)


CUTS = [
    {"partitions": 3, "shards": 2, "question_parts": 2, "blocks": 3, "chunk": 7},
    {"partitions": 1, "shards": 1, "question_parts": 1, "blocks": 1},
]


@pytest.mark.parametrize(("cut", "adaptive"), [(CUTS[0], "true"), (CUTS[0], "false"), (CUTS[1], "true")])
def test_sweep(spark, frame, rows, cut, adaptive):
    from infostream_dedup import spark as on_spark

    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    before = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    found = on_spark.sweep(frame, representations=["stem"], cut=on_spark.SparkCut(**cut))
    expected = sweep(rows, representations=["stem"], estimate=False)
    assert [row.as_dict() for row in found.rows] == [row.as_dict() for row in expected.rows]
    assert (found.recommended_k, found.reason) == (expected.recommended_k, expected.reason)
    assert (found.recommended_k, found.reason["stem"].split(":")[0]) == ({"stem": 5}, "consistency")
    assert any("not counted on Spark" in note for note in found.notes)
    assert (found.groups, found.documents) == (expected.groups, expected.documents)
    assert spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == before


def test_short_texts_are_swept_by_their_need(spark, collections):
    from infostream_dedup import spark as on_spark

    rows = [{"id": one.id, "text": one.text, "lang": "ru"} for one in collections["short"]]
    found = on_spark.sweep(spark.createDataFrame(rows).repartition(3), cut=on_spark.SparkCut(**CUTS[0]))
    expected = sweep(sorted(rows, key=lambda one: one["id"]), representations=["stem", "morph"], estimate=False)
    assert [row.as_dict() for row in found.rows] == [row.as_dict() for row in expected.rows]
    assert {row.short for row in found.rows} == {"scaled"}


@pytest.mark.smoke
def test_pairs(frame, rows):
    from infostream_dedup import spark as on_spark

    names = ("a", "b", "forward", "backward", "n_a", "n_b", "relation")
    found = on_spark.pairs(frame, representation="stem", cut=on_spark.SparkCut(**CUTS[0]))
    expected = [row.as_dict() for row in pairs(rows, representation="stem", terms=False)]
    least = least_count(Settings(representation="stem"))
    for row in expected:
        row |= {name: row[name] if row[name] >= least else None for name in ("forward", "backward")}
    assert any(None in row.values() for row in expected)
    listed = sorted((tuple(row[name] for name in names) for row in found.collect()), key=str)
    assert listed == sorted((tuple(row[name] for name in names) for row in expected), key=str)
    assert expected
    found.unpersist()


@pytest.mark.smoke
def test_dedup(frame, rows, tmp_path):
    from infostream_dedup import spark as on_spark

    found = on_spark.dedup(frame, representation="stem", cut=on_spark.SparkCut(**CUTS[0]))
    dedup(rows, tmp_path / "all.jsonl", annotate=True, representation="stem")
    expected = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    names = ("id", "status", "of", "group")
    judged = sorted((tuple(row[name] for name in names) for row in found.collect()), key=str)
    assert judged == sorted((tuple(row[name] for name in names) for row in expected), key=str)


def test_what_spark_does_not_know_is_refused(spark, frame):
    from infostream_dedup import spark as on_spark

    with pytest.raises(UsageError, match="no column text; it has id, lang"):
        on_spark.sweep(frame.drop("text"))
    with pytest.raises(UsageError, match="pivot does not run on Spark"):
        on_spark.dedup(frame, representation="pivot")
    with pytest.raises(UsageError, match="share score"):
        on_spark.pairs(frame, score="share", order="id")
    with pytest.raises(UsageError, match="judged does not run on Spark"):
        on_spark.dedup(frame, preset="judged")
    with pytest.raises(UsageError, match="got a list; expected a DataFrame of Spark"):
        on_spark.sweep([{"id": "1", "text": ""}])
    for wrong in (lambda: on_spark.SparkCut(shards=0), lambda: on_spark.pairs(frame, order="id", cut=4)):
        with pytest.raises(ConfigurationError, match=r"shards is 0|cut is of type int"):
            wrong()


def test_an_id_that_occurs_in_two_partitions_is_refused(spark, rows):
    from infostream_dedup import spark as on_spark

    twice = [row | {"published": f"2026-01-{1 + place % 28:02d}"} for place, row in enumerate([*rows, rows[0]])]
    frame = spark.createDataFrame(twice, "id string, text string, lang string, published string")
    cut = on_spark.SparkCut(partitions=3)
    for run in (on_spark.sweep, on_spark.pairs, on_spark.dedup):
        with pytest.raises(BadDataError, match=f"'{rows[0]['id']}' occurs 2 times") as refused:
            run(frame, cut=cut, **({"representations": ["stem"]} if run is on_spark.sweep else {}))
        assert refused.value.code == "E_ID_DUPLICATE"


def test_a_frame_without_rows_gives_nothing(spark):
    from infostream_dedup import spark as on_spark

    frame = spark.createDataFrame([], "id string, text string")
    assert [row.as_dict() for row in on_spark.sweep(frame, representations=["stem"]).rows] == [
        row.as_dict() for row in sweep([], representations=["stem"], estimate=False).rows
    ]
    assert on_spark.pairs(frame, representation="stem").collect() == []
    assert on_spark.dedup(frame, representation="stem").collect() == []


# Files through ``foreachBatch`` into a store: one digest of verdicts, however Spark cuts and repeats the stream.
SETTINGS = StreamSettings(terms=Settings(representation="stem"))
SCHEMA = "id string, text string, lang string, published string"
WORDS = ["мост", "река", "завод", "школа", "премьер", "выборы", "мороз", "снег", "дорога", "лес", "музей", "театр"]


def document(place):
    second = 11 * place % 300
    text = " ".join(f"{WORDS[(place // 3 + word) % 12]} {WORDS[(5 * word + place // 3) % 12]}ник" for word in range(9))
    return {
        "id": f"d{place:02d}", "text": text, "lang": "ru",
        "published": f"2026-11-21T10:{second // 60:02d}:{second % 60:02d}",
    }  # fmt: skip


ROWS = [document(place) for place in range(40)]
LAST = {"id": "last", "text": "", "lang": "ru", "published": "2026-11-21T12:00:00"}


class Failing:
    """A judge that fails before and after some slots, given by their numbers."""

    def __init__(self, judge, fail):
        self._judge = judge
        self._fail = {(number, when) for number in fail for when in ("before", "after")}
        self._number = 1

    def __call__(self, rows):
        self._stop("before")
        self._judge(rows)
        self._stop("after")
        self._number += 1

    def _stop(self, when):
        if (self._number, when) in self._fail:
            self._fail.remove((self._number, when))
            raise RuntimeError(f"stopped {when} a slot")


class Verdicts(dict):
    """Verdicts by id; those that come again must be the same."""

    def take(self, verdicts):
        for verdict in verdicts:
            said = verdict.as_dict()
            assert self.setdefault(said["id"], said) == said


def digest(verdicts):
    return hashlib.sha256(json.dumps(sorted(verdicts.items())).encode()).hexdigest()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The digest of the slots, judged without Spark."""
    slots = {}
    for row in sorted(ROWS, key=lambda row: (row["published"], row["id"])):
        slots.setdefault(row["published"][:16], []).append(row)
    found = Verdicts()
    with Deduplicator.open(tmp_path_factory.mktemp("store") / "stream.db", SETTINGS) as store:
        for rows in slots.values():
            found.take(store.process(rows))
    assert len(found) == len(ROWS)
    assert len({verdict["status"] for verdict in found.values()}) > 1
    return digest(found)


@pytest.mark.parametrize(("files_at_once", "fail"), [(1, ()), (3, (2, 4)), (100, (1, 3))])
def test_every_split_gives_the_same_verdicts(spark, expected, tmp_path, files_at_once, fail):
    folder = tmp_path / "in"
    folder.mkdir()
    for place in range(0, len(ROWS), 4):
        lines = [json.dumps(row, ensure_ascii=False) for row in ROWS[place : place + 4]]
        (folder / f"{place:02d}.json").write_text("\n".join(lines), encoding="utf-8")
    found = Verdicts()
    with judge_in_store(lambda: Deduplicator.open(tmp_path / "stream.db", SETTINGS), found.take) as judge:
        write = SlotWriter(judge=Failing(judge, fail), waiting=tmp_path / "waiting.json", delay_seconds=600)
        _run(spark, folder, tmp_path, write, files_at_once, 0)
        (folder / "last.json").write_text(json.dumps(LAST), encoding="utf-8")
        _run(spark, folder, tmp_path, write, files_at_once, 2 * len(fail))
    assert digest(found) == expected


def _run(spark, folder, place, write, files_at_once, failures):
    """Take what is in the folder; start again after each failure, as a supervisor does."""
    from pyspark.errors import StreamingQueryException

    for _ in range(failures):
        with pytest.raises(StreamingQueryException, match="stopped"):
            _started(spark, folder, place, write, files_at_once).awaitTermination()
    _started(spark, folder, place, write, files_at_once).awaitTermination()


def _started(spark, folder, place, write, files_at_once):
    frame = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", files_at_once).json(str(folder))
    return (
        frame.writeStream.foreachBatch(write)
        .option("checkpointLocation", str(place / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )


# Slots of event time do not depend on how Spark cuts the stream, nor on what it sends again; no Spark is needed.
def document_slots(place):
    second = 7 * place % 600
    text = " ".join(WORDS[(place // 3 + word) % 12] + "у" * (word % 2) for word in range(12))
    return {"id": f"d{place}", "text": text, "published": f"2026-11-21T10:{second // 60:02d}:{second % 60:02d}"}


SLOTS_ROWS = [document_slots(place) for place in range(60)]
SLOTS_LAST = {"id": "last", "text": "", "published": "2026-11-21T12:00:00+00:00"}


@given(st.lists(st.integers(1, 20), min_size=1, max_size=8), st.sets(st.integers(0, 7)), st.randoms())
def test_any_cut_with_repeats_gives_the_same_slots(tmp_path_factory, sizes, repeated, random):
    judged = []
    folder = tmp_path_factory.mktemp("slots")
    rows = random.sample(SLOTS_ROWS, len(SLOTS_ROWS))
    begin = 0
    for number, size in enumerate([*sizes, len(rows)]):
        # A new writer each time, as after a restart.
        write = SlotWriter(judge=judged.append, waiting=folder / "waiting.json", delay_seconds=600)
        for _ in range(1 + (number in repeated)):
            write.take(rows[begin : begin + size])
        begin += size
    write.take([SLOTS_LAST])
    expected = {}
    for row in sorted(SLOTS_ROWS, key=lambda row: (row["published"], row["id"])):
        expected.setdefault(row["published"][:16], []).append(row["id"])
    assert [[row["id"] for row in slot] for slot in judged] == list(expected.values())


@pytest.mark.smoke
def test_a_late_document_is_judged_with_the_next_slot_and_a_failure_loses_nothing(tmp_path):
    judged = []

    def fail(rows):
        raise OSError("full")

    path = tmp_path / "waiting.json"
    write = SlotWriter(judge=judged.append, waiting=path, delay_seconds=0)
    failing = SlotWriter(judge=fail, waiting=path, delay_seconds=0)
    write.take([{"id": "a", "text": "", "published": "2026-11-21T10:00:10Z"}])
    rows = [{"id": "b", "text": "", "published": "2026-11-21T10:02:00Z"}]
    with pytest.raises(OSError, match="full"):
        failing.take(rows)
    write.take(rows)
    write.take([{"id": "late", "text": "", "published": "2026-11-21T09:00:00Z"}])
    assert [[row["id"] for row in slot] for slot in judged] == [["a"]]
    write.take([{"id": "c", "text": "", "published": "2026-11-21T10:03:00Z"}])
    assert [[row["id"] for row in slot] for slot in judged] == [["a"], ["late", "b"]]


@pytest.mark.parametrize("row", [{"text": "x", "published": "2026-11-21"}, {"id": "a", "text": "x"}])
def test_documents_without_id_or_date_are_refused(tmp_path, row):
    with pytest.raises(BadDataError, match="needs an id and a date"):
        SlotWriter(judge=print, waiting=tmp_path / "waiting.json").take([row])
    with pytest.raises(BadDataError, match="is not a date"):
        SlotWriter(judge=print, waiting=tmp_path / "w.json").take([{"id": "a", "text": "", "published": "soon"}])


def row(name, published):
    return {"id": name, "text": "", "published": published}


def test_a_wrong_date_does_not_keep_later_documents_waiting(tmp_path):
    judged = []
    write = SlotWriter(judge=judged.extend, waiting=tmp_path / "waiting.json", delay_seconds=0)
    write.take([row("a", "2026-11-21T10:00:00")])
    write.take([row("wrong", "2099-01-01T00:00:00"), row("b", "2026-11-21T10:01:00")])
    write.take([row("c", "2026-11-21T10:02:00"), row("d", "2026-11-21T10:03:00")])
    assert [one["id"] for one in judged] == ["a", "wrong", "b", "c"]


def test_five_dates_after_a_gap_are_believed_however_they_arrive(tmp_path):
    late = [row(f"n{second}", f"2026-12-01T10:00:0{second}") for second in range(5)]
    for number, parts in enumerate(([late], [late[3:], late[:3]], [[one] for one in late])):
        judged = []
        write = SlotWriter(judge=judged.append, waiting=tmp_path / f"{number}.json", delay_seconds=0)
        for part in ([row("a", "2026-11-21T10:00:00")], *parts, [row("z", "2026-12-01T10:01:00")]):
            write.take(part)
        assert [[one["id"] for one in slot] for slot in judged] == [["a"], [f"n{second}" for second in range(5)]]


def test_both_contents_of_an_id_are_judged_in_whatever_order_they_come(tmp_path):
    rows = [row("a", "2026-11-21T10:00:00") | {"text": text} for text in ("one", "other")]
    found = []
    for number, order in enumerate((rows, rows[::-1])):
        judged = []
        write = SlotWriter(judge=judged.extend, waiting=tmp_path / f"{number}.json", delay_seconds=0)
        for one in [*order, *rows]:
            write.take([one])
        write.take([row("b", "2026-11-21T10:01:00")])
        found.append(judged)
    assert sorted(one["text"] for one in judged) == ["one", "other"]
    assert found[0] == found[1]
    with Deduplicator.open(tmp_path / "stream.db", on_conflict="version") as stream:
        assert [verdict.id for verdict in stream.process(judged)] == ["a", "a"]
        assert len(stream.store.known("a")) == 2


def test_fields_of_any_type_can_wait(tmp_path):
    judged = []
    fields = {"id": "a", "text": "", "published": datetime(2026, 11, 21, 10, tzinfo=UTC), "day": date(2026, 11, 21)}
    further = {"price": Decimal("1.50"), "seen": [datetime(2026, 11, 20, 9, 30, tzinfo=UTC)], "none": None}
    write = SlotWriter(judge=judged.extend, waiting=tmp_path / "waiting.json", delay_seconds=0)
    write.take([fields | further])
    write.take([fields | further, row("b", "2026-11-21T10:01:00")])
    assert judged == [
        {"id": "a", "text": "", "published": "2026-11-21T10:00:00+00:00", "day": "2026-11-21"}
        | {"price": "1.50", "seen": ["2026-11-20T09:30:00+00:00"]}
    ]
