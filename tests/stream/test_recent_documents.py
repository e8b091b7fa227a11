"""Recent documents are compared as if they had been gathered from the window and the store for the occasion."""

import itertools

import numpy as np
import pytest

from infostream_dedup.documents import read_documents
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.judging.evidence.screening import Screen
from infostream_dedup.sample import documents_path
from infostream_dedup.stream import recent_documents
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.recent_documents import RecentDocuments
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.window import ComparedDocuments, triple_rows

SETTINGS = StreamSettings.of({"across": "none", "window_days": None, "window_documents": 90})


@pytest.fixture(scope="module")
def batches():
    """The sample and its first texts again, in batches of 25, with the window after each."""
    documents = list(read_documents(documents_path()))[:180]
    documents += [one.__class__(id=f"again-{one.id}", text=one.text, lang=one.lang) for one in documents[:20]]
    return [documents[begin : begin + 25] for begin in range(0, len(documents), 25)]


def rows_of(values, begins):
    return [values[begin:end].tolist() for begin, end in itertools.pairwise(begins)]


def as_lists(compared, triples):
    """Everything that is known of each document, apart from the numbers of its text."""
    keys, records, facts = compared.keys, compared.records, compared.facts
    many = len(keys.begins) - 1
    return [
        rows_of(keys.terms, keys.begins), rows_of(keys.weights, keys.begins), rows_of(keys.heaviest, keys.begins),
        keys.own[:many].tolist(), keys.squares[:many].tolist(), rows_of(keys.targets, keys.target_begins),
        rows_of(records.words, records.begins), facts.sources.tolist(), facts.times.tolist(), facts.addresses.tolist(),
        rows_of(triples.triples, triples.begins),
    ]  # fmt: skip


def check(recent, window, blobs):
    ordinals = np.arange(recent.first, recent.end)
    gathered = ComparedDocuments.of_window(window, ordinals - window.first)
    triples = triple_rows([blobs[ordinal] for ordinal in ordinals.tolist()])
    documents = recent.documents
    assert as_lists(documents, recent.triples) == as_lists(gathered, triples)
    own, expected = documents.facts.texts, gathered.facts.texts
    assert ((own[:, None] == own) == (expected[:, None] == expected)).all()
    assert ((own < 0) == (expected < 0)).all()
    a, b = (side.ravel() for side in np.meshgrid(np.arange(len(own)), np.arange(len(own))[-7:]))
    bounds = recent.screen(documents, recent.triples).bounds(a, b, own)
    judged = Screen.of(gathered.keys, gathered.records, triples, shipped_model())
    assert bounds.tolist() == judged.bounds(a, b, expected).tolist()
    asked = np.arange(window.oldest, recent.end, 3)
    found, read = recent.triples_of(asked), triple_rows([blobs[ordinal] for ordinal in asked.tolist()])
    assert rows_of(found.triples, found.begins) == rows_of(read.triples, read.begins)


@pytest.mark.parametrize("most", [recent_documents._MOST_TRIPLES, 60_000, 0])
@pytest.mark.parametrize("missed", [set(), {2, 3, 6}])
@pytest.mark.parametrize("most_missed", [recent_documents._MOST_MISSED, 30])
def test_equal_to_gathering(batches, monkeypatch, most, missed, most_missed):
    """Some batches are those of other processes; two in a row are too many to be read if 30 documents are the limit."""
    monkeypatch.setattr(recent_documents, "_MOST_MISSED", most_missed)
    monkeypatch.setattr("infostream_dedup.stream.window._LEAST_DROPPED", 10)
    blobs, firsts = {}, []
    with Deduplicator.open(None, SETTINGS) as dedup:
        engine = dedup._current_engine()
        window = engine.window
        recent = RecentDocuments(window, lambda asked: [blobs[ordinal] for ordinal in asked], shipped_model())
        for number, batch in enumerate(batches):
            with monkeypatch.context() as little:
                little.setattr(recent_documents, "_MOST_TRIPLES", most)
                recent.tidy()
            remembered = engine.decide(batch).remembered
            blobs |= {one.ordinal: one.evidence.triples for one in remembered}
            if number not in missed:
                recent.add(remembered[0].ordinal, [one.evidence.triples for one in remembered])
                check(recent, window, blobs)
            firsts.append(recent.first)
    assert recent.end == sum(map(len, batches))
    assert window.first > 0
    assert len(recent) >= len(batches[-1])
    assert most or firsts == [25 * number for number in range(len(batches))] or missed


def test_nothing_is_kept_before_a_document_comes():
    with Deduplicator.open(None, SETTINGS) as dedup:
        recent = RecentDocuments(dedup._current_engine().window, lambda _: [], shipped_model())
    assert (len(recent), recent.first, recent.end) == (0, 0, 0)
