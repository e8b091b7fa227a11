"""Golden phrases: ``|`` stands where a sentence ends, ``⏎`` for a line break."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import infostream_dedup
from infostream_dedup.language.text.sentences import _PLACE, RULES, _place, decisions, other_word, sections, sentences

RUSSIAN = """
Он пришёл.|Она ушла.
Он пришёл!|Она ушла?|Да…|Нет...|Ну и ну?!|Вот.
Приехал А. С. Пушкин.|Все рады.
Приехал А.С. Пушкин и В. Путин.
Это план Б.|Он хорош.
Живёт на ул. Ленина, д. 5, кв. 10.|Потом переехал.
Памятник им. Горького и проф. Преображенского.
Спасибо им.|Это важно.
В г. Москве и г. Киеве холодно.
Это было в 2014 г.|Президент подписал указ.
Это было в 2014 г. и позже.
В 1990-х гг.|Потом стало лучше.
В XX в.|Началась война.
Купил яблоки, груши и т. д.|Потом ушёл.
Купил яблоки, груши и т.п.|Потом ушёл.
Столица, т. е. Москва, далеко.
Так называемая т. н. Новая Россия.
Пострадали 5 тыс. человек.
Стоит 3 млн. 200 тыс. рублей.
Долг 375 тыс. дол. США вернули.
Цена 5 руб.|Дешевле нет.
Длина 5 м.|Ширина 3 м.
Скорость 15 м/с.|Температура ноль.
Сотни тыс.|Миллионы.
Статья 105, ч. 2, п. 3 ст. 6 кодекса.
См. Приложение и рис. 2.
См. рис.|Он ниже.
Курс 3.5 и 4,2 рубля.
Сайт example.org.|Он открыт.
— Стой! — крикнул он.
— Иду.|— Куда?|— Домой.
«Стой!» — крикнул он.
«Поехали!» сказал Гагарин.
Он сказал: «Пора. — И встал.»|Все встали.
«Где?», «Когда?», «Как?» — вот вопросы.
Он (Иванов) ушёл.|(Потом вернулся.)|Всё.
Он сказал... , что придёт.
Победа (!) Спартака.|Иван (?) Петров.
1. Первый пункт.|2. Второй пункт.
2.1. Раздел.|Текст.
Дом номер 5.|Улица пуста.
Он родился 01.02.1990.|Умер вчера.
Заголовок⏎|Первая фраза.|Вторая фраза.
Строка длинная и⏎перенесена дальше.|Конец.
Список:⏎|а) первое;⏎|б) второе.
Список:⏎|- первое;⏎|- второе.
Первый абзац⏎⏎|второй абзац.
Пишет агентство.|Агора сообщает.
Пишет агентство.Агора сообщает.
Ждём… и надеемся.
Это Yahoo! и Google.
Вышел телефон.|iPhone подорожал.
Об этом пишет FT.|Затем — BBC.
Премьер РФ.|Президент США.
Это сказал ген. Иванов и акад. Сахаров.
"""
UKRAINIAN = """
Він прийшов.|Вона пішла.
Приїхав Т. Г. Шевченко.|Усі раді.
Живе на вул. Хрещатик, буд. 5.|Потім переїхав.
Мешканці м. Київ та смт. Буча.
Довжина 5 м.|Він пішов.
Університет ім. Шевченка.|Його знають усі.
Це було у 2014 р.|Президент підписав указ.
Це було у 2014 р. та пізніше.
Упродовж 2014–2020 рр.|Потім ні.
У XIX ст.|Почалася війна.
Загинули 5 тис. людей.
Бюджет 3 млрд. грн. схвалили.
Бюджет 3 млрд. грн.|Його схвалили.
Заплатив 375 000 дол. США.
Яблука, груші і т. д.|Потім пішов.
Країни, т. зв. Республіки, далеко.
Див. Додаток 1 і рис. 2.
Ст. 105 кодексу, п. 3.
«Слава!» — вигукнув він.
„Слово.“|Потім інше.
— Іди.|— Куди?
П'ять років.|Об'єкт здано.
Проф. Іваненко та акад. Патон.
Перший рядок і⏎його кінець.|Далі.
Це речник.|Їх багато.
Пишеться так.Їжак пішов.
Це план Б.|Він добрий.
Станом на 5 груд. 2020 року.
"""
ENGLISH = """
He came.|She left.
Mr. Smith met Dr. Jones and Mrs. Brown.
J. K. Rowling wrote it.|J.R.R. Tolkien too.
The U.S. Senate voted.
He lives in the U.S.|The law passed.
He is taller than I.|She is not.
It opened at 5 p.m.|Then it closed.
See e.g. London, i.e. England.
See e.g. this one.
It costs 3.5 dollars.|Not 4.2.
Version 2.6.32 is out.
Gen. Milley and Sen. Warren spoke.
Real vs. Barcelona.|Who won?
It is No. 10.|He said no.|Then he left.
It ends on Nov. 6.|Then we vote.
"Stop!" he cried.
"Stop." "Why?"
He said "stop."|Then he left.
Apple Inc. said so.
Apples, pears, etc.|Then nuts.
St. Petersburg is big.
A line that is⏎wrapped.|The end.
A headline⏎|The text.
Wait...|What?
Wait... what?
Yes!|No?|Maybe.
1. First.|2. Second.
"""


def phrases(table: str) -> list[str]:
    return [line.replace("⏎", "\n") for line in table.strip().splitlines()]


def raw(marked: str) -> str:
    """The phrase without marks; a blank where only a mark stood between two sentences."""
    return marked.replace("\n|", "\n").replace("|", " ")


GLUED = {
    "Пишет агентство.Агора сообщает.": ["Пишет агентство.", "Агора сообщает."],
    "Пишеться так.Їжак пішов.": ["Пишеться так.", "Їжак пішов."],
    "Он сказал: «Пора. — И встал.»|Все встали.": ["Он сказал: «Пора.", "— И встал.»", "Все встали."],
    '"Stop." "Why?"': ['"Stop."', '"Why?"'],
}
"""Phrases whose boundaries the marks cannot show."""


def test_golden() -> None:
    for marked in phrases(RUSSIAN) + phrases(UKRAINIAN) + phrases(ENGLISH):
        text = raw(marked)
        got = [text[start:end] for start, end in sentences(text)]
        expected = GLUED.get(marked) or [part.strip() for part in marked.split("|")]
        why = "\n".join(f"{text[: one.end]} <- {one.rule}" for one in decisions(text))
        assert got == expected, f"\nexpected {' | '.join(expected)}\ngot      {' | '.join(got)}\n{why}"


def test_every_rule_decides_some_phrase() -> None:
    deciding = {
        one.rule
        for table in (RUSSIAN, UKRAINIAN, ENGLISH)
        for marked in phrases(table)
        for one in decisions(raw(marked))
    }
    assert deciding == {rule.__name__ for rule in RULES} | {"default"}


@pytest.mark.parametrize("text", ["", " \n ", "\u200b "])
def test_nothing_to_cut(text: str) -> None:
    assert [text[start:end] for start, end in sentences(text)] == text.split()


@given(st.text(st.sampled_from('аБ1.!?…\n\r "«»()—-,:U') | st.characters(codec="utf-8")))
def test_spans_cover_everything_and_do_not_overlap(text: str) -> None:
    spans = sentences(text)
    assert [position for span in spans for position in span] == sorted(position for span in spans for position in span)
    assert "".join("".join(text[start:end] for start, end in spans).split()) == "".join(text.split())
    for start, end in spans:
        assert text[start:end] == text[start:end].strip() != ""


@pytest.mark.slow
def test_a_megabyte_of_one_thing_takes_no_longer_than_text() -> None:
    for junk in [".", ". ", " ", "\n", '."', "а.", "А. ", "1.", "г. "]:
        text = junk * (1_000_000 // len(junk))
        begun = time.perf_counter()
        sentences(text)
        assert time.perf_counter() - begun < 20


def without(rule, text):
    """Sentences as they were before there was a rule; the plain judge of a rule that only saves time."""
    spans, start = [], len(text) - len(text.lstrip())
    kept = [one for one in RULES if one is not rule]
    for found in _PLACE.finditer(text, start):
        place = _place(text, start, found)
        if place.right == len(text):
            break
        if next((ends for one in kept if (ends := one(place)) is not None), True):
            spans.append((start, place.end))
            start = place.right
    end = len(text.rstrip())
    return [*spans, (start, end)] if start < end else spans


ENDS = ["ул", "им", "зв", "пр", "тыс", "руб", "Mr", "США", "НАТО", "он", "дома", "42", "5", "а", "Б", "G7", "й1", "гр"]


@given(
    st.lists(st.sampled_from([*ENDS, *"т е д п", "Он", "и", "(", "!", "\n"]), max_size=12),
    st.sampled_from(". .. ,".split()),
)
def test_the_rule_for_the_usual_case_changes_no_sentence(words, stop):
    text = " ".join(f"{word}{stop}" if place % 3 else word for place, word in enumerate(words))
    assert sentences(text) == without(other_word, text)


BRIEFS = [
    "Мэр открыл в пятницу новый мост через Днепр длиной в тысячу семьсот сорок метров.",
    "Учёные зоопарка сообщили о рождении леопарда. Малыш весит полтора килограмма, имя ему пока не выбрали.",
    "Пожарные шесть часов тушили склад древесины в промышленной зоне Полтавы. Пострадавших нет, причину выясняют.",
]


@pytest.mark.parametrize("layout", ["/⏎***⏎/⏎", "• /⏎/⏎", "2) /⏎/ ", "/⏎ ⏎/⏎", "Тема⏎/⏎/⏎", "/⏎/ ", "/ / "])
def test_texts_of_several_items_are_cut_at_their_own_borders(layout):
    before, between, inside = layout.replace("⏎", "\n").split("/")
    items = [before.lstrip(" •2)") + brief.replace(". ", "." + inside) for brief in BRIEFS]
    text = between.join(before.rstrip("\nТема") + item for item in items)
    assert [text[start:end] for start, end in sections(text)] == items
    headed = f"Главное за день\n{text}\nДо завтра"
    found = [headed[start:end] for start, end in sections(headed)]
    assert (found[0].split("\n")[0], found[-1].split("\n")[-1]) == ("Главное за день", "До завтра")
    assert sections(items[0]) == [(0, len(items[0]))]


def test_digests_meet_by_their_sections():
    digests = [{"id": "a", "text": "\n".join(BRIEFS)}, {"id": "b", "text": "\n\n".join([*BRIEFS[:0:-1], RUSSIAN[:99]])}]
    spans = {f"a#{start}-{end}" for start, end in sections(digests[0]["text"])}
    for options in ({}, {"by": "wording"}, {"preset": "faithful", "k": 4}):
        found = infostream_dedup.pairs(digests, sections=True, **options)
        assert [row.b.partition("#")[0] for row in found if row.a in spans] == ["b", "b"]
    assert {row.id for row in infostream_dedup.key_terms(digests, sections=True)} >= spans


@given(st.lists(st.sampled_from([*BRIEFS, "\n", "\n\n", "***", "1. ", "— ", "\u2028", " ", "Да."]), max_size=20))
def test_sections_lie_in_order_and_leave_out_no_word(parts):
    text = "".join(parts)
    spans = sections(text)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    kept = "".join(text[start:end] for start, end in spans)
    assert [one for one in kept if one.isalpha()] == [one for one in text if one.isalpha()]
