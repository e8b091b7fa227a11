"""Writes a made-up month of news in three languages, with every duplicate known.

    python reports/made_month.py month.jsonl labels.jsonl [--seed N]

An event has words of its own and words of its topic, which all languages know: texts of one topic share words, those of
one event more, copies most. No text is a translation.
"""

from __future__ import annotations

import argparse
import csv
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Final

from infostream_dedup import Document
from infostream_dedup.lab.labels import Label
from infostream_dedup.lab.sweep_estimator import Vocabulary, edited
from infostream_dedup.language.lexicon.tables import dictionaries_folder

LANGUAGES: Final = ("ru", "uk", "en")
_SHARES: Final = (0.45, 0.35, 0.20)
_DAYS, _A_DAY, _TOPICS, _OF_TOPIC, _OF_EVENT, _SENTENCES = 28, 26, 24, 30, 14, 9
_SMALL: Final = {
    "ru": "в на и для при после о также сообщил начал завершил получил показал".split(),
    "uk": "у на і для при після про також повідомив почав завершив отримав показав".split(),
    "en": "in on and for at after about also reported began finished received showed".split(),
}
_RATES: Final = {
    "ru": "Курс валют на {} марта: покупка {},{}, продажа {},{} рубля, изменение {},{} процента, торги {} миллионов.",
    "uk": "Ціни на пальне на {} березня: бензин {},{}, дизель {},{} гривні, зміна {},{} відсотка, продаж {} тонн.",
}
Concept = tuple[str, str, str]


@dataclass(frozen=True)
class Event:
    """What a text tells: its own concepts, and those of its topic."""

    own: list[Concept]
    topic: list[Concept]


def concepts() -> list[Concept]:
    """Nouns of one word in all three languages, the commonest first."""
    with (dictionaries_folder() / "translations.tsv").open(encoding="utf-8") as lines:
        rows = csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t")
        found = [tuple(row[one].partition("|")[0] for one in LANGUAGES) for row in rows if row["pos"] == "noun"]
    return [one for one in found if all(word.isalpha() for word in one)]  # type: ignore[misc]


def month(seed: int = 1) -> tuple[list[Document], list[Label]]:
    """The documents in order of publication, and the pairs that tell one event."""
    random, known = Random(seed), concepts()  # noqa: S311
    topics = [random.sample(known, _OF_TOPIC) for _ in range(_TOPICS)]
    made: list[tuple[Document, str, str]] = []
    for number in range(_DAYS * _A_DAY):
        event = Event(random.sample(known[200:], _OF_EVENT), random.choice(topics))
        moment = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=number / _A_DAY)
        language = random.choices(LANGUAGES, _SHARES)[0]
        first = _document(event, known, language, moment, random)
        family = [(first, "first")]
        vocabulary = Vocabulary([first.text])
        for _ in range(random.choices((0, 1, 2, 3), (55, 25, 13, 7))[0]):
            moment += timedelta(hours=random.uniform(0.2, 30))
            if random.random() < 0.6:
                rate = random.choice((0.05, 0.15, 0.3))
                copy = edited(first, random.choice(("cuts", "numbers", "all")), rate, vocabulary, random)
                family.append((_moved(copy, moment, random), "copy"))
            else:
                family.append((_document(event, known, language, moment, random), "retold"))
        made += [(one, f"event-{number}", how) for one, how in family]
    for language, form in _RATES.items():
        for day in range(0, _DAYS, 4):
            text = " ".join(form.format(day + 1, *(random.randrange(10, 99) for _ in range(7))) for _ in range(3))
            moment = datetime(2026, 3, 1 + day, 9, tzinfo=UTC)
            made.append((_moved(Document(id="", text=text, lang=language), moment, random), f"form-{language}", "form"))
    made.sort(key=lambda one: one[0].published or "")
    return _numbered(made)


def _drawn(event: Event, known: list[Concept], random: Random) -> Concept:
    drawn = random.random()
    if drawn < 0.33:
        return random.choice(event.own)
    if drawn < 0.72:
        return event.topic[int(_OF_TOPIC * random.random() ** 1.6)]
    return known[int(len(known) * random.random() ** 3)]


def _document(event: Event, known: list[Concept], language: str, moment: datetime, random: Random) -> Document:
    place, said = LANGUAGES.index(language), []
    for _ in range(_SENTENCES + random.randrange(-3, 4)):
        words: list[str] = []
        for _ in range(random.randrange(5, 9)):
            words += [_drawn(event, known, random)[place], random.choice(_SMALL[language])]
        said.append(words)
    sentences = [f"{' '.join(words).capitalize()} {random.randrange(10, 999)}." for words in said]
    title = " ".join(said[0][::2][:5]).capitalize()
    return _moved(Document(id="", text=" ".join(sentences), title=title, lang=language), moment, random)


def _moved(document: Document, moment: datetime, random: Random) -> Document:
    source = f"site-{random.randrange(1, 13)}.example"
    return replace(document, time=moment, published=moment.isoformat(), source=source)


def _numbered(made: list[tuple[Document, str, str]]) -> tuple[list[Document], list[Label]]:
    documents = [
        replace(one, id=f"m{place:04}", extra={"family": family}) for place, (one, family, _) in enumerate(made)
    ]
    families: dict[str, list[int]] = {}
    for place, (_, family, _) in enumerate(made):
        families.setdefault(family, []).append(place)
    labels = []
    for members in families.values():
        for a, b in combinations(members, 2):
            how = {made[a][2], made[b][2]}
            kind = next((one for one in ("form", "retold") if one in how), "copy")
            label = {"copy": "dup", "form": "different", "retold": "similar"}[kind]
            labels.append(Label(documents[a].id, documents[b].id, label, extra={"kind": kind}))
    return documents, labels


def write_month(documents: Path, labels: Path, seed: int = 1) -> None:
    """Write both files."""
    made, pairs = month(seed)
    lines = [
        json.dumps(
            {"id": one.id, "lang": one.lang, "title": one.title, "text": one.text, "published": one.published}
            | {"source": one.source, **one.extra},
            ensure_ascii=False,
        )
        for one in made
    ]
    documents.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = [json.dumps({"a": one.a, "b": one.b, "label": one.label, **one.extra}) for one in pairs]
    labels.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    write_month(given.documents, given.labels, given.seed)
