"""What is kept of each document."""

import numpy as np

from infostream_dedup.judging.criteria import document_models
from infostream_dedup.judging.criteria.document_models import paragraphs, read_parts, title_vectors
from infostream_dedup.model import Document


def test_empty_documents_have_empty_models():
    models = document_models([Document(id="a", text="", lang="ru"), Document(id="b", text=" \n ", lang="uk")])
    assert (models.words.sizes.tolist(), models.sentences.totals.tolist()) == ([0, 0], [0, 0])
    assert models.number_rows.sizes.tolist() == [0, 0]
    assert np.isnan(models.times).all()


def test_fields_of_each_document():
    documents = [
        Document(id="a", text="Счёт 6:4, 3:6", lang="ru", source="x.example", extra={"category": "sport"}),
        Document(id="b", text="Курс 41,25", source=""),
    ]
    models = document_models(documents)
    assert (models.ids, models.sources) == (["a", "b"], ["x.example", None])
    assert (models.categories, models.languages) == (["sport", None], ["ru", "ru"])
    assert (models.number_rows.sizes.tolist(), models.numbers.totals.tolist()) == ([4, 1], [3, 1])


def test_objects_are_counted_however_they_are_given():
    for given, count in [
        (None, 0), ([], 0), (["x", "y"], 2), (3, 3), (-2, 0), ("4", 4), ("a.jpg b.jpg", 2), (True, 0),
        (float("nan"), 0),
    ]:  # fmt: skip
        assert document_models([Document(id="a", text="слово", lang="ru", images=given)]).images.tolist() == [count]


def test_addresses_in_the_body_count_where_links_are_not_given():
    texts = ["смотри https://a.example и www.b.example", "слово"]
    assert document_models([Document(id=text, text=text, lang="ru") for text in texts]).links.tolist() == [2, 0]


def test_titles_have_statistics_of_their_own():
    vectors = title_vectors(["мост ремонт", "мост школа", "мост суд", "завод пожар", "река лодка"], ["ru"] * 5)
    common = [vectors.weights[[row]].toarray().ravel() for row in (0, 1)]
    shared = np.flatnonzero((common[0] > 0) & (common[1] > 0))
    assert len(shared) == 1
    assert common[0][shared[0]] < common[0].max()


def test_paragraphs_and_sentences_and_their_numbers():
    assert paragraphs("  Раз.\n\n два\nТри. ") == ["Раз. два", "Три."]
    parts = read_parts(["Раз 1. Два 2.\nТри 3.", "", "Четыре 1."], ["ru", "ru", "ru"])
    assert (parts.document_of.tolist(), parts.paragraph_of.tolist()) == ([0, 0, 2], [0, 0, 1, 2])
    assert parts.sentence_documents.tolist() == [0, 0, 0, 2]
    assert [parts.number_names[number] for number in parts.numbers.row(0)] == ["1"]
