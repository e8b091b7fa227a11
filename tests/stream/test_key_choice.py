"""Key terms of the stream against those of a collection by the same statistics."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.model import LANGUAGES, Document, Settings
from infostream_dedup.stream.analysis import Analyser, Frequencies, TermNumbers, choose_keys, count_rows
from infostream_dedup.stream.kernels.gathering import order_by_weight
from infostream_dedup.terms.statistics import DocumentFrequencies, Statistics
from tests.oracles.counts import count_terms
from tests.oracles.key_terms import select_key_terms
from tests.oracles.surfaces import SurfaceCounter

_RUSSIAN = "Река Мост мост школа министр Ковалева река больница армия суд заводАгора рынок зима театр поезд"
_UKRAINIAN = "Річка міст школа міністр Ковальчук лікарня армія суд завод ринок зима театр потяг п'ятниця"
_ENGLISH = "River bridge school minister Kovaleva hospital army court plant market winter theatre trains"
WORDS = {"ru": _RUSSIAN.split(" "), "uk": _UKRAINIAN.split(" "), "en": _ENGLISH.split(" ")}

texts = st.sampled_from(tuple(WORDS)).flatmap(
    lambda language: st.tuples(st.just(language), st.lists(st.sampled_from(WORDS[language]), max_size=30))
)
batches = st.lists(st.lists(texts, min_size=1, max_size=6), min_size=1, max_size=4)


def statistics_of(frequencies, language):
    """What the closed epochs and the background say of all terms."""
    (documents, df), distinct = frequencies._documents(language, np.arange(len(frequencies._numbers)))
    return Statistics(documents, df, frequencies.average_length(language), distinct)


def collection_statistics(frequencies, numbers, terms):
    """The stream's statistics in the columns of a collection, whose terms are in code point order."""
    columns = [numbers.number(term) for term in terms]
    found = []
    for language in range(len(LANGUAGES)):
        one = statistics_of(frequencies, language)
        distinct = one.distinct and DocumentFrequencies(one.distinct.documents, one.distinct.df[columns])
        found.append(Statistics(one.documents, one.df[columns], one.average_length, distinct))
    return found


@given(
    stream=batches, representation=st.sampled_from(["stem", "morph"]), n=st.integers(1, 12),
    weighting=st.sampled_from([("bm25", 0), ("bm25", 2), ("tfidf", 0), ("tfidf", 2)]),
)  # fmt: skip
def test_the_same_keys_and_weights_as_a_collection_of_the_same_statistics(stream, representation, n, weighting):
    name, df_min = weighting
    chosen_settings = Settings(representation=representation, weighting=name, n=n, k=1, min_terms=1, df_min=df_min)
    numbers = TermNumbers()
    analyser, frequencies = Analyser(chosen_settings, numbers), Frequencies(chosen_settings, numbers)
    for batch in stream:
        documents = [Document(id=str(n), text=" ".join(own), lang=language) for n, (language, own) in enumerate(batch)]
        analysed = analyser.read(documents)
        counter = SurfaceCounter()
        for document in documents:
            counter.add(document.text, document.lang)
        counts = count_terms(counter.finish(), chosen_settings)
        statistics = collection_statistics(frequencies, numbers, counts.terms)
        expected = select_key_terms(counts, chosen_settings, statistics)
        chosen = choose_keys(analysed, 0, len(documents), frequencies, numbers, chosen_settings)
        assert analysed.lengths.tolist() == counts.lengths.tolist()
        for row in range(len(documents)):
            held = expected.keys[[row]]
            weights = dict(zip([counts.terms[term] for term in held.indices], held.data.tolist(), strict=True))
            ranked = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))
            keys = [numbers.terms[key] for key in chosen.keys.row(row)]
            assert list(zip(keys, chosen.weights.row(row).tolist(), strict=True)) == ranked
            everything = counts.counts[[row]]
            assert {numbers.terms[term] for term in analysed.terms.row(row)} == {
                counts.terms[term] for term in everything.indices
            }
            assert np.all(np.diff(analysed.terms.row(row)) > 0)
        count_rows(frequencies.open, analysed.languages, analysed.lengths, analysed.terms)
        repeats = np.arange(len(documents)) % 3 > 0
        count_rows(frequencies.open_repeats, analysed.languages, analysed.lengths, analysed.terms, counted=repeats)
        frequencies.close()


def test_a_stream_begins_with_the_background():
    # Of 1000 running words 8 are "river" and 2 "bridge": a pseudo-document of 250 words holds them with
    # 1 - .992^250 = .866 and 1 - .998^250 = .394; of 2000 that makes 1731 and 788.
    numbers = TermNumbers()
    numbers.extend(["river", "bridge", "unheard"])
    shares = {"river": 0.008, "bridge": 0.002, "dam": 0.39}
    frequencies = Frequencies(Settings(), numbers, lambda language, kind: shares)
    statistics = statistics_of(frequencies, LANGUAGES.index("en"))
    assert (statistics.documents, statistics.average_length) == (2000, pytest.approx(250 * 0.4))
    assert statistics.df.round().tolist() == [1731, 788, 0]
    # Above half of the documents, and below two of them, a term has no weight.
    assert (frequencies.idf(LANGUAGES.index("en"), np.arange(3)) > 0).tolist() == [False, True, False]


def test_an_epoch_counts_when_it_is_closed():
    numbers = TermNumbers()
    numbers.extend(["river", "bridge"])
    frequencies = Frequencies(Settings(), numbers, lambda language, kind: {})
    english = LANGUAGES.index("en")
    rows = [np.array([0, 1]), np.array([0])]
    from infostream_dedup.machine.arrays import Ragged

    documents = Ragged(np.array([0, 2, 3]), np.concatenate(rows))
    count_rows(frequencies.open, np.array([english, english], dtype=np.uint8), np.array([7, 5]), documents)
    assert statistics_of(frequencies, english).df.tolist() == [0, 0]
    closed, repeated = frequencies.close()
    assert repeated == []
    assert [(one.epoch, one.language, one.documents, one.length) for one in closed] == [(0, "en", 2, 12)]
    assert (closed[0].terms.tolist(), closed[0].df.tolist()) == ([0, 1], [2, 1])
    statistics = statistics_of(frequencies, english)
    assert (statistics.df.tolist(), statistics.documents, statistics.average_length) == ([2, 1], 2000, 6)
    assert (frequencies.epoch, frequencies.close()) == (1, ([], []))


def ordered(rows):
    """The entries of some rows of weights by ``order_by_weight``, those that are tied, and the number of these."""
    bounds = np.array([0, *accumulate(map(len, rows))], dtype=np.int64)
    weights = np.array([weight for held in rows for weight in held], dtype=np.int64)
    order, tied = np.empty(len(weights), dtype=np.int64), np.empty(len(weights), dtype=np.uint8)
    many = order_by_weight(bounds, weights, order, tied)
    return order.tolist(), tied.tolist(), many


def test_equal_weights_of_a_row_are_tied():
    assert ordered([[3, 7, 3], [], [3], [2, 2, 9, 2]]) == ([1, 0, 2, 3, 6, 4, 5, 7], [0, 1, 1, 0, 0, 1, 1, 1], 5)


@given(
    rows=st.lists(st.lists(st.integers(0, 5), max_size=5), max_size=6),
    scale=st.sampled_from([1, 10**9, 1 << 47, 1 << 60]),
)
def test_terms_are_ordered_by_row_and_weight(rows, scale):
    held = [(number, -weight * scale) for number, row in enumerate(rows) for weight in row]
    order, tied, many = ordered([[weight * scale for weight in row] for row in rows])
    assert order == sorted(range(len(held)), key=held.__getitem__)
    assert tied == [int(held.count(held[place]) > 1) for place in order]
    assert many == sum(tied)
