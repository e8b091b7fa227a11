"""Writes the frequencies and names that come with the package, in infostream_dedup/language/lexicon.

    pip install wordfreq==3.1.1 names-translator==2.1.0
    python tools/make_frequencies.py

Their sources change about once in ten years, so they are no dependencies of the package. LICENSE.lexicon tells their
licences. Run ``tools/make_known_terms.py`` and ``tools/make_translation_tables.py`` afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator

from names_translator.dicts import NameDicts
from wordfreq import available_languages, get_frequency_dict, read_cBpack

from infostream_dedup.language.lexicon.frequency import ShareTable, frequencies_file
from infostream_dedup.language.lexicon.tables import as_lines, key_form, packed_parts
from infostream_dedup.language.lexicon.word_lists import MOST_WORDS, NAMES_FILE, WORDS_FILE
from infostream_dedup.model import OUR_LANGUAGES, Language


def losses_of(language: Language) -> dict[str, int]:
    """Centibels below 1 of every form of wordfreq's large list."""
    levels = read_cBpack(available_languages("large")[language])
    return {form: loss for loss, forms in enumerate(levels) for form in forms}


def names_of(source: Language) -> dict[str, list[str]]:
    """Personal names with their spellings in the other language, as names-translator ranks them."""
    found: dict[str, list[str]] = {}
    for pool in ("first", "last"):
        for uk, spellings in NameDicts().as_dict(pool).items():
            for ru in map(key_form, spellings):
                one, other = (key_form(uk), ru) if source == "uk" else (ru, key_form(uk))
                if " " in other:
                    raise RuntimeError(f"{other!r} is no single word")
                found.setdefault(one, []).append(other)
    return {one: list(dict.fromkeys(found[one])) for one in sorted(found)}


def frequent_words() -> Iterator[str]:
    """A line for every language of wordfreq: its code and its most frequent words of letters."""
    for language, file in sorted(available_languages("small").items()):
        words = [word for level in read_cBpack(file) for word in level if key_form(word).isalpha()]
        yield f"{language}\t{' '.join(words[:MOST_WORDS])}"


def main() -> None:
    """Write all files, and check that every share is the one that wordfreq gives."""
    for language in OUR_LANGUAGES:
        table = ShareTable.of(losses_of(language))
        shares = [(table.forms[place], table.share_at(place)) for place in table.places_in_order().tolist()]
        if shares != list(get_frequency_dict(language, "large").items()):
            raise RuntimeError(f"the table of {language} does not give wordfreq's own shares in its order")
        frequencies_file(language).write_bytes(table.packed())
    parts = {}
    for language in ("ru", "uk"):
        names = names_of(language)
        parts[f"{language} names"] = as_lines(names)
        parts[f"{language} spellings"] = as_lines(map(" ".join, names.values()))
    NAMES_FILE.write_bytes(packed_parts("names-translator 2.1.0", parts))
    WORDS_FILE.write_bytes(as_lines(frequent_words()))


if __name__ == "__main__":
    main()
