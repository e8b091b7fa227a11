"""A collection that forgets its words keeps the key terms that were counted, and only those."""

import numpy as np
import pytest

from infostream_dedup import Settings
from infostream_dedup.batch.collection import collect
from infostream_dedup.corpus import read_documents
from infostream_dedup.sample import documents_path


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_key_terms_are_the_same_without_words(engine):
    collection = collect(read_documents(documents_path()), engine=engine)
    settings = Settings(representation="stem")
    alone = collection.only(settings)
    for chosen in (settings, settings.but(n=7, target="signature")):
        before, after = collection.key_terms(chosen), alone.key_terms(chosen)
        assert before.keys.nnz > 1000
        for name in ("keys", "targets"):
            one, other = getattr(before, name), getattr(after, name)
            assert np.array_equal(one.indptr, other.indptr)
            assert np.array_equal(one.indices, other.indices)
            assert np.array_equal(one.data, other.data)


def test_another_representation_needs_the_words():
    collection = collect(read_documents(documents_path()))
    alone = collection.only(Settings(representation="stem"))
    with pytest.raises(ValueError, match="were forgotten before morph was counted"):
        alone.key_terms(Settings(representation="morph"))
    assert collection.key_terms(Settings(representation="morph")).keys.nnz > 1000


def test_compact_counts_are_the_same_numbers_in_fewer_bytes():
    counts = collect(read_documents(documents_path()), engine="compiled").only(Settings(representation="stem"))
    small = counts.key_terms(Settings(representation="stem")).counts.counts
    assert small.data.dtype == np.uint8
    assert int(small.sum()) == int(counts.key_terms(Settings(representation="stem")).counts.lengths.sum())
    plain = collect(read_documents(documents_path()), engine="plain").only(Settings(representation="stem"))
    assert plain.key_terms(Settings(representation="stem")).counts.counts.data.dtype == np.int32


def test_a_term_that_fills_a_text_is_counted_exactly():
    text = "Мэр " * 70_000
    documents = [{"id": "1", "text": text, "lang": "ru"}, {"id": "2", "text": "Мэр города", "lang": "ru"}]
    alone = collect(read_documents(documents), engine="compiled").only(Settings(representation="stem"))
    counts = alone.key_terms(Settings(representation="stem")).counts
    assert counts.counts.data.max() == 70_000
    assert counts.counts.data.dtype == np.int32
