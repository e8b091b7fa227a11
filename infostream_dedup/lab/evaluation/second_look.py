"""Preset ``judged`` against labels: the pairs it finds, and the groups it makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind
from infostream_dedup.lab.evaluation.predictions import Predictions, predicted_pairs
from infostream_dedup.runs.batch.judged_deduplication import judged_statuses
from infostream_dedup.runs.batch.judged_pairing import PairChoice, listed_pairs
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.runs.batch.translations import Between, find_translations

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["KINDS", "checked_kinds", "judged_groups", "judged_predictions"]

KINDS: Final = KIND_NAMES
"""What ``kinds`` may name."""

_TRANSLATION: Final = KIND_NAMES[Kind.TRANSLATION]


def checked_kinds(kinds: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the kinds to which an evaluation is restricted, ``None`` for all.

    Raises:
        ConfigurationError: a kind is unknown, or none is given.
    """
    if kinds is None:
        return None
    wrong = [kind for kind in kinds if kind not in KINDS]
    if wrong or not kinds:
        raise ConfigurationError(
            f"kinds are {', '.join(map(repr, kinds)) or 'empty'}; expected one or more of {', '.join(KINDS)}"
        )
    return tuple(kinds)


def judged_predictions(
    collection: JudgedCollection,
    kinds: Sequence[str] | None = None,
    *,
    between: Between | None = "nothing-better",
    engine: str = "auto",
) -> Predictions:
    """Return the pairs that ``pairs --preset judged`` lists.

    Args:
        collection: the documents.
        kinds: only pairs of these kinds; ``None`` for all.
        between: rule for pairs of two languages; ``None`` to leave them out.
        engine: ``auto``, ``plain`` or ``compiled``; results are the same.
    """
    listed = listed_pairs(collection, PairChoice(), engine=engine)
    chosen = np.ones(len(listed.a), dtype=np.bool_)
    if kinds is not None:
        chosen = np.isin(listed.kinds, [KINDS.index(kind) for kind in kinds])
    a, b = listed.a[chosen], listed.b[chosen]
    if between is not None and (kinds is None or _TRANSLATION in kinds):
        translated = find_translations(collection, between=between, engine=engine)
        if translated is not None:
            a, b = np.concatenate([a, translated.a]), np.concatenate([b, translated.b])
    return predicted_pairs(a, b, len(collection.collection))


def judged_groups(collection: JudgedCollection, *, engine: str = "auto") -> NDArray[np.int64]:
    """Return int64 (documents,), equal numbers for documents that ``dedup --preset judged`` puts into one group."""
    numbers: dict[str, int] = {}
    statuses = judged_statuses(collection, engine=engine)
    return np.array([numbers.setdefault(status.group, len(numbers)) for status in statuses], dtype=np.int64)
