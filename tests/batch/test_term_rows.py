"""The rows of ``key_terms`` are what the links are made of."""

import pytest

from infostream_dedup import key_terms, read_documents, similarity_matrix
from infostream_dedup.sample import documents_path

SAMPLE = str(documents_path())


@pytest.mark.parametrize("representation", ["stem", "morph", "pivot"])
@pytest.mark.parametrize("target", ["text", "signature"])
def test_joined_rows_are_the_links(representation, target):
    """K joined with V; with target signature K joined with K gives the same, except that equivalents match too."""
    options = {"representation": representation, "target": target}
    found = similarity_matrix(SAMPLE, **options)
    keys, vocabulary = key_terms(SAMPLE, **options).rows, key_terms(SAMPLE, vocabulary=True, **options).rows

    def joined(others):
        having = {}
        for row in others:
            having.setdefault(row.number, []).append(row.id)
        pairs = {}
        for row in keys:
            for other in having.get(row.number, ()):
                if other != row.id:
                    pairs[row.id, other] = pairs.get((row.id, other), 0) + 1
        return pairs

    counts = found.counts.tocoo()
    links = {(found.ids[a], found.ids[b]): int(n) for a, b, n in zip(counts.row, counts.col, counts.data, strict=True)}
    assert joined(vocabulary) == links
    if target == "signature" and representation != "pivot":
        assert joined(keys) == links
    assert found.keys.nnz == len(keys)
    assert found.targets.nnz == len(vocabulary)
    assert [found.terms[row.number] for row in keys] == [row.term for row in keys]


def test_rows_of_a_document_by_hand():
    text = "Президент Терехов открыл завод в Харькове. Завод построил Газпром."
    rows = {row.term: row for row in key_terms([{"id": "1", "title": "Новый завод", "text": text}], df_min=1)}
    assert {term: row.kind for term, row in rows.items()} == {
        "терехов": "surname",
        "харьков": "place",
        "газпром": "organisation",
        "завод": "noun",
        "президент": "noun",
    }
    factory = rows["завод"]
    assert [text[start:end] for start, end in factory.places] == ["завод", "Завод"]
    assert factory.places_in_title == [[6, 11]]
    assert (factory.documents, factory.equivalents) == (1, [])
    assert sorted(row.rank for row in rows.values()) == [1, 2, 3, 4, 5]
    assert {row.kind for row in list(key_terms([{"id": "1", "text": text}], representation="stem"))} == {"stem"}
    both = key_terms(
        [{"id": "1", "text": text}, {"id": "2", "text": "Новий завод у Харкові", "lang": "uk"}], representation="pivot"
    )
    ours = {(row.id, row.term): row for row in both}
    assert "харьков" in ours["2", "харьков"].equivalents
    assert ours["2", "харьков"].places == [[14, 21]]


def test_frequencies_are_those_of_documents():
    documents = list(read_documents(SAMPLE))
    vocabulary = {}
    for row in key_terms(documents, vocabulary=True, representation="stem"):
        vocabulary[row.language, row.term] = vocabulary.get((row.language, row.term), 0) + 1
    for row in key_terms(documents, representation="stem"):
        assert row.documents == vocabulary[row.language, row.term]
