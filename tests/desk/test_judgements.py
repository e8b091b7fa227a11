"""Judgements are added and taken back, never changed; labels files come out and go in."""

import csv
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import desk as public
from infostream_dedup import ingest
from infostream_dedup.cli.store import desk as command
from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.judgements import Desk, desk_path, judgements
from infostream_dedup.judgements.desk import COLUMNS, add_job, end_job, last_result
from infostream_dedup.lab.labels import read_labels
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk.open(desk_path(tmp_path / "news.db")) as opened:
        yield opened


_KEYS = iter(range(1_000_000))


def say(desk: Desk, pair: str, label: str | None, person: str = "oksana", **further: object) -> int:
    values = {"key": f"k{next(_KEYS)}", **further}
    with desk.writing() as connection:
        return judgements.add_judgement(
            connection, judgements.Judgement(a=pair[0], b=pair[1], label=label, person=person, **values)
        ).number


def labels(desk: Desk, who: str | None = None) -> list[dict[str, object]]:
    with desk.reading() as connection:
        return list(judgements.label_rows(connection, who=who))


def test_a_desk_is_a_private_file_beside_its_store(tmp_path: Path) -> None:
    path = desk_path(tmp_path / "news.db")
    assert path.name == "news.db.desk"
    with pytest.raises(NoInputError, match="there is no desk"):
        Desk.open(path, create=False)
    Desk.open(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    Desk.open(path, create=False).close()


def test_other_files_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.desk"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(BadDataError, match="E_STORE_FOREIGN"):
        Desk.open(other)
    path = tmp_path / "newer.desk"
    Desk.open(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ConfigurationError, match="schema 99"):
        Desk.open(path)


def test_a_pair_has_no_order(desk: Desk) -> None:
    say(desk, "ba", "dup", repeats="a")
    # b repeats a, seen from the other side: the first document of the pair (b, a) is b.
    assert labels(desk) == [{"a": "a", "b": "b", "label": "dup", "judges": 1, "repeats": "b"}]


def test_the_same_key_is_stored_once_and_other_content_refused(desk: Desk) -> None:
    first = say(desk, "ab", "dup", key="one")
    assert (say(desk, "ab", "dup", key="one"), say(desk, "ba", "dup", key="one")) == (first, first)
    with pytest.raises(BadDataError, match="E_KEY_CONFLICT"):
        say(desk, "ab", "different", key="one")
    with desk.reading() as connection:
        assert len(judgements.judgement_page(connection, before=None, limit=10)) == 1


def test_rows_are_never_changed_or_deleted(desk: Desk) -> None:
    say(desk, "ab", "dup")
    for statement in ("UPDATE judgement SET label = 'different'", "DELETE FROM judgement"):
        with pytest.raises(sqlite3.IntegrityError, match="never"), desk.writing() as connection:
            connection.execute(statement)
    assert [row["label"] for row in labels(desk)] == ["dup"]


def test_undo_brings_back_what_was_said_before(desk: Desk) -> None:
    say(desk, "ab", "similar")
    second = say(desk, "ab", "dup")
    assert [row["label"] for row in labels(desk)] == ["dup"]
    with desk.writing() as connection:
        undone = judgements.undo_judgement(connection, second, "oksana", "u1")
        assert (undone.a, undone.b, undone.added) == ("a", "b", True)
        assert judgements.undo_judgement(connection, second, "oksana", "u2").added is False
    assert [row["label"] for row in labels(desk)] == ["similar"]
    with pytest.raises(BadDataError, match="E_UNKNOWN_ID"), desk.writing() as connection:
        judgements.undo_judgement(connection, 1, "taras", "u3")
    with desk.reading() as connection:
        rows = judgements.judgement_page(connection, before=None, limit=10)
    assert [(row["undoes"], row["undone"]) for row in rows] == [(2, False), (None, True), (None, False)]


def test_what_only_we_can_write_needs_a_checksum(desk: Desk) -> None:
    say(desk, "ab", "dup")
    with closing(sqlite3.connect(desk.path)) as other, other:
        with pytest.raises(sqlite3.OperationalError, match="no such function: row_checksum"):
            other.execute("INSERT INTO asked (queue, a, b) VALUES ('audit', 'a', 'b')")
        # Without the trigger: the desk notices, though it has been open all the time.
        other.execute("DROP TRIGGER job_sealed")
    with pytest.raises(BadDataError, match="its tables differ from those that were created"):
        labels(desk)


def test_every_column_is_under_the_checksum(desk: Desk) -> None:
    with desk.reading() as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {
            table: tuple(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))
            for table in tables
            if table != "seal"
        }
    assert found == COLUMNS


def test_a_row_that_is_gone_is_missed(desk: Desk, tmp_path: Path) -> None:
    say(desk, "ab", "dup")
    say(desk, "ac", "dup")
    with closing(sqlite3.connect(desk.path)) as other, other:
        (text,) = other.execute("SELECT sql FROM sqlite_master WHERE name = 'judgement_remains'").fetchone()
        (unsealed,) = other.execute("SELECT sql FROM sqlite_master WHERE name = 'judgement_unsealed'").fetchone()
        other.execute("DROP TRIGGER judgement_remains")
        other.execute("DROP TRIGGER judgement_unsealed")
        other.execute("DELETE FROM judgement WHERE number = 2")
        other.execute(text)
        other.execute(unsealed)
    for attempt in (lambda: labels(desk), lambda: desk.backup(tmp_path / "copy.desk")):
        with pytest.raises(BadDataError, match="1 rows are missing"):
            attempt()
    assert not (tmp_path / "copy.desk").exists()


def test_a_copy_opens_as_the_desk_it_was(desk: Desk, tmp_path: Path) -> None:
    say(desk, "ab", "dup")
    desk.backup(tmp_path / "copy.desk")
    with Desk.open(tmp_path / "copy.desk") as copy:
        assert labels(copy) == labels(desk)


def test_progress_counts_pairs_and_not_rows(desk: Desk) -> None:
    say(desk, "ab", "dup", seconds=2.0)
    say(desk, "ab", "similar", seconds=4.0)
    last = say(desk, "ac", None, seconds=1.0)
    with desk.reading() as connection:
        assert judgements.progress_of(connection, "oksana") == {"judged": 1, "passed": 1, "last": last, "pace": 3.0}
        assert judgements.progress_of(connection, "taras") == {"judged": 0, "passed": 0, "last": None, "pace": None}


def test_majority_ties_and_settlements(desk: Desk) -> None:
    for person, label in (("oksana", "dup"), ("taras", "similar")):
        say(desk, "ab", label, person)
    assert labels(desk) == [{"a": "a", "b": "b", "label": None, "judges": 2, "labels": {"dup": 1, "similar": 1}}]
    assert labels(desk, "taras")[0]["label"] == "similar"
    with desk.reading() as connection:
        told = {"oksana": "dup", "taras": "similar"}
        assert judgements.disagreements(connection, 9) == [{"a": "a", "b": "b", "labels": told}]
    say(desk, "ab", "similar", "iryna", queue=judgements.SETTLING)
    assert labels(desk) == [{"a": "a", "b": "b", "label": "similar", "judges": 3}]
    with desk.reading() as connection:
        assert judgements.disagreements(connection, 9) == []
        # A settlement is no third independent opinion.
        assert [row["persons"] for row in judgements.agreement_of(connection)["judges"]] == [["oksana", "taras"]]


def test_kappa_worked_by_hand() -> None:
    # 35 of 50 alike: .7. By chance .5 x .6 + .5 x .4 = .5. Kappa = (.7 - .5) / (1 - .5).
    assert judgements.kappa([("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15) == 0.4
    assert judgements.kappa([("y", "y")] * 3) is None
    assert judgements.kappa([]) is None


def test_agreement_of_two_judges(desk: Desk) -> None:
    for pair, one, other in (("ab", "dup", "dup"), ("ac", "dup", "different"), ("ad", "different", "different")):
        say(desk, pair, one)
        say(desk, pair, other, "taras")
    say(desk, "bc", "dup")
    with desk.reading() as connection:
        found = judgements.agreement_of(connection)
    # Alike 2 of 3; by chance (2 x 1 + 1 x 2) / 9 = 4/9; kappa = (2/3 - 4/9) / (5/9) = .4.
    assert found == {
        "pairs": 3, "agreed": 2, "judges": [{"persons": ["oksana", "taras"], "pairs": 3, "agreed": 2, "kappa": 0.4}],
    }  # fmt: skip


def test_what_is_exported_is_read_by_the_other_commands_and_comes_back(desk: Desk, tmp_path: Path) -> None:
    say(desk, "ab", "dup", repeats="both")
    say(desk, "ac", "template")
    say(desk, "ad", None)
    say(desk, "bc", "dup")
    say(desk, "bc", "different", "taras")
    file = tmp_path / "labels.jsonl"
    file.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in labels(desk)))
    assert [(one.a, one.b, one.label) for one in read_labels(file)] == [("a", "b", "dup"), ("a", "c", "template")]
    with Desk.open(tmp_path / "second.desk") as second:
        rows = [orjson.loads(line) for line in file.read_bytes().splitlines()]
        with second.writing() as connection:
            assert judgements.import_labels(connection, rows, person="file") == (2, 1)
            assert judgements.import_labels(connection, rows, person="file") == (0, 0)
        assert [row["label"] for row in labels(second)] == ["dup", "template"]


def test_an_import_brings_back_an_opinion_that_an_earlier_import_replaced(desk: Desk) -> None:
    def take_in(*said: str) -> tuple[int, int]:
        rows = [{"a": "b", "b": "a", "label": label, "repeats": "a"} for label in said]
        with desk.writing() as connection:
            return judgements.import_labels(connection, rows, person="oksana")

    for label, added in (("dup", 1), ("different", 1), ("dup", 1), ("dup", 0), ("different", 1), ("dup", 1)):
        assert take_in(label) == (added, 0)
        assert [(row["label"], row["repeats"]) for row in labels(desk)] == [(label, "b")]
    # A file that contradicts itself: its last row counts, and sent twice it adds nothing.
    assert (take_in("dup", "template"), take_in("dup", "template")) == ((1, 0), (0, 0))
    assert [row["label"] for row in labels(desk)] == ["template"]


def test_an_import_that_is_sent_again_does_not_replace_what_the_person_said_since(desk: Desk) -> None:
    rows = [{"a": "a", "b": "b", "label": "dup"}]
    with desk.writing() as connection:
        assert judgements.import_labels(connection, rows, person="oksana") == (1, 0)
    say(desk, "ab", "different")
    with desk.writing() as connection:
        assert judgements.import_labels(connection, rows, person="oksana") == (0, 0)
    assert [row["label"] for row in labels(desk)] == ["different"]


@pytest.mark.parametrize(("row", "code"), [
    ({"a": "x"}, "E_TYPE"), ({"a": "x", "b": "x", "label": "dup"}, "E_SELF_PAIR"),
    ({"a": "x", "b": "y", "label": "same"}, "E_LABEL"),
    ({"a": "x", "b": "y", "label": "dup", "repeats": "c"}, "E_LABEL"),
])  # fmt: skip
def test_a_bad_row_stops_an_import_and_is_named(desk: Desk, row: dict[str, str], code: str) -> None:
    good = {"a": "x", "b": "y", "label": "dup"}
    with pytest.raises(BadDataError) as found, desk.writing() as connection:
        judgements.import_labels(connection, [good, row], person="file")
    assert (found.value.code, found.value.line) == (code, 2)
    assert labels(desk) == []


def test_a_pair_goes_to_one_person_and_does_not_come_back(desk: Desk) -> None:
    pairs = [("a", "b"), ("a", "c"), ("a", "d")]

    def ask(person: str, besides: frozenset[tuple[str, str]] = frozenset()) -> list[tuple[str, str]]:
        with desk.writing() as connection:
            return judgements.next_pairs(
                connection, pairs, person=person, queue="boundary", wanted=1, besides=besides, share_of_two=0
            )

    assert ask("oksana") == ask("oksana") == [("a", "b")]
    assert (ask("oksana", frozenset({("a", "b")})), ask("taras")) == ([("a", "c")], [("a", "d")])
    say(desk, "ab", "dup")
    assert ask("oksana") == [("a", "c")]
    say(desk, "ac", None)
    assert ask("oksana") == []
    # Passed over by one, it is open for the other.
    say(desk, "ad", "dup", "taras")
    assert ask("taras") == [("a", "c")]


def test_the_random_queue_does_not_begin_with_the_pairs_for_two() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            "CREATE TABLE document (ordinal, id, of_id, group_id, probability, forward, backward, forgotten, status)"
        )
        rows = ((n, f"d{n}", f"e{n}", f"g{n}", None, 5, 5, 0, "duplicate") for n in range(2000))
        connection.executemany("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        pairs = judgements.linked_pairs(connection, "random", k_duplicate=6)
    assert len(pairs) == 2000
    assert sum(judgements.for_two(pair, 0.1) for pair in pairs[:200]) < 40


def test_some_pairs_are_for_two(desk: Desk) -> None:
    pairs = [("a", f"b{number}") for number in range(2000)]
    assert 0.08 < (sum(judgements.for_two(pair, 0.1) for pair in pairs) / len(pairs)) < 0.12
    (twice, *_) = [pair for pair in pairs if judgements.for_two(pair, 0.1)]
    once = next(pair for pair in pairs if not judgements.for_two(pair, 0.1))
    for pair in (twice, once):
        with desk.writing() as connection:
            judgements.add_judgement(
                connection,
                judgements.Judgement(a=pair[0], b=pair[1], label="dup", person="oksana", key=f"two-{pair[1]}"),
            )
    with desk.writing() as connection:
        found = judgements.next_pairs(connection, [once, twice], person="taras", queue="boundary", wanted=5)
    assert found == [twice]


STEP = st.tuples(st.sampled_from(["ab", "ac", "bc"]), st.sampled_from(["dup", "similar", None, "undo"]), st.booleans())


@given(st.lists(STEP, max_size=30))
def test_the_present_is_the_latest_that_was_not_taken_back(steps: list[tuple[str, str | None, bool]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder, Desk.open(Path(folder) / "d.desk") as desk:
        stacks: dict[tuple[str, str], list[tuple[int, str | None]]] = {}
        for pair, label, first in steps:
            person = "oksana" if first else "taras"
            stack = stacks.setdefault((pair, person), [])
            if label != "undo":
                stack.append((say(desk, pair, label, person), label))
            elif stack:
                with desk.writing() as connection:
                    judgements.undo_judgement(connection, stack.pop()[0], person, f"k{next(_KEYS)}")
        expected = {key: stack[-1][1] for key, stack in stacks.items() if stack}
        with desk.reading() as connection:
            rows = connection.execute("SELECT a || b, person, label FROM v_judgement").fetchall()
        assert {(pair, person): label for pair, person, label in rows} == expected


def test_reservations_made_before_the_clock_was_set_back_do_not_last(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    minute = 60_000_000
    given = []
    # A day ahead, then set right, then five and eleven minutes later.
    for person, now in (("oksana", 1440), ("taras", 0), ("oksana", 5), ("oksana", 11)):
        monkeypatch.setattr("infostream_dedup.judgements.judgements.present_moment", lambda now=now: now * minute)
        with desk.writing() as connection:
            given.append(judgements.next_pairs(connection, [("a", "b")], person=person, queue="random", wanted=1))
    assert [len(pairs) for pairs in given] == [1, 1, 0, 1]


RESULT = {
    "rows": [{"k": 1, "links": 3}],
    "examples": {"1": [{"a": "x", "b": "y", "title_a": "Тайна"}, {"a": "y", "b": "z", "title_a": "Мост"}]},
    "teach": [["x", "z"], ["y", "z"]],
}
LEFT = {
    "rows": [{"k": 1, "links": 3}], "examples": {"1": [{"a": "y", "b": "z", "title_a": "Мост"}]},
    "teach": [["y", "z"]],
}  # fmt: skip


def filled(folder: Path) -> Path:
    store = folder / "news.db"
    with Deduplicator.open(store, StreamSettings.of({})) as stream:
        stream.process([{"id": name, "text": f"Слово {name} и дело."} for name in "xyz"])
    with Desk.open(desk_path(store)) as desk, desk.writing() as connection:
        end_job(connection, add_job(connection, "sweep", {}, position="1-3-0", person="local"), "done", result=RESULT)
        judgements.add_judgement(connection, judgements.Judgement(a="x", b="y", label="dup", person="oksana", key="1"))
        connection.execute("INSERT INTO asked (queue, a, b) VALUES ('audit', 'x', 'z'), ('audit', 'y', 'z')")
    return store


def check(store: Path) -> None:
    # Opening compares the checksums of all rows.
    with Desk.open(desk_path(store), create=False) as desk, desk.reading() as connection:
        assert last_result(connection, "sweep")["result"] == LEFT
        assert connection.execute("SELECT a, b FROM asked").fetchall() == [("y", "z")]
        assert [row["label"] for row in judgements.label_rows(connection)] == ["dup"]
    data = desk_path(store).read_bytes()
    assert "Тайна".encode() not in data
    assert "Мост".encode() in data


def test_forgetting_in_the_store_forgets_in_the_desk(tmp_path: Path) -> None:
    store = filled(tmp_path)
    from infostream_dedup.api.store import forget

    forget(store, "x")
    check(store)
    with Store.open(store, read_only=True) as opened:
        assert opened.text(0) is None


def test_nothing_is_left_in_the_log_of_a_desk_that_a_service_has_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from infostream_dedup.api.desk import forget_and_wipe
    from infostream_dedup.api.store import forget

    store = filled(tmp_path)
    with Desk.open(desk_path(store)) as service:
        with service.writing() as connection:
            number = add_job(connection, "sweep", {}, position="1-3-0", person="local")
            end_job(connection, number, "done", result=RESULT)
        files = [desk_path(store), Path(f"{desk_path(store)}-wal")]
        assert any("Тайна".encode() in file.read_bytes() for file in files)
        assert forget(store, "x").clean
        assert not any("Тайна".encode() in file.read_bytes() for file in files)
        with service.reading() as connection:
            assert connection.execute("SELECT count(*) FROM job").fetchone() == (2,)
            # Whoever reads keeps the log; the caller is told so.
            monkeypatch.setattr("infostream_dedup.judgements.desk._BUSY_SECONDS", 0.1)
            assert forget_and_wipe(store, "y") == (3, False)


def test_what_is_deleted_is_overwritten_even_where_the_file_is_not_rewritten(tmp_path: Path) -> None:
    store = filled(tmp_path)
    with Desk.open(desk_path(store)) as desk:
        with desk.writing() as connection:
            number = add_job(connection, "audit", {}, position="1-3-0", person="local")
            # Longer than a page, so that whole pages are freed.
            end_job(connection, number, "done", result={"examples": {"1": [{"a": "x", "title_a": "Тайна" * 2000}]}})
        with desk.writing() as connection:
            # SQLite may be built with either default.
            connection.execute("PRAGMA secure_delete = OFF")
            assert judgements.forget_in_desk(connection, {"x"}) == 3
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    check(store)


def test_forgetting_in_the_desk_alone(tmp_path: Path) -> None:
    store = filled(tmp_path)
    assert (public.forget_in_desk(store, "x"), public.forget_in_desk(store, ["x", "none"])) == (2, 0)
    check(store)


def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["forget", str(filled(tmp_path)), "x", "y"])
    assert (done.exit_code, done.stderr) == (0, "3 rows changed or removed\n")


def test_the_command_says_that_remnants_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = filled(tmp_path)
    monkeypatch.setattr("infostream_dedup.judgements.desk._BUSY_SECONDS", 0.1)
    with Desk.open(desk_path(store)) as service, service.reading():
        done = CliRunner().invoke(command, ["forget", str(store), "x"])
    assert done.exit_code == 0
    assert "remnants stay in the log until it ends" in done.stderr


def test_a_running_process_does_not_use_a_desk_that_a_newer_program_changed(tmp_path: Path) -> None:
    with Desk.open(tmp_path / "news.desk") as desk:
        with closing(sqlite3.connect(desk.path)) as other, other:
            other.execute("CREATE TABLE later (x)")
            other.execute("PRAGMA user_version = 99")
        for use in (desk.reading, desk.writing):
            with pytest.raises(ConfigurationError, match="schema 99, this program reads schema 1;"), use():
                pass


LABELS = '{"a": "x", "b": "y", "label": "dup", "repeats": "b"}\n{"a": "x", "b": "z", "label": "different"}\n'


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Stands for a store: the desk only needs its place."""
    place = tmp_path / "news.db"
    place.touch()
    return place


@pytest.fixture
def judged(store: Path) -> Path:
    labels = store.with_name("labels.jsonl")
    labels.write_text(LABELS, encoding="utf-8")
    assert public.import_labels(store, labels, person="oksana") == (2, 0)
    return store


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(one) for one in arguments], standalone_mode=False)


def test_an_export_never_replaces_the_desk_or_the_store(judged: Path) -> None:
    for place in (judged, desk_path(judged)):
        before = place.read_bytes()
        assert "one of the inputs" in str(run("export", judged, "--out", place).exception)
        assert place.read_bytes() == before
    Desk.open(desk_path(judged)).close()


def test_a_file_has_the_format_that_was_asked_for(judged: Path) -> None:
    out = judged.with_name("out")
    assert run("export", judged, "--out", out).exception is None
    assert [orjson.loads(line)["label"] for line in out.read_bytes().splitlines()] == ["dup", "different"]
    assert run("export", judged, "--out", out, "--format", "csv").exception is None
    with out.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows == [
        ["a", "b", "label", "judges", "repeats", "asked"], ["x", "y", "dup", "1", "b", ""],
        ["x", "z", "different", "1", "", ""],
    ]  # fmt: skip
    assert "for the terminal only" in str(run("export", judged, "--out", out, "--format", "table").exception)


def test_a_bad_row_is_named_by_its_file_and_line(store: Path) -> None:
    labels = store.with_name("labels.jsonl")
    labels.write_text('{"a": "x", "b": "y", "label": "dup"}\n\n\n{"a": "x", "b": "", "label": "dup"}\n')
    with pytest.raises(BadDataError) as found:
        public.import_labels(store, labels, person="oksana")
    assert (found.value.source, found.value.line, found.value.field) == (str(labels), 4, "b")
    assert public.export_labels(store) == []


@pytest.mark.parametrize("person", ["", "  ", "a\nb"])
def test_a_person_has_a_name(store: Path, person: str) -> None:
    with pytest.raises(ConfigurationError, match="is not the name of a person"):
        public.import_labels(store, store, person=person)


def test_judgements_do_not_go_to_a_store_that_does_not_exist(tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(LABELS, encoding="utf-8")
    with pytest.raises(NoInputError, match="there is no store"):
        public.import_labels(tmp_path / "nwes.db", labels, person="oksana")
    assert not desk_path(tmp_path / "nwes.db").exists()


def test_label_studio_takes_the_judgements_and_gives_them_back(tmp_path: Path) -> None:
    store = tmp_path / "news.db"
    texts = {
        "x": "Мост через реку открыл министр.", "y": "Мост через реку открыл министр, сообщили в городе.",
        "z": "Снег.",
    }  # fmt: skip
    list(ingest([{"id": name, "text": text, "title": name} for name, text in texts.items()], store, keep_text=True))
    labels = tmp_path / "labels.jsonl"
    labels.write_text(LABELS + '{"a": "y", "b": "z", "label": null}\n', encoding="utf-8")
    assert public.import_labels(store, labels, person="oksana") == (2, 1)
    out = tmp_path / "tasks.json"
    assert run("export", store, "--label-studio", "--out", out).exception is None
    tasks = orjson.loads(out.read_bytes())
    assert [(one["data"]["a"], one["data"]["b"], len(one.get("annotations", []))) for one in tasks] == [
        ("x", "y", 1), ("x", "z", 1), ("y", "z", 0),
    ]  # fmt: skip
    assert [tasks[0]["data"][f"text_{side}"] for side in "ab"] == [texts["x"], texts["y"]]
    assert {p["to_name"] for one in tasks for said in one.get("annotations", []) for p in said["result"]} == {"text_a"}
    # As Label Studio exports it once two people have been there; one of them skipped the first.
    part = {"from_name": "label", "to_name": "text_a", "type": "choices", "value": {"choices": ["template"]}}
    tasks[2]["annotations"] = [{"id": 7, "completed_by": {"id": 1, "email": "olena@news.ua"}, "result": [part]}]
    tasks[0]["annotations"].append({"was_cancelled": True, "completed_by": 2, "result": [part]})
    for one in tasks[:2]:
        one["annotations"][0]["completed_by"] = 2
    out.write_bytes(orjson.dumps(tasks))
    assert "3 judgements added, 0 pairs" in str(run("import", store, out, "--person", "studio").output)
    assert public.import_labels(store, out, person="studio") == (0, 0)
    said = {(r["a"], r["b"]): (r["label"], r.get("repeats"), r["judges"]) for r in public.export_labels(store)}
    assert said == {("x", "y"): ("dup", "b", 2), ("x", "z"): ("different", None, 2), ("y", "z"): ("template", None, 1)}
    assert len(public.export_labels(store, who="studio olena@news.ua")) == 1
    out.write_text('[{"a": "x"}]', encoding="utf-8")
    with pytest.raises(BadDataError, match="a task of Label Studio"):
        public.import_labels(store, out, person="studio")
