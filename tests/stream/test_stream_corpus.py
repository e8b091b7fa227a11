"""The stream on real news: any cut gives one checksum, reprints are found, and pairs agree."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter

import orjson
import pytest

from infostream_dedup.corpus import read_documents
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def dated(corpora):
    """Two and a half months of the dated stream."""
    documents = [one for one in read_documents(corpora / "mdnews.docs.jsonl.gz") if one.time is not None]
    return documents[5000:6200]


def checksum(documents, settings, size):
    engine, digest = StreamEngine(settings), hashlib.sha256()
    for begin in range(0, len(documents), size):
        decided = engine.decide(documents[begin : begin + size])
        for one in decided.verdicts:
            digest.update(orjson.dumps(one.as_dict()))
        for event in decided.events:
            digest.update(repr(event).encode())
    return digest.hexdigest()


def test_batches_of_one_seven_fifty_and_all_give_one_checksum(dated):
    settings = StreamSettings(epoch_documents=500, first_epoch=100)
    assert len({checksum(dated, settings, size) for size in (1, 7, 50, len(dated))}) == 1


def test_every_reprint_within_the_window_is_found(dated, corpora):
    verdicts = {one.id: one for one in StreamEngine(StreamSettings()).decide(dated).verdicts}
    times = {one.id: one.time for one in dated}
    ordinals = {one.id: ordinal for ordinal, one in enumerate(dated)}
    found = Counter()
    with gzip.open(corpora / "mdnews.labels.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            pair = sorted((row["a"], row["b"]), key=lambda one: ordinals.get(one, -1))
            if row["label"] != "dup" or not all(one in ordinals for one in pair):
                continue
            if (times[pair[1]] - times[pair[0]]).days < 7:
                found[verdicts[pair[1]].status in ("exact", "duplicate")] += 1
    assert found[True] >= 5
    assert found[False] == 0
