"""``pairs`` and ``dedup`` in a work folder give the rows that they give in memory."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup import dedup, pairs, sweep
from infostream_dedup.errors import BadDataError
from infostream_dedup.model import Document
from infostream_dedup.runs.sharded.linking import LINKS
from infostream_dedup.runs.sharded.pairing import merged_rows, turn_links
from infostream_dedup.runs.sharded.plan import Plan
from infostream_dedup.sample import documents_path

STEM = {"representation": "stem"}
JUDGED = {"between": "none"}  # what memory says of pairs between languages is refused in a folder


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Many chunks, shards and blocks even of a few documents."""
    monkeypatch.setattr(Plan, "chunk", property(lambda self: 9))
    monkeypatch.setattr(Plan, "shards", lambda self, *sizes: 3)
    monkeypatch.setattr(Plan, "blocks", lambda self, *sizes: 2)
    for room in ("pairing", "deduplication"):
        monkeypatch.setattr(f"infostream_dedup.runs.sharded.{room}._PAIRS_AT_ONCE", 50)
    monkeypatch.setattr("infostream_dedup.runs.sharded.reading._AT_ONCE", 1_000)


@pytest.fixture
def file_of(tmp_path):
    def write(documents, name="documents.jsonl", **more):
        path = tmp_path / name
        rows = [{"id": one.id, "text": one.text, "lang": one.lang, **more} for one in documents]
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    return write


@pytest.mark.parametrize("name", ["made-up", "empty texts", "equal texts", "ties", "one", "none"])
@pytest.mark.parametrize("options", [
    STEM, {**STEM, "k_min": 2, "terms": False}, {**STEM, "k": 4, "cross_language": True}, {**STEM, "preset": "best"},
    JUDGED, {**JUDGED, "min_probability": 0, "terms": False}, {**JUDGED, "sort": "strength", "top": 7},
    {**JUDGED, "k_min": 4, "explain": True, "preset": "judged"}, {**JUDGED, "cross_language": True},
])  # fmt: skip
def test_pairs(collections, file_of, tmp_path, name, options):
    path = file_of(collections[name])
    expected = [row.as_dict() for row in pairs(path, **options)]
    found = pairs(path, workdir=tmp_path / "work", memory="2GB", **options)
    assert [row.as_dict() for row in found] == expected
    assert found.report.used == len(collections[name])


@pytest.mark.parametrize("options", [STEM, {}], ids=["stem", "judged"])
def test_pairs_between_files(collections, file_of, tmp_path, options):
    plain = [one for one in collections["made-up"] if one.lang == "ru"]
    again = [Document(id=f"again {one.id}", text=one.text, lang="ru") for one in plain[10:30]]
    paths = [file_of(plain[:40], "one.jsonl"), file_of(again, "two.jsonl")]
    expected = [row.as_dict() for row in pairs(paths, between_files=True, **options)]
    found = pairs(paths, between_files=True, **options, workdir=tmp_path / "work", memory="2GB")
    assert [row.as_dict() for row in found] == expected
    assert len(expected) >= 20


def test_pairs_of_the_sample_in_morph(tmp_path):
    expected = [row.as_dict() for row in pairs(str(documents_path()), k_min=3)]
    found = pairs(str(documents_path()), k_min=3, workdir=tmp_path / "work", memory="2GB")
    assert [row.as_dict() for row in found] == expected
    assert expected


@pytest.mark.parametrize("name", ["made-up", "empty texts", "equal texts", "ties", "one", "none"])
@pytest.mark.parametrize("options", [
    STEM, {**STEM, "show": "longest"}, {**STEM, "annotate": True, "duplicate_rule": "contained", "k": 8},
    {**STEM, "annotate": True, "target": "top:3", "k": 5},
    {**STEM, "annotate": True, "preset": "similar", "short": "strict"}, {"annotate": True}, {"show": "longest"},
    {"annotate": True, "join": "copy,updated,follow-up"},
])  # fmt: skip
def test_dedup(collections, file_of, tmp_path, name, options):
    path = file_of(collections[name])
    expected = dedup(path, tmp_path / "memory.jsonl", **options)
    found = dedup(path, tmp_path / "disk.jsonl", workdir=tmp_path / "work", memory="2GB", **options)
    assert found.as_dict() == expected.as_dict()
    assert (tmp_path / "disk.jsonl").read_bytes() == (tmp_path / "memory.jsonl").read_bytes()


def test_a_great_cluster_is_not_written_out(collections, file_of, tmp_path, monkeypatch):
    for place in ("batch.linking", "batch.judging", "sharded.deduplication"):
        monkeypatch.setattr(f"infostream_dedup.runs.{place}.MOST_VERBATIM_LINKS", 10)
    path = file_of(collections["equal texts"])
    for options in (STEM, {**STEM, "target": "top:3", "k": 5}, {}):
        dedup(path, tmp_path / "memory.jsonl", annotate=True, **options)
        dedup(path, tmp_path / "disk.jsonl", annotate=True, workdir=tmp_path / "w", memory="2GB", **options)
        assert (tmp_path / "disk.jsonl").read_bytes() == (tmp_path / "memory.jsonl").read_bytes()


def test_a_second_run_reads_once_and_gives_the_same(collections, file_of, tmp_path):
    path, work = file_of(collections["made-up"]), tmp_path / "work"
    dedup(path, tmp_path / "one.jsonl", representation="stem", workdir=work, memory="2GB")
    made = (work / "counted.json").stat().st_mtime_ns
    dedup(path, tmp_path / "two.jsonl", representation="stem", workdir=work, memory="2GB")
    assert (work / "counted.json").stat().st_mtime_ns == made
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    taken = file_of(collections["made-up"], "taken.jsonl", status="draft")
    dedup(taken, tmp_path / "plain.jsonl", representation="stem", workdir=work, memory="2GB")
    with pytest.raises(BadDataError, match="has a field of this name"):
        dedup(taken, tmp_path / "no.jsonl", representation="stem", workdir=work, memory="2GB", annotate=True)
    assert not (tmp_path / "no.jsonl").exists()


def test_a_window_links_only_what_is_near_in_time(collections, tmp_path):
    """The links in memory, those of documents more than two days apart taken out by hand."""
    days = [place * 7 % 11 for place in range(60)]
    rows = [
        {"id": one.id, "text": one.text, "lang": one.lang, "published": f"2026-03-{1 + day:02d}"}
        for one, day in zip(collections["equal texts"], days, strict=False)
    ]
    day_of = {row["id"]: int(row["published"][-2:]) for row in rows}
    every = pairs(rows, representation="stem", terms=False)
    near = [row.as_dict() for row in every if abs(day_of[row.a] - day_of[row.b]) <= 2]
    found = pairs(rows, representation="stem", terms=False, workdir=tmp_path / "w", memory="2GB", within_days=2)
    assert [row.as_dict() for row in found] == near
    assert near
    counts = np.zeros((60, 60), dtype=np.int64)
    place = {row["id"]: number for number, row in enumerate(rows)}
    for row in pairs(rows, representation="stem", k_min=4, terms=False):
        if abs(day_of[row.a] - day_of[row.b]) <= 2:
            counts[place[row.a], place[row.b]], counts[place[row.b], place[row.a]] = row.forward, row.backward
    swept = sweep(rows, representations=["stem"], ks=[4, 6], workdir=tmp_path / "w", memory="2GB", window_days=2)
    for row in swept.rows:
        linked = sp.csr_array(counts >= row.measures.k)
        assert row.measures.links == linked.nnz
        assert row.measures.reciprocal == int(linked.multiply(linked.T).sum())


def test_links_turned_round_by_hand():
    one = LINKS.row(first=0, nodes=2, sizes=[2, 1], columns=[1, 2, 0], counts=[4, 5, 6])
    two = LINKS.row(first=2, nodes=1, sizes=[1], columns=[1], counts=[7])
    turned = list(turn_links([one, two], np.array([0, 2]), 3))
    rows = [row for chunk in range(2) for row in LINKS.rows([merged_rows(turned[chunk::2])])]
    assert [row["sizes"].tolist() for row in rows] == [[1, 2], [1]]
    assert [row["columns"].tolist() for row in rows] == [[1, 0, 2], [0]]
    assert [row["counts"].tolist() for row in rows] == [[6, 4, 7], [5]]
