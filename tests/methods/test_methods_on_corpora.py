"""All methods on real news: what must hold between them, and what each finds of labelled reprints."""

import gzip
import json
from importlib.util import find_spec

import pytest

from infostream_dedup.lab.methods import Texts, method, method_class, methods
from infostream_dedup.model import Document

pytestmark = pytest.mark.corpus

# Of 39 labelled reprints in slavictopics, measured when the methods were written; a tenth less is a fault.
REPRINTS = {
    "md5": 3, "tf": 15, "tf-idf": 9, "tf-ridf": 24, "long-sent": 20, "heavy-sent": 18, "megashingles": 16,
    "lex-rand": 10, "log-shingles": 15, "descr-words": 9, "opt-freq": 10, "decomposition": 23, "three-plus-five": 19,
    "three-plus-two": 21, "i-match": 5, "spotsigs": 39, "low-idf-sig": 32, "shingles": 35, "dsc": 35, "dsc-ss": 8,
    "simhash": 13, "minhash": 30, "tf-idf-cosine": 39, "key-terms-stem": 39, "key-terms-morph": 39, "checksum": 4,
    "first-paragraph": 4,
}  # fmt: skip


def _lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def news(corpora):
    rows = _lines(corpora / "slavictopics.docs.jsonl.gz")
    return Texts(
        [Document(id=row["id"], text=row["text"], title=row.get("title") or "", lang=row["lang"]) for row in rows]
    )


@pytest.fixture(scope="module")
def labels(corpora, news):
    place = {document.id: number for number, document in enumerate(news.documents)}
    found: dict[str, set[tuple[int, int]]] = {}
    for row in _lines(corpora / "slavictopics.labels.jsonl.gz"):
        a, b = sorted((place[row["a"]], place[row["b"]]))
        found.setdefault(row["label"], set()).add((a, b))
    return found


def _pairs(news, name, **parameters):
    pairs = method(name, **parameters).run(news).pairs
    return set(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True))


NAMES = [
    name
    for name in methods()
    if not method_class(name).only_when_named and (name != "minhash" or find_spec("datasketch"))
]


@pytest.mark.parametrize("name", NAMES)
def test_labelled_reprints(news, labels, name):
    pairs = _pairs(news, name)
    assert len(pairs & labels["dup"]) >= 0.9 * REPRINTS.get(name, 1)
    assert len(pairs & labels["different"]) <= 2


def test_equal_texts_are_found_by_every_method_of_the_papers(news):
    equal = _pairs(news, "md5")
    assert equal
    for name in ("tf", "tf-idf", "long-sent", "heavy-sent", "shingles", "megashingles", "three-plus-five", "simhash"):
        assert equal <= _pairs(news, name), name
