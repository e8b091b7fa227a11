"""The ladder: every term goes from rung to rung until one of them knows its equivalents.

Order: what is alike in all languages, the cache, our dictionary and imported tables, names, cognates, an installed
translation model, and last a skeleton that is no translation. The first rung that answers wins, and all its equivalents
count. Terms are translated by vocabulary, each once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Language
from infostream_dedup.translation.answer_cache import AnswerCache, answer_cache
from infostream_dedup.translation.refusals import allowed
from infostream_dedup.translation.rung import RUNGS, Rung, Translation

__all__ = ["SAME", "Translator", "standard_rungs"]

SAME: Final = "same"
"""Rung of a term that needs no translation: its language is the target language."""


_Answers = tuple[Translation, ...]

_BATCH: Final = 50_000


def standard_rungs() -> tuple[Rung, ...]:
    """Make all registered rungs, in their order. The cache is not one of them."""
    return tuple(make() for make in RUNGS.values())


class Translator:
    """Equivalents of terms of one language in another.

    Args:
        source: language of the terms.
        target: language of the equivalents; the same language gives back the terms.
        rungs: other rungs than the standard ones; then nothing is remembered unless a cache is given.
        cache: where answers of slow rungs are remembered.

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

    def translate(self, terms: Sequence[str], progress: Progress | None = None) -> list[_Answers]:
        """All equivalents of each term by the first rung that knows it.

        Args:
            terms: key forms: ``morph`` terms of Russian and Ukrainian, lemmas of English.
            progress: told of every batch.

        Returns:
            As many tuples, best first; an empty one where there is no equivalent.

        Raises:
            BadDataError: a table or an installed translation model is broken.
        """
        if self.source == self.target:
            return [(Translation(term, SAME, 1.0),) for term in terms]
        distinct = list(dict.fromkeys(terms))
        found: dict[str, _Answers] = {}
        for start in range(0, len(distinct), _BATCH):
            found.update(self._translated(distinct[start : start + _BATCH]))
            if progress:
                progress("translate", min(start + _BATCH, len(distinct)), len(distinct))
        return [found[term] for term in terms]

    def explain(self, term: str) -> list[tuple[str, _Answers]]:
        """What every rung answers, in their order, whether or not one before it knows the term.

        Returns:
            Name of the rung and its equivalents.
        """
        if self.source == self.target:
            return [(SAME, (Translation(term, SAME, 1.0),))]
        answers = [(rung.name, self._asked(rung, [term]).get(term, ())) for rung in self._rungs]
        if self._cache is not None:
            fast = sum(not rung.remembered for rung in self._rungs)
            answers.insert(fast, (self._cache.name, self._cache.translate([term], self.source, self.target)[0]))
        return answers

    def _translated(self, terms: Sequence[str]) -> dict[str, _Answers]:
        found: dict[str, _Answers] = {}
        fast = [rung for rung in self._rungs if not rung.remembered]
        slow = [rung for rung in self._rungs if rung.remembered]
        rest = self._climbed(fast, terms, found)
        if self._cache is not None:
            found.update(self._cache.answers(rest, self.source, self.target))
            rest = [term for term in rest if term not in found]
        without = self._climbed(slow, rest, found)
        found.update((term, ()) for term in without)
        if self._cache is not None:
            self._cache.remember({term: found[term] for term in rest}, self.source, self.target)
        return found

    def _climbed(self, rungs: Sequence[Rung], terms: Sequence[str], found: dict[str, _Answers]) -> list[str]:
        """Ask the rungs one after the other for what is still open; returns what none of them knows."""
        rest = list(terms)
        for rung in rungs:
            if rest:
                answered = self._asked(rung, rest)
                found.update(answered)
                rest = [term for term in rest if term not in answered] if answered else rest
        return rest

    def _asked(self, rung: Rung, terms: Sequence[str]) -> dict[str, _Answers]:
        """What a rung may answer; terms that it has no answer for are absent."""
        answers = rung.translate(terms, self.source, self.target)
        return {
            term: kept
            for term, one in zip(terms, answers, strict=True)
            if one and (kept := allowed(term, one, self.source, self.target, looked_up=rung.looked_up))
        }
