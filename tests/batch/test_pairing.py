"""Pairs of a small stream."""

import gzip
import itertools
from itertools import combinations

import numpy as np
import orjson
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import Settings, pairs
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.model import Document, full_text
from infostream_dedup.runs.batch import linking, pairing
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.judging import united
from infostream_dedup.runs.batch.pairing import PairRow, ordered_rows
from infostream_dedup.runs.batch.sweeping import spread_pairs
from infostream_dedup.sample import documents_path
from tests.oracles.plain_reading import read_plainly


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


def test_terms_that_met_can_be_left_out(stream):
    assert "terms" not in next(iter(pairs(stream, preset="faithful", terms=False))).as_dict()


def test_relation_is_empty_below_need(stream):
    rows = list(pairs(stream, k_min=1, k=12))
    weak = [row for row in rows if max(row.forward, row.backward) < min(row.n_a, row.n_b)]
    assert weak
    assert all(row.relation is None for row in weak)


def test_counts_shares_and_terms_heaviest_first_equal_plain_sets(stream):
    key_terms = collect(read_documents(stream)).key_terms(Settings())
    weight = [dict(zip(row.indices, row.data, strict=True)) for row in (key_terms.keys[[i]] for i in range(7))]
    target = [set(key_terms.targets[[i]].indices) for i in range(7)]
    for row in pairs(stream, k_min=1):
        a, b = ([document["id"] for document in stream].index(name) for name in (row.a, row.b))
        met = [term for term in weight[a] if term in target[b]]
        assert (row.forward, row.n_a) == (len(met), len(weight[a]))
        assert row.share_forward == pytest.approx(sum(weight[a][t] for t in met) / sum(weight[a].values()), abs=1e-6)
        answered = [term for term in weight[b] if term in target[a]]
        both = {t: weight[a].get(t, 0) * (t in met) + weight[b].get(t, 0) * (t in answered) for t in met + answered}
        heaviest_first = sorted(both, key=lambda term: (-both[term], term))
        assert (row.backward, row.terms) == (len(answered), [key_terms.counts.terms[t] for t in heaviest_first])


def test_share_score_takes_both_conditions(stream):
    settings = Settings.of(preset="best")
    key_terms = collect(read_documents(stream)).key_terms(settings)
    a, b = (np.array(column) for column in zip(*itertools.combinations(range(7), 2), strict=True))
    table = linking.pair_table(key_terms, a, b)
    found = linking.relations(table, settings)
    share = table.matched_forward / np.maximum(table.own_a, 1)
    assert ((found & 1) == ((share >= 0.40) & (table.forward >= 3))).all()


def test_only_pairs_of_two_languages(stream):
    english = [{**document, "id": f"en-{document['id']}", "lang": "en"} for document in stream]
    rows = list(pairs([*stream, *english], representation="stem", k_min=1, cross_language=True))
    assert all(row.b.startswith("en-") != row.a.startswith("en-") for row in rows)


def _row(name: str, forward: float, backward: float) -> PairRow:
    return PairRow.of(name, "x", 1, 1, 1, 1, forward, backward, None, None, None)


def test_by_hand() -> None:
    rows = [_row("a", 0.9, 0.2), _row("b", 0.5, 0.4), _row("c", 0.4, 0.8), _row("d", 0.2, 0.9)]

    def found(*, strongest_first: bool, top: int | None) -> str:
        return "".join(row.a for row in ordered_rows(iter(rows), strongest_first=strongest_first, top=top))

    # c and b share the smaller share, a and d both; of equals the earlier comes first.
    assert found(strongest_first=True, top=None) == "cbad"
    assert found(strongest_first=True, top=3) == "cba"
    assert found(strongest_first=False, top=3) == "abc"
    assert found(strongest_first=False, top=None) == "abcd"


@pytest.mark.parametrize("preset", ["faithful", "best", "similar"])
def test_every_preset_lists_its_strongest_pairs(preset: str) -> None:
    source = str(documents_path())
    every = list(pairs(source, preset=preset, terms=False, representation="stem"))
    keys = [(-min(row.share_forward, row.share_backward), -max(row.share_forward, row.share_backward)) for row in every]
    order = sorted(range(len(every)), key=lambda at: (keys[at], at))
    strongest = pairs(source, preset=preset, terms=False, representation="stem", sort="strength")
    assert list(strongest) == [every[at] for at in order]
    top = list(pairs(source, preset=preset, terms=False, representation="stem", top=7))
    assert top == [every[at] for at in sorted(order[:7])]


_DOCUMENTS = 9


def drawn(seed: int, count: int) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in np.random.default_rng(seed).integers(0, _DOCUMENTS, (count, 2))]


def ends(given: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.array(given, dtype=np.int64).reshape(-1, 2).T
    return a, b


@pytest.mark.parametrize(("seed", "count", "more"), [(1, 0, 0), (1, 0, 3), (2, 20, 0), (3, 20, 5), (4, 40, 40)])
def test_pairs_of_either_list_are_united(seed: int, count: int, more: int) -> None:
    one, other = sorted(set(drawn(seed, count))), list(dict.fromkeys(drawn(seed + 10, more)))
    a, b = united(ends(one), ends(other))
    assert list(zip(a.tolist(), b.tolist(), strict=True)) == sorted({*one, *other})


@pytest.fixture(params=[1, 7, 10_000])
def counts(request, monkeypatch):
    monkeypatch.setattr(linking, "_BLOCK_LINKS", request.param)
    random = np.random.default_rng(5)
    dense = random.integers(0, 256, (23, 23)) * (random.random((23, 23)) < 0.3)
    np.fill_diagonal(dense, 0)
    return sp.csr_array(dense.astype(np.uint8))


def test_examples_are_spread_as_over_one_list(counts):
    counts.data %= 5
    counts.data += 1
    dense = counts.toarray()
    strongest = np.triu(np.maximum(dense, dense.T))
    chosen, tallies = spread_pairs(linking.LinkedPairs(counts), 6)
    for k in range(1, 6):
        at = np.argwhere(strongest == k)
        wanted = np.unique(np.linspace(0, len(at) - 1, min(len(at), 10)).astype(np.int64))
        assert tallies[k] == len(at)
        assert chosen[k].T.tolist() == at[wanted].tolist()


@pytest.mark.parametrize("short", ["scaled", "strict"])
def test_pairs_without_a_relation_are_left_out_and_no_others(short):
    settings = Settings(k=6, short=short)
    key_terms = collect(read_documents(documents_path())).key_terms(settings)
    linked = linking.link(key_terms, settings, k_min=linking.least_count(settings))
    everything = next(iter(linking.chunks_of_pairs(key_terms, *linking.candidate_pairs(linked))))
    related = linking.relations(everything, settings) > 0
    a, b = linking.candidate_pairs(linked, 6)
    assert 0 < len(a) < len(everything) or short == "strict"
    assert (a.tolist(), b.tolist()) == (everything.a[related].tolist(), everything.b[related].tolist())


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
    found = [(p.a, p.b, p.kind, p.wording_forward, p.wording_backward) for p in pairs(documents, by="wording")]
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
    monkeypatch.setattr(pairing, "_AT_ONCE", 1)
    assert [row.as_dict() for row in pairs(documents, by="wording")] == whole
    assert len(whole) == 60 * 59 // 2


def test_many_copies_of_one_text_stay_linked(monkeypatch):
    monkeypatch.setattr(pairing, "_CAP", 10)
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
