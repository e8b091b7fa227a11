"""Every method on texts so small that its result is worked out by hand."""

import math
from hashlib import md5
from itertools import combinations
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.features.fingerprints import count_words
from infostream_dedup.judging.features.sentences import DocumentRecord, Sentence, record_pairs, record_rows
from infostream_dedup.judging.features.words import read_words, shingles, winnowed
from infostream_dedup.lab.methods import Texts, fingerprints, method, sequences, written
from infostream_dedup.machine.arrays import Ragged, rows_from
from infostream_dedup.model import Document, Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.pairing import pair_rows

# Texts of one case stand beside each other, with | between them.
STORY = "мост река берег город район улица площадь вокзал"
REST = "|снег гром|туча ветер|погода дождь|солнце мороз"
"""Documents that put the words of the story into the middle of the IDF range."""
DECOMPOSITION_STORY = "мэр города открыл новый мост через реку и обещал начать ремонт набережной"
SHORT, LONG = "раз два три четыре пять", "раз два три четыре шесть семь"


def _of(texts):
    return Texts.of(*texts.split("|"))


@pytest.mark.parametrize(("notation", "texts", "signed"), [
    # The most frequent words, in alphabetical order; equally frequent words come by the alphabet.
    ("tf:words=2", "река мост река берег мост река", "мост река"), ("tf:words=2", "яблоко мост берег", "берег мост"),
    # снег stands in all documents: its IDF is below 0.
    ("tf-idf:words=2", "снег снег мост река|снег гром|снег туча", "мост река"),
    # Of four documents мост stands in two, река in one: IDF ln 2 and ln 4.
    ("opt-freq:words=1", "мост река|мост|снег|гром", "река"),
    ("opt-freq:words=1:c=0.7", "мост река|мост|снег|гром", "мост"),
    # The two longest sentences, in alphabetical order; equally long ones come by the alphabet.
    ("long-sent", "Мост открыт. Новый мост закрыли утром. Движение началось утром. Всё.",
     "движение началось утром новый мост закрыли утром"),
    ("long-sent:sentences=1", "Мост открыт. Берег размыт.", "берег размыт"),
    # A repeated sentence fills one place or two.
    ("long-sent", "Новый мост открыт. Новый мост открыт! Снег растаял.", "новый мост открыт снег растаял"),
    ("long-sent:distinct=false", "Новый мост открыт. Новый мост открыт! Снег растаял.",
     "новый мост открыт новый мост открыт"),
    # The heaviest sentence need not be the longest: снег and гром stand in every document.
    ("heavy-sent:sentences=1", "Снег гром снег гром снег. Мост открыт." + "|Снег, гром." * 3, "мост открыт"),
    ("long-sent:sentences=1", "Снег гром снег гром снег. Мост открыт." + "|Снег, гром." * 3,
     "снег гром снег гром снег"),
])  # fmt: skip
def test_the_words_that_are_signed(notation, texts, signed):
    assert written(notation).sign(_of(texts)).row(0).tolist() == [crc32(signed.encode())]


_PARAGRAPHS = "\nМост открыт. Ура.\nДалее.|Мост открыт, ура!|Мост открыт.\nУра."
_TITLED = "Киев.\nМост открыт.|Киев.\nСнег выпал."
_SENTENCES = "Новый мост открыли вчера вечером. Движение началось сегодня утром."
_BAGS = "раз два раз два раз два|раз два раз два"
_EDITED = f"{DECOMPOSITION_STORY}|{DECOMPOSITION_STORY.replace('открыл', 'закрыл')}"
_EVERYWHERE = "мэр города открыли новый мост через рек и обещал начать начал набережной"
_LONGER = f"{DECOMPOSITION_STORY}|{DECOMPOSITION_STORY} уже завтра утром"
_LONG_WORD = f"{DECOMPOSITION_STORY}|{DECOMPOSITION_STORY.replace('обещал', 'торжественно-обещающе-провозгласил')}"


@pytest.mark.parametrize(("notation", "texts", "linked"), [
    # A first paragraph ends at the line; by sentences the second text goes on behind the comma.
    ("first-paragraph", _PARAGRAPHS, [(0, 1, 1.0)]), ("first-paragraph:unit=sentence", _PARAGRAPHS, [(0, 2, 1.0)]),
    ("first-paragraph", _TITLED, [(0, 1, 1.0)]), ("first-paragraph:least_words=3", _TITLED, []),
    # An edit outside of the two sentences does not matter.
    ("long-sent", f"{_SENTENCES} Пробок нет.|Приозёрск. {_SENTENCES}", [(0, 1, 1.0)]),
    # IDF of a word of one document is 1, above the bound.
    ("i-match", f"{STORY}|{STORY} подробности{REST}", [(0, 1, 1.0)]),
    ("i-match", f"мост река берег|мост река берег{REST}", []),
    ("i-match:least_words=3", f"мост река берег|мост река берег{REST}", [(0, 1, 1.0)]),
    # снег is in two documents, so it belongs to the lexicon: not all random lexicons have it.
    ("i-match", f"{STORY}|{STORY} снег{REST}", []), ("lex-rand:k=30", f"{STORY}|{STORY} снег{REST}", [(0, 1)]),
    # The same words in other proportions are another document.
    ("descr-words", "мост мост мост река|река мост мост мост|река река река мост", [(0, 1, 1.0)]),
    # Words of most documents weigh nothing.
    ("tf-idf-cosine:tau=0.05", "мост река|мост снег|мост туча", []),
    # Three and four 3-shingles, two in common: 2 / 5. Bags of 2 + 2 against 1 + 1; the sets are equal.
    ("shingles:tau=0.4", f"{SHORT}|{LONG}", [(0, 1, 0.4)]), ("shingles:tau=0.41", f"{SHORT}|{LONG}", []),
    ("shingles:tau=0.3", _BAGS, [(0, 1, 0.5)]), ("shingles:tau=0.3:bag=false", _BAGS, [(0, 1, 1.0)]),
    # Texts without a common shingle are never compared.
    ("decomposition", f"{DECOMPOSITION_STORY}|{_EVERYWHERE}", []),
    ("decomposition:w=1", f"{DECOMPOSITION_STORY}|{_EVERYWHERE}", [(0, 1)]),
    # The ratio of lengths, of 1.24 here, loses pairs by design; it counts words or characters.
    ("decomposition", _LONGER, []), ("decomposition:r=1.35", _LONGER, [(0, 1, 0.896)]),
    ("decomposition:t=0.5", _LONG_WORD, [(0, 1)]), ("decomposition:t=0.5:unit=characters", _LONG_WORD, []),
    # 12 words, 8 shingles; those without the third word are 5.
    ("decomposition:least_shared=0.6", _EDITED, [(0, 1)]), ("decomposition:least_shared=0.7", _EDITED, []),
])  # fmt: skip
def test_the_pairs_that_are_linked(notation, texts, linked):
    found = written(notation).run(_of(texts)).pairs.as_list()
    assert [pair[: len(linked[0])] if linked else pair for pair in found] == linked


def test_the_digest_is_that_of_the_significant_words():
    signatures = method("md5").sign(Texts.of("Снег выпал и в Киеве!"))
    assert signatures.row(0).tobytes() == md5("снег выпал киеве".encode(), usedforsecurity=False).digest()


def test_a_checksum_does_not_see_titles():
    documents = [
        Document(id="1", text="Мост открыт.", title="Срочно"),
        Document(id="2", text="Мост\nоткрыт.", title="Приозёрск"), Document(id="3", text="", title="Срочно"),
    ]  # fmt: skip
    run = method("checksum").run(Texts(documents))
    assert run.signatures.sizes.tolist() == [2, 2, 0]
    assert run.pairs.as_list() == [(0, 1, 1.0)]


def test_a_title_is_not_a_first_paragraph():
    documents = [
        Document(id="1", text="Мост открыт.", title="Срочно"),
        Document(id="2", text="Снег выпал.", title="Срочно"),
    ]
    assert not method("first-paragraph").run(Texts(documents)).pairs.as_list()


def test_fewer_words_than_asked_for_are_all_taken():
    signatures = method("tf", bits=64).sign(Texts.of("мост мост", "мост"))
    assert signatures.values.dtype == np.uint64
    assert signatures.values[0] == signatures.values[1]


def test_residual_idf_by_hand():
    counts = count_words(read_words(["мост мост река", "снег", "снег", "гром"]))
    # мост: in one of four documents, twice in all; the most frequent word of its document.
    expected = math.log(4) + math.log(1 - math.exp(-2 / 4))
    weights = counts.rows(fingerprints.residual_weights(counts)).toarray()
    assert weights[0, 1] == pytest.approx(expected * 1e9, abs=1)
    # река: half as frequent, once in all.
    assert weights[0, 2] == pytest.approx(0.75 * (math.log(4) + math.log(1 - math.exp(-1 / 4))) * 1e9, abs=1)


def test_residual_idf_of_an_even_word_is_negative_and_kept():
    counts = count_words(read_words(["мост снег", "мост", "мост"]))
    weights = counts.rows(fingerprints.residual_weights(counts)).toarray()
    assert weights[1, 0] == pytest.approx(math.log(1 - math.exp(-1)) * 1e9, abs=1)


def test_optimal_frequency_by_hand():
    counts = count_words(read_words(["мост", "снег", "снег", "гром"]))
    idf = math.log(4)
    weights = counts.rows(fingerprints.optimal_weights(counts, 11.5)).toarray()
    assert weights[0, 1] == pytest.approx(math.sqrt(idf / 11.5) * 1e9, abs=1)
    # Rarer than the optimum: the hyperbola.
    weights = counts.rows(fingerprints.optimal_weights(counts, 1.0)).toarray()
    assert weights[0, 1] == pytest.approx(1 / idf * 1e9, abs=1)


# 3+5 and 3+2: their records and every rule for a pair, worked by hand.
FIRST = DocumentRecord(100, 10, [1, 2, 3], [11, 12, 13, 14, 15])


def _linked(second, **changed):
    rules = {"length_ratio": 1.15, "sentence_ratio": 1.20, "shared_words": 2, "shared_sentences": 2, **changed}
    rows = record_rows([FIRST, second], sentences=3, words=5, bits=32)
    a, _, scores = record_pairs(rows, sentences=3, words=5, **rules)
    return scores.tolist() if len(a) else None


def test_an_equal_record_scores_one():
    assert _linked(FIRST) == [1.0]


@pytest.mark.parametrize(("length", "sentences", "longest", "words", "linked"), [
    # Lengths differ by at most 15 percent, numbers of sentences by at most 20.
    (115, 10, [1, 2, 3], [11, 12, 13, 14, 15], True), (116, 10, [1, 2, 3], [11, 12, 13, 14, 15], False),
    (87, 10, [1, 2, 3], [11, 12, 13, 14, 15], True), (86, 10, [1, 2, 3], [11, 12, 13, 14, 15], False),
    (100, 12, [1, 2, 3], [11, 12, 13, 14, 15], True), (100, 13, [1, 2, 3], [11, 12, 13, 14, 15], False),
    (100, 9, [1, 2, 3], [11, 12, 13, 14, 15], True), (100, 8, [1, 2, 3], [11, 12, 13, 14, 15], False),
    # Two words are shared.
    (100, 10, [1, 2, 3], [15, 99, 12], True), (100, 10, [1, 2, 3], [11, 98, 99], False),
    # The longest sentence is the same, or two are shared in any order.
    (100, 10, [1, 8, 9], [11, 12, 13, 14, 15], True), (100, 10, [3, 1, 9], [11, 12, 13, 14, 15], True),
    (100, 10, [9, 2, 8], [11, 12, 13, 14, 15], False), (100, 10, [2, 8, 9], [11, 12, 13, 14, 15], False),
])  # fmt: skip
def test_records_are_linked_within_their_limits(length, sentences, longest, words, linked):
    assert (_linked(DocumentRecord(length, sentences, longest, words)) is not None) == linked


def test_two_of_three_is_for_documents_of_more_than_five_sentences():
    first = DocumentRecord(100, 5, [1, 2, 3], [11, 12])
    rows = record_rows([first, DocumentRecord(100, 6, [3, 2, 9], [11, 12])], sentences=3, words=5, bits=32)
    rules = {"length_ratio": 1.15, "sentence_ratio": 1.20, "shared_words": 2, "shared_sentences": 2}
    assert not len(record_pairs(rows, sentences=3, words=5, **rules)[0])


def test_three_shared_sentences_may_be_asked_for():
    assert _linked(DocumentRecord(100, 10, [3, 1, 9], [11, 12]), shared_sentences=3) is None
    assert _linked(DocumentRecord(100, 10, [3, 1, 2], [11, 12]), shared_sentences=3) is not None


def test_missing_sentences_never_meet():
    short = DocumentRecord(10, 1, [7], [11, 12])
    rows = record_rows([short, DocumentRecord(10, 1, [8], [11, 12])], sentences=3, words=5, bits=32)
    rules = {"length_ratio": 1.15, "sentence_ratio": 1.20, "shared_words": 2, "shared_sentences": 2}
    assert not len(record_pairs(rows, sentences=3, words=5, **rules)[0])


def test_the_record_of_three_plus_five():
    text = "Мэр открыл мост. Движение откроет мэрия города. Снег! Снег выпал."
    row = method("three-plus-five").sign(Texts.of(text)).row(0).tolist()
    # Ten words of three letters and more, four sentences.
    assert row[:2] == [10, 4]
    expected = ["движение откроет мэрия города", "открыл мост", "снег выпал"]
    assert row[2] == crc32(expected[0].encode())
    assert set(row[3:5]) == {crc32(sentence.encode()) for sentence in expected[1:]}
    assert row[3] < row[4]
    # Words of 8, 7, 6 and 6 letters; of those of 5 letters the smaller fingerprint.
    prints = [crc32(word.encode()) for word in ("движение", "откроет", "города", "открыл", "мэрия", "выпал")]
    assert row[5:] == [prints[0], prints[1], *sorted(prints[2:4]), min(prints[4:])]
    assert len(row) == 10


def test_the_dictionary_prefers_frequent_then_long_then_early_words():
    words = read_words(["мост река мост берег река снег набережная"])
    assert sequences.frequency_dictionary(words, 0, 5) == ["мост", "река", "набережная", "берег", "снег"]


def test_three_sentences_by_dictionary_words_then_two_by_length():
    texts = "а б в г д е", "мост река", "мост мост мост мост", "мост река снег", "ж з и к", "л м"
    sentences = [Sentence(text, len(text.split()), 0, place) for place, text in enumerate(texts)]
    frequent = ["мост", "река", "снег"]
    assert sequences.five_sentences(sentences, frequent, occurrences=False) == [
        "мост река снег", "мост река", "мост мост мост мост", "а б в г д е", "ж з и к",
    ]  # fmt: skip
    assert sequences.five_sentences(sentences, frequent, occurrences=True)[0] == "мост мост мост мост"


def test_three_words_of_the_dictionary_then_the_longest():
    words = read_words(["мост мост река река снег снег набережная вокзал мост"])
    frequent = sequences.frequency_dictionary(words, 0, 10)
    assert sequences.five_words(words, 0, frequent) == ["мост", "река", "снег", "набережная", "вокзал"]


def test_n_of_three_plus_two_trades_recall_for_precision():
    lines = [f"Мост река снег номер{number} часть{number} город{number}." for number in range(7)]
    other = [f"Совсем другие слова город{number} вместо часть{number} тех." for number in range(7)]
    first = " ".join(lines)
    # The dictionary words are in all lines; two of the chosen five stay.
    row = method("three-plus-two").sign(Texts.of(first)).row(0)
    kept = [line for line in lines if crc32(line.rstrip(".").lower().encode()) in set(row[3:7].tolist())][:2]
    assert len(kept) == 2
    texts = Texts.of(first, " ".join([*kept, *other[:5]]))
    rules = {"shared_words": 0, "length_ratio": 10.0}
    shared = set(method("three-plus-two").sign(texts).row(0)[2:7]) & set(
        method("three-plus-two").sign(texts).row(1)[2:7]
    )
    assert len(shared) == 2
    assert len(method("three-plus-two", n=2, **rules).run(texts).pairs) == 1
    assert len(method("three-plus-two", n=3, **rules).run(texts).pairs) == 0


def test_fewer_than_five_sentences_are_kept_by_length():
    row = method("three-plus-two").sign(Texts.of("Снег выпал. Мэр города открыл новый мост.")).row(0).tolist()
    assert row[2:4] == [crc32("города открыл новый мост".encode()), crc32("снег выпал".encode())]
    assert row[4:7] == [0, 0, 0]


def test_lex_rand_without_random_lexicons_is_i_match():
    texts = _of(f"{STORY}|{STORY} снег|{STORY} подробности{REST}")
    assert method("lex-rand", k=0).run(texts).pairs.as_list() == method("i-match").run(texts).pairs.as_list()


def test_the_variant_with_lists_forgives_a_word_in_one_of_them():
    run = method("i-match", lists=3, least_words=1).run(_of(f"{STORY}|{STORY} снег{REST}"))
    assert [pair[:2] for pair in run.pairs.as_list() if pair[0] == 0] == [(0, 1)]


def test_a_threshold_is_where_no_document_is_near():
    # Frequencies of "мост" relative to the most frequent word: 1, 1, 1/4. In 4 steps: 4, 4, 1.
    counts = count_words(read_words(["мост мост река", "мост река", "мост река река река река"]))
    level = np.array([4, 2, 4, 4, 1, 4])
    assert counts.tf.indices.tolist() == [0, 1, 0, 1, 0, 1]
    found, near = fingerprints.thresholds(counts, level, 4)
    # Nobody is near 2 of 4, for steps 2 and 3 are empty. "река": one document is near 1 and 2, two are near 3.
    assert found.tolist() == [2, 2]
    assert near.tolist() == [0, 1 / 3]


def test_words_that_are_never_above_a_threshold_have_none():
    found, near = fingerprints.thresholds(count_words(read_words(["мост", "мост река"])), np.array([1, 1, 1]), 4)
    assert found.tolist() == [4, 4]
    assert near.tolist() == [1.0, 1.0]


def test_training_drops_the_least_precise_words_while_documents_stay_covered():
    counts = count_words(read_words(["берег мост", "берег мост", "берег река", "снег"]))
    assert counts.tf.indices.tolist() == [0, 1, 0, 1, 0, 2, 3]
    above = np.ones(7, dtype=bool)
    near = np.array([0.5, 0.0, 0.9, 0.0])

    def kept(**parameters):
        return fingerprints.support_words(
            counts, above, near, fingerprints.DescriptiveWords(fewest=1, **parameters)
        ).tolist()

    # Half of the words go: the two precise ones leave the third document without a bit.
    assert kept(rounds=1, dropped=0.5, coverage=0.7) == [False, True, False, True]
    assert kept(rounds=1, dropped=0.5, coverage=0.8) == [True] * 4
    assert kept(rounds=1, dropped=0.25, coverage=1.0) == [True, True, False, True]


def test_documents_without_a_bit_are_not_all_alike():
    assert method("descr-words").run(Texts.of("", "!!!", "и в на", "мост")).signatures.sizes.tolist() == [0, 0, 0, 1]


def test_the_score_is_string_similarity_of_the_words():
    edited = DECOMPOSITION_STORY.replace("открыл", "закрыл")
    pairs = method("decomposition").run(Texts.of(DECOMPOSITION_STORY, edited.upper())).pairs
    # Two letters of 73 differ: 71 in common.
    assert len(DECOMPOSITION_STORY) == 73
    assert pairs.scores.tolist() == [pytest.approx(71 / 73)]


def test_containment_asks_one_way():
    pairs = method("shingles", measure="containment", tau=0.5).run(Texts.of(SHORT, LONG)).pairs
    assert pairs.directed
    assert pairs.as_list() == [(0, 1, 0.667), (1, 0, 0.5)]
    contained = method("shingles", measure="containment", tau=0.6).run(Texts.of(SHORT, LONG))
    assert contained.pairs.as_list() == [(0, 1, 0.667)]


def test_one_in_m_is_sampled():
    text = " ".join(f"слово{number}" for number in range(5002))
    assert method("dsc").sign(Texts.of(text)).sizes.tolist() == [pytest.approx(200, abs=50)]
    assert (method("dsc").sign(Texts.of(text)).values % 25 == 0).all()


def test_samples_resemble_as_the_whole_does():
    words = [f"слово{number}" for number in range(6000)]
    texts = Texts.of(" ".join(words[:4000]), " ".join(words[1000:5000]))
    # 2998 of 4998 shingles in common.
    for parameters in ({"m": 10}, {"sample": "min", "s": 500}):
        assert method("dsc", tau=0.3, **parameters).run(texts).pairs.scores.tolist() == [pytest.approx(0.6, abs=0.1)]


def test_a_small_edit_leaves_some_supershingles():
    words = [f"слово{number}" for number in range(300)]
    edited = words.copy()
    edited[150] = "другое"
    run = method("dsc-ss").run(Texts.of(" ".join(words), " ".join(edited), " ".join(words[::-1])))
    assert run.signatures.sizes.tolist() == [6, 6, 6]
    assert [pair[:2] for pair in run.pairs.as_list()] == [(0, 1)]


WORDS = [f"слово{number}" for number in range(400)]


def test_a_document_keeps_fifteen_megashingles():
    assert method("megashingles").sign(Texts.of(" ".join(WORDS), "снег", "")).sizes.tolist() == [15, 15, 0]


def test_close_documents_meet_and_distant_ones_do_not():
    near, far = WORDS.copy(), WORDS.copy()
    near[200] = "другое"
    far[::8] = [f"замена{number}" for number in range(50)]
    run = method("megashingles").run(Texts.of(" ".join(WORDS), " ".join(near), " ".join(far)))
    # One word is five shingles of 396: resemblance .975. Every eighth word leaves less than a third of them.
    assert list(zip(run.pairs.a, run.pairs.b, strict=True)) == [(0, 1)]


def _lists(rows):
    return [rows.row(number).tolist() for number in range(len(rows))]


def test_the_smallest_divisible_by_each_power_of_two():
    # n = 4: i is 1 and 2. n = 3: i is 1 only. n = 1: no i.
    rows = rows_from([[10, 12, 6, 3], [9, 8, 6], [4], [], [5, 7, 9, 1]], np.uint64)
    assert _lists(sequences.logarithmic_sample(rows)) == [[6, 12], [6], [], [], []]


def test_divisible_by_a_power_that_leaves_the_target():
    # n = 8, target 2: m = 2. n = 3: m = 0, all are kept.
    rows = rows_from([[1, 2, 3, 4, 5, 6, 7, 8], [1, 3, 5]], np.uint64)
    assert _lists(sequences.modular_sample(rows, 2)) == [[4, 8], [1, 3, 5]]


def test_where_nothing_is_sampled_the_smallest_is():
    run = method("log-shingles").run(Texts.of("Наводнение", "наводнение!", "Землетрясение"))
    assert run.signatures.sizes.tolist() == [1, 1, 1]
    assert run.pairs.as_list() == [(0, 1, 1.0)]


def test_a_sample_outlives_most_edits():
    words = [f"слово{number}" for number in range(500)]
    edits = []
    for place in range(0, 500, 25):
        edited = words.copy()
        edited[place] = "другое"
        edits.append(" ".join(edited))
    for sample in ("log", "mod"):
        run = method("log-shingles", sample=sample).run(Texts.of(" ".join(words), *edits))
        # Eight or nine of 500 shingles decide, five are changed: most edits go unseen, which MD5 would never let pass.
        assert (run.pairs.a == 0).sum() >= 14


def test_every_feature_votes_for_every_bit():
    # Bits: 3 = 011, 5 = 101, 1 = 001. Bit 0 has three votes, bits 1 and 2 one of three.
    assert fingerprints.projections(rows_from([[3, 5, 1], [3], [], [3, 5]], np.uint64)).tolist() == [1, 3, 1]


@pytest.mark.parametrize("k", [0, 1, 3, 8])
def test_parts_of_the_bits_find_all_near_pairs(k):
    random = np.random.default_rng(4)
    values = random.integers(0, 2**63, 60, dtype=np.uint64)
    for place in range(1, 60, 2):
        flips = random.choice(64, size=random.integers(0, 12), replace=False)
        values[place] = values[place - 1] ^ np.bitwise_or.reduce(np.uint64(1) << flips.astype(np.uint64), initial=0)
    rows = Ragged(np.arange(61, dtype=np.int64), values)
    expected = [(a, b) for a, b in combinations(range(60), 2) if int(values[a] ^ values[b]).bit_count() <= k]
    pairs = method("simhash", k=k).link(Texts.of(), rows)
    assert list(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True)) == expected
    assert len(expected) > 1


def test_the_score_is_the_share_of_equal_bits():
    rows = Ragged(np.arange(3, dtype=np.int64), np.array([0b1111, 0b1100], dtype=np.uint64))
    assert method("simhash").link(Texts.of(), rows).scores.tolist() == [62 / 64]


def test_the_estimate_is_near_the_resemblance():
    pytest.importorskip("datasketch")
    words = [f"слово{number}" for number in range(1000)]
    texts = Texts.of(" ".join(words[:800]), " ".join(words[100:900]), " ".join(words[::-1]))
    # 698 of 898 shingles in common.
    pairs = method("minhash", permutations=512, tau=0.5).run(texts).pairs
    assert [pair[:2] for pair in pairs.as_list()] == [(0, 1)]
    assert pairs.scores.tolist() == [pytest.approx(0.777, abs=0.08)]


def test_a_signature_is_as_long_as_there_are_permutations():
    pytest.importorskip("datasketch")
    assert method("minhash").sign(Texts.of("раз два три", "")).sizes.tolist() == [128, 0]


WINNOWING_WORDS = st.lists(st.sampled_from(["мост", "река", "снег", "дом", "лес", "поле"]), min_size=1, max_size=30)


@given(WINNOWING_WORDS, st.integers(1, 4), st.integers(1, 6))
def test_every_window_keeps_its_rightmost_smallest(words, w, window):
    read = read_words([" ".join(words)])
    values = shingles(read, w).values.tolist()
    expected = set()
    for first in range(max(len(values) - window + 1, 1)):
        part = values[first : first + window]
        expected.add(first + len(part) - 1 - part[::-1].index(min(part)))
    assert winnowed(read, w, window).values.tolist() == [values[place] for place in sorted(expected)]


@given(WINNOWING_WORDS, WINNOWING_WORDS, st.lists(st.sampled_from("абвгде"), min_size=8, max_size=12))
def test_a_shared_run_of_eight_words_always_shares_a_fingerprint(before, after, run):
    shared = " ".join(run)
    one, other = winnowed(read_words([f"{' '.join(before)} {shared}", f"{shared} {' '.join(after)}"]), 5, 4)
    assert set(one.tolist()) & set(other.tolist())


def test_a_text_inside_another_is_found_and_resemblance_asks_for_both():
    story = "мэр города торжественно открыл новый мост через реку движение начнется завтра утром"
    longer = (
        f"вчера вечером на площади у ратуши сообщили репортерам следующее {story} потом все разошлись по домам пить чай"
    )
    texts = Texts.of(story, longer, "мост закрыт")
    assert [pair[:2] for pair in method("winnowing").run(texts).pairs.as_list()] == [(0, 1)]
    assert not method("winnowing", measure="resemblance", tau=0.6).run(texts).pairs.as_list()
    (score,) = method("winnowing", tau=0.3).run(texts).pairs.scores
    assert 0.5 <= score <= 1


def test_votes_have_weights():
    # Bits: 3 = 011 weighs 5, 4 = 100 weighs 2, 1 = 001 weighs 1.
    features = rows_from([[3, 4, 1], [4], []], np.uint64)
    assert fingerprints.projections(features, np.array([5, 2, 1, 7])).tolist() == [3, 4]
    assert fingerprints.projections(features, np.array([1, 5, 1, 7])).tolist() == [4, 4]


@pytest.mark.parametrize("k", [0, 3])
def test_a_rare_word_outvotes_common_ones(k):
    texts = ["снег идёт в городе", "снег идёт в городе", "дождь идёт", "ветер дует", "город спит"]
    assert (0, 1, 1.0) in method("weighted-simhash", k=k).run(Texts.of(*texts)).pairs.as_list()


def test_three_plus_two_takes_another_ratio():
    story = ". ".join(f"Предложение номер{number} говорит слово{number} мост река" for number in range(8))
    texts = Texts.of(story, f"{story}. Да.")
    assert method("three-plus-two", frequent=0).run(texts).signatures.values.tolist() != (
        method("three-plus-two", frequent=5).run(texts).signatures.values.tolist()
    )
    assert method("three-plus-two", frequent=4).run(texts).pairs.as_list()[0][:2] == (0, 1)


def test_navigation_has_no_spots(stories):
    menu = "Главная Новости Спорт Погода Архив Контакты Реклама Подписка"
    run = method("spotsigs").run(Texts.of(f"{menu}\n{stories['ru']}", f"{menu}\n{stories['other']}", stories["ru"]))
    assert [pair[:2] for pair in run.pairs.as_list()] == [(0, 2)]


def test_the_three_languages_have_antecedents(stories):
    assert (method("spotsigs").sign(Texts.of(stories["ru"], stories["uk"], stories["en"])).sizes >= 10).all()


def test_documents_of_few_spots_have_no_signature():
    assert method("spotsigs").sign(Texts.of("Мэр города и глава района открыли мост")).sizes.tolist() == [0]


def test_spots_of_all_documents_can_be_left_out(stories):
    texts = Texts.of(*[stories["ru"]] * 5)
    assert method("spotsigs").sign(texts).sizes.tolist() == [0] * 5
    assert (method("spotsigs", idf_low=0.0).sign(texts).sizes > 0).all()


def test_low_idf_features_are_about_a_third_of_shingles(stories):
    texts = Texts.of(stories["ru"], stories["uk"], stories["en"])
    assert (method("low-idf-sig").sign(texts).sizes / method("shingles").sign(texts).sizes < 0.5).all()


def test_an_edited_word_costs_few_features(stories):
    run = method("low-idf-sig").run(
        Texts.of(stories["ru"], stories["ru"].replace("бесплатным", "платным"), stories["uk"])
    )
    assert [pair[:2] for pair in run.pairs.as_list()] == [(0, 1)]


def test_the_cosine_by_hand():
    # All documents of two words; мост in two of five, the others in one.
    texts = Texts.of("мост река", "мост снег", "гром туча", "берег ветер", "город район")
    common, own = math.log(3.5 / 2.5), math.log(4.5 / 1.5)
    expected = common**2 / (common**2 + own**2)
    assert method("tf-idf-cosine", tau=0.05).run(texts).pairs.as_list() == [(0, 1, pytest.approx(expected, abs=1e-3))]


def test_pairs_are_those_of_the_main_job(documents):
    copies = [Document(id=f"copy of {found.id}", text=found.text, title=found.title) for found in documents]
    documents = [*documents, *copies]
    for representation in ("stem", "morph"):
        settings = Settings.of(representation=representation, k=6)
        place = {document.id: number for number, document in enumerate(documents)}
        rows = [(place[row.a], place[row.b], row.relation) for row in pair_rows(collect(documents), settings)]
        assert {relation for _, _, relation in rows} == {"equal", "contained", "contains"}
        name = f"key-terms-{representation}"
        both = method(name).run(Texts(documents)).pairs
        assert [pair[:2] for pair in both.as_list()] == [(a, b) for a, b, relation in rows if relation == "equal"]
        either = method(name, rule="either").run(Texts(documents)).pairs
        assert [pair[:2] for pair in either.as_list()] == [(a, b) for a, b, _ in rows]


def test_links_are_directed(documents):
    pairs = method("key-terms-stem", rule="forward", df_min=1).run(Texts(documents)).pairs
    place = {document.id: number for number, document in enumerate(documents)}
    links = {pair[:2] for pair in pairs.as_list()}
    assert (place["ru"], place["digest"]) in links
    assert (place["other"], place["digest"]) in links
    assert (place["ru"], place["other"]) not in links


def test_pairs_by_share_are_those_of_the_preset_best(documents):
    copies = [Document(id=f"copy of {found.id}", text=f"{found.text} Позже.", title=found.title) for found in documents]
    documents = [*documents, *copies]
    place = {document.id: number for number, document in enumerate(documents)}
    rows = list(pair_rows(collect(documents), Settings.of(preset="best")))
    both = method("key-terms-morph", n=30, score="share").run(Texts(documents)).pairs
    expected = [(place[row.a], place[row.b]) for row in rows if row.relation == "equal"]
    assert expected
    assert [pair[:2] for pair in both.as_list()] == expected
    assert (both.scores >= 0.4).all()


@pytest.mark.parametrize("wrong", [{"k": 13}, {"min_terms": 13}, {"threshold": 0.0}, {"score": "sum"}])
def test_parameters_are_checked(wrong):
    with pytest.raises(ConfigurationError):
        method("key-terms-morph", **wrong)
