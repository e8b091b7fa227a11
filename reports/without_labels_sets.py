"""Collections whose truth is known, for the page on what can be said without labels: labelled sets and made-up ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Final, Literal

import numpy as np
from frame import documents_file, kin_file, labels_file
from numpy.typing import NDArray

from infostream_dedup import Document, read_documents
from infostream_dedup.lab.census import CountedPairs, in_universe
from infostream_dedup.lab.copy_scores import Links
from infostream_dedup.lab.labels import Label, Truth, both_of, codes_of, kin_by_field, read_kin, read_labels, truth_of
from infostream_dedup.lab.sweep_estimator import Vocabulary, edited

Kind = Literal["corrections", "translations of news", "other translations", "editions", "news", "made up", "forms"]
"""Sets of one kind are left out together when a threshold is chosen for one of them."""

STEPS: Final = range(3, 13)
_SEED: Final = 21
_SOURCES: Final = 40
_MADE_UP_DAYS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueSet:
    """A collection whose truth is known."""

    kind: Kind
    documents: Callable[[], list[Document]]
    labels: Callable[[], list[Label]]
    kin: Path | None = None
    positive: tuple[str, ...] = ("dup",)
    negatives: Literal["family", "closed", "listed"] = "family"

    def truth(self, documents: list[Document]) -> Truth:
        """What is right among the pairs of the documents."""
        known = {one.id for one in documents}
        labels = [one for one in self.labels() if one.a in known and one.b in known]
        kin = read_kin(self.kin) if self.kin is not None else []
        if self.negatives == "family":
            kin += kin_by_field(documents, "submission", "translation")
        languages = [one.lang or "ru" for one in documents]
        closed = self.negatives == "closed"
        return truth_of(documents, languages, labels, kin=kin, positive=self.positive, closed=closed)


def judged(truth: Truth, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int8]:
    """Verdicts on pairs in any order."""
    codes = codes_of(a, b, truth.documents)
    order, found = np.argsort(codes, kind="stable"), np.empty(len(codes), dtype=np.int8)
    found[order] = truth.judge(codes[order])
    return found


def judged_links(
    truth: Truth, links: Links, counted: CountedPairs | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Right and wrong links at each k, and all right pairs; of the counted pairs outside of series only, if given."""
    a, b = np.repeat(np.arange(truth.documents), np.diff(links.indptr)), links.indices.astype(np.int64)
    a, b = a[a < b], b[a < b]
    grades = links.grades_of(a, b)
    kept = grades >= STEPS[0]
    positives = truth.positives
    if counted is not None:
        inside, series = in_universe(counted.universe, a, b)
        kept &= inside & ~series
        inside, series = in_universe(counted.universe, *both_of(positives, truth.documents))
        positives = positives[inside & ~series]
    verdicts, grades = judged(truth, a[kept], b[kept]), grades[kept]
    right, wrong = (
        np.array([((verdicts == one) & (grades >= k)).sum() for k in STEPS], dtype=np.float64) for one in (1, -1)
    )
    return right, wrong, len(positives)


def _of_corpus(
    kind: Kind,
    corpus: str,
    language: str | None = None,
    domains: Callable[[str], bool] = lambda _: True,
    **more: object,
) -> TrueSet:
    def documents() -> list[Document]:
        return [
            one
            for one in read_documents(documents_file(corpus))
            if language in (None, one.lang) and domains(str(one.extra.get("domain") or ""))
        ]

    return TrueSet(
        kind=kind,
        documents=documents,
        labels=lambda: read_labels(labels_file(corpus)),
        kin=kin_file(corpus),
        **more,  # type: ignore[arg-type]
    )


def thinned(whole: TrueSet, every: int, kept: int = 3) -> TrueSet:
    """One rendering of each text, and a few of some: duplicates become rare."""

    def documents() -> list[Document]:
        right = {pair for one in whole.labels() if one.label == "dup" for pair in ((one.a, one.b), (one.b, one.a))}
        chosen: dict[str, list[Document]] = {}
        for one in whole.documents():
            others = chosen.setdefault(str(one.extra.get("family")), [])
            if len(others) < kept and all((one.id, other.id) in right for other in others):
                others.append(one)
        return [
            one
            for number, renderings in enumerate(chosen.values())
            for one in renderings[: 1 if number % every else kept]
        ]

    return replace(whole, documents=documents)


@cache
def _strangers() -> list[Document]:
    """News of which no two have any passage in common, in an order of their own."""
    labelled = {
        one for label in read_labels(labels_file("mdnews")) if label.label != "different" for one in (label.a, label.b)
    }
    found = [one for one in read_documents(documents_file("mdnews")) if one.id not in labelled]
    Random(_SEED).shuffle(found)  # noqa: S311
    return found


def _made_up(news: int, planted: int) -> TrueSet:
    """News without duplicates and edited copies of some, slight to heavy: one text in two is reprinted as it was."""

    @cache
    def made() -> tuple[list[Document], list[Label]]:
        random, first = Random(_SEED), datetime(2026, 1, 1, tzinfo=UTC)  # noqa: S311
        originals = _strangers()[:news]
        vocabulary = Vocabulary(one.text for one in originals[:1000])
        found: list[tuple[datetime, Document]] = []
        labels: list[Label] = []
        families: dict[str, list[str]] = {}
        for number in range(news + planted):
            one = originals[number % news]
            moment = first + timedelta(days=_MADE_UP_DAYS * (number % news) / news, hours=random.random() * 24)
            copy = one
            if number >= news:
                edit = random.choice(("cuts", "additions", "word forms", "all"))
                copy = edited(one, edit, random.choice((0.1, 0.3, 0.5)), vocabulary, random)  # type: ignore[arg-type]
            name = f"{number}"
            labels += [Label(a=other, b=name, label="dup") for other in families.get(one.id, [])]
            families.setdefault(one.id, []).append(name)
            extra = {"id": name, "time": moment, "source": f"source {random.randrange(_SOURCES)}"}
            found.append((moment, replace(copy, **extra, published=moment.isoformat(), extra={})))  # type: ignore[arg-type]
        return [one for _, one in sorted(found, key=lambda pair: pair[0])], labels

    return TrueSet(kind="made up", documents=lambda: made()[0], labels=lambda: made()[1], negatives="closed")


def _of_families(made: Callable[[Random], list[tuple[str, int]]], kind: Kind) -> TrueSet:
    """Texts with the number of what they tell; texts of one number are right."""

    @cache
    def found() -> list[tuple[str, int]]:
        return made(Random(_SEED))  # noqa: S311

    def documents() -> list[Document]:
        return [Document(id=str(place), text=text, lang="ru") for place, (text, _) in enumerate(found())]

    def labels() -> list[Label]:
        families: dict[int, list[str]] = {}
        for place, (_, family) in enumerate(found()):
            families.setdefault(family, []).append(str(place))
        return [Label(a=a, b=b, label="dup") for one in families.values() for a, b in combinations(one, 2)]

    return TrueSet(kind=kind, documents=documents, labels=labels, negatives="closed")


def _rates(random: Random, count: int) -> list[str]:
    """One form, filled in with other numbers each time: no two are the same text."""
    return [
        "Национальный банк сообщает официальный курс на {} число: покупка {},{}, продажа {},{} за единицу, изменение к"
        " предыдущему дню {},{} процента. Наименьшее значение {},{}, наибольшее {},{}, объём торгов {} миллионов. Банки"
        " ожидают завтра спокойных торгов и просят клиентов следить за объявлениями.".format(
            *(random.randrange(10, 99) for _ in range(12))
        )
        for _ in range(count)
    ]


def _filled_in(random: Random) -> list[tuple[str, int]]:
    """Ten forms of 150 words; 12 words of each are names or numbers, others in every document."""
    names = sorted({word for one in _strangers()[:600] for word in one.text.split() if word[:1].isupper()})
    found: list[tuple[str, int]] = []
    for one in _strangers()[:10]:
        words = one.text.split()[:150]
        slots = random.sample(range(len(words)), min(12, len(words)))
        for _ in range(40):
            for place in slots:
                words[place] = random.choice(names) if place % 2 else str(random.randrange(10_000))
            found.append((" ".join(words), len(found)))
    return found


def _three_each(random: Random, *, cut: int | None = None) -> list[tuple[str, int]]:
    vocabulary = Vocabulary(one.text for one in _strangers()[:600])
    return [
        (edited(replace(one, text=one.text[:cut]), "all", 0.3, vocabulary, random).text, family)
        for family, one in enumerate(_strangers()[:150])
        for _ in range(3)
    ]


def _copies_and_rates(random: Random) -> list[tuple[str, int]]:
    rates = _rates(random, 30)
    return _three_each(random) + [(text, 1000 + number) for number, text in enumerate(rates)]


def _with_footers(random: Random) -> list[tuple[str, int]]:
    """Half of each text is one of five, whatever the other half tells."""
    footers = [one.text[:900] for one in _strangers()[1000:1005]]
    return [(f"{text} {random.choice(footers)}", family) for text, family in _three_each(random, cut=900)]


def _twenty_each(random: Random) -> list[tuple[str, int]]:
    vocabulary = Vocabulary(one.text for one in _strangers()[:600])
    edits = ("cuts", "additions", "word forms", "all")
    return [
        (edited(one, random.choice(edits), random.choice((0.1, 0.3)), vocabulary, random).text, family)  # type: ignore[arg-type]
        for family, one in enumerate(_strangers()[:40])
        for _ in range(20)
    ]


def _news(domain: str) -> bool:
    return domain in ("", "news")


def _other(domain: str) -> bool:
    return domain not in ("", "news", "conversation")


_OVERLAP: Final = ("dup", "similar")
_UAGEC: Final = _of_corpus("corrections", "uagec")
_NEWS_EN: Final = _of_corpus("translations of news", "wmt", "en", _news)
_OTHER_EN: Final = _of_corpus("other translations", "wmt", "en", _other)

SETS: Final[Mapping[str, TrueSet]] = {
    "uagec": _UAGEC,
    "wmt news ru": _of_corpus("translations of news", "wmt", "ru", _news),
    "wmt news uk": _of_corpus("translations of news", "wmt", "uk", _news),
    "wmt news en": _NEWS_EN,
    "wmt other ru": _of_corpus("other translations", "wmt", "ru", _other),
    "wmt other en": _OTHER_EN,
    "ntrex en": _of_corpus("editions", "ntrex", "en"),
    "uagec, thinned": thinned(_UAGEC, 3),
    "uagec, rare": thinned(_UAGEC, 12),
    "wmt news en, thinned": thinned(_NEWS_EN, 3),
    "wmt other en, thinned": thinned(_OTHER_EN, 3),
    "mdnews": _of_corpus("news", "mdnews", positive=_OVERLAP, negatives="closed"),
    "mdnews, no dates": replace(
        _of_corpus("news", "mdnews", positive=_OVERLAP, negatives="closed"),
        documents=lambda: [replace(one, published=None, time=None) for one in read_documents(documents_file("mdnews"))],
    ),
    "slavictopics": _of_corpus("news", "slavictopics", positive=_OVERLAP, negatives="closed"),
    "tgpairs": _of_corpus("news", "tgpairs", positive=_OVERLAP, negatives="listed"),
    "made up, 50 %": _made_up(80, 480),
    "made up, 10 %": _made_up(400, 500),
    "made up, 1 %": _made_up(2000, 300),
    "made up, .1 %": _made_up(6000, 250),
    "20 copies of each": _of_families(_twenty_each, "made up"),
    "rates": _of_families(lambda random: [(text, at) for at, text in enumerate(_rates(random, 300))], "forms"),
    "forms": _of_families(_filled_in, "forms"),
    "copies and 30 rates": _of_families(_copies_and_rates, "forms"),
    "copies with footers": _of_families(_with_footers, "forms"),
    "500 strangers": TrueSet(
        kind="made up",
        documents=lambda: [
            replace(one, published=None, time=None, source=None, extra={}) for one in _strangers()[:500]
        ],
        labels=list,
        negatives="closed",
    ),
}
"""The first seven are families: several renderings of one text each."""

FAMILIES: Final = tuple(SETS)[:7]
