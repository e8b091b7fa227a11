"""A news stream made of term numbers, by the recipe of the project's method notes (section 1.6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
import scipy.sparse as sp

if TYPE_CHECKING:
    from numpy.typing import NDArray

VOCABULARY = 30_000
EVENTS = 200
TOPICAL_WORDS = 40


@dataclass(frozen=True)
class Stream:
    """Documents as counts of terms: int64 (documents, terms)."""

    counts: sp.csr_array
    articles: list[list[int]]
    """For each digest that stands at the end of the stream, the documents it is made of."""

    @property
    def first_digest(self) -> int:
        return self.counts.shape[0] - len(self.articles)

    def df(self) -> NDArray[np.int64]:
        return np.bincount(self.counts.indices, minlength=VOCABULARY)

    def targets(self) -> sp.csr_array:
        return (self.counts > 0).tocsr()

    def keys(self, *, df_min: float, df_max: float = 0.5, n: int = 12) -> sp.csr_array:
        """The n heaviest terms by BM25 (k1 = 2, b = .75) in units of 1e-9; bounds below 1 are shares of documents."""
        documents = self.counts.shape[0]
        row = np.repeat(np.arange(documents), np.diff(self.counts.indptr))
        df = self.df()[self.counts.indices]
        length = self.counts.sum(axis=1)
        norm = 2 * (0.25 + 0.75 * length / length.mean())
        idf = np.log((documents - df + 0.5) / (df + 0.5))
        weight = np.rint(1e9 * idf * self.counts.data * 3 / (self.counts.data + norm[row])).astype(np.int64)
        low, high = (bound * documents if bound < 1 else bound for bound in (df_min, df_max))
        middle = (df >= low) & (df <= high) & (weight > 0)
        row, term, weight = row[middle], self.counts.indices[middle], weight[middle]
        order = np.lexsort((term, -weight, row))
        rank = np.arange(len(order)) - np.searchsorted(row[order], row[order])
        chosen = np.sort(order[rank < n])
        return sp.coo_array((weight[chosen], (row[chosen], term[chosen])), shape=self.counts.shape).tocsr()


def _stream(seed: int, *, digests: int, articles_of_digest: tuple[int, int]) -> Stream:
    random = np.random.default_rng(seed)
    zipf = 1 / np.arange(1, VOCABULARY + 1) ** 1.05
    up_to = np.cumsum(zipf / zipf.sum())

    def background(size: int) -> NDArray[np.int64]:
        return np.minimum(np.searchsorted(up_to, random.random(size)), VOCABULARY - 1)

    def story(topic: NDArray[np.int64]) -> NDArray[np.int64]:
        words = background(int(np.clip(random.lognormal(5.5, 1.0), 40, 3000)))
        topical = random.random(len(words)) < 0.35
        words[topical] = random.choice(topic, int(topical.sum()))
        return words

    def copy(original: NDArray[np.int64], topic: NDArray[np.int64]) -> NDArray[np.int64]:
        words = original.copy()
        kind = random.random()
        if kind < 0.35:
            words = words[: max(20, int(len(words) * random.uniform(0.2, 0.8)))]
        elif kind < 0.60:
            words = np.concatenate([words, story(topic)])
        replaced = random.random(len(words)) < random.uniform(0, 0.25)
        words[replaced] = background(int(replaced.sum()))
        return words

    documents: list[NDArray[np.int64]] = []
    for _ in range(EVENTS):
        topic = random.integers(100, VOCABULARY, TOPICAL_WORDS)
        for _ in range(random.integers(1, 5)):
            original = story(topic)
            documents.append(original)
            documents.extend(copy(original, topic) for _ in range(random.geometric(0.22) - 1))
    order = random.permutation(len(documents))
    documents = [documents[number] for number in order]
    articles = [
        random.choice(len(documents), random.integers(*articles_of_digest, endpoint=True), replace=False).tolist()
        for _ in range(digests)
    ]
    documents += [np.concatenate([documents[article] for article in of_digest]) for of_digest in articles]
    row = np.repeat(np.arange(len(documents)), [len(words) for words in documents])
    shape = (len(documents), VOCABULARY)
    counts = sp.coo_array((np.ones(len(row), dtype=np.int64), (row, np.concatenate(documents))), shape=shape).tocsr()
    return Stream(counts, articles)


@pytest.fixture(scope="session")
def news_stream() -> Callable[[int], Stream]:
    """By seed: 200 events, edited, truncated and extended copies, 60 digests of 4 to 14 documents."""
    return cache(lambda seed: _stream(seed, digests=60, articles_of_digest=(4, 14)))


@pytest.fixture(scope="session")
def digest_stream() -> Callable[[int], Stream]:
    """By seed: the same with 200 digests of 5 documents each."""
    return cache(lambda seed: _stream(seed, digests=200, articles_of_digest=(5, 5)))
