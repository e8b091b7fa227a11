"""Reverse the news of real texts by mechanical edits, and count how many pairs are called ``differs`` or ``updated``.

    python tests/benchmarks/reversals.py FOLDER [--pairs 8000] [--words]

FOLDER has SET.docs.jsonl.gz (``id``, ``title``, ``text``, ``lang``). Each edit is made in a text of 15 to
60 words; both versions go through ``pairs`` as posts of two sources an hour apart.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup import pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SETS: Final = ("tgposts", "mdnews", "uagec", "wmt", "ntrex", "multilingual", "background")
VERBS: Final = {
    "ru": ("будет", "может", "смог", "удалось", "получил", "получили", "решил", "стал", "стали", "прошел", "начали"),
    "uk": ("буде", "може", "зміг", "вдалося", "отримав", "отримали", "вирішив", "став", "стали", "почали", "має"),
    "en": ("will", "can", "is", "was", "has", "have", "were", "are", "would", "could"),
}
NAMES: Final = {
    "ru": ("Ставрополь", "Минск", "Казань", "Дубай", "Лужков", "Ереван", "Гаага", "Эквадор"),
    "uk": ("Житомир", "Луцьк", "Дубай", "Гаага", "Еквадор", "Ніжин", "Бровари", "Осло"),
    "en": ("Glasgow", "Ecuador", "Nairobi", "Hughes", "Ottawa", "Pfizer", "Dubai", "Kyoto"),
}
NOT: Final = {"ru": "не {}", "uk": "не {}", "en": "{} not"}
FAKE: Final = {"ru": "Фейк: ", "uk": "Фейк: ", "en": "Fake: "}
NAME: Final = re.compile(r"(?<=[a-zа-яёіїєґ,] )[A-ZА-ЯЁІЇЄҐ][a-zа-яёіїєґ]{3,}(?![\w-])")


def texts(folder: Path, seed: int) -> Iterator[tuple[str, str]]:
    """Text and language of documents, cut to 15-60 words at the end of a sentence, in random order."""
    found = []
    for name in SETS:
        path = folder / f"{name}.docs.jsonl.gz"
        if path.exists():
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for row in map(json.loads, lines):
                    whole = " ".join(re.sub(r"https?://\S+", "", row["text"]).split())
                    cut = re.match(r"(?:\S+ ){14,59}?\S+[.!](?= |$)", whole)
                    if cut:
                        found.append((cut[0], row.get("lang") or "ru"))
    return iter(random.Random(seed).sample(sorted(set(found)), len(set(found))))  # noqa: S311


def negated(text: str, language: str, _: random.Random) -> str | None:
    verb = re.search(rf"(?<!не )\b({'|'.join(VERBS[language])})\b(?! not)", text)
    return verb and text[: verb.start()] + NOT[language].format(verb[0]) + text[verb.end() :]


def numbers_exchanged(text: str, _: str, __: random.Random) -> str | None:
    found = list(re.finditer(r"(?<![\d.,:])\d+(?![\d.,:]*\d)", text))
    if len(found) < 2 or found[0][0] == found[1][0]:
        return None
    a, b = found[:2]
    return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]


def figure_changed(text: str, _: str, random: random.Random) -> str | None:
    found = re.search(r"(?<![\d.,:-])[1-9]\d*(?![\d.,:-]*\d)", text)
    return found and f"{text[: found.start()]}{int(found[0]) + random.randint(1, 9)}{text[found.end() :]}"


def names_exchanged(text: str, _: str, __: random.Random) -> str | None:
    found = list(NAME.finditer(text))
    if len(found) < 2 or found[0][0][:4] == found[1][0][:4] or found[1].start() - found[0].end() < 6:
        return None
    a, b = found[:2]
    return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]


def questioned(text: str, _: str, __: random.Random) -> str | None:
    return None if "?" in text else text[:-1] + "?"


def denied(text: str, language: str, _: random.Random) -> str | None:
    return FAKE[language] + text


def name_replaced(text: str, language: str, random: random.Random) -> str | None:
    found = NAME.search(text)
    return found and text[: found.start()] + random.choice(NAMES[language]) + text[found.end() :]


EDITS: Final[dict[str, Callable[[str, str, random.Random], str | None]]] = {
    one.__name__: one
    for one in (negated, numbers_exchanged, figure_changed, names_exchanged, questioned, denied, name_replaced)
}


def reversed_pairs(folder: Path, count: int, seed: int = 1) -> Iterator[tuple[str, str, str, str]]:
    """Edit, language, text and its reversal, equally many of each edit and language as far as there are texts."""
    chosen, made = random.Random(seed), Counter[tuple[str, str]]()  # noqa: S311
    most = count // (3 * len(EDITS)) + 1
    for text, language in texts(folder, seed):
        for name in sorted(EDITS, key=lambda name: made[name, language]):
            other = EDITS[name](text, language, chosen) if language in NOT and made[name, language] < most else None
            if other and other != text:
                made[name, language] += 1
                yield name, language, text, other
                break


def posts(number: int, text: str, other: str) -> list[dict[str, Any]]:
    """Two posts of two sources, an hour apart, in a week of their own."""
    day = f"{2000 + number // 300}-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}"
    return [
        {"id": f"{number}a", "text": text, "source": "a.example", "published": f"{day}T10:00Z"},
        {"id": f"{number}b", "text": other, "source": "b.example", "published": f"{day}T11:00Z"},
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--words", action="store_true", help="print the pairs that were missed")
    given = parser.parse_args()
    made = list(reversed_pairs(given.folder, given.pairs, given.seed))
    rows = [row for number, (_, _, text, other) in enumerate(made) for row in posts(number, text, other)]
    found = {row.a[:-1]: row for row in pairs(rows, kinds="all", terms=False) if row.a[:-1] == row.b[:-1]}
    total, right = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for number, (name, language, text, other) in enumerate(made):
        row = found.get(str(number))
        kind = row.kind if row is not None else "none"
        total[name, language] += 1
        right[name, language] += kind == "differs" or (name == "figure_changed" and kind == "updated")
        if given.words and kind != "differs" and name != "figure_changed":
            print(name, kind, "\n ", text, "\n ", other)
    for name in EDITS:
        shares = (f"{language} {right[name, language]}/{total[name, language]}" for language in NOT)
        whole = sum(right[name, one] for one in NOT) / max(1, sum(total[name, one] for one in NOT))
        print(f"{name:18} {whole:.3f}  {', '.join(shares)}")


if __name__ == "__main__":
    main()
