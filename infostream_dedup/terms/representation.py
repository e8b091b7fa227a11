"""Representations, which decide the term, if any, that a word of a text becomes, and how they are found.

A representation is one file in ``terms/representations/``; its name in the settings is the name of the file. The file
contains a subclass of ``Representation`` and an instance of it named ``REPRESENTATION``. Other packages offer an
instance by an entry point of the group ``infostream_dedup.representations``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import ClassVar, Final

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.language.lexicon.frequency import common_forms
from infostream_dedup.language.morphology.cache_file import cache_file
from infostream_dedup.language.morphology.form_cache import known_shares
from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.machine.arrays import Bools, Ints
from infostream_dedup.machine.platform import collector_paused
from infostream_dedup.model import OUR_LANGUAGES, Language, Settings
from infostream_dedup.model.limits import OneOf
from infostream_dedup.model.registry import offered
from infostream_dedup.model.settings import REPRESENTATIONS
from infostream_dedup.terms.key_terms import KeyTerms, Select, StatisticsOfTerms
from infostream_dedup.terms.statistics import TermCounts

_SHAPES: Final = tuple(Shape)


class Representation(ABC):
    """Turns words into terms; a subclass needs a name and ``terms``, and everything else has a default."""

    name: ClassVar[str]  # name in the settings, equal to the name of the file
    # colour of its curves in plots
    colour: ClassVar[str] = "#555555"
    marker: ClassVar[str] = "o"  # marker of its points in plots: `o`, `s` or `D`
    # whether the term depends on the capitals of a word; if not, each word is analysed once
    shaped: ClassVar[bool] = True
    parallel: ClassVar[bool] = False  # whether several threads may analyse parts of the words
    # whether the background is shipped with the package or cached on disk. Both depend only on the versions of the
    # shipped dictionaries and rules, so a representation with its own rules must leave this off
    cached: ClassVar[bool] = False

    def of_language(self, language: Language) -> Representation:  # noqa: ARG002 - for overriding
        """Return the representation that decides the terms of a language."""
        return self

    @abstractmethod
    def terms(self, forms: Sequence[Form], language: Language, settings: Settings) -> list[str | None]:
        """Return the term of each form, ``None`` for a form that is not a term."""

    def terms_of_new(self, keys: Sequence[str], language: Language, settings: Settings) -> list[str | None]:
        """Like ``terms``, for a caller that stores the answers itself."""
        return self.terms([Form(key[1:], _SHAPES[int(key[0])]) for key in keys], language, settings)

    def listed_terms(
        self, forms: SurfaceList, words: Ints, language: Language, settings: Settings, *, kept: bool = True
    ) -> tuple[Bools, SurfaceList]:
        """Like ``terms``, for words in the memory of compiled code."""
        numbers, shapes = np.divmod(words, len(_SHAPES)) if self.shaped else (words, np.zeros_like(words))
        with collector_paused():
            shaped = zip(forms.some(numbers), shapes.tolist(), strict=True)
            if kept:
                found = self.terms([Form(form, _SHAPES[shape]) for form, shape in shaped], language, settings)
            else:
                found = self.terms_of_new([f"{shape}{form}" for form, shape in shaped], language, settings)
            taken = np.fromiter((term is not None for term in found), np.bool_, len(found))
            return taken, SurfaceList.of([term for term in found if term is not None])

    def frequencies(self, language: Language) -> Mapping[str, float]:
        """Return the background: the share of running words of a language that each term makes up, 0 to 1.

        wordfreq has no case, so each form counts as if it opened a sentence. Languages other than ours have none.
        """
        if language not in OUR_LANGUAGES:
            return {}
        if self.cached:
            stored = known_shares(f"{language} {self.name}") or cache_file().frequencies(language, self.name)
            if stored:
                return stored
        found = self.summed_frequencies(language)
        if self.cached:
            cache_file().remember_frequencies(language, self.name, found)
        return found

    def summed_frequencies(self, language: Language) -> dict[str, float]:
        """Sum the frequencies of the forms of each term, without the shipped background."""
        shares: dict[str, float] = defaultdict(float)
        forms, frequencies = zip(*common_forms(language), strict=True)
        terms = self.background_terms([Form(form, Shape.START) for form in forms], language)
        for term, share in zip(terms, frequencies, strict=True):
            if term is not None:
                shares[term] += share
        return dict(sorted(shares.items()))

    def background_terms(self, forms: Sequence[Form], language: Language) -> list[str | None]:
        """Return the term that each form of the background counts for; those of documents by default."""
        return self.terms(forms, language, Settings(representation=self.name))

    def key_terms(
        self, counts: TermCounts, settings: Settings, select: Select, statistics: StatisticsOfTerms | None = None
    ) -> KeyTerms:
        """Return the key terms of documents."""
        return select(counts, settings, None if statistics is None else statistics(counts.terms))


def representation(name: str) -> Representation:
    """Return the representation with a given name."""
    OneOf(*REPRESENTATIONS).check("representation", name)
    point = offered("representations").get(name)
    if point is None:
        found: Representation = import_module(f"infostream_dedup.terms.representations.{name}").REPRESENTATION
        return found
    try:
        given = point.load()
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        raise ConfigurationError(f"representation {name} of {point.value} cannot be loaded: {told}") from error
    if not isinstance(given, Representation) or given.name != name:
        raise ConfigurationError(f"{point.value} is no Representation with the name {name}")
    return given


@cache
def term_frequencies(language: Language, name: str) -> Mapping[str, float]:
    """Return the background of a representation, computed once: term to share of running words, by code points."""
    return MappingProxyType(dict(representation(name).frequencies(language)))
