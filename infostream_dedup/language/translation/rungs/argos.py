"""The rung of the ladder that asks an installed translation model of Argos Translate.

It follows dictionaries, names and cognates, because a model is less reliable and slower. Words are translated greedily
in big batches, each once, never document by document.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.lexicon.word_lists import stop_words
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.text.normalise import clean, fold
from infostream_dedup.language.text.tokens import SENTENCE_MARK, forms, surfaces
from infostream_dedup.language.translation.model_files import InstalledModel, LoadedModel, best_models
from infostream_dedup.language.translation.rungs import Rung, Translation, register
from infostream_dedup.model import OUR_LANGUAGES, Language

CONFIDENCE: Final = 0.8  # confidence in one model; a translation through a third language has the product of two
_PIVOTS: Final[tuple[Language, ...]] = ("en", *(language for language in OUR_LANGUAGES if language != "en"))
"""English first: most models of Argos Translate are from or to it."""

_log = logging.getLogger(__name__)


@register(order=50)
class ArgosRung(Rung):
    """Translates terms by installed models; without the extra ``translate`` one warning says what is missing."""

    name = "argos"

    def __init__(self, *, folder: Path | None = None) -> None:
        self._models = best_models(folder)
        self._loaded: dict[InstalledModel, LoadedModel] = {}
        self._extra_is_missing = False

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        """Return at most one translation of each term, of confidence .8 (.64 through a third language)."""
        route = self.route(source, target)
        if not terms or not route or self._extra_is_missing:
            return [()] * len(terms)
        try:
            models = [self._load(model) for model in route]
        except MissingExtraError as error:
            self._extra_is_missing = True
            _log.warning("%s; continuing without installed translation models", error)
            return [()] * len(terms)
        confidence = round(CONFIDENCE ** len(route), 2)
        return [
            () if answer is None else (Translation(answer, self.name, confidence),)
            for answer in _through(models, route, terms)
        ]

    def route(self, source: Language, target: Language) -> tuple[InstalledModel, ...]:
        """Return the models from one language to another: one, two through a third language, or none."""
        direct = self._models.get((source, target))
        if direct:
            return (direct,)
        for middle in _PIVOTS:
            first, second = self._models.get((source, middle)), self._models.get((middle, target))
            if first and second:
                return first, second
        return ()

    def explain_silence(self, term: str, source: Language, target: Language) -> str:  # noqa: ARG002 - of the class
        """Say whether a model is missing."""
        if not self.route(source, target):
            return f"no model from {source} to {target} is installed"
        return "the model gives no single word, or its packages are missing"

    def _load(self, model: InstalledModel) -> LoadedModel:
        if model not in self._loaded:
            self._loaded[model] = LoadedModel(model)
        return self._loaded[model]


def _through(models: Sequence[LoadedModel], route: Sequence[InstalledModel], terms: Sequence[str]) -> list[str | None]:
    """Translate terms by one model after another; intermediate answers may have several words."""
    # Models were trained on texts with typewriter apostrophes.
    texts: list[str | None] = [term.replace(APOSTROPHE, "'") for term in terms]
    for number, (model, step) in enumerate(zip(models, route, strict=True), start=1):
        judge = single_term if number == len(route) else phrase_of
        asked = [place for place, text in enumerate(texts) if text is not None]
        outputs = model.translate([texts[place] or "" for place in asked])
        texts = [None] * len(terms)
        for place, output in zip(asked, outputs, strict=True):
            texts[place] = judge(output, terms[place], step.target)
    return texts


# Turn the output of a model into terms. It always writes something: it may copy the word, repeat a syllable, change
# the alphabet, or explain in several words; none of that is an equivalent.

_LONGEST_RATIO: Final = 3
_LONG: Final = 16  # output up to this length is never too long: уряд is правительство, дім is building
_UNKNOWN: Final = ("⁇", "<unk>")
_ARTICLES: Final = ("the", "a", "an")
# One to three letters three times in a row, four to forty twice: тетете, законзакон; not кускус.
_STUTTER: Final = re.compile("(.{1,3})\\1\\1|(.{4,40})-?\\2", re.DOTALL)
_FOREIGN: Final[dict[Language, re.Pattern[str]]] = {
    "ru": re.compile(f"[A-Za-zіїєґ{APOSTROPHE}]"),
    "uk": re.compile("[A-Za-zыэъ]"),
    "en": re.compile("[\u0400-\u052f]"),
}


def phrase_of(output: str, term: str, target: Language) -> str | None:
    """Return the words of an output in their case without punctuation and article; ``None`` for no translation."""
    if any(mark in output for mark in _UNKNOWN):
        return None
    words = [surface.removeprefix(SENTENCE_MARK) for surface in surfaces(clean(output))]
    if target == "en" and len(words) > 1 and words[0].lower() in _ARTICLES:
        del words[0]
    phrase = " ".join(words)
    folded = " ".join(map(fold, words))
    if not words or folded == term or len(phrase) > max(_LONG, _LONGEST_RATIO * len(term)):
        return None
    if _STUTTER.search(folded) or _FOREIGN[target].search(folded) or len(set(words)) < len(words):
        return None
    return phrase


def single_term(output: str, term: str, target: Language) -> str | None:
    """Return the term in an output, or ``None`` if there is none."""
    phrase = phrase_of(output, term, target)
    if phrase is None or " " in phrase:
        return None
    found = forms(SENTENCE_MARK + phrase)
    if len(found) != 1:
        return None
    form, shape = found[0]
    if target == "en":
        return None if form in stop_words("en") else form
    result = _morphology(target).noun_term(form, shape)
    return None if result == term else result


@cache
def _morphology(language: Language) -> Morphology:
    return Morphology(language)
