"""The block ``confirmed`` of a sweep: the links of pairs that the evidence accepts."""

import pytest

from infostream_dedup import pairs, read_documents, similarity_matrix, sweep
from infostream_dedup.errors import UsageError
from infostream_dedup.sample import documents_path


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
        assert row.groups is not None
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
        assert row.groups is not None
        assert row.as_dict()["largest"] == max(sizes)
        assert (row.groups.groups, row.groups.grouped) == (len(sizes), sum(sizes))
