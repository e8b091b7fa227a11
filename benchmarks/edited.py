"""Real news and made-up copies of them, edited at known rates: the copies of one original are true pairs."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from benchmarks import read_rows, save_texts

RATES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.45)  # shares of the words that are edited; an original has none of them

_ORIGINALS = 0.45
_MOST_COPIES = 40
_FEWEST_WORDS, _PIECE = 40, 220
_KEPT = 20


def edited(files: Iterable[Path], documents: int, folder: Path, *, seed: int) -> float:
    """Write ``texts.bin``, ``offsets.npy``, ``stories.npy`` and ``rates.npy``; return the size in MB.

    Pieces of the texts, of 40 to 440 words, are the originals: as many as there are, at most 45 % of the documents.
    Repeats in ``NAME.docs.jsonl.gz`` that ``NAME.labels.jsonl.gz`` names are left out. The rest are copies with four
    edits each: deletions, replacements, cuts, insertions and moves.
    """
    chosen = random.Random(seed)  # noqa: S311 - no secret
    originals = list(dict.fromkeys(piece for path in files for text in _texts(path) for piece in _pieces(text)))
    chosen.shuffle(originals)
    words = [word for text in originals[:6000] for word in text.split()]
    originals = originals[: int(documents * _ORIGINALS)]
    rows = [(text, number, -1.0) for number, text in enumerate(originals)]
    sizes = [1] * len(originals)
    while len(rows) < documents:
        story = int(len(originals) * chosen.random() ** 2.2)
        if sizes[story] < _MOST_COPIES:
            sizes[story] += 1
            rate = chosen.choice(RATES)
            rows.append((_copy(originals[story], rate, originals, words, chosen), story, rate))
    chosen.shuffle(rows)
    np.save(folder / "stories.npy", np.array([story for _, story, _ in rows]))
    np.save(folder / "rates.npy", np.array([rate for _, _, rate in rows]))
    return save_texts((text for text, _, _ in rows), folder)


def _texts(path: Path) -> Iterator[str]:
    labels = path.with_name(path.name.replace(".docs.", ".labels."))
    known = read_rows(labels) if labels != path and labels.exists() else ()
    repeated = {row["b"] for row in known if row.get("label") in ("dup", "similar")}
    yield from (row["text"] for row in read_rows(path) if row.get("id") not in repeated)


def _pieces(text: str) -> list[str]:
    words = text.split()
    count = max(1, min(4, len(words) // _PIECE))
    size = len(words) // count
    if size < _FEWEST_WORDS:
        return []
    return [" ".join(words[number * size : (number + 1) * size]) for number in range(count)]


def _copy(text: str, rate: float, originals: list[str], vocabulary: list[str], chosen: random.Random) -> str:
    words = text.split()
    many = int(rate * len(words)) // 4
    for _ in range(4 if many else 0):
        at = chosen.randrange(len(words))
        match chosen.choice(("delete", "replace", "cut", "behead", "insert", "move")):
            case "delete":
                gone = set(chosen.sample(range(len(words)), min(many, max(len(words) - _KEPT, 0))))
                words = [word for place, word in enumerate(words) if place not in gone]
            case "replace":
                for _ in range(many):
                    words[chosen.randrange(len(words))] = chosen.choice(vocabulary)
            case "cut":
                words = words[: max(len(words) - many, _KEPT)]
            case "behead":
                words = words[min(many, max(len(words) - _KEPT, 0)) :]
            case "insert":
                other = chosen.choice(originals).split()
                first = chosen.randrange(len(other))
                words[at:at] = other[first : first + many]
            case _:
                moved = words[at : at + many]
                del words[at : at + many]
                place = chosen.randrange(len(words) + 1)
                words[place:place] = moved
    return " ".join(words)
