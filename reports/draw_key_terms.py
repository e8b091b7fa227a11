"""Draws key terms to be read for junk: ``python reports/draw_key_terms.py SEED LANGUAGE``.

Prints, for 100 documents drawn by the seed, the id and the key terms, to be judged by reading; what was judged junk
stands in key-terms-junk.tsv, what it amounts to in key-terms.md. No texts are printed.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Final

from infostream_dedup import Settings, read_documents
from infostream_dedup.runs.batch.collection import collect

CORPORA: Final = Path(__file__).resolve().parents[2] / "shared" / "data"
NEWS: Final = {
    "ru": ("mdnews", "slavictopics", "wmt", "ntrex", "tgpairs"),
    "uk": ("slavictopics", "wmt", "ntrex"),
    "en": ("wmt", "ntrex", "tgpairs"),
}
"""Sets that hold news in each language."""

DOCUMENTS: Final = 100


def main() -> None:
    """Print the key terms of a hundred documents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("language", choices=tuple(NEWS))
    given = parser.parse_args()
    for document, terms in drawn_key_terms(given.language, given.seed):
        print(document, *terms)


def drawn_key_terms(language: str, seed: int) -> list[tuple[str, list[str]]]:
    """Id and key terms of each document drawn, by the defaults, among all news of a language."""
    news = [one for name in NEWS[language] for one in read_documents(CORPORA / f"{name}.docs.jsonl.gz")]
    chosen = [one for one in news if one.lang == language and one.extra.get("domain", "news") == "news"]
    # English nouns are the terms of the pivot space; those of ``morph`` are stems.
    settings = Settings(representation="pivot", pivot="en") if language == "en" else Settings()
    keys = collect(chosen).key_terms(settings)
    drawn = sorted(random.Random(seed).sample(range(len(chosen)), DOCUMENTS))  # noqa: S311 - a sample
    return [(chosen[number].id, keys.terms_of(number)) for number in drawn]


if __name__ == "__main__":
    main()
