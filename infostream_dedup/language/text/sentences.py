"""Find the spans of the sentences in a raw text, by small rules applied in order.

The idea of one tiny named rule per situation, listed once, is from razdel (A. Kukushkin,
https://github.com/natasha/razdel); rules and lists are our own. There is not always one right answer (after "в 2014 г."
a capital may continue or start a sentence); the rules choose the likelier one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

# A stop, closing characters and a blank; a stop left between two Cyrillic words by bad scraping; a line break.
# Lookbehinds and possessive repeats keep a megabyte of dots or blanks linear.
_PLACE: Final = re.compile(
    "(?<![.!?…])([.!?…]++)([\"»”“’'›)\\]}]*+)(\\s++)|(?<=[а-яёіїєґ]{2})([.!?…]++)(?=[А-ЯЁІЇЄҐ][а-яёіїєґ])|(\\n\\s*+)"
)
_SKIPPED: Final = "\"«„“”‘'‹([{—–- \u00a0\t"  # characters that may be between a stop and the first letter after it
_GOES_ON: Final = ",;:.!?…%)]}»"
_WORD: Final = re.compile("[^\\W_]+")
_LIST_NUMBER: Final = re.compile("[0-9]{1,2}(?:\\.[0-9]{1,2})?\\.")
_LONGEST_ABBREVIATION: Final = 8


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Titles, kinds of places, references: never the last word of a sentence.
_BEFORE_A_NAME: Final = _words(
    # ru: ул. Ленина, им. Горького, проф. Преображенский, см. Приложение
    "ул им пр просп пер пл наб ш бул бульв пос дер ст д кв корп стр оф г гор с т тов гр проф акад доц ген подполк "
    "кап лейт серж св о прп см ср напр рис табл гл ред сост пер изд зам пом нач гос мин "
    # uk: вул. Хрещатик, м. Київ, смт. Буча, ім. Шевченка, див. Додаток
    "вул пров м смт ім академ див пор мал заст нач кер упоряд перекл "
    # en: Mr. Smith, Gen. Milley, St. Petersburg, vs. Real
    "mr mrs ms dr prof st gen sen rep gov lt col capt cmdr sgt maj adm rev hon pres ft mt vs cf"
)
# A measure after a number, which may end a sentence: 5 м. Він; elsewhere it may be one of the above: м. Київ.
_MEASURES: Final = _words(
    "г гг р рр м см мм км кг мг т ц л с сек мин хв год ч ст в вв д к кв га р тыс тис млн млрд трлн руб коп грн "
    "долл дол евро чел ос"
)
_THOUSANDS: Final = _words("тыс тис млн млрд трлн")
# Only a number continues the sentence after these: рис. 5, ст. 105, No. 10; "no." alone ends a sentence.
_BEFORE_A_NUMBER: Final = _words(
    "п пп ст ч т кн гл рис табл стр с вип вып абз подп no nos p pp fig vol ch sec art eq тел д буд кв корп оф "
    "янв февр апр авг сент окт нояб дек січ лют квіт трав черв серп жовт груд jan feb apr "
    "jun jul aug sep sept oct nov dec"
)
# Abbreviations of two words: т. е. Москва continues even before a capital, и т. д. does not.
_PAIRS: Final = {
    tuple(pair.split()): ends
    for ends, pairs in ((False, "т е, т к, т н, т зв, т ч, e g, i e"), (True, "т д, т п, н э, н е, с г, и пр"))
    for pair in pairs.split(", ")
}
_ABBREVIATIONS: Final = _BEFORE_A_NAME | _MEASURES | _BEFORE_A_NUMBER | {last for _, last in _PAIRS}
# Words that begin sentences but not names: "план Б. Он", "in the U.S. The".
_STARTERS: Final = _words(
    "Он Она Они Оно Это Эти Этот Эта Но И А В На По Как Мы Вы Я Если Когда Также Однако После Кроме При Для Він "
    "Вона Вони Воно Це Ці Цей Ця Але Та І Й У Як Ми Ви Якщо Коли Також Проте Після Крім Для За З The He She It "
    "They We You This That These Those There But And In On At As If When While After Its His Her Their For "
    "However"
)


@dataclass(slots=True, kw_only=True, eq=False)  # Not frozen: each text has dozens.
class _Place:
    """A position where a sentence may end."""

    text: str  # the whole text
    start: int  # first character of the sentence
    end: int  # position after the last character of the sentence, if it ends here
    mark: str  # the stop; empty at a bare line break
    closing: str  # closing quotes and brackets after the mark
    gap: str  # white space before the next character; empty if words were glued
    right: int  # first character of the next sentence, if this one ends here

    @property
    def next_letter(self) -> str:
        """The first character after quotes, brackets and dashes; empty at the end."""
        at = self.right
        while at < len(self.text) and self.text[at] in _SKIPPED:
            at += 1
        return self.text[at : at + 1]

    @property
    def next_word(self) -> str:
        """The word that follows immediately, with its full stop if any; empty if no word follows."""
        found = _WORD.match(self.text, self.right)
        if not found:
            return ""
        return self.text[self.right : found.end() + (self.text[found.end() : found.end() + 1] == ".")]

    @property
    def left_start(self) -> int:
        """Start of the word before the mark."""
        end = self.end - len(self.closing) - len(self.mark)
        at = end
        while at > self.start and end - at <= _LONGEST_ABBREVIATION and self.text[at - 1].isalnum():
            at -= 1
        return at

    @property
    def left(self) -> str:
        """The word before the mark, or its last nine characters."""
        return self.text[self.left_start : self.end - len(self.closing) - len(self.mark)]

    @property
    def before(self) -> str:
        """The last 12 characters before that word in the sentence, without blanks at the end."""
        at = self.left_start
        return self.text[max(self.start, at - 12) : at].rstrip()


_Rule = Callable[[_Place], bool | None]
"""``True``: the sentence ends here; ``False``: it continues; ``None``: ask the next rule."""


def line_break(place: _Place) -> bool | None:
    """Заголовок|Первая фраза; but a line that was only wrapped continues: первая часть⏎и вторая."""
    if "\n" not in place.gap:
        return None
    if place.gap.count("\n") > 1:
        return True
    following = place.text[place.right : place.right + 2]
    return not following[:1].islower() or following[1:] in (")", ".")


def small_letter(place: _Place) -> bool | None:
    """Стой! — крикнул он; 5 тыс. человек; Yahoo! said; but: ...пять. iPhone вышел."""
    if not place.next_letter.islower():
        return None
    return len(place.next_word) > 1 and place.next_word[1].isupper()


def punctuation(place: _Place) -> bool | None:
    """«Где?», «Когда?» , «Что?» : a comma or similar mark never begins a sentence."""
    return False if place.text[place.right] in _GOES_ON else None


def doubt_in_brackets(place: _Place) -> bool | None:
    """Иван (?) Петров, победа (!) Спартака."""
    return False if place.closing[:1] in (")", "]") and not place.left and place.before.endswith(("(", "[")) else None


def not_a_full_stop(place: _Place) -> bool | None:
    """Да?| Нет!| Ну…| Вот «так.»| The rules below concern full stops without closing characters."""
    return None if place.mark == "." and not place.closing else True


def list_number(place: _Place) -> bool | None:
    """1. Первое; 2.1. Второе: a number at the very beginning of a sentence."""
    return False if _LIST_NUMBER.fullmatch(place.text, place.start, place.end) else None


def other_word(place: _Place) -> bool | None:
    """Он ушёл.| Ждём: the usual case, a word of two or more letters that is in no list of abbreviations below."""
    left = place.left
    return True if len(left) > 1 and left.isalpha() and left.lower() not in _ABBREVIATIONS else None


def initial(place: _Place) -> bool | None:
    """А. С. Пушкин, J. K. Rowling, U.S. Senate; but: план Б.| Он, the U.S.| The."""
    return None if len(place.left) != 1 or not place.left.isupper() else place.next_word in _STARTERS


def pair(place: _Place) -> bool | None:
    """т. е. Москва, т. зв. ДНР, e.g. London; but: и т. д.| Потом."""
    return _PAIRS.get((_last_word(place.before.removesuffix(".")).lower(), place.left.lower()))


def measure(place: _Place) -> bool | None:
    """в 2014 г.| Потом, 5 м.| Він, XX ст.| Тоді; but: 3 тыс. 500 руб., 375 дол. США."""
    count = _last_word(place.before.removesuffix("."))
    is_number = count.isdigit() or (count != "" and not count.strip("IVXLCІХ"))  # Arabic or Roman
    if place.left.lower() not in _MEASURES or not (is_number or count.lower() in _THOUSANDS):
        return None
    return not place.next_letter.isdigit() and place.next_word.removesuffix(".") != "США"


def number_follows(place: _Place) -> bool | None:
    """ст. 105, рис. 2, No. 10, 3 млн. 200 тыс., Nov. 6."""
    left = place.left.lower()
    return False if (left in _BEFORE_A_NUMBER or left in _MEASURES) and place.next_letter.isdigit() else None


def before_a_name(place: _Place) -> bool | None:
    """ул. Ленина, м. Київ, Mr. Smith; but: спасибо им.| Это, 15 м/с.| Завтра, пишет FT.| Затем."""
    left = place.left
    if left.lower() not in _BEFORE_A_NAME or left[1:].isupper() or place.before.endswith("/"):
        return None
    return place.next_word in _STARTERS


RULES: Final[tuple[_Rule, ...]] = (
    line_break, small_letter, punctuation, doubt_in_brackets, not_a_full_stop, other_word, list_number, initial,
    pair, measure, number_follows, before_a_name,
)  # fmt: skip
"""Applied in this order; if no rule decides, the sentence ends."""


class Decision(NamedTuple):
    """The decision about one position where a sentence might end."""

    end: int  # the position, in code points
    next_start: int  # start of the next sentence, if there is one
    ends: bool  # whether the sentence ends here
    rule: str  # name of the rule that decided; `default` if none did


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the span of each sentence of a raw text.

    A line break ends a sentence, except before a small letter, where the line was only wrapped.

    >>> text = "Приехал А. С. Пушкин. Все рады!"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Приехал А. С. Пушкин.', 'Все рады!']
    """
    return list(sentence_spans(text))


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield what ``sentences`` returns."""
    start = len(text) - len(text.lstrip())
    for decision in decisions(text):
        if decision.ends:
            yield start, decision.end
            start = decision.next_start
    end = len(text.rstrip())
    if start < end:
        yield start, end


_LINE: Final = re.compile("[^\n\r\u2028\u2029]+")
_BREAK: Final = re.compile("\r\n|[\n\r\u2028\u2029]")
_ITEM: Final = re.compile(
    "(?:[0-9]{1,2}[.)]\\s|[-–—]\\s|[^\\w\\s\"«„“‘'(\\[#@$€₴₽№+.…–—-])\\s*"
)  # 1. First; • First; ✅ First
_FEWEST_WORDS: Final = 12
_LONGEST_SECTION: Final = 0.4


def sections(text: str) -> list[tuple[int, int]]:
    """Return the spans of the items of a digest, or of the paragraphs of an article; one span if there are not three.

    Items begin after lines without words (***), with numbers or bullets (which are left out), after empty lines, with
    headings, on each line, or with each sentence: whichever comes first in this list and leaves no item with more than
    two fifths of the text. Those of fewer than 12 words, such as headings, belong to the next one.

    >>> text = "".join(f"{number}) Совет: {'да и нет ' * 4}{chr(10)}" for number in (1, 2, 3))
    >>> [text[start : start + 8] for start, _ in sections(text)]
    ['Совет: д', 'Совет: д', 'Совет: д']
    """
    for units, begins in _cuts(text):
        spans: list[tuple[int, int]] = []
        for (start, end), begin in zip(units, begins, strict=False):
            joins = spans and not (begin and len(text[slice(*spans[-1])].split()) >= _FEWEST_WORDS)
            spans.append((spans.pop()[0] if joins else start, end))
        if spans and len(text[slice(*spans[-1])].split()) < _FEWEST_WORDS:
            spans[-2:] = [(spans[-2:][0][0], spans[-1][1])]
        if len(spans) > 2 and max(end - start for start, end in spans) <= _LONGEST_SECTION * len(text):
            marks = [_ITEM.match(text, *span) for span in spans]
            return [(mark.end() if mark else start, end) for mark, (start, end) in zip(marks, spans, strict=True)]
    return [(0, len(text))]


def _cuts(text: str) -> Iterator[tuple[list[tuple[int, int]], list[bool]]]:
    """Yield lines or sentences, and which of them begin a section, for each way to cut a text."""
    lines = [
        (line.end() - len(line[0].lstrip()), line.start() + len(line[0].rstrip()))
        for line in _LINE.finditer(text)
        if _WORD.search(line[0])
    ]
    between = [text[end:start] for (_, end), (start, _) in pairwise(lines)]
    yield lines, [True, *(bool(one.strip()) for one in between)]
    yield lines, [True, *(_ITEM.match(text, start) is not None for start, _ in lines[1:])]
    yield lines, [True, *(len(_BREAK.findall(one)) > 1 for one in between)]
    short = [len(text[start:end].split()) < _FEWEST_WORDS and text[end - 1].isalnum() for start, end in lines]
    yield lines, [True, *short[1:]]
    yield lines, [True] * len(lines)
    yield (found := sentences(text)), [True] * len(found)


def decisions(text: str) -> Iterator[Decision]:
    """Return every position where a sentence might end, with the rule that decided, to explain how a text was split."""
    start = len(text) - len(text.lstrip())
    for found in _PLACE.finditer(text, start):
        place = _place(text, start, found)
        if place.right == len(text):
            return
        ends, rule = _decided(place)
        yield Decision(place.end, place.right, ends, rule)
        if ends:
            start = place.right


def _decided(place: _Place) -> tuple[bool, str]:
    for rule in RULES:
        ends = rule(place)
        if ends is not None:
            return ends, rule.__name__
    return True, "default"


def _place(text: str, start: int, found: re.Match[str]) -> _Place:
    mark, closing, gap, glued, _ = found.groups("")
    if mark:
        return _Place(text=text, start=start, end=found.end(2), mark=mark, closing=closing, gap=gap, right=found.end())
    if glued:
        return _Place(text=text, start=start, end=found.end(), mark=glued, closing="", gap="", right=found.end())
    end = found.start()
    while end > start and text[end - 1].isspace():
        end -= 1
    return _Place(text=text, start=start, end=end, mark="", closing="", gap=found[0], right=found.end())


def _last_word(text: str) -> str:
    """Return the last run of letters and digits of a short text, if the text ends in it."""
    at = len(text)
    while at and text[at - 1].isalnum():
        at -= 1
    return text[at:]
