"""Words with which the lead of a news item tells that something happened, that somebody spoke of it, or an alert."""

from __future__ import annotations

import re
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


_RUSSIAN_ALERTS: Final = (
    "тревог отбой угроз опасност предупрежд шторм ураган смерч порыв ветер ветра гроз ливен метел снегопад",
    "гололед туман жар заморозк паводк наводнен подтоплен лавин землетряс цунами пожароопасн эвакуац укрыти сирен",
    "беспилотн бпла дрон ракет обстрел перекрыт перекрыв закрыт закрыв ограничен приостанов затрудн пробк сбой",
    "сбоя задерж отключ аварийн",
)
_UKRAINIAN_ALERTS: Final = (
    "тривог відбі загроз небезпек попередж буревій пориви вітер вітру злив хуртов снігопад ожелед спек повін",
    "підтоплен землетрус евакуац укритт безпілотн перекрит перекрив закрит закрив обмежен призупин утрудн ускладн",
    "затор збій збою затрим відключ аварійн",
)
_ENGLISH_ALERTS: Final = (
    "alert alarm siren all-clear warning warned storm hurricane tornado gust wind gale thunder blizzard snowfall",
    "icy fog heatwave frost flood avalanche earthquake tsunami wildfire evacuat shelter drone missile shelling",
    "threat danger closed closure blocked suspended restricted congest delay disrupt outage blackout",
)
_ALERT: Final = re.compile(
    rf"(?<!\w)(?:{'|'.join(' '.join((*_RUSSIAN_ALERTS, *_UKRAINIAN_ALERTS, *_ENGLISH_ALERTS)).split())})"
)


def warns(text: str) -> bool:
    """Whether a text has a word that announces what may return any day: an alarm, weather, a closure."""
    return _ALERT.search(text.lower().replace("ё", "е")) is not None


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
