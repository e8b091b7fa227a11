"""Shows the whole translation ladder for one word: what each rung answers, what is refused and which answer wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.lexicography.letters import stray_letter
from infostream_dedup.lab.lexicography.show import shapes_of
from infostream_dedup.language.lexicon.spelling import is_latin, key_form
from infostream_dedup.language.morphology.english_lemmas import lemma, noun_term
from infostream_dedup.language.morphology.form_cache import terms_of
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation.answer_cache import AnswerCache, answer_cache
from infostream_dedup.language.translation.ladder import standard_rungs
from infostream_dedup.language.translation.refusals import allowed, false_friends_of, is_blocked
from infostream_dedup.language.translation.rung import Translation
from infostream_dedup.language.translation.written_names import marked_term, names_first, plain_term
from infostream_dedup.model import OUR_LANGUAGES, Language

__all__ = ["Step", "ladder_of"]

_PLAIN: Final = 0
"""Index of the shape that counts for a lower-case word: inside a sentence. For a capitalised word it is the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One answer of one rung, or the absence of an answer.

    Attributes:
        word: the word as given.
        source: language that the word was assumed to be in.
        term: the term that documents make of the word, or its key form if it is not a term; with a capital if it is
            an English noun written as a name.
        is_term: whether documents can have it as a term; otherwise it can only occur in tables.
        rung: name of the rung.
        answer: equivalent; ``None`` if the rung has no answer.
        confidence: confidence of the answer, 0 to 1; ``None`` without an answer.
        wins: whether the ladder gives this answer.
        why: reason why it does not; empty if it does.
    """

    word: str
    source: Language
    term: str
    is_term: bool
    rung: str
    answer: str | None
    confidence: float | None
    wins: bool
    why: str

    def as_dict(self) -> dict[str, object]:
        """Return the values by name, for JSON."""
        return asdict(self)


def ladder_of(word: str, target: Language, source: Language | None = None) -> list[Step]:
    """List what every rung answers for a word, in the order in which the ladder asks them.

    Args:
        word: one word as spelt in a text, in any case form.
        target: language of the answers.
        source: language of the word; by default the languages other than the target that its letters allow, narrowed
            to those whose dictionaries know it, if any do.

    Returns:
        Steps by language, then by term (a capital letter may make a different term), then by rung.

    Raises:
        ConfigurationError: the word is empty or contains white space, a language is unknown, or both are the same.
        BadDataError: a table or an installed model is malformed.
    """
    if not word or len(word.split()) != 1:
        raise ConfigurationError(f"the word is {word!r}; expected one word without spaces")
    for language in (target, source):
        if language is not None and language not in OUR_LANGUAGES:
            raise ConfigurationError(f"language is {language!r}; expected one of {', '.join(OUR_LANGUAGES)}")
    if source == target:
        raise ConfigurationError(f"both languages are {target}; expected two: a word is its own equivalent")
    languages = (source,) if source else _choose_likely(word, [one for one in _find_languages(word) if one != target])
    if not languages:
        raise ConfigurationError(
            f"{word!r} looks like {target} itself; give its language with --from, or another target with --to"
        )
    cache = answer_cache()
    return [step for one in languages for step in _list_steps(word, one, target, cache)]


def _find_languages(word: str) -> tuple[Language, ...]:
    key = key_form(word)
    if is_latin(key):
        return ("en",) if key.isalpha() else OUR_LANGUAGES
    cyrillic: tuple[Language, ...] = ("ru", "uk")
    return tuple(one for one in cyrillic if not stray_letter(key, one, latin=True)) or cyrillic


def _choose_likely(word: str, languages: Sequence[Language]) -> tuple[Language, ...]:
    """Return the languages whose dictionaries know the word, or all of them if none does."""
    return tuple(one for one in languages if any(_find_terms(word, one, strict=True))) or tuple(languages)


def _list_steps(word: str, source: Language, target: Language, cache: AnswerCache) -> list[Step]:
    terms = dict.fromkeys(filter(None, _find_terms(word, source)), True)
    if not _find_terms(word, source)[_PLAIN if word[0].islower() else -1]:
        key = key_form(word)
        terms.setdefault(lemma(key) if source == "en" else key, False)
    steps: list[Step] = []
    for term, is_term in terms.items():
        won = False
        for name, looked_up, answers, why in _ask_rungs(term, source, target, cache):
            permitted = allowed(plain_term(term), answers, source, target, looked_up=looked_up)
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
    """Return the term for each shape in which the word can occur in a text."""
    form, shapes = key_form(word), shapes_of(word)
    if source == "en":
        terms = [noun_term(form, shape) for shape in shapes]
        return [
            term and (marked_term(Form(form, shape), term) if shape == Shape.CAPITAL else term)
            for term, shape in zip(terms, shapes, strict=True)
        ]
    return terms_of([Form(form, shape) for shape in shapes], source, strict=strict)


def _ask_rungs(
    term: str, source: Language, target: Language, cache: AnswerCache
) -> list[tuple[str, bool, Sequence[Translation], str]]:
    """List each rung's name, whether it looks words up, its answers and, if it has none, the reason, in order."""
    found: list[tuple[str, bool, Sequence[Translation], str]] = []
    for rung in standard_rungs():
        plain = plain_term(term)
        answers = names_first(term, rung.translate([plain], source, target)[0], target)
        found.append(
            (rung.name, rung.looked_up, answers, "" if answers else rung.explain_silence(plain, source, target))
        )
        if rung.looked_up:
            found.append(_look_up_remembered(plain, source, target, cache))
    return found


def _look_up_remembered(
    term: str, source: Language, target: Language, cache: AnswerCache
) -> tuple[str, bool, Sequence[Translation], str]:
    known = cache.answers([term], source, target)
    if term not in known:
        return cache.name, False, (), "not asked before"
    return cache.name, False, known[term], "" if known[term] else "remembered: no rung knows it"


def _explain_refusal(
    answer: Translation | None, term: str, source: Language, target: Language, *, looked_up: bool, won: bool
) -> str:
    if answer is None:
        return "knows no equivalent"
    if is_blocked(term, source):
        return "refused: the word is on the block-list"
    if is_blocked(answer.term, target):
        return "refused: the answer is on the block-list"
    if not looked_up and answer.term in false_friends_of(term, source, target):
        return "refused: a false friend"
    return "a rung before it answers" if won else "knows no equivalent"
