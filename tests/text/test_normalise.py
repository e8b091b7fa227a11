import re
import time
import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.language.lexicon.tables import key_form
from infostream_dedup.language.text import fingerprint, normalise
from infostream_dedup.language.text.character_classes import COMMON
from infostream_dedup.language.text.fingerprint import text_hash, text_hashes
from infostream_dedup.language.text.kernels.scanning import ALWAYS_VISIBLE
from infostream_dedup.language.text.normalise import _EMAIL, APOSTROPHES, URL, clean, fold, in_place
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.language.text.tokens import forms, surfaces

CLEANED = {
    "composed": ("и\u0306од, е\u0308ж, і\u0308жак", "йод, ёж, їжак"),
    "stress": ("за\u0301мок, ма\u0300ма, ї\u0301жа, ё\u0301лка", "замок, мама, їжа, ёлка"),
    "stress written before the other mark": ("и\u0301\u0306од", "йод"),
    "stress composed into a letter of another language": ("в\u0450щи, з\u045dма, \u0400ва", "вещи, зима, Ева"),
    "and that of consonants": ("г\u0301а, к\u0301а", "га, ка"),
    "two apostrophes": ("п''ять", "пʼять"),
    "Latin letters keep their marks": ("cafe\u0301, Čapek", "café, Čapek"),
    "marks no letter has": ("ж\u0336а\u0336, z\u0301\u0335", "жа, ź"),
    "soft hyphen, zero width, bidi, BOM": ("\ufeffпе\u00adре\u200bнос\u202e \u2066ok\u2069", "перенос ok"),
    "apostrophes": ("п'ять п’ять п`ять п´ять п‘ять п\u2032ять", "пʼять пʼять пʼять пʼять пʼять пʼять"),
    "apostrophes that are quotes stay": ("rock 'n' roll, 'слово'", "rock 'n' roll, 'слово'"),
    "English short forms": ("don't, Trump’s", "donʼt, Trumpʼs"),
    "torn by machine translation": ("П 'ять, п ' ять, об ’єкт, комп 'ютер", "Пʼять, пʼять, обʼєкт, компʼютер"),
    "a name in single quotes is not torn": ("директоров 'Яндекса'", "директоров 'Яндекса'"),
    "double quote for an apostrophe": ('з"явився, завод "Юність"', 'зʼявився, завод "Юність"'),
    "entity for an apostrophe": ("об&#39;єкт, об&rsquo;єкт, об&amp;#039;єкт", "обʼєкт, обʼєкт, обʼєкт"),
    "unknown token for an apostrophe": ("пам<unk>ять", "памʼять"),
    "references to letters": ("caf&eacute; &#1055;ри&shy;каз №&#52;", "café Приказ №4"),
    "tags inside words": ("<b>М</b>эр от<wbr>крыл<br>мост", "Мэр открыл мост"),
    "hyphens at line ends": ("от-\nкрыл юго-\r\nвосток\n- дом", "открыл юговосток\n- дом"),
    "entities": ("дом&nbsp;мой &quot;да&quot; AT&T", "дом мой  да  AT&T"),
    "placeholders": ("<unk>, %s, {0}, ${name}, %(count)d, 5% стало", " ,  ,  ,  ,  , 5% стало"),
    "tags": ("<br/>дом</p> a < b > c", " дом  a < b > c"),
    "tags with attributes": (
        '<p class="lead">Мэр <a href=https://example.org/a?b=1 title=\'a > b\'>открыл</a>\n<img alt="М" />мост',
        " Мэр открыл\n мост",
    ),
    "comments, scripts and style sheets": (
        '<!-- wp:b {"id":1} --><p>Мэр</p><!-- /wp:b --><Script async>let a = "<b>";</script >мост<style>p {}</style>',
        "  Мэр   мост ",
    ),
    "an address at the end of a comment": ("<!-- https://example.org/--> мост <!-- да -->", "  мост  "),
    "a comment and a script without an end": ("да <!-- мост <script>дом --!>", "да <!-- мост  дом --!>"),
    "a script with a long s": ("<!-- --><\u017fcript>мост", " <\u017fcript>мост"),
    "a comment in a script": ("<script><!-- </script>мост -->", " мост -->"),
    "declarations": ("<!DOCTYPE html><?xml version='1.0'?><![CDATA[мост]]> <!дом>", "   мост]]> <!дом>"),
    "names that begin so": ("<scripts>мост</scripts> <styled>дом</styled>", " мост   дом "),
    "no tags": ("if x<y and z>=3, <b and c> d, <a = b>", "if x<y and z>=3, <b and c> d, <a = b>"),
    "addresses": ("см. https://example.org/a?b=1. И www.example.org, a.b@example.org!", "см.  . И  ,  !"),
    "an address ends where Cyrillic begins": ("https://example.org/xПодробнее", " Подробнее"),
    "hyphens": ("премьер\u2011министр из\u2010за", "премьер-министр из-за"),
    "line breaks stay": ("раз\r\nдва\n\nтри", "раз\r\nдва\n\nтри"),
}


def test_clean() -> None:
    for raw, cleaned in CLEANED.values():
        assert clean(raw) == cleaned


def test_in_place_words_keep_their_places() -> None:
    for raw, cleaned in CLEANED.values():
        assert len(in_place(raw)) == len(raw)
        assert clean(in_place(raw)) == cleaned


FOLDED = {
    "Пётр": "петр", "Cрочно": "срочно", "CША": "сша", "Mолдова": "молдова", "вoйна": "война", "Украiна": "украіна",
    "Mоldоva": "moldova", "Тelegram": "telegram", "СNA": "cna", "IT-компания": "it-компания",
    "cоциально-пoлитический": "социально-политический", "ПоданнымBloomberg": "поданнымbloomberg", "ВВС": "ввс",
    "MOCKBA": "mockba", "ТУ154М": "ту154м", "Straße": "strasse", "ﬁnance": "finance", "ＡＢＣ": "abc", "İzmir": "izmir",
    "Їжак": "їжак", "Ґанок": "ґанок",
}  # fmt: skip


def test_fold() -> None:
    for word, folded in FOLDED.items():
        assert fold(word) == folded


LOOK_ALIKES = str.maketrans("АВЕКМНОРСТХаеорсхуі", "ABEKMHOPCTXaeopcxyi")
LETTERS_AND_SIGNS = "аяиеіїйюЄП пвбсaeowmhst159.,:;!?&<>%{}@#/$()'\"-\n\r\u0450\u00a0" + APOSTROPHES
MARKS = "\u0301\u0300\u0306\u0308\u0336\u0654\u00ad\u200b\u200d\ufeff"
JUNK = ("&amp;", "&#39;", "&nbsp;", "<unk>", "www.", "http://", "%s", "{0}", "x@y.z")
PIECES = st.sampled_from([*LETTERS_AND_SIGNS, *MARKS, *JUNK])
WILD_TEXT = st.lists(PIECES, max_size=40).map("".join) | st.text()
WORD = st.text("абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ", min_size=3, max_size=12)


@given(WILD_TEXT)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once


@given(st.text("aZ9@._%+- ё\n", max_size=30))
def test_addresses_are_those_that_a_search_for_the_pattern_finds(text: str) -> None:
    assert normalise._without_addresses(text) == _EMAIL.sub(" ", text)


@given(WILD_TEXT)
def test_usual_texts_need_no_second_look(text: str) -> None:
    usual = normalise._UNUSUAL.sub("", text)
    composed = unicodedata.normalize("NFC", usual)
    assert normalise._marks(composed) == composed == usual


@given(WILD_TEXT | st.text("аёЙz \u0450\u0301\u0306\u0338\u200b\ufe0f\u00ad\u2adc\u0958\ufb1d", max_size=12))
def test_texts_without_marks_need_no_further_steps(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        quick = normalise._marks(text)
        patch.setattr(normalise, "_MARKED", re.compile(""))
        assert normalise._marks(text) == quick


@given(WILD_TEXT)
def test_clean_does_not_see_how_letters_are_composed(text: str) -> None:
    assert clean(unicodedata.normalize("NFD", text)) == clean(text)


@given(st.lists(WORD, min_size=1, max_size=6), st.data())
def test_what_nobody_sees_changes_no_form(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    at = data.draw(st.integers(1, len(text)))
    invisible = data.draw(st.sampled_from("\u00ad\u200b\u200c\u200d\u200e\u2060\ufeff\u0301\u0300"))
    if text[at - 1] == " " and invisible in "\u0300\u0301":
        at -= 1
    assert all_forms(text[:at] + invisible + text[at:]) == all_forms(text)


@given(st.lists(WORD, min_size=1, max_size=6), st.integers(min_value=0))
def test_look_alikes_change_no_form(words: list[str], pick: int) -> None:
    """One letter of each word is replaced by its Latin look-alike, if another Cyrillic letter stays to tell."""
    swapped = []
    for word in words:
        at = pick % len(word)
        rest = word[:at] + word[at + 1 :]
        telling = rest.translate(LOOK_ALIKES) != rest or any(letter not in "bhkmt" for letter in rest)
        swapped.append(word[:at] + word[at].translate(LOOK_ALIKES) + word[at + 1 :] if telling else word)
    assert all_forms(" ".join(swapped)) == all_forms(" ".join(words))


@given(st.text())
def test_fold_is_stable(word: str) -> None:
    once = fold(word)
    assert fold(once) == once


@given(WORD)
def test_fold_agrees_with_the_key_form_of_the_lexicon(word: str) -> None:
    assert fold(word) == key_form(word)
    assert fold(word.upper()) == key_form(word)


def test_other_scripts_pass_through() -> None:
    hindi_arabic_chinese = unicodedata.normalize("NFC", "नमस्ते مَرْحَبًا 你好")
    assert clean(hindi_arabic_chinese) == hindi_arabic_chinese


def test_a_megabyte_of_one_thing_takes_no_longer_than_text() -> None:
    for junk in [".", " ", "'", "&", "<", "%", "{", "@", "a", "www.", "://", "\u0301", " '", "a."]:
        text = "о" + junk * (1_000_000 // len(junk)) + "@://www."
        begun = time.perf_counter()
        clean(text)
        assert time.perf_counter() - begun < 10


def all_forms(text: str) -> list[str]:
    return [form.form for surface in surfaces(clean(text)) for form in forms(surface)]


@given(
    st.text(st.sampled_from("hHtTpPsSwWfF:/.a1№ж \n-"), max_size=40),
    st.sampled_from(["", "http://a.b", "wWw.a", "FTP://x"]),
)
def test_addresses_are_those_of_the_pattern_without_case(text: str, address: str) -> None:
    plain = re.compile("(?:(?:https?|ftp)://|www\\.)[!#-;=?-~]*[A-Za-z0-9/#=_-]", re.IGNORECASE | re.ASCII)
    assert URL.findall(f"{text}{address}") == plain.findall(f"{text}{address}")


@given(st.text(st.sampled_from("АяЁёЄєІіЇїҐґйЙ-"), min_size=1, max_size=12))
def test_words_of_common_letters_need_no_repair(word: str) -> None:
    word = unicodedata.normalize("NFC", word)
    # A letter of another alphabet beside them takes the way with every repair.
    assert fold(f"{word}Ѓ") == f"{fold(word)}ѓ"


PARTS = [
    "слово", "word", " ", "  ", "\n", "\r\n", "\t", "\x1c", "\x85", "\u00a0", "\u2000", "\u2003", "\u2028", "\u202f",
    "\u205f", "\u3000", "\u200b", "\ufeff", "и\u0306", "й", "e\u0301", "\u212b", "한", "\u1112\u1161", "😀\ufe0f", "中",
    "\ud800", "\ufffd", "«", "—", "№", "\x00",
]  # fmt: skip


def at_once(bodies: list[str], heading: str = "") -> list[bytes]:
    texts = texts_of([heading + body for body in bodies])
    return text_hashes(bodies.__getitem__, texts, texts.offsets[:-1] + len(heading.encode()))


# The first call compiles.
@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=10).map("".join), max_size=4), st.sampled_from(["", " Нет "]))
@example(["", "   ", " a  b ", "a b", "a\u0301 b"], "x ")
def test_many_as_each(bodies: list[str], heading: str) -> None:
    assert at_once(bodies, heading) == [text_hash(body) for body in bodies]


@given(st.lists(st.text(max_size=20), max_size=3))
def test_any_text(bodies: list[str]) -> None:
    assert at_once(bodies) == [text_hash(body) for body in bodies]


def test_every_character_between_words() -> None:
    points = np.array([*COMMON, *range(0x3000, 0x20000, 5)])
    bodies = [f" е{one}{one} {one} " for one in map(chr, points.tolist())]
    assert at_once(bodies) == [text_hash(body) for body in bodies]


def test_what_is_taken_without_a_look_is_visible() -> None:
    for begin, end in ALWAYS_VISIBLE:
        together = "".join(map(chr, range(begin, end)))
        assert together.split() == [together]
        assert unicodedata.is_normalized("NFC", "а" + together)
        assert not any(map(unicodedata.combining, together))


def test_white_space_at_every_place_of_long_texts() -> None:
    for length in [1, 31, 63, 64, 65, 127, 128, 129, 200]:
        text = ("слово word, " * 20)[:length]
        bodies = [text[:at] + gap + text[at:] for at in range(length + 1) for gap in (" ", "  ", "\n", " \u2003 ")]
        assert at_once(bodies) == [text_hash(body) for body in bodies]


def test_white_space_and_composition_change_nothing() -> None:
    composed, other = "Мэр  открыл\nМост — вчера", unicodedata.normalize("NFD", " Мэр открыл Мост — вчера\u00a0")
    assert text_hash(composed) == text_hash(other)
    assert at_once([composed, other, " \n"]) == [text_hash(composed), text_hash(composed), b""]


def test_blocks_give_what_one_block_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = ["раз  два", "", "три\u0301", "четыре пять шесть", " ", "семь"]
    whole = at_once(bodies, "Заголовок")
    monkeypatch.setattr(fingerprint, "_BLOCK_BYTES", 30)
    assert at_once(bodies, "Заголовок") == whole == [text_hash(body) for body in bodies]
