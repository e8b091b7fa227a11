"""Writes the terms and pairs that come with the package, infostream_dedup/language/*/known_*.bin.

    python tools/make_known_terms.py

Run it after a change to ``dictionaries/`` or to the rules of the morphology, and with new versions of the packages of
dictionaries: the files belong to one fingerprint of all of these, and under another one they are not used. Known are
the 300,000 most common forms of wordfreq's large lists and the words of our own tables, in small letters, at the start
of a sentence and with a capital elsewhere; the backgrounds of all representations, and the pairs of our tables for the
pivot language. Takes a minute.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from tempfile import TemporaryDirectory
from typing import Final

from infostream_dedup.language.lexicon.frequency import common_forms, most_common_forms
from infostream_dedup.language.lexicon.tables import key_form
from infostream_dedup.language.lexicon.word_lists import NAME_TABLES, concepts, false_friends, name_rows, variants
from infostream_dedup.language.morphology import form_cache
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.language.translation.word_pairs import SHIPPED_FILE, packed_pairs
from infostream_dedup.model import OUR_LANGUAGES, Language
from infostream_dedup.terms.representation import representation

WITH_FORMS: Final[tuple[Language, ...]] = ("ru", "uk")
"""Languages whose terms are looked up; English ones are computed as fast."""

FORMS: Final = 300_000
"""Number of wordfreq's forms: they are 69 % of the distinct words of a year of news, all 700,000 would be 78 %."""

BACKGROUNDS: Final[tuple[tuple[Language, str], ...]] = (
    *((language, name) for language in OUR_LANGUAGES for name in ("stem", "morph")),
    ("en", "pivot"),
)


def forms_of(language: Language) -> list[str]:
    """Every form that the file knows, once, by code points."""
    common = (form for form, _ in common_forms(language))
    return sorted({*common, *most_common_forms(language, FORMS), *_words_of_tables(language)})


def _words_of_tables(language: Language) -> Iterator[str]:
    """Single words of our tables and the last words of phrases: those that become pairs for translation."""
    for concept in concepts():
        yield from _last_words(concept.words[language])
    for friend in false_friends():
        yield from _last_words((friend.ru,) if language == "ru" else friend.right_uk)
    for table in NAME_TABLES:
        for row in name_rows(table):
            yield from _last_words(map(key_form, variants(row, language)))


def _last_words(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield word.rpartition(" ")[2]


def rows_of(forms: list[str], language: Language) -> list[str]:
    """The row of each form, from the morphology itself."""
    morphology = Morphology(language)
    rows = []
    for form in forms:
        found = [morphology.analyse(form, shape) for shape in (Shape.LOWER, Shape.START, Shape.CAPITAL)]
        rows.append(
            form_cache.row_of(form, [None if one.term is None else (one.term, one.in_dictionary) for one in found])
        )
    return rows


def main() -> None:
    """Write all files; no cache of this machine takes part."""
    with TemporaryDirectory() as folder:
        os.environ["INFOSTREAM_DEDUP_CACHE"] = folder
        for language in WITH_FORMS:
            forms = forms_of(language)
            texts = b"\n" + form_cache.lines_of(forms) + form_cache.lines_of(rows_of(forms, language))
            form_cache.terms_file(language).write_bytes(form_cache.packed(len(form_cache.lines_of(forms)), texts))
        shares = {f"{one} {name}": representation(name).summed_frequencies(one) for one, name in BACKGROUNDS}
        form_cache.SHARES_FILE.write_bytes(form_cache.packed_parts(shares))
        SHIPPED_FILE.write_bytes(packed_pairs())


if __name__ == "__main__":
    main()
