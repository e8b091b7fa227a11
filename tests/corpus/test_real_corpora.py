"""The labelled sets: every document is read, with its date, and written again."""

import gzip
from pathlib import Path

import orjson
import pytest

from infostream_dedup.documents import ReadingReport, read_documents, row_of

# Documents (ru, uk, en) as the README of the sets counts them, and how many have a date.
COUNTS = {
    "tgpairs": (347, 0, 102, 87), "mdnews": (10868, 0, 0, 9821), "slavictopics": (522, 196, 0, 0),
    "ntrex": (60, 60, 240, 0), "wmt": (1220, 854, 3514, 0), "uagec": (0, 3218, 0, 0),
    "multilingual": (2576, 240, 2666, 5092), "background": (453, 848, 0, 687),
}  # fmt: skip


@pytest.mark.corpus
@pytest.mark.parametrize("name", COUNTS)
def test_every_document_is_read(name: str, corpora: Path) -> None:
    report = ReadingReport()
    documents = list(read_documents(corpora / f"{name}.docs.jsonl.gz", report=report))
    *languages, dated = COUNTS[name]
    assert [sum(document.lang == lang for document in documents) for lang in ("ru", "uk", "en")] == languages
    assert sum(document.time is not None for document in documents) == dated
    assert report.summary() == f"read {sum(languages)} = used {sum(languages)} + quarantined 0"


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["tgpairs", "slavictopics", "multilingual"])
def test_records_go_out_as_they_came(name: str, corpora: Path) -> None:
    path = corpora / f"{name}.docs.jsonl.gz"
    with gzip.open(path) as stream:
        for line, document in zip(stream, read_documents(path), strict=True):
            assert list(row_of(document).items()) == list(orjson.loads(line).items())
