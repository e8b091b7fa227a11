"""What every registered method promises, whichever it is."""

import dataclasses
import json
import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.methods import Texts, method, method_class, methods
from infostream_dedup.model import Document
from infostream_dedup.model.limits import Range, limits_of

WEIGHED_BY_COLLECTION = {
    "weighted-simhash", "tf-idf", "tf-ridf", "heavy-sent", "lex-rand", "i-match", "descr-words", "opt-freq",
    "spotsigs", "tf-idf-cosine", "key-terms-stem", "key-terms-morph", "key-terms-pivot", "pair-model",
}  # fmt: skip
STORIES = ("ru", "uk", "en", "other")
DIRECTED = [
    ("shingles", {"measure": "containment"}),
    ("dsc", {"measure": "containment", "m": 2}),
    ("key-terms-stem", {"rule": "forward"}),
]

# The package behind it is optional.
NAMES = [
    name
    for name in methods()
    if not method_class(name).only_when_named and (name != "minhash" or find_spec("datasketch"))
]
SYMMETRIC = [(name, {}) for name in NAMES]


def _rows(signatures):
    return [signatures.row(document).tobytes() for document in range(len(signatures))]


@pytest.mark.parametrize("name", NAMES)
def test_same_input_gives_same_signatures_and_pairs(name, documents):
    first, second = (method(name).run(Texts(documents)) for _ in range(2))
    assert _rows(first.signatures) == _rows(second.signatures)
    assert first.pairs.as_list() == second.pairs.as_list()


@pytest.mark.parametrize("name", NAMES)
def test_a_document_fully_matches_its_copy(name, documents):
    copies = [Document(id=f"copy of {found.id}", text=found.text, title=found.title) for found in documents]
    run = method(name).run(Texts([*documents, *copies]))
    scores = {(a, b): score for a, b, score in zip(run.pairs.a, run.pairs.b, run.pairs.scores, strict=True)}
    linked = {document.id for place, document in enumerate(documents) if (place, place + len(documents)) in scores}
    assert linked >= {*STORIES, "edited", "digest"}
    for place in range(len(documents)):
        if (place, place + len(documents)) in scores:
            assert scores[place, place + len(documents)] == pytest.approx(1)


@pytest.mark.parametrize("name", NAMES)
def test_empty_documents_have_no_signature_and_no_pair(name, documents):
    places = [place for place, document in enumerate(documents) if document.id in ("empty", "signs")]
    empty = [Document(id="another", text=""), Document(id="more", text=" \n")]
    run = method(name).run(Texts([*documents, *empty]))
    places += [len(documents), len(documents) + 1]
    if name == "checksum":
        # A checksum sees signs where words see none.
        places.remove(7)
    assert all(run.signatures.sizes[place] == 0 for place in places)
    assert not set(run.pairs.a.tolist() + run.pairs.b.tolist()) & set(places)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bare", [(), ("",), ("слово",), ("одно слово", "и другое"), ("", "", "слово")])
def test_tiny_collections(name, bare):
    run = method(name).run(Texts.of(*bare))
    assert len(run.signatures) == len(bare)
    assert len(run.pairs) == 0
    assert run.bytes_per_document >= 0


@pytest.mark.parametrize(("name", "parameters"), SYMMETRIC + DIRECTED)
def test_order_of_documents_does_not_matter(name, parameters, documents):
    order = np.random.default_rng(5).permutation(len(documents))
    straight = method(name, **parameters).run(Texts(documents))
    shuffled = method(name, **parameters).run(Texts([documents[place] for place in order]))
    assert _rows(shuffled.signatures) == [_rows(straight.signatures)[place] for place in order]
    directed = straight.pairs.directed
    back = [(int(order[a]), int(order[b]), score) for a, b, score in shuffled.pairs.as_list()]
    back = [pair if directed else (min(pair[:2]), max(pair[:2]), pair[2]) for pair in back]
    assert sorted(back) == straight.pairs.as_list()


@pytest.mark.parametrize("name", sorted(set(NAMES) - WEIGHED_BY_COLLECTION))
def test_signatures_do_not_depend_on_the_other_documents(name, documents):
    whole = _rows(method(name).sign(Texts(documents)))
    alone = [_rows(method(name).sign(Texts([document])))[0] for document in documents]
    assert whole == alone


@pytest.mark.parametrize(("name", "parameters"), SYMMETRIC + DIRECTED)
def test_pairs_are_ordered_and_scored(name, parameters, texts):
    chosen = method(name, **parameters)
    pairs = chosen.run(texts).pairs
    assert pairs.directed == chosen.directed
    assert (pairs.a.dtype, pairs.b.dtype, pairs.scores.dtype) == (np.int64, np.int64, np.float64)
    listed = list(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True))
    assert listed == sorted(set(listed))
    assert all(a != b if pairs.directed else a < b for a, b in listed)
    assert ((pairs.scores > 0) & (pairs.scores <= 1)).all()


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_checked(name):
    chosen = method_class(name)
    limits = limits_of(chosen)
    for field in dataclasses.fields(chosen):
        if isinstance(field.default, bool):
            wrong = [1, "yes", None]
        elif isinstance(limits[field.name], Range):
            wrong = [limits[field.name].low - 1, limits[field.name].high + 1, True, "3", None]
        else:
            wrong = ["none of them", None, True]
        for value in wrong:
            with pytest.raises(ConfigurationError, match=field.name):
                method(name, **{field.name: value})
    with pytest.raises(ConfigurationError, match="no parameter 'no_such'"):
        method(name, no_such=1)


@pytest.mark.parametrize("name", NAMES)
def test_every_method_says_its_paper_and_parameters(name):
    chosen = method_class(name)
    module = sys.modules[chosen.__module__]
    own = " ".join(base.__doc__ or "" for base in chosen.__mro__ if base.__module__ == module.__name__)
    assert ":" in own
    assert ">>> method(" in own
    for field in dataclasses.fields(chosen):
        assert f"{field.name}:" in own
    assert method(name).as_dict()["method"] == name


_DIGESTS = """
import hashlib, json, sys
from infostream_dedup.lab.methods import Texts, method
names, documents = json.loads(sys.stdin.read())
texts = Texts.of(*documents)
for name in names:
    run = method(name).run(texts)
    print(name, hashlib.sha256(run.signatures.values.tobytes()).hexdigest(), run.pairs.as_list())
"""


def test_nothing_depends_on_the_hash_seed(documents):
    told = json.dumps([NAMES, [document.text for document in documents]])
    outputs = [
        subprocess.run(
            [sys.executable, "-c", _DIGESTS], input=told, env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "12345")
    ]  # fmt: skip
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == len(NAMES)
