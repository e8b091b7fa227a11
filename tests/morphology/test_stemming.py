import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.morphology.stemming import stem, stem_ukrainian, stems
from infostream_dedup.model import OUR_LANGUAGES, Language

SAME_STEM: list[tuple[Language, str]] = [
    ("ru", "министр министра министру министром министры министров"),
    ("ru", "правительство правительства правительством"),
    ("ru", "премьер-министр премьер-министра премьер-министрами"),
    ("ru", "инженер-строитель инженера-строителя инженеров-строителей"),
    ("uk", "міністр міністра міністру міністром міністри міністрів"),
    ("uk", "можливість можливості можливістю можливостями"),
    ("uk", "прем'єр-міністр прем'єр-міністра".replace("'", "ʼ")), ("en", "minister ministers"),
    ("en", "trump trumpʼs"), ("en", "elections electionsʼ election"),
]  # fmt: skip


def test_forms_of_a_word_share_a_stem() -> None:
    for language, words in SAME_STEM:
        assert len(set(stems(words.split(), language))) == 1


STEMS: list[tuple[Language, str, str]] = [
    ("ru", "правительства", "правительств"), ("ru", "covid-вакцинами", "covid-вакцин"),
    ("ru", "bloomberg", "bloomberg"), ("uk", "української", "українськ"), ("uk", "bloomberg", "bloomberg"),
    ("en", "oʼbrien", "oʼbrien"), ("en", "running", "run"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "form", "expected"), STEMS)
def test_stem(language: Language, form: str, expected: str) -> None:
    assert stem(form, language) == expected


def test_ukrainian_does_not_go_through_the_russian_stemmer() -> None:
    words = ["працює", "працювати", "працював"]
    assert len(set(stems(words, "uk"))) == 1
    assert len(set(stems(words, "ru"))) == 3


def test_no_forms_no_stems() -> None:
    assert [stems([], language) for language in OUR_LANGUAGES] == [[], [], []]


@given(st.lists(st.text("абвгеиоятсьюіїєґabestʼ-", min_size=1, max_size=12)), st.sampled_from(OUR_LANGUAGES))
def test_many_at_once_give_what_each_alone_gives(words: list[str], language: Language) -> None:
    together = stems(words, language)
    assert together == [stem(word, language) for word in words]
    assert all(together)
    assert not any("'" in one for one in together)


OF_UKRAINIAN_WORDS = {
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


def test_forms_of_a_ukrainian_word_share_a_stem() -> None:
    for words in OF_UKRAINIAN_WORDS.values():
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
