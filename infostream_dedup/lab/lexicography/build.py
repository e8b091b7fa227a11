"""Build frequency dictionaries from texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from infostream_dedup.documents.outputs import check_output, open_output
from infostream_dedup.errors import CannotCreateError, ConfigurationError
from infostream_dedup.language.lexicon.frequency import form_frequencies, zipf
from infostream_dedup.language.lexicon.tables import data_folder
from infostream_dedup.language.lexicon.word_lists import NameKind, added_nouns, names, personal_names
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.morphology.cache_file import fingerprint, package_versions
from infostream_dedup.language.morphology.form_cache import FormCache
from infostream_dedup.language.morphology.readings import PROPER, readings_of
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation.target_lexicon import frequent_words
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import OUR_LANGUAGES, Language

_FORMS_SHOWN: Final = 5
_BLOCK: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryEntry:
    """A term of a frequency dictionary."""

    term: str  # the `morph` term: a lemma, in English a stem
    # what a name denotes (`surname`, `first_name`, `patronymic`, `place`, `organisation`, `abbreviation`); otherwise
    # `noun`, in English `stem`
    kinds: tuple[str, ...]
    share: float  # share of running words that its forms make up, 0 to 1; 0 if wordfreq has none of them
    source: str  # origin of the lemma, as in `dictionaries show`
    forms: tuple[str, ...]  # its most frequent forms, at most five, in falling order

    @property
    def zipf(self) -> float:
        """log10 of the occurrences in a billion words; 0 if there are none."""
        return zipf(self.share)


@dataclass(slots=True)
class _Found:
    """What is known about a term so far: the word that it was found by, its frequency and forms."""

    word: Form
    share: float = 0.0
    forms: list[str] = field(default_factory=list)


def frequency_dictionary(
    language: Language, *, most: int | None = None, progress: Progress | None = None
) -> list[DictionaryEntry]:
    """Return the terms of the strict rule, the most frequent first, equal ones by code points: takes a minute or two.

    Words in use are wordfreq's, as if each opened a sentence. Terms that only dictionaries and lists of names contain
    follow with a share of 0.
    """
    check_request([language], most)
    frequency = form_frequencies(language)
    found: dict[str, _Found] = {}
    used = [Form(word, Shape.START) for word in frequent_words(language)[:most]]
    for word, term in zip(used, _terms(used, language, "words in use", progress), strict=True):
        if term is not None:
            entry = found.setdefault(term, _Found(word))
            entry.share += frequency(word.form)
            if len(entry.forms) < _FORMS_SHOWN:
                entry.forms.append(word.form)
    if most is None and language != "en":
        listed = _listed_words(language)
        for word, term in zip(listed, _terms(listed, language, "words of dictionaries", progress), strict=True):
            if term is not None:
                found.setdefault(term, _Found(word))
    return _entries(found, language)


def check_request(languages: Sequence[str], most: int | None) -> None:
    """Refuse what no dictionary can be made of."""
    if not languages:
        raise ConfigurationError(f"no language is named; expected some of {', '.join(OUR_LANGUAGES)}")
    for language in languages:
        if language not in OUR_LANGUAGES:
            raise ConfigurationError(f"language is {language!r}; expected one of {', '.join(OUR_LANGUAGES)}")
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise ConfigurationError(f"most is {most!r}; expected a whole number of forms, 1 or more")


def _listed_words(language: Language) -> list[Form]:
    words = {Form(word, _shape(kinds)) for word, kinds in readings_of(language).nouns()}
    words.update(Form(word, _shape(name.kinds)) for word, name in names(language).items())
    words.update(Form(word, Shape.CAPITAL) for word in personal_names(language))
    words.update(Form(word, Shape.LOWER) for word in added_nouns(language))
    return sorted(words)


def _shape(kinds: NameKind) -> Shape:
    if NameKind.ABBREVIATION in kinds:
        return Shape.UPPER
    return Shape.CAPITAL if kinds & PROPER else Shape.LOWER


def _terms(words: Sequence[Form], language: Language, step: str, progress: Progress | None) -> list[str | None]:
    """Return the strict term of each word, without a trace in the cache of this machine."""
    cache = FormCache(language, None)
    terms: list[str | None] = []
    for start in range(0, len(words), _BLOCK):
        keys = [f"{int(shape)}{form}" for form, shape in words[start : start + _BLOCK]]
        terms += cache.terms_of_new(keys, strict=True)
        if progress:
            progress(f"{language}: {step}", len(terms), len(words))
    return terms


def _entries(found: dict[str, _Found], language: Language) -> list[DictionaryEntry]:
    morphology = Morphology(language)
    common = "stem" if language == "en" else "noun"
    entries = []
    for term, one in found.items():
        analysis = morphology.analyse(*one.word)
        entries.append(
            DictionaryEntry(
                term=term,
                kinds=analysis.kinds.labels() or (common,),
                share=one.share,
                source=analysis.source,
                forms=tuple(one.forms),
            )
        )
    return sorted(entries, key=lambda entry: (-entry.share, entry.term))


COLUMNS: Final = ("term", "kinds", "zipf", "source", "forms")
"""Columns of the tables; kinds are separated by bars, forms by spaces."""

_MANIFEST: Final = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltDictionary:
    """A frequency dictionary that was written."""

    language: Language  # language of its terms
    terms: int  # number of rows
    in_use: int  # number of terms whose forms wordfreq has; the others only occur in dictionaries and lists of names
    nouns: int  # number of common nouns, in English of stems
    surnames: int  # number of surnames; a term can have several kinds
    organisations: int  # number of names of organisations
    places: int  # number of names of places
    other_names: int  # number of terms with other kinds only: first names, patronymics, abbreviations
    file: Path  # its path


def built_folder() -> Path:
    """Return where dictionaries are written by default; the folder need not exist."""
    return data_folder() / "frequency-dictionaries"


def build(
    folder: Path, languages: Sequence[Language], *, most: int | None = None, progress: Progress | None = None
) -> list[BuiltDictionary]:
    """Write one table a language, then the manifest, which names the tables of this call; same sources, same bytes."""
    check_request(languages, most)
    _prepare(folder, languages)
    built: list[BuiltDictionary] = []
    digests: dict[str, dict[str, Any]] = {}
    for language in languages:
        entries = frequency_dictionary(language, most=most, progress=progress)
        content = "".join("\t".join(row) + "\n" for row in (COLUMNS, *map(_cells, entries))).encode()
        path = _table(folder, language)
        with open_output(path) as output:
            output.write(content)
        built.append(_counted(entries, language, path))
        digests[path.name] = {"terms": len(entries), "sha256": sha256(content).hexdigest()}
    manifest = {
        "tables": digests,
        "most_frequent_forms": most,
        "packages": package_versions(),
        "fingerprint_of_dictionaries_and_rules": fingerprint(),
    }
    with open_output(folder / _MANIFEST) as output:
        output.write((json.dumps(manifest, indent=2) + "\n").encode())
    return built


def _prepare(folder: Path, languages: Sequence[Language]) -> None:
    """Make the folder, and refuse what could not be written minutes later."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CannotCreateError(f"{str(folder)!r} cannot be created: {reason}") from None
    for language in languages:
        check_output(_table(folder, language))
    check_output(folder / _MANIFEST)
    (folder / _MANIFEST).unlink(missing_ok=True)


def _table(folder: Path, language: Language) -> Path:
    return folder / f"{language}.tsv"


def _cells(entry: DictionaryEntry) -> tuple[str, ...]:
    # Without the line, which a row added before it would change.
    source = entry.source.partition(":")[0]
    return entry.term, "|".join(entry.kinds), f"{entry.zipf:.2f}", source, " ".join(entry.forms)


def _counted(entries: Sequence[DictionaryEntry], language: Language, path: Path) -> BuiltDictionary:
    kinds = Counter(kind for entry in entries for kind in entry.kinds)
    told = {"noun", "stem", "surname", "organisation", "place"}
    return BuiltDictionary(
        language=language,
        terms=len(entries),
        in_use=sum(entry.share > 0 for entry in entries),
        nouns=kinds["noun"] + kinds["stem"],
        surnames=kinds["surname"],
        organisations=kinds["organisation"],
        places=kinds["place"],
        other_names=sum(told.isdisjoint(entry.kinds) for entry in entries),
        file=path,
    )
