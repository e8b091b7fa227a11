"""A store of very many documents for the pages: a made-up stream, ingested, then copied under other ids by SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings

__all__ = ["made_up_documents", "multiply", "write_store"]

_BATCH: Final = 500
_SOURCES: Final = 40
_SENTENCES: Final = 8
_WORDS: Final = 12

_KEPT_APART: Final = {
    "document": ("ordinal", "id", "of_id", "group_id", "translation_of", "story_id"),
    "grouping": ("group_id", "earliest"),
    "membership": ("ordinal", "group_id"),
    "story": ("story_id", "begun"),
    "telling": ("group_id", "story_id"),
}
"""Columns that differ from copy to copy: ordinals are moved on, names get a suffix.

Tables that pages read by the ordinal of one document (signatures, evidence, texts) are not copied.
"""

_ORDINALS: Final = ("ordinal", "earliest", "begun")


def made_up_documents(count: int, *, seed: int = 0, first: int = 0) -> Iterator[dict[str, Any]]:
    """Yield documents of dictionary words in three languages, one a minute; half of them are copies with small changes.

    Args:
        count: number of documents.
        seed: equal seeds give equal documents.
        first: number of the first document's id and minute.
    """
    random = Random(seed)  # noqa: S311 - texts, not secrets
    words = _words()
    stories: list[tuple[str, str, list[str]]] = []
    for number in range(first, first + count):
        if stories and random.random() < 0.5:
            language, title, sentences = stories[-1 - int(len(stories) * random.random() ** 3) % len(stories)]
            sentences = [one for one in sentences if random.random() > 0.1] or sentences
        else:
            language = ("ru", "uk", "en")[random.randrange(3)]
            sentences = [
                " ".join(random.choices(words[language], k=_WORDS)).capitalize() + "." for _ in range(_SENTENCES)
            ]
            title = " ".join(random.choices(words[language], k=6)).capitalize()
            stories.append((language, title, sentences))
        day = number // 1_440
        yield {
            "id": f"d{number}",
            "title": title,
            "text": " ".join(sentences),
            "lang": language,
            "source": f"source-{int(_SOURCES * random.random() ** 2)}",
            "url": f"https://example.org/{number}",
            "published": f"2026-{1 + day // 28 % 12:02}-{1 + day % 28:02}T{number // 60 % 24:02}:{number % 60:02}:00Z",
        }


def _words() -> dict[str, list[str]]:
    from wordfreq import top_n_list

    return {language: [one for one in top_n_list(language, 6_000) if len(one) > 4] for language in ("ru", "uk", "en")}


def write_store(path: Path, documents: int, *, copies: int = 1) -> None:
    """Ingest a made-up stream with its texts, then copy it.

    Args:
        path: file to make.
        documents: number of documents that are judged.
        copies: how many times the store is to hold them.
    """
    rows = list(made_up_documents(documents))
    with Deduplicator.open(path, StreamSettings.of({"keep_text": True})) as stream:
        for begin in range(0, documents, _BATCH):
            stream.process(rows[begin : begin + _BATCH])
    multiply(path, copies)


def multiply(path: Path, copies: int) -> None:
    """Copy the documents of a store, with their groups and stories, under names of their own."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        (size,) = connection.execute("SELECT max(ordinal) + 1 FROM document").fetchone()
        (time,) = connection.execute("SELECT max(clock) - min(clock) + 60000000 FROM document").fetchone()
        for table, own in _KEPT_APART.items():
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for copy in range(1, copies):
                values = [_value(name, own, size * copy, f"#{copy}", time * copy) for name in names]
                where = {"grouping": "earliest", "story": "begun"}.get(table, "ordinal")
                limit = f"WHERE {where} < {size}" if where in names else "WHERE instr(group_id, '#') = 0"
                connection.execute(
                    f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(values)} FROM {table} {limit}"  # noqa: S608 - names of this file
                )
        last = "(SELECT max(sequence) FROM batch)"
        connection.execute(
            f"UPDATE batch SET documents = documents + ? WHERE sequence = {last}",  # noqa: S608
            (size * (copies - 1),),
        )
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _value(name: str, own: tuple[str, ...], ordinals: int, suffix: str, time: int) -> str:
    if name in _ORDINALS:
        return f"{name} + {ordinals}"
    if name in own:
        return f"{name} || '{suffix}'"
    if name in ("clock", "published", "first", "last"):
        return f"{name} + {time}"
    return name
