"""The sweep of the minimum probability equals what ``pairs`` lists, by brute force."""

from dataclasses import replace

import pytest

from infostream_dedup import pairs, read_documents, sweep
from infostream_dedup.errors import UsageError
from infostream_dedup.runs.batch.answering import PROBABILITIES
from infostream_dedup.sample import documents_path, topics_path


@pytest.fixture(scope="module")
def documents():
    """The sample, its topics, and the first halves of 68 texts: 300 documents."""
    found = [*read_documents(str(documents_path())), *read_documents(str(topics_path()))]
    halves = [
        replace(one, id=f"{one.id}-half", text=one.text[: len(one.text) // 2], url=f"{one.url}/half")
        for one in found[:68]
    ]
    return [*found, *halves]


def transitivity(linked):
    out = {}
    for a, b in linked:
        out.setdefault(a, set()).add(b)
        out.setdefault(b, set()).add(a)
    paths = [(a, c) for b, ends in out.items() for a in ends for c in ends if a != c]
    return sum(c in out[a] for a, c in paths) / len(paths) if paths else None


def groups(linked):
    leader = {}

    def find(one):
        while leader.setdefault(one, one) != one:
            one = leader[one]
        return one

    for a, b in linked:
        leader[find(a)] = find(b)
    sizes = {}
    for one in leader:
        sizes[find(one)] = sizes.get(find(one), 0) + 1
    return len(sizes), sum(sizes.values()), max(sizes.values(), default=0)


def test_every_row_by_brute_force(documents):
    found = sweep(documents, score="probability")
    found_pairs = pairs(documents, min_probability=0, between="none", terms=False)
    listed = [row for row in found_pairs if row.probability is not None]
    terms = list(pairs(documents, preset="judged", k_min=3, min_probability=0, between="none", terms=False))
    languages = {one.id: one.id[:2] for one in documents}
    judged = [row for row in found.rows if row.block == "judged"]
    assert [row.measures.threshold for row in judged] == list(PROBABILITIES)
    assert len(listed) > len([row for row in listed if row.probability >= 0.5]) > 200
    for row in judged:
        accepted = [one for one in listed if one.probability >= row.measures.threshold]
        linked = {(one.a, one.b) for one in accepted}
        assert row.measures.links == 2 * len(linked)
        assert row.measures.transitivity == transitivity(linked)
        assert (row.groups.groups, row.groups.grouped, row.groups.largest) == groups(linked)
        one_way = sum({"equal": 2, "contained": 1, "contains": 1, None: 0}[one.relation] for one in accepted)
        assert row.measures.symmetry == sum(2 for one in accepted if one.relation == "equal") / one_way
    for row, beside in zip([row for row in found.rows if row.block == "mutual"], judged, strict=True):
        k = row.estimated["k_of_mutual"]
        mutual = {
            least: {
                (one.a, one.b)
                for one in terms
                if min(one.forward, one.backward) >= least and languages[one.a] == languages[one.b]
            }
            for least in range(3, 13)
        }
        assert row.measures.links == 2 * len(mutual[k])
        assert row.measures.transitivity == transitivity(mutual[k])
        distance = {one: abs(2 * len(linked) - beside.measures.links) for one, linked in mutual.items()}
        assert distance[k] == min(distance.values())
    assert found.recommended_k == {"morph": None}
    assert any("paths between accepted pairs are closed" in note for note in found.notes)


@pytest.mark.parametrize("more", [{"ks": 6}, {"n": 10}, {"by": "day"}, {"series": "paper"}, {"preset": "best"}])
def test_what_it_has_no_use_for_is_refused(documents, more):
    with pytest.raises(UsageError, match="score probability sweeps preset judged"):
        sweep(documents, score="probability", **more)
