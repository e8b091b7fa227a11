from collections import Counter, defaultdict
from functools import cache
from itertools import combinations
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.morphology.stemming import stem_ukrainian, stems

LEAST_MERGED = 0.86
MOST_WRONG = 0.15

SAME_STEM = {
    "a noun of each gender": "закон закону законом законів законами",
    "feminine": "україна україни україні україну україною", "neuter": "місто міста місту містом містами",
    "-ння": "знання знанню знанням знань", "-ість": "кількість кількості кількістю кількостей",
    "fleeting vowel": "будинок будинку будинки будинками", "-ець": "українець українця українці українців",
    "к and ц": "рука руку руці руками", "apostrophe": "здоровʼя здоровʼю здоровʼям",
    "adjective": "новий нового новому новим нова нової нову нове нові нових новими",
    "soft adjective": "синій синього синьому синім синя синьої синю синє сині синіх",
    "verb in -ати": "читати читав читала читали читаю читає читають читатиме",
    "verb in -увати": "працювати працював працювала працюю працює працюють працюватиме",
    "verb in -ити": "робити робив робила роблю робить роблять",
    "reflexive": "займатися займався займалася займається займаються займатись",
    "participle": "створений створена створено створених створеного",
}  # fmt: skip


def test_forms_of_a_word_share_a_stem() -> None:
    for words in SAME_STEM.values():
        assert len(set(stems(words.split(), "uk"))) == 1, dict(
            zip(words.split(), stems(words.split(), "uk"), strict=True)
        )


@pytest.mark.parametrize("words", ["рада рід", "закон закид", "війна воїн", "область обличчя", "українка україна"])
def test_other_words_have_other_stems(words: str) -> None:
    assert len(set(stems(words.split(), "uk"))) == 2


def test_known_wrong_merges() -> None:
    """The price of cutting without a dictionary: a town and a bridge, a change and to change."""
    assert stem_ukrainian("місто") == stem_ukrainian("міст")
    assert stem_ukrainian("зміна") == stem_ukrainian("змінити")


@pytest.mark.parametrize(
    ("form", "expected"), [("ця", "ця"), ("дім", "дім"), ("дні", "дні"), ("київ", "київ"), ("bloomberg", "bloomberg")]
)
def test_short_words_and_other_scripts_stay(form: str, expected: str) -> None:
    assert stem_ukrainian(form) == expected


@given(st.text("абвгдеиоятсьюіїєґʼz", min_size=1, max_size=15))
def test_a_stem_is_never_empty_nor_longer(form: str) -> None:
    assert 0 < len(stem_ukrainian(form)) <= len(form)


@pytest.mark.slow
def test_share_of_same_lemma_pairs_that_meet() -> None:
    """Paradigms of pymorphy3, as far as their forms are frequent: every second lemma, by checksum."""
    forms_of = frequent_forms()
    assert len(forms_of) > 5000
    pairs = merged = 0
    lemmas_of: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for lemma, found in forms_of.items():
        for first, second in combinations(map(stem_ukrainian, found), 2):
            pairs += 1
            merged += first == second
        for form in found:
            lemmas_of[stem_ukrainian(form)][lemma] += 1
    extra_lemmas = sum(len(lemmas) - 1 for lemmas in lemmas_of.values())
    print(f"{merged / pairs:.3f} of {pairs} pairs; {extra_lemmas} lemmas share another's stem, {len(forms_of)} in all")
    assert merged >= LEAST_MERGED * pairs
    assert extra_lemmas <= MOST_WRONG * len(forms_of)


def test_the_russian_stemmer_would_be_no_substitute() -> None:
    words = {
        form: stem for found in frequent_forms().values() for form, stem in zip(found, stems(found, "ru"), strict=True)
    }
    pairs = [pair for found in frequent_forms().values() for pair in combinations(found, 2)]
    russian = sum(words[first] == words[second] for first, second in pairs)
    ours = sum(stem_ukrainian(first) == stem_ukrainian(second) for first, second in pairs)
    assert russian < 0.6 * ours


@cache
def frequent_forms() -> dict[str, list[str]]:
    """Forms with zipf >= 3 of nouns, adjectives and verbs, by lemma and part of speech.

    A form of several lemmas goes to the most frequent one: pymorphy3 does not rank Ukrainian readings.
    """
    from pymorphy3 import MorphAnalyzer
    from wordfreq import iter_wordlist, zipf_frequency

    analyzer = MorphAnalyzer(lang="uk")
    forms_of: defaultdict[str, set[str]] = defaultdict(set)
    for word in iter_wordlist("uk", "large"):
        if zipf_frequency(word, "uk") < 3:
            break
        spelt = word.replace("’", "'").replace(APOSTROPHE, "'")
        if not spelt.replace("'", "").isalpha() or not analyzer.word_is_known(spelt):
            continue
        readings = [one for one in analyzer.parse(spelt) if one.tag.POS in ("NOUN", "ADJF", "VERB")]
        if readings:
            best = max(readings, key=lambda one: (zipf_frequency(one.normal_form, "uk"), one.normal_form, one.tag.POS))
            forms_of[f"{best.normal_form} {best.tag.POS}"].add(spelt.replace("'", APOSTROPHE))
    return {lemma: sorted(found) for lemma, found in sorted(forms_of.items()) if crc32(lemma.encode()) % 2 == 0}
