"""Single settings and reading options as keywords: typed, checked and never ignored.

Each function takes only the settings that apply to it; all others are unknown keywords.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

from infostream_dedup.documents.reading import Reading, ReadingOptions, chosen_reading
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.model import Settings
from infostream_dedup.model.limits import check_record

__all__ = [
    "DedupKeywords",
    "EvaluateKeywords",
    "FindKeywords",
    "IngestKeywords",
    "MatrixKeywords",
    "PairKeywords",
    "PassageKeywords",
    "RepresentedKeywords",
    "StreamKeywords",
    "SweepKeywords",
    "TermKeywords",
    "chosen",
    "parted",
    "refuse_idle_terms",
]


class TermKeywords(TypedDict, total=False):
    """The fields of ``Settings`` that decide key terms and counts, and ``preset``; None means not given."""

    preset: str | None
    weighting: str | None
    n: int | None
    score: str | None
    target: str | None
    df_min: float | None
    df_max: float | None
    k1: float | None
    b: float | None
    background: bool | None
    short: str | None
    morph: str | None
    pivot: str | None


class RepresentedKeywords(TermKeywords, total=False):
    """Settings of key terms in one representation, as a matrix or a sweep over a store accepts them."""

    representation: str | None


class PairSettings(RepresentedKeywords, total=False):
    """The fields of ``Settings`` that decide which pairs are listed."""

    k: int | None
    threshold: float | None
    min_terms: int | None


class DedupSettings(PairSettings, total=False):
    """All fields of ``Settings``, and ``preset``."""

    rule: str | None


class EvaluateSettings(RepresentedKeywords, total=False):
    """The fields of ``Settings`` that decide about pairs, except ``k``: every k is evaluated."""

    threshold: float | None
    min_terms: int | None
    rule: str | None


class SweepKeywords(TermKeywords, ReadingOptions, total=False):
    """What ``sweep`` accepts: it has several representations and every k."""


class MatrixKeywords(RepresentedKeywords, ReadingOptions, total=False):
    """What ``similarity_matrix`` takes."""


class PairKeywords(PairSettings, ReadingOptions, total=False):
    """What ``pairs`` takes."""


class DedupKeywords(DedupSettings, ReadingOptions, total=False):
    """What ``dedup`` takes."""


class EvaluateKeywords(EvaluateSettings, ReadingOptions, total=False):
    """What ``evaluate`` takes."""


class StreamKeywords(TypedDict, total=False):
    """The settings of a stream by name (``StreamSettings``); None is a value: no limit."""

    preset: str
    across: str
    join: Sequence[str]
    representation: str
    weighting: str
    n: int
    target: str
    df_min: float
    df_max: float
    k1: float
    b: float
    short: str
    morph: str
    k_duplicate: int
    k_similar: int
    duplicate_rule: str
    least_shared: float
    window_days: float | None
    window_documents: int | None
    epoch_documents: int
    first_epoch: int
    epoch_days: int | None
    same_source: str
    exact_rule: str
    best: str
    source_ranks: Sequence[str]
    templates: bool
    chaining_documents: int
    chaining_density: float
    loss_limit: float | None
    loss_documents: int
    keep_text: bool
    df_counts: str


class IngestKeywords(StreamKeywords, ReadingOptions, total=False):
    """What ``ingest`` takes."""


class PassageKeywords(TypedDict, total=False):
    """The fields of ``PassageSettings``; None means not given."""

    feature: str | None
    tau: float | None
    gap: int | None
    min_sentences: int | None
    min_words: int | None
    min_run: int | None


class FindKeywords(PassageKeywords, ReadingOptions, total=False):
    """What the functions that list passages accept."""


def chosen(
    function: Callable[..., Any],
    known: type,
    given: Mapping[str, Any],
    *,
    settings: Settings | None,
    reading: Reading | None,
    representations: Sequence[str] = (),
) -> tuple[Settings, Reading]:
    """Return the settings and reading options that the caller of a public function requested.

    Args:
        function: the public function; its name and parameters appear in messages.
        known: TypedDict of the keywords that it takes.
        given: the further keywords of the call.
        settings: all settings at once; if given, no single setting may be.
        reading: all reading options at once; likewise.
        representations: those that the function uses; by default the one of the settings.

    Raises:
        TypeError: a keyword is unknown.
        ConfigurationError: settings or reading options are given both ways, or a value is out of range.
        UsageError: a setting is given that nothing reads.
    """
    check_record("settings", settings, Settings)
    single, reads = parted(function, known, given)
    named = [name for name, value in single.items() if value is not None]
    if settings is not None and named:
        raise ConfigurationError(f"settings and {', '.join(named)} are both given; put everything into settings")
    agreed = settings or Settings.of(**single)
    _refuse_of_other_score(named, agreed.score)
    refuse_idle_terms(named, representations or (agreed.representation,), agreed.weighting)
    return agreed, chosen_reading(reading, reads)


def refuse_idle_terms(named: Iterable[str], representations: Sequence[str], weighting: str) -> None:
    """Refuse settings that only other representations or another weighting read.

    Args:
        named: names of the settings that are given.
        representations: those that are used; those of users' own files may read any setting.
        weighting: the one that is used.

    Raises:
        UsageError: there is such a setting.
    """
    used, names = set(representations), set(named)
    if "pivot" in names and used <= {"stem", "morph"}:
        raise UsageError("pivot (--pivot) needs representation pivot (--representation pivot)")
    if "morph" in names and used == {"stem"}:
        raise UsageError("representation stem does not read morph (--morph); leave out one")
    for name in ("k1", "b"):
        if name in names and weighting == "tfidf":
            raise UsageError(f"weighting tfidf (--weighting) does not read {name}; leave out one")


def _refuse_of_other_score(named: Sequence[str], score: str) -> None:
    """Refuse settings that only the other score reads."""
    if score == "share" and "k" in named:
        raise UsageError(
            "k (--k) counts key terms, which score share, also that of preset best, does not; leave out one"
        )
    for name in ("threshold", "min_terms"):
        if score == "count" and name in named:
            raise UsageError(f"{name} needs score='share' or preset='best'")


def parted(
    function: Callable[..., Any], known: type, given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split further keywords of a public function into settings and reading options.

    Raises:
        TypeError: a keyword is unknown.
    """
    names: frozenset[str] = known.__optional_keys__  # type: ignore[attr-defined]
    for name in given:
        if name not in names:
            parameters = inspect.signature(function).parameters.values()
            taken = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY] + sorted(names)
            near = difflib.get_close_matches(name, taken, n=1)
            advice = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(taken)}"
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}; {advice}")
    reads = ReadingOptions.__optional_keys__
    return (
        {name: value for name, value in given.items() if name not in reads},
        {name: value for name, value in given.items() if name in reads},
    )
