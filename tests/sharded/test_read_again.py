"""Documents are read once for a work folder, and again only if something that reading gave is no longer there."""

import json

import pytest

from infostream_dedup import dedup, sweep
from infostream_dedup.errors import BadDataError
from infostream_dedup.links.measures import NO_INTERVAL
from infostream_dedup.runs.sharded.work_folder import WorkFolder

OPTIONS = {"memory": "2GB", "representations": ["stem"]}


@pytest.fixture
def documents(collections, tmp_path):
    path = tmp_path / "in" / "documents.jsonl"
    path.parent.mkdir()
    write(path, [{"id": one.id, "text": one.text, "lang": one.lang} for one in collections["made-up"][:40]])
    return path


def write(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def measured(result):
    # Intervals are looked for in memory only.
    return [row.as_dict() | NO_INTERVAL._asdict() for row in result.rows]


def test_a_stream_is_read_once_for_all_representations(documents, tmp_path):
    wanted = ["stem", "morph"]
    whole = sweep(str(documents), representations=wanted, short="strict", estimate=False)
    rows = map(json.loads, documents.read_text(encoding="utf-8").splitlines())
    found = sweep(rows, workdir=tmp_path / "w", memory="2GB", representations=wanted, short="strict")
    assert measured(found) == measured(whole)
    assert found.report.used == 40


@pytest.mark.parametrize("lost", ["deleted", "overwritten"])
def test_a_quarantine_file_that_is_no_longer_there_is_written_again(documents, tmp_path, lost):
    with documents.open("a", encoding="utf-8") as file:
        file.write("{\n")
    quarantine = tmp_path / "bad.jsonl"
    options = {**OPTIONS, "workdir": tmp_path / "w", "on_error": "skip", "quarantine": quarantine}
    first, kept = sweep(str(documents), **options), quarantine.read_bytes()
    assert b"E_JSON" in kept
    quarantine.unlink() if lost == "deleted" else quarantine.write_bytes(b"")
    again = sweep(str(documents), **options)
    assert quarantine.read_bytes() == kept
    assert (measured(again), again.report) == (measured(first), first.report)


def test_an_intact_quarantine_file_does_not_make_a_run_read_again(documents, tmp_path):
    options = {**OPTIONS, "workdir": tmp_path / "w", "on_error": "skip", "quarantine": tmp_path / "bad.jsonl"}
    sweep(str(documents), **options)
    made = (tmp_path / "w" / "counted.json").stat().st_mtime_ns
    sweep(str(documents), **options)
    assert (tmp_path / "w" / "counted.json").stat().st_mtime_ns == made


def test_documents_that_change_while_a_resumed_run_works_are_noticed(documents, tmp_path, monkeypatch):
    options = {"workdir": tmp_path / "w", "memory": "2GB", "representation": "stem", "preset": "faithful"}
    dedup(str(documents), tmp_path / "a.jsonl", **options)
    before = WorkFolder.stage

    def replaced_then_made(*given, **named):
        rows = [json.loads(line) for line in documents.read_text(encoding="utf-8").splitlines()]
        write(documents, [row | {"id": f"other-{row['id']}"} for row in rows])
        return before(*given, **named)

    monkeypatch.setattr(WorkFolder, "stage", replaced_then_made)
    with pytest.raises(BadDataError, match="different documents"):
        dedup(str(documents), tmp_path / "b.jsonl", **options)
    assert not (tmp_path / "b.jsonl").exists()


def test_unfinished_files_of_other_programs_stay(documents, tmp_path):
    folder = tmp_path / "downloads"
    folder.mkdir()
    (folder / "film.mkv.part").write_bytes(b"half")
    (folder / "stem-keys.keys.arrow.part").write_bytes(b"half")
    sweep(str(documents), workdir=folder, **OPTIONS)
    assert (folder / "film.mkv.part").read_bytes() == b"half"
    assert not list(folder.glob("*.arrow.part"))
