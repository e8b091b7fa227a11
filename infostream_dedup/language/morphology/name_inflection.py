"""Reduce inflected proper names to one nominative, without a dictionary of their paradigms.

pymorphy3 guesses the lemma of an unknown word from each form alone, so that one name gets several lemmas (Шольц and
Шольца become "шольц" and "шолец"). Here, every division of a form into stem and ending is weighted by the frequency of
the *whole* paradigm of that stem, and the nominative depends only on the stem, so that all forms of a name share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from infostream_dedup.language.lexicon.name_tables import NameKind, names, personal_names
from infostream_dedup.language.morphology.readings import WordReading
from infostream_dedup.model import Language

_NAMES: Final = NameKind.FIRST_NAME | NameKind.PLACE
_OF_MEN: Final = ("ов", "ев", "єв", "ів", "їв")
"""Endings of surnames that are also genitives of the plural."""
_OF_VILLAGES: Final = ("ово", "ево", "ино", "ыно")
_CASES: Final = ("а", "у")


def surname_instead(form: str, lemma: str, readings: Sequence[WordReading], language: Language) -> str | None:
    """Return the surname that a capitalised form is likelier to be; ``None`` if the lemma may stand.

    News hardly ever speak of several people by their first name, and no longer decline villages in -ово.

    Example:
        >>> from infostream_dedup.language.morphology.readings import readings_of
        >>> surname_instead("мошкова", "мошково", readings_of("ru").readings("мошкова"), "ru")
        'мошков'
    """
    if lemma == form or not any(one.kinds & _NAMES for one in readings if one.lemma == lemma):
        return None
    if form.endswith(_OF_MEN):
        surname = form
    elif _is_village(lemma, language) and form in {lemma[:-1] + ending for ending in _CASES}:
        surname = form[:-1]
    else:
        return None
    return surname if surname in personal_names(language) else None


def _is_village(lemma: str, language: Language) -> bool:
    """Whether a place is too small for our tables (Косово is listed)."""
    return lemma.endswith(_OF_VILLAGES) and lemma not in names(language)


_SHORTEST_STEM: Final = 3


@dataclass(frozen=True, slots=True)
class _Declension:
    """Endings of one kind of stem.

    Attributes:
        stems: endings of its stems; empty for the stems that no other declension covers.
        endings: all case endings, the longest first.
        nominatives: endings of the nominative, each with the weight of its evidence: an ending that other declensions
            use in an oblique case weighs less. Without any evidence, the first one is used.
    """

    stems: tuple[str, ...]
    endings: tuple[str, ...]
    nominatives: tuple[tuple[str, float], ...]


def _declension(stems: str, endings: str, nominatives: str) -> _Declension:
    """Make a declension from plain text: ``-`` is the empty ending, ``а/.5`` a nominative with its weight."""
    cut = sorted((_ending(part) for part in endings.split()), key=lambda ending: (-len(ending), ending))
    weighed = (part.partition("/") for part in nominatives.split())
    return _Declension(
        tuple(stems.split()),
        tuple(cut),
        tuple((_ending(ending), float(weight or 1)) for ending, _, weight in weighed),
    )


def _ending(part: str) -> str:
    return "" if part == "-" else part


_RU: Final = "- а у ом ем е ы и я ю й ь ой ей ою ею ам ям ами ями ах ях"
_UK: Final = "- а у ові ом ем єм еві єві і ї и я ю й ь о ою ею єю ам ям ами ями ах ях"
_RU_AFTER_VOWEL: Final = "я ю ем е и й ей ею ям ями ях"
_UK_AFTER_VOWEL: Final = "я ю єм єві ї й єю ям ями ях"
_RU_NOMINATIVES: Final = "- й ь а/.5 я/.5 е/.25 и/.25 ы/.25 у/.25"

_DECLENSIONS: Final[dict[Language, tuple[_Declension, ...]]] = {
    "ru": (
        _declension("ск цк", "ий ого ому им ом ая ой ую ою ие их ими ое", "ий"),
        _declension("ск цк", "- а у ом е", "-"),
        _declension("ов ев ин ын", "- а у ым ом е ой ы ых ыми о", "- о/.5 а/.25"),
        _declension("и", _RU_AFTER_VOWEL, "я й"),
        _declension("а е о у э ы", _RU_AFTER_VOWEL, "й я/.5"),
        _declension("н", _RU, _RU_NOMINATIVES),
        _declension("н", "ый ого ому ым ая ую ые ых ыми", "ый ой/.5"),
        _declension("", _RU, _RU_NOMINATIVES),
        _declension("", "ый ого ому ым ые ых ыми", "ый ой/.5"),
    ),
    "uk": (
        _declension("ськ цьк зьк", "ий ого ому им ім а ій ої у ою і их ими е", "ий"),
        _declension("ськ цьк зьк", "- а у ом ові", "-"),
        _declension("ов ев єв ін їн", "- а у им ом ові ій ої ою и их ими о", "- о/.5 а/.25"),
        _declension("енк", _UK, "о -/.25"),
        _declension("і", _UK_AFTER_VOWEL, "я й"),
        _declension("а е є о у и ї", _UK_AFTER_VOWEL, "й я/.5"),
        _declension("", _UK, "- й ь а/.5 я/.5 о/.5 і/.25 и/.25 у/.25"),
        _declension("", "ий ого ому им ім ій ої их ими", "ий"),
    ),
    "en": (),
}


_PLURAL_GENITIVES: Final[dict[Language, tuple[str, ...]]] = {"ru": ("ов", "ев"), "uk": ("ів", "їв"), "en": ()}
"""Only used to look words up in a list: as endings of unknown names, they would turn Курбанов into Курбан."""


_FLEETING: Final[dict[Language, str]] = {"ru": "ец", "uk": "ець", "en": ""}


def nominatives(form: str, language: Language) -> Iterator[str]:
    """Yield every word that the form can be a case of, the form itself included; words may repeat.

    Intended for looking words up in a list: most candidates are not words.

    Args:
        language: language of the form; English has no cases, so only the form itself is yielded.
    """
    yield form
    for stem, declension in _cuts(form, language):
        for word, _ in _weighed_nominatives(stem, declension, language):
            yield word
    if form.endswith(_PLURAL_GENITIVES[language]) and len(form) >= _SHORTEST_STEM + 2:
        yield form[:-2]


def predicted_nominative(form: str, language: Language, evidence: Callable[[str], float]) -> str:
    """Return the likeliest nominative of an unknown proper name.

    Args:
        evidence: returns how often a word occurs, on any scale; 0 for never.

    Returns:
        The nominative of the stem whose forms together occur most often, or of the shortest stem if no form of any stem
        occurs. All case forms of a name share it as long as its stem wins for each of them.
    """
    best: tuple[float, str, _Declension] | None = None
    for stem, declension in _cuts(form, language):
        total = sum(evidence(stem + ending) for ending in declension.endings)
        if best is None or total > best[0]:
            best = (total, stem, declension)
    if best is None:
        return form
    _, stem, declension = best
    # max keeps the first of equals, so the order of the table decides.
    candidates = _weighed_nominatives(stem, declension, language)
    return max(candidates, key=lambda candidate: candidate[1] * evidence(candidate[0]))[0]


def _weighed_nominatives(stem: str, declension: _Declension, language: Language) -> list[tuple[str, float]]:
    """Return the nominatives of a stem with their weights; Лубинц- gains a vowel there that the other cases drop."""
    found = [(stem + ending, weight) for ending, weight in declension.nominatives]
    if stem.endswith("ц") and len(stem) > _SHORTEST_STEM:
        found.append((stem[:-1] + _FLEETING[language], 1.0))
    return found


def _cuts(form: str, language: Language) -> Iterator[tuple[str, _Declension]]:
    """Yield the stems and declensions that can make the form, the shortest stem first."""
    for size in (3, 2, 1, 0):
        stem, ending = (form[:-size], form[-size:]) if size else (form, "")
        if size and len(stem) < _SHORTEST_STEM:
            continue
        for declension in _fitting(stem, language):
            if ending in declension.endings:
                yield stem, declension


def _fitting(stem: str, language: Language) -> list[_Declension]:
    """Return the declension for a stem, or the general one."""
    table = _DECLENSIONS[language]
    return [one for one in table if one.stems and stem.endswith(one.stems)] or [one for one in table if not one.stems]
