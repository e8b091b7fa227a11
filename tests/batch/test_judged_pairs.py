"""Pairs with preset ``judged``: which are listed, what a row says, and why."""

import gzip
import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from infostream_dedup import pairs, read_documents, similarity_matrix, sweep
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch import pairing
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.runs.batch.pairing import ListedPairs, PairChoice, collected, judged_pair_rows
from infostream_dedup.sample import documents_path

SAMPLE = str(documents_path())


@pytest.fixture(scope="module")
def documents() -> list[dict[str, object]]:
    with Path(SAMPLE).open(encoding="utf-8") as lines:
        return [json.loads(line) for number, line in enumerate(lines) if number % 40 < 14]


@pytest.fixture(scope="module")
def listed(documents) -> list[dict[str, object]]:
    return [row.as_dict() for row in pairs(documents, explain=True, kinds="all") if row.probability is not None]


def judged(documents, *, chunk: int = 1_000_000) -> JudgedCollection:
    evidence = EvidenceReader(chunk=chunk)
    collection = collect(read_documents(documents), evidence=evidence)
    return JudgedCollection.of(collection, evidence.finish(collection.languages), Settings())


def test_probable_pairs_are_listed_with_the_columns_of_pairs_and_four_more(documents, listed):
    plain = {(row.a, row.b): row.as_dict() for row in pairs(documents, k_min=3)}
    order = {document["id"]: number for number, document in enumerate(documents)}
    places = [(order[row["a"]], order[row["b"]]) for row in listed]
    assert len(listed) > 20
    assert places == sorted(set(places))
    for row in listed:
        assert row["probability"] >= 0.5
        added = {name: row.pop(name) for name in ("probability", "kind", "wording_forward", "wording_backward")}
        reasons = row.pop("reasons")
        assert row == plain[row["a"], row["b"]]
        assert 0 <= min(added["wording_forward"], added["wording_backward"]) <= 1
        row.update(added, reasons=reasons)


def test_reasons_add_up_to_the_logit_of_the_probability(listed):
    assert {row["reasons"][0]["reason"] for row in listed} == {"base"}
    for row in listed:
        z = sum(reason["adds"] for reason in row["reasons"])
        if row["probability"] < 1:
            assert 1 / (1 + math.exp(-z)) == pytest.approx(row["probability"], abs=1e-6)


def test_rows_do_not_depend_on_chunks(documents, listed):
    def rows(collection: JudgedCollection) -> list[dict[str, object]]:
        rows = judged_pair_rows(collection, PairChoice(explain=True))
        return [row.as_dict() for row in rows if row.probability is not None]

    assert rows(judged(documents, chunk=1)) == listed
    assert rows(judged(documents, chunk=5000)) == listed


def test_pairs_are_judged_in_chunks_that_hold_all_pairs_of_a_document(documents):
    collection = judged(documents)
    a, b = collection.candidates()
    whole, parts = next(collection.judged(a, b)), list(collection.judged(a, b, chunk=7))
    assert len(parts) > 5
    for name in ("a", "b", "probability", "kinds", "wording", "shares"):
        assert np.array_equal(np.concatenate([getattr(part, name) for part in parts]), getattr(whole, name))
    assert all(not one & other for one, other in combinations([set(part.b.tolist()) for part in parts], 2))


def test_strongest_first_and_only_some(listed, documents):
    strongest = [row for row in pairs(documents, sort="strength", kinds="all") if row.probability is not None]
    assert [row.probability for row in strongest] == sorted((row["probability"] for row in listed), reverse=True)
    top = [(row.a, row.b) for row in strongest[:5]]
    assert [(row.a, row.b) for row in pairs(documents, preset="judged", sort="strength", top=5, kinds="all")] == top
    chosen = [(row.a, row.b) for row in pairs(documents, preset="judged", top=5, kinds="all")]
    assert sorted(chosen) == sorted(top)
    assert chosen == [pair for row in listed if (pair := (row["a"], row["b"])) in top]


def test_all_candidates_of_one_language_are_listed_on_request(documents, listed):
    collection = collect(read_documents(documents))
    language = dict(zip([document.id for document in collection.documents], collection.languages, strict=True))
    candidates = {(p.a, p.b) for p in pairs(documents, k_min=3, terms=False) if language[p.a] == language[p.b]}
    asked = pairs(documents, preset="judged", min_probability=0, terms=False)
    every = {(row.a, row.b): row for row in asked if row.probability is not None}
    assert candidates <= set(every)
    assert min(row.probability for row in every.values()) < 0.5
    for row in listed:
        assert every[row["a"], row["b"]].probability == row["probability"]
    wide = {(row.a, row.b) for row in pairs(documents, preset="judged", k_min=5) if row.probability is not None}
    assert wide == {pair for pair, row in every.items() if max(row.forward, row.backward) >= 5}


def test_short_equal_texts_are_copies_without_a_single_term():
    texts = ("Да, да!", "да да ", "", "", "Да", "Да")
    short = [{"id": str(number), "text": text, "lang": "ru"} for number, text in enumerate(texts, 1)]
    found = list(pairs(short, preset="judged"))
    assert [(row.a, row.b, row.probability, row.kind) for row in found] == [("1", "2", 1.0, "copy")]
    assert list(pairs(short, preset="judged", k_min=1)) == []
    assert list(pairs([], preset="judged")) == []


@pytest.mark.parametrize("given", [
    {"preset": "judged", "k": 6}, {"preset": "judged", "n": 30}, {"preset": "judged", "score": "share"},
    {"preset": "judged", "representation": "pivot"}, {"preset": "best", "between": "plain"},
    {"preset": "best", "min_probability": 0.0},
])  # fmt: skip
def test_options_that_have_no_meaning_are_refused(given):
    with pytest.raises(UsageError, match="preset judged"):
        pairs([], **given)


@pytest.mark.parametrize("given", [
    {"settings": Settings()}, {"min_probability": 1.5}, {"top": 0}, {"sort": "kind"}, {"between": "nothing"},
    {"k_min": 13}, {"k_min": 0},
])  # fmt: skip
def test_values_out_of_range_are_refused(given):
    with pytest.raises(ConfigurationError):
        pairs([], preset="judged", **given)


def test_copies_in_a_closed_world(corpora):
    """slavictopics: every text that copied from another is labelled, and all 39 duplicates are to be found."""
    with gzip.open(corpora / "slavictopics.labels.jsonl.gz", "rt", encoding="utf-8") as lines:
        labels = {frozenset((row["a"], row["b"])): row for row in map(json.loads, lines)}
    overlap = {pair for pair, row in labels.items() if row.get("kind") in ("reprint", "partial", "contained")}
    duplicates = {pair for pair, row in labels.items() if row["label"] == "dup"}
    found = pairs(corpora / "slavictopics.docs.jsonl.gz", preset="judged", terms=False)
    copies = {frozenset((row.a, row.b)) for row in found if row.kind in ("copy", "contained")}
    assert len(duplicates) == 39
    assert duplicates <= copies
    assert len(copies & overlap) / len(copies) >= 0.98


@pytest.mark.parametrize("order", ["id", "strength"])
@pytest.mark.parametrize("top", [None, 1, 7, 500])
def test_pairs_collected_part_by_part_are_the_strongest_of_all(monkeypatch, order, top):
    """Weaker pairs are dropped after nearly every part; many pairs tie in probability, some in shares too."""
    monkeypatch.setattr(pairing, "_DROPPED_AT", 3)
    numbers = np.random.default_rng(6)
    ends = [(a, b) for b in range(20) for a in range(b)]
    probability, shares = numbers.choice([0.5, 0.75, 1.0], len(ends)), numbers.choice([0.5, 1.0], (len(ends), 2))
    a, b = np.array(ends, dtype=np.int64).T
    kinds, nothing = np.zeros(len(ends), np.int8), np.full(len(ends), None, dtype=np.object_)
    every = ListedPairs(
        a=a, b=b, probability=probability, kinds=kinds, wording=shares[:, ::-1], shares=shares, differing=nothing,
        forms=kinds > 0,
    )  # fmt: skip
    plain = sorted(range(len(ends)), key=lambda n: (-probability[n], -min(shares[n]), -max(shares[n]), *ends[n]))[:top]
    plain = sorted(plain, key=lambda n: ends[n]) if order == "id" else plain
    parts = (every.at(slice(begin, begin + 9)) for begin in range(0, len(ends), 9))
    found = collected(parts, PairChoice(sort=order, top=top))
    assert [*zip(found.a.tolist(), found.b.tolist(), strict=True)] == [ends[number] for number in plain]
    assert found.shares.tolist() == shares[plain].tolist()
    assert found.wording.tolist() == shares[plain, ::-1].tolist()


def test_related_pairs_and_forms_are_counted_but_listed_only_on_request(documents):
    every = [row.as_dict() for row in pairs(documents, preset="judged", kinds="all")]
    usual = pairs(documents, preset="judged")
    assert usual.as_rows() == [row for row in every if row["kind"] not in ("related", "template")]
    assert usual.left_out == Counter(row["kind"] for row in every if row["kind"] in ("related", "template"))
    assert usual.left_out["related"]
    chosen = pairs(documents, preset="judged", kinds="copy, translation")
    assert chosen.as_rows() == [row for row in every if row["kind"] in ("copy", "translation")]
    with pytest.raises(ConfigurationError, match="kinds is 'copies'"):
        pairs(documents, preset="judged", kinds="copies")


def _groups(links: set[tuple[int, int]], documents: int) -> list[int]:
    """Sizes of the groups of two and more that returned links join, by merging sets."""
    group = {document: {document} for document in range(documents)}
    for a, b in links:
        if (b, a) in links and group[a] is not group[b]:
            group[a] |= group[b]
            for member in group[b]:
                group[member] = group[a]
    return [len(members) for members in {id(one): one for one in group.values()}.values() if len(members) > 1]


@pytest.mark.slow
def test_every_row_beside_links_and_paths_counted_one_by_one() -> None:
    source = str(documents_path())
    found = sweep(source, representations=["morph"], confirmed=True, examples=False)
    matrix, _ = similarity_matrix(source, representation="morph")
    counts = matrix.counts.tocoo()
    place = {document.id: number for number, document in enumerate(read_documents(source))}
    listed = [row for row in pairs(source, preset="judged", terms=False, kinds="all") if row.probability is not None]
    accepted = {frozenset((place[row.a], place[row.b])) for row in listed}
    every = dict(zip(zip(counts.row.tolist(), counts.col.tolist(), strict=True), counts.data.tolist(), strict=True))
    rows = {row.measures.k: row for row in found.rows if row.block == "confirmed"}
    assert sorted(rows) == list(range(1, 13))
    for k, row in rows.items():
        links = {ends for ends, count in every.items() if count >= k and frozenset(ends) in accepted}
        paths = {(a, b, c) for a, b in links for x, c in links if x == b and c != a}
        assert row.measures.links == len(links)
        assert row.measures.reciprocal == sum((b, a) in links for a, b in links)
        assert (row.measures.paths, row.measures.closed) == (len(paths), sum((a, c) in links for a, _, c in paths))
        sizes = _groups(links, len(place))
        assert (row.groups.groups, row.groups.grouped, row.groups.largest) == (len(sizes), sum(sizes), max(sizes))


def test_links_between_languages_are_not_confirmed_and_the_reader_learns_it() -> None:
    found = sweep(str(documents_path()), representations=["pivot"], confirmed=True, ks=[3], examples=False)
    links = {row.block: row.measures.links for row in found.rows}
    assert 0 < links["confirmed"] <= links["mono"]
    assert any("no links between languages" in note for note in found.notes)


def test_shares_are_refused() -> None:
    with pytest.raises(UsageError, match="count score"):
        sweep(str(documents_path()), confirmed=True, score="share")


def test_group_columns_are_those_of_the_links() -> None:
    found = sweep(str(documents_path()), representations=["stem"], examples=False)
    counts = similarity_matrix(str(documents_path()), representation="stem")[0].counts.tocoo()
    every = list(zip(counts.row.tolist(), counts.col.tolist(), counts.data.tolist(), strict=True))
    for row in found.rows:
        sizes = _groups({(a, b) for a, b, count in every if count >= (row.measures.k or 0)}, row.measures.documents)
        assert row.as_dict()["largest"] == max(sizes)
        assert (row.groups.groups, row.groups.grouped) == (len(sizes), sum(sizes))
