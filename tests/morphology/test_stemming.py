import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.morphology.stemming import stem, stems
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
