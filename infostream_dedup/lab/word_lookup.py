"""Show how words are read and translated, and how many of a corpus are known; build frequency dictionaries."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from typing import Any, Final

from infostream_dedup.documents.outputs import check_output, open_output
from infostream_dedup.errors import CannotCreateError, ConfigurationError
from infostream_dedup.lab.dictionary_imports import stray_letter
from infostream_dedup.language.lexicon.frequency import form_frequencies, zipf
from infostream_dedup.language.lexicon.tables import data_folder, is_latin, key_form
from infostream_dedup.language.lexicon.word_lists import NameKind, added_nouns, names, personal_names
from infostream_dedup.language.morphology.analyzer import Analysis, Morphology
from infostream_dedup.language.morphology.cache_file import fingerprint, package_versions
from infostream_dedup.language.morphology.form_cache import FormCache, terms_of
from infostream_dedup.language.morphology.readings import PROPER, lemma, noun_term, readings_of
from infostream_dedup.language.morphology.stemming import stem
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation import ladder
from infostream_dedup.language.translation.rungs import Translation
from infostream_dedup.language.translation.rungs.cognates import CognatesRung
from infostream_dedup.language.translation.rungs.dictionary import DictionaryRung, IdentityRung
from infostream_dedup.language.translation.rungs.names import NamesRung
from infostream_dedup.language.translation.target_lexicon import frequent_words
from infostream_dedup.language.translation.word_pairs import marked_term, names_first, plain_term
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import OUR_LANGUAGES, Language
from infostream_dedup.model.limits import OneOf

_CYRILLIC_LANGUAGES: tuple[Language, ...] = ("ru", "uk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What the engine knows about a word in one language and capitalisation."""

    language: Language  # `ru`, `uk` or `en`
    form: str  # key form that is looked up
    shape: str  # `lower`, `start` (starts a sentence), `capital` (inside a sentence) or `upper`
    term: str | None  # the `morph` term; `None` if the word is not a term
    # the term under the strict rule, which accepts only dictionary words; `None` if it is not a term
    strict: str | None
    lemma: str  # normal form
    part_of_speech: str  # OpenCorpora tag; empty if unknown
    flags: tuple[str, ...]  # what a name denotes: surname, first_name, patronymic, place, organisation, abbreviation
    known: bool  # whether a dictionary contains the word
    zipf: float  # frequency of the form, log10 of the occurrences per billion words; 0 if it does not occur
    lemma_zipf: float  # frequency of the lemma, on the same scale
    stem: str  # the `stem` term, before stop words are removed
    source: str  # origin of the lemma: `pymorphy3`, `names-translator`, `predicted`, `latin`, `stem` or `file:line`
    why: str  # reason why the word is not a term; empty if it is

    def as_dict(self) -> dict[str, object]:
        """Return the values by name for JSON, with flags as a list."""
        return {**asdict(self), "flags": list(self.flags)}


def _check(word: str, *languages: Language | None) -> None:
    if not word or len(word.split()) != 1:
        raise ConfigurationError(f"the word is {word!r}; expected one word without spaces")
    for language in languages:
        if language is not None:
            OneOf(*OUR_LANGUAGES).check("language", language)


def show(word: str, language: Language | None = None) -> list[Entry]:
    """Show what the engine knows about a word."""
    _check(word, language)
    stripped = word.strip()
    latin = all(char < "\u0250" for char in stripped if char.isalpha() and char != "\u02bc")
    languages = (language,) if language else OUR_LANGUAGES if latin else _CYRILLIC_LANGUAGES
    return [_make_entry(stripped, one, shape) for one in languages for shape in shapes_of(stripped)]


def shapes_of(word: str) -> tuple[Shape, ...]:
    """Return the shapes in which a word of this spelling can occur in a text."""
    if sum(char.isalpha() for char in word) > 1 and word.isupper():
        return (Shape.UPPER,)
    return (Shape.START, Shape.CAPITAL) if word[0].isupper() else (Shape.LOWER, Shape.START)


def _make_entry(word: str, language: Language, shape: Shape) -> Entry:
    form = key_form(word)
    analysis: Analysis = Morphology(language).analyse(form, shape)
    frequency = form_frequencies(language)
    return Entry(
        language=language,
        form=form,
        shape=shape.name.lower(),
        term=analysis.term,
        strict=analysis.term if analysis.in_dictionary else None,
        lemma=analysis.lemma,
        part_of_speech=analysis.part_of_speech,
        flags=analysis.kinds.labels(),
        known=analysis.known,
        zipf=zipf(frequency(form)),
        lemma_zipf=zipf(frequency(analysis.lemma)),
        stem=stem(form, language),
        source=analysis.source,
        why=analysis.why,
    )


_PLAIN: Final = 0
"""Index of the shape that counts for a lower-case word: inside a sentence. For a capitalised word it is the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One answer of one rung, or the absence of an answer."""

    word: str  # the word as given
    source: Language  # language that the word was assumed to be in
    # the term that documents make of the word, or its key form if it is not a term; with a capital if it is an English
    # noun written as a name
    term: str
    is_term: bool  # whether documents can have it as a term; otherwise it can only occur in tables
    rung: str  # name of the rung
    answer: str | None  # equivalent; `None` if the rung has no answer
    confidence: float | None  # confidence of the answer, 0 to 1; `None` without an answer
    wins: bool  # whether the ladder gives this answer
    why: str  # reason why it does not; empty if it does

    def as_dict(self) -> dict[str, object]:
        """Return the values by name, for JSON."""
        return asdict(self)


def ladder_of(word: str, target: Language, source: Language | None = None) -> list[Step]:
    """List what every rung answers for a word, in the order in which the ladder asks them."""
    _check(word, target, source)
    if source == target:
        raise ConfigurationError(f"both languages are {target}; expected two: a word is its own equivalent")
    possible = [one for one in _form_languages(word) if one != target]
    # Those whose dictionaries know the word, or all of them if none does.
    likely = [one for one in possible if any(_find_terms(word, one, strict=True))] or possible
    languages = [source] if source else likely
    if not languages:
        raise ConfigurationError(
            f"{word!r} looks like {target} itself; give its language with --from, or another target with --to"
        )
    cache = ladder.answer_cache()
    return [step for one in languages for step in _list_steps(word, one, target, cache)]


def _form_languages(word: str) -> tuple[Language, ...]:
    key = key_form(word)
    if is_latin(key):
        return ("en",) if key.isalpha() else OUR_LANGUAGES
    return tuple(one for one in _CYRILLIC_LANGUAGES if not stray_letter(key, one, latin=True)) or _CYRILLIC_LANGUAGES


def _list_steps(word: str, source: Language, target: Language, cache: ladder.AnswerCache) -> list[Step]:
    terms = dict.fromkeys(filter(None, _find_terms(word, source)), True)
    if not _find_terms(word, source)[_PLAIN if word[0].islower() else -1]:
        key = key_form(word)
        terms.setdefault(lemma(key) if source == "en" else key, False)
    steps: list[Step] = []
    for term, is_term in terms.items():
        won = False
        for name, looked_up, answers, why in _ask_rungs(term, source, target, cache):
            permitted = ladder.allowed(plain_term(term), answers, source, target, looked_up=looked_up)
            for one in answers or (None,):
                wins = one in permitted and not won
                reason = (
                    "" if wins else why or _explain_refusal(one, term, source, target, looked_up=looked_up, won=won)
                )
                steps.append(
                    Step(
                        word=word,
                        source=source,
                        term=term,
                        is_term=is_term,
                        rung=name,
                        answer=one.term if one else None,
                        confidence=one.confidence if one else None,
                        wins=wins,
                        why=reason,
                    )
                )
            won = won or bool(permitted)
    return steps


def _find_terms(word: str, source: Language, *, strict: bool = False) -> list[str | None]:
    form, shapes = key_form(word), shapes_of(word)
    if source == "en":
        terms = [noun_term(form, shape) for shape in shapes]
        return [
            term and (marked_term(Form(form, shape), term) if shape == Shape.CAPITAL else term)
            for term, shape in zip(terms, shapes, strict=True)
        ]
    return terms_of([Form(form, shape) for shape in shapes], source, strict=strict)


def _ask_rungs(
    term: str, source: Language, target: Language, cache: ladder.AnswerCache
) -> list[tuple[str, bool, Sequence[Translation], str]]:
    """List each rung's name, whether it looks words up, its answers and, if it has none, the reason, in order."""
    found: list[tuple[str, bool, Sequence[Translation], str]] = []
    for rung in ladder.standard_rungs():
        plain = plain_term(term)
        answers = names_first(term, rung.translate([plain], source, target)[0], target)
        found.append(
            (rung.name, rung.looked_up, answers, "" if answers else rung.explain_silence(plain, source, target))
        )
        if rung.looked_up:
            known = cache.answers([plain], source, target)
            why = "remembered: no rung knows it" if plain in known else "not asked before"
            (remembered,) = ladder.Answers.read([known.get(plain, "")])
            found.append((cache.name, False, remembered, "" if remembered else why))
    return found


def _explain_refusal(
    answer: Translation | None, term: str, source: Language, target: Language, *, looked_up: bool, won: bool
) -> str:
    if answer is None:
        return "knows no equivalent"
    if ladder.is_blocked(term, source):
        return "refused: the word is on the block-list"
    if ladder.is_blocked(answer.term, target):
        return "refused: the answer is on the block-list"
    if not looked_up and answer.term in ladder.false_friends_of(term, source, target):
        return "refused: a false friend"
    return "a rung before it answers" if won else "knows no equivalent"


TOPS: Final = (5_000, 10_000)
_FORMS: Final = 100_000
"""Number of most frequent forms whose nouns are counted: more than enough for the 10,000 most frequent lemmas."""

_LISTED: Final = 0.85
"""Minimum confidence of a name that is listed or in use; below it, the name was only spelt by rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Coverage of the most frequent nouns of a language, as shares of their frequency mass, 0 to 1."""

    source: Language  # language of the nouns
    target: Language  # language of the equivalents
    top: int  # number of nouns
    covered: float  # share with an equivalent: the sum of the next four
    identity: float  # share spelt alike and in the target's lexicon
    dictionary: float  # share answered by our tables and imported ones
    names: float  # share of listed names, and of spellings that the target language uses
    cognates: float  # share answered by gated cognates
    spelt: float  # share of names spelt by rule that the target language is not known to use; not covered
    none: float  # share without an answer, or with only a skeleton or an identity that the target's lexicon lacks

    def as_dict(self) -> dict[str, object]:
        """Return the values by name, with shares rounded to 4 decimals."""
        return {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(self).items()}


def coverage(progress: Callable[[str, int, int | None], None] | None = None) -> list[Coverage]:
    """Measure coverage in all six directions, for each of ``TOPS``, by the tables: no cache, model or skeleton."""
    # Nouns are the terms of lower-case forms; their mass is the sum of their forms' frequencies in wordfreq.
    directions = list(permutations(OUR_LANGUAGES, 2))
    found: list[Coverage] = []
    for done, (source, target) in enumerate(directions):
        if progress:
            progress("coverage", done, len(directions))
        nouns = frequent_nouns(source)[: max(TOPS)]
        kinds = _classify([noun for noun, _ in nouns], source, target)
        found.extend(_measure(nouns[:top], kinds[:top], source, target, top) for top in TOPS)
    if progress:
        progress("coverage", len(directions), len(directions))
    return found


@cache
def frequent_nouns(language: Language) -> tuple[tuple[str, float], ...]:
    """Return the nouns of a language with the share of running words that their forms account for, largest first."""
    words, frequency = frequent_words(language)[:_FORMS], form_frequencies(language)
    forms = [Form(word, Shape.LOWER) for word in words]
    terms = (
        [noun_term(word, Shape.LOWER) for word in words] if language == "en" else terms_of(forms, language, strict=True)
    )
    mass: dict[str, float] = {}
    for word, term in zip(words, terms, strict=True):
        if term is not None:
            mass[term] = mass.get(term, 0.0) + frequency(word)
    return tuple(sorted(mass.items(), key=lambda item: (-item[1], item[0])))


def _measure(
    nouns: Sequence[tuple[str, float]], kinds: Sequence[str], source: Language, target: Language, top: int
) -> Coverage:
    total = sum(mass for _, mass in nouns)
    shares = dict.fromkeys(("identity", "dictionary", "names", "cognates", "spelt", "none"), 0.0)
    for (_, mass), kind in zip(nouns, kinds, strict=True):
        shares[kind] += mass / total
    covered = 1.0 - shares["spelt"] - shares["none"]
    return Coverage(source=source, target=target, top=top, covered=covered, **shares)


def _classify(nouns: Sequence[str], source: Language, target: Language) -> list[str]:
    rungs = (IdentityRung(), DictionaryRung(), NamesRung(), CognatesRung())
    answers = ladder.Translator(source, target, rungs=rungs).translate(nouns)
    return [_classify_answers(noun, found, target) for noun, found in zip(nouns, answers, strict=True)]


def _classify_answers(noun: str, answers: Sequence[Translation], target: Language) -> str:
    if not answers:
        return "none"
    rung = answers[0].rung
    if rung == NamesRung.name and all(one.confidence < _LISTED for one in answers):
        return "none" if _is_strange(noun, answers, target) else "spelt"
    return "none" if rung != DictionaryRung.name and _is_strange(noun, answers, target) else rung


def _is_strange(noun: str, answers: Sequence[Translation], target: Language) -> bool:
    """Return whether the noun is its own only equivalent and is missing from the target's lexicon."""
    if any(one.term != noun for one in answers):
        return False
    known = form_frequencies(target)(noun) > 0 or noun in names(target) or noun in personal_names(target)
    return not known


# Frequency dictionaries, built from wordfreq's forms


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
        OneOf(*OUR_LANGUAGES).check("language", language)
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
