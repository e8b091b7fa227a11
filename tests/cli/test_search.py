"""``search``: what a store's window holds like a text."""

from __future__ import annotations

import json

import pytest

from infostream_dedup import Deduplicator
from infostream_dedup.corpus import read_documents
from infostream_dedup.sample import documents_path
from infostream_dedup.stream.search import Searcher


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("search") / "s.db"
    with Deduplicator.open(path) as stream:
        verdicts = stream.process(read_documents(documents_path()))
    return path, verdicts


def test_a_document_finds_itself_and_what_its_verdict_names(store):
    path, verdicts = store
    documents = {document.id: document for document in read_documents(documents_path())}
    # The latest one: the first documents have left the window.
    duplicate = [verdict for verdict in verdicts if verdict.status == "duplicate"][-1]
    document = documents[duplicate.id]
    with Searcher.open(path) as searcher:
        hits = searcher.search(document.text, title=document.title, top=0)
    assert {duplicate.id, duplicate.of} <= {hit.id for hit in hits}
    own = next(hit for hit in hits if hit.id == duplicate.id)
    assert own.relation == "equal"
    assert own.forward == own.backward == len(own.terms)
    ranks = [(-min(hit.forward, hit.backward), -max(hit.forward, hit.backward)) for hit in hits]
    assert ranks == sorted(ranks)


def test_every_hit_counts_the_terms_that_met(store):
    path, _ = store
    with Searcher.open(path) as searcher:
        for document in list(read_documents(documents_path()))[::20]:
            for hit in searcher.search(document.text, k_min=1, top=0):
                assert max(hit.forward, hit.backward) <= len(hit.terms) <= hit.forward + hit.backward


def test_the_command_prints_rows(run, store, tmp_path):
    path, _ = store
    document = list(read_documents(documents_path()))[-1]
    (tmp_path / "text.txt").write_text(document.text, encoding="utf-8")
    done = run("search", "--store", str(path), "--file", "text.txt", "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert document.id in {row["id"] for row in rows}
    assert list(rows[0]) == ["id", "title", "group", "forward", "backward", "relation", "terms"]
    assert run("search", "--store", str(path), "--text", "").stdout == b""


def test_bad_calls_have_clear_errors(run, store, tmp_path):
    path, _ = store
    assert run("search", "--store", str(path)).returncode == 2
    assert run("search", "--store", "missing.db", "--text", "снег").returncode == 66
    assert run("search", "--store", str(path), "--file", "missing.txt").returncode == 66
    (tmp_path / "latin.txt").write_bytes(b"\xff\xfe")
    assert run("search", "--store", str(path), "--file", "latin.txt").returncode == 65
