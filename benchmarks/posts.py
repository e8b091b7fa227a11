"""Made posts of known truth: channels with a footer and a rubric, posts repeated under another footer, changed figures.

    python -m benchmarks.posts mdnews.docs.jsonl.gz uagec.docs.jsonl.gz ... [--posts 5000] [--seed 1] [--report FILE]

Reads real texts (JSON Lines with ``lang``, ``text`` and, where several texts are one, ``family``; those that a file of
labels beside them links to others are left out; forms and manuals, which repeat each other, are no posts), cuts posts
of 3 to 60 words from their beginnings (where a language has too few texts, also from what follows), and gives them to
24 channels in three languages. 15 % are repeated by another channel under its own footer, 5 % with another figure. The
templates of footers and rubrics are in thirds: the first was looked at while the rules were made, the others were not.

Prints precision and recall of ``exact`` and ``duplicate``, with and without dates and sources, by ``dedup`` and by
``ingest``, and the same for the posts without footers. Changed figures count neither way.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from benchmarks import read_rows
from infostream_dedup import Deduplicator, dedup

Post = dict[str, Any]

FOOTERS: Final[Mapping[str, Sequence[str]]] = {
    "ru": (
        "Подписывайтесь на {n} | Предложить новость",
        "🔔 {n} — все события региона в одном канале",
        "Прислать фото и видео можно нашему боту. Реклама: менеджер в описании профиля",
        "{n}. Присоединяйтесь!",
        "Больше фото и видео — на сайте «{n}»",
        "Чат читателей / Сообщить о происшествии / {n} в других сетях",
        "Редакция «{n}» работает для вас круглые сутки. Перепечатка только со ссылкой на источник.",
        "Ваш {n} 👇\nставьте лайк, зовите друзей",
        "Нашли ошибку? Напишите редактору. Следите за {n} там, где вам удобно",
        "✅ Оставайтесь с {n}",
        "Поддержите независимую редакцию: реквизиты в закреплённом сообщении. Спасибо, что читаете {n}",
        "Реклама | Обратная связь | Архив {n}",
    ),
    "uk": (
        "Підписуйтесь на {n} | Запропонувати новину",
        "🔔 {n} — усі події області в одному каналі",
        "Надіслати фото та відео можна нашому боту. Реклама: менеджер в описі профілю",
        "{n}. Приєднуйтесь!",
        "Більше фото та відео — на сайті «{n}»",
        "Чат читачів / Повідомити про подію / {n} в інших мережах",
        "Редакція «{n}» працює для вас цілодобово. Передрук матеріалів дозволено лише з посиланням на джерело.",
        "Ваш {n} 👇\nставте вподобайки, кличте друзів",
        "Знайшли помилку? Напишіть редактору. Стежте за {n} там, де вам зручно",
        "✅ Залишайтеся з {n}",
        "Підтримайте незалежну редакцію: реквізити в закріпленому дописі. Дякуємо, що читаєте {n}",
        "Реклама | Зворотний зв'язок | Архів {n}",
    ),
    "en": (
        "Follow {n} | Suggest a story",
        "🔔 {n}: everything that happens around here",
        "Send photos and videos to our bot. For advertising see our profile",
        "{n}. Come and join us!",
        "More pictures at the site of {n}",
        "Readers' chat / Report an incident / {n} elsewhere",
        "The newsroom of {n} works for you around the clock. Reprints are welcome only with a link to the source.",
        "Your {n} 👇\nlike it, bring a friend",
        "Spotted a mistake? Write to the editor. Keep up with {n} wherever you are",
        "✅ Stay with {n}",
        "Support an independent newsroom: bank details are in the pinned message. Thank you for reading {n}",
        "Advertising | Feedback | Archive of {n}",
    ),
}
"""Three thirds of four."""

RUBRICS: Final[Mapping[str, Sequence[Sequence[str]]]] = {
    "ru": (("#регион", "❗️ {n} сообщает"), ("Новости часа | {n}", "⚡️⚡️⚡️"), ("{n}: лента", "📍 Главное за сегодня")),
    "uk": (("#область", "❗️ {n} пише"), ("Новини години | {n}", "⚡️⚡️⚡️"), ("{n}: стрічка", "📍 Головне за сьогодні")),
    "en": (("#local", "❗️ {n} reports"), ("News of the hour | {n}", "⚡️⚡️⚡️"), ("{n}: feed", "📍 Today's stories")),
}  # fmt: skip
NAMES: Final = (
    "Заречье Сегодня,Ковилі 24,Harbour Courier,Степной вестник,Тиха гавань,Fairwater Live,Перекрёсток,Світанок Новини,"
    "North Quay,Город у моря,Місто над річкою,Old Mill Post,Полдень,Опівдні,Noonday,Мостовая,Бруківка,Cobblestone,"
    "Рябина Медиа,Калина Медіа,Rowan Media,Азимут,Орієнтир,Compass Rose"
).split(",")
LANGUAGES: Final = ("ru", "uk", "en")
_FORMS: Final = ("debian-security", "debian-news", "gnome-user-docs")
_POSTS_OF_A_TEXT: Final = 5
_TURNS: Final = ("ru", "uk", "ru", "uk", "en")
_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+")
_NUMBER: Final = re.compile(r"\b\d+\b")


def unlike_texts(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Language and text of documents that are not known to repeat each other."""
    families: set[str] = set()
    for path in paths:
        labels = path.with_name(path.name.replace(".docs.", ".labels."))
        linked = set()
        if labels != path and labels.exists():
            pairs = (row for row in read_rows(labels) if row["label"] in ("dup", "similar"))
            linked = {row[side] for row in pairs for side in ("a", "b")}
        for row in read_rows(path):
            family = row.get("family")
            # Forms and dialogues repeat each other, and several people translated the same stories.
            form = row.get("source") in _FORMS or row.get("domain") == "conversation"
            if form or row.get("submission") == "translation" or row["lang"] not in LANGUAGES:
                continue
            if family is None and row["id"] in linked:
                continue
            if family is not None and family in families:
                continue
            families.add(family or "")
            yield row["lang"], row["text"]


def bodies_of(texts: Iterable[tuple[str, str]], draw: random.Random) -> dict[str, list[str]]:
    """Runs of sentences, 3 to 60 words, each with other first words: beginnings of texts, then what follows them."""
    turns: list[dict[str, list[str]]] = [{language: [] for language in LANGUAGES} for _ in range(_POSTS_OF_A_TEXT)]
    seen: set[tuple[str, ...]] = set()
    for language, text in texts:
        sentences = _SENTENCE.split(text.replace("\n", " "))
        for turn in turns:
            body: list[str] = []
            most = draw.randint(3, 60)
            while sentences and (not body or len(" ".join([*body, sentences[0]]).split()) <= most):
                body.append(sentences.pop(0))
            words = " ".join(body).split()
            first = tuple(words[:3])
            if 3 <= len(words) <= 60 and first not in seen:
                seen.add(first)
                turn[language].append(" ".join(words))
    for turn in turns:
        for bodies in turn.values():
            draw.shuffle(bodies)
    return {language: [body for turn in reversed(turns) for body in turn[language]] for language in LANGUAGES}


def made_posts(bodies: Mapping[str, list[str]], size: int, third: int, draw: random.Random) -> list[Post]:
    """About ``size`` posts in order of publication, each with ``story`` and, if its figure was changed, ``changed``."""
    left = {language: list(found) for language, found in bodies.items()}
    channels: dict[str, list[tuple[str, str, str]]] = {language: [] for language in LANGUAGES}
    for number, name in enumerate(NAMES):
        language = LANGUAGES[number % 3]
        footer = draw.choice(FOOTERS[language][4 * third : 4 * (third + 1)])
        rubric = draw.choice(RUBRICS[language][third])
        channels[language].append((f"channel{number}", footer.format(n=name), rubric.format(n=name)))
    posts: list[Post] = []
    start = datetime(2025, 3, 1, tzinfo=UTC)

    def post(body: str, channel: tuple[str, str, str], minute: int, story: int, *, changed: bool = False) -> None:
        source, footer, rubric = channel
        time = (start + timedelta(minutes=minute)).isoformat()
        text = f"{rubric}\n{body}\n\n{footer}"
        posts.append(
            {"source": source, "published": time, "text": text, "body": body, "story": story, "changed": changed}
        )

    for story in range(int(size / 1.2)):
        language, minute = _TURNS[story % len(_TURNS)], story * 10
        if not left[language]:
            continue
        body, channel = left[language].pop(), draw.choice(channels[language])
        post(body, channel, minute, story)
        other = draw.choice([one for one in channels[language] if one is not channel])
        later = minute + draw.randint(5, 600)
        numbers = list(_NUMBER.finditer(body))
        if draw.random() < 0.15 * 1.2:
            post(body, other, later, story)
        elif numbers and draw.random() < 0.25:
            figure = draw.choice(numbers)
            other_number = str(int(figure[0]) + draw.randint(1, 9))
            post(body[: figure.start()] + other_number + body[figure.end() :], other, later, story, changed=True)
    posts.sort(key=lambda one: (one["published"], one["story"]))
    return [{**one, "id": str(number)} for number, one in enumerate(posts)]


def documents_of(posts: Sequence[Post], *, bare: bool, plain: bool) -> list[dict[str, str]]:
    """The posts as documents: ``bare`` without source and date, ``plain`` without footer and rubric."""
    fields = ("id",) if bare else ("id", "source", "published")
    return [{name: one[name] for name in fields} | {"text": one["body" if plain else "text"]} for one in posts]


def by_dedup(documents: Sequence[dict[str, str]]) -> list[tuple[str, str]]:
    """Status and group of each document."""
    rows = dedup(documents, annotate=True).as_rows()
    return [(row["status"], row["group"]) for row in rows]


def by_ingest(documents: Sequence[dict[str, str]], batch: int = 100) -> list[tuple[str, str]]:
    """Status and group of each document, in a stream in memory."""
    with Deduplicator.open(None) as stream:
        parts = (documents[begin : begin + batch] for begin in range(0, len(documents), batch))
        return [(one.status, one.group) for part in parts for one in stream.process(part)]


def scores(posts: Sequence[Post], found: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Precision and recall of what was called a repeat."""
    story_of = {one["id"]: one["story"] for one in posts}
    seen: set[int] = set()
    right = wrong = repeated = 0
    for one, (status, group) in zip(posts, found, strict=True):
        again, called = one["story"] in seen, status in ("exact", "duplicate")
        seen.add(one["story"])
        if one["changed"]:
            continue
        repeated += again
        hit = called and again and story_of[group] == one["story"]
        right += hit
        wrong += called and not hit
    return {
        "precision": round(right / max(1, right + wrong), 4),
        "recall": round(right / max(1, repeated), 4),
        "wrong": wrong,
        "missed": repeated - right,
        "insufficient": sum(status == "insufficient_text" for status, _ in found),
    }


def _figures(row: Mapping[str, Any]) -> tuple[str, str]:
    return f"{row['precision']:.3f}", f"{row['recall']:.3f}"


def page_of(rows: Sequence[dict[str, Any]], command: str) -> str:
    """The scores as a page: templates that were looked at, then those that judge."""
    shown = [
        "# Posts with footers and rubrics",
        "",
        f"Written by `{command}`.",
        f"{rows[0]['posts']} made posts of 3 to 60 words in 24 channels and three languages, of known truth: see",
        "`benchmarks/posts.py`. *Exact* and *duplicate* count as repeats, changed figures do not count. Third 1 of the",
        "templates of footers and rubrics was looked at while the rules of repetition were made, 2 and 3 were not; the",
        "words of calls, which are known without repetition, were written when all three had been read. *Bare*:",
        "without source and date. *Plain*: the same posts without footers and rubrics.",
        "",
        "| templates | by | posts | precision | recall | wrong | missed | plain: precision | recall |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    found = {(row["third"], row["by"], row["bare"], row["plain"]): row for row in rows}
    for (third, by, bare, plain), row in found.items():
        if not plain:
            other = found[third, by, bare, True]
            cells = (third, by, "bare" if bare else "dated", *_figures(row), row["wrong"], row["missed"])
            shown.append(f"| {' | '.join(map(str, (*cells, *_figures(other))))} |")
    return "\n".join([*shown, ""])


def main() -> None:
    """Make the posts, judge them and print the scores, one line of JSON for each run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, nargs="+", help="files of JSON Lines, packed or not")
    parser.add_argument("--posts", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, help="also write the scores, as a page of Markdown")
    parser.add_argument("--write", type=Path, help="also write the posts, as JSON Lines")
    arguments = parser.parse_args()
    rows = []
    for third in (1, 2, 3):
        draw = random.Random(arguments.seed)  # noqa: S311 - a made stream
        posts = made_posts(bodies_of(unlike_texts(arguments.texts), draw), arguments.posts, third - 1, draw)
        if arguments.write is not None:
            lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in posts)
            arguments.write.write_text("".join(lines), encoding="utf-8")
        for plain in (False, True):
            for bare in (False, True):
                documents = documents_of(posts, bare=bare, plain=plain)
                for name, judge in (("dedup", by_dedup), ("ingest", by_ingest)):
                    what = {"third": third, "posts": len(posts), "plain": plain, "bare": bare, "by": name}
                    rows.append(what | scores(posts, judge(documents)))
                    print(json.dumps(rows[-1]), flush=True)
    if arguments.report is not None:
        names = " ".join(path.name for path in arguments.texts)
        command = f"python -m benchmarks.posts {names} --posts {arguments.posts} --seed {arguments.seed}"
        arguments.report.write_text(page_of(rows, command), encoding="utf-8")


if __name__ == "__main__":
    main()
