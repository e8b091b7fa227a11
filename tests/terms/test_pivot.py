"""Key terms in a pivot language, judged by a plain version on sets."""

import time
from collections import Counter
from math import log

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.translation.ladder import Answers
from infostream_dedup.language.translation.rungs import Translation as Answer
from infostream_dedup.links.compiled.matching import match
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.terms.equivalents import both_ways, source_terms
from infostream_dedup.terms.matched_words import NO_WORDS, Meeting, TranslatedWords, meetings, translated_words
from infostream_dedup.terms.pivot_columns import untranslated_shares
from infostream_dedup.terms.representations.pivot import pivot_key_terms
from infostream_dedup.terms.statistics import TermCounts
from tests.oracles.key_terms import select_key_terms

WORDS = {
    ("uk", "голова"): (Answer("председатель", "dictionary", 1.0), Answer("глава", "dictionary", 0.9)),
    ("uk", "очільник"): (Answer("глава", "dictionary", 1.0), Answer("председатель", "dictionary", 0.9)),
    ("uk", "керівник"): (Answer("председатель", "cognate", 0.8), Answer("шеф", "cognate", 0.7)),
    ("uk", "мрія"): (Answer("мечта", "dictionary", 1.0),), ("uk", "шолц"): (Answer("шольц", "skeleton", 0.5),),
    ("uk", "мост"): (Answer("мост", "cognate", 0.9),),
    ("en", "head"): (Answer("глава", "dictionary", 1.0), Answer("голова", "dictionary", 1.0)),
    ("en", "chair"): (Answer("председатель", "dictionary", 1.0), Answer("стул", "dictionary", 1.0)),
    ("en", "dream"): (Answer("мечта", "dictionary", 1.0), Answer("сон", "dictionary", 0.9)),
    ("en", "suspect"): (Answer("подозреваемый", "dictionary", 1.0),),
}  # fmt: skip
BACK = {
    ("ru", "uk"): {
        "председатель": "голова", "глава": "голова", "мост": "мост", "стул": "стілець", "рубль": "карбованець",
    },
    ("ru", "en"): {"стул": "chair", "рубль": "rouble", "председатель": "chair", "глава": "head", "мост": "bridge"},
}  # fmt: skip
"""The way back. мечта is missing: мрія and dream say it all the same. голова is what head may be, in Ukrainian nothing.
rouble is translated by it only."""

VOCABULARY = {
    "ru": ["председатель", "глава", "голова", "мечта", "мост", "шольц", "стул", "рубль", "dream"],
    "uk": ["голова", "очільник", "керівник", "мрія", "мост", "шолц", "халепа"],
    "en": ["head", "chair", "dream", "mess", "rouble"],
}


def translate(terms, source, pivot):
    if source == pivot:
        return Answers.of([(Answer(term, "same", 1.0),) for term in terms])
    if source == "ru":
        back = BACK[source, pivot]
        return Answers.of([(Answer(back[term], "dictionary", 0.9),) if term in back else () for term in terms])
    return Answers.of([WORDS.get((source, term), ()) for term in terms])


def translate_latin(terms, source, pivot):
    """As the ladder: a Latin word of a Russian text is an English word, too."""
    alike = (Answer("dream", "identity", 1.0),)
    asked = zip(terms, translate(terms, source, pivot), strict=True)
    return Answers.of([alike if (source, pivot, term) == ("ru", "en", "dream") else one for term, one in asked])


def counted(documents):
    """Documents given as (language, words) as counts of terms."""
    terms = sorted({word for _, words in documents for word in words})
    table = np.zeros((len(documents), len(terms)), dtype=np.int32)
    for row, (_, words) in enumerate(documents):
        for word in words:
            table[row, terms.index(word)] += 1
    languages = np.array([LANGUAGES.index(language) for language, _ in documents], dtype=np.uint8)
    matrix = sp.csr_array(table)
    return TermCounts(matrix, terms, languages, np.asarray(matrix.sum(axis=1), dtype=np.int64))


def equivalents(documents):
    """Sure and other equivalents of every (language, word), those of the way back behind its own."""
    words = {(language, word) for language, words in documents for word in words}
    others = {language for language, _ in words} - {"ru"}
    there = {word for language, word in words if language == "ru"}
    there |= {one.term for pair in words if pair[0] in others for one in WORDS.get(pair, ()) if one.confidence >= 0.75}
    found = {}
    for language, word in words:
        own = {one.term: one.confidence for one in next(iter(translate([word], language, "ru")))}
        if language in others:
            for term in sorted(there):
                if BACK["ru", language].get(term) == word:
                    own.setdefault(term, 0.9)
        found[language, word] = own
    return found, others, there


def canonicals(documents):
    found, others, there = equivalents(documents)
    said = {
        language: {term for term in there if term in BACK["ru", language]}
        | {term for (own, _), known in found.items() if own == language for term in known if known[term] >= 0.75}
        for language in others
    }
    named = {pair: next((term for term in known if known[term] >= 0.75), None) for pair, known in found.items()}
    return {pair: term for pair, term in named.items() if all(term in terms for terms in said.values())}


def plain(documents, chosen):
    """By definition: K as {canonical: equivalents}, V as a set, counts as a nested list."""
    named = canonicals(documents)
    known, _, _ = equivalents(documents)

    def every(language, word):
        return {*known[language, word]} | ({word} if language == "en" else set())

    def canonical(language, word):
        return named.get((language, word))

    bags = [Counter(c for w in words if (c := canonical(language, w)) is not None) for language, words in documents]
    df = Counter(term for bag in bags for term in bag)
    lengths = [len(words) for _, words in documents]
    average = max(sum(lengths) / len(lengths), 1.0)
    keys, found_by = [], []
    for (language, words), bag, length in zip(documents, bags, lengths, strict=True):
        weights = {}
        for term, f in bag.items():
            idf = log((len(documents) - df[term] + 0.5) / (df[term] + 0.5))
            weight = round(1e9 * idf * f * 3 / (f + 2 * (0.25 + 0.75 * length / average)))
            if weight > 0 and df[term] >= chosen.df_min:
                weights[term] = weight
        ranked = sorted(weights, key=lambda term: (-weights[term], term))
        top = ranked[: chosen.n]
        keys.append({k: set().union(*(every(language, w) for w in words if canonical(language, w) == k)) for k in top})
        size = chosen.target_size()
        heaviest = ranked[: size or chosen.n]
        near = words if size is None else [w for w in words if canonical(language, w) in heaviest]
        found_by.append(set().union(*(every(language, w) for w in near)))
    met = [[sum(bool(hit & found) for hit in key.values()) for found in found_by] for key in keys]
    for place, row in enumerate(met):
        row[place] = 0
    return keys, found_by, met


def collections():
    document = st.sampled_from(["ru", "uk", "en"]).flatmap(
        lambda language: st.tuples(st.just(language), st.lists(st.sampled_from(VOCABULARY[language]), max_size=9))
    )
    return st.lists(document, min_size=1, max_size=9)


@given(collections(), st.integers(1, 4), st.sampled_from(["text", "signature", "top:2"]), st.sampled_from([1, 2]))
def test_key_terms_targets_and_counts_equal_the_plain_version_on_sets(documents, n, target, df_min):
    chosen = Settings.of(representation="pivot", n=n, target=target, df_min=df_min, df_max=1e9, background=False)
    found = pivot_key_terms(counted(documents), chosen, translate=translate)
    keys, _, expected = plain(documents, chosen)
    assert [sorted(found.terms_of(document)) for document in range(len(documents))] == [sorted(k) for k in keys]
    assert match(found.keys, found.targets, n=n, weights=False, k_min=1).counts.toarray().tolist() == expected


TRIO = [
    ("ru", ["глава", "мечта", "рубль"]), ("uk", ["голова", "мрія", "халепа", "шолц"]),
    ("en", ["head", "dream", "mess"]), ("ru", ["шольц", "мост", "стул"]), ("ru", ["мост", "стул", "рубль"]),
    ("ru", ["мост", "рубль", "рубль"]), *[("ru", [])] * 6,
]  # fmt: skip
CHOSEN = Settings.of(representation="pivot", df_min=1, df_max=1e9, background=False)


@pytest.fixture
def found():
    return pivot_key_terms(counted(TRIO), CHOSEN, translate=translate)


def test_by_hand_a_key_term_hits_by_any_equivalent_and_counts_once(found):
    # председатель, the canonical term of голова, hits глава by its further equivalent.
    assert found.terms_of(1) == ["председатель", "мечта"]
    matrix = match(found.keys, found.targets, n=12, weights=False, k_min=1).counts.toarray()
    assert matrix[1, :6].tolist() == [2, 0, 2, 0, 0, 0]
    assert matrix[0, :6].tolist() == [0, 2, 2, 0, 1, 1]


def test_a_guess_is_met_but_makes_no_key_term(found):
    matrix = match(found.keys, found.targets, n=12, weights=False, k_min=1).counts.toarray()
    assert "шольц" not in found.terms_of(1)
    guess = found.pivot.equivalents.of(found.pivot.sources.terms.index("шолц"))
    assert [found.pivot.equivalents.vocabulary[term] for term in guess] == ["шольц"]
    assert matrix[3, :6].tolist() == [0, 0, 0, 0, 2, 1]


def test_a_term_of_the_pivot_language_needs_another_language_that_says_it(found):
    assert found.terms_of(3) == ["стул", "мост"]
    alone = pivot_key_terms(counted([row for row in TRIO if row[0] == "ru"]), CHOSEN, translate=translate)
    assert alone.terms_of(1) == ["шольц", "стул", "мост"]


def test_a_key_term_can_be_said_in_every_language_that_has_enough_documents():
    # head is голова, too; no Ukrainian word here is.
    documents = [("ru", ["голова", "мост"]), ("en", ["head"]), *[("ru", [])] * 7]
    assert pivot_key_terms(counted(documents), CHOSEN, translate=translate).terms_of(0) == ["голова", "мост"]
    with_uk = [*documents, ("uk", ["мост"])]
    assert pivot_key_terms(counted(with_uk), CHOSEN, translate=translate).terms_of(0) == ["мост"]
    # One of 21 documents: a twentieth may not forbid what the others share.
    few_uk = [*with_uk, *[("en", ["head"])] * 2, *[("ru", [])] * 9]
    assert pivot_key_terms(counted(few_uk), CHOSEN, translate=translate).terms_of(0) == ["голова", "мост"]


def test_a_word_is_met_by_what_translates_to_it():
    # suspect is mostly a verb: it is met, but makes no key term.
    documents = [("ru", ["рубль", "подозреваемый"]), ("en", ["rouble", "suspect"]), *[("ru", [])] * 4]
    found = pivot_key_terms(counted(documents), CHOSEN, translate=translate)
    assert found.terms_of(1) == ["рубль"]
    matrix = match(found.keys, found.targets, n=12, weights=False, k_min=1).counts.toarray()
    assert [matrix[0, 1], matrix[1, 0]] == [2, 1]


def joined(words, own, back):
    back = {term: (Answer(word, "names", confidence),) for term, word, confidence in back}
    found = both_ways(words, Answers.of(own), [*back], Answers.of([*back.values()]))
    return [[(one.term, one.confidence) for one in each] for each in found]


def test_the_way_back_leaves_guesses_and_compounds_out():
    back = [("вице-премьер", "premier", 0.85), ("икс", "x", 0.7), ("премьер", "premier", 1.0), ("я-я", "i-i", 1.0)]
    assert joined(["premier", "x", "i-i"], [()] * 3, back) == [[("премьер", 1.0)], [], [("я-я", 1.0)]]


def test_a_sure_way_back_takes_the_place_of_a_guess():
    own = [(Answer("вэйд", "names", 0.7), Answer("вейд", "names", 0.7)), (Answer("бык", "names", 0.8),), ()]
    back = [("бык", "bull", 1.0), ("вейд", "wade", 0.85), ("дил", "diehl", 0.85), ("диль", "diehl", 0.9)]
    expected = [[("вэйд", 0.7), ("вейд", 0.85)], [("бык", 0.8)], [("диль", 0.9), ("дил", 0.85)]]
    assert joined(["wade", "bull", "diehl"], own, back) == expected


def test_an_english_word_is_met_by_itself_in_a_russian_text():
    documents = [("ru", ["dream", "шольц"]), ("en", ["dream"]), *[("ru", [])] * 4]
    found = pivot_key_terms(counted(documents), CHOSEN, translate=translate_latin)
    matrix = match(found.keys, found.targets, n=12, weights=False, k_min=1).counts.toarray()
    assert (found.terms_of(0), found.terms_of(1)) == (["dream"], ["мечта"])
    assert [matrix[0, 1], matrix[1, 0]] == [1, 1]


def test_terms_without_an_equivalent_count_in_the_length(found):
    assert found.counts.lengths[:6].tolist() == [3, 4, 3, 3, 3, 3]
    assert found.counts.counts.sum(axis=1)[:6].tolist() == [3, 2, 2, 2, 3, 3]


def test_statistics_are_those_of_one_space(found):
    df = dict(zip(found.counts.terms, found.statistics[0].df.tolist(), strict=True))
    assert found.statistics[0].documents == 12
    assert [df[term] for term in ("мечта", "глава", "председатель", "шольц")] == [3, 2, 1, 0]


def test_equal_words_of_two_languages_are_two_source_terms():
    sources = source_terms(counted([("ru", ["мост"]), ("uk", ["мост", "голова"]), ("ru", ["голова"])]))
    assert sources.terms == ["голова", "мост", "голова", "мост"]
    assert sources.languages.tolist() == [0, 0, 1, 1]
    assert sources.counts.toarray().tolist() == [[0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0]]


def test_meetings_name_the_words_and_the_rung(found):
    def between(a, b):
        forward, backward = found.keys[[a]].multiply(found.targets[[b]]), found.keys[[b]].multiply(found.targets[[a]])
        met = sp.csr_array(forward + backward)
        met.sort_indices()
        return meetings(found.pivot, a, b, met.indices.tolist(), met.data.tolist())

    assert sorted(between(0, 1), key=lambda one: one.a) == [
        Meeting("глава", "голова", "глава", "dictionary"),
        Meeting("мечта", "мрія", "мечта", "dictionary"),
    ]
    assert Meeting("мост", "мост", "мост", "same") in between(3, 4)
    assert {one.a for one in between(1, 2)} == {"голова", "мрія"}


def test_untranslated_weight_is_given_by_language(found):
    shares = untranslated_shares(found, CHOSEN)
    assert list(shares) == ["ru", "uk", "en"]
    assert 0 < shares["ru"] < 0.3
    # Two of four terms, халепа and the guess, each of one document only.
    assert 0.5 < shares["uk"] < 0.7
    with pytest.raises(ValueError, match="pivot"):
        untranslated_shares(select_key_terms(counted(TRIO), CHOSEN.but(representation="morph")), CHOSEN)


@given(collections(), st.sampled_from(["text", "signature", "top:2"]))
def test_compiled_code_gives_the_same(documents, target):
    chosen = Settings.of(representation="pivot", n=3, target=target, df_min=1, df_max=1e9, background=False)
    one = pivot_key_terms(counted(documents), chosen, translate=translate, select=select_key_terms)
    other = pivot_key_terms(counted(documents), chosen, translate=translate)
    assert (one.keys != other.keys).nnz == 0
    assert (one.targets != other.targets).nnz == 0


def test_no_documents_give_no_key_terms():
    empty = pivot_key_terms(counted([]), CHOSEN, translate=translate)
    assert (empty.keys.shape, empty.targets.shape) == ((0, 0), (0, 0))


UKRAINIAN = "Злодії вкрали гроші з банкомата в Ньюпорті. Поліція шукає злодіїв."
ENGLISH = "Thieves stole money from an ATM in Newport; a thief was seen. Police are looking."


def shown(found: TranslatedWords, texts: tuple[str, str]) -> list[tuple[int, str, str, list[str], list[str]]]:
    """Number, both words, and how each text writes them."""
    return [
        (
            one.number, one.words.a, one.words.b, [texts[0][start:end] for start, end in one.spans_a],
            [texts[1][start:end] for start, end in one.spans_b],
        )
        for one in found.met
    ]  # fmt: skip


def test_a_case_worked_by_hand() -> None:
    texts = (UKRAINIAN, ENGLISH)
    found = translated_words(texts, ("uk", "en"))
    assert shown(found, texts) == [
        (1, "злодій", "thief", ["Злодії", "злодіїв"], ["Thieves", "thief"]),
        (2, "гроші", "money", ["гроші"], ["money"]), (3, "банкомат", "atm", ["банкомата"], ["ATM"]),
        (4, "ньюпорт", "newport", ["Ньюпорті"], ["Newport"]), (5, "поліція", "police", ["Поліція"], ["Police"]),
    ]  # fmt: skip
    assert (found.share_a, found.share_b) == (1.0, 1.0)


def test_the_other_way_round_the_same_words_meet() -> None:
    there, back = (
        translated_words((UKRAINIAN, ENGLISH), ("uk", "en")),
        translated_words((ENGLISH, UKRAINIAN), ("en", "uk")),
    )
    pairs = {(one.words.a, one.words.b, one.spans_a, one.spans_b) for one in there.met}
    assert {(one.words.b, one.words.a, one.spans_b, one.spans_a) for one in back.met} == pairs
    assert (there.share_a, there.share_b) == (back.share_b, back.share_a)


def test_by_dictionaries_alone_unlisted_names_are_left_out() -> None:
    found = translated_words((UKRAINIAN, ENGLISH), ("uk", "en"), dictionaries_only=True)
    assert [one.words.b for one in found.met] == ["thief", "money", "atm", "police"]
    assert {one.words.rung for one in found.met} == {"dictionary"}
    assert found.share_a == pytest.approx(5 / 6)


def test_words_that_share_a_word_have_one_number() -> None:
    texts = ("Человек и мужчина вошли в дом.", "A man entered the house.")
    found = shown(translated_words(texts, ("ru", "en")), texts)
    assert [row[:3] for row in found] == [(1, "человек", "man"), (1, "мужчина", "man"), (2, "дом", "house")]


def test_words_of_addresses_and_entities_do_not_count() -> None:
    texts = ("Поліція вкрала пам&#39;ять.", "<b>Police</b>&nbsp;stole memory: https://police.com/memory/bridge &quot;")
    found = translated_words(texts, ("uk", "en"), dictionaries_only=True)
    assert [row[3:] for row in shown(found, texts)] == [(["Поліція"], ["Police"]), (["пам&#39;ять"], ["memory"])]
    assert (found.share_a, found.share_b) == (1.0, 1.0)


def test_a_word_repeated_all_over_takes_linear_time() -> None:
    number = 100_000
    began = time.process_time()
    found = translated_words(("мост " * number, "bridge " * number), ("ru", "en"), dictionaries_only=True)
    # Copying the tuple of its places at each of them would take a minute.
    assert time.process_time() - began < 10
    assert [len(one.spans_a) for one in found.met] == [number]


@pytest.mark.parametrize("languages", [("ru", "ru"), ("other", "ru"), ("en", "other")])
def test_one_language_or_one_that_is_not_ours(languages) -> None:
    assert translated_words(("Мост", "Мост"), languages) is NO_WORDS


def test_nothing_in_common_and_nothing_at_all() -> None:
    assert translated_words(("Собака лает.", "A bridge."), ("ru", "en")) == NO_WORDS
    assert translated_words(("", "A bridge."), ("ru", "en")) == NO_WORDS
