"""The pair model: the probability that two documents are the same text or report the same story, and why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np

from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.judging.evidence.kernels.comparing import fill_features, score_pairs
from infostream_dedup.machine.arrays import Floats

# Data files of this room that ship with the package, and their checksums

BACKGROUND_FILE: Final = Path(__file__).with_name("background.npz")
"""Made by ``tools/make_tables.py``: hashing the common words of a language takes longer than a small job."""

MODEL_FILE: Final = Path(__file__).with_name("pair_model.json")  # made by ``reports/learn_pair_model.py``

_CHECKSUMS: Final = {
    "background.npz": "ddd8d7b6775bf84a4e31cdbbaf9b337c",
    "pair_model.json": "f536d3081fb0bfd6986d3d2e249a7a68",
}
"""Blake2b checksum (16 bytes) of each file; update it together with the file."""


def shipped_bytes(path: Path) -> bytes:
    """Read one of the files."""
    content = path.read_bytes()
    found = blake2b(content, digest_size=16).hexdigest()
    if found != _CHECKSUMS[path.name]:
        message = f"the file differs from the one shipped (checksum {found}); install infostream-dedup again"
        raise BadDataError(message, code="E_PACKAGE", source=path.name)
    return content


FEATURES: Final = (
    *("share12_least", "share12_most", "share30_least", "share30_most", "cosine", "numbers_least", "numbers_most"),
    *("numbers_known", "numbers_miss", "names_least", "names_most", "names_known", "lead_most", "opening_least"),
    *("opening_most", "length"),
)
"""Features of a pair; ``least`` and ``most`` are the smaller and the larger of the two directions."""

DECIMALS: Final = 9  # decimals of z and of every value compared with a threshold
_FORMAT: Final = "infostream-dedup pair model 1"


@dataclass(frozen=True, slots=True)
class PairModel:
    """A logistic model."""

    intercept: float  # z of a pair whose features are all 0
    coefficients: Mapping[str, float]  # coefficient of each feature, in the order of `FEATURES`

    def scores(self, evidence: Floats) -> Floats:
        """Return z of pairs: float64 (pairs,), rounded to ``DECIMALS``."""
        weights = np.array(list(self.coefficients.values()), dtype=np.float64)
        z = np.empty(len(evidence), dtype=np.float64)
        score_pairs(features_of(evidence), self.intercept, weights, z)
        return np.round(z, DECIMALS)

    def probabilities(self, evidence: Floats) -> Floats:
        """Return the probability of pairs: float64 (pairs,), 0 to 1, rounded to ``DECIMALS``."""
        return np.round(1.0 / (1.0 + np.exp(-np.clip(self.scores(evidence), -35.0, 35.0))), DECIMALS)

    def contributions(self, evidence: Floats) -> list[dict[str, float]]:
        """Return what each feature adds to z; together with ``intercept`` it adds up to a pair's z within 1e-6."""
        values = features_of(evidence)
        return [
            {
                "intercept": self.intercept,
                **{
                    name: round(weight * float(value), DECIMALS)
                    for (name, weight), value in zip(self.coefficients.items(), row, strict=True)
                },
            }
            for row in values
        ]

    def as_json(self) -> str:
        """The model in the format of the shipped file."""
        content = {"format": _FORMAT, "intercept": self.intercept, "coefficients": dict(self.coefficients)}
        return json.dumps(content, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str, name: str) -> PairModel:
        """Read a model."""
        try:
            content = json.loads(text)
        except ValueError as error:
            raise ConfigurationError(f"{name} is not JSON: {error}; train the model again") from error
        return cls(*_checked(content, name))


def features_of(evidence: Floats) -> Floats:
    """Features of pairs: float64 (pairs, FEATURES)."""
    features = np.empty((len(evidence), len(FEATURES)), dtype=np.float64)
    fill_features(np.ascontiguousarray(evidence), features)
    return features


@cache
def shipped_model() -> PairModel:
    """The model that comes with the package."""
    return PairModel.from_json(shipped_bytes(MODEL_FILE).decode("utf-8"), MODEL_FILE.name)


def _checked(content: Any, name: str) -> tuple[float, dict[str, float]]:
    """Check the content of a file and return intercept and coefficients."""
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ConfigurationError(f"{name} is not a pair model; expected an object with format {_FORMAT!r}")
    given, intercept = content.get("coefficients"), content.get("intercept")
    if not isinstance(given, dict) or tuple(given) != FEATURES:
        raise ConfigurationError(f"{name}: coefficients must be {', '.join(FEATURES)}; train the model again")
    for field, value in (("intercept", intercept), *given.items()):
        if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
            raise ConfigurationError(f"{name}: {field} is {value!r}; expected a number")
    return float(intercept), {feature: float(value) for feature, value in given.items()}  # type: ignore[arg-type]
