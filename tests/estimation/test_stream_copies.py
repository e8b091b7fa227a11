"""Copies of a stream by day and source, and the days on which their shares drift."""

from datetime import date, timedelta

import pytest
from scipy.stats import fisher_exact

from infostream_dedup import Deduplicator, api
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.estimation.stream_copies import DayCopies, drifts, latest_drifts
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

START = date(2026, 3, 2)


def letters(number: int) -> str:
    alphabet = "абвгдежзиклмнопрстуфхцчшщэюя"
    return alphabet[number % 28] + alphabet[number // 28]


def text(number: int, words: range = range(40)) -> str:
    """Forty words that no other number has, or some of them."""
    return " ".join(f"слово{letters(number)}{letters(word)}" for word in words)


def item(name: str, day: int, source: str, body: str, title: str = "") -> dict[str, str]:
    published = f"{START + timedelta(days=day):%Y-%m-%d}T10:00:00Z"
    return {"id": name, "text": body, "title": title, "lang": "ru", "published": published, "source": source}


STREAM = [
    item("a", 0, "one", text(1)), item("b", 0, "two", text(2), "Мост"),
    # Day 1: an equal text of another source, and one that shares a third of its wording only (a copy, not a link).
    item("c", 1, "two", text(1)), item("d", 1, "two", text(2, range(14)) + " " + text(3, range(14, 40)), "Мост"),
    # Day 2: a source repeats its own text under another title: a series.
    item("e", 2, "one", text(4), "Курс на понедельник"), item("f", 3, "one", text(4), "Курс на вторник"),
    # The clock goes on by a day with each of these.
    *(item(f"day {day}", day, "three", text(5 + day)) for day in range(4, 9)),
    # Day 9: equal to the text of day 1, but eight days later.
    item("g", 9, "one", text(1)),
]  # fmt: skip


def rows(path, batch):
    with Deduplicator.open(path) as stream:
        for begin in range(0, len(STREAM), batch):
            stream.process(STREAM[begin : begin + batch])
    return api.store.copies(path)


def test_days_worked_by_hand_are_the_same_however_the_stream_is_cut(tmp_path):
    found = rows(tmp_path / "one.db", 1)
    assert found == rows(tmp_path / "two.db", 3) == rows(tmp_path / "all.db", 100)
    names = ("day", "source", "documents", "links", "copies", "linked_copies", "copy_precision", "copy_recall")
    # 12 of the 38 triples of d are b's: 12/38 = .32 of either text.
    assert [tuple(row[name] for name in names) for row in found] == [
        ("2026-03-02", "one", 1, 0, 0, 0, None, None), ("2026-03-02", "two", 1, 0, 0, 0, None, None),
        ("2026-03-03", "two", 2, 1, 2, 1, 1.0, 0.5), ("2026-03-04", "one", 1, 0, 0, 0, None, None),
        ("2026-03-05", "one", 1, 0, 0, 0, None, None),
        *((f"2026-03-{day:02}", "three", 1, 0, 0, 0, None, None) for day in range(6, 11)),
        ("2026-03-11", "one", 1, 0, 0, 0, None, None),
    ]  # fmt: skip
    assert api.store.copies(tmp_path / "one.db", days=9) == found[2:]
    assert api.store.drifts(tmp_path / "one.db") == []


def test_forgotten_documents_are_in_no_pair(tmp_path):
    path = tmp_path / "s.db"
    rows(path, 100)
    with Store.open(path) as store:
        store.forget("a")
    found = api.store.copies(path)
    assert [(row["documents"], row["copies"]) for row in found if row["day"] == "2026-03-03"] == [(2, 1)]


def test_a_store_without_wording_is_refused(tmp_path):
    with Deduplicator.open(tmp_path / "s.db", StreamSettings()) as stream:
        stream.process(STREAM)
    with pytest.raises(ConfigurationError, match="keeps no wording"):
        api.store.copies(tmp_path / "s.db")


def days(counts, source="one", first=0):
    return [
        DayCopies(day=20_000 + first + day, source=source, documents=n, links=k, copies=c, linked_copies=b)
        for day, (n, k, c, b) in enumerate(counts)
    ]


def test_a_recall_that_falls_is_an_alarm_on_its_first_day():
    # Five copies a day, four of them linked; from day 40 on none is.
    found = drifts(days([(50, 4, 5, 4)] * 40 + [(50, 0, 5, 0)] * 5))
    assert {row.source for row in found} == {None, "one"}
    assert {row.measure for row in found} == {"recall"}
    (own,) = (row for row in found if row.source == "one")
    # On day 43 three of the last seven days are good: 12 of 35 copies are linked, of 140 before them 112.
    chance = 2 * fisher_exact([[12, 23], [112, 28]], alternative="less").pvalue
    assert (own.first, own.last, own.recent, own.usual) == (20_043, 20_044, (12, 35), (112, 140))
    assert own.chance == pytest.approx(chance)
    # A day earlier, 16 of 35: not rare enough.
    assert 2 * fisher_exact([[16, 19], [112, 28]], alternative="less").pvalue > 1e-4
    assert drifts(days([(50, 4, 5, 4)] * 45)) == []


def test_links_that_are_no_copies_and_a_flood_of_copies_are_alarms():
    wrong = drifts(days([(50, 4, 4, 4)] * 40 + [(50, 9, 4, 4)] * 7, source=None))
    assert [(row.source, row.measure) for row in wrong] == [(None, "precision")]
    flood = drifts(days([(50, 5, 5, 5)] * 40 + [(50, 30, 30, 30)] * 7))
    assert {row.measure for row in flood} == {"copies"}
    assert flood[0].as_dict()["first"] == "2024-11-14"


def test_too_few_usual_days_say_nothing():
    # Nineteen usual copies at most.
    assert not [row for row in drifts(days([(50, 1, 1, 1)] * 19 + [(50, 0, 50, 0)] * 7)) if row.measure == "recall"]
    assert drifts([]) == []


def test_a_stream_whose_source_begins_to_change_its_copies_is_told(tmp_path):
    # The second source reprints five texts of the first every day; from day 38 on it keeps a third of each only.
    stream = []
    for day in range(42):
        for place in range(5):
            number = 5 * day + place
            stream.append(item(f"a{number}", day, "one", text(number)))
            changed = text(number, range(16)) + " " + text(number + 400, range(16, 40))
            stream.append(item(f"b{number}", day, "two", text(number) if day < 38 else changed))
    with Deduplicator.open(tmp_path / "s.db") as opened:
        opened.process(stream)
    found = api.store.drifts(tmp_path / "s.db")
    assert {(row["source"], row["measure"]) for row in found} == {(None, "recall"), ("two", "recall")}
    assert {row["usual"] for row in found} == {1.0}
    assert all("2026-04-09" <= row["first"] <= "2026-04-11" for row in found)
    with Store.open(tmp_path / "s.db", read_only=True) as store:
        assert [drift.as_dict() for drift in latest_drifts(store) or ()] == found
