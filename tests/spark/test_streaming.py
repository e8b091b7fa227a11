"""Slots of event time do not depend on how Spark cuts the stream, nor on what it sends again; no Spark is needed."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import Deduplicator
from infostream_dedup.errors import BadDataError
from infostream_dedup.runs.spark.streaming import SlotWriter

WORDS = ["мост", "река", "завод", "школа", "премьер", "выборы", "мороз", "снег", "дорога", "лес", "музей", "театр"]


def document(place):
    second = 7 * place % 600
    text = " ".join(WORDS[(place // 3 + word) % 12] + "у" * (word % 2) for word in range(12))
    return {"id": f"d{place}", "text": text, "published": f"2026-11-21T10:{second // 60:02d}:{second % 60:02d}"}


ROWS = [document(place) for place in range(60)]
LAST = {"id": "last", "text": "", "published": "2026-11-21T12:00:00+00:00"}


@given(st.lists(st.integers(1, 20), min_size=1, max_size=8), st.sets(st.integers(0, 7)), st.randoms())
def test_any_cut_with_repeats_gives_the_same_slots(tmp_path_factory, sizes, repeated, random):
    """All documents come within ten minutes; the delay waits for the latest."""
    judged = []
    folder = tmp_path_factory.mktemp("slots")
    rows = random.sample(ROWS, len(ROWS))
    begin = 0
    for number, size in enumerate([*sizes, len(rows)]):
        # A new writer each time, as after a restart.
        write = SlotWriter(judge=judged.append, waiting=folder / "waiting.json", delay_seconds=600)
        for _ in range(1 + (number in repeated)):
            write.take(rows[begin : begin + size])
        begin += size
    write.take([LAST])
    expected = {}
    for row in sorted(ROWS, key=lambda row: (row["published"], row["id"])):
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
