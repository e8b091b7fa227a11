"""Passages of real news against labels computed from exact overlap."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from infostream_dedup.corpus import read_documents
from infostream_dedup.passages import find_passages

WORD = re.compile("\\w+")


def _five_grams(text):
    words = WORD.findall(text.lower().replace("ё", "е"))
    return {tuple(words[place : place + 5]) for place in range(len(words) - 4)}


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "every"), [("slavictopics", 1), ("mdnews", 10)])
def test_shared_sentences_are_found_and_little_else(corpora, name, every):
    texts = {document.id: document.text for document in read_documents(corpora / f"{name}.docs.jsonl.gz")}
    found = list(find_passages(read_documents(corpora / f"{name}.docs.jsonl.gz")).as_dicts())
    with gzip.open(corpora / f"{name}.labels.jsonl.gz", "rt", encoding="utf-8") as lines:
        labels = [json.loads(line) for line in lines]
    true = {frozenset((label["a"], label["b"])) for label in labels if label.get("same_sentences")}
    pairs = {frozenset((row["a"], row["b"])) for row in found}
    assert len(true & pairs) / len(true) >= 0.99
    judged = [
        bool(_five_grams(texts[row["a"]][slice(*span["a"])]) & _five_grams(texts[row["b"]][slice(*span["b"])]))
        for row in found[::every]
        for span in row["spans"]
    ]
    assert sum(judged) / len(judged) >= 0.97
