"""Passages of real news against labels computed from exact overlap."""

import gzip
import json
import re

import pytest

from infostream_dedup.documents import read_documents
from infostream_dedup.judging.passages import find_passages

WORD = re.compile("\\w+")


def _five_grams(text):
    words = WORD.findall(text.lower().replace("ё", "е"))
    return {tuple(words[place : place + 5]) for place in range(len(words) - 4)}


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "every"), [("slavictopics", 1), pytest.param("mdnews", 10, marks=pytest.mark.slow)])
def test_shared_sentences_are_found_and_little_else(corpora, name, every):
    texts = {document.id: document.text for document in read_documents(corpora / f"{name}.docs.jsonl.gz")}
    found = list(find_passages(read_documents(corpora / f"{name}.docs.jsonl.gz")).as_dicts())
    with gzip.open(corpora / f"{name}.labels.jsonl.gz", "rt", encoding="utf-8") as lines:
        labels = [json.loads(line) for line in lines]
    true = {frozenset((label["a"], label["b"])) for label in labels if label.get("same_sentences")}
    assert len(true & {frozenset((row["a"], row["b"])) for row in found}) / len(true) >= 0.99
    judged = [
        bool(_five_grams(texts[row["a"]][slice(*span["a"])]) & _five_grams(texts[row["b"]][slice(*span["b"])]))
        for row in found[::every]
        for span in row["spans"]
    ]
    assert sum(judged) / len(judged) >= 0.97


def _in_runs(words, others, size=10):
    """Places of the words that are in a run of ``size`` words which the other text has."""
    grams = {tuple(others[place : place + size]) for place in range(len(others) - size + 1)}
    places = set()
    for place in range(len(words) - size + 1):
        if tuple(words[place : place + size]) in grams:
            places.update(range(place, place + size))
    return places


@pytest.mark.corpus
def test_words_in_exact_runs_are_in_passages(corpora):
    documents = list(read_documents(corpora / "slavictopics.docs.jsonl.gz"))
    table = find_passages(documents)
    sentences = table.sentences
    bounds = sentences.words.rows.indptr[sentences.first].tolist()
    number_of = {document.id: number for number, document in enumerate(documents)}
    pairs = {(pair.a, pair.b): pair.passages for pair in table.document_pairs()}
    with gzip.open(corpora / "slavictopics.labels.jsonl.gz", "rt", encoding="utf-8") as lines:
        labels = [json.loads(line) for line in lines]
    met, total = {}, {}
    for label in labels:
        ends = [number_of[label["a"]], number_of[label["b"]]]
        words = [sentences.words.rows.values[bounds[end] : bounds[end + 1]].tolist() for end in ends]
        passages = pairs.get((ends[0], ends[1])) or [
            one._replace(start_a=one.start_b, end_a=one.end_b) for one in pairs.get((ends[1], ends[0]), ())
        ]
        starts = sentences.word_starts[bounds[ends[0]] : bounds[ends[0] + 1]]
        places = _in_runs(*words)
        kind = label.get("kind")
        total[kind] = total.get(kind, 0) + len(places)
        inside = sum(any(one.start_a <= starts[place] < one.end_a for one in passages) for place in places)
        met[kind] = met.get(kind, 0) + inside
    assert all(met[kind] / total[kind] >= 0.97 for kind in total if total[kind])
    assert sum(total.values()) > 30_000
