"""Spark gives what the engine gives, however tasks are cut; skipped where there is no Java 17 or no pyspark."""

import json

import pytest

from infostream_dedup import Settings, dedup, pairs, sweep
from infostream_dedup.errors import BadDataError, UsageError
from infostream_dedup.runs.batch.linking import least_count

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
    assert (found.recommended_k, found.reason["stem"][:8]) == ({"stem": 6}, "default:")
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
        on_spark.pairs(frame, score="share")


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
    found = on_spark.sweep(frame, representations=["stem"])
    assert [row.as_dict() for row in found.rows] == [
        row.as_dict() for row in sweep([], representations=["stem"], estimate=False).rows
    ]
    assert on_spark.pairs(frame, representation="stem").collect() == []
    assert on_spark.dedup(frame, representation="stem").collect() == []
