"""The order of words that match in two languages: a translation keeps it, another report of the topic does not.

Places are where words with a match stand in either text. The longest chain of matches that follow each other in both
texts is compared with the longest chain against the order: words that a topic repeats can be chained either way, so
only what the first chain has more than the second speaks for a translation. Texts of other languages have no places.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.judging.evidence.differing import ANOTHER_FIGURE, ANOTHER_WORD, WordDifference
from infostream_dedup.judging.evidence.numbers import may_contradict, other_figure, other_word
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.language.text.scanner import Scanned
from infostream_dedup.language.translation.told_sentences import meant_by
from infostream_dedup.links.pair_rules import LEAST_SHARE, SHARE_DECIMALS
from infostream_dedup.machine.arrays import Bools, Floats, Ints, Ragged, numbered_ends, offsets_of, places_of
from infostream_dedup.model import OUR_LANGUAGES, Settings
from infostream_dedup.model.settings import SHOWN_DECIMALS
from infostream_dedup.stream.analysis import Analyser, TermNumbers
from infostream_dedup.stream.kernels.pivot import compare_orders
from infostream_dedup.stream.pivot_terms import PivotWords, WrittenWords
from infostream_dedup.terms.compiled import SurfaceTokens

LEAST_PLACES: Final = 6  # with fewer places in either text, the order is not judged

LEAST_ORDER: Final = 0.5
"""Minimum `WordOrder.share` of a translation.

Of wmt, ntrex and multilingual, the other two keep .97 of their translations at .5, .5 and .517.
"""

LEAST_ALONE_ORDER: Final = 0.65
"""Minimum `WordOrder.share` of a translation if both texts have numbers, less than half of which agree.

It keeps all right ones of wmt, all but 1 of 2,494 of multilingual and 2 of 118 of ntrex.
"""

LEAST_NUMBERED_ORDER: Final = 0.3
"""Minimum `WordOrder.share` of a translation if both texts have at least three numbers, the same ones.

It finds 19 more right ones of multilingual and no wrong one.
"""

LEAST_SURE_ORDER: Final = 0.8
"""Minimum `WordOrder.share` where less than ``LEAST_SHARE`` of the key terms matches, with `LEAST_SURE_PLACES` places.

With these, multilingual has .90 of its translations instead of .83 and no further wrong one.
"""

LEAST_SURE_PLACES: Final = 8

FRONTS: Final = (25, 60)
"""Words in front of a text, in either of which a translation keeps the order too: all that two reports of other events
share, in one order, may be a background behind their leads."""

LEAST_FRONT_ORDER: Final = 0.25
"""Minimum `WordOrder.front`. It leaves out 4 wrong ones of 26 in slavictopics; of 3,211 right ones of ntrex and
multilingual, none has less than .3."""

LEAST_EVENT_ORDER: Final = 0.1
"""Minimum `WordOrder.share` of two reports of one event: of 34 that agree in numbers and names, it leaves out 3 of 5
that report two events, and one other."""


@dataclass(frozen=True, slots=True)
class WordOrder:
    """How far the words that match in two texts follow each other in the same order."""

    places: int  # places of words with a match, in the text with fewer of them
    chain: int  # of these, places in the longest chain in the order of both texts
    against: int  # places in the longest chain against the order
    front: float = 1.0  # the largest share of the `FRONTS` of both texts that have places enough

    @property
    def share(self) -> float | None:
        """Share of the places that only the order explains, at most 1, rounded; ``None`` with too few places."""
        if self.places < LEAST_PLACES:
            return None
        free = self.places - self.against
        return round((self.chain - self.against) / free, SHOWN_DECIMALS) if free else 0.0

    def keeps(self, matched: float, numbers: int = 0) -> bool:
        """Whether the texts may be translations of each other, if this share of their key terms matches.

        With too few places to tell, key terms alone decide. ``numbers``: as of ``Agreement``.
        """
        if self.front < LEAST_FRONT_ORDER:
            return False
        if matched >= LEAST_SHARE:
            least = {-1: LEAST_ALONE_ORDER, 0: LEAST_ORDER, 1: LEAST_NUMBERED_ORDER}[numbers]
            return self.share is None or self.share >= least
        return numbers >= 0 and self.places >= LEAST_SURE_PLACES and (self.share or 0) >= LEAST_SURE_ORDER


class OrderedWords:
    """The words of documents in the order of the text; ``languages`` are indexes into `LANGUAGES`."""

    def __init__(self, words: PivotWords, orders: Ragged, languages: NDArray[np.integer]) -> None:
        self._words, self._orders, self._languages = words, orders, languages

    def compared(self, a: Ints, b: Ints) -> list[WordOrder]:
        """Compare pairs of documents, given by their rows."""
        rows, numbers = np.unique(np.concatenate([a, b]), return_inverse=True)
        order = self._orders.rows(rows)
        owners, spoken = order.numbers, self._languages[rows]
        parts = []
        # Words of other languages have no equivalents.
        for language in range(len(OUR_LANGUAGES)):
            own = np.flatnonzero(spoken[owners] == language)
            words, met = self._words.met(language, order.values[own].astype(np.int64))
            parts.append((own[words], met.astype(np.int64)))
        entries, terms = (np.concatenate(part) for part in zip(*parts, strict=True))
        pairs, owners, places = numbers.reshape(2, -1), owners[entries], entries - order.indptr[owners[entries]]
        found = word_orders(pairs, owners, terms, places)
        some = (np.flatnonzero(places < front) for front in FRONTS)
        fronts = zip(*(word_orders(pairs, owners[own], terms[own], places[own]) for own in some), strict=True)
        return [
            replace(one, front=max((part.share for part in parts if part.share is not None), default=1.0))
            for one, parts in zip(found, fronts, strict=True)
        ]


def word_orders(pairs: Ints, owners: Ints, terms: Ints, places: Ints) -> list[WordOrder]:
    """Compare pairs of texts, int64 (2, pairs): which term each place of each of them has."""
    by_term = np.lexsort((places, terms, owners))
    bounds = offsets_of(np.bincount(owners, minlength=int(pairs.max(initial=-1)) + 1))
    found, longest = np.empty((pairs.shape[1], 3), dtype=np.int64), int(places.max(initial=-1)) + 1
    a, b = np.ascontiguousarray(pairs)
    compare_orders(a, b, bounds, terms[by_term], places[by_term], longest, found)
    return [WordOrder(*one) for one in found.tolist()]


def keep_order(compared: Iterable[WordOrder], shares: Floats, numbers: Ints) -> Bools:
    """Which pairs may be translations, if these shares of their key terms match, float64 (pairs, 2): bool (pairs,)."""
    matched = np.round(shares.min(axis=1), SHARE_DECIMALS).tolist()
    asked = zip(compared, matched, numbers.tolist(), strict=True)
    return np.array([one.keeps(share, agreed) for one, share, agreed in asked], dtype=np.bool_)


def tell_one_event(compared: Iterable[WordOrder], shares: Floats) -> Bools:
    """Which pairs may report one event, if numbers and names agree; as ``keep_order``."""
    ordered = np.array(
        [(one.share or 0.0) >= LEAST_EVENT_ORDER and one.front >= LEAST_FRONT_ORDER for one in compared], dtype=np.bool_
    )
    return np.asarray(ordered & (np.round(shares.min(axis=1), SHARE_DECIMALS) >= LEAST_SHARE), dtype=np.bool_)


def ordered_words(surfaces: SurfaceTokens, rows: Ints, settings: Settings) -> OrderedWords:
    """The words of some documents of a collection (rows ascending), read as a stream across languages does."""
    numbers, ends = TermNumbers(), np.cumsum([0, *map(len, surfaces.chunks)])
    bounds, parts, lengths = np.searchsorted(rows, ends), [], []
    for chunk, first, (begin, end) in zip(surfaces.chunks, ends.tolist(), pairwise(bounds.tolist()), strict=False):
        own = rows[begin:end] - first
        parts.append(chunk.tokens[places_of(chunk.begins[own], chunk.lengths[own])])
        lengths.append(chunk.lengths[own])
    used, tokens = np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *parts]), return_inverse=True)
    sizes = np.concatenate([np.zeros(0, dtype=np.int64), *lengths])
    scanned = Scanned(tokens.astype(np.int32), np.cumsum(sizes) - sizes, sizes)
    languages = surfaces.languages[rows]
    analyser = Analyser(settings.but(representation="pivot"), numbers)
    read = analyser.read_surfaces(scanned, languages, surfaces.surfaces.picked(used), ordered=True)
    return OrderedWords(PivotWords(numbers), WrittenWords(numbers).told(read), languages)


def contradictions(a: Ints, b: Ints, languages: NDArray[np.integer], records: EvidenceRecords) -> NDArray[np.object_]:
    """Figures or words in which pairs of translations contradict each other, `WordDifference` or `None`: (pairs,)."""
    found = np.full(len(a), None, dtype=np.object_)
    rows, sides = numbered_ends(a, b)
    texts, means = records.beginnings(rows), [partial(meant_by, language=one) for one in OUR_LANGUAGES]
    for pair, (one, other) in enumerate(sides.T.tolist()):
        spoken = languages[rows[one]], languages[rows[other]]
        if max(spoken) < len(OUR_LANGUAGES):
            told, meant = (texts[one], texts[other]), (means[spoken[0]], means[spoken[1]])
            figures = other_figure(told, meant) if may_contradict(*told) else None
            words = figures or other_word(told, (OUR_LANGUAGES[spoken[0]], OUR_LANGUAGES[spoken[1]]), meant)
            found[pair] = WordDifference(ANOTHER_FIGURE if figures else ANOTHER_WORD, (words,)) if words else None
    return found
