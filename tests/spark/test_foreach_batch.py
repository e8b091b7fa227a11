"""Files through ``foreachBatch`` into a store: one digest of verdicts, however Spark cuts and repeats the stream."""

import hashlib
import json

import pytest

from infostream_dedup import Deduplicator, Settings, StreamSettings
from infostream_dedup.runs.spark.streaming import SlotWriter, judge_in_store

pytestmark = pytest.mark.filterwarnings("ignore")

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
    """A judge that fails before and after some slots.

    Args:
        judge: judges the others.
        fail: numbers of these slots.
    """

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
