"""Names that are also nouns, from text to terms: the same in a batch, in a stream and in a search."""

from collections import Counter

import numpy as np
import pytest

from infostream_dedup import Document, Settings
from infostream_dedup.stream.analysis import Analyser, Frequencies, TermNumbers
from infostream_dedup.stream.pivot_terms import PivotReader, PivotWords, WrittenWords
from infostream_dedup.stream.question import QueryTranslator
from infostream_dedup.terms.compiled import SurfaceCounter, count_terms
from infostream_dedup.terms.equivalents import source_terms

SETTINGS = Settings(representation="pivot")
TEXTS = {
    "name": "Mark opened the new bridge. The mayor thanked Mark and the engineers from Turkey for the work.",
    "noun": "The mark on the bridge is new. In a speech the mayor said the Mark of Honour is a mark of respect.",
    "unsure": "Mark the bridge. TURKEY AND BRIDGE. The mayor was silent.",
    "plural": "The mayor met Gates at the bridge, and Gates praised the engineers.",
    "russian": "Мэр встретил Марка у моста. Турция прислала инженеров.",
}
DOCUMENTS = [
    Document(id=name, text=text, lang="ru" if name == "russian" else "en", source=name) for name, text in TEXTS.items()
]
WATCHED = {"mark", "Mark", "MARK", "turkey", "Turkey", "TURKEY", "gate", "Gates", "GATES"}
EXPECTED = [{"Mark": 2, "Turkey": 1}, {"mark": 3}, {"mark": 1, "turkey": 1}, {"Gates": 2}, {}]


def watched(counts):
    return [{term: number for term, number in counter.items() if term in WATCHED} for counter in counts]


def test_a_collection_decides_each_document():
    reader = SurfaceCounter()
    for one in DOCUMENTS:
        reader.add(one.text, one.lang)
    counts = count_terms(reader.finish(), SETTINGS)
    for _ in range(2):  # Deciding must leave the counts as they are.
        sources = source_terms(counts)
        found = []
        for row in range(len(DOCUMENTS)):
            begin, end = sources.counts.indptr[row : row + 2]
            words = [sources.terms[column] for column in sources.counts.indices[begin:end]]
            found.append(dict(zip(words, sources.counts.data[begin:end].tolist(), strict=True)))
        assert watched(found) == EXPECTED


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_stream_decides_as_a_collection_does(size):
    numbers = TermNumbers()
    analyser, written = Analyser(SETTINGS, numbers), WrittenWords(numbers)
    found = []
    for begin in range(0, len(DOCUMENTS), size):
        read = analyser.read(DOCUMENTS[begin : begin + size])
        words = written.decided(read.terms.numbers, read.terms.values)
        counters = [Counter() for _ in range(len(read.lengths))]
        for owner, word, count in zip(read.terms.numbers, words, read.counts.tolist(), strict=True):
            counters[owner][numbers.terms[word]] += count
        found += counters
    assert watched(found) == EXPECTED


def test_the_name_is_what_a_stream_counts():
    numbers = TermNumbers()
    reader = PivotReader(SETTINGS, numbers, PivotWords(numbers))
    read = reader.read(DOCUMENTS, Analyser(Settings(representation="morph"), numbers).read(DOCUMENTS, ordered=True))
    found = [set(numbers.terms.some(np.asarray(row))) for row in read.canonical.terms]
    assert [{"марк", "турция", "индейка", "гейтс", "ворота"} & terms for terms in found] == [
        {"марк", "турция"}, set(), {"индейка"}, {"гейтс"}, {"марк", "турция"},
    ]  # fmt: skip
    # The noun is still met.
    assert {"индейка", "отметка"} <= set(numbers.terms.some(np.asarray(read.matched_by.row(0))))


def test_a_search_asks_with_the_name():
    numbers = TermNumbers()
    settings = Settings(representation="morph")
    translator = QueryTranslator(settings, numbers, Frequencies(settings, numbers))
    (query,) = translator.translated(DOCUMENTS[0], [0]).values()
    found = dict(zip(numbers.terms.some(query.keys), query.words, strict=True))
    assert {"марк": "mark", "турция": "turkey"}.items() <= found.items()
