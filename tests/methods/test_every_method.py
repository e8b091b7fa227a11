"""What every registered method promises, whichever it is."""

import dataclasses
import gzip
import inspect
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec

import numpy as np
import pytest

from infostream_dedup.errors import ConfigurationError, MissingExtraError
from infostream_dedup.judging.features.fingerprints import count_words, tf_idf_weights
from infostream_dedup.judging.features.words import read_words, significant
from infostream_dedup.lab.methods import Method, Texts, method, method_class, methods, register, written
from infostream_dedup.model import Document
from infostream_dedup.model.limits import OneOf, Range, limits_of
from infostream_dedup.model.settings import REPRESENTATIONS

WEIGHED_BY_COLLECTION = {
    "weighted-simhash", "tf-idf", "tf-ridf", "heavy-sent", "lex-rand", "i-match", "descr-words", "opt-freq",
    "spotsigs", "tf-idf-cosine", "key-terms-stem", "key-terms-morph", "key-terms-pivot", "pair-model",
}  # fmt: skip
STORIES = ("ru", "uk", "en", "other")
DIRECTED = [
    ("shingles", {"measure": "containment"}), ("dsc", {"measure": "containment", "m": 2}),
    ("key-terms-stem", {"rule": "forward"}),
]  # fmt: skip

# The package behind it is optional.
NAMES = [n for n in methods() if not method_class(n).only_when_named and (n != "minhash" or find_spec("datasketch"))]
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
    assert whole == [_rows(method(name).sign(Texts([document])))[0] for document in documents]


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
        base = next(base for base in chosen.__mro__ if field.name in vars(base).get("__annotations__", {}))
        told = rf"\n    {field.name}: .+  # \w|\n    # .+\n    {field.name}: "
        assert re.search(told, inspect.getsource(base)), field.name
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


# The registry and the parameters of methods.
REGISTRY_NAMES = (
    "md5 tf tf-idf tf-ridf long-sent heavy-sent megashingles lex-rand log-shingles descr-words opt-freq decomposition "
    "three-plus-five three-plus-two i-match spotsigs low-idf-sig shingles dsc dsc-ss simhash minhash tf-idf-cosine "
    "key-terms-stem key-terms-morph key-terms-pivot checksum first-paragraph pair-model semantic stream-clusters "
    "weighted-simhash "
    "winnowing"
)


def test_names_are_those_of_the_design_in_its_order():
    wanted = [name for name in REGISTRY_NAMES.split() if name != "key-terms-pivot" or "pivot" in REPRESENTATIONS]
    assert methods() == wanted


@pytest.mark.parametrize(("name", "parameters", "said"), [
    ("tfidf", {}, "'tfidf'; expected one of md5, tf, tf-idf"),
    ("dsc", {"sample": "min", "measure": "containment"}, "use sample mod"),
    ("key-terms-stem", {"n": 5}, "k is 6; expected a whole number from 1 to n = 5"),
])  # fmt: skip
def test_methods_that_cannot_be_are_refused_with_those_that_can(name, parameters, said):
    with pytest.raises(ConfigurationError, match=said):
        method(name, **parameters)


def test_a_name_is_given_once():
    @dataclass(frozen=True)
    class Second(Method):
        pass

    with pytest.raises(ValueError, match="registered twice"):
        register("md5")(Second)


def test_minhash_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasketch", None)
    with pytest.raises(MissingExtraError, match=r"datasketch.*\[compare\]"):
        method("minhash").run(Texts.of("слово"))


def test_range_of_whole_numbers_and_of_others():
    Range(1, 5).check("w", 5)
    Range(0.0, 1.0).check("tau", 1)
    with pytest.raises(ConfigurationError, match=r"w is 2\.5; expected a whole number from 1 to 5"):
        Range(1, 5).check("w", 2.5)
    with pytest.raises(ConfigurationError, match="tau is nan"):
        Range(0.0, 1.0).check("tau", float("nan"))
    with pytest.raises(ConfigurationError, match="bits is 16; expected one of 32, 64"):
        OneOf(32, 64).check("bits", 16)


# A method and its parameters in one word.
def test_a_name_alone_is_the_method_with_its_defaults():
    for name in methods():
        assert written(name) == method(name)


def test_values_are_numbers_words_and_truths():
    found = written("shingles:w=5:tau=0.45:bag=false:measure=containment").as_dict()
    assert found == {"method": "shingles", "w": 5, "tau": 0.45, "measure": "containment", "bag": False}


@pytest.mark.parametrize(("notation", "message"), [
    ("shingle", "method is 'shingle'; expected one of md5"),
    ("shingles:w", "'w' is not a parameter; expected shingles:parameter=value"),
    ("shingles:=5", "'=5' is not a parameter"), ("shingles:width=5", "shingles has no parameter 'width'"),
    ("shingles:w=many", "w is 'many'; expected a whole number from 1 to 20"),
    ("shingles:w=2.5", "w is 2.5; expected a whole number"),
    ("shingles:bag=maybe", "bag is 'maybe'; expected true or false"),
])  # fmt: skip
def test_what_is_wrong_is_named(notation, message):
    with pytest.raises(ConfigurationError) as caught:
        written(notation)
    assert message in str(caught.value)


# What methods share of a collection.
def test_features_are_made_once_but_a_bare_copy_makes_them_again():
    texts = Texts.of("Мэр открыл новый мост через реку")
    words, shingles = texts.words, texts.shingles(3)
    bare = texts.without_features()
    assert texts.shingles(3) is shingles
    assert bare.words is words
    assert bare.shingles(3) is not shingles
    assert texts.shingles(3) is shingles


# All methods on real news: what must hold between them, and what each finds of labelled reprints.


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
    return Texts([Document(id=r["id"], text=r["text"], title=r.get("title") or "", lang=r["lang"]) for r in rows])


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


@pytest.mark.corpus
@pytest.mark.parametrize("name", NAMES)
def test_labelled_reprints(news, labels, name):
    pairs = _pairs(news, name)
    assert len(pairs & labels["dup"]) >= 0.9 * REPRINTS.get(name, 1)
    assert len(pairs & labels["different"]) <= 2


@pytest.mark.corpus
def test_equal_texts_are_found_by_every_method_of_the_papers(news):
    equal = _pairs(news, "md5")
    assert equal
    for name in ("tf", "tf-idf", "long-sent", "heavy-sent", "shingles", "megashingles", "three-plus-five", "simhash"):
        assert equal <= _pairs(news, name), name


# Stream clusters: by hand, and against vectors of clusters that are summed up.
START = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = "мост река снег школа крыша футбол матч голос пожар склад город цена рынок дождь ветер поезд".split()


def _document(name, text, hours=None, **given):
    time = None if hours is None else START + timedelta(hours=hours)
    return Document(id=name, text=text, lang=given.pop("lang", "ru"), time=time, **given)


def _others(count):
    """Documents of other words, so that words of the story are rare."""
    return [_document(f"other {number}", f"слово{number} дело{number} место{number}") for number in range(count)]


def _clustered(documents, **given):
    found = method("stream-clusters", **given).run(Texts(documents)).pairs
    return list(zip(found.a.tolist(), found.b.tolist(), strict=True))


def test_time_apart_divides_one_text_into_two_clusters_where_it_weighs_enough():
    text = "Мост закрыли ночью"
    near, far = _document("1", text, 0), _document("2", text, 72)
    documents = [near, far, *_others(5)]
    # Equal words, 72 hours apart: three times exp(-1/2) = .607, so .8 + .2 · .607 = .921 and .5 + .5 · .607 = .803.
    assert _clustered(documents, tau=0.92) == [(0, 1)]
    assert _clustered(documents, tau=0.93) == []
    assert _clustered(documents, tau=0.8, time=0.5) == [(0, 1)]
    assert _clustered(documents, tau=0.81, time=0.5) == []
    # Without a time words alone count.
    assert _clustered([near, _document("2", text), *_others(5)], tau=0.99) == [(0, 1)]


def test_languages_and_empty_documents_stay_apart():
    text = "Мост закрыли ночью"
    other = [_document("1", text), _document("2", text, lang="uk"), _document("3", ""), _document("4", "")]
    assert _clustered([*other, *_others(5)]) == []


def test_pairs_are_all_pairs_of_a_cluster():
    text = "Мост закрыли ночью"
    documents = [_document("1", text), *_others(5), _document("2", text), _document("3", text)]
    assert _clustered(documents) == [(0, 6), (0, 7), (6, 7)]


@pytest.mark.parametrize("seed", range(5))
def test_clusters_are_those_of_summed_vectors(seed):
    random = np.random.default_rng(seed)
    documents = [
        _document(str(number), " ".join(random.choice(WORDS, 6)), float(random.integers(0, 200)), title=title)
        for number, title in enumerate(random.choice([*WORDS[:6], ""], 40).tolist())
    ]
    assert _clustered(documents, tau=0.45) == _plain(documents, 0.45, 0.2, 72.0)


def _plain(documents, tau, share, sigma):
    full = [f"{one.title} {one.text}" if one.title else one.text for one in documents]
    parts = [_unit(texts) for texts in ([one.title or "" for one in documents], [one.text for one in documents], full)]
    clusters = []
    for place, document in enumerate(documents):
        hour = (document.time - START).total_seconds() / 3600
        best, best_score = None, -1.0
        for cluster in clusters:
            cosines = []
            for part in parts:
                if part[place].any():
                    summed = part[cluster].sum(axis=0)
                    norm = np.sqrt(summed @ summed)
                    cosines.append(part[place] @ summed / norm if norm else 0.0)
            hours = [(documents[one].time - START).total_seconds() / 3600 for one in cluster]
            near = [np.exp(-((hour - at) ** 2) / (2 * sigma**2)) for at in (min(hours), max(hours), np.mean(hours))]
            score = round((1 - share) * float(np.mean(cosines)) + share * float(np.mean(near)), 9)
            if score > best_score:
                best, best_score = cluster, score
        if best is not None and best_score >= tau:
            best.append(place)
        else:
            clusters.append([place])
    return sorted((a, b) for cluster in clusters for a in cluster for b in cluster if a < b)


def _unit(texts):
    counts = count_words(significant(read_words(texts), ["ru"] * len(texts)))
    dense = counts.rows(np.maximum(tf_idf_weights(counts), 0)).toarray().astype(np.float64)
    norms = np.sqrt((dense**2).sum(axis=1, keepdims=True))
    return np.divide(dense, norms, out=np.zeros_like(dense), where=norms > 0)
