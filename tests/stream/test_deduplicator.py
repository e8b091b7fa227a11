"""The public face: replays, conflicts, failures, another process, and a store against memory."""

import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from infostream_dedup.api.store import show
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import BadDataError, ConfigurationError, InfostreamError, UsageError
from infostream_dedup.model import Document
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.checking import checks

STORY, OTHER = range(12), range(12, 24)


@pytest.fixture(params=["store", "memory"])
def stream(request, tmp_path, plain):
    with Deduplicator.open(tmp_path / "s.db" if request.param == "store" else None, plain) as dedup:
        yield dedup


def test_a_batch_that_comes_again_gets_the_same_verdicts(stream, news):
    batch = [news("a", STORY), news("b", [*STORY, 20])]
    first = stream.process(batch, batch_id="one")
    assert [one.status for one in first] == ["new", "duplicate"]
    stream.process([news("c", STORY)], batch_id="two")
    assert (stream.process(batch, batch_id="one"), stream.process(batch)) == (first, first)
    with pytest.raises(BadDataError, match="batch 'one' already exists with different content") as failure:
        stream.process([news("d", OTHER)], batch_id="one")
    assert (failure.value.code, failure.value.exit_code) == ("E_BATCH_CONFLICT", 65)


def test_a_document_that_comes_again_gets_its_verdict(stream, news):
    stream.process([news("a", STORY), news("b", [*STORY, 20])])
    verdicts = stream.process([news("c", [*STORY, 21]), news("b", [*STORY, 20]), news("c", [*STORY, 21])])
    assert [(one.id, one.status, one.of) for one in verdicts] == [
        ("c", "duplicate", "a"), ("b", "duplicate", "a"), ("c", "duplicate", "a"),
    ]  # fmt: skip
    # Nothing is counted twice, and the mixed batch can be replayed.
    assert stream.process([news("c", [*STORY, 21]), news("b", [*STORY, 20]), news("c", [*STORY, 21])]) == verdicts
    assert stream.process([news("d", [*STORY, 22])])[0].group == "a"


def test_another_content_of_a_known_id(stream, news):
    stream.process([news("a", STORY)])
    with pytest.raises(BadDataError, match="'a' already exists with different content") as failure:
        stream.process([news("b", OTHER), news("a", OTHER)])
    assert (failure.value.code, failure.value.line, failure.value.field) == ("E_ID_CONFLICT", 2, "id")
    with pytest.raises(BadDataError):
        stream.process([news("b", OTHER), news("b", STORY)])
    assert stream.process([news("b", OTHER)])[0].status == "new"


@pytest.mark.parametrize("place", ["store", "memory"])
def test_further_versions(place, tmp_path, plain, news):
    path = tmp_path / "s.db" if place == "store" else None
    with Deduplicator.open(path, plain, on_conflict="version") as stream:
        stream.process([news("a", STORY)])
        (revised,) = stream.process([news("a", [*STORY, 20])], batch_id="revised")
        assert (revised.status, revised.of, revised.revision_of) == ("new", None, "a")
        assert revised.as_dict()["revision_of"] == "a"
        assert stream.process([news("a", [*STORY, 20])], batch_id="revised") == [revised]
        assert stream.process([news("b", [*STORY, 20])])[0].revision_of is None
        assert stream.process([news("a", OTHER)])[0].status == "new"
        # Each version is known by its content.
        assert stream.process([news("a", STORY)], batch_id="again")[0].of is None
        assert [known.version for known in stream.store.known_of(["a"])["a"]] == [0, 1, 2]


def test_mappings_are_checked(stream):
    assert stream.process([{"id": "a", "text": "bridge river minister bank"}])[0].status == "new"
    with pytest.raises(BadDataError, match=r"'text': missing, expected a string \[") as failure:
        stream.process([{"id": "b", "text": "x"}, {"id": "c"}])
    assert (failure.value.code, failure.value.line, failure.value.field) == ("E_MISSING", 2, "text")
    with pytest.raises(BadDataError, match="int, expected a document or a mapping"):
        stream.process([5])
    with pytest.raises(ConfigurationError, match="dict is not a batch; expected a list"):
        stream.process({"id": "d", "text": "bridge"})
    with pytest.raises(ConfigurationError, match="NoneType is not a batch; expected a list"):
        stream.process(None)
    mixed = [{"id": "b"}, 5, {"id": "a", "text": "another"}, {"id": "e", "text": "bridge"}]
    for _ in range(2):
        found = stream.process(mixed, on_error="skip")
        assert [one.id for one in found] == ["e"]
        assert {one.line: one.code for one in found.quarantined} == {1: "E_MISSING", 2: "E_TYPE", 3: "E_ID_CONFLICT"}


def test_documents_made_by_hand_are_checked_and_dated_like_mappings(tmp_path, plain):
    fields = {"id": "a", "text": "bridge river minister bank", "published": "2024-03-01", "lang": "uk-UA"}
    for kind, item in (("mapping", fields), ("document", Document(**fields))):
        with Deduplicator.open(tmp_path / f"{kind}.db", plain) as stream:
            stream.process([item])
        assert show(tmp_path / f"{kind}.db", "a")["document"]["published"] == "2024-03-01T00:00:00Z"
    with Deduplicator.open(None, plain) as stream:
        for field, value in {"id": "", "text": 5, "published": "soon"}.items():
            with pytest.raises(BadDataError) as failure:
                stream.process([Document(**fields | {field: value})])
            assert (failure.value.line, failure.value.field) == (1, field)
        (read,) = read_documents([fields])
        assert stream.process([read])[0].status == "new"


def test_a_closed_stream_says_that_it_is_closed(tmp_path, plain, news):
    with Deduplicator.open(tmp_path / "s.db", plain) as stream:
        stream.process([news("a", STORY)])
    for use in (lambda: stream.process([news("b", STORY)]), lambda: stream.search("x"), lambda: stream.best_of("a")):
        with pytest.raises(UsageError, match=r"s\.db: the store has been closed; open it again"):
            use()


def test_an_empty_batch_can_be_named(stream, news):
    assert (stream.process([], batch_id="quiet"), stream.process([], batch_id="quiet")) == ([], [])
    with pytest.raises(BadDataError):
        stream.process([news("a", STORY)], batch_id="quiet")


def test_threads_take_turns(stream, news):
    batches = [[news(f"{one}-{n}", STORY) for n in range(8)] for one in range(24)]
    with ThreadPoolExecutor(8) as threads:
        verdicts = [one for found in threads.map(stream.process, batches) for one in found]
    assert [one.id for one in verdicts] == [document.id for batch in batches for document in batch]
    assert len({one.group for one in verdicts}) == 1


def test_a_stream_in_memory_does_not_survive_a_failure(plain, news, monkeypatch):
    with Deduplicator.open(None, plain) as stream:
        stream.process([news("a", STORY)])
        monkeypatch.setattr(StreamEngine, "judge", lambda *values, **named: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            stream.process([news("b", OTHER)])
        with pytest.raises(InfostreamError, match="exists only in memory"):
            stream.process([news("b", OTHER)])


def test_a_writer_takes_in_what_another_one_stored_without_starting_over(tmp_path, plain, news, monkeypatch):
    path = tmp_path / "s.db"
    made = []
    restore = StreamEngine.restore.__func__
    monkeypatch.setattr(
        StreamEngine, "restore",
        classmethod(lambda cls, *given, **named: made.append(1) or restore(cls, *given, **named)),
    )  # fmt: skip
    with Deduplicator.open(path, plain) as one, Deduplicator.open(path) as other:
        for number in range(6):
            for stream in (one, other):
                assert stream.process([news(f"{number}{stream is one}", [*STORY, 12 + number])])[0].group == "0True"
        assert len(made) == 2
        one.store.forget("3True")
        # A forgotten document must leave the other's memory.
        assert other.process([news("z", OTHER)])[0].status == "new"
        assert len(made) == 3


def test_a_store_keeps_its_settings(tmp_path, plain, news):
    path = tmp_path / "s.db"
    with Deduplicator.open(path, plain.but(k_duplicate=7)) as stream:
        stream.process([news("a", STORY)])
    with Deduplicator.open(path) as stream:
        assert stream.settings.digest == plain.but(k_duplicate=7).digest
    with pytest.raises(ConfigurationError):
        Deduplicator.open(path, plain)
    with pytest.raises(ConfigurationError, match="on_conflict is 'maybe'"):
        Deduplicator.open(None, plain, on_conflict="maybe")


def test_memory_forgets_what_left_the_window(plain, news):
    with Deduplicator.open(None, plain.but(window_documents=2)) as stream:
        stream.process([news("a", STORY)], batch_id="one")
        for number in range(4):
            stream.process([news(f"x{number}", [number])])
        assert stream.store.known_of(["a"]) == {}
        assert stream.store.batch("one") is None
        assert [one.id for one in stream.process([news("a", STORY)], batch_id="one")] == ["a"]


content = st.tuples(
    st.lists(st.integers(0, 29), max_size=14), st.lists(st.integers(0, 4), max_size=4),
    st.sampled_from([None, 0.0, 0.5, 4.0]), st.sampled_from([None, "one", "two"]),
)  # fmt: skip


class StoreMachine(RuleBasedStateMachine):
    """A store that is fed, replayed, closed, opened and interrupted, against one engine that saw the whole stream."""

    settings_of_stream: StreamSettings
    news: object
    plain_stream: object

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "s.db"
        self.stream = self.opened()
        self.other = self.opened()
        self.documents, self.verdicts, self.batches, self.day = [], [], [], 0.0

    def opened(self):
        return Deduplicator.open(self.path, self.settings_of_stream)

    def made(self, contents):
        found = []
        for number, (words, figures, step, source) in enumerate(contents, start=len(self.documents)):
            self.day += step or 0.0
            found.append(
                self.news(str(number), words, numbers=figures, day=self.day, source=source, dated=step is not None)
            )
        return found

    @rule(contents=st.lists(content, max_size=6))
    def ingest(self, contents):
        batch, name = self.made(contents), f"batch {len(self.batches)}"
        verdicts = self.stream.process(batch, batch_id=name)
        self.documents += batch
        self.verdicts += verdicts
        self.batches.append((name, batch, verdicts))

    @precondition(lambda self: self.batches)
    @rule(data=st.data())
    def replay(self, data):
        name, batch, verdicts = data.draw(st.sampled_from(self.batches))
        assert self.stream.process(batch, batch_id=name) == verdicts

    @precondition(lambda self: self.documents)
    @rule(data=st.data())
    def documents_again(self, data):
        places = data.draw(st.lists(st.integers(0, len(self.documents) - 1), min_size=1, max_size=3))
        again = self.stream.process([self.documents[place] for place in places])
        assert again == [self.verdicts[place] for place in places]

    @precondition(lambda self: self.documents)
    @rule(data=st.data(), contents=st.lists(content, max_size=3))
    def conflict(self, data, contents):
        day = self.day
        known = data.draw(st.sampled_from(self.documents))
        batch = [*self.made(contents), self.news(known.id, [29], title="another")]
        with pytest.raises(BadDataError):
            self.stream.process(batch)
        self.day = day

    @rule(contents=st.lists(content, min_size=1, max_size=4))
    def failure(self, contents):
        day, append = self.day, self.stream.store.append
        self.stream.store.append = lambda *values, **named: 1 / 0
        with pytest.raises(ZeroDivisionError):
            self.stream.process(self.made(contents))
        self.stream.store.append = append
        self.day = day

    @rule()
    def reopen(self):
        self.stream.close()
        self.stream = self.opened()

    @rule()
    def another_process_goes_on(self):
        """Two writers take turns; each must take in what the other has stored."""
        self.stream, self.other = self.other, self.stream

    @rule()
    def expire(self):
        self.stream.store.expire()
        assert self.stream.store.connection.execute("PRAGMA freelist_count").fetchone()[0] == 0

    @rule()
    def go_on_with_a_backup(self):
        copy = self.path.with_name(f"{self.path.stem}+.db")
        self.stream.store.backup(copy)
        self.stream.close()
        self.other.close()
        self.path = copy
        self.stream, self.other = self.opened(), self.opened()

    @invariant()
    def nothing_is_lost(self):
        assert self.stream.store.position.documents <= len(self.documents)

    def teardown(self):
        events = list(self.stream.store.events())
        assert [check for check in checks(self.stream.store.connection) if check.faults] == []
        self.stream.close()
        self.other.close()
        shutil.rmtree(self.folder)
        engine = StreamEngine(self.settings_of_stream)
        decided = engine.decide(self.documents)
        assert self.verdicts == decided.verdicts
        assert events == decided.events
        slow = self.plain_stream(self.settings_of_stream, engine.numbers.terms)
        for one in decided.remembered:
            slow.decide(one)
        assert [(one.id, one.status, one.group) for one in self.verdicts] == [row[:3] for row in slow.verdicts]


def play(runs, stream_settings, news, plain_stream, steps=12):
    machine = type(
        "Machine", (StoreMachine,),
        {"settings_of_stream": stream_settings, "news": staticmethod(news), "plain_stream": plain_stream},
    )  # fmt: skip
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
    chosen = settings(max_examples=runs, stateful_step_count=steps, deadline=None, suppress_health_check=quiet)
    run_state_machine_as_test(machine, settings=chosen)


SMALL = {"epoch_documents": 5, "first_epoch": 2, "window_days": 3, "k_duplicate": 4, "k_similar": 3}
GUARDED = SMALL | {"chaining_documents": 3, "chaining_density": 0.6, "loss_limit": 0.4, "loss_documents": 3}


@pytest.mark.parametrize("runs", [40, pytest.param(250, marks=pytest.mark.slow)])
@pytest.mark.parametrize("choice", [SMALL, GUARDED | {"window_documents": 6}], ids=["plain", "guarded"])
def test_any_course_of_events_leaves_the_verdicts_of_one_engine(runs, choice, terms, news, plain_stream):
    play(runs, StreamSettings(terms=terms, **choice), news, plain_stream)


def test_a_stream_keeps_to_its_list_of_boilerplate(tmp_path, plain, news):
    path = tmp_path / "s.db"
    with Deduplicator.open(path, plain, boilerplate="one") as stream:
        verdicts = stream.process([news("a", STORY)])
    for settings_given in (None, plain):
        with Deduplicator.open(path, settings_given, boilerplate="one") as stream:
            assert stream.process([news("a", STORY)]) == verdicts
        with pytest.raises(ConfigurationError, match="boilerplate 'one', now 'two'"):
            Deduplicator.open(path, settings_given, boilerplate="two")
    with pytest.raises(ConfigurationError, match=r"give the same list \(boilerplate\)"):
        Deduplicator.open(path)
    with pytest.raises(ConfigurationError, match="boilerplate 'one', now None"):
        Deduplicator.open(path, plain)
    with Deduplicator.open(tmp_path / "whole.db", plain):
        pass
    with pytest.raises(ConfigurationError, match="boilerplate None, now 'one'"):
        Deduplicator.open(tmp_path / "whole.db", boilerplate="one")


def test_all_versions_of_some_documents(tmp_path, plain, news):
    found = []
    for path in (tmp_path / "s.db", None):
        with Deduplicator.open(path, plain, on_conflict="version") as stream:
            for number in range(3):
                stream.process([news("a", range(number, number + 9)), news(f"b{number}", OTHER)])
            found.append(stream.store.known_of([*(f"b{number}" for number in range(1200)), "a", "'", "в"]))
    assert (found[0], sorted(found[0])) == (found[1], ["a", "b0", "b1", "b2"])
    assert [one.version for one in found[0]["a"]] == [0, 1, 2]
