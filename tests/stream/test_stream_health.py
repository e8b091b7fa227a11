"""S, T and duplicates of epochs: quiet streams raise no alarm, a stream that turns to forms does within one epoch."""

import random

import pytest

from infostream_dedup import api
from infostream_dedup.links.measures import NO_INTERVAL, Interval
from infostream_dedup.links.sweeping import intervals
from infostream_dedup.model import Document
from infostream_dedup.sample import documents_path
from infostream_dedup.stream import health
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.health import EpochHealth, alarms_since, with_alarms
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.opening import RETUNES, add_change, write_settings_checksum

EPOCH = 120
SYLLABLES = [a + b for a in "бвгджзклмнпрстфх" for b in "аоуэыи"]
MADE_UP = random.Random(2)  # noqa: S311
WORDS = sorted({"".join(MADE_UP.choices(SYLLABLES, k=4)) + "м" for _ in range(4000)})
"""No stemmer shortens one to another."""


def words(randomness, count):
    return " ".join(randomness.choices(WORDS, k=count))


def news(randomness, number):
    """One text in three is a copy of an earlier one of its epoch, a little changed."""
    found = []
    for place in range(EPOCH):
        if place % 3 == 2:
            copied = found[randomness.randrange(len(found))].split()
            copied[randomness.randrange(len(copied))] = words(randomness, 1)
            found.append(" ".join(copied))
        else:
            found.append(words(randomness, 40))
    return [Document(id=f"{number}-{n}", text=text, lang="ru", source=f"s{n % 2}") for n, text in enumerate(found)]


def forms(randomness, number):
    """One form, of which a third is filled in anew each time."""
    form = words(random.Random(1), 24)  # noqa: S311
    return [
        Document(id=f"{number}-{place}", text=f"{form} {words(randomness, 16)}", lang="ru", source=f"s{place % 2}")
        for place in range(EPOCH)
    ]


def streamed(path, epochs, **window):
    settings = {"preset": "faithful", "representation": "stem", "first_epoch": EPOCH, "epoch_documents": EPOCH}
    settings |= {"window_days": None, "df_max": 0.9}
    with Deduplicator.open(path, StreamSettings.of({**settings, **window})) as stream:
        for documents in epochs:
            stream.process(documents)
    return api.store.health(path)


def test_twenty_quiet_epochs_raise_no_alarm(tmp_path):
    randomness = random.Random(58)  # noqa: S311
    found = streamed(tmp_path / "s.db", [news(randomness, number) for number in range(21)])
    whole = [row for row in found if row["source"] is None]
    assert ([row["epoch"] for row in whole], {row["documents"] for row in whole}) == (list(range(20)), {EPOCH})
    # Words that the background does not know link nothing in the first epoch.
    assert all(row["links"] > 50 and row["symmetry_low"] is not None for row in whole[1:])
    assert ([row for row in found if row["alarms"]], {row["source"] for row in found}) == ([], {None, "s0", "s1"})
    assert len(api.store.health(tmp_path / "s.db", last=3)) == 9


def test_a_stream_that_turns_to_forms_alarms_within_one_epoch(tmp_path):
    randomness = random.Random(59)  # noqa: S311
    epochs = [news(randomness, number) for number in range(6)] + [forms(randomness, number) for number in (6, 7)]
    found = streamed(tmp_path / "s.db", [*epochs, news(randomness, 8)])
    alarms = {row["epoch"]: row["alarms"] for row in found if row["source"] is None}
    assert not any(alarms[epoch] for epoch in range(6))
    assert alarms[6]
    with Store.open(tmp_path / "s.db", create=False, read_only=True) as store:
        assert alarms_since(store, 6)[0].startswith("alarm: epoch 6 differs from those before in ")
        assert alarms_since(store, 8) == []
    notes = []
    with api.ingest(forms(randomness, 9), tmp_path / "s.db", note=notes.append) as found:
        assert len(list(found)) == EPOCH
    # News are what the last epochs were not: epoch 8 closes now.
    assert {"epoch 8" in note for note in notes} <= {True}
    assert {row["what"]: row["value"] for row in api.store.stats(tmp_path / "s.db")}["epoch 8 documents"] == EPOCH


def test_epochs_that_expired_are_still_compared_with(tmp_path):
    randomness = random.Random(61)  # noqa: S311
    epochs = [news(randomness, number) for number in range(23)] + [forms(randomness, 23), news(randomness, 24)]
    path, window = tmp_path / "s.db", {"window_documents": 50}
    for documents in epochs:
        streamed(path, [documents], **window)
        api.store.expire(path)
    found, whole = api.store.health(path), streamed(tmp_path / "whole.db", epochs, **window)
    assert found == [row for row in whole if row["epoch"] > 3]
    assert any(row["alarms"] for row in found if row["epoch"] == 23)
    # Links at another k say nothing about these.
    with Store.open(path) as store, store.transaction():
        add_change(store.connection, RETUNES, {"first": 24 * EPOCH, "changes": {"k_duplicate": 9}})
        write_settings_checksum(store.connection)
    assert api.store.health(path) == []


def test_links_between_languages_are_counted_by_what_the_store_keeps(tmp_path):
    with api.ingest(documents_path(), tmp_path / "s.db", first_epoch=150) as found:
        assert len(list(found)) > 150
    whole = next(row for row in api.store.health(tmp_path / "s.db") if row["source"] is None)
    with Store.open(tmp_path / "s.db", create=False, read_only=True) as store, store.reading():
        table = store.documents(0, whole["documents"])
    pivot, size = table.pivot, range(whole["documents"])
    held = [{*pivot.canonical.row(one).tolist(), *pivot.further.row(one).tolist()} for one in size]
    sets = [{} for _ in size]
    for one in size:
        for code in pivot.members.row(one).tolist():
            if code % 32 < 12:
                sets[one].setdefault(code % 32, set()).add(code // 32)
    links = {
        (a, b)
        for a in size
        for b in size
        if table.languages[a] != table.languages[b]
        and sum(not words.isdisjoint(held[b]) for words in sets[a].values()) >= 6
    }
    assert whole["links_across"] == len(links) > 10
    assert whole["symmetry_across"] == sum((b, a) in links for a, b in links) / len(links)
    assert whole["symmetry_across_low"] < whole["symmetry_across"]


def across(epoch, links, symmetry, error):
    bounds = Interval(symmetry - 1.96 * error, symmetry + 1.96 * error)
    return EpochHealth(
        epoch=epoch, source=None, documents=500, links=900, symmetry=0.5, transitivity=0.6, duplicates=0.1,
        interval=NO_INTERVAL, links_across=links, symmetry_across=symmetry, across=bounds,
    )  # fmt: skip


def test_topics_across_languages_alarm_once_and_a_fall_of_symmetry_too():
    levels = [0.95, 0.94, 0.96, 0.95, 0.3, 0.3, 0.31]
    rows = with_alarms(across(number, 400, level, 0.02) for number, level in enumerate(levels))
    assert [row.alarms for row in rows] == [[], [], [], [], ["symmetry_across", "topics"], [], []]
    # Fewer than fifty links say nothing.
    assert not any(row.alarms for row in with_alarms(across(number, 49, 0.3, 0.05) for number in range(9)))
    assert [row.epoch for row in with_alarms([across(number, 60, 0.9, 0.05) for number in range(9)], last=2)] == [7, 8]


def test_an_epoch_is_that_of_a_sweep(tmp_path, monkeypatch):
    randomness = random.Random(60)  # noqa: S311
    found = streamed(tmp_path / "s.db", [news(randomness, number) for number in range(3)])
    row = next(one for one in found if one["source"] is None and one["epoch"] == 1)
    swept = api.sweep_store(tmp_path / "s.db", estimate=False, examples=False)
    assert row["duplicates"] == pytest.approx(1 / 3, abs=0.1)
    assert swept.rows[5].measures.links >= row["links"]
    # Too many walks to go one by one are counted as in a sweep, without intervals.
    monkeypatch.setattr(health, "MOST_WALKS", -1)
    measured = api.store.health(tmp_path / "s.db")
    same = ("epoch", "source", "documents", "links", "symmetry", "transitivity", "duplicates")
    assert [[one[name] for name in same] for one in measured] == [[one[name] for name in same] for one in found]
    assert intervals(None, []) == {}
