"""Writes the indexes that come with the package, infostream_dedup/language/translation/words_by_key.*.bin.

    python tools/make_translation_tables.py

Run it after ``tools/make_known_terms.py``, whenever that has to be run: the files belong to the same fingerprint, and
under another one the package makes the indexes at their first use, which takes ten seconds. Takes a minute.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from infostream_dedup.language.lexicon.tables import packed_parts
from infostream_dedup.language.translation.romanisation import names_by_consonants
from infostream_dedup.language.translation.rungs.cognates import words_by_international_key
from infostream_dedup.language.translation.rungs.names import personal_names_by_latin_key
from infostream_dedup.language.translation.slavic_cognates import nouns_by_coarse_key
from infostream_dedup.language.translation.target_lexicon import WordsByKey, index_file, mark_of_today, packed_buckets
from infostream_dedup.model import OUR_LANGUAGES, Language

INDEXES: Final[dict[str, Callable[[Language], WordsByKey]]] = {
    "international": words_by_international_key,
    "names by sound": names_by_consonants,
    "cognates": nouns_by_coarse_key,
    "personal names": personal_names_by_latin_key,
}


def indexes_of(language: Language) -> list[str]:
    """The indexes of a language: names in Latin letters are English ones."""
    return list(INDEXES)[: 2 if language == "en" else None]


def main() -> None:
    """Write all files."""
    for language in OUR_LANGUAGES:
        # Without the file, the package makes the indexes itself.
        index_file(language).unlink(missing_ok=True)
        parts: dict[str, bytes] = {}
        for name in indexes_of(language):
            parts |= packed_buckets(name, INDEXES[name](language).buckets)
        index_file(language).write_bytes(packed_parts(mark_of_today(), parts))


if __name__ == "__main__":
    main()
