"""A run that is killed in any stage goes on from the last complete one; what was changed is made again."""

import json
import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

from infostream_dedup import dedup, sweep
from infostream_dedup.errors import BadDataError, CannotCreateError, ConfigurationError, StoreBusyError, UsageError
from infostream_dedup.lab import sweep_estimator
from infostream_dedup.links.measures import NO_INTERVAL
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.sharded import deduplication, key_terms, pairing, work_folder
from infostream_dedup.runs.sharded.disk_runner import DiskRun, Input
from infostream_dedup.runs.sharded.key_terms import KEYS
from infostream_dedup.runs.sharded.pairing import DocumentPairs, pick_terms, recounted
from infostream_dedup.runs.sharded.plan import LEAST_MEMORY, Cut, Estimate, Plan, memory_of
from infostream_dedup.runs.sharded.sweeping import sweep_on_disk
from infostream_dedup.runs.sharded.work_folder import Layout, WorkFolder
from infostream_dedup.sample import documents_path

STAGES = ("counted", "stem-statistics", "stem-keys", "stem-nodes", "stem-links1-1", "stem-links1", "stem-totals1")
STEM = Settings(representation="stem")
STEMS = {"memory": "2GB", "representations": ["stem"]}

KILLED = """
import os, signal, sys
from infostream_dedup import dedup, sweep
from infostream_dedup.runs.sharded import disk_runner, work_folder
from infostream_dedup.runs.sharded.plan import Cut, Plan

documents, folder, stage = sys.argv[1:]
whole = work_folder.WorkFolder._write

def write(self, paths, tables, batches):
    def cut(batches):
        for number, batch in enumerate(batches):
            yield batch
            if any(path.name.startswith(stage + ".") for path in paths.values()):
                os.kill(os.getpid(), signal.SIGKILL)
    return whole(self, paths, tables, cut(batches))

work_folder.WorkFolder._write = write
plan = Plan.__init__
Plan.__init__ = lambda self, memory, cut=Cut(): plan(self, memory, Cut(chunk=10, shards=3, blocks=2))
print(len(sweep(documents, workdir=folder, memory="2GB", representations=["stem"]).rows))
"""


@pytest.fixture
def documents(collections, tmp_path):
    path = tmp_path / "documents.jsonl"
    rows = [{"id": one.id, "text": one.text, "lang": one.lang} for one in collections["made-up"][:40]]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def rows_of(result):
    # Intervals are looked for in memory only.
    rows = [row.as_dict() | NO_INTERVAL._asdict() for row in result.rows]
    return rows, result.recommended_k, result.reason, result.groups


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_run_killed_in_every_stage_goes_on(documents, tmp_path):
    folder = tmp_path / "work"
    for number, stage in enumerate(STAGES):
        command = [sys.executable, "-c", KILLED, str(documents), str(folder), stage]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        assert not (folder / f"{stage}.json").exists()
        # The shards' links are dropped when they are merged.
        for earlier in [one for one in STAGES[:number] if stage != "stem-totals1" or one != "stem-links1-1"]:
            assert (folder / f"{earlier}.json").exists(), f"killed in {stage}"
    made = {path: path.stat().st_mtime_ns for path in folder.glob("*.json")}
    command = [sys.executable, "-c", KILLED, str(documents), str(folder), "nothing"]
    subprocess.run(command, capture_output=True, text=True, check=True)
    assert all(path.stat().st_mtime_ns == when for path, when in made.items() if path.exists())
    again = sweep(str(documents), workdir=folder, memory="2GB", representations=["stem"])
    assert rows_of(again) == rows_of(sweep(str(documents), representations=["stem"], estimate=False))


@pytest.mark.smoke
def test_a_run_killed_once_goes_on(documents, tmp_path):
    folder = tmp_path / "work"
    command = [sys.executable, "-c", KILLED, str(documents), str(folder), "stem-links1-1"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    counted = (folder / "counted.json").stat().st_mtime_ns
    assert (folder / "stem-links1-0.json").exists()
    found = sweep(str(documents), workdir=folder, memory="2GB", representations=["stem"])
    assert (folder / "counted.json").stat().st_mtime_ns == counted
    assert rows_of(found) == rows_of(sweep(str(documents), representations=["stem"], estimate=False))
    assert found.report.used == 40


def test_a_changed_file_and_other_documents_are_read_again(documents, tmp_path):
    folder = tmp_path / "work"
    first = rows_of(sweep(str(documents), workdir=folder, memory="2GB", representations=["stem"]))
    keys = folder / "stem-keys.keys.arrow"
    damaged = bytearray(keys.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    keys.write_bytes(damaged)
    for name in ("nodes", "links1", "totals1"):
        (folder / f"stem-{name}.json").unlink()
    assert rows_of(sweep(str(documents), workdir=folder, memory="2GB", representations=["stem"])) == first
    lines = documents.read_text(encoding="utf-8").splitlines(keepends=True)
    documents.write_text("".join(lines[:20]), encoding="utf-8")
    fewer = sweep(str(documents), workdir=folder, memory="2GB", representations=["stem"])
    assert fewer.report.used == 20
    assert rows_of(fewer) == rows_of(sweep(str(documents), representations=["stem"], estimate=False))


def test_a_folder_of_files_is_recognised_until_a_file_is_added(documents, tmp_path):
    folder, source = tmp_path / "work", tmp_path / "in"
    source.mkdir()
    lines = documents.read_text(encoding="utf-8").splitlines(keepends=True)
    (source / "a.jsonl").write_text("".join(lines[:20]), encoding="utf-8")
    (source / "b.jsonl").write_text("".join(lines[20:30]), encoding="utf-8")
    first = sweep(source, workdir=folder, memory="2GB", representations=["stem"])
    counted = (folder / "counted.json").stat().st_mtime_ns
    assert rows_of(sweep(source, workdir=folder, memory="2GB", representations=["stem"])) == rows_of(first)
    assert (folder / "counted.json").stat().st_mtime_ns == counted
    (source / "c.jsonl").write_text("".join(lines[30:]), encoding="utf-8")
    found = sweep(source, workdir=folder, memory="2GB", representations=["stem", "morph"], short="strict")
    assert (found.report.read, found.report.used) == (40, 40)
    expected = sweep(str(documents), representations=["stem", "morph"], short="strict", estimate=False)
    assert rows_of(found) == rows_of(expected)


def test_files_are_read_once_to_see_that_they_are_whole(documents, tmp_path, monkeypatch):
    folder = tmp_path / "work"
    first = rows_of(sweep(str(documents), workdir=folder, memory="2GB", representations=["stem"]))
    seen = []
    whole = work_folder._fingerprint
    monkeypatch.setattr(work_folder, "_fingerprint", lambda path: [seen.append(path.name), whole(path)][1])
    assert rows_of(sweep(str(documents), workdir=folder, memory="2GB", representations=["stem"])) == first
    assert {"counted.counts.arrow", "stem-links1.links.arrow", "stem-totals1.totals.arrow"} <= set(seen)
    assert len(seen) == len(set(seen))


def test_a_folder_takes_one_run_at_a_time(tmp_path):
    with WorkFolder(tmp_path / "work").held(), pytest.raises(StoreBusyError, match="another run"):  # noqa: SIM117
        with WorkFolder(tmp_path / "work").held():
            pass


def test_two_terms_of_one_hash_are_named(monkeypatch, collections, tmp_path):
    whole = key_terms.term_hashes
    terms = collect(collections["made-up"], hashes=False).key_terms(STEM).counts.terms
    shared = (terms[0], terms[-1])

    def colliding(terms):
        found = whole(terms)
        words = list(terms)
        for word in shared:
            found[0, [place for place, term in enumerate(words) if term == word]] = 7
        return found

    monkeypatch.setattr(key_terms, "term_hashes", colliding)
    source = Input(lambda: iter(collections["made-up"]), {"test": len(collections["made-up"])})
    for chunk in (3, 100):
        folder = WorkFolder(tmp_path / str(chunk))
        with folder.held(), pytest.raises(BadDataError, match=f"0000000000000007: {shared[0]!r} and {shared[1]!r}"):
            sweep_on_disk(DiskRun(
                folder=folder, source=source, settings=STEM, representations=["stem"],
                plan=Plan(LEAST_MEMORY, Cut(chunk=chunk)),
            ))  # fmt: skip


@pytest.mark.parametrize(("size", "expected"), [
    ("8GB", 8 * 10**9), ("1.5 GiB", 3 << 29), ("500mb", 500_000_000), ("2G", 2 * 10**9), (5, 5), ("1234", 1234),
])  # fmt: skip
def test_sizes(size, expected):
    assert memory_of(size) == expected


@pytest.mark.parametrize("size", ["", "GB", "8 parsecs", "-1GB", "1iB"])
def test_no_sizes(size):
    with pytest.raises(ConfigurationError, match="expected a size"):
        memory_of(size)


def test_the_plan_fits_its_memory():
    plan = Plan(2 << 30)
    assert plan.chunk == 50_000
    # 165 targets a document: 20 million documents need 26 GB, of which 0.7 GB are there at a time.
    assert plan.shards(165 * 1_000_000, 3_000_000, 1_000_000) == 2
    assert plan.shards(165 * 10_000_000, 10_000_000, 10_000_000) > plan.shards(165 * 5_000_000, 10_000_000, 5_000_000)
    assert plan.shards(0, 0, 0) == 1
    assert plan.blocks(1_000_000, 100_000) == 1
    assert plan.blocks(100_000_000, 1_272_217) > 1
    assert Plan(2 << 30, Cut(5, 6, 7)).shards(1, 1, 1) == 6
    with pytest.raises(ConfigurationError, match=r"memory is 1,000 MB; .* at least 1,000 MB"):
        Plan(LEAST_MEMORY - 1)
    assert Plan(memory_of("1GB")).memory == memory_of("1GB")


def test_too_little_room_is_refused_with_what_is_missing(tmp_path):
    found = Estimate(documents=10**7, shards=4, disk=10**11, free=10**10, seconds=7200, memory=10**9, folder=tmp_path)
    with pytest.raises(CannotCreateError, match=r"needs 100.0 GB: make 90.0 GB of room"):
        found.check()
    assert "10000000 documents in 4 shards" in str(found)
    assert "about 2.0 h" in str(found)


def test_amounts_below_a_tenth_of_a_gigabyte_are_given_in_megabytes(tmp_path):
    found = Estimate(documents=9, shards=1, disk=5 * 10**7, free=4 * 10**7, seconds=1, memory=10**9, folder=tmp_path)
    with pytest.raises(CannotCreateError, match=r"has 40.0 MB free; .* needs 50.0 MB: make 10.0 MB of room"):
        found.check()
    assert "1.0 GB of memory, 50.0 MB in" in str(found)


def test_a_run_resumes_on_a_disk_that_its_own_files_fill(documents, tmp_path, monkeypatch):
    folder = tmp_path / "work"
    options = {"workdir": folder, "memory": "2GB", "representations": ["stem"]}
    first = rows_of(sweep(str(documents), **options))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=0))
    (folder / "stem-keys.json").unlink()
    # The plan is for more than was written: within a factor of two.
    (folder / "stem-keys.keys.arrow.part").write_bytes(bytes(10**7))
    assert rows_of(sweep(str(documents), **options)) == first
    with pytest.raises(CannotCreateError, match=r"0\.0 MB free"):
        sweep(str(documents), **{**options, "workdir": tmp_path / "other"})


@pytest.mark.parametrize(("options", "message"), [
    ({"memory": "8GB"}, "needs a work folder"), ({"window_days": 3}, "needs a work folder"),
    ({"workdir": "w", "score": "share"}, "only the count score"), ({"workdir": "w", "window_days": 0}, "more than 0"),
])  # fmt: skip
def test_options_that_contradict_each_other(documents, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=message):
        sweep(str(documents), **options)


@pytest.mark.parametrize(
    ("source", "workdir", "refused"),
    [
        (".", ".", True), (".", "work", True), (".", "new/work", True), ("**", "work", True),
        ("*", "../elsewhere", False), ("*.jsonl", ".", False), ("documents.jsonl", ".", False),
        (["documents.jsonl", "."], "work", True), (["x" * 300, "."], "work", True),
    ],
)  # fmt: skip
def test_a_work_folder_that_would_be_read_is_refused(documents, tmp_path, monkeypatch, source, workdir, refused):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "counted.counts.arrow").write_bytes(b"")
    if refused:
        with pytest.raises(UsageError, match="name a work folder elsewhere"):
            sweep(source, workdir=workdir, memory="2GB", representations=["stem"])
        return
    (tmp_path / "work" / "counted.counts.arrow").unlink()
    for _ in range(2):
        assert sweep(source, workdir=workdir, memory="2GB", representations=["stem"]).report.used == 40


def test_a_private_folder_is_not_read_with_the_folder_that_holds_it(documents, tmp_path, monkeypatch, caplog):
    whole = dedup(str(documents), out=tmp_path / "whole.csv")
    monkeypatch.setattr("infostream_dedup.machine.platform.available_memory", lambda: 10_000)
    folder = tmp_path / "in"
    folder.mkdir()
    documents.rename(folder / documents.name)
    found = dedup(str(folder), out=folder / "unique.csv")
    assert "would not fit" in caplog.text
    assert found.statuses == whole.statuses
    assert (folder / "unique.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_a_table_of_another_kind_is_refused():
    one, other = Layout("one", ("a",), {}), Layout("other", ("a",), {})
    with pytest.raises(BadDataError, match="rows of one 1; expected other 1"):
        list(other.rows([one.row(a=3)]))


@pytest.mark.parametrize("named", ["documents.jsonl", "*.jsonl"])
def test_a_collection_too_large_for_memory_goes_to_disk(documents, named, tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("infostream_dedup.machine.platform.available_memory", lambda: 10_000)
    found = sweep(f"{tmp_path}/{named}", representations=["stem"], estimate=False)
    assert "would not fit" in caplog.text
    assert not list(tmp_path.glob(".infostream-dedup-*"))
    rows = [json.loads(line) for line in documents.read_text(encoding="utf-8").splitlines()]
    assert rows_of(found)[0] == rows_of(sweep(rows, representations=["stem"], estimate=False))[0]


def test_the_private_folder_of_a_run_that_fails_is_removed(documents, tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("infostream_dedup.machine.platform.available_memory", lambda: 10_000)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("infostream_dedup.runs.sharded.disk_runner.read_and_count", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sweep(str(documents), representations=["stem"], estimate=False)
    assert "would not fit" in caplog.text
    assert not list(tmp_path.glob(".infostream-dedup-*"))


@pytest.mark.parametrize("representation", ["stem", "morph"])
def test_copies_are_counted_and_duplicates_estimated_as_in_memory(tmp_path, representation):
    names = {"representations": [representation], "estimate": True, "examples": False}
    expected = sweep(str(documents_path()), **names)
    found = sweep(str(documents_path()), workdir=tmp_path / "work", memory="2GB", **names)
    assert [row.estimated for row in found.rows] == [row.estimated for row in expected.rows]
    assert (found.recommended_k, found.reason) == (expected.recommended_k, expected.reason)
    assert found.without_labels == expected.without_labels
    assert expected.without_labels[representation]["copies"]["pairs"] > 0
    # What an interrupted run had read is read again.
    again = sweep(str(documents_path()), workdir=tmp_path / "work", memory="2GB", **names)
    assert [row.estimated for row in again.rows] == [row.estimated for row in expected.rows]


def test_evidence_that_does_not_fit_is_refused_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(sweep_estimator, "_DOCUMENT_BYTES", 100_000_000)
    with pytest.raises(UsageError, match=r"does not fit into 2.0 GB: give more \(memory\)"):
        sweep(str(documents_path()), workdir=tmp_path, memory="2GB", representations=["stem"], estimate=True)


FIRST = {"languages": [0, 0], "weights": [1] * 4, "own": [0, 0], "hashes": [1, 2], "checks": [1, 2]}


def test_counts_by_hand(monkeypatch):
    """Documents 0 to 2 in two chunks: 0 has keys 5 7 in 5 7 9, 1 has 5 9 in 5 9, 2 has 7 in 1 5 7."""
    one = KEYS.row(first=0, sizes=[2, 2], keys=[5, 7, 5, 9], target_sizes=[3, 2], targets=[5, 7, 9, 5, 9], **FIRST)
    other = KEYS.row(
        first=2, sizes=[1], keys=[7], target_sizes=[3], targets=[1, 5, 7],
        **{name: values[:1] for name, values in FIRST.items()},
    )  # fmt: skip
    monkeypatch.setattr(pairing, "_RECOUNTED_AT_ONCE", 2)
    a, b, nothing = np.array([0, 0, 1]), np.array([1, 2, 2]), np.zeros(3, dtype=np.int64)
    found = recounted(DocumentPairs(a, b, nothing, nothing), lambda documents: pick_terms([one, other], documents))
    # 0 in 1: 5; 1 in 0: 5 and 9; 0 in 2: 5 and 7; 2 in 0: 7; 1 in 2: 5; 2 in 1: none.
    assert (found.forward.tolist(), found.backward.tolist()) == ([1, 2, 1], [2, 1, 0])


@pytest.fixture
def unequal(tmp_path):
    """A file of short and long documents that share a few words."""
    random = np.random.default_rng(7)
    words = [f"{first}{last}ник" for first in ("мост", "рек", "банк", "суд", "лес") for last in "бвгджзклмнпрст"]
    rows = []
    for place in range(150):
        size = 8 if place % 2 else 45
        text = " ".join(words[word] for word in random.permutation(len(words))[:size])
        rows.append({"id": f"d{place}", "text": text, "lang": "ru"})
    path = tmp_path / "unequal.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_similar_documents_are_those_found_in_memory(unequal, tmp_path, monkeypatch):
    def statuses(name, **where):
        out = tmp_path / name
        dedup(unequal, out, annotate=True, preset="faithful", representation="stem", **where)
        return out.read_text(encoding="utf-8").splitlines()

    expected = statuses("memory.jsonl")
    assert statuses("disk.jsonl", workdir=tmp_path / "work", memory="2GB") == expected
    # These documents tell exact counts from those of links alone.
    monkeypatch.setattr(deduplication, "recounted", lambda pairs, pick: pairs)
    assert statuses("weak.jsonl", workdir=tmp_path / "work", memory="2GB") != expected


# Documents are read once for a work folder, and again only if something that reading gave is no longer there.
def test_a_stream_is_read_once_for_all_representations(documents, tmp_path):
    wanted = ["stem", "morph"]
    whole = sweep(str(documents), representations=wanted, short="strict", estimate=False)
    rows = map(json.loads, documents.read_text(encoding="utf-8").splitlines())
    found = sweep(rows, workdir=tmp_path / "w", memory="2GB", representations=wanted, short="strict")
    assert rows_of(found) == rows_of(whole)
    assert found.report.used == 40


@pytest.mark.parametrize("lost", ["deleted", "overwritten"])
def test_a_quarantine_file_that_is_no_longer_there_is_written_again(documents, tmp_path, lost):
    with documents.open("a", encoding="utf-8") as file:
        file.write("{\n")
    quarantine = tmp_path / "bad.jsonl"
    options = {**STEMS, "workdir": tmp_path / "w", "on_error": "skip", "quarantine": quarantine}
    first, kept = sweep(str(documents), **options), quarantine.read_bytes()
    assert b"E_JSON" in kept
    quarantine.unlink() if lost == "deleted" else quarantine.write_bytes(b"")
    again = sweep(str(documents), **options)
    assert quarantine.read_bytes() == kept
    assert (rows_of(again), again.report) == (rows_of(first), first.report)


def test_an_intact_quarantine_file_does_not_make_a_run_read_again(documents, tmp_path):
    options = {**STEMS, "workdir": tmp_path / "w", "on_error": "skip", "quarantine": tmp_path / "bad.jsonl"}
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
        documents.write_text("".join(json.dumps(row | {"id": f"other-{row['id']}"}) + "\n" for row in rows))
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
    sweep(str(documents), workdir=folder, **STEMS)
    assert (folder / "film.mkv.part").read_bytes() == b"half"
    assert not list(folder.glob("*.arrow.part"))
