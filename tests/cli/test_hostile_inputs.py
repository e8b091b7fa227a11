"""Pipes, control characters, doubled names and odd places of stores."""

import json
import os
import shlex
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

import pytest

from infostream_dedup.cli.run_log import printable
from infostream_dedup.machine.sqlite_cache import cache_folder
from tests.conftest import failed, succeeded

LINES = b'{"id": "a", "text": "Snow in Kyiv."}\n{"id": "b", "text": "Rain in Lviv, all day."}\n'


@pytest.mark.parametrize("command", ["dedup", "ingest"])
@pytest.mark.parametrize("name", ["in.jsonl", "pipe"])
def test_a_named_pipe_is_read_once(run_command, tmp_path: Path, command: str, name: str) -> None:
    os.mkfifo(tmp_path / name)
    threading.Thread(target=(tmp_path / name).write_bytes, args=(LINES,), daemon=True).start()
    options = ("--store", "news.db") if command == "ingest" else ("--out", "out.jsonl")
    answer = succeeded(run_command(tmp_path, command, name, *options, anew=(command, name) == ("dedup", "pipe")))
    assert b"read 2 = used 2" in answer.stderr


@pytest.mark.parametrize("place", ["/dev/stdin", "/dev/fd/0"])
def test_standard_input_by_its_path_is_standard_input(run_command, tmp_path: Path, place: str) -> None:
    succeeded(run_command(tmp_path, "dedup", place, "--out", "out.jsonl", stdin=LINES, anew=True))


def test_process_substitution_is_read(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(LINES)
    line = f"{sys.executable} -m infostream_dedup dedup <(cat in.jsonl) --out out.jsonl"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.jsonl").read_bytes().count(b"\n") == 2


def test_other_pipes_are_refused_with_advice(run_command, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "in.csv")
    failed(run_command(tmp_path, "dedup", "in.csv", "--out", "out.jsonl"), 66, "can be read only once")


def test_what_a_message_quotes_is_shown_and_not_obeyed(run_command, tmp_path: Path) -> None:
    assert printable("a\x1b]0;pwn\x07\n") == "a\\x1b]0;pwn\\x07\n"
    assert printable("a\u202eb\x9b31m\ud800") == "a\\u202eb\\x9b31m\\ud800"
    assert printable("Київ «\xa0» — 🎆") == "Київ «\xa0» — 🎆"
    name = "\x1b]0;pwn\x07.jsonl"
    (tmp_path / name).write_bytes(b"nothing\n")
    inputs = [("dedup", one, "--out", "o.jsonl") for one in (name, "\x1b]0;\x07.none")]
    for arguments in (*inputs, ("\x1b[31m",)):
        answer = run_command(tmp_path, *arguments)
        assert answer.returncode != 0
        assert not set(answer.stderr) & {0x1B, 0x07, 0x9B}


@pytest.mark.parametrize(
    "command",
    [
        "ingest in.jsonl --store {store} --keep-text", "pairs in.jsonl --representation stem",
        "passages find in.jsonl", "search --store {store} --text 'Rain in Lviv, all day'", "store groups {store}",
        "store best {store}", "store show {store} a\u202e", "dictionaries show x\u202e\x9b31m --lang en",
    ],
)  # fmt: skip
def test_what_a_table_holds_is_not_obeyed(run_command, tmp_path: Path, command: str) -> None:
    text = "Rain in Lviv, all day and all night, forecasters of the regional centre said on Monday to reporters"
    other = {"text": text, "title": "Rain\u2066\x9b", "time": "2026-01-01"}
    rows = [other | {"id": f"{name}\u202e", "source": f"{name}\u202e\u200b"} for name in "ab"]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    store = "news.db" if command.startswith("ingest") else "former.db"
    if "{store}" in command and store == "former.db":
        assert run_command(tmp_path, "ingest", "in.jsonl", "--store", store, "--keep-text").returncode == 0
    answer = succeeded(run_command(tmp_path, *shlex.split(command.format(store=store)), "--format", "table"))
    assert answer.stdout.strip()
    assert not {one for one in answer.stdout.decode() if one != "\n" and unicodedata.category(one) in ("Cc", "Cf")}


def test_a_store_is_a_regular_file(run_command, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    for place in ("/dev/null", "pipe.db"):
        failed(run_command(tmp_path, "ingest", "-", "--store", place, stdin=LINES), 73, "a store is a regular file")
    assert not Path("/dev/null-journal").exists()


def test_batch_ids_can_be_printed(run_command, tmp_path: Path) -> None:
    options = ("--store", "news.db", "--batch-id", "a\x1b[31m")
    failed(run_command(tmp_path, "ingest", "-", *options, stdin=LINES), 78, "control character")


def test_forgetting_deletes_words_from_the_caches_if_asked(run_command, tmp_path: Path) -> None:
    environment = {"INFOSTREAM_DEDUP_CACHE": str(tmp_path / "cache")}
    text = json.dumps(
        {"id": "a", "text": "Кракозябровка приветствует зюзюбликовцев и бармаглотищ.", "lang": "ru"}
    ).encode()
    options = ("--store", "news.db", "--representation", "morph")
    assert run_command(tmp_path, "ingest", "-", *options, stdin=text, **environment).returncode == 0
    words = "кракозябровка".encode()

    def holds() -> bool:
        return any(words in one.read_bytes() for one in (tmp_path / "cache").rglob("*") if one.is_file())

    assert run_command(tmp_path, "store", "forget", "news.db", "a", **environment).returncode == 0
    assert holds()
    assert run_command(tmp_path, "store", "forget", "news.db", "a", "--caches", **environment).returncode == 0
    assert not holds()
    assert cache_folder().name != ""
