import gzip
import json
import time
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.language.text import scanner, tokens
from infostream_dedup.language.text.language import detect
from infostream_dedup.language.text.normalise import clean, fold
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.language.text.tokens import LONGEST_FORM, SENTENCE_MARK, Form, Shape, forms, surfaces
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language

SURFACES = {
    "start of the text": ("Киев рад", "¶Киев рад"), "after a full stop": ("Да. Киев рад", "¶Да ¶Киев рад"),
    "after other stops": ("Да! Нет? Ну… Вот: Киев", "¶Да ¶Нет ¶Ну ¶Вот ¶Киев"),
    "quotes, brackets, dashes between": ("Да. — «Киев» (рад)", "¶Да ¶Киев рад"),
    "start of a line": ("Киев\n• Пункт\r\nДва", "¶Киев ¶Пункт ¶Два"),
    "inside a sentence": ("Сказал Путин, — «Газпром» рад", "¶Сказал Путин Газпром рад"),
    "a digit says it goes on": ("да. 7 Ноября", "да Ноября"),
    "a small letter needs no mark": ("и т. д. и дом.ру", "и т д и дом ру"),
    "initials do not end sentences": ("рад А. С. Пушкин и J. Rowling", "рад А С Пушкин и J Rowling"),
    "an initial at the start": ("В. Зеленский", "¶В Зеленский"),
    "abbreviations in capitals may": ("из США. Президент", "из США ¶Президент"),
    "hyphens inside": ("премьер-министр -и- кто--то IT-рынок", "премьер-министр и кто то IT-рынок"),
    "apostrophes inside": ("п'ять Д’Артаньян", "пʼять ДʼАртаньян"),
    "digits and underscores cut": ("covid-19, 19-летний, F16x, a_b, 2024", "covid летний F x a b"),
    "Latin with marks": ("да. Čapek, Ärzte", "да ¶Čapek Ärzte"), "other scripts": ("Αθήνα 東京 мир", "¶Αθήνα 東京 мир"),
    "nothing": ("… 12 — !", ""),
}  # fmt: skip


def test_surfaces() -> None:
    for text, expected in SURFACES.values():
        assert " ".join(surfaces(clean(text))) == expected


L, S, C, U = Shape.LOWER, Shape.START, Shape.CAPITAL, Shape.UPPER
FORMS: dict[str, list[tuple[str, Shape]]] = {
    "дом": [("дом", L)], "¶Дом": [("дом", S)], "Дом": [("дом", C)], "США": [("сша", U)], "¶США": [("сша", U)],
    "Ёлка": [("елка", C)], "СМИ-холдинг": [("сми-холдинг", C)], "премьер-министр": [("премьер-министр", L)],
    "Нью-Йорк": [("нью-йорк", C)], "НЬЮ-ЙОРК": [("нью-йорк", U)], "iPhone": [("iphone", L)],
    "YouTube": [("youtube", C)], "ПриватБанк": [("приватбанк", C)], "экс-ТикТок": [("экс-тикток", L)],
    "МолдГРЭС": [("молдгрэс", C)], "пишетАгора": [("пишет", L), ("агора", C)], "отПСРМ": [("от", L), ("псрм", U)],
    "¶УкраиныВладимир": [("украины", S), ("владимир", C)], "пишетАгора-Москва": [("пишет", L), ("агора-москва", C)],
    "ПоданнымBloomberg": [("поданным", C), ("bloomberg", C)], "вFacebook": [("facebook", C)],
    "InstagramиTikTok": [("instagram", C), ("tiktok", C)], "SENSотыскали": [("sens", U), ("отыскали", L)],
    "IT-рынок": [("it-рынок", C)], "Mоldоva": [("moldova", C)], "пʼять": [("пʼять", L)], "ʼслово": [("слово", L)],
    "км²": [("км", L)], "и": [], "Я": [], "½": [], "ʼʼʼ": [], "а" * 40: [("а" * 40, L)], "а" * 41: [], "": [],
}  # fmt: skip


def test_forms() -> None:
    for surface, expected in FORMS.items():
        assert forms(surface) == tuple(Form(form, shape) for form, shape in expected)


@given(st.text())
def test_surfaces_and_forms_take_anything(text: str) -> None:
    for surface in surfaces(clean(text)):
        for form, shape in forms(surface):
            assert 2 <= len(form) <= LONGEST_FORM
            assert fold(form) == form
            assert isinstance(shape, Shape)


@given(st.text("абвАБВіїёЙab-ʼcABC", min_size=1, max_size=20))
def test_a_form_is_its_own_form(word: str) -> None:
    for form, _ in forms(word):
        assert forms(form) == (Form(form, Shape.LOWER),)


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("नमस्तेمَرْحَبًاйїёАБ.! ")))
def test_composition_changes_no_surface(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert surfaces(clean(composed)) == surfaces(clean(decomposed))


@given(st.text(st.sampled_from("аяБ Я.!?…:\n\r«-1_¶")))
def test_the_mark_is_where_the_definition_puts_it(text: str) -> None:
    assert surfaces(text) == list(slow_surfaces(text))


def slow_surfaces(text: str) -> list[str]:
    found = []
    at = 0
    while at < len(text):
        if not is_letter(text[at]):
            at += 1
            continue
        end = at
        while end < len(text) and (is_letter(text[end]) or (text[end] == "-" and is_letter(text[end + 1 : end + 2]))):
            end += 1
        marked = text[at].isupper() and opens_sentence(text, at)
        found.append((SENTENCE_MARK if marked or text[at - 1 : at] == SENTENCE_MARK else "") + text[at:end])
        at = end
    return found


def opens_sentence(text: str, at: int) -> bool:
    for before in range(at - 1, -1, -1):
        character = text[before]
        if character.isalnum() or character == "_":
            return False
        if character == ".":
            stop_of_initial = text[before - 1 : before].isupper() and not is_word(text[before - 2 : before - 1])
            return not (before and stop_of_initial)
        if character in "!?…:\n\r":
            return True
    return True


def is_letter(character: str) -> bool:
    return character.isalnum() and not character.isdecimal()


def is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


@pytest.mark.slow
def test_a_megabyte_of_one_thing_takes_no_longer_than_text() -> None:
    for junk in [".", ". ", "-", "а-", "ʼ", "А.", ": ", "аА"]:
        text = junk * (1_000_000 // len(junk))
        begun = time.perf_counter()
        for surface in surfaces(text):
            forms(surface)
        assert time.perf_counter() - begun < 20


@given(st.text("аяёђѕјґБЄІabzAZ-ʼàé", max_size=9))
def test_words_that_need_no_cutting_are_recognised(word):
    assert tokens._unglued(word) == "-".join(map(tokens._cut, word.split("-"))).split()


@given(st.text("аяёЁіІїгҐЖabzAZ", min_size=1, max_size=45), st.booleans())
def test_simple_words_have_the_form_and_shape_of_any_word(word: str, opens: bool) -> None:
    if tokens._SIMPLE.fullmatch(word):
        assert tokens._TRIMMED.findall(tokens.fold(word)) == [word.casefold().replace("ё", "е")]
        assert tokens._simple_shape(word, opens=opens) == tokens._shape(word, opens=opens)


glued = st.lists(st.from_regex("[А-ЯЁЇa-zA-Z]?[а-яёї]{0,8}", fullmatch=True), min_size=1, max_size=4)


@given(glued.map("".join), st.booleans())
def test_glued_words_have_the_forms_that_all_steps_find(word: str, opens: bool) -> None:
    if tokens._GLUED.fullmatch(word):
        assert tokens._GLUED_PART.findall(word) == tokens._unglued(word)
        parts = [form.form for part in tokens._unglued(word) for form in forms(part)]
        assert [form.form for form in forms(SENTENCE_MARK * opens + word)] == parts


LEAST_ACCURACY = 0.995
TEXTS: list[tuple[str, Language]] = [
    ("Правительство приняло бюджет на следующий год, сообщила пресс-служба.", "ru"),
    ("Уряд ухвалив бюджет на наступний рік, повідомила пресслужба.", "uk"),
    ("The government adopted the budget for next year.", "en"), ("Он сказал, что это не так", "ru"),
    ("Вона сказала, що це не так", "uk"), ("МОСКВА. ВЫБОРЫ", "ru"), ("КИЇВ. ВИБОРИ", "uk"),
    ("Компания Apple представила iPhone 15 Pro Max и iPad", "ru"),
    ("Компанія Apple показала iPhone 15 Pro Max та iPad", "uk"),
    ("Речник сказав: «Мы не знаем этого», — і додав, що їх немає в області, де її чекали", "uk"),
    ("Спикер сказал: «Слава Україні», — и добавил, что выборы объявят, если будет решение", "ru"), ("та або", "uk"),
    ("но если", "ru"), ("Сложность пожара на 3-й Тверской-Ямской понижена", "ru"),
    ("Лавров прибыл в Рио-де-Жанейро", "ru"), ("Мэр __и__ совет", "ru"),
    ("[Мост закрыт](https://example.org/news/2026/bridge-closed-for-repair) до утра", "ru"),
    ("[Міст зачинено](https://example.org/news/2026/bridge-closed-for-repair) до ранку", "uk"),
    ("The verb «быть» is explained at https://example.org/verbs", "en"), ("https://example.org/news", "en"),
    ("Мост закрыт: t.me/bridge_news_channel_of_the_city/1204 @bridge_news_channel", "ru"),
    ("Міст зачинено: news.example.org/2026/bridge-closed-for-repair", "uk"),
    ("The verb «быть» is explained at example.org/verbs", "en"), ("На фестивале показали фильм про Чечню", "ru"),
    ("Министр допустил размещение комплексов ПРО", "ru"), ("Мэром города избран Билл де Блазио", "ru"),
    ("Расскажи тому самому другу", "ru"), ("Вісь часу. Ось про це й тому ж", "uk"),
    ("Генерала призначили керувати силами — Цензор.НЕТ, підписатися", "uk"),
]  # fmt: skip


def test_detect() -> None:
    for text, language in TEXTS:
        assert detect(text) == language


@pytest.mark.parametrize(
    ("text", "language"), [("", "ru"), ("12:30 — 5 %", "ru"), ("東京", "ru"), ("два", "ru"), ("ok", "en")]
)
def test_without_evidence(text: str, language: Language) -> None:
    assert detect(text) == language


def test_only_the_beginning_counts() -> None:
    assert detect(("The government adopted the budget. " * 200) + "Їжак їв її" * 5000) == "en"


@given(st.text())
def test_any_text_has_a_language_whatever_its_case(text: str) -> None:
    assert detect(text) in OUR_LANGUAGES
    assert detect(text) == detect(text.lower())


@pytest.mark.slow
@pytest.mark.corpus
def test_accuracy_on_documents(corpora: Path) -> None:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for path in sorted(corpora.glob("*.docs.jsonl.gz")):
        with gzip.open(path, "rb") as lines:
            for line in lines:
                document = json.loads(line)
                if language := document.get("lang"):
                    total[language] += 1
                    right[language] += detect(document["text"]) == language
    assert set(total) == set(OUR_LANGUAGES)
    for language in OUR_LANGUAGES:
        assert right[language] >= LEAST_ACCURACY * total[language], language


@pytest.mark.parametrize("mark", ["<p class='article-lead paragraph'>", f"<script>{'let a = window;' * 400}</script>"])
def test_tags_and_scripts_have_no_language(mark):
    assert detect(f"{mark}Уряд України схвалив бюджет") == "uk"
    assert detect(f"{mark}Budget approved") == "en"


LETTERS = "aZkбжЫыЭъЁёІіЇєґҐЄ\u212aİ№ééèЀѐ東𝐀\U0001f44d "


def told(strings):
    return [LANGUAGES[number] for number in scanner.detect(texts_of(strings))]


@given(st.lists(st.text(st.sampled_from(LETTERS) | st.characters(exclude_categories=["Cs"]), max_size=150), max_size=6))
@example(["мост https://example.org/bridge", "https://example.org/bridge", "Rio-де-Жанейро", "3-й и 4-й"])
@example(["\u212a" * 30, "İ" * 50 + "б" * 20, "ы" * 11, "і" * 11, "k" * 21 + "ж" * 10, "k" * 20 + "ж" * 10])
@example(
    [
        "<p class='lead text'>мост", "<script>" + "let a;" * 900 + "</script>міст", "bridge <b>",
        "<!-- bridge -->ї" + "i" * 20,
    ]
)  # fmt: skip
def test_every_text_has_the_language_that_plain_code_finds(strings):
    assert told(strings) == [detect(text) for text in strings]


@pytest.mark.slow
def test_every_character_counts_as_in_the_plain_code():
    """Twenty times each character, beside letters that leave the decision to it."""
    characters = [chr(point) for point in range(0x11000) if not 0xD800 <= point < 0xE000]
    for surroundings in ("k" * 21, "ж" * 20 + "ы" * 8 + "k" * 45, "ж" * 20 + "і" * 12 + "ы" * 5, "k" * 30 + "ж" * 10):
        strings = [surroundings + one * 11 for one in characters]
        assert told(strings) == [detect(text) for text in strings]
