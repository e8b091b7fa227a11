"""``search``: what a store's window holds like a text."""

from __future__ import annotations

import json

import pytest

from infostream_dedup import Deduplicator
from infostream_dedup.corpus import read_documents
from infostream_dedup.model import Settings
from infostream_dedup.sample import documents_path, labels_path
from infostream_dedup.stream.search import Searcher
from infostream_dedup.stream.settings import StreamSettings


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
            for hit in searcher.search(document.text, k_min=1, top=0, across=False):
                assert max(hit.forward, hit.backward) <= len(hit.terms) <= hit.forward + hit.backward


def test_the_command_prints_rows(run, store, tmp_path):
    path, _ = store
    document = list(read_documents(documents_path()))[-1]
    (tmp_path / "text.txt").write_text(document.text, encoding="utf-8")
    done = run("search", "--store", str(path), "--file", "text.txt", "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert document.id in {row["id"] for row in rows}
    assert list(rows[0]) == ["id", "title", "language", "group", "forward", "backward", "relation", "terms"]
    assert run("search", "--store", str(path), "--text", "").stdout == b""


def test_bad_calls_have_clear_errors(run, store, tmp_path):
    path, _ = store
    assert run("search", "--store", str(path)).returncode == 2
    assert run("search", "--store", "missing.db", "--text", "снег").returncode == 66
    assert run("search", "--store", str(path), "--file", "missing.txt").returncode == 66
    (tmp_path / "latin.txt").write_bytes(b"\xff\xfe")
    assert run("search", "--store", str(path), "--file", "latin.txt").returncode == 65


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Everything in the window."""
    path = tmp_path_factory.mktemp("whole") / "s.db"
    with Deduplicator.open(path, StreamSettings(window_days=None)) as stream:
        stream.process(read_documents(documents_path()))
    return path


@pytest.mark.parametrize("representation", ["morph", "stem"])
def test_a_message_is_found_in_other_languages(representation, tmp_path):
    """Translations are labelled in the sample: a text finds documents that say it in other words."""
    documents = {document.id: document for document in read_documents(documents_path())}
    settings = StreamSettings(window_days=None, terms=Settings(representation=representation))
    with Deduplicator.open(tmp_path / "s.db", settings) as stream:
        stream.process(list(documents.values()))
    rows = map(json.loads, labels_path().read_text(encoding="utf-8").splitlines())
    pairs = [(row["a"], row["b"]) for row in rows if row["kind"] == "translation"]
    found = {True: 0, False: 0}
    with Searcher.open(tmp_path / "s.db") as searcher:
        for a, b in pairs:
            for across in (True, False):
                hits = searcher.search(documents[a].text, title=documents[a].title, across=across, top=10)
                found[across] += b in {hit.id for hit in hits}
                assert all(documents[hit.id].lang in (None, hit.language) for hit in hits)
    assert len(pairs) > 40
    assert found[True] > 0.9 * len(pairs)
    assert found[False] < 0.5 * len(pairs)


def test_translated_hits_count_key_terms_once_and_name_terms_of_the_document(whole):
    documents = {document.id: document for document in read_documents(documents_path())}
    translated = 0
    with Searcher.open(whole) as searcher:
        for document in list(documents.values())[::15]:
            for hit in searcher.search(document.text, title=document.title, k_min=1, top=50):
                assert 1 <= max(hit.forward, hit.backward) <= 12
                assert hit.terms
                translated += hit.language != document.lang
    assert translated > 50


def test_one_language_is_never_translated(whole, run):
    text = "Мост через реку открыт для движения, сообщил мэр города"
    with Searcher.open(whole) as searcher:
        plain = searcher.search(text, k_min=1, across=False)
    done = run("search", "--store", str(whole), "--text", text, "--k-min", "1", "--same-language", "--format", "json")
    assert json.loads(done.stdout) == [hit.as_dict() for hit in plain]
