import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from infostream_dedup.errors import StoreBusyError
from infostream_dedup.model.stream_records import Batch, Decided, EpochFrequencies, GroupEvent, Remembered, Verdict
from infostream_dedup.stream.store import Position, Store, StoreChangedError


def by_hand(ordinal, id_, *, terms, keys, version=0, text=None):
    return Remembered(
        ordinal=ordinal, id=id_, version=version, source="tass", clock=1_700_000_000_000_000 + ordinal, published=None,
        language="ru", content_hash=f"content of {id_}".encode(), text_hash=b"text", opening_hash=b"", epoch=0,
        length=len(terms), keys=np.array(keys), weights=np.array([3, 2, 1][: len(keys)]) * 1_000_000_000,
        targets=np.array(terms), numbers=np.array([7, 2**62]), title=f"Заголовок {id_}", text=text,
    )  # fmt: skip


FIRST = by_hand(0, "а", terms=[0, 1, 2], keys=[2, 0])
SECOND = by_hand(1, "б", terms=[0, 2, 3], keys=[3, 0], text="Сегодня\nв мире")
NEW = Verdict(id="а", status="new", group="а")
REPEAT = Verdict(
    id="б", status="duplicate", of="а", group="а", relation="equal", forward=1, backward=2, terms=("мир", "сегодня")
)


@pytest.fixture
def two(new_store):
    decided = Decided(
        remembered=[FIRST, SECOND], verdicts=[NEW, REPEAT], events=[GroupEvent(1, "limit", "tass", value=0.5)],
        new_terms=["сегодня", "в", "мир", "ночь"], state={"sources": {"tass": [1, 1]}},
    )  # fmt: skip
    new_store.append(Batch("утро", b"hash", decided))
    return new_store


def test_a_batch_comes_back_as_it_was(two):
    stored = two.batch("утро")
    assert (stored.batch_id, stored.content_hash, stored.verdicts) == ("утро", b"hash", (NEW, REPEAT))
    assert two.batch("вечер") is None


def test_documents_are_found_by_id(two):
    (known,) = two.known("б")
    assert (known.ordinal, known.version, known.content_hash, known.verdict) == (1, 0, "content of б".encode(), REPEAT)
    assert (two.known("а")[-1].verdict, two.verdict_at(1)) == (NEW, REPEAT)
    assert two.known("в") == ()
    with pytest.raises(KeyError):
        two.verdict_at(2)


def test_titles_are_kept_and_texts_on_request(two):
    assert (two.heading("б"), two.heading("а"), two.heading("в")) == ("Заголовок б", "Заголовок а", "")
    assert two.text(1) == "Сегодня\nв мире"
    assert two.text(0) is None


def test_a_store_opened_again_knows_everything(two):
    two.close()
    with Store.open(two.path) as again:
        loaded = again.load()
    assert loaded.position == Position(batches=1, documents=2, terms=4, forgotten=0)
    assert (loaded.terms, loaded.clock) == (["сегодня", "в", "мир", "ночь"], 1_700_000_000_000_001)
    assert (loaded.epoch, loaded.oldest) == (0, 0)
    assert (loaded.frequencies, loaded.state) == ({}, {"sources": {"tass": [1, 1]}})
    assert loaded.events == (GroupEvent(1, "limit", "tass", value=0.5),)
    assert (list(loaded.documents.groups), list(loaded.documents.statuses)) == (["а", "а"], ["new", "duplicate"])
    for given, row in zip([FIRST, SECOND], loaded.documents, strict=True):
        for field in ("keys", "weights", "targets", "numbers"):
            assert getattr(row, field).dtype == np.int64
            assert getattr(row, field).tolist() == getattr(given, field).tolist()
        small = ("ordinal", "id", "version", "source", "clock", "published", "language", "epoch", "length")
        for field in (*small, "text_hash", "opening_hash"):
            assert getattr(row, field) == getattr(given, field)


def test_answers_name_the_documents_of_a_batch(two):
    third = by_hand(2, "в", terms=[1], keys=[])
    verdict = Verdict(id="в", status="insufficient_text", group="в")
    two.append(Batch("день", b"", Decided(remembered=[third], verdicts=[verdict]), answers=[1, 2, 1]))
    assert two.batch("день").verdicts == (REPEAT, verdict, REPEAT)


def test_versions_of_an_id_are_distinguished(two):
    later = replace(by_hand(2, "а", terms=[1], keys=[1]), version=1)
    words = {"relation": "contains", "forward": 0, "backward": 4, "terms": ()}
    verdict = Verdict(id="а", status="similar", of="б", group="а", revision_of="а", **words)
    two.append(Batch("день", b"", Decided(remembered=[later], verdicts=[verdict])))
    assert [(known.ordinal, known.version) for known in two.known("а")] == [(0, 0), (2, 1)]
    assert two.known("а")[-1].verdict == verdict
    with pytest.raises(sqlite3.IntegrityError):
        two.append(Batch("вечер", b"", Decided(remembered=[replace(later, ordinal=3)], verdicts=[verdict])))


def test_state_keeps_what_is_not_given(two):
    two.append(Batch("день", b"", Decided(state={"clock": None})))
    assert two.load().state == {"sources": {"tass": [1, 1]}, "clock": None}
    two.append(Batch("вечер", b"", Decided(state={"sources": {}})))
    assert two.load().state == {"sources": {}, "clock": None}


@pytest.mark.parametrize(("remembered", "verdicts", "what"), [
    ([by_hand(2, "в", terms=[1], keys=[1])], [], "0 verdicts for 1 documents"),
    ([by_hand(3, "в", terms=[1], keys=[1])], [replace(NEW, id="в")], "'в' has ordinal 3"),
    ([by_hand(2, "в", terms=[1], keys=[1])], [NEW], "the verdict of 'а'"),
    ([by_hand(2, "в", terms=[4], keys=[1])], [replace(NEW, id="в")], "term 4; the store knows 4"),
    ([by_hand(2, "в", terms=[1], keys=[-(2**31) - 1])], [replace(NEW, id="в")], "do not fit int32"),
])  # fmt: skip
def test_what_does_not_belong_together_is_refused_and_changes_nothing(two, remembered, verdicts, what):
    with pytest.raises(ValueError, match=what):
        two.append(Batch("день", b"", Decided(remembered=remembered, verdicts=verdicts)))
    assert two.batch("день") is None
    assert not two.connection.in_transaction
    assert two.position == Position(1, 2, 4, 0)
    two.append(Batch("день", b"", Decided()))


def test_a_batch_id_is_used_once(two):
    with pytest.raises(sqlite3.IntegrityError):
        two.append(Batch("утро", b"other", Decided()))
    assert two.batch("утро").content_hash == b"hash"


def test_who_has_not_loaded_what_another_wrote_may_not_append(two):
    with Store.open(two.path) as other:
        other.append(Batch("день", b"", Decided()))
        assert not other.changed()
    assert two.changed()
    with pytest.raises(StoreChangedError) as caught:
        two.append(Batch("вечер", b"", Decided()))
    assert isinstance(caught.value, StoreBusyError)
    assert caught.value.exit_code == 75
    two.load(since=two.position)
    two.append(Batch("вечер", b"", Decided()))
    assert two.position.batches == 3


def test_state_another_wrote_is_not_taken_for_ones_own(two):
    with Store.open(two.path) as other:
        other.append(Batch("день", b"", Decided(state={"sources": 2})))
    two.load(since=two.position)
    two.append(Batch("вечер", b"", Decided(state={"sources": {"tass": [1, 1]}})))
    assert two.load().state == {"sources": {"tass": [1, 1]}}


def test_a_failed_transaction_leaves_nothing(two):
    def interrupted():
        with two.transaction():
            two.append(Batch("день", b"", Decided(state={"sources": 3})))
            assert two.position.batches == 2
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert two.position.batches == 1
    assert two.batch("день") is None
    two.append(Batch("день", b"", Decided(state={"sources": 3})))
    assert two.load().state == {"sources": 3}


def test_a_failing_commit_leaves_no_batch(two, monkeypatch):
    class Commitless:
        def __init__(self, connection):
            self._connection = connection

        def __getattr__(self, name):
            return getattr(self._connection, name)

        def execute(self, sql, *values):
            if sql == "COMMIT":
                raise sqlite3.OperationalError("no commit today")
            return self._connection.execute(sql, *values)

    monkeypatch.setattr(two, "_connection", Commitless(two.connection))
    with pytest.raises(sqlite3.OperationalError, match="no commit today"):
        two.append(Batch("день", b"", Decided()))
    monkeypatch.undo()
    assert two.batch("день") is None
    assert two.position.batches == 1
    two.append(Batch("день", b"", Decided()))


def test_a_busy_store_says_so(two):
    with (
        Store.open(two.path, busy_seconds=0.05) as other,
        two.transaction(),
        pytest.raises(StoreBusyError, match="another process is writing") as caught,
    ):
        other.append(Batch("день", b"", Decided()))
    assert caught.value.exit_code == 75
    assert str(two.path) in str(caught.value)


def test_readers_see_whole_batches_and_stop_nobody(two):
    with Store.open(two.path, read_only=True) as reader, reader.reading():
        assert reader.batch("день") is None
        two.append(Batch("день", b"", Decided()))
        assert reader.batch("день") is None
    with Store.open(two.path, read_only=True) as reader:
        assert reader.batch("день") is not None


def test_a_reader_cannot_write(two):
    from infostream_dedup.errors import CannotWriteError

    with Store.open(two.path, read_only=True) as reader, pytest.raises(CannotWriteError, match="read-only"):
        reader.append(Batch("день", b"", Decided()))


def test_every_commit_is_on_disk_before_it_is_acknowledged(new_store):
    def pragma(name):
        return new_store.connection.execute(f"PRAGMA {name}").fetchone()[0]

    assert (pragma("journal_mode"), pragma("synchronous"), pragma("foreign_keys")) == ("wal", 2, 1)


def test_a_whole_stream_is_restored(filled, synthetic, faults):
    with Store.open(filled) as store:
        loaded = store.load()
        assert faults(store) == []
        assert store.batch("batch-5").verdicts == tuple(map(synthetic.verdict, [*range(25, 30), 24]))
    assert loaded.position == Position(batches=20, documents=100, terms=300, forgotten=0)
    assert (loaded.epoch, loaded.oldest) == (4, 70)
    # The window begins before the open epoch.
    assert loaded.documents.ordinals.tolist() == list(range(70, 100))
    assert (loaded.state, set(loaded.frequencies)) == ({"documents": 100, "half": 9}, {"ru", "uk"})
    for language, sums in loaded.frequencies.items():
        own = [one for one in map(synthetic.document, range(80)) if one.language == language]
        counted = np.bincount(np.concatenate([one.targets for one in own]), minlength=300)
        assert (sums.documents, sums.length) == (len(own), sum(one.length for one in own))
        assert sums.df.tolist() == counted.tolist()


def test_the_open_epoch_is_loaded_where_the_window_is_shorter(new_store):
    for ordinal in range(3):
        one = replace(by_hand(ordinal, f"д{ordinal}", terms=[0], keys=[0]), epoch=min(ordinal, 1))
        closed = [EpochFrequencies(0, "ru", 1, 1, np.array([0]), np.array([1]))] if ordinal == 1 else []
        verdict = Verdict(id=one.id, status="new", group=one.id)
        terms = ["слово"] if ordinal == 0 else []
        decided = Decided(remembered=[one], verdicts=[verdict], closed=closed, new_terms=terms, oldest=ordinal)
        new_store.append(Batch(f"b{ordinal}", b"", decided))
    loaded = new_store.load()
    assert (loaded.epoch, loaded.oldest, loaded.documents.ordinals.tolist()) == (1, 2, [1, 2])


def test_only_what_is_new_is_loaded(filled, synthetic):
    with Store.open(filled) as store, Store.open(filled) as other:
        before = store.load().position
        for number in (20, 21):
            other.append(synthetic.batch(number))
        news = store.load(since=before)
        assert not store.changed()
    assert news.documents.ordinals.tolist() == list(range(100, 110))
    assert news.terms == [f"термин-{number}" for number in range(300, 330)]
    assert ([event.kind for event in news.events], news.epoch) == (["merge", "alarm"], 5)


def test_a_group_of_an_old_name_is_not_the_old_group(new_store):
    def documents(*ordinals):
        return [replace(by_hand(one, f"д{one % 3}", terms=[], keys=[]), version=one // 3) for one in ordinals]

    def verdicts(*ordinals):
        return [Verdict(id=f"д{one % 3}", status="new", group=f"д{one % 3}") for one in ordinals]

    # д2 of version 0 was merged into д1, д2 of version 1 is a group of its own that is merged into д0 later.
    merge = [GroupEvent(2, "merge", "д1", "д2")]
    new_store.append(Batch("a", b"", Decided(remembered=documents(0, 1, 2), verdicts=verdicts(0, 1, 2), events=merge)))
    new_store.append(Batch("b", b"", Decided(remembered=documents(3, 4, 5), verdicts=verdicts(3, 4, 5))))
    assert list(new_store.load().documents.groups) == ["д0", "д1", "д1", "д0", "д1", "д2"]
    later = [GroupEvent(6, "merge", "д0", "д2")]
    new_store.append(Batch("c", b"", Decided(remembered=documents(6), verdicts=verdicts(6), events=later)))
    expected = ["д0", "д1", "д1", "д0", "д1", "д0", "д0"]
    assert list(new_store.load().documents.groups) == expected
    rows = new_store.connection.execute("SELECT group_id FROM v_members ORDER BY ordinal").fetchall()
    assert [row[0] for row in rows] == expected


def test_past_documents_are_found_by_the_streams_clock(store, synthetic):
    hour = synthetic.HOUR
    assert (store.span(), store.span(since=hour * 10)) == ((0, 100), (10, 100))
    assert (store.span(since=hour * 10 + 1, until=hour * 13), store.span(until=0)) == ((11, 13), (0, 0))
    assert (store.span(since=hour * 1000), store.span(since=hour * 20, until=hour * 10)) == ((100, 100), (20, 20))
    assert store.documents(11, 13).ordinals.tolist() == [11, 12]


def test_frequencies_an_epoch_was_weighed_by(store, synthetic):
    assert (store.terms(), store.frequencies(before=0)) == ([f"термин-{number}" for number in range(300)], {})
    first = store.frequencies(before=1)
    assert list(first) == ["ru", "uk"]
    for one in synthetic.frequencies(0):
        sums = first[one.language]
        assert (sums.documents, sums.length) == (one.documents, one.length)
        assert np.flatnonzero(sums.df).tolist() == one.terms.tolist()
        assert sums.df[one.terms].tolist() == one.df.tolist()
    assert store.frequencies(before=2)["ru"].documents == 26


def test_groups_are_those_after_all_merges(new_store):
    documents = [by_hand(number, f"д{number}", terms=[], keys=[]) for number in range(4)]
    verdicts = [Verdict(id=one.id, status="new", group=one.id) for one in documents]
    events = [GroupEvent(3, "merge", "д2", "д3"), GroupEvent(3, "merge", "д0", "д2"), GroupEvent(3, "expiry", "д1")]
    new_store.append(Batch("b", b"", Decided(remembered=documents, verdicts=verdicts, events=events)))
    loaded = new_store.load()
    assert list(loaded.documents.groups) == ["д0", "д1", "д0", "д0"]
    # Expiries are as many as documents; an engine has no use for them.
    assert loaded.events == tuple(events[:2])
    assert list(new_store.events()) == events
    members = new_store.connection.execute("SELECT id, group_id FROM v_members ORDER BY ordinal").fetchall()
    assert members == [("д0", "д0"), ("д1", "д1"), ("д2", "д0"), ("д3", "д0")]
