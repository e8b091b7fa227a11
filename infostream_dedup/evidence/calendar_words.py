"""Words that date a text: months and days of the week in Russian, Ukrainian and English, as the reader folds them."""

from __future__ import annotations

from typing import Final

__all__ = ["DAY_WORDS", "ENGLISH_MONTH", "MONTH_WORDS"]

ENGLISH_MONTH: Final = 16
"""Added to the number of a month whose name may stand before the day (April 17)."""

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


def _folded(words: str) -> list[str]:
    """Words without apostrophes and marks."""
    return words.replace("'", "").translate(str.maketrans("ёйї", "еиі")).split()


MONTH_WORDS: Final[dict[str, int]] = {
    word: month + offset
    for month, names in enumerate(_MONTHS, start=1)
    for offset, forms in zip((0, ENGLISH_MONTH), names, strict=True)
    for word in _folded(forms)
}
"""Folded word to the number of its month, 1 to 12, plus ``ENGLISH_MONTH`` for English ones."""

DAY_WORDS: Final = frozenset(_folded(_DAYS))
"""Folded words that a dated title may change from day to day."""
