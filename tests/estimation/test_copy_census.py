"""The census of a part of a collection is that of its documents alone."""

import numpy as np

from infostream_dedup import Document
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.judging.evidence.pair_evidence import TripleRanges
from infostream_dedup.lab.estimation.census import CopyCensus
from infostream_dedup.runs.batch.collection import collect


def _census(texts, *, ranges=None):
    documents = [Document(id=str(number), text=text, lang="ru") for number, text in enumerate(texts)]
    reader = EvidenceReader(ranges=ranges)
    collection = collect(documents, evidence=reader)
    return CopyCensus(collection.documents, reader.finish(collection.languages), ranges=ranges)


def _texts():
    random = np.random.default_rng(3)
    stories = [[f"слово{number}" for number in random.integers(0, 500, 60)] for _ in range(6)]
    return [" ".join(stories[place % 6][: 30 + place]) for place in range(24)]


def _pairs(copies):
    return set(zip(copies.a.tolist(), copies.b.tolist(), strict=True))


def test_a_part_has_the_copies_of_its_documents():
    whole = _census(_texts())
    chosen = np.array([0, 1, 6, 7, 12, 20, 23])
    inside = {pair for pair in _pairs(whole.copies()) if {*pair} <= {*chosen.tolist()}}
    assert inside == {(0, 6), (0, 12), (6, 12), (1, 7)}
    assert _pairs(whole.part(chosen).copies()) == inside
    # A part that is asked for first does not change the whole.
    other = _census(_texts())
    assert _pairs(other.part(chosen).copies()) == inside
    assert _pairs(other.copies()) == _pairs(whole.copies())


def test_triples_read_into_ranges_give_the_same_copies():
    kept, ranged = _census(_texts()), _census(_texts(), ranges=TripleRanges(memory=1000))
    assert _pairs(kept.copies()) == _pairs(ranged.copies()) != set()
    assert np.array_equal(kept.copies().wording, ranged.copies().wording)
    assert np.array_equal(kept.facts.texts, ranged.facts.texts)
