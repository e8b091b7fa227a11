"""Every choice that changes what a stream says, with its default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from hashlib import blake2b
from typing import Any, Final

import orjson

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import Settings

__all__ = ["BEST_POLICIES", "DUPLICATE_RULES", "EXACT_RULES", "SOURCE_RULES", "StreamSettings"]

DUPLICATE_RULES: Final = ("equal", "contained")
SOURCE_RULES: Final = ("ignore", "ban", "require")
EXACT_RULES: Final = ("text", "opening", "sentences")
BEST_POLICIES: Final = ("earliest", "complete", "source-rank")

_TERM_FIELDS: Final = ("representation", "weighting", "n", "target", "df_min", "df_max", "k1", "b", "short", "morph")
"""Settings of terms that a stream heeds; the others speak of whole collections."""

_NO_VERDICT: Final = ("best", "source_ranks", "keep_text")
"""Choices that no verdict depends on: a store may be opened with other ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSettings:
    """What decides the verdicts of a stream. Names equal the flags of the command line.

    Attributes:
        terms: representation, weighting, n, target (``text`` or ``signature``), df_min, df_max, k1, b, short, morph.
        k_duplicate: key terms that must meet for ``duplicate``, 1 to n; short documents need fewer (``need``).
        k_similar: key terms that must meet in either direction for ``similar``, 1 to k_duplicate.
        duplicate_rule: ``equal`` asks for both directions; ``contained`` also takes a document that lies inside an
            earlier one, the paper's own rule.
        least_shared: share of all terms of two documents that both must hold for ``duplicate`` by rule ``equal`` (their
            Jaccard index), 0 to 1: below it they tell one story in two ways and are ``similar`` with relation
            ``equal``. 0 leaves it to the key terms, as the paper does.
        window_days: days that a document is remembered by the stream's clock, above 0; ``None`` for ever.
        window_documents: documents that are remembered, at least 1; ``None`` for all.
        epoch_documents: documents of an epoch, at least 1; heeded where ``epoch_days`` is ``None``.
        first_epoch: documents of the first epoch, at least 1; epochs grow until ``epoch_documents`` have come.
        epoch_days: days of an epoch by the stream's clock, at least 1.
        same_source: ``ban`` links no two documents of one source, ``require`` only such, ``ignore`` all alike.
        exact_rule: ``text`` compares whole bodies; the older rules of InfoStream also take the same first paragraph
            (``opening``) or the same first three sentences (``sentences``).
        best: which document stands for its group: ``earliest``, ``complete`` (the longest) or ``source-rank``.
        source_ranks: sources, best first, for ``source-rank``; others rank behind them.
        templates: a duplicate whose numbers differ is only ``similar``; its relation is ``template`` (one source's form
            filled in on another day) or ``updated`` (another state of the story).
        chaining_documents: size from which on a group is watched for chaining, at least 2.
        chaining_density: least share of a watched group's documents that a duplicate must be linked to, 0 to 1.
        loss_limit: share of a source's documents that may be exact or duplicate, 0 to 1; ``None`` for no limit.
        loss_documents: the last documents of a source that the share is taken of, at least 1.
        keep_text: store the bodies too.
        model: digest of the classifier that judges what key terms have found (``model_digest``); ``None`` for none. It
            needs ``keep_text``.
        boilerplate: digest of the list whose sentences were left out of the texts (``Boilerplate.digest``);
            ``None`` for whole texts.

    Raises:
        ConfigurationError: a value is out of its range, or a stream cannot do it.
    """

    terms: Settings = field(default_factory=Settings)
    k_duplicate: int = 6
    k_similar: int = 4
    duplicate_rule: str = "equal"
    least_shared: float = 0.3
    window_days: float | None = 7
    window_documents: int | None = None
    epoch_documents: int = 10_000
    first_epoch: int = 500
    epoch_days: int | None = None
    same_source: str = "ignore"
    exact_rule: str = "text"
    best: str = "earliest"
    source_ranks: tuple[str, ...] = ()
    templates: bool = True
    chaining_documents: int = 10
    chaining_density: float = 0.2
    loss_limit: float | None = None
    loss_documents: int = 200
    keep_text: bool = False
    model: str | None = None
    boilerplate: str | None = None

    def __post_init__(self) -> None:
        _check_terms(self.terms)
        _whole("k_duplicate", self.k_duplicate, 1, self.terms.n)
        _whole("k_similar", self.k_similar, 1, self.k_duplicate)
        _one_of("duplicate_rule", self.duplicate_rule, DUPLICATE_RULES)
        _one_of("same_source", self.same_source, SOURCE_RULES)
        _one_of("exact_rule", self.exact_rule, EXACT_RULES)
        _one_of("best", self.best, BEST_POLICIES)
        _number("least_shared", self.least_shared, 0, 1)
        if self.window_days is not None:
            _number("window_days", self.window_days, 1e-6, 1e6)
        if self.window_documents is not None:
            _whole("window_documents", self.window_documents, 1)
        _whole("epoch_documents", self.epoch_documents, 1)
        _whole("first_epoch", self.first_epoch, 1)
        if self.epoch_days is not None:
            _whole("epoch_days", self.epoch_days, 1, 100_000)
        _whole("chaining_documents", self.chaining_documents, 2)
        _number("chaining_density", self.chaining_density, 0, 1)
        if self.loss_limit is not None:
            _number("loss_limit", self.loss_limit, 0, 1)
        _whole("loss_documents", self.loss_documents, 1)
        if self.model is not None and not self.keep_text:
            raise ConfigurationError(
                "a model compares documents with the texts of earlier ones, and keep_text is off; begin a store with "
                "--keep-text"
            )
        if self.best == "source-rank" and not self.source_ranks:
            raise ConfigurationError("best is 'source-rank' but there are no source_ranks; name sources, best first")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> StreamSettings:
        """Settings from plain values, as ``as_dict`` returns them; what is not named has its default.

        Raises:
            ConfigurationError: an unknown name, or a value out of its range.
        """
        known = {one.name for one in fields(cls)} - {"terms"}
        unknown = sorted(set(given) - known - set(_TERM_FIELDS))
        if unknown:
            raise ConfigurationError(
                f"unknown setting {unknown[0]!r}; known are {', '.join(sorted({*_TERM_FIELDS, *known}))}"
            )
        terms = {name: value for name, value in given.items() if name in _TERM_FIELDS}
        own = {name: value for name, value in given.items() if name in known}
        if "source_ranks" in own:
            own["source_ranks"] = tuple(own["source_ranks"])
        return cls(terms=Settings.of(**terms), **own)

    def but(self, **changes: Any) -> StreamSettings:
        """A copy with some values changed."""
        return replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Plain values in the order of the table above; the terms' settings come first."""
        terms = {name: getattr(self.terms, name) for name in _TERM_FIELDS}
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "terms"}
        return terms | own | {"source_ranks": list(self.source_ranks)}

    @property
    def digest(self) -> str:
        """32 hexadecimal digits that change with everything a verdict depends on."""
        decisive = {name: _plain(value) for name, value in self.as_dict().items() if name not in _NO_VERDICT}
        # Stores made before there were models, or before lists were recorded, keep their digest.
        for name in ("model", "boilerplate"):
            if decisive[name] is None:
                del decisive[name]
        return blake2b(orjson.dumps(decisive, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()


def _plain(value: Any) -> Any:
    """7 and 7.0 days are the same."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check_terms(terms: Settings) -> None:
    if terms.representation == "pivot":
        raise ConfigurationError("representation is 'pivot'; a stream takes stem or morph")
    if terms.target not in ("text", "signature"):
        raise ConfigurationError(f"target is {terms.target!r}; a stream takes text or signature")
    if terms.score != "count":
        raise ConfigurationError(f"score is {terms.score!r}; a stream takes count")
    if not terms.background:
        raise ConfigurationError("background is off; a stream begins without documents and needs it")


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ConfigurationError(f"{name} is {value!r}; expected one of {', '.join(known)}")


def _whole(name: str, value: object, low: int, high: int | None = None) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
        bounds = f"from {low} to {high}" if high is not None else f"of at least {low}"
        raise ConfigurationError(f"{name} is {value!r}; expected a whole number {bounds}")


def _number(name: str, value: object, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ConfigurationError(f"{name} is {value!r}; expected a number from {low:g} to {high:g}")
