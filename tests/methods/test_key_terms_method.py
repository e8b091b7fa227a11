"""Key terms as one of the methods: the same pairs as the main job finds."""

import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.methods import Texts, method
from infostream_dedup.model import Document, Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.pairing import pair_rows


def _rows(documents, representation, k):
    settings = Settings.of(representation=representation, k=k)
    place = {document.id: number for number, document in enumerate(documents)}
    return [(place[row.a], place[row.b], row.relation) for row in pair_rows(collect(documents), settings)]


def test_pairs_are_those_of_the_main_job(documents):
    copies = [Document(id=f"copy of {found.id}", text=found.text, title=found.title) for found in documents]
    documents = [*documents, *copies]
    for representation in ("stem", "morph"):
        rows = _rows(documents, representation, 6)
        assert {relation for _, _, relation in rows} == {"equal", "contained", "contains"}
        name = f"key-terms-{representation}"
        both = method(name).run(Texts(documents)).pairs
        assert [pair[:2] for pair in both.as_list()] == [(a, b) for a, b, relation in rows if relation == "equal"]
        either = method(name, rule="either").run(Texts(documents)).pairs
        assert [pair[:2] for pair in either.as_list()] == [(a, b) for a, b, _ in rows]


def test_links_are_directed(documents):
    texts = Texts(documents)
    pairs = method("key-terms-stem", rule="forward", df_min=1).run(texts).pairs
    place = {document.id: number for number, document in enumerate(documents)}
    links = {pair[:2] for pair in pairs.as_list()}
    assert (place["ru"], place["digest"]) in links
    assert (place["other"], place["digest"]) in links
    assert (place["ru"], place["other"]) not in links


def test_pairs_by_share_are_those_of_the_preset_best(documents):
    copies = [Document(id=f"copy of {found.id}", text=f"{found.text} Позже.", title=found.title) for found in documents]
    documents = [*documents, *copies]
    place = {document.id: number for number, document in enumerate(documents)}
    rows = list(pair_rows(collect(documents), Settings.of(preset="best")))
    both = method("key-terms-morph", n=30, score="share").run(Texts(documents)).pairs
    expected = [(place[row.a], place[row.b]) for row in rows if row.relation == "equal"]
    assert expected
    assert [pair[:2] for pair in both.as_list()] == expected
    assert (both.scores >= 0.4).all()


@pytest.mark.parametrize("wrong", [{"k": 13}, {"min_terms": 13}, {"threshold": 0.0}, {"score": "sum"}])
def test_parameters_are_checked(wrong):
    with pytest.raises(ConfigurationError):
        method("key-terms-morph", **wrong)
