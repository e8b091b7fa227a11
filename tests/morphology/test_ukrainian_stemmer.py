import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.morphology.stemming import stem_ukrainian, stems

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


@pytest.mark.parametrize(
    ("form", "expected"), [("ця", "ця"), ("дім", "дім"), ("дні", "дні"), ("київ", "київ"), ("bloomberg", "bloomberg")]
)
def test_short_words_and_other_scripts_stay(form: str, expected: str) -> None:
    assert stem_ukrainian(form) == expected


@given(st.text("абвгдеиоятсьюіїєґʼz", min_size=1, max_size=15))
def test_a_stem_is_never_empty_nor_longer(form: str) -> None:
    assert 0 < len(stem_ukrainian(form)) <= len(form)
