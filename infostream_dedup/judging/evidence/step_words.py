"""Words with which the lead of a news item tells that something happened, or that somebody said something about it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.characters import alphabet, word_hash
from infostream_dedup.judging.evidence.constants import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


_RUSSIAN_STEPS: Final = (
    "задержан арестован обвинён обыск приговор осуждён оправдан освободили отпустили обжаловал депортировали выслали",
    "оштрафовали конфисковали возбуждено отменили отклонили отказали одобрили приняли подписал проголосовали признали",
    "запретили разрешили отозвали приостановили возобновили продлили продолжили перенесли отложили ввели распустили",
    "избрали назначен уволен отставка покинул выдвинули зарегистрировали исключили сняли выиграл вернулся прибыл",
    "прилетел доставили эвакуировали вывезли направили стартовал завершился открыли закрыли запустили прекратили",
    "погибли умер умерла скончался выросло увеличилось снизилось подорожал подешевел нашли обнаружили потушили",
    "получили подали выдали снова вновь повторно",
)
_UKRAINIAN_STEPS: Final = (
    "затримано арештовано звинувачено обшук вирок звільнили відпустили оштрафували скасували відхилили відмовили",
    "затвердили схвалили прийняли підписав проголосували призупинили відновили продовжили обрали призначено",
    "зареєстрували виключили виграв повернувся прибув евакуювали доставили завершився відкрили закрили запустили",
    "припинили загинули помер померла збільшилося знизилося знайшли отримали знову вдруге",
)
_ENGLISH_STEPS: Final = (
    "arrested charged sentenced convicted acquitted released cancelled rejected refused approved adopted signed voted",
    "suspended resumed postponed appointed dismissed resigned nominated returned arrived evacuated started ended",
    "opened launched killed died found",
)
_SPEECH: Final = (
    "заявил сказал прокомментировал комментарий считает отреагировал высказался рассказал отметил подчеркнул",
    "критикует призвал осудил назвал объяснил пояснил мнение",
    "заявив сказав прокоментував коментар вважає відреагував висловився розповів зазначив наголосив критикує закликав",
    "назвав пояснив думка",
    "said says told commented reacted stressed criticised urged condemned explained opinion",
)

STEP_WORDS: Final = tuple(" ".join((*_RUSSIAN_STEPS, *_UKRAINIAN_STEPS, *_ENGLISH_STEPS)).split())
"""Courts and police, decisions, posts, arrivals, beginnings and ends, changed numbers, finds, "again".

Records keep only beginnings of words, so a word is left out if most words of news that begin alike mean something
else, as "начался" for "начальник" or "передали" for "перед"."""

SPEECH_WORDS: Final = tuple(" ".join(_SPEECH).split())
"""Statements, comments and reactions, chosen alike."""


@cache
def step_beginnings() -> NDArray[np.uint32]:
    """uint32, ascending: beginnings of ``STEP_WORDS`` as leads keep them."""
    return _beginnings(STEP_WORDS)


@cache
def speech_beginnings() -> NDArray[np.uint32]:
    """uint32, ascending: beginnings of ``SPEECH_WORDS`` as leads keep them."""
    return _beginnings(SPEECH_WORDS)


def _beginnings(words: Iterable[str]) -> NDArray[np.uint32]:
    folded = alphabet().folded
    starts = ("".join(chr(int(folded[ord(letter)])) for letter in word[:PREFIX]) for word in words)
    return np.array(sorted({word_hash(start) >> 32 for start in starts}), dtype=np.uint32)
