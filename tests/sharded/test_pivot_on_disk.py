"""Representation ``pivot`` in a work folder gives the numbers and rows that it gives in memory."""

import json

import numpy as np
import pytest

from infostream_dedup import dedup, pairs, sweep
from infostream_dedup.documents import read_documents
from infostream_dedup.links.measures import NO_INTERVAL
from infostream_dedup.model import Settings
from infostream_dedup.runs.sharded.disk_runner import DiskRun, Input
from infostream_dedup.runs.sharded.plan import Cut, Plan
from infostream_dedup.runs.sharded.sweeping import FoldedLinks
from infostream_dedup.runs.sharded.work_folder import WorkFolder
from infostream_dedup.sample import documents_path

CUTS = [Cut(), Cut(chunk=20, shards=2, blocks=3), Cut(chunk=7, shards=7, blocks=2)]
TEXTS = [
    ("uk", "Харківський суд засудив колишнього міністра Петренка за корупцію на митниці."),
    ("ru", "Харьковский суд осудил бывшего министра Петренко за коррупцию на таможне."),
    ("en", "A court in Kharkiv convicted former minister Petrenko of corruption at the customs."),
    ("ru", "Рыбаки нашли в Байкале новый вид осетра, сообщил институт биологии."),
    ("uk", "Рибалки знайшли в Байкалі новий вид осетра, повідомив інститут біології."),
    ("ru", "Харьковский суд осудил бывшего министра Петренко за коррупцию на таможне."),
    ("de", "Das Gericht verurteilte den früheren Minister Petrenko wegen Korruption."), ("ru", ""),
]  # fmt: skip


@pytest.fixture(params=CUTS, ids=["whole", "some", "many"])
def cut(request, monkeypatch):
    monkeypatch.setattr("infostream_dedup.runs.sharded.plan.Plan", lambda memory: Plan(memory, request.param))
    return request.param


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    rows = [{"id": str(number), "lang": lang, "text": text} for number, (lang, text) in enumerate(TEXTS)]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


IN_MEMORY = {}


def in_memory(function, **options):
    """What is found in the sample in memory, once for all cuts."""
    key = function, json.dumps(options)
    if key not in IN_MEMORY:
        IN_MEMORY[key] = function(str(documents_path()), **options)
    return IN_MEMORY[key]


def rows_of(result):
    # Intervals, and closed paths among three languages, are counted in memory only.
    unknown = {"transitivity_with_return": None, **NO_INTERVAL._asdict()}
    return [row.as_dict() | unknown for row in result.rows]


@pytest.mark.parametrize("target", ["text", "signature", "top:20"])
def test_sweep_of_the_sample(cut, tmp_path, target):
    options = {"representations": ["pivot"], "estimate": False, "examples": False, "target": target}
    expected = in_memory(sweep, **options)
    found = sweep(str(documents_path()), **options, workdir=tmp_path / "work", memory="2GB")
    assert {row["block"] for row in rows_of(found)} == {"all", "mono", "cross"}
    assert rows_of(found) == rows_of(expected)
    assert (found.untranslated, found.groups) == (expected.untranslated, expected.groups)
    assert found.notes == expected.notes


@pytest.mark.parametrize("pivot", ["ru", "uk", "en"])
def test_sweep_of_few_texts(cut, texts, tmp_path, pivot):
    options = {
        "representations": ["pivot"], "pivot": pivot, "estimate": False, "other_languages": "stem", "short": "strict",
    }  # fmt: skip
    expected = sweep(texts, **options)
    found = sweep(texts, **options, workdir=tmp_path / "work", memory="2GB")
    assert rows_of(found) == rows_of(expected)
    assert found.untranslated == expected.untranslated


def test_estimates_of_the_sample(texts, tmp_path):
    path = str(documents_path())
    expected = sweep(path, representations=["pivot"], estimate=True)
    found = sweep(path, representations=["pivot"], estimate=True, workdir=tmp_path / "work", memory="2GB")
    assert rows_of(found) == rows_of(expected)
    assert found.recommended_k == expected.recommended_k


@pytest.mark.parametrize("options", [{}, {"k_min": 2}, {"k": 4, "cross_language": True}, {"terms": False}])
def test_pairs_with_the_words_that_match(cut, tmp_path, options):
    chosen = {"representation": "pivot", "preset": "faithful", **options}
    expected = in_memory(pairs, **chosen)
    found = pairs(str(documents_path()), **chosen, workdir=tmp_path / "work", memory="2GB")
    assert found.columns == expected.columns
    rows = [row.as_dict() for row in found]
    assert rows == [row.as_dict() for row in expected]
    assert rows


def test_statuses(cut, tmp_path):
    path, options = str(documents_path()), {"representation": "pivot", "preset": "faithful", "annotate": True}
    dedup(path, out=tmp_path / "expected.jsonl", **options)
    dedup(path, out=tmp_path / "found.jsonl", **options, workdir=tmp_path / "work", memory="2GB")
    assert (tmp_path / "found.jsonl").read_bytes() == (tmp_path / "expected.jsonl").read_bytes()


def test_no_documents(tmp_path):
    found = sweep([], representations=["pivot"], estimate=False, workdir=tmp_path / "work", memory="2GB")
    assert rows_of(found) == rows_of(sweep([], representations=["pivot"], estimate=False))


def test_a_second_run_translates_nothing(texts, tmp_path, monkeypatch):
    options = {"representations": ["pivot"], "estimate": False, "workdir": tmp_path / "work", "memory": "2GB"}
    expected = rows_of(sweep(texts, **options))
    asked = []

    def equivalents(sources, *_, **__):
        asked.append(sources)
        raise RuntimeError("translated again")

    monkeypatch.setattr("infostream_dedup.runs.sharded.key_terms.equivalents_of", equivalents)
    monkeypatch.setattr("infostream_dedup.runs.sharded.key_terms.PivotTerms.untranslated", lambda self: {})
    assert rows_of(sweep(texts, **options)) == expected
    assert not asked
    with pytest.raises(RuntimeError, match="translated again"):
        sweep(texts, **options, pivot="uk")


def test_links_below_the_stored_ones(tmp_path, monkeypatch):
    monkeypatch.setattr("infostream_dedup.runs.sharded.disk_runner.MOST_STORED", 0)
    options = {"representations": ["pivot"], "estimate": False}
    path = str(documents_path())
    expected = {(row["block"], row["k"]): row for row in rows_of(sweep(path, **options))}
    found = sweep(path, **options, workdir=tmp_path / "work", memory="2GB")
    rows = {(row["block"], row["k"]): row for row in rows_of(found)}
    assert {key: row for key, row in expected.items() if key[1] >= 4 or key[0] == "all"}.keys() == rows.keys()
    assert all(row == expected[key] for key, row in rows.items() if key[1] >= 4)
    assert all(rows["all", k]["links"] == expected["all", k]["links"] for k in (1, 2, 3))
    assert any("neither T nor the blocks" in str(note) for note in found.notes)


def test_labels_must_agree_within_a_node(texts, tmp_path):
    documents = list(read_documents(texts))
    folder = WorkFolder(tmp_path / "work")
    with folder.held():
        source = Input(lambda: iter(documents), {"name": "texts"})
        settings = Settings(representation="stem")
        run = DiskRun(folder=folder, source=source, settings=settings, representations=["stem"], plan=Plan(2 * 10**9))
        links = FoldedLinks(run.linked("stem"))
        with pytest.raises(ValueError, match="different labels"):
            links.between(np.arange(len(documents)), same=True)
