"""Learn synonyms from double renderings of one text: corrected texts, and several translations of one source.

    python tools/learn_synonyms.py FOLDER

FOLDER has SET.docs.jsonl.gz and SET.labels.jsonl.gz (``a``, ``b``, ``label``); pairs labelled ``dup`` are renderings.
Two verbs or adjectives are synonyms if they stand in the same place, between equal words, in two renderings of a text.
"""

from __future__ import annotations

import gzip
import json
import sys
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.judging.evidence import differing
from infostream_dedup.language.lexicon.word_lists import stop_words
from infostream_dedup.model import OUR_LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SETS: Final = ("uagec", "wmt", "multilingual", "ntrex")


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def exchanged(a: str, b: str, language: str) -> Iterator[str]:
    """Pairs of lemmas of one class that stand in the same place."""
    p, q = (differing.openings_of(text, most=len(text) + 1).text(0).folded for text in (a, b))
    parts = SequenceMatcher(None, p, q, False).get_opcodes()
    for name, i, j, k, end in parts:
        if name == "replace" and j - i == end - k == 1 and i > 0 and j < len(p):
            x, y = p[i], q[k]
            same = differing.classes(x, language) & differing.classes(y, language) - {"noun"}
            stops = stop_words(language)
            if same and x not in stops and y not in stops and not differing.alike(x, y, language):
                yield " ".join(sorted([min(differing.lemmas(word, language)) for word in (x, y)]))


def learnt(folder: Path, sets: Iterable[str] = SETS) -> set[str]:
    """Pairs of lemmas that were exchanged in some rendering."""
    found: set[str] = set()
    for name in sets:
        documents = {row["id"]: row for row in rows(folder / f"{name}.docs.jsonl.gz")}
        for row in rows(folder / f"{name}.labels.jsonl.gz"):
            if row["label"] == "dup" and row["a"] in documents and row["b"] in documents:
                a, b = documents[row["a"]], documents[row["b"]]
                if a["lang"] == b["lang"] and a["lang"] in OUR_LANGUAGES:
                    found.update(exchanged(a["text"], b["text"], a["lang"]))
    return found


if __name__ == "__main__":
    lines = (f"{pair}\n" for pair in sorted(learnt(Path(sys.argv[1]))))
    differing.SYNONYMS_FILE.write_text("".join(lines), encoding="utf-8")
