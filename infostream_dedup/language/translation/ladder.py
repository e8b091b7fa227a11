"""The ladder of translation: every term passes from rung to rung until one of them knows its equivalents.

The order is: words alike in all languages, the cache, our dictionary and imported tables, names, cognates, an installed
translation model, and finally a skeleton, which is not a translation. The first rung that answers wins, with all its
equivalents. Vocabularies are translated, so each term is translated only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from infostream_dedup.language.translation.answer_cache import AnswerCache, answer_cache
from infostream_dedup.language.translation.refusals import allowed
from infostream_dedup.language.translation.rung import RUNGS, Rung, Translation
from infostream_dedup.language.translation.written_names import names_first, plain_term
from infostream_dedup.machine.collector import collector_paused
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import OUR_LANGUAGES, Language

SAME: Final = "same"
"""Rung of a term whose language is the target language."""


_Answers = tuple[Translation, ...]

_BATCH: Final = 50_000


def standard_rungs() -> tuple[Rung, ...]:
    """Create all registered rungs, in order. The cache is not one of them."""
    return tuple(make() for make in RUNGS.values())


def dictionary_rungs() -> tuple[Rung, ...]:
    """Create the rungs that look words up and start at once; the others recognise names and cognates, or guess."""
    # The registry would import all rungs.
    from infostream_dedup.language.translation.rungs.dictionary import DictionaryRung
    from infostream_dedup.language.translation.rungs.identity import IdentityRung

    return IdentityRung(), DictionaryRung()


class Translator:
    """Translates terms from one language to another.

    Args:
        source: language of the terms.
        target: language of the equivalents; for the same language the terms are returned.
        rungs: rungs instead of the standard ones; then answers are cached only if ``cache`` is given.
        cache: caches the answers of slow rungs.

    Example:
        >>> translator = Translator("uk", "ru", rungs=standard_rungs())
        >>> [found[0].term for found in translator.translate(["уряд", "хартія"])]
        ['правительство', 'хартия']
    """

    def __init__(
        self,
        source: Language,
        target: Language,
        *,
        rungs: Sequence[Rung] | None = None,
        cache: AnswerCache | None = None,
    ) -> None:
        self.source = source
        self.target = target
        self._rungs = tuple(standard_rungs() if rungs is None else rungs)
        self._cache = answer_cache() if rungs is None and cache is None and source != target else cache

    @collector_paused()
    def translate(self, terms: Sequence[str], progress: Progress | None = None) -> list[_Answers]:
        """Return all equivalents of each term by the first rung that knows it.

        Returns:
            One tuple for each term, best equivalent first; empty if there is none, as for languages other than ours.
        """
        if self.source == self.target:
            return [(Translation(plain_term(term), SAME, 1.0),) for term in terms]
        if self.source not in OUR_LANGUAGES or self.target not in OUR_LANGUAGES:
            return [()] * len(terms)
        asked = [plain_term(term) for term in terms]
        distinct = list(dict.fromkeys(asked))
        found: dict[str, _Answers] = {}
        for start in range(0, len(distinct), _BATCH):
            found.update(self._translate_batch(distinct[start : start + _BATCH]))
            if progress:
                progress("translate", min(start + _BATCH, len(distinct)), len(distinct))
        return [names_first(term, found[plain], self.target) for term, plain in zip(terms, asked, strict=True)]

    def explain(self, term: str) -> list[tuple[str, _Answers]]:
        """Return the answers of all rungs in order, whether or not an earlier one knows the term."""
        if self.source == self.target:
            return [(SAME, (Translation(term, SAME, 1.0),))]
        answers = [(rung.name, self._ask_rung(rung, [term]).get(term, ())) for rung in self._rungs]
        if self._cache is not None:
            fast = sum(not rung.remembered for rung in self._rungs)
            answers.insert(fast, (self._cache.name, self._cache.translate([term], self.source, self.target)[0]))
        return answers

    def _translate_batch(self, terms: Sequence[str]) -> dict[str, _Answers]:
        found: dict[str, _Answers] = {}
        fast = [rung for rung in self._rungs if not rung.remembered]
        slow = [rung for rung in self._rungs if rung.remembered]
        rest = self._climb(fast, terms, found)
        if self._cache is not None:
            found.update(self._cache.answers(rest, self.source, self.target))
            rest = [term for term in rest if term not in found]
        without = self._climb(slow, rest, found)
        found.update((term, ()) for term in without)
        if self._cache is not None:
            self._cache.remember({term: found[term] for term in rest}, self.source, self.target)
        return found

    def _climb(self, rungs: Sequence[Rung], terms: Sequence[str], found: dict[str, _Answers]) -> list[str]:
        """Ask the rungs in turn for the remaining terms; return the terms that none of them knows."""
        rest = list(terms)
        for rung in rungs:
            if rest:
                answered = self._ask_rung(rung, rest)
                found.update(answered)
                rest = [term for term in rest if term not in answered] if answered else rest
        return rest

    def _ask_rung(self, rung: Rung, terms: Sequence[str]) -> dict[str, _Answers]:
        """Return the allowed answers of a rung; terms without an answer are absent."""
        answers = rung.translate(terms, self.source, self.target)
        return {
            term: kept
            for term, one in zip(terms, answers, strict=True)
            if one and (kept := allowed(term, one, self.source, self.target, looked_up=rung.looked_up))
        }
