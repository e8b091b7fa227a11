"""The choice of key terms."""

import json
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import Document, pairs, sweep, term_spans
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import Settings
from infostream_dedup.model.settings import WEIGHTINGS
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.terms import statistics
from infostream_dedup.terms.key_terms import count_lost_to_df_max, heaviest
from infostream_dedup.terms.weightings import bm25, tfidf
from tests.conftest import succeeded
from tests.oracles.key_terms import select_key_terms


def test_heaviest_by_hand_ties_go_to_the_smaller_column():
    weights = sp.csr_array(np.array([[5, 9, 5, 0, 7], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=np.int64))
    assert heaviest(weights, 3).toarray().tolist() == [[5, 9, 0, 0, 7], [0, 0, 0, 0, 0], [1, 1, 1, 0, 0]]


@given(st.lists(st.lists(st.integers(0, 5), min_size=6, max_size=6), min_size=1, max_size=8), st.integers(1, 7))
def test_heaviest_equals_plain_sorting(rows, n):
    found = heaviest(sp.csr_array(np.array(rows, dtype=np.int64)), n)
    for row, weights in enumerate(rows):
        expected = sorted((column for column in range(6) if weights[column] > 0), key=lambda c: (-weights[c], c))[:n]
        assert found[[row]].indices.tolist() == sorted(expected)


@pytest.fixture
def counts():
    # Ten documents of four terms: document d holds term d // 3 and, all of them, none in common.
    table = np.zeros((9, 4), dtype=np.int32)
    for document in range(9):
        table[document, document // 3] = 2
        table[document, 3] = document % 2
    return statistics.TermCounts(
        sp.csr_array(table), ["a", "b", "c", "d"], np.zeros(9, dtype=np.uint8), table.sum(axis=1).astype(np.int64)
    )


def test_key_terms_and_targets(counts):
    found = select_key_terms(counts, Settings(n=1, k=1, min_terms=1, background=False))
    assert (found.terms_of(0), found.terms_of(8)) == (["a"], ["c"])
    assert found.sizes.tolist() == [1] * 9
    assert found.targets.toarray().tolist() == (counts.counts.toarray() > 0).tolist()


def test_target_signature_is_the_key_terms_themselves(counts):
    found = select_key_terms(counts, Settings(n=1, k=1, min_terms=1, background=False, target="signature"))
    assert found.targets.indices.tolist() == found.keys.indices.tolist()


def test_target_top_m_is_between_key_terms_and_text(counts):
    found = select_key_terms(counts, Settings(n=1, k=1, min_terms=1, background=False, target="top:2"))
    assert (set(found.targets[[1]].indices), set(found.keys[[1]].indices)) == ({0, 3}, {0})


def test_own_weights_sum_the_key_terms(counts):
    found = select_key_terms(counts, Settings(n=2, k=1, min_terms=1, background=False))
    assert found.own_weights.tolist() == found.keys.toarray().sum(axis=1).tolist()


def _bm25(f, idf, length, average):
    norm = bm25.norm(np.array(length), average, Settings(k1=2.0, b=0.75))
    return bm25.weight(np.array(f), np.array(idf), norm, Settings(k1=2.0, b=0.75))


def test_bm25_by_hand():
    # A term in 1 of 10 documents, twice in a document of average length: tf / (tf + k1) = 2 / (2 + 2).
    idf = bm25.idf(np.array([1.0]), 10)
    assert idf[0] == pytest.approx(math.log(9.5 / 1.5))
    assert _bm25([2.0], idf, [7.0], 7.0)[0] == pytest.approx(math.log(9.5 / 1.5) * 2 * 3 / 4)


def test_idf_is_negative_in_more_than_half_of_the_documents():
    below, above = bm25.idf(np.array([4.0, 6.0]), 10)
    assert below > 0 > above


def test_tf_idf_by_hand():
    found = tfidf.weight(np.array([3.0, 1.0]), tfidf.idf(np.array([5.0, 0.0]), 20), np.zeros(2), Settings())
    assert found.tolist() == [pytest.approx(3 * math.log(4)), 0]


def _counts(rows, languages=None):
    table = np.array(rows, dtype=np.int32)
    languages = np.zeros(len(rows), dtype=np.uint8) if languages is None else np.array(languages, dtype=np.uint8)
    terms = [f"t{number}" for number in range(table.shape[1])]
    return statistics.TermCounts(sp.csr_array(table), terms, languages, table.sum(axis=1).astype(np.int64))


def _statistics(documents, df, average_length=4.0):
    df = np.array(df, dtype=np.float64)
    return statistics.Statistics(documents, df, average_length)


def test_weights_are_whole_units_and_the_middle_of_document_frequency():
    counts = _counts([[2, 1, 1, 0]])
    own = _statistics(100.0, [10, 1, 60, 5])
    weights = statistics.weigh(counts, [own, own, own], Settings())
    expected = _bm25([2.0], bm25.idf(np.array([10.0]), 100), [4.0], 4.0)[0]
    # The second is below df_min = 2, the third above df_max = half of all documents.
    assert weights.toarray().tolist() == [[round(expected * statistics.UNITS), 0, 0, 0]]


def test_df_bounds_below_one_are_shares():
    counts = _counts([[1, 1, 1]])
    own = _statistics(100.0, [3, 10, 30])
    weights = statistics.weigh(counts, [own, own, own], Settings(df_min=0.05, df_max=0.2))
    assert (weights.toarray()[0] > 0).tolist() == [False, True, False]


def test_each_document_is_weighed_by_its_own_language():
    counts = _counts([[1, 1], [1, 1]], languages=[0, 1])
    ru, uk = _statistics(100.0, [2, 40]), _statistics(100.0, [40, 2])
    weights = statistics.weigh(counts, [ru, uk, ru], Settings()).toarray()
    assert weights[0, 0] == weights[1, 1] > weights[0, 1] == weights[1, 0]


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_a_term_out_of_bounds_weighs_nothing(name):
    chosen = statistics.weighting(name)
    norm = chosen.norm(np.array([3.0, 900.0]), 40.0, Settings())
    assert chosen.weight(np.array([1.0, 70.0]), np.zeros(2), norm, Settings()).tolist() == [0, 0]
    assert np.isfinite(chosen.idf(np.array([0.0, 1.0, 5.0]), 5.0)).all()


def test_an_unknown_weighting_is_refused():
    with pytest.raises(ConfigurationError, match="weighting is 'bm26'; expected one of bm25, tfidf"):
        statistics.weighting("bm26")


def test_a_term_that_only_repeats_lift_above_df_max_counts_by_the_distinct_documents():
    # 100 documents, 60 of them repeats, df_max half. Of 80, 80, 50 and 1 documents with a term 10, 30, 10 and 1 are
    # distinct: the first term has the idf of 10 in 40, the second stays excluded, the others are as without repeats.
    everything = statistics.DocumentFrequencies(100.0, np.array([80.0, 80.0, 50.0, 1.0]))
    distinct = statistics.DocumentFrequencies(40.0, np.array([10.0, 30.0, 10.0, 1.0]))
    plain, kept = (statistics.bounded_idf(everything, Settings(), one) for one in (None, distinct))
    assert plain.tolist() == [0, 0, 0, 0]  # ln((100 - 50 + .5) / (50 + .5)) is 0
    assert kept.tolist() == [pytest.approx(np.log(30.5 / 10.5)), 0, 0, 0]
    by_count = statistics.bounded_idf(everything, Settings(df_max=25), distinct)
    assert by_count.tolist() == [pytest.approx(np.log(30.5 / 10.5)), 0, pytest.approx(np.log(30.5 / 10.5)), 0]


STORY = "Президент посетил завод, обсудил с директором турбины реактора и закупку урана. Номер {}."
OTHERS = (
    "Река вышла из берегов и затопила школу.", "Суд отправил депутата под арест за взятку.",
    "Тренер футбольной команды подал в отставку.", "Река снова вошла в берега, школа открыта.",
)  # fmt: skip


def documents(copies: int) -> list[Document]:
    texts = [*(STORY.format(number) for number in range(copies)), *OTHERS, "Да."]
    return [Document(id=str(number), text=text, lang="ru") for number, text in enumerate(texts)]


@pytest.mark.parametrize("representation", ["stem", "morph", "pivot"])
def test_documents_are_counted_that_df_max_leaves_too_few_key_terms(representation) -> None:
    settings = Settings(representation=representation, background=False, df_min=1)
    for copies, lost in ((7, 7), (3, 0)):
        terms = collect(documents(copies), hashes=False).key_terms(settings)
        assert count_lost_to_df_max(terms, settings) == lost, "a short text of rare words is not counted"
    assert terms.sizes.min() < 3


def test_it_is_told_once_for_each_representation(caplog) -> None:
    list(pairs(documents(7), preset="faithful", representation="stem", background=False))
    sweep(documents(7), representations=["stem", "morph"], background=False, estimate=False)
    said = [record.getMessage() for record in caplog.records]
    assert [one.partition(" are")[0] for one in said] == [
        "representation stem: 7 of 12 documents", "representation stem: 7 of 12 documents",
        "representation morph: 7 of 12 documents",
    ]  # fmt: skip
    assert "'dedup' with preset judged" in said[0]


def test_the_command_says_it_and_the_advice_helps(run_command, tmp_path) -> None:
    # Without dates, one sentence with another number would be a template.
    letters = str.maketrans("0123456789", "абвгдежзик")
    rows = [{"id": one.id, "text": one.text.translate(letters)} for one in documents(7)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    counts = []
    for preset in ("faithful", "judged"):
        options = ("--no-background", "--preset", preset, "--out", "b.jsonl", "--format", "jsonl")
        answer = succeeded(run_command(tmp_path, "dedup", "a.jsonl", *options))
        counts.append(json.loads(answer.stdout.splitlines()[-1])["duplicate"])
        told = b"7 of 12 documents are not compared by the terms they share" in answer.stderr
        assert told == (preset == "faithful")
    assert counts == [1, 6], "of the others, two are alike"


def test_copies_of_a_form_with_words_of_their_own_are_told(run_command, tmp_path) -> None:
    form = "The housing office tells tenants about an overdue payment for heating, water, electricity, gas, repairs."
    own = ("granite", "violin", "harbour", "meadow", "lantern", "copper", "saddle", "orchard", "thunder", "velvet")
    rows = [{"id": f"f{one}", "text": f"{form} {word}a {word}b {word}c {word}d."} for one, word in enumerate(own)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for command in ("pairs a.jsonl", "dedup a.jsonl --out b.jsonl", "sweep a.jsonl"):
        answer = run_command(tmp_path, *command.split(), "--preset", "faithful", "--no-background")
        assert b"10 of 10 documents are not compared by the terms they share" in answer.stderr, command


def test_every_form_of_a_word_is_found_where_it_occurs() -> None:
    text = "Президент Зеленский в Киеве; президента ждут."
    found = term_spans(text, "ru", ["президент", "киев"])
    assert found == [(0, 9, "президент"), (22, 27, "киев"), (29, 39, "президент")]
    assert [text[start:end] for start, end, _ in found] == ["Президент", "Киеве", "президента"]


def test_apostrophes_and_stress_marks_belong_to_the_word() -> None:
    text = "Тут пр\u0435м’\u0454\u0301р."
    (found,) = term_spans(text, "uk", ["прем\u02bcєр"])
    assert text[found[0] : found[1]] == "прем’є\u0301р"


def test_words_are_those_of_the_cleaned_text() -> None:
    for written in [
        "сім‘я", "сім＇я", "сім''я",
        "сім&#39;я",
        "сім&amp;rsquo;я", "сім<unk>я", "сім 'я", "сі\u200bм\u2060'\u00adя", "прем\u0027єр\u2011міні\u0301стр",
    ]:  # fmt: skip
        text = f"\u202a{written}\u202c, <b>{written}</b>&nbsp;{written}\ufe0f"
        found = term_spans(text, "uk", ["сім", "премʼєр-міністр"], Settings(representation="stem"))
        assert [text[start:end] for start, end, _ in found] == [written] * 3


def test_addresses_tags_and_entities_have_no_words() -> None:
    text = "<table>Bank</table> https://bank.com/bank, bank@bank.com &bank; %(bank)s {bank} bank_bank"
    found = term_spans(text, "en", ["bank", "tabl"], Settings(representation="stem"))
    last = len(text)
    assert [one[:2] for one in found] == [(7, 11), (last - 9, last - 5), (last - 4, last)]


def test_stems_and_refusals() -> None:
    assert term_spans("Bridges and a bridge", "en", ["bridg"], Settings(representation="stem")) == [
        (0, 7, "bridg"),
        (14, 20, "bridg"),
    ]
    assert term_spans("Мост", "ru", []) == []
    with pytest.raises(ConfigurationError, match="language is 'de'"):
        term_spans("Brücke", "de", ["brücke"])  # type: ignore[arg-type]


def test_the_words_of_met_are_terms_before_translation() -> None:
    text, pivot = "Companies met a minister; Gates fell from the gate.", Settings(representation="pivot")
    found = [text[start:end] for start, end, _ in term_spans(text, "en", ["company", "minister", "gate"], pivot)]
    assert found == ["Companies", "minister", "Gates", "gate"]
    assert term_spans("В мосту", "ru", ["мост"], pivot) == [(2, 7, "мост")]
