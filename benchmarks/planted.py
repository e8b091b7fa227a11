"""Made stories whose origins, and made digests whose items, are known: real texts in new company.

    python -m benchmarks.planted ../shared/data [--seeds 1,2] [--half 1]

A story has 2 to 6 families of texts (three languages) as origins, each with 0 to 8 copies, shortened copies and
translations by people, some of which name an agency, at random moments of two days; 25 stories make a stream. A digest
has 5 to 9 items, the beginnings of articles, in one of nine layouts; half of them stand in another digest, too, whole
or shortened. Rules were chosen on half 0 of the texts; half 1 judges. Prints a line of JSON for each part.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from benchmarks.posts import rows_of
from infostream_dedup import Deduplicator, coverage, pairs
from infostream_dedup.language.text import sentences
from infostream_dedup.stream.settings import StreamSettings

_WIRES: Final = {"ru": "Об этом сообщает ТАСС.", "uk": "Про це повідомляє УНІАН.", "en": "Reuters reports."}
_LAYOUTS: Final = (
    *(("", "\n", "\n\n"), ("", " ", "\n"), ("{}. ", " ", "\n"), ("• ", " ", "\n"), ("Тема дня {}\n", "\n", "\n")),
    *(("", "\n", "\n"), ("", "\n\n", "\n\n"), ("", "\n", "\n***\n"), ("", " ", " ")),
)  # before an item, between its paragraphs, between items
_NO_NEWS: Final = ("debian-security", "debian-news", "gnome-user-docs")


def families(folder: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """A text by a person in each language of families of which no two share text or an event."""
    found: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    kin: set[str] = set()
    for name in ("ntrex", "wmt", "multilingual"):
        for one in rows_of(folder / f"{name}.docs.jsonl.gz"):
            news = (
                one["source"] not in _NO_NEWS and (one.get("domain") or "") in ("", "news") and "-mt" not in one["id"]
            )
            if news and len(one["text"].split()) >= 60:
                found[one["family"]].setdefault(one["lang"], one)
        if (path := folder / f"{name}.kin.jsonl.gz").exists():
            kin |= {row["family_b"] for row in rows_of(path)}
    return {name: own for name, own in found.items() if name not in kin}


def shortened(text: str, draw: random.Random) -> str:
    """The first sentences of a text."""
    spans = sentences(text)
    return text[: spans[max(3, round(len(spans) * draw.uniform(0.5, 0.9))) - 1 :][0][1]] if len(spans) > 3 else text


def made_story(own: Sequence[Any], number: int, draw: random.Random) -> Iterator[dict[str, Any]]:
    """The documents of a story; their ids name its number and the origin."""
    begin = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=draw.randrange(7 * 1440))
    for origin, texts in enumerate(own):
        first = draw.choice(sorted(texts))
        for copy in range(1 + draw.randint(0, 8)):
            how = "whole" if copy == 0 else draw.choice(("whole", "shortened", "translation"))
            language = draw.choice(sorted(texts)) if how == "translation" else first
            text = shortened(texts[language]["text"], draw) if how == "shortened" else texts[language]["text"]
            wired = draw.random() < 0.25
            yield {
                "id": f"{number}/{origin}/{copy}{'w' * wired}", "lang": language, "title": texts[language]["title"],
                "text": f"{text} {_WIRES[language]}" if wired else text,
                "source": f"outlet{draw.randrange(60)}.example",
                "published": (begin + timedelta(minutes=draw.randrange(2880))).isoformat(),
            }  # fmt: skip


def origins(texts: Sequence[Any], draw: random.Random, *, alone: bool) -> list[dict[str, Any]]:
    """Stories of one stream: how many origins each has, how many were counted, of how many the first is right."""
    left, documents, sizes = draw.sample(list(texts), len(texts)), list[dict[str, Any]](), list[int]()
    while len(left) >= 6 and (alone or len(sizes) < 25):
        sizes.append(1 if alone else draw.randint(2, 6))
        documents += made_story([left.pop() for _ in range(sizes[-1])], len(sizes) - 1, draw)
    documents.sort(key=lambda one: (one["published"], one["id"]))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        with Deduplicator.open(Path(folder) / "s.db", StreamSettings.of({"keep_text": True})) as stream:
            stream.process(documents)
        for number, size in enumerate(sizes):
            ids = [one["id"] for one in documents if one["id"].startswith(f"{number}/")]
            found = coverage(Path(folder) / "s.db", id=ids)
            firsts = {one["origin"]: one["id"] for one in reversed(found["documents"])}
            earliest = {one.split("/")[1]: one for one in reversed(ids)}
            right = len(set(firsts.values()) & set(earliest.values()))
            wires = [one["wire"] is not None for one in found["documents"] if one["id"].endswith("w")]
            rows.append({"size": size, "found": found["origins"], "right": right, "wires": wires})
    return rows


def items_of(folder: Path, half: int) -> list[dict[str, Any]]:
    """Articles of different days and beginnings that are not known to share text; ``item``: the first paragraphs."""
    linked = {row[side] for row in rows_of(folder / "mdnews.labels.jsonl.gz") for side in "ab"
        if row["label"] != "different"}  # fmt: skip
    items: dict[str, dict[str, Any]] = {}
    begun: set[tuple[str, ...]] = set()
    for one in rows_of(folder / "mdnews.docs.jsonl.gz"):
        day, first = (one["published"] or "")[:10], tuple(one["text"].split()[:4])
        item = [line.strip() for line in one["text"].split("\n") if line.strip()][:3]
        new = one["id"] not in linked and day and day not in items and first not in begun
        if new and 40 <= len(" ".join(item).split()) <= 170 and zlib.crc32(one["id"].encode()) % 2 == half:
            begun.add(first)
            items[day] = one | {"item": item}
    return list(items.values())


def digests(items: Sequence[dict[str, Any]], draw: random.Random, *, shorter: bool) -> dict[str, Any]:
    """Sixty digests with their items in full: shared items that are located in both, and pairs of different items."""
    left, documents, places = draw.sample(list(items), len(items)), list[dict[str, Any]](), dict[str, list[Any]]()
    for number in range(60):
        if number % 2 == 0:
            sizes = draw.randint(5, 9), draw.randint(5, 9)
            shared = [left.pop() for _ in range(round(min(sizes) / 2))]
        before, inside, between = draw.choice(_LAYOUTS)
        own = shared + [left.pop() for _ in range(sizes[number % 2] - len(shared))]
        text, name = "", f"digest{number}"
        for place, one in enumerate(draw.sample(own, len(own)), 1):
            item = inside.join(one["item"])
            start, text = len(text), text + before.format(place) + (shortened(item, draw) if shorter else item)
            places.setdefault(name, []).append((start, len(text), one["id"]))
            text += between
        documents.append({"id": name, "text": text, "lang": "ru", "source": f"{number % 2}.example"})
    known = {one for own in places.values() for *_, one in own}
    documents += [{name: one[name] for name in ("id", "text", "title", "lang")} for one in items if one["id"] in known]
    wanted = {
        (one, f"digest{number}")
        for number in range(0, 60, 2)
        for one in {row[2] for row in places[f"digest{number}"]} & {row[2] for row in places[f"digest{number + 1}"]}
    }
    located, listed, wrong = set(), 0, 0

    def item_at(section: str) -> tuple[str, set[str]]:
        name, _, span = section.partition("#")
        if name not in places:
            return name, {name}
        start, end = map(int, span.split("-"))
        return name, {
            one
            for begin, close, one in places[name]
            if 2 * (min(end, close) - max(start, begin)) > min(end - start, close - begin)
        }

    for row in pairs(documents, sections=True):
        (a, in_a), (b, in_b) = item_at(row.a), item_at(row.b)
        listed += a in places or b in places
        wrong += (a in places or b in places) and not in_a & in_b
        if a in places and b in places:
            located |= {(one, min(a, b, key=lambda name: int(name[6:]))) for one in in_a & in_b}
    return {"shared": len(wanted), "located": len(located & wanted), "listed": listed, "wrong": wrong}


def main() -> None:
    """Make both, and print how they fare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the labelled corpora")
    parser.add_argument("--seeds", type=int, default=12, help="streams of 25 stories; a sixth as many sets of digests")
    parser.add_argument("--half", type=int, choices=(0, 1), default=1)
    arguments = parser.parse_args()
    half = arguments.half
    texts = [own for name, own in families(arguments.folder).items() if zlib.crc32(name.encode()) % 2 == half]
    items = items_of(arguments.folder, half)
    for alone in (False, True):
        draws = (random.Random(seed) for seed in range(2 if alone else arguments.seeds))  # noqa: S311
        rows = [row for draw in draws for row in origins(texts, draw, alone=alone)]
        errors = [abs(row["found"] - row["size"]) for row in rows]
        wires = [named for row in rows for named in row["wires"]]
        print(json.dumps({
            "stories": len(rows), "alone": alone, "exact": errors.count(0) / len(rows),
            "mean_error": sum(errors) / len(rows), "wires_named": sum(wires) / len(wires),
            "first_right": sum(row["right"] for row in rows) / sum(row["size"] for row in rows),
        }))  # fmt: skip
    for shorter in (False, True):
        draws = (random.Random(seed) for seed in range(arguments.seeds // 6))  # noqa: S311
        found = [digests(items, draw, shorter=shorter) for draw in draws]
        print(json.dumps({"shorter": shorter} | {name: sum(one[name] for one in found) for name in found[0]}))


if __name__ == "__main__":
    main()
