import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.text import tokens
from infostream_dedup.language.text.normalise import clean, fold
from infostream_dedup.language.text.tokens import LONGEST_FORM, SENTENCE_MARK, Form, Shape, forms, surfaces

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
