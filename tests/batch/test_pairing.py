"""Pairs of a small stream."""

import itertools

import numpy as np
import pytest

from infostream_dedup import Settings, pairs
from infostream_dedup.documents import read_documents
from infostream_dedup.model import Document, full_text
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.linking import pair_table, relations


def test_title_is_not_doubled():
    assert full_text(Document(id="1", text="Снег. Много.", title="Снег.")) == "Снег. Много."
    assert full_text(Document(id="1", text="Много.", title="Снег")) == "Снег\nМного."
    assert full_text(Document(id="1", text="Много.")) == "Много."


@pytest.mark.parametrize("representation", ["stem", "morph"])
def test_reprints_meet_both_ways_and_the_digest_one_way(stream, representation):
    found = {(row.a, row.b): row for row in pairs(stream, preset="faithful", representation=representation)}
    assert found["story", "reprint"].relation == "equal"
    assert found["story", "copy"].relation == "equal"
    for item in ("story", "other", "third"):
        assert found[item, "digest"].relation == "contained"
        assert found[item, "digest"].forward > found[item, "digest"].backward
    assert ("story", "other") not in found
    assert not any("headline" in pair for pair in found)


def test_rows_come_in_the_order_of_the_stream_and_each_pair_once(stream):
    order = {document["id"]: ordinal for ordinal, document in enumerate(stream)}
    keys = [(order[row.a], order[row.b]) for row in pairs(stream, k_min=1)]
    assert keys == sorted(set(keys))
    assert all(a < b for a, b in keys)


def test_terms_that_met_are_shown_heaviest_first_and_can_be_left_out(stream):
    row = next(iter(pairs(stream, preset="faithful")))
    assert len(row.terms) >= max(row.forward, row.backward)
    assert len(set(row.terms)) == len(row.terms)
    assert "terms" not in next(iter(pairs(stream, preset="faithful", terms=False))).as_dict()


def test_relation_is_empty_below_need(stream):
    rows = list(pairs(stream, k_min=1, k=12))
    weak = [row for row in rows if max(row.forward, row.backward) < min(row.n_a, row.n_b)]
    assert weak
    assert all(row.relation is None for row in weak)


def test_counts_and_shares_equal_plain_sets(stream):
    settings = Settings()
    key_terms = collect(read_documents(stream)).key_terms(settings)
    weight = [dict(zip(row.indices, row.data, strict=True)) for row in (key_terms.keys[[i]] for i in range(7))]
    target = [set(key_terms.targets[[i]].indices) for i in range(7)]
    for row in pairs(stream, k_min=1):
        a, b = ([document["id"] for document in stream].index(name) for name in (row.a, row.b))
        met = [term for term in weight[a] if term in target[b]]
        assert (row.forward, row.n_a) == (len(met), len(weight[a]))
        assert row.share_forward == pytest.approx(sum(weight[a][t] for t in met) / sum(weight[a].values()), abs=1e-6)
        assert row.backward == len([term for term in weight[b] if term in target[a]])


def test_share_score_takes_both_conditions(stream):
    settings = Settings.of(preset="best")
    key_terms = collect(read_documents(stream)).key_terms(settings)
    a, b = (np.array(column) for column in zip(*itertools.combinations(range(7), 2), strict=True))
    table = pair_table(key_terms, a, b)
    found = relations(table, settings)
    share = table.matched_forward / np.maximum(table.own_a, 1)
    assert ((found & 1) == ((share >= 0.40) & (table.forward >= 3))).all()


def test_only_pairs_of_two_languages(stream):
    english = [{**document, "id": f"en-{document['id']}", "lang": "en"} for document in stream]
    rows = list(pairs([*stream, *english], representation="stem", k_min=1, cross_language=True))
    assert all(row.b.startswith("en-") != row.a.startswith("en-") for row in rows)
