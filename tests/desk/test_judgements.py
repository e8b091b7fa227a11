"""Judgements are added and taken back, never changed; labels files come out and go in."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.judgements import Desk, desk_path
from infostream_dedup.judgements.candidates import (
    SETTLING,
    agreement_of,
    disagreements,
    import_labels,
    kappa,
    label_rows,
    linked_pairs,
)
from infostream_dedup.judgements.desk import COLUMNS
from infostream_dedup.judgements.judgements import (
    Judgement,
    add_judgement,
    for_two,
    judgement_page,
    next_pairs,
    progress_of,
    undo_judgement,
)
from infostream_dedup.lab.evaluation.labels import read_labels


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk.open(desk_path(tmp_path / "news.db")) as opened:
        yield opened


_KEYS = iter(range(1_000_000))


def say(desk: Desk, pair: str, label: str | None, person: str = "oksana", **further: object) -> int:
    values = {"key": f"k{next(_KEYS)}", **further}
    with desk.writing() as connection:
        return add_judgement(connection, Judgement(a=pair[0], b=pair[1], label=label, person=person, **values)).number


def labels(desk: Desk, who: str | None = None) -> list[dict[str, object]]:
    with desk.reading() as connection:
        return list(label_rows(connection, who=who))


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
    assert say(desk, "ab", "dup", key="one") == first
    assert say(desk, "ba", "dup", key="one") == first
    with pytest.raises(BadDataError, match="E_KEY_CONFLICT"):
        say(desk, "ab", "different", key="one")
    with desk.reading() as connection:
        assert len(judgement_page(connection, before=None, limit=10)) == 1


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
        undone = undo_judgement(connection, second, "oksana", "u1")
        assert (undone.a, undone.b, undone.added) == ("a", "b", True)
        assert undo_judgement(connection, second, "oksana", "u2").added is False
    assert [row["label"] for row in labels(desk)] == ["similar"]
    with pytest.raises(BadDataError, match="E_UNKNOWN_ID"), desk.writing() as connection:
        undo_judgement(connection, 1, "taras", "u3")
    with desk.reading() as connection:
        rows = judgement_page(connection, before=None, limit=10)
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
        assert progress_of(connection, "oksana") == {"judged": 1, "passed": 1, "last": last, "pace": 3.0}
        assert progress_of(connection, "taras") == {"judged": 0, "passed": 0, "last": None, "pace": None}


def test_majority_ties_and_settlements(desk: Desk) -> None:
    for person, label in (("oksana", "dup"), ("taras", "similar")):
        say(desk, "ab", label, person)
    assert labels(desk) == [{"a": "a", "b": "b", "label": None, "judges": 2, "labels": {"dup": 1, "similar": 1}}]
    assert labels(desk, "taras")[0]["label"] == "similar"
    with desk.reading() as connection:
        assert disagreements(connection, 9) == [{"a": "a", "b": "b", "labels": {"oksana": "dup", "taras": "similar"}}]
    say(desk, "ab", "similar", "iryna", queue=SETTLING)
    assert labels(desk) == [{"a": "a", "b": "b", "label": "similar", "judges": 3}]
    with desk.reading() as connection:
        assert disagreements(connection, 9) == []
        # A settlement is no third independent opinion.
        assert [row["persons"] for row in agreement_of(connection)["judges"]] == [["oksana", "taras"]]


def test_kappa_worked_by_hand() -> None:
    # 35 of 50 alike: .7. By chance .5 x .6 + .5 x .4 = .5. Kappa = (.7 - .5) / (1 - .5).
    assert kappa([("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15) == 0.4
    assert kappa([("y", "y")] * 3) is None
    assert kappa([]) is None


def test_agreement_of_two_judges(desk: Desk) -> None:
    for pair, one, other in (("ab", "dup", "dup"), ("ac", "dup", "different"), ("ad", "different", "different")):
        say(desk, pair, one)
        say(desk, pair, other, "taras")
    say(desk, "bc", "dup")
    with desk.reading() as connection:
        found = agreement_of(connection)
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
            assert import_labels(connection, rows, person="file") == (2, 1)
            assert import_labels(connection, rows, person="file") == (0, 0)
        assert [row["label"] for row in labels(second)] == ["dup", "template"]


def test_an_import_brings_back_an_opinion_that_an_earlier_import_replaced(desk: Desk) -> None:
    def take_in(*said: str) -> tuple[int, int]:
        rows = [{"a": "b", "b": "a", "label": label, "repeats": "a"} for label in said]
        with desk.writing() as connection:
            return import_labels(connection, rows, person="oksana")

    for label, added in (("dup", 1), ("different", 1), ("dup", 1), ("dup", 0), ("different", 1), ("dup", 1)):
        assert take_in(label) == (added, 0)
        assert [(row["label"], row["repeats"]) for row in labels(desk)] == [(label, "b")]
    # A file that contradicts itself: its last row counts, and sent twice it adds nothing.
    assert take_in("dup", "template") == (1, 0)
    assert take_in("dup", "template") == (0, 0)
    assert [row["label"] for row in labels(desk)] == ["template"]


def test_an_import_that_is_sent_again_does_not_replace_what_the_person_said_since(desk: Desk) -> None:
    rows = [{"a": "a", "b": "b", "label": "dup"}]
    with desk.writing() as connection:
        assert import_labels(connection, rows, person="oksana") == (1, 0)
    say(desk, "ab", "different")
    with desk.writing() as connection:
        assert import_labels(connection, rows, person="oksana") == (0, 0)
    assert [row["label"] for row in labels(desk)] == ["different"]


@pytest.mark.parametrize(("row", "code"), [
    ({"a": "x"}, "E_TYPE"), ({"a": "x", "b": "x", "label": "dup"}, "E_SELF_PAIR"),
    ({"a": "x", "b": "y", "label": "same"}, "E_LABEL"),
    ({"a": "x", "b": "y", "label": "dup", "repeats": "c"}, "E_LABEL"),
])  # fmt: skip
def test_a_bad_row_stops_an_import_and_is_named(desk: Desk, row: dict[str, str], code: str) -> None:
    good = {"a": "x", "b": "y", "label": "dup"}
    with pytest.raises(BadDataError) as found, desk.writing() as connection:
        import_labels(connection, [good, row], person="file")
    assert (found.value.code, found.value.line) == (code, 2)
    assert labels(desk) == []


def test_a_pair_goes_to_one_person_and_does_not_come_back(desk: Desk) -> None:
    pairs = [("a", "b"), ("a", "c"), ("a", "d")]

    def ask(person: str, besides: frozenset[tuple[str, str]] = frozenset()) -> list[tuple[str, str]]:
        with desk.writing() as connection:
            return next_pairs(
                connection, pairs, person=person, queue="boundary", wanted=1, besides=besides, share_of_two=0
            )

    assert ask("oksana") == ask("oksana") == [("a", "b")]
    assert ask("oksana", frozenset({("a", "b")})) == [("a", "c")]
    assert ask("taras") == [("a", "d")]
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
        rows = (
            (number, f"d{number}", f"e{number}", f"g{number}", None, 5, 5, 0, "duplicate") for number in range(2000)
        )
        connection.executemany("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        pairs = linked_pairs(connection, "random", k_duplicate=6)
    assert len(pairs) == 2000
    assert sum(for_two(pair, 0.1) for pair in pairs[:200]) < 40


def test_some_pairs_are_for_two(desk: Desk) -> None:
    pairs = [("a", f"b{number}") for number in range(2000)]
    assert 0.08 < (sum(for_two(pair, 0.1) for pair in pairs) / len(pairs)) < 0.12
    (twice, *_) = [pair for pair in pairs if for_two(pair, 0.1)]
    once = next(pair for pair in pairs if not for_two(pair, 0.1))
    for pair in (twice, once):
        with desk.writing() as connection:
            add_judgement(
                connection, Judgement(a=pair[0], b=pair[1], label="dup", person="oksana", key=f"two-{pair[1]}")
            )
    with desk.writing() as connection:
        found = next_pairs(connection, [once, twice], person="taras", queue="boundary", wanted=5)
    assert found == [twice]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ab", "ac", "bc"]), st.sampled_from(["dup", "similar", None, "undo"]), st.booleans()
        ),
        max_size=30,
    )
)
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
                    undo_judgement(connection, stack.pop()[0], person, f"k{next(_KEYS)}")
        expected = {key: stack[-1][1] for key, stack in stacks.items() if stack}
        with desk.reading() as connection:
            rows = connection.execute("SELECT a || b, person, label FROM v_judgement").fetchall()
        assert {(pair, person): label for pair, person, label in rows} == expected


def test_reservations_made_before_the_clock_was_set_back_do_not_last(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    minute = 60_000_000
    given = []
    # A day ahead, then set right, then five and eleven minutes later.
    for person, now in (("oksana", 1440), ("taras", 0), ("oksana", 5), ("oksana", 11)):
        monkeypatch.setattr("infostream_dedup.judgements.judgements.present_moment", lambda now=now: now * minute)
        with desk.writing() as connection:
            given.append(next_pairs(connection, [("a", "b")], person=person, queue="random", wanted=1))
    assert [len(pairs) for pairs in given] == [1, 1, 0, 1]
