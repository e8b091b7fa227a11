"""The rules of a stream as plain numpy, one document at a time: what the compiled judge is held against."""

from typing import NamedTuple

import numpy as np

from infostream_dedup.links.pair_rules import need
from infostream_dedup.machine.arrays import Ragged
from infostream_dedup.stream.kernels.judging import NO_SOURCE

RELATIONS = (None, "contained", "contains", "equal")
HALF_A_DAY = 12 * 3600 * 1_000_000


def contained(numbers, others):
    """Whether a document's numbers and those of other documents are contained in each other: at least half of both."""
    sizes = np.diff(others.indptr)
    if len(numbers) < 3:
        return np.ones(len(sizes), dtype=np.bool_)
    shared = np.concatenate(([0], np.cumsum(np.isin(others.values, numbers))))[others.indptr]
    return (sizes < 3) | (np.diff(shared) >= 0.5 * np.maximum(sizes, len(numbers)))


def jaccard(terms, others):
    """Terms that a document and each of some others share, as a share of the terms that either of them holds."""
    shared = np.diff(np.concatenate(([0], np.cumsum(np.isin(others.values, terms))))[others.indptr])
    return shared / (len(terms) + np.diff(others.indptr) - shared)


class PlainFound(NamedTuple):
    of: int | None
    duplicate: bool
    relation: str | None
    repeated: list[int]


NOTHING = PlainFound(None, False, None, [])


class PlainJudge:
    def __init__(self, settings, window):
        self.settings, self.window = settings, window
        terms, sizes = settings.terms, np.arange(settings.terms.n + 1)
        self.need_duplicate = need(settings.k_duplicate, sizes, sizes, n=terms.n, short=terms.short)
        self.need_similar = need(settings.k_similar, sizes, sizes, n=terms.n, short=terms.short)

    def found(self, ordinal, ordinals, forward, backward):
        """What a document is to those that its key terms have found."""
        window, settings = self.window, self.settings
        rows, row = np.asarray(ordinals, dtype=np.int64) - window.first, ordinal - window.first
        shorter = np.minimum(window.sizes[rows], window.sizes[row])
        forward, backward = np.asarray(forward, dtype=np.int64), np.asarray(backward, dtype=np.int64)
        linked = (np.maximum(forward, backward) >= self.need_similar[shorter]) & self.may_link(rows, row)
        if not linked.any():
            return NOTHING
        rows, shorter, forward, backward = rows[linked], shorter[linked], forward[linked], backward[linked]
        least = self.need_duplicate[shorter]
        alike = forward >= least
        if settings.duplicate_rule == "equal":
            alike &= backward >= least
        told = alike
        if settings.templates:
            told = alike & contained(window.numbers.row(row), window.numbers.gathered(rows))
        same = told
        if settings.duplicate_rule == "equal" and told.any():
            shares = jaccard(window.targets.row(row), window.targets.gathered(rows))
            same = told & (shares >= settings.least_shared)
        rank = np.minimum(forward, backward) * 256 + np.maximum(forward, backward)
        best = int(np.argmax(np.where(same, rank, -1) if same.any() else rank))
        least_of_best = least[best] if alike[best] else self.need_similar[shorter[best]]
        relation = RELATIONS[int(forward[best] >= least_of_best) + 2 * int(backward[best] >= least_of_best)]
        if alike[best] and not told[best]:
            relation = self.changed(row, int(rows[best]))
        ordinals = rows + window.first
        return PlainFound(int(ordinals[best]), bool(same.any()), relation, ordinals[same].tolist())

    def may_link(self, rows, row):
        source, sources = self.window.sources[row], self.window.sources[rows]
        same = (sources == source) & (source != NO_SOURCE)
        return {"all": np.ones(len(rows), dtype=np.bool_), "outlets": ~same, "source": same}[self.settings.within]

    def changed(self, row, other):
        window = self.window
        form = jaccard(window.targets.row(row), window.targets.gathered(np.array([other])))[0] >= 0.4
        apart = abs(int(window.times[row]) - int(window.times[other])) >= HALF_A_DAY
        same = window.sources[row] == window.sources[other] != NO_SOURCE
        return "template" if form and apart and same else "updated"

    def met(self, ordinal, of):
        """Forward and backward count, and the terms of both with their summed weights, ascending."""
        window = self.window
        here, there = ordinal - window.first, of - window.first
        forward, backward = self.standing(here, there), self.standing(there, here)
        summed = {}
        for terms in (forward, backward):
            for term, weight in terms:
                summed[term] = summed.get(term, 0) + weight
        return len(forward), len(backward), sorted(summed.items())

    def standing(self, row, other):
        window = self.window
        looked_up = window.targets if self.settings.terms.target == "text" else window.keys
        there = set(looked_up.row(other).tolist())
        pairs = zip(window.keys.row(row).tolist(), window.weights.row(row).tolist(), strict=True)
        return [(term, weight) for term, weight in pairs if term in there]


def rows_of(rows):
    values = [value for row in rows for value in row]
    return Ragged(np.cumsum([0, *map(len, rows)]), np.array(values, dtype=np.int64))
