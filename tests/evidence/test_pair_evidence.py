"""Compiled records and comparisons against the plain ones, bit for bit."""

import random

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.kernels.sharing import SLOTS, look_up, note, place_of, take_out
from infostream_dedup.judging.evidence.pair_evidence import (
    SPEECH_WORDS,
    STEP_WORDS,
    TripleRows,
    compared,
    heaviest,
    key_rows,
    shares_of_pairs,
    speech_beginnings,
    step_beginnings,
)
from infostream_dedup.judging.evidence.reading import RawEvidence, evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import (
    BUCKETS,
    EvidenceFrequencies,
    EvidenceRecords,
    changes_of,
    pack_evidence,
)
from infostream_dedup.model import LANGUAGES, Document
from tests.oracles.plain_pairs import PlainDocument, compare_plainly, unpack_plainly
from tests.oracles.plain_reading import read_plainly
from tests.oracles.plain_records import count_plainly, opening_plainly, pack_plainly

_WORDS = (
    "президент Санду Кишинёв заявила правительство 17 апреля 2024 года 12 300 лей Киев Зеленский война цена рост "
    "погода завтра Молдова Путин Россия курс 17,76 5-й день США НАТО новый закон Рада банк Приднестровье Тирасполь "
    "арестован снова отменили"
).split()


def documents(seed: int, count: int = 40) -> list[Document]:
    """Texts of common words; every third is an edited copy of the one before."""
    draw = random.Random(seed)  # noqa: S311
    made: list[Document] = []
    for number in range(count):
        if number % 3 == 2:
            words = [word if draw.random() < 0.8 else draw.choice(_WORDS) for word in made[-1].text.split()]
        else:
            words = draw.choices(_WORDS, k=draw.choice((0, 1, 5, 40, 90)))
        title = " ".join(draw.choices(_WORDS, k=draw.choice((0, 3, 5))))
        made.append(Document(id=str(number), text=" ".join(words), title=title))
    return made


def read(made: list[Document]) -> tuple[RawEvidence, np.ndarray]:
    return read_evidence(*evidence_texts(made)), np.array([number % 3 for number in range(len(made))], dtype=np.int8)


def key_terms(seed: int, count: int) -> tuple[sp.csr_array, sp.csr_array]:
    draw = np.random.default_rng(seed)
    targets = sp.csr_array(draw.random((count, 60)) < 0.6)
    targets.data[:] = True
    weights = draw.integers(1, 9, size=(count, 60)) * 1_000_000_007
    keys = sp.csr_array(np.where((draw.random((count, 60)) < 0.5) & targets.toarray(), weights, 0))
    return sp.csr_array(keys[:, :60]), targets


@pytest.mark.parametrize("seed", [1, 2])
def test_records_equal_plain_ones(seed: int) -> None:
    made = documents(seed)
    raw, languages = read(made)
    frequencies = EvidenceFrequencies()
    frequencies.add(changes_of(raw, languages))
    plain = [read_plainly(_whole(one), len(one.title)) for one in made]
    counted = count_plainly(zip(plain, languages.tolist(), strict=True))
    assert {bucket: int(frequencies.counts[bucket]) for bucket in counted} == dict(counted)
    assert int(frequencies.counts.sum()) == counted.total()
    counts, totals = frequencies.filled_up()
    records = pack_evidence(raw, languages, frequencies)
    for number, evidence in enumerate(plain):
        words = records.words[records.begins[number] : records.begins[number + 1]].tolist()
        language = int(languages[number])
        opening = opening_plainly(evidence_texts([made[number]])[0][0])
        assert words == pack_plainly(evidence, language, counts, float(totals[language])) + opening, made[number]


@pytest.mark.parametrize("seed", [3, 4])
def test_comparison_equals_plain_comparison(seed: int) -> None:
    made = documents(seed)
    raw, languages = read(made)
    records = pack_evidence(raw, languages, EvidenceFrequencies())
    matrices = key_terms(seed, len(made))
    a, b = (one.astype(np.int64) for one in np.triu_indices(len(made)))
    keys = key_rows(*matrices)
    found = compared(
        a, b, shares_of_pairs(a, b, keys), keys=keys, records=records,
        triples=TripleRows(raw.triples, raw.ends[:, 0].copy()),
    )  # fmt: skip
    plain = [_plain_document(number, raw, records, matrices) for number in range(len(made))]
    for pair in range(len(a)):
        expected = compare_plainly(plain[a[pair]], plain[b[pair]])
        assert dict(zip(COLUMNS, found[pair].tolist(), strict=True)) == dict(zip(COLUMNS, expected, strict=True))


@pytest.mark.parametrize(
    ("words", "beginnings"), [(STEP_WORDS, step_beginnings()), (SPEECH_WORDS, speech_beginnings())]
)
def test_words_of_a_lead_are_recognised_by_their_beginnings(words: tuple[str, ...], beginnings: np.ndarray) -> None:
    raw, _ = read([Document(id=word, text=word.capitalize()) for word in words])
    assert np.diff(raw.ends[:, 3]).tolist() == [1] * len(words)
    assert np.unique(raw.lead).tolist() == beginnings.tolist()
    assert np.all(np.diff(beginnings.astype(np.int64)) > 0)


def test_no_word_tells_both_that_something_happened_and_that_somebody_spoke() -> None:
    assert not set(step_beginnings().tolist()) & set(speech_beginnings().tolist())


def test_only_the_lead_of_the_later_document_is_asked_whether_it_tells_a_step() -> None:
    for title, text, step in [
        ("Водителя автобуса арестовали", "Об этом рассказал его адвокат.", 0.0),
        ("Водителя автобуса арестовали", "Суд рассмотрит дело в марте.", 1.0),
        ("Адвокат водителя", "Мы будем добиваться правды, заявил он.", 0.0),
        ("Суд на мосту", "Погода будет хорошей.", 0.0), ("", "Заседание снова перенесли.", 1.0),
        ("", "Суд знову відхилив скаргу.", 1.0), ("", "The driver was released on Monday.", 1.0),
        ("", "The driver was released, his lawyer said.", 0.0),
        ("", " ".join(["погода"] * 20) + " водителя арестовали", 0.0),
        ("", " ".join(["погода"] * 19) + " арестовали, заявил адвокат", 1.0), ("", "", 0.0),
    ]:  # fmt: skip
        plain = Document(id="1", title="Адвокат водителя", text="Мы будем добиваться правды, заявил он.")
        raw, languages = read([plain, Document(id="2", title=title, text=text), plain])
        records = pack_evidence(raw, languages, EvidenceFrequencies())
        a, b = np.array([0, 1, 0]), np.array([1, 2, 2])
        keys = key_rows(*key_terms(1, 3))
        found = compared(a, b, shares_of_pairs(a, b, keys), keys=keys, records=records, triples=None)
        assert found[:, COLUMNS.index("step")].tolist() == [step, 0.0, 0.0]


def test_changes_add_up_whatever_the_batches() -> None:
    made = documents(5)
    raw, languages = read(made)
    whole, parts = EvidenceFrequencies(), EvidenceFrequencies()
    whole.add(changes_of(raw, languages))
    for first in (30, 0, 10):
        last = {0: 10, 10: 30, 30: 40}[first]
        parts.add(changes_of(read_evidence(*evidence_texts(made[first:last])), languages[first:last]))
    assert np.array_equal(whole.counts, parts.counts)
    assert np.array_equal(whole.documents, parts.documents)
    assert whole.counts.shape == (BUCKETS,)


def test_counters_come_back_from_a_store() -> None:
    raw, languages = read(documents(7))
    frequencies = EvidenceFrequencies()
    frequencies.add(changes_of(raw, languages))
    again = EvidenceFrequencies.of_blob(frequencies.blob())
    assert np.array_equal(again.counts, frequencies.counts)
    assert np.array_equal(again.documents, frequencies.documents)


def test_records_of_huge_documents_keep_the_smallest_hashes() -> None:
    text = " ".join(f"{number}7 слово" for number in range(5000))
    raw = read_evidence(*evidence_texts([Document(id="1", text=text)]))
    languages, frequencies = np.zeros(1, dtype=np.int8), EvidenceFrequencies()
    changes = changes_of(raw, languages)
    kept = unpack_plainly(pack_evidence(raw, languages, frequencies).words.tolist()).numbers
    assert list(kept) == raw.numbers[:4096].tolist()
    assert int(changes.counts.sum()) == 4096 + len(raw.names) + len(raw.lead)


def test_background_gives_way_to_counted_documents() -> None:
    frequencies = EvidenceFrequencies()
    alone, totals = frequencies.filled_up()
    assert totals.tolist() == [2000, 2000, 2000, 0], "other languages have no background"
    assert 0 < alone.max() < 2000
    frequencies.documents[:] = 2000
    counts, totals = frequencies.filled_up()
    assert totals.tolist() == [2000] * len(LANGUAGES)
    assert not counts.any()


def _whole(document: Document) -> str:
    title, text = document.title, document.text
    return text if not title or text.startswith(title) else f"{title}\n{text}"


def _plain_document(
    number: int, raw: RawEvidence, records: EvidenceRecords, matrices: tuple[sp.csr_array, sp.csr_array]
) -> PlainDocument:
    keys, targets = (one[[number]].tocoo() for one in matrices)
    words = records.words[records.begins[number] : records.begins[number + 1]].tolist()
    return PlainDocument(
        dict(zip(keys.col.tolist(), keys.data.tolist(), strict=True)), set(targets.col.tolist()),
        unpack_plainly(words), raw.triples_of(number).tolist(),
    )  # fmt: skip


@pytest.mark.parametrize("seed", [6, 7])
def test_shares_do_not_depend_on_the_order_of_pairs(seed: int) -> None:
    keys = key_rows(*key_terms(seed, 40))
    a, b = (one.astype(np.int64) for one in np.triu_indices(40, 1))
    expected = shares_of_pairs(a, b, keys)
    assert expected[:, :4].any()
    for order in (np.lexsort((a, b)), np.random.default_rng(seed).permutation(len(a))):
        assert np.array_equal(shares_of_pairs(a[order], b[order], keys), expected[order])
        assert np.array_equal(shares_of_pairs(b[order], a[order], keys)[:, [1, 0, 3, 2]], expected[order][:, :4])


def test_columns_of_a_table_of_pairs_give_the_same() -> None:
    made = documents(5)
    raw, languages = read(made)
    records, keys = pack_evidence(raw, languages, EvidenceFrequencies()), key_rows(*key_terms(5, len(made)))
    triples = TripleRows(raw.triples, raw.ends[:, 0].copy())
    pairs = np.column_stack(np.triu_indices(len(made), 1)).astype(np.int64)
    seen = []
    for a, b in (pairs.T.copy(), pairs.T):
        seen.append(compared(a, b, shares_of_pairs(a, b, keys), keys=keys, records=records, triples=triples))
    assert np.array_equal(*seen)


def test_a_table_finds_the_terms_of_one_document_and_is_empty_afterwards() -> None:
    """Term 7 stands twice, as in the members of the pivot language: its first place is told."""
    terms = np.array([3, 7, 7, 900, 5, 7, 900, 1, 7], dtype=np.int64) << 5 | np.array([0, 1, 4, 2, 0, 0, 0, 0, 0])
    slots, maybe = np.zeros(SLOTS * 4, dtype=np.int32), np.zeros(10, dtype=np.int64)
    bits = note(slots, terms, 0, 4, 5)
    found = look_up(slots, bits, terms, 4, 9, 5, maybe)
    places = {
        int(terms[place]) >> 5: place_of(slots, bits, int(terms[place]) >> 5, terms, 0, 5) for place in maybe[:found]
    }
    assert {term: place for term, place in places.items() if place >= 0} == {7: 1, 900: 3}
    take_out(slots, bits, terms, 0, 4, 5)
    assert not slots.any()


def test_of_equal_key_terms_the_first_counts_as_the_heaviest():
    begins, weights = np.array([0, 4, 4, 6]), np.array([5, 9, 5, 5, 1, 2])
    assert heaviest(begins, weights, 2).tolist() == [1, 1, 0, 0, 1, 1]


@given(rows=st.lists(st.lists(st.integers(1, 6), max_size=9), max_size=5), n=st.integers(1, 5))
def test_the_heaviest_are_those_that_sorting_puts_first(rows, n):
    begins = np.cumsum([0, *map(len, rows)])
    weights = np.array([weight for row in rows for weight in row], dtype=np.int64)
    expected = []
    for row in rows:
        first = sorted(range(len(row)), key=lambda place: (-row[place], place))[:n]
        expected += [int(place in first) for place in range(len(row))]
    assert heaviest(begins, weights, n).tolist() == expected
