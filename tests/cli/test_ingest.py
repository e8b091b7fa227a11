"""``ingest`` through the command line: verdicts, replays, following, ends."""

import csv
import fcntl
import gzip
import hashlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import termios
import time
from pathlib import Path

import orjson
import pytest

from infostream_dedup.documents import read_documents, row_of
from infostream_dedup.sample import documents_path
from infostream_dedup.stream.intake import stopping
from tests.cli.following import ended, followed
from tests.conftest import failed, succeeded

COMMAND = [sys.executable, "-m", "infostream_dedup", "ingest"]


def lines(output):
    return [json.loads(line) for line in output.splitlines()]


def sample():
    return lines(documents_path().read_bytes())


def write(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_verdicts_have_the_columns_of_the_design(run, tmp_path):
    done = succeeded(run("ingest", str(documents_path()), "--store", str(tmp_path / "s.db")))
    verdicts = lines(done.stdout)
    assert [row["id"] for row in verdicts] == [row["id"] for row in sample()]
    assert list(verdicts[0]) == [
        *("id", "status", "of", "group", "relation", "forward", "backward", "terms", "kind", "probability"),
        *("translation_of", "translation", "story"),
    ]
    assert {"new", "duplicate", "exact"} <= {row["status"] for row in verdicts}
    for row in verdicts:
        if row["status"] in ("new", "insufficient_text"):
            assert row["of"] is row["relation"] is row["forward"] is row["backward"] is row["terms"] is None
            assert row["kind"] is row["probability"] is None
    assert b"read 199 = used 199 + quarantined 0" in done.stderr


@pytest.mark.parametrize("printed", [["--annotate"], ["--keep", "originals"]])
@pytest.mark.parametrize("form", ["csv", "table", "xlsx"])
def test_documents_with_different_fields_are_printed_in_any_format(run, tmp_path, printed, form):
    rows = [
        {"id": "1", "text": "Мэр открыл новый мост через реку"},
        {"id": "2", "text": "Суд отменил приговор банкиру", "rank": 5},
        {"id": "3", "text": "Шахтёры бастуют третий день", "published": "2024-03-01"},
    ]
    path = write(tmp_path / "d.jsonl", rows)
    done = run("ingest", path, "--store", str(tmp_path / "s.db"), "--batch-size", "1", *printed, "--format", form)
    assert done.returncode == 0, done.stderr
    if form == "xlsx":
        (tmp_path / "out.xlsx").write_bytes(done.stdout)
        found = [row_of(one) for one in read_documents(tmp_path / "out.xlsx")]
        assert [(row["rank"], row["published"]) for row in found] == [(None, None), (5.0, None), (None, "2024-03-01")]
    elif form == "csv":
        found = list(csv.DictReader(done.stdout.decode().splitlines()))
        assert [(row["id"], row["rank"], row["published"]) for row in found] == [
            *(("1", "", ""), ("2", "5", ""), ("3", "", "2024-03-01"))
        ]
    else:
        assert {"id", "text", "rank", "published"} <= set(done.stdout.decode().split("\n")[0].split())
        assert "2024-03-01" in done.stdout.decode()


def test_verdicts_in_csv_have_a_header_even_without_documents(run, tmp_path):
    path = write(tmp_path / "d.jsonl", [])
    done = run("ingest", path, "--store", str(tmp_path / "s.db"), "--format", "csv", "--preset", "faithful")
    assert done.stdout == b"id,status,of,group,relation,forward,backward,terms\n"


def test_documents_that_are_followed_cannot_have_columns(run, tmp_path):
    done = failed(run("ingest", "-", "--store", str(tmp_path / "s.db"), "--follow", "--annotate", "--format", "csv"), 2)
    assert b"the columns of csv are known only at the end" in done.stderr
    assert not (tmp_path / "s.db").exists()


def test_a_replay_gives_the_stored_bytes(run, tmp_path):
    command = ("ingest", str(documents_path()), "--store", str(tmp_path / "s.db"))
    first = run(*command)
    assert (run(*command).stdout, run(*command, "--batch-size", "50").stdout) == (first.stdout, first.stdout)


def test_a_known_batch_id_with_other_content_is_refused(run, tmp_path):
    one, other = (write(tmp_path / f"{name}.jsonl", [{"id": name, "text": "снег в киеве"}]) for name in "ab")
    command = ("ingest", "--store", str(tmp_path / "s.db"), "--batch-id", "monday")
    assert (run(*command, one).returncode, failed(run(*command, other), 65, "E_BATCH_CONFLICT").stdout) == (0, b"")


def test_originals_and_annotations_pass_documents_on(run, tmp_path):
    told = "Национальный банк {} учётную ставку до 15 процентов годовых, говорится в сообщении регулятора."
    rows = [*sample(), *({"id": word, "text": told.format(word)} for word in ("повысил", "понизил"))]
    given = write(tmp_path / "in.jsonl", rows)
    verdicts = lines(run("ingest", given, "--store", str(tmp_path / "a.db")).stdout)
    kept = run("ingest", given, "--store", str(tmp_path / "b.db"), "--keep", "originals").stdout
    repeats = {row["id"] for row in verdicts if row["status"] in ("exact", "duplicate")}
    assert lines(kept) == [row for row in rows if row["id"] not in repeats]
    annotated = run("ingest", given, "--store", str(tmp_path / "c.db"), "--annotate").stdout
    assert lines(annotated) == [{**row, **verdict} for row, verdict in zip(rows, verdicts, strict=True)]


def test_standard_input_is_followed_until_the_end_of_it(run, tmp_path):
    expected = run("ingest", str(documents_path()), "--store", str(tmp_path / "a.db")).stdout
    done = run(
        *("ingest", "-", "--follow", "--store", str(tmp_path / "b.db"), "--batch-size", "20"),
        stdin=documents_path().read_bytes(),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected


def test_a_folder_is_followed_and_sigterm_ends_it_well(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    with followed("in", "--store", "s.db", cwd=tmp_path) as process:
        for number, part in enumerate((sample()[:60], sample()[60:100])):
            write(folder / f".{number}", part)
            (folder / f".{number}").rename(folder / f"{number}.jsonl")
            verdicts = [json.loads(process.stdout.readline()) for _ in part]
            assert [row["id"] for row in verdicts] == [row["id"] for row in part]
        rest, said = ended(process)
    assert rest == b""
    assert "read 100 = used 100" in said


def test_sigterm_hands_over_what_was_read_from_standard_input(tmp_path):
    options = ("-", "--batch-seconds", "1000", "--store", "s.db")
    with followed(*options, cwd=tmp_path, stdin=subprocess.PIPE) as process:
        process.stdin.write("".join(f'{{"id": "{number}", "text": "снег"}}\n' for number in range(5)).encode())
        process.stdin.flush()
        while any(fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))):
            time.sleep(0.1)
        time.sleep(1)
        output, _ = ended(process)
    assert [row["id"] for row in lines(output)] == ["0", "1", "2", "3", "4"]


def told_by_a_run(tmp_path, folder, expected):
    """Ids printed by a run that follows a folder until it has printed some, and what it said."""
    with followed(str(folder), "--store", "s.db", cwd=tmp_path) as process:
        ids = [json.loads(process.stdout.readline())["id"] for _ in range(expected)]
        time.sleep(1)
        rest, said = ended(process)
    return ids + [row["id"] for row in lines(rest)], said


def test_a_folder_that_is_followed_again_reports_only_what_may_not_have_been_reported(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    parts = [sample()[begin : begin + 20] for begin in range(0, 80, 20)]
    for number in range(3):
        write(folder / f"{number}.jsonl", parts[number])
    (folder / "notes.doc").write_text("{}", encoding="utf-8")
    ids = [[row["id"] for row in part] for part in parts]
    told, said = told_by_a_run(tmp_path, folder, 60)
    assert told == ids[0] + ids[1] + ids[2]
    assert said.count("notes.doc: not read; expected a name that ends in .jsonl, .ndjson") == 1
    write(folder / "3.jsonl", parts[3])
    told, said = told_by_a_run(tmp_path, folder, 20)
    assert told == ids[3]
    assert "skipping documents that earlier runs have reported" in said
    # As if the run had been killed after the batch was stored: its verdicts may not have been printed.
    (tmp_path / "s.db.reported").write_text("another batch\n", encoding="utf-8")
    told, _ = told_by_a_run(tmp_path, folder, 20)
    assert told == ids[3]


def follow_into(tmp_path, folder, verdicts, rows):
    """Follow a folder and append verdicts to a file until it has so many rows."""

    def is_whole():
        return (tmp_path / "s.db.reported").exists() and verdicts.read_bytes().count(b"\n") >= rows

    with verdicts.open("ab") as appended:
        command = [*COMMAND, str(folder), "--follow", "--store", str(tmp_path / "s.db")]
        # A run that has nothing to print gets the signal while it starts, and dies of it.
        ends = {0, -signal.SIGTERM} if is_whole() else {0}
        process = subprocess.Popen(command, stdout=appended, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + 120
        while time.monotonic() < end and not is_whole():
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode in ends, errors


def test_a_signal_that_comes_while_the_wait_begins_is_heard():
    with stopping() as stop, stop._cond:  # held by ``wait`` for a moment
        signal.raise_signal(signal.SIGTERM)
    assert stop.wait(60)


def test_a_file_of_verdicts_gets_each_once_wherever_the_run_was_killed(tmp_path):
    folder, verdicts = tmp_path / "in", tmp_path / "verdicts.jsonl"
    folder.mkdir()
    for number in range(2):
        write(folder / f"{number}.jsonl", sample()[20 * number : 20 * number + 20])
    follow_into(tmp_path, folder, verdicts, 40)
    whole = verdicts.read_bytes()
    first = len(b"".join(whole.splitlines(keepends=True)[:20]))
    second = len(b"".join(whole.splitlines(keepends=True)[:23]))
    # Killed with the batch in the store: before its first row, within a row, after all.
    for written in (first, second + 40, len(whole)):
        verdicts.write_bytes(whole[:written])
        (tmp_path / "s.db.reported").unlink()
        follow_into(tmp_path, folder, verdicts, 40)
        assert verdicts.read_bytes() == whole


@pytest.mark.slow
def test_a_file_of_verdicts_is_whole_after_kills_at_any_moment(tmp_path):
    folder, verdicts, choice = tmp_path / "in", tmp_path / "verdicts.jsonl", random.Random(19)  # noqa: S311
    folder.mkdir()
    rows = [{**row, "id": f"{copy}-{row['id']}"} for copy in range(4) for row in sample()]
    for begin in range(0, len(rows), 20):
        write(folder / f"{begin:04}.jsonl", rows[begin : begin + 20])
    (tmp_path / "calm").mkdir()
    follow_into(tmp_path / "calm", folder, tmp_path / "calm.jsonl", len(rows))
    whole = (tmp_path / "calm.jsonl").read_bytes()
    command, ends = [*COMMAND, str(folder), "--follow", "--store", str(tmp_path / "s.db")], {0}
    for turn in range(30):
        with verdicts.open("ab") as appended:
            process = subprocess.Popen(command, stdout=appended, stderr=subprocess.DEVNULL)
        before, end = verdicts.stat().st_size, time.monotonic() + 60
        # Two of three runs die while they print, the others whenever: reading, or before the first batch.
        while turn % 3 and before == verdicts.stat().st_size < len(whole) and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(choice.random() / 10 if turn % 3 else choice.uniform(0.2, 2))
        process.kill()
        process.wait()
        ends.add(verdicts.stat().st_size)
    follow_into(tmp_path, folder, verdicts, len(rows))
    assert verdicts.read_bytes() == whole
    assert len(ends) > 5, "runs were killed at many places"


@pytest.mark.parametrize("arguments", [("a.jsonl", "b.jsonl"), ("missing",)])
def test_only_one_folder_can_be_followed(run, tmp_path, arguments):
    done = run("ingest", *arguments, "--follow", "--store", str(tmp_path / "s.db"))
    assert done.returncode in (66, 78)
    assert b"--follow" in done.stderr


def kill_and_go_on(tmp_path, kills, seed, *options):
    """Ingest with SIGKILLs at random moments, each time the same command again; the output of the last, whole run."""
    choice = random.Random(seed)  # noqa: S311
    rows = [{**row, "id": f"{copy}-{row['id']}"} for copy in range(3) for row in sample()]
    path = write(tmp_path / "d.jsonl", rows)
    command = [*COMMAND, path, "--store", str(tmp_path / "s.db"), "--batch-size", "25", *options]
    acknowledged = {}
    for _ in range(kills):
        environment = {**os.environ, "PYTHONHASHSEED": str(choice.randrange(1000))}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        time.sleep(choice.uniform(0.5, 4.0))
        process.kill()
        process.wait()
        with process.stdout:
            output = process.stdout.read().rpartition(b"\n")[0]
        for row in lines(output):
            assert acknowledged.setdefault(row["id"], row) == row
    done = subprocess.run(command, capture_output=True, check=True)
    verdicts = lines(done.stdout)
    assert [row["id"] for row in verdicts] == [row["id"] for row in rows]
    assert all(acknowledged.get(row["id"], row) == row for row in verdicts)
    undisturbed = subprocess.run(
        [*COMMAND, path, "--store", str(tmp_path / "whole.db"), "--batch-size", "1000", *options], capture_output=True,
        check=True,
    )  # fmt: skip
    assert done.stdout == undisturbed.stdout
    store = sqlite3.connect(tmp_path / "s.db")
    assert store.execute("SELECT count(*), count(DISTINCT id) FROM document").fetchone() == (len(rows), len(rows))
    store.close()
    subprocess.run(
        [sys.executable, "-m", "infostream_dedup", "store", "verify", str(tmp_path / "s.db")], check=True,
        capture_output=True,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(9))
def test_many_kills_lose_and_repeat_nothing(tmp_path, seed):
    """By each preset, and without other languages."""
    kill_and_go_on(tmp_path, 30, seed, *((), ("--across", "none"), ("--preset", "faithful"))[seed % 3])


def test_a_run_keeps_what_came_before_a_fault_and_the_next_goes_on_or_sets_it_aside(run, tmp_path):
    one, bad, two = '{"id": "a", "text": "снег"}\n', '{"id": "b"}\n', '{"id": "z", "text": "дождь"}\n'
    (tmp_path / "d.jsonl").write_text(one + bad + two, encoding="utf-8")
    command = ("ingest", "d.jsonl", "--store", "s.db", "--batch-size", "1")
    failed = run(*command)
    assert (failed.returncode, [row["id"] for row in lines(failed.stdout)]) == (65, ["a"])
    assert failed.stderr.decode().splitlines()[-1].startswith("infostream-dedup: d.jsonl:2: field 'text': ")
    done = run(*command, "--on-error", "skip", "--quarantine", "aside.jsonl")
    assert (done.returncode, [row["id"] for row in lines(done.stdout)]) == (0, ["a", "z"])
    assert done.stdout.startswith(failed.stdout)
    (row,) = lines((tmp_path / "aside.jsonl").read_bytes())
    assert (row["code"], row["line"], row["field"]) == ("E_MISSING", 2, "text")
    assert b"read 3 = used 2 + quarantined 1 (E_MISSING 1)" in done.stderr


HERE = Path(__file__).resolve().parents[1] / "criteria"
COLUMNS = ["id", "status", "of", "group", "relation", "forward", "backward", "terms"]


@pytest.fixture
def halves(tmp_path):
    """Every other story to learn from, the rest to judge; and the judged pairs of the rest."""
    documents = lines((HERE / "templates.jsonl").read_bytes())
    labels = lines((HERE / "template_labels.jsonl").read_bytes())
    stories = list(dict.fromkeys("-".join(row["id"].split("-")[:2]) for row in documents))

    def half(id_):
        return stories.index("-".join(id_.split("-")[:2])) % 2

    learned = [row for row in labels if half(row["a"]) == half(row["b"]) == 0]
    write(tmp_path / "learned.jsonl", [row for row in documents if half(row["id"]) == 0])
    judged = [row | {"label": "dup" if row["label"] == "dup" else "similar"} for row in learned]
    write(tmp_path / "labels.jsonl", judged)
    write(tmp_path / "rest.jsonl", [row for row in documents if half(row["id"]) == 1])
    return [row for row in labels if half(row["a"]) == half(row["b"]) == 1]


def test_templates_of_other_stories_are_not_duplicates(run, tmp_path, halves):
    succeeded(run(*"train learned.jsonl --labels labels.jsonl --model m.json --statistics background".split()))
    command = ("ingest", "rest.jsonl", "--model", "m.json")
    outputs = set()
    for size in ("1", "7", "1000"):
        done = succeeded(run(*command, "--store", f"{size}.db", "--keep-text", "--batch-size", size))
        outputs.add(done.stdout)
        assert run(*command, "--store", f"{size}.db").stdout == done.stdout
    assert len(outputs) == 1
    rows = {row["id"]: row for row in lines(outputs.pop())}
    assert all(list(row) == [*COLUMNS, "probability", "criteria"] for row in rows.values())
    for row in rows.values():
        if row["status"] == "duplicate":
            assert row["probability"] > 0.5
            assert "number_order" in row["criteria"]
    together = {
        kind: [rows[p["a"]]["group"] == rows[p["b"]]["group"] for p in halves if p["label"] == kind]
        for kind in ("template", "dup")
    }
    assert len(together["template"]) >= 30
    assert not any(together["template"])
    assert sum(together["dup"]) >= 0.89 * len(together["dup"]) > 10
    verified = succeeded(run("store", "verify", "7.db", "--format", "jsonl"))
    assert not any(row["faults"] for row in lines(verified.stdout))


SEEDS = ("0", "1", "12345")
PLACES = (("UTC", "C"), ("Asia/Kathmandu", "uk_UA.UTF-8"))  # time zone and locale
SMALL_PART = 600
EPOCHS = ("--first-epoch", "200", "--epoch-documents", "150")
"""Several epochs of the small part, at borders that no size of batches has."""


@pytest.fixture(scope="module")
def stream(corpora, tmp_path_factory):
    """Writes the first dated documents of the stream, all for ``None``, and returns the file."""
    path = corpora / "mdnews.docs.jsonl.gz"
    dated = {one.id for one in read_documents(path) if one.time is not None}
    with gzip.open(path, "rb") as lines:
        rows = [line for line in lines if orjson.loads(line)["id"] in dated]
    folder = tmp_path_factory.mktemp("stream")

    def written(most):
        part = folder / f"{most}.jsonl"
        part.write_bytes(b"".join(rows[:most]))
        return part

    return written


def checksums(run, documents, combinations, *options):
    """SHA-256 of what ``ingest`` prints for each size of batches, hash seed, time zone and locale."""
    found = {}
    for number, (size, seed, (zone, language)) in enumerate(combinations):
        done = run(
            *("ingest", str(documents), "--store", f"{number}.db", "--batch-size", str(size)),
            *("--format", "jsonl", "--quiet", *options), PYTHONHASHSEED=seed, TZ=zone, LC_ALL=language,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found[size, seed, zone] = len(done.stdout.splitlines()), hashlib.sha256(done.stdout).hexdigest()
    return found


def test_the_sample(run):
    assert len(set(checksums(run, documents_path(), zip((7, 1000), SEEDS, PLACES, strict=False)).values())) == 1


@pytest.mark.corpus
@pytest.mark.slow
def test_every_seed_and_place_at_least_once_on_a_part_of_real_news(run, stream):
    combinations = list(zip((1, 50, 1_000_000), SEEDS, (*PLACES, PLACES[0]), strict=True))
    found = checksums(run, stream(SMALL_PART), combinations, *EPOCHS)
    assert {lines for lines, _ in found.values()} == {SMALL_PART}
    assert len(set(found.values())) == 1, found
