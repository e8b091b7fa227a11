"""Find the sentences of a copy in the text it was copied from, also those that were changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import ceil
from typing import Final

__all__ = ["sentence_partners"]

_ALIKE: Final = 0.5
"""Minimum share of common words, 2 m / (n + m), of two versions of a sentence."""

_MOST_HOLDERS: Final = 2000
"""A word of more sentences than this is not looked up, so that thousands of sentences from one template, which differ
in a number, are not compared each with each. Such a sentence has a changed version only if they share another word."""

Sentence = tuple[int, ...]
Occurrence = tuple[int, int]


def sentence_partners(before: Sequence[Sentence], after: Sequence[Sentence]) -> dict[int, int]:
    """Map sentences of the copy to their counterparts in the first document.

    Sentences of the same words are partners; then those most alike, each sentence once; among equals, the earliest of
    the copy, and for each of these the earliest of the first document.

    Args:
        before: numbers of the words of each sentence of the first document.
        after: the same of the copy.
    """
    # Equal sentences share a list of places, from which each takes the earliest that is left.
    places: dict[Sentence, list[int]] = {}
    for place in range(len(before) - 1, -1, -1):
        places.setdefault(before[place], []).append(place)
    partner = {number: places[words].pop() for number, words in enumerate(after) if places.get(words)}
    rest: dict[Sentence, list[int]] = {}
    for number, words in enumerate(after):
        if number not in partner:
            rest.setdefault(words, []).append(number)
    levels: defaultdict[float, defaultdict[int, list[list[int]]]] = defaultdict(lambda: defaultdict(list))
    for words, other, alike in _alike(rest, [words for words, left in places.items() if left]):
        for number in rest[words]:
            levels[alike][number].append(places[other])
    for alike in sorted(levels, reverse=True):
        for number, queues in sorted(levels[alike].items()):
            left = [queue for queue in queues if queue]
            if number not in partner and left:
                partner[number] = min(left, key=lambda queue: queue[-1]).pop()
    return partner


def _alike(some: Iterable[Sentence], others: Sequence[Sentence]) -> Iterator[tuple[Sentence, Sentence, float]]:
    """Yield the pairs of sentences that are alike.

    Of its n words, a sentence shares at least ``_ALIKE`` n / (2 - ``_ALIKE``) with any that is alike. So the most
    frequent words, one fewer than these, are not looked up; what is alike also has enough of the others. Nor are words
    of more than ``_MOST_HOLDERS`` sentences.
    """
    occurrences = {words: _occurrences(words) for words in (*some, *others)}
    times = Counter(one for words in occurrences.values() for one in words)
    holders: defaultdict[Occurrence, list[int]] = defaultdict(list)
    for place, words in enumerate(others):
        for one in occurrences[words]:
            holders[one].append(place)
    for words in some:
        own = sorted(occurrences[words], key=lambda one: (times[one], one))
        rare = len(own) + 1 - ceil(_ALIKE * len(own) / (2 - _ALIKE))
        asked = [one for one in own[:rare] if len(holders.get(one, ())) <= _MOST_HOLDERS]
        further = own[rare:] if len(asked) == rare else [one for one in own if one not in asked]
        met = Counter(chain.from_iterable(holders.get(one, ()) for one in asked))
        for place, common in met.items():
            both = len(own) + len(others[place])
            if 2 * (common + len(further)) >= _ALIKE * both:
                alike = 2 * (common + len(occurrences[others[place]].intersection(further))) / both
                if alike >= _ALIKE:
                    yield words, others[place], alike


def _occurrences(words: Sentence) -> frozenset[Occurrence]:
    """Number the occurrences of each word, so that common ones can be counted as in sets."""
    seen: Counter[int] = Counter()
    found = []
    for word in words:
        seen[word] += 1
        found.append((word, seen[word]))
    return frozenset(found)
