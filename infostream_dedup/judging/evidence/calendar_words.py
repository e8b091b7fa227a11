"""Words that date or number a text in Russian, Ukrainian and English, as the reader folds them."""

from __future__ import annotations

from typing import Final

ENGLISH_MONTH: Final = 16
"""Added to the number of a month whose name may come before the day (April 17)."""

_MONTHS: Final = (
    ("январь января январе янв січень січня січні", "january jan"),
    ("февраль февраля феврале фев лютий лютого лютому", "february feb"),
    ("март марта марте мар березень березня березні", "march mar"),
    ("апрель апреля апреле апр квітень квітня квітні", "april apr"),
    ("май мая мае травень травня травні", "may"),
    ("июнь июня июне июн червень червня червні", "june jun"),
    ("июль июля июле июл липень липня липні", "july jul"),
    ("август августа августе авг серпень серпня серпні", "august aug"),
    ("сентябрь сентября сентябре сен вересень вересня вересні", "september sep sept"),
    ("октябрь октября октябре окт жовтень жовтня жовтні", "october oct"),
    ("ноябрь ноября ноябре ноя листопад листопада листопаді", "november nov"),
    ("декабрь декабря декабре дек грудень грудня грудні", "december dec"),
)
_DAYS: Final = (
    "понедельник понедельника понедельнику вторник вторника вторнику среда среды среду среде четверг четверга четвергу "
    "пятница пятницы пятницу пятнице суббота субботы субботу субботе воскресенье воскресенья воскресенью "
    "понеділок понеділка вівторок вівторка середа середи середу четвер четверга п'ятниця п'ятниці п'ятницю "
    "субота суботи суботу неділя неділі неділю "
    "monday tuesday wednesday thursday friday saturday sunday "
    "сегодня завтра вчера сьогодні завтра вчора today tomorrow yesterday год года году року рік year"
)

_RUSSIAN_ORDINALS: Final = (
    "перв втор четверт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат четырнадцат пятнадцат "
    "шестнадцат семнадцат восемнадцат девятнадцат двадцат тридцат сороков пятидесят шестидесят семидесят "
    "восьмидесят девяност сот двухсот трехсот"
)
_RUSSIAN_ENDINGS: Final = "ый ой ая ое ого ую ом"
_UKRAINIAN_ORDINALS: Final = (
    "перш друг четверт п'ят шост сьом восьм дев'ят десят одинадцят дванадцят тринадцят чотирнадцят п'ятнадцят "
    "шістнадцят сімнадцят вісімнадцят дев'ятнадцят двадцят тридцят сороков п'ятдесят шістдесят сімдесят "
    "вісімдесят дев'яност сот двохсот трьохсот"
)
_UKRAINIAN_ENDINGS: Final = "ий а е ого у ому"
_OTHER_NUMBERS: Final = (
    "третий третья третье третьего третью третій третя третє третього третю "
    "один одна два две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать двадцать тридцать сорок "
    "пятьдесят шестьдесят семьдесят восемьдесят девяносто сто двести триста "
    "дві чотири п'ять шість сім вісім дев'ять одинадцять дванадцять двадцять тридцять п'ятдесят шістдесят сімдесят "
    "вісімдесят дев'яносто двісті "
    "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty "
    "ninety hundred first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth hundredth"
)


def _inflected(stems: str, endings: str) -> str:
    return " ".join(stem + ending for stem in stems.split() for ending in endings.split())


def _folded(words: str) -> list[str]:
    """Split into words and remove apostrophes and accents."""
    return words.replace("'", "").translate(str.maketrans("ёйї", "еиі")).split()


MONTH_WORDS: Final[dict[str, int]] = {
    word: month + offset
    for month, names in enumerate(_MONTHS, start=1)
    for offset, forms in zip((0, ENGLISH_MONTH), names, strict=True)
    for word in _folded(forms)
}
"""Maps a folded word to the number of its month, 1 to 12, plus ``ENGLISH_MONTH`` for English names."""

DAY_WORDS: Final = frozenset(
    _folded(
        f"{_DAYS} {_OTHER_NUMBERS} {_inflected(_RUSSIAN_ORDINALS, _RUSSIAN_ENDINGS)} "
        f"{_inflected(_UKRAINIAN_ORDINALS, _UKRAINIAN_ENDINGS)}"
    )
)
"""Folded words that may differ between editions of one title: days, numbers, ordinals."""
