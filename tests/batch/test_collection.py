"""A collection that forgets its words keeps the key terms that were counted, and only those."""

import numpy as np
import pytest

from infostream_dedup import Document, Settings
from infostream_dedup.documents import read_documents
from infostream_dedup.judging.repeated.equality import equality_hash
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.sample import documents_path


def test_key_terms_are_the_same_without_words():
    collection = collect(read_documents(documents_path()))
    settings = Settings(representation="stem")
    alone = collect(read_documents(documents_path())).only(settings)
    for chosen in (settings, settings.but(n=7, target="signature")):
        before, after = collection.key_terms(chosen), alone.key_terms(chosen)
        assert before.keys.nnz > 1000
        for name in ("keys", "targets"):
            one, other = getattr(before, name), getattr(after, name)
            assert np.array_equal(one.indptr, other.indptr)
            assert np.array_equal(one.indices, other.indices)
            assert np.array_equal(one.data, other.data)


def test_another_representation_needs_the_words():
    whole = collect(read_documents(documents_path()))
    alone = whole.only(Settings(representation="stem"))
    with pytest.raises(RuntimeError, match="were forgotten"):
        alone.key_terms(Settings(representation="morph"))
    with pytest.raises(RuntimeError, match="were forgotten"):
        whole.key_terms(Settings(representation="stem"))


def test_compact_counts_are_the_same_numbers_in_fewer_bytes():
    counts = collect(read_documents(documents_path())).only(Settings(representation="stem"))
    small = counts.key_terms(Settings(representation="stem")).counts.counts
    assert small.data.dtype == np.uint8
    assert int(small.sum()) == int(counts.key_terms(Settings(representation="stem")).counts.lengths.sum())


def test_a_term_that_fills_a_text_is_counted_exactly():
    text = "Мэр " * 70_000
    documents = [{"id": "1", "text": text, "lang": "ru"}, {"id": "2", "text": "Мэр города", "lang": "ru"}]
    alone = collect(read_documents(documents)).only(Settings(representation="stem"))
    counts = alone.key_terms(Settings(representation="stem")).counts
    assert counts.counts.data.max() == 70_000
    assert counts.counts.data.dtype == np.int32


@pytest.mark.parametrize("at_once", [1, 40, 1 << 22])
def test_checksums_are_those_of_single_texts_however_many_are_made_together(at_once, monkeypatch):
    monkeypatch.setattr("infostream_dedup.runs.batch.collection._HASHED_AT_ONCE", at_once)
    texts = [
        "Суд оставил жалобу", "", " Суд\u00a0оставил\nжалобу ", "и\u0306", "й", "lone \ud800", "lone \ufffd", "東京",
    ]  # fmt: skip
    documents = [Document(id=str(number), title="Заголовок", text=text) for number, text in enumerate(texts)]
    found = collect(documents).text_hashes
    assert found == list(map(equality_hash, documents))
    assert (found[0] == found[2], found[1], found[3] == found[4], found[5] == found[6]) == (True, b"", True, True)
    assert collect(documents, hashes=False).text_hashes == []
