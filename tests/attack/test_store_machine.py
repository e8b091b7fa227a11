"""Any course of store commands leaves what one engine says that saw the whole stream."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon.frequency import common_forms
from infostream_dedup.model import Document, Settings
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.checking import checks

WORDS = [form for form, _ in common_forms("en") if len(form) > 4 and form.isalpha()][:60]
CHOSEN = StreamSettings(
    terms=Settings(representation="stem", df_min=0), epoch_documents=6, first_epoch=3, window_days=None,
    window_documents=9, keep_text=True,
)  # fmt: skip
words = st.lists(st.integers(0, len(WORDS) - 1), min_size=3, max_size=14)


class Commands(RuleBasedStateMachine):
    """ingest, replay, conflict, failure, expire, verify, backup, going on with a backup, another process."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "0.db"
        self.stream = Deduplicator.open(self.path, CHOSEN)
        self.documents, self.verdicts, self.batches, self.copies = [], [], [], 0

    def made(self, contents):
        first = len(self.documents)
        return [
            Document(id=f"d{first + number}", text=" ".join(WORDS[word] for word in content), lang="en")
            for number, content in enumerate(contents)
        ]

    @rule(contents=st.lists(words, max_size=5), again=st.booleans())
    def ingest(self, contents, again):
        batch, name = self.made(contents), f"batch {len(self.batches)}"
        if again and self.documents and batch:
            batch[-1] = Document(id=batch[-1].id, text=self.documents[-1].text, lang="en")
        verdicts = self.stream.process(batch, batch_id=name)
        self.documents += batch
        self.verdicts += verdicts
        self.batches.append((name, batch, verdicts))
        RAN["ingest"] += 1

    @precondition(lambda self: self.batches)
    @rule(data=st.data())
    def replay(self, data):
        name, batch, verdicts = data.draw(st.sampled_from(self.batches))
        assert self.stream.process(batch, batch_id=name) == verdicts
        with pytest.raises(BadDataError):
            self.stream.process([*batch, Document(id="other", text="x")], batch_id=name)
        RAN["replay"] += 1

    @rule(contents=st.lists(words, min_size=1, max_size=3))
    def failure(self, contents):
        append = self.stream.store.append
        self.stream.store.append = lambda *values, **named: 1 / 0
        with pytest.raises(ZeroDivisionError):
            self.stream.process(self.made(contents))
        self.stream.store.append = append
        RAN["failure"] += 1

    @rule()
    def reopen(self):
        self.stream.close()
        self.stream = Deduplicator.open(self.path)
        RAN["reopen"] += 1

    @rule()
    def expire(self):
        self.stream.store.expire()
        assert self.stream.store.connection.execute("PRAGMA freelist_count").fetchone()[0] == 0
        RAN["expire"] += 1

    @rule()
    def verify(self):
        assert [check for check in checks(self.stream.store.connection) if check.faults] == []
        RAN["verify"] += 1

    @rule()
    def go_on_with_a_backup(self):
        self.copies += 1
        copy = self.folder / f"{self.copies}.db"
        self.stream.store.backup(copy)
        self.stream.close()
        self.path = copy
        self.stream = Deduplicator.open(copy)
        RAN["backup"] += 1

    def teardown(self):
        self.verify()
        self.stream.close()
        shutil.rmtree(self.folder)
        assert self.verdicts == StreamEngine(CHOSEN).decide(self.documents).verdicts


RAN: dict[str, int] = {}


def test_any_course_of_commands(record_figures, scale):
    RAN.update(dict.fromkeys(("ingest", "replay", "failure", "reopen", "expire", "verify", "backup"), 0))
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    chosen = settings(max_examples=6 * scale, stateful_step_count=20, deadline=None, suppress_health_check=quiet)
    run_state_machine_as_test(Commands, settings=chosen)
    record_figures(courses=6 * scale, commands=sum(RAN.values()), differences=0)
