"""Made-up texts as rows of triples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
import pytest

from infostream_dedup.judging.evidence.facts import DAY
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.lab.kernels import Universe

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WINDOW = 7 * DAY


def _rows(texts: Iterable[Iterable[int]]) -> TripleRows:
    parts = [np.unique(np.array([*text], dtype=np.uint64)) for text in texts]
    begins = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return TripleRows(np.concatenate([np.zeros(0, dtype=np.uint64), *parts]), begins)


def _universe(
    documents: int,
    *,
    days: NDArray[np.float64] | None = None,
    sources: NDArray[np.int64] | None = None,
    titles: NDArray[np.int64] | None = None,
) -> Universe:
    none = np.zeros(documents, dtype=np.int64)
    times = none if days is None else (days * DAY).astype(np.int64)
    return Universe(
        counted=np.ones(documents, dtype=np.bool_), window=-1 if days is None else _WINDOW, times=times,
        days=times // DAY, sources=none - 1 if sources is None else sources, titles=none if titles is None else titles,
    )  # fmt: skip


def _edited(seed: int, sizes: Iterable[int], *, phrases: int = 30) -> list[list[int]]:
    """Clusters of edited and cut copies, shuffled; some texts also hold phrases that many others hold."""
    random = np.random.default_rng(seed)
    boilerplate = random.integers(0, 1 << 63, (phrases, 8))
    texts = []
    for size in sizes:
        original = random.integers(0, 1 << 63, 120)
        for _ in range(size):
            edited = np.where(random.random(120) < 0.8 * random.random(), random.integers(0, 1 << 63, 120), original)
            held = boilerplate[random.integers(0, phrases, random.integers(0, 4))].ravel()
            texts.append([*edited[: random.integers(20, 120)].tolist(), *held.tolist()])
    return [texts[place] for place in random.permutation(len(texts))]


@pytest.fixture(name="triple_rows")
def _triple_rows() -> Callable[[Iterable[Iterable[int]]], TripleRows]:
    return _rows


@pytest.fixture(name="universe")
def _universe_of() -> Callable[..., Universe]:
    return _universe


@pytest.fixture(name="edited")
def _edited_of() -> Callable[..., list[list[int]]]:
    return _edited
