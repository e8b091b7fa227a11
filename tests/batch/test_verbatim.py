"""Nodes of equal documents say the same of the documents as all links written out."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import Settings
from infostream_dedup.documents import read_documents
from infostream_dedup.links.sweeping import NO_INTERVAL
from infostream_dedup.runs.batch import deduplication, linking
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.deduplication import statuses
from infostream_dedup.runs.batch.linking import link, link_nodes, verbatim_links
from infostream_dedup.runs.batch.sweeping import sweep_collection

WORDS = ["снег", "дождь", "ветер", "град", "туман", "мороз", "гроза", "иней", "оттепель", "зной", "засуха", "буря"]
WORDS += ["шторм", "капель", "слякоть", "вьюга"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=0, max_size=14).map(" ".join)


def collection_of(texts):
    return collect(
        read_documents([{"id": str(number), "text": text, "lang": "ru"} for number, text in enumerate(texts)])
    )


@st.composite
def streams(draw):
    return draw(st.lists(st.sampled_from(draw(st.lists(TEXTS, min_size=1, max_size=6))), min_size=1, max_size=25))


@given(
    streams(), st.sampled_from(["equal", "contained"]), st.sampled_from(["scaled", "strict"]),
    st.sampled_from([2, 4, 6]), st.sampled_from(["text", "signature"]),
)  # fmt: skip
def test_statuses_are_those_of_all_pairs(texts, rule, short, k, target):
    collection = collection_of(texts)
    chosen = Settings(representation="stem", df_min=1, df_max=0.99, k=k, short=short, target=target)
    expected = statuses(collection, chosen, duplicate_rule=rule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deduplication, "MOST_VERBATIM_LINKS", -1)
        assert statuses(collection, chosen, duplicate_rule=rule) == expected


@given(streams(), st.integers(1, 4))
def test_measures_and_groups_are_those_of_all_links(texts, k_min):
    chosen = Settings(representation="stem", df_min=1, df_max=0.99)
    key_terms = collection_of(texts).key_terms(chosen)
    linked = link(key_terms, chosen, k_min=k_min)
    nodes = link_nodes(key_terms, chosen, k_min=k_min)
    assert nodes.measures() == linked.relation().measures()
    ks = range(k_min, 13)
    for ours, theirs in zip(nodes.group_sizes(ks), linked.relation().group_sizes(ks), strict=True):
        assert Counter(ours.tolist()) == Counter(theirs.tolist())


def test_links_between_equal_documents_are_counted():
    chosen = Settings(representation="stem", df_min=1, df_max=0.99)
    key_terms = collection_of([" ".join(WORDS[:8])] * 4 + [" ".join(WORDS[8:])] * 3 + ["", ""]).key_terms(chosen)
    assert verbatim_links(key_terms) == 4 * 3 + 3 * 2


def test_a_cluster_of_thousands_is_one_node():
    texts = [" ".join(np.roll(WORDS, shift)[:10]) for shift in range(8)] * 700 + ["снег дождь ветер град"] * 6000
    statuses_found = statuses(collection_of(texts), Settings(representation="stem", df_min=1, df_max=0.99))
    assert Counter(status.status for status in statuses_found)["exact"] == len(texts) - 9


def test_a_sweep_of_nodes_is_that_of_documents():
    texts = [" ".join(np.roll(WORDS, shift)[:10]) for shift in range(8)] * 5 + ["снег дождь ветер град"] * 20
    # Links between nodes of equal documents are not scaled.
    collection, chosen = collection_of(texts), Settings(df_max=0.99, short="strict")
    expected = sweep_collection(collection, chosen, ["stem"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linking, "MOST_VERBATIM_LINKS", -1)
        found = sweep_collection(collection, chosen, ["stem"])
    assert [replace(row, interval=NO_INTERVAL) for row in expected.rows[3:]] == found.rows[3:]
    assert [row.measures.links for row in found.rows] == [row.measures.links for row in expected.rows]
    assert found.recommended_k == expected.recommended_k
    assert found.groups == expected.groups
    assert "counted as a whole" in found.notes[0]
