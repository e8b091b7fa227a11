"""The command ``desk`` on odd files: what it refuses, what it names, and what it never replaces."""

import csv
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result

from infostream_dedup import desk as public
from infostream_dedup import ingest
from infostream_dedup.cli.store import desk as command
from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.judgements import Desk, desk_path

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
        ["a", "b", "label", "judges", "repeats", "asked"],
        ["x", "y", "dup", "1", "b", ""],
        ["x", "z", "different", "1", "", ""],
    ]
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
        "x": "Мост через реку открыл министр.",
        "y": "Мост через реку открыл министр, сообщили в городе.",
        "z": "Снег.",
    }
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
    assert {part["to_name"] for one in tasks for said in one.get("annotations", []) for part in said["result"]} == {
        "text_a"
    }
    # As Label Studio exports it once two people have been there; one of them skipped the first.
    part = {"from_name": "label", "to_name": "text_a", "type": "choices", "value": {"choices": ["template"]}}
    tasks[2]["annotations"] = [{"id": 7, "completed_by": {"id": 1, "email": "olena@news.ua"}, "result": [part]}]
    tasks[0]["annotations"].append({"was_cancelled": True, "completed_by": 2, "result": [part]})
    for one in tasks[:2]:
        one["annotations"][0]["completed_by"] = 2
    out.write_bytes(orjson.dumps(tasks))
    assert "3 judgements added, 0 pairs" in str(run("import", store, out, "--person", "studio").output)
    assert public.import_labels(store, out, person="studio") == (0, 0)
    said = {
        (row["a"], row["b"]): (row["label"], row.get("repeats"), row["judges"]) for row in public.export_labels(store)
    }
    assert said == {("x", "y"): ("dup", "b", 2), ("x", "z"): ("different", None, 2), ("y", "z"): ("template", None, 1)}
    assert len(public.export_labels(store, who="studio olena@news.ua")) == 1
    out.write_text('[{"a": "x"}]', encoding="utf-8")
    with pytest.raises(BadDataError, match="a task of Label Studio"):
        public.import_labels(store, out, person="studio")
