"""Writes the parts of speech of English words that come with the package, language/lexicon/english_tags.bin.

    pip install textblob
    python tools/make_english_tags.py

They are the lexicon of Brill's tagger as TextBlob ships it (``en/en-lexicon.txt``; ``LICENSE.lexicon`` says whose it
is). The file is copied so that nobody installs TextBlob, NLTK and what they bring (18 MB) for one table of a megabyte.
After a change raise ``RULES`` in ``morphology/english_lemmas.py`` and run ``tools/make_known_terms.py``.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from infostream_dedup.language.lexicon.frequency import TAGS_FILE, packed


def tags_of(lexicon: str) -> dict[str, str]:
    """Word to tag, of lines ``word tag``; lines that begin with ``;;;`` are comments."""
    split = (line.strip().partition(" ") for line in lexicon.splitlines() if not line.startswith(";;;"))
    return {word: tag for word, _, tag in split if tag}


def main() -> None:
    """Write the file."""
    spec = find_spec("textblob")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("pip install textblob")
    source = Path(spec.submodule_search_locations[0], "en", "en-lexicon.txt")
    TAGS_FILE.write_bytes(packed(tags_of(source.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
