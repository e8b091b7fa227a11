"""Pairs for people: which comes next, what a judge sees of it, and the stream's verdict."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, cast

from infostream_dedup.judgements.desk import last_result
from infostream_dedup.judgements.judgements import (
    QUEUES,
    SHARE_OF_TWO,
    asked_pairs,
    disagreements,
    group_pairs,
    linked_pairs,
    next_pairs,
    ordered_pair,
)
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import document_versions, group_with_members, key_terms_of
from infostream_dedup.stream.store.restoring import position_of

if TYPE_CHECKING:
    from infostream_dedup.judging.passages.passage_table import TextComparison
    from infostream_dedup.service.running import RunningService


NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")  # a number as people read it: 3,5 and 10:30 are one number each

_KEPT: Final = ("id", "version", "title", "source", "language", "published", "group", "ordinal", "url")
_OF_PAIR: Final = ("status", "kind", "probability", "relation", "forward", "backward")


def pair_shown(store: Store, a: str, b: str) -> dict[str, Any]:
    """Read two documents, the one that came first as ``a``; of one document twice, its last two versions."""
    sides = sorted((side_of(store, found) for found in versions_of_pair(store, a, b)), key=lambda side: side["ordinal"])
    texts = [store.text(side["ordinal"]) for side in sides]
    passages, coverage, translated = 0, [0.0, 0.0], [0.0, 0.0]
    pieces: list[list[dict[str, Any]] | None] = [None, None]
    words: dict[str, str] = {}
    if texts[0] is not None and texts[1] is not None:
        found = comparison_of(sides, texts[0], texts[1])
        passages = len(found.passages)
        pieces = [*pieces_shown(store, sides, texts, found)]
        words = {str(number): name for number, name in found.translated.names().items()}
        coverage = [found.coverage_a, found.coverage_b]
        translated = [found.translated.share_a, found.translated.share_b]
    numbers = [set(NUMBER.findall(text or "")) for text in texts]
    for place, side in enumerate(sides):
        side["pieces"], side["numbers"] = pieces[place], sorted(numbers[place] - numbers[1 - place])
        side["coverage"], side["translated"] = coverage[place], translated[place]
    first, second = ({term["term"] for term in side["key_terms"]} for side in sides)
    return {"a": sides[0], "b": sides[1], "passages": passages, "shared_terms": sorted(first & second), "words": words}


def pieces_shown(
    store: Store, sides: Sequence[Mapping[str, Any]], texts: Sequence[str | None], found: TextComparison
) -> Iterator[list[dict[str, Any]]]:
    """The stretches of each text as plain values."""
    for stretches, side, text in zip((found.pieces_a, found.pieces_b), sides, texts, strict=True):
        pieces = [{"text": one.text, "passage": one.passage, "word": one.word} for one in stretches]
        yield with_repeated(pieces, repeated_of(store, side, text))


def repeated_of(store: Store, shown: Mapping[str, Any], text: str | None) -> list[tuple[int, int]]:
    """Where a text of the store has lines that were not compared, because many documents repeat them."""
    from infostream_dedup.stream.preparation import repeated_spans

    lines = store.lines(shown["ordinal"])
    return [] if text is None or not lines else repeated_spans(shown["title"] or "", text, lines)


def with_repeated(pieces: Sequence[dict[str, Any]], spans: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Cut the stretches of a text where repeated lines begin and end, and tell which are ``repeated``."""
    cuts, found, at = sorted({place for span in spans for place in span}), list[dict[str, Any]](), 0
    for piece in pieces:
        end = at + len(piece["text"])
        places = [at, *(cut for cut in cuts if at < cut < end), end]
        for first, last in pairwise(places):
            inside = any(begin <= first and last <= stop for begin, stop in spans)
            found.append(piece | {"text": piece["text"][first - at : last - at], "repeated": inside})
        at = end
    return found


def comparison_of(sides: Sequence[Mapping[str, Any]], text_a: str, text_b: str) -> TextComparison:
    """Compare the texts of two documents, whose languages are known; words are translated as in the stream."""
    from infostream_dedup.api.passages import compare as compare_texts

    spoken = (side["language"] for side in sides)
    one, other = (cast("Language", name if name in LANGUAGES else "other") for name in spoken)
    return compare_texts(text_a, text_b, languages=(one, other), dictionaries_only=True)


def pair_verdict(store: Store, a: str, b: str) -> dict[str, Any] | None:
    """The stream's verdict on the later document of a pair, if it names the earlier one."""
    earlier, later = sorted(versions_of_pair(store, a, b), key=lambda one: one["ordinal"])
    stated: dict[str, Any] = dict.fromkeys(_OF_PAIR)
    row = store.connection.execute(
        "SELECT status, kind, probability, relation, forward, backward, of_id, translation_of FROM document"
        " WHERE ordinal = ?",
        (later["ordinal"],),
    ).fetchone()
    if row[6] == earlier["id"]:
        stated = dict(zip(_OF_PAIR, row[:6], strict=True))
    elif row[7] == earlier["id"]:
        stated["kind"] = "translation"
    return {**stated, "one_group": earlier["group"] == later["group"]}


def versions_of_pair(store: Store, a: str, b: str) -> list[dict[str, Any]]:
    """Return the latest versions of two documents, or, of one document twice, its last two versions."""
    known = [document_versions(store.connection, name) for name in (a, b)]
    if not all(known):
        raise ProblemError(404, "not-found", "no document with this id")
    return known[0][-2:] if a == b and len(known[0]) > 1 else [versions[-1] for versions in known]


def side_of(store: Store, found: dict[str, Any]) -> dict[str, Any]:
    """What people see of a document of a pair, without its text."""
    if found["forgotten"]:
        raise ProblemError(410, "forgotten")
    return {field: found[field] for field in _KEPT} | {"key_terms": key_terms_of(store.connection, found["ordinal"])}


Pair = tuple[str, str]
_GROUP: Final = "group:"
_OF_DESK: Final = ("audit", "disagreement", "learning", "methods")
_DISAGREED: Final = 1_000
_KEPT_CHOICES: Final = 8


def is_queue(queue: str) -> bool:
    """Whether a queue of this name exists."""
    return queue in QUEUES or (queue.startswith(_GROUP) and len(queue) > len(_GROUP))


def check_queue(queue: str) -> None:
    """Refuse a queue that does not exist."""
    if not is_queue(queue):
        raise ProblemError(422, "invalid", f"expected {', '.join(QUEUES)} or group:ID", field="queue")


async def pairs_for(
    service: RunningService, person: str, queue: str, wanted: int, besides: frozenset[Pair] = frozenset()
) -> list[dict[str, Any]]:
    """Choose pairs, reserve them, and read what a judge sees; return nothing when no pair is left."""
    candidates = await _candidates(service, queue)
    share = 2.0 if queue == "disagreement" else SHARE_OF_TWO
    gone: set[Pair] = set()

    def choose(connection: sqlite3.Connection) -> tuple[list[Pair], list[Pair]]:
        listed = _from_desk(connection, queue) if queue in _OF_DESK else candidates
        chosen = next_pairs(
            connection, listed, person=person, queue=queue, wanted=wanted, besides=besides | gone, share_of_two=share
        )
        return chosen, listed

    while True:
        chosen, listed = await service.desk.write(choose)
        shown = await service.read(lambda store, chosen=chosen: _pairs_shown(store, chosen))  # type: ignore[misc]
        if len(shown) == len(chosen):
            return shown
        # All of them at once: a list of pairs may come from another collection.
        tried = [*chosen, *listed]
        gone |= await service.read(lambda store, tried=tried: _absent(store, tried))  # type: ignore[misc]


async def _candidates(service: RunningService, queue: str) -> list[Pair]:
    if queue in _OF_DESK:
        return []
    position = await service.position()
    key = (queue, position)
    if key not in service.choices:
        found = await service.read(lambda store: _of_store(store, queue))
        while len(service.choices) >= _KEPT_CHOICES:
            service.choices.pop(next(iter(service.choices)))
        service.choices[key] = found
    return service.choices[key]


def _of_store(store: Store, queue: str) -> list[Pair]:
    if queue.startswith(_GROUP):
        found = group_with_members(store.connection, queue.removeprefix(_GROUP))
        return [] if found is None else group_pairs([one["id"] for one in found["members"] if not one["forgotten"]])
    if position_of(store.connection).documents == 0:
        return []
    return linked_pairs(store.connection, queue, k_duplicate=StreamSettings.of(store.settings).k_duplicate)


def _from_desk(connection: sqlite3.Connection, queue: str) -> list[Pair]:
    if queue == "audit":
        return asked_pairs(connection, queue)
    if queue == "learning":
        trained = last_result(connection, "train")
        return [ordered_pair(a, b) for a, b in (trained or {"result": {}})["result"].get("teach", ())]
    if queue == "methods":
        compared = last_result(connection, "compare")
        return [ordered_pair(row["a"], row["b"]) for row in (compared or {"result": {}})["result"].get("disputed", ())]
    return [(row["a"], row["b"]) for row in disagreements(connection, _DISAGREED)]


def _pairs_shown(store: Store, pairs: list[Pair]) -> list[dict[str, Any]]:
    gone = _absent(store, pairs)
    return [pair_shown(store, *pair) for pair in pairs if pair not in gone]


def _absent(store: Store, pairs: list[Pair]) -> set[Pair]:
    """The pairs with a document that is unknown here, as an imported one may be, or was forgotten."""
    versions = {one: document_versions(store.connection, one) for one in {one for pair in pairs for one in pair}}
    present = {one for one, known in versions.items() if known and not known[-1]["forgotten"]}
    return {pair for pair in pairs if not present.issuperset(pair)}
