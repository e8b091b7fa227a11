"""Presets of classifiers: which criteria they use and which labels count as "repeats"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.criteria.criterion import CRITERIA

__all__ = ["CLASSIFIER_PRESETS", "ClassifierPreset", "PairRule", "chosen_criteria", "chosen_preset"]

PairRule = Literal["both", "either"]
"""When an undirected pair counts as found: each document repeats the other, or at least one does."""


@dataclass(frozen=True, slots=True)
class ClassifierPreset:
    """One use of a classifier.

    Attributes:
        name: name of the preset.
        criteria: names of ``CRITERIA``, in the order of the vector.
        positive: labels that mean "each repeats the other".
        rule: when an undirected pair counts as found, for scores.
        prior: weights of criteria, measured from ``Criterion.typical``, before learning, from the built-in evidence.
            All other weights and the bias are 0.
    """

    name: str
    criteria: tuple[str, ...]
    positive: tuple[str, ...]
    rule: PairRule
    prior: Mapping[str, float]


CLASSIFIER_PRESETS: Final[Mapping[str, ClassifierPreset]] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            ClassifierPreset(
                "duplicate",
                (
                    "words",
                    "title",
                    "sentences",
                    "paragraphs",
                    "numbers",
                    "number_order",
                    "images",
                    "links",
                    "time",
                    "time_apart",
                    "another_day",
                    "source",
                    "site",
                    "key_terms",
                    "evidence",
                    "wording",
                    "wording_of_both",
                    "lead",
                    "names",
                    "other_text",
                ),
                ("dup",),
                "both",
                # Three quarters of the wording of both, published within a day: on another day, the same words are
                # mostly another edition of a template, or old background under new news, so 5 outweighs all wording
                # (at most 2.8). Equal texts are repeats on any day: 9 outweighs another day.
                {"wording_of_both": -2.1, "another_day": -5.0, "other_text": -3.0},
            ),
            ClassifierPreset(
                "story",
                ("words", "title", "numbers", "number_order", "time_apart", "key_terms", "evidence", "lead", "names"),
                ("dup", "similar"),
                "either",
                {"evidence": -1.0},
            ),
        )
    }
)
"""``duplicate``: the paper's nine criteria and eleven more. ``story`` finds documents of one event, the paper's further
work (section 8), without the site and features that only copies share (sentences, paragraphs)."""


def chosen_preset(name: str) -> ClassifierPreset:
    """Return a preset by name.

    Raises:
        ConfigurationError: there is no such preset.
    """
    if name not in CLASSIFIER_PRESETS:
        raise ConfigurationError(f"preset is {name!r}; expected one of {', '.join(CLASSIFIER_PRESETS)}")
    return CLASSIFIER_PRESETS[name]


def chosen_criteria(names: Sequence[str]) -> tuple[str, ...]:
    """Check names of criteria.

    Raises:
        ConfigurationError: the list is empty, or a name is unknown or repeated.
    """
    wrong = [name for name in names if name not in CRITERIA]
    if wrong or not names or len(set(names)) < len(names):
        raise ConfigurationError(
            f"criteria are {', '.join(map(repr, names)) or 'empty'}; expected one or more of {', '.join(CRITERIA)},"
            " each once"
        )
    return tuple(names)
