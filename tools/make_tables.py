"""Writes one kind of the tables that come with the package.

    pip install textblob wordfreq==3.1.1 names-translator==2.1.0
    python tools/make_tables.py tags|frequencies|terms|indexes|background

* tags: parts of speech of English words, the lexicon of Brill's tagger as TextBlob ships it (``LICENSE.lexicon`` says
  whose it is). It is copied so that nobody installs TextBlob, NLTK and what they bring (18 MB) for a megabyte. After a
  change raise ``RULES`` in ``morphology/english_lemmas.py`` and make the terms.
* frequencies: wordfreq's shares and frequent words, and names. They change about once in ten years, so their sources
  are no dependencies. Make terms and indexes afterwards.
* terms: the 300,000 most common forms of wordfreq's large lists and the words of our own tables, in small letters, at
  the start of a sentence and with a capital elsewhere; the backgrounds of all representations, and the pairs of our
  tables for the pivot language. The files belong to one fingerprint of ``dictionaries/``, of the rules of the
  morphology and of the versions of the packages of dictionaries; under another one they are not used. Takes a minute.
* indexes: of words by their keys, for translation. They belong to the same fingerprint: make them after the terms.
  Under another one the package makes them at their first use, which takes ten seconds. Takes a minute.
* background: what pseudo-documents add to the counters of evidence. The words are those of wordfreq's small lists. A
  word beginning that stands for a share p of the running words is in the lead of an item with probability
  1 - (1 - p)^32. No list holds the frequencies of numbers, so those are estimates.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.evidence.characters import word_hash
from infostream_dedup.judging.evidence.constants import DATE_BIT, FIGURE_SEED
from infostream_dedup.judging.evidence.kernels.packing import LEAD_KIND, NUMBER_KIND, bucket_of
from infostream_dedup.judging.evidence.kernels.reading import prefix_hashes
from infostream_dedup.judging.evidence.pair_model import BACKGROUND_FILE
from infostream_dedup.judging.evidence.reading import scratch_for, tables
from infostream_dedup.language.lexicon import frequency, word_lists
from infostream_dedup.language.lexicon.tables import as_lines, key_form, packed_parts
from infostream_dedup.language.morphology import form_cache
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.language.translation import target_lexicon
from infostream_dedup.language.translation.romanisation import names_by_consonants
from infostream_dedup.language.translation.rungs.cognates import words_by_international_key
from infostream_dedup.language.translation.rungs.names import personal_names_by_latin_key
from infostream_dedup.language.translation.slavic_cognates import nouns_by_coarse_key
from infostream_dedup.language.translation.word_pairs import SHIPPED_FILE, packed_pairs
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language
from infostream_dedup.terms.representation import representation

if TYPE_CHECKING:
    from numpy.typing import NDArray


def write_tags() -> None:
    """Word to tag, of lines ``word tag``; lines that begin with ``;;;`` are comments."""
    spec = find_spec("textblob")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("pip install textblob")
    source = Path(spec.submodule_search_locations[0], "en", "en-lexicon.txt")
    lines = (line for line in source.read_text(encoding="utf-8").splitlines() if not line.startswith(";;;"))
    split = (line.strip().partition(" ") for line in lines)
    frequency.TAGS_FILE.write_bytes(frequency.packed({word: tag for word, _, tag in split if tag}))


def names_of(source: Language) -> dict[str, list[str]]:
    """Personal names with their spellings in the other language, as names-translator ranks them."""
    from names_translator.dicts import NameDicts

    found: dict[str, list[str]] = {}
    for pool in ("first", "last"):
        for uk, spellings in NameDicts().as_dict(pool).items():
            for ru in map(key_form, spellings):
                one, other = (key_form(uk), ru) if source == "uk" else (ru, key_form(uk))
                if " " in other:
                    raise RuntimeError(f"{other!r} is no single word")
                found.setdefault(one, []).append(other)
    return {one: list(dict.fromkeys(found[one])) for one in sorted(found)}


def write_frequencies() -> None:
    """Shares of forms, each checked to be the one that wordfreq gives; names; frequent words of every language."""
    from wordfreq import available_languages, get_frequency_dict, read_cBpack

    for language in OUR_LANGUAGES:
        # Centibels below 1 of every form of wordfreq's large list.
        levels = read_cBpack(available_languages("large")[language])
        table = frequency.ShareTable.of({form: loss for loss, forms in enumerate(levels) for form in forms})
        shares = [(table.forms[place], table.share_at(place)) for place in table.places_in_order().tolist()]
        if shares != list(get_frequency_dict(language, "large").items()):
            raise RuntimeError(f"the table of {language} does not give wordfreq's own shares in its order")
        frequency.frequencies_file(language).write_bytes(table.packed())
    parts, lines = {}, []
    for language in ("ru", "uk"):
        names = names_of(language)
        parts[f"{language} names"] = as_lines(names)
        parts[f"{language} spellings"] = as_lines(map(" ".join, names.values()))
    word_lists.NAMES_FILE.write_bytes(packed_parts("names-translator 2.1.0", parts))
    for code, file in sorted(available_languages("small").items()):
        words = [word for level in read_cBpack(file) for word in level if key_form(word).isalpha()]
        lines.append(f"{code}\t{' '.join(words[: word_lists.MOST_WORDS])}")
    word_lists.WORDS_FILE.write_bytes(as_lines(lines))


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
    common = (form for form, _ in frequency.common_forms(language))
    return sorted({*common, *frequency.most_common_forms(language, FORMS), *_words_of_tables(language)})


def _words_of_tables(language: Language) -> Iterator[str]:
    """Single words of our tables and the last words of phrases: those that become pairs for translation."""
    for concept in word_lists.concepts():
        yield from _last_words(concept.words[language])
    for friend in word_lists.false_friends():
        yield from _last_words((friend.ru,) if language == "ru" else friend.right_uk)
    for table in word_lists.NAME_TABLES:
        for row in word_lists.name_rows(table):
            yield from _last_words(map(key_form, word_lists.variants(row, language)))


def _last_words(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield word.rpartition(" ")[2]


def rows_of(forms: list[str], language: Language) -> list[str]:
    """The row of each form, from the morphology itself."""
    morphology = Morphology(language)
    rows = []
    for form in forms:
        found = [morphology.analyse(form, shape) for shape in (Shape.LOWER, Shape.START, Shape.CAPITAL)]
        terms = [None if one.term is None else (one.term, one.in_dictionary) for one in found]
        rows.append(form_cache.row_of(form, terms))
    return rows


def write_terms() -> None:
    """Terms, backgrounds and pairs; no cache of this machine takes part."""
    with TemporaryDirectory() as folder:
        os.environ["INFOSTREAM_DEDUP_CACHE"] = folder
        for language in WITH_FORMS:
            forms = forms_of(language)
            lines = as_lines(forms)
            packed = form_cache.packed(len(lines), b"\n" + lines + as_lines(rows_of(forms, language)))
            form_cache.terms_file(language).write_bytes(packed)
        shares = {f"{one} {name}": representation(name).summed_frequencies(one) for one, name in BACKGROUNDS}
        form_cache.SHARES_FILE.write_bytes(form_cache.packed_parts(shares))
        SHIPPED_FILE.write_bytes(packed_pairs())


INDEXES: Final[dict[str, Callable[[Language], target_lexicon.WordsByKey]]] = {
    "international": words_by_international_key,
    "names by sound": names_by_consonants,
    "cognates": nouns_by_coarse_key,
    "personal names": personal_names_by_latin_key,
}


def indexes_of(language: Language) -> list[str]:
    """The indexes of a language: names in Latin letters are English ones."""
    return list(INDEXES)[: 2 if language == "en" else None]


def write_indexes() -> None:
    """The indexes of each language."""
    for language in OUR_LANGUAGES:
        # Without the file, the package makes the indexes itself.
        target_lexicon.index_file(language).unlink(missing_ok=True)
        parts: dict[str, bytes] = {}
        for name in indexes_of(language):
            parts |= target_lexicon.packed_buckets(name, INDEXES[name](language).buckets)
        target_lexicon.index_file(language).write_bytes(packed_parts(target_lexicon.mark_of_today(), parts))


_LEAD_RUNNING_WORDS: Final = 32  # running words that hold the 20 long words of a lead

_NUMBER_SHARES: Final = ((1, 11, 0.12), (11, 32, 0.06), (32, 101, 0.015), (1990, 2040, 0.03))
"""Whole numbers from, up to (exclusive), and the share of news items that hold each."""


def background(language: Language) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Counters that a pseudo-document raises, each once, ascending, and by how much: uint32, float64 of 0 to 1."""
    number = LANGUAGES.index(language)
    held, starts = _lead_shares(language)
    entries = [
        (bucket_of(int(start), LEAD_KIND, number), one) for start, one in zip(starts, held, strict=True) if start
    ]
    for first, last, one in _NUMBER_SHARES:
        for value in range(first, last):
            # A year is hashed as a number, and marked as a date.
            written, mark = (chr(value), DATE_BIT) if value > 1000 else (str(value), 0)
            entry = word_hash(written, FIGURE_SEED) >> 34 << 2 | mark
            entries.append((bucket_of(entry >> 1, NUMBER_KIND, number), one))
    buckets, where = np.unique(np.array([bucket for bucket, _ in entries], dtype=np.uint32), return_inverse=True)
    shares = np.array([one for _, one in entries], dtype=np.float64)
    return buckets, np.bincount(where, weights=shares).astype(np.float64)


def _lead_shares(language: Language) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Share of pseudo-documents that open with each beginning of a word, and its hash; nothing for other languages."""
    if language not in OUR_LANGUAGES:
        return np.zeros(0, dtype=np.float64), np.zeros(0, dtype=np.uint32)
    forms, frequencies = zip(*frequency.common_forms(language), strict=True)
    texts = texts_of(forms)
    hashes = np.zeros(len(texts), dtype=np.uint32)
    prefix_hashes(texts.data, texts.offsets, tables(), scratch_for(texts.longest), hashes)
    starts, which = np.unique(hashes, return_inverse=True)
    share = np.bincount(which, weights=np.array(frequencies))
    return -np.expm1(_LEAD_RUNNING_WORDS * np.log1p(-np.minimum(share, 0.999))), starts


def write_background() -> None:
    """Counters and shares of each language."""
    arrays: dict[str, Any] = {}
    for language in LANGUAGES:
        arrays[f"{language}_buckets"], arrays[f"{language}_shares"] = background(language)
    np.savez_compressed(BACKGROUND_FILE, **arrays)


WRITERS: Final = {
    "tags": write_tags, "frequencies": write_frequencies, "terms": write_terms, "indexes": write_indexes,
    "background": write_background,
}  # fmt: skip


if __name__ == "__main__":
    WRITERS[sys.argv[1]]()
