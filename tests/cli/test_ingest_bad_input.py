"""The catalogue of bad input through ``ingest``: code, line, field; nothing half done; read = verdicts + set aside."""

import importlib.util
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from infostream_dedup.cli import main

FAILED = 65


def _catalogue():
    path = Path(__file__).parents[1] / "corpus" / "test_bad_input.py"
    spec = importlib.util.spec_from_file_location("catalogue_of_bad_input", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    # ``ingest`` leaves the length of lines at its default, and to it a document that comes again is no fault.
    return [case for case in module.CASES if "max_line_bytes" not in case.options and case.code != "E_ID_DUPLICATE"]


CASES = _catalogue()


@pytest.fixture
def ingest(capfdbinary, monkeypatch, tmp_path):
    """``ingest(case, "--on-error", "skip")`` in this process: exit code, rows of standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(case, *arguments):
        Path(case.file).write_bytes(case.content)
        options = [text for name, value in case.options.items() for text in ("--" + name.replace("_", "-"), value)]
        # Batches of one: what came before the fault is kept.
        flags = ["--store", "s.db", "--batch-size", "1", "--representation", "stem", *options, *arguments]
        monkeypatch.setattr(sys, "argv", ["infostream-dedup", "ingest", case.file, *flags])
        with pytest.raises(SystemExit) as left:
            main()
        output, errors = capfdbinary.readouterr()
        return left.value.code, [json.loads(line) for line in output.splitlines()], errors.decode()

    return run


def stored():
    with closing(sqlite3.connect("s.db")) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM document ORDER BY ordinal")]


def test_the_catalogue_is_long():
    assert len(CASES) >= 80


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_fail_stops_at_the_fault_and_keeps_what_came_before(case, ingest):
    code, verdicts, errors = ingest(case)
    assert code == FAILED
    place = case.file if case.line is None else f"{case.file}:{case.line}"
    field = "" if case.field is None else f"field {case.field!r}: "
    last = errors.splitlines()[-1]
    assert last.startswith(f"infostream-dedup: {place}: {field}")
    assert last.endswith(f"[{case.code}]")
    ids = [row["id"] for row in verdicts]
    assert stored() == ids
    # No document behind the fault is handed on.
    assert "".join(ids) == case.used[: len(ids)]
    assert "z" not in ids or case.line != 2


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_skip_sets_the_fault_aside_and_counts(case, ingest):
    code, verdicts, errors = ingest(case, "--on-error", "skip", "--quarantine", "aside.jsonl")
    assert code == 0
    assert "".join(row["id"] for row in verdicts) == case.used
    assert stored() == list(case.used)
    rows = [json.loads(line) for line in Path("aside.jsonl").read_bytes().splitlines()]
    assert [(row["source"], row["code"], row["line"], row["field"]) for row in rows] == [
        (case.file, case.code, case.line, case.field)
    ]
    used = len(case.used)
    assert f"read {used + 1} = used {used} + quarantined 1 ({case.code} 1)" in errors


def test_a_second_run_after_a_fault_gives_the_stored_verdicts_and_continues(ingest):
    case = next(one for one in CASES if one.name == "broken JSON")
    _, before, _ = ingest(case)
    code, verdicts, _ = ingest(case._replace(content=case.content.replace(b'"text":}', b'"text":"two"}')))
    assert code == 0
    assert verdicts[: len(before)] == before
    assert [row["id"] for row in verdicts] == ["a", "b", "z"]
