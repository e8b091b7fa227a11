"""The stream on real news: reprints are found."""

import gzip
import json
from collections import Counter

import pytest

from infostream_dedup.documents import read_documents
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def dated(corpora):
    """A part of the dated stream that is rich in reprints."""
    return [one for one in read_documents(corpora / "mdnews.docs.jsonl.gz") if one.time is not None][3600:5300]


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
    assert found[True] >= 15
    assert found[False] == 0
