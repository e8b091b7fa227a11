"""Pairs by wording: sketches find them, and a plain comparison of all pairs judges them."""

import gzip
from itertools import combinations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import pairs
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.runs.batch import wording
from tests.oracles.plain_reading import read_plainly

WORDS = ["сло" + one + two for one in "абвгдежзик" for two in "лмнопр"]


def plain_pairs(documents, identical):
    """The pairs of which the smaller document shares enough triples, by comparing all of them."""
    triples = [(one["id"], set(read_plainly(one["text"], 0).triples)) for one in documents]
    found = {}
    for (a, of_a), (b, of_b) in combinations(triples, 2):
        shared = len(of_a & of_b)
        if of_a and of_b and shared >= identical * min(len(of_a), len(of_b)) and shared:
            found[a, b] = round(shared / len(of_a), 6), round(shared / len(of_b), 6)
    return found


@given(st.lists(st.lists(st.sampled_from(WORDS[:9]), max_size=12), max_size=12), st.sampled_from([0.2, 0.3, 1.0]))
def test_short_texts_are_compared_by_all_their_triples(texts, identical):
    documents = [{"id": str(number), "text": " ".join(words)} for number, words in enumerate(texts)]
    found = {
        (row.a, row.b): (row.wording_forward, row.wording_backward)
        for row in pairs(documents, by="wording", identical=identical)
    }
    assert found == plain_pairs(documents, identical)


def test_a_case_by_hand():
    text = " ".join(WORDS[:20])
    documents = [
        {"id": "whole", "text": text}, {"id": "same", "text": text.upper() + "!"},
        {"id": "part", "text": " ".join(WORDS[:8])}, {"id": "half", "text": " ".join(WORDS[:10] + WORDS[40:52])},
        {"id": "other", "text": " ".join(WORDS[30:40])},
    ]  # fmt: skip
    found = [
        (row.a, row.b, row.kind, row.wording_forward, row.wording_backward) for row in pairs(documents, by="wording")
    ]
    assert found == [
        ("whole", "same", "copy", 1.0, 1.0), ("whole", "part", "contains", 0.333333, 1.0),
        ("whole", "half", "overlapping", 0.444444, 0.4), ("same", "part", "contains", 0.333333, 1.0),
        ("same", "half", "overlapping", 0.444444, 0.4), ("part", "half", "contained", 1.0, 0.3),
    ]  # fmt: skip
    strongest = pairs(documents, by="wording", sort="strength", top=1)
    assert [(row.a, row.b) for row in strongest] == [("whole", "same")]
    assert strongest.columns == ("a", "b", "kind", "wording_forward", "wording_backward")


def test_a_short_text_is_found_in_a_long_one():
    """A sketch of fixed size would lose it: the long text has smaller hashes of its own."""
    long = [f"д{number}" for number in range(3000)]
    documents = [{"id": "long", "text": " ".join(long)}]
    documents += [{"id": f"short{at}", "text": " ".join(long[at : at + 200])} for at in range(0, 2800, 100)]
    found = {row.b for row in pairs(documents, by="wording", identical=0.8) if row.a == "long"}
    assert found == {one["id"] for one in documents[1:]}


def test_the_result_does_not_depend_on_how_many_pairs_fit(monkeypatch):
    documents = [{"id": str(number), "text": " ".join(WORDS[number % 7 : number % 7 + 40])} for number in range(60)]
    whole = [row.as_dict() for row in pairs(documents, by="wording")]
    monkeypatch.setattr(wording, "_AT_ONCE", 1)
    assert [row.as_dict() for row in pairs(documents, by="wording")] == whole
    assert len(whole) == 60 * 59 // 2


def test_many_copies_of_one_text_stay_linked(monkeypatch):
    monkeypatch.setattr(wording, "_CAP", 10)
    documents = [{"id": str(number), "text": " ".join(WORDS)} for number in range(100)]
    found = {(int(row.a), int(row.b)) for row in pairs(documents, by="wording")}
    assert {b for a, b in found if a == 0} == set(range(1, 100))
    assert len(found) < 100 * 11


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["mdnews", "uagec", "slavictopics"])
def test_labelled_duplicates_are_found_and_different_news_are_not(name, corpora):
    with gzip.open(corpora / f"{name}.labels.jsonl.gz") as lines:
        labels = {frozenset((one["a"], one["b"])): one["label"] for one in map(orjson.loads, lines)}
    found = {frozenset((row.a, row.b)) for row in pairs(corpora / f"{name}.docs.jsonl.gz", by="wording")}
    duplicates = {pair for pair, label in labels.items() if label == "dup"}
    assert len(duplicates & found) >= 0.99 * len(duplicates)
    assert not found & {pair for pair, label in labels.items() if label == "different"}


@pytest.mark.parametrize(("options", "error", "match"), [
    ({"k": 5}, UsageError, r"does not accept k\b"), ({"explain": True}, UsageError, "explain"),
    ({"k_min": 1}, UsageError, "k_min"), ({"workdir": "x"}, UsageError, "workdir"),
    ({"identical": 2.0}, ConfigurationError, "identical"), ({"by": "terms"}, ConfigurationError, "key-terms, wording"),
])  # fmt: skip
def test_what_wording_does_not_have_is_refused(options, error, match):
    with pytest.raises(error, match=match):
        pairs([{"id": "1", "text": "а"}], **{"by": "wording", **options})


def test_documents_and_dicts_give_the_same():
    documents = [{"id": str(number), "text": " ".join(WORDS[number : number + 30])} for number in range(20)]
    assert pairs([*read_documents(documents)], by="wording").as_rows() == pairs(documents, by="wording").as_rows()
