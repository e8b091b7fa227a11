"""The most frequent part of speech of English words, from the lexicon of Brill's tagger.

94 thousand forms, each with the Penn tag that it had most often in the Brown corpus and the Wall Street Journal. The
file is shipped with the package: ``tools/make_english_tags.py`` makes it, and ``LICENSE.lexicon`` is its licence.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon.sealed_tables import checked_bytes, sealed

TAGS_FILE: Final = Path(__file__).with_name("english_tags.bin")

_AGAIN: Final = "install infostream-dedup again"
_LEVEL: Final = 9


def part_of_speech(word: str) -> str | None:
    """Return the most frequent Penn tag of a word as it is spelt, capitals included; ``None`` for an unknown one.

    Example:
        >>> part_of_speech("running"), part_of_speech("Reading"), part_of_speech("reading"), part_of_speech("xyzzy")
        ('VBG', 'NNP', 'NN', None)
    """
    return _lexicon().get(word)


def packed(tags: Mapping[str, str]) -> bytes:
    """Pack the tags of words for the file: a line for each tag, followed by its words, all in order."""
    words: dict[str, list[str]] = {}
    for word, tag in sorted(tags.items()):
        words.setdefault(tag, []).append(word)
    lines = "\n".join(" ".join((tag, *found)) for tag, found in sorted(words.items()))
    return sealed(zlib.compress(lines.encode(), _LEVEL))


def unpacked(path: Path) -> dict[str, str]:
    """Return the content of a file."""
    _, _, content = checked_bytes(path, _AGAIN).partition(b"\n")
    try:
        lines = zlib.decompress(content).decode().split("\n")
    except (zlib.error, UnicodeDecodeError):
        message = f"not a table of parts of speech; {_AGAIN}"
        raise BadDataError(message, code="E_DICTIONARY", source=path.name) from None
    split = (line.split(" ") for line in lines)
    return {word: tag for tag, *words in split for word in words}


@cache
def _lexicon() -> Mapping[str, str]:
    return MappingProxyType(unpacked(TAGS_FILE))
