"""Tell surnames from cases of other names: Петров is not a case of Петр, Мошкова not one of the village Мошково."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from infostream_dedup.language.lexicon.name_tables import NameKind, names, personal_names
from infostream_dedup.language.morphology.readings import WordReading
from infostream_dedup.model import Language

__all__ = ["surname_instead"]

_NAMES: Final = NameKind.FIRST_NAME | NameKind.PLACE
_OF_MEN: Final = ("ов", "ев", "єв", "ів", "їв")
"""Endings of surnames that are also genitives of the plural."""
_OF_VILLAGES: Final = ("ово", "ево", "ино", "ыно")
_CASES: Final = ("а", "у")


def surname_instead(form: str, lemma: str, readings: Sequence[WordReading], language: Language) -> str | None:
    """Return the surname that a capitalised form is likelier to be; ``None`` if the lemma may stand.

    News hardly ever speak of several people by their first name, and no longer decline villages in -ово.

    Args:
        form: a key form.
        lemma: its best lemma so far.
        readings: those of the form.
        language: ``ru`` or ``uk``.

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
