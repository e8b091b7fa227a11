import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.language.morphology import stemming
from infostream_dedup.language.morphology.stemming import stem, stem_ukrainian, stems
from infostream_dedup.language.text.surface_pool import SurfaceList
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
        assert len(set(stems(words.split(), "uk"))) == 1, words


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


WORDS = """правительства премьер-министрами covid-вакцинами української прем'єр-міністра здоровʼя здоровʼям ʼʼʼʼ ʼ
можливостями
знання українці роблю будинок кількостей року руці займається працюватиме oʼbrien trumpʼs electionsʼ running dying o'b
-и- а-б-в --- ́а́ éé ﷺﷺﷺ 𐐷𐐷𐐷𐐷 ццц абвгц зццццц ся сь смеються ґґґ злл ліст радіст областєц""".split()
LETTERS = "абвгдеиоятсьюіїєґклцмнйуabestngid'ʼ-éﷺ𐐷\u0301’"


def fast(words, language):
    return stemming.listed_stems(SurfaceList.of(words), np.arange(len(words)), language).strings()


@pytest.fixture(params=["C", "Python"])
def way(request, monkeypatch):
    """Both ways to Snowball; the first one only where the functions are exported."""
    if request.param == "Python":
        monkeypatch.setattr(stemming, "_library", lambda: None)
    elif stemming._library() is None:
        pytest.skip("this PyStemmer exports no functions of libstemmer")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("language", OUR_LANGUAGES)
def test_words_worked_by_hand(language):
    assert fast(WORDS, language) == stems(WORDS, language)
    assert fast([], language) == []


def test_on_linux_the_functions_are_exported():
    if sys.platform == "linux":
        assert stemming._library() is not None


# Every ending of the Ukrainian stemmer behind anything.
made_up = st.builds(
    str.__add__, st.text(LETTERS, min_size=1, max_size=12), st.sampled_from(["", *sorted(stemming.ENDINGS)])
)
any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1)
any_words = st.lists(made_up | st.sampled_from(WORDS) | any_text, max_size=20)


@given(any_words, st.sampled_from(OUR_LANGUAGES))
@example(["ʼ" * 40], "en")
@example(["'" * 40, "ʼ'" * 9], "ru")
def test_any_words_have_the_same_stems(words, language):
    assert fast(words, language) == stems(words, language)


@given(st.lists(made_up, min_size=1, max_size=9), st.data())
def test_some_of_the_words_in_any_order(words, data):
    numbers = np.array(data.draw(st.lists(st.integers(0, len(words) - 1))), dtype=np.int64)
    found = stemming.listed_stems(SurfaceList.of(words), numbers, "en").strings()
    assert found == stems([words[number] for number in numbers], "en")


def test_threads_do_not_meet():
    words = [f"{word}{'абвг'[n % 4]}ами" for n in range(500) for word in WORDS]
    expected = stems(words, "ru")
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(lambda _: fast(words, "ru"), range(8)))


@pytest.mark.skipif(stemming._library() is None, reason="this PyStemmer exports no functions of libstemmer")
def test_another_process_has_other_addresses():
    program = (
        "from infostream_dedup.language.morphology.stemming import listed_stems\n"
        "from infostream_dedup.language.text.surface_pool import SurfaceList\n"
        "import numpy as np\n"
        "words = SurfaceList.of(['правительствами'])\n"
        "print(listed_stems(words, np.arange(1), 'ru')[0])\n"
    )
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    assert found.stdout.decode().split() == ["правительств"]


@pytest.mark.parametrize("language", ["ru", "en"])
def test_stems_are_the_same_without_the_compiled_stemmer(language):
    """``snowballstemmer`` has the algorithms in Python for where PyStemmer is not installed."""
    words = {"ru": ["премьер-министрами", "ёлочки", "бежавшего"], "en": ["running", "trumpʼs", "skis"]}[language]
    code = (
        "import sys; sys.modules['Stemmer'] = None\n"
        "from infostream_dedup.language.morphology.stemming import stems\n"
        "from infostream_dedup.language.morphology.stemming import _library\n"
        f"print(stems({words!r}, {language!r}), _library())"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == f"{stems(words, language)} None"
