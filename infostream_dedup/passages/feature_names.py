"""The sentence features by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.passages.exact import Exact
from infostream_dedup.passages.feature import SentenceFeature
from infostream_dedup.passages.i_match import IMatch
from infostream_dedup.passages.low_idf_sig import LowIdfSig
from infostream_dedup.passages.shingles import Shingles
from infostream_dedup.passages.spotsigs import SpotSigs

__all__ = ["FEATURES", "sentence_feature"]

FEATURES: Final[dict[str, Callable[[], SentenceFeature]]] = {
    "low-idf-sig": LowIdfSig,
    "spotsigs": SpotSigs,
    "i-match": IMatch,
    "shingles": Shingles,
    "exact": Exact,
}


def sentence_feature(name: str) -> SentenceFeature:
    """A feature with its defaults.

    Raises:
        ConfigurationError: no feature has this name.
    """
    if name not in FEATURES:
        raise ConfigurationError(f"feature is {name!r}, expected one of {', '.join(FEATURES)}")
    return FEATURES[name]()
