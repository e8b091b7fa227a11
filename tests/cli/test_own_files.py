"""No command overwrites a file that it also reads, or writes for another purpose."""

import json
from pathlib import Path

import pytest

TEXT = "Верховная Рада приняла закон о пенсиях голосами коалиции."
FILES = {
    "a.jsonl": json.dumps({"id": "1", "text": TEXT}) + "\n" + json.dumps({"id": "2", "text": TEXT}) + "\n",
    "labels.jsonl": json.dumps({"a": "1", "b": "2", "label": "dup"}) + "\n",
    "list.jsonl": json.dumps({"sentence": "Подписывайтесь на наш канал."}) + "\n",
    "settings.toml": "quiet = true\n",
}
SKIP = "--on-error skip --quarantine"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("command", "code"), [
    ("dedup a.jsonl --out - --summary a.jsonl", 73), ("dedup --summary a.jsonl a.jsonl --out -", 73),
    ("pairs a.* --summary ./a.jsonl", 73), ("pairs . --summary a.jsonl", 73),
    ("evaluate a.jsonl --labels labels.jsonl --summary labels.jsonl", 73),
    ("pairs a.jsonl --config settings.toml --summary settings.toml", 73),
    ("passages find a.jsonl --boilerplate list.jsonl --out list.jsonl", 73),
    ("dedup a.jsonl --out b.jsonl --summary b.jsonl", 73), ("dedup a.jsonl --out a.jsonl", 73),
    ("train a.jsonl --labels labels.jsonl --model labels.jsonl", 73),
    (f"dedup a.jsonl --out b.jsonl {SKIP} b.jsonl", 73),
    (f"pairs a.jsonl --boilerplate list.jsonl {SKIP} list.jsonl", 78),
    (f"audit a.jsonl --judged labels.jsonl {SKIP} labels.jsonl", 78),
    (f"train a.jsonl --labels labels.jsonl {SKIP} labels.jsonl", 78),
    (f"pairs a.jsonl --summary b.jsonl {SKIP} b.jsonl", 73), (f"pairs a.jsonl {SKIP} -", 78),
])  # fmt: skip
def test_nothing_is_overwritten(run_command, folder: Path, command: str, code: int) -> None:
    answer = run_command(folder, *command.split())
    assert answer.returncode == code, answer.stderr
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} == FILES


def test_devices_may_be_shared(run_command, folder: Path) -> None:
    assert run_command(folder, *f"pairs a.jsonl --summary /dev/null {SKIP} /dev/null".split()).returncode == 0


def test_the_result_may_replace_an_earlier_one(run_command, folder: Path) -> None:
    for _ in range(2):
        given = f"dedup a.jsonl --out b.jsonl --summary run.json {SKIP} bad.jsonl"
        assert run_command(folder, *given.split()).returncode == 0
    assert json.loads((folder / "run.json").read_text())["read"] == 2


@pytest.mark.parametrize(("command", "said"), [
    ("sweep bad.jsonl --out a.jsonl/report", "cannot create the folder a.jsonl/report: "),
    ("compare bad.jsonl --out a.jsonl/report", "cannot create the folder a.jsonl/report: "),
    ("train bad.jsonl --labels labels.jsonl --curve a.jsonl/curve", "cannot create the folder a.jsonl/curve: "),
    ("compare bad.jsonl --sample-disagreements 3 --out-labels no/l.jsonl", "cannot create no/l.jsonl: No such"),
    ("audit bad.jsonl --out no/pairs.jsonl", "cannot create no/pairs.jsonl: No such file"),
])  # fmt: skip
def test_an_output_is_refused_before_the_documents_are_read(run_command, folder: Path, command: str, said: str) -> None:
    (folder / "bad.jsonl").write_text("not JSON\n", encoding="utf-8")
    answer = run_command(folder, *command.split())
    assert answer.returncode == 73
    assert answer.stderr.decode().startswith(f"infostream-dedup: {said}")
    assert not (folder / "report").exists()


def test_a_summary_that_cannot_be_written_is_refused_before_the_work(run_command, folder: Path) -> None:
    answer = run_command(folder, "pairs", "a.jsonl", "--summary", "no/run.json")
    assert (answer.returncode, answer.stdout) == (73, b"")
    assert answer.stderr.decode() == "infostream-dedup: cannot create no/run.json: No such file or directory\n"
