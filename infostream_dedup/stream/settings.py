"""Every setting of a stream, with its default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from hashlib import blake2b
from typing import Annotated, Any, ClassVar, Final

import orjson

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.judging import JOINED, joined_kinds
from infostream_dedup.language.morphology.cache_file import fingerprint
from infostream_dedup.language.translation.ladder import RULES
from infostream_dedup.model import Settings, names_in, one_or_several
from infostream_dedup.model.limits import EXPERT, OUTPUT, OneOf, Option, Range, check_limits
from infostream_dedup.model.settings import ACROSS, STREAM_PRESETS, WITHIN, preset_of
from infostream_dedup.model.stream_records import (
    ACROSS_FIELDS,
    CLASSIFIED_FIELDS,
    JUDGED_FIELDS,
    STORY_FIELDS,
    VERDICT_FIELDS,
)

DUPLICATE_RULES: Final = ("equal", "contained")
EXACT_RULES: Final = ("text", "opening", "sentences")
DF_RULES: Final = ("distinct", "all")
SHOWN: Final = ("first", "latest", "longest", "complete", "rank")

TERM_FIELDS: Final = ("representation", "weighting", "n", "target", "df_min", "df_max", "k1", "b", "short", "morph")
"""Settings of terms that a stream uses; the others concern whole collections."""

KEY_TERMS_DECIDE: Final = ("k_duplicate", "k_similar", "duplicate_rule", "least_shared", "templates", "model")
"""Settings of streams in which key terms or the user's classifier decide."""

_JUDGED_TERMS: Final = ("representation", "n", "target", "short")
"""Settings of terms with which the pair model was learned."""

_KEY_TERMS_ONLY: Final = {*KEY_TERMS_DECIDE, *_JUDGED_TERMS} - {"representation"}

_NO_VERDICT: Final = ("show", "source_ranks", "keep_text")
"""Settings that do not affect verdicts: a store may be opened with other values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSettings:
    """Everything that decides the verdicts of a stream. Names match the flags of the command line.

    Attributes:
        preset: ``judged``: key terms find candidates, evidence decides; ``faithful``: key terms decide. A store keeps
            its preset for life. New streams are ``judged``, unless their settings are given as a record that does not
            name a preset, or include a setting that only works with key terms (``of``).
        join: with ``judged``, kinds of pairs that make a duplicate.
        across: ``pivot``: each document is also compared with those in other languages, in a pivot language; needs
            preset ``judged``, whose new streams have it by default (``of``). ``none``: languages are kept apart. A
            store keeps its choice for life. Status and group do not depend on it.
        terms: representation, weighting, n, target (``text`` or ``signature``), df_min, df_max, k1, b, short, morph.
        k_duplicate: key terms that must match for ``duplicate``, 1 to n; short documents need fewer (``need``).
        k_similar: key terms that must match in either direction for ``similar``, 1 to k_duplicate.
        duplicate_rule: ``equal`` needs both directions; ``contained`` also accepts a document that an earlier one
            contains, which is the paper's rule.
        least_shared: minimum Jaccard index of all terms of two documents for ``duplicate`` by rule ``equal``, 0 to 1.
            Below it they report one story in two ways and are ``similar`` with relation ``equal``. 0 leaves the
            decision to the key terms, as in the paper.
        window_days: days that a document stays in the window by the stream's clock, above 0; ``None`` forever.
        window_documents: size of the window, at least 1; ``None`` for no limit.
        epoch_documents: documents of an epoch, at least 1; used if ``epoch_days`` is ``None``.
        first_epoch: documents of the first epoch, at least 1; epochs grow until ``epoch_documents`` is reached.
        epoch_days: days of an epoch by the stream's clock, at least 1.
        within: ``source`` links only documents of one source, ``outlets`` only those of different ones, ``all`` all.
        identical: with preset ``judged``, instead of ``join``: share of the wording of the smaller document that makes
            a duplicate, .2 to 1, whatever the kind, except ``differs``, ``template`` and another figure.
        exact_rule: ``text`` compares whole bodies; the older rules of InfoStream also accept an equal first paragraph
            (``opening``) or three equal first sentences (``sentences``).
        show: which document represents its group: ``first``, ``latest``, ``longest`` or ``complete`` (both by distinct
            terms), or ``rank``.
        source_ranks: sources, best first, for ``rank``; others follow.
        templates: a duplicate whose numbers differ is only ``similar``; its relation is ``template`` (one source's form
            filled in on another day) or ``updated`` (another state of the story).
        chaining_documents: minimum size of a group that is watched for chaining, at least 2.
        chaining_density: minimum share of a watched group's documents that a duplicate must be linked to, 0 to 1.
        loss_limit: share of a source's documents that may be exact or duplicate, 0 to 1; ``None`` for no limit.
        loss_documents: number of a source's last documents that the share is computed over, at least 1.
        keep_text: also store the bodies.
        df_counts: which documents ``df_max`` is judged on. ``distinct``: a term that only repeats of earlier documents
            (``Verdict.repeats``) lift above it stays, so that a story that fills a feed keeps its key terms; ``all``:
            every document, as before there was a choice. Everything else counts all documents under both rules. A
            store keeps its rule for life.
        model: digest of the classifier that judges the candidates (``model_digest``); ``None`` for none. It needs
            ``keep_text``.
        keep_repeated_lines: also compare lines that many documents of a source repeat, such as footers; by default they
            are learned from the documents so far and left out (``judging.repeated``). A store keeps its choice for
            life.
        boilerplate: digest of the list whose sentences were removed from the texts (``Boilerplate.digest``);
            ``None`` for whole texts.

    Raises:
        ConfigurationError: a value is out of range, or does not work for a stream.
    """

    TERM_FIELDS: ClassVar = TERM_FIELDS

    preset: Annotated[
        str,
        OneOf(*STREAM_PRESETS),
        Option(
            "Decide by evidence beyond key terms (judged), or by key terms alone (faithful).",
            default="judged, or faithful if an option is given that only works with it",
        ),
    ] = "faithful"
    join: Annotated[
        tuple[str, ...],
        Option("With preset judged: kinds of pairs that make a duplicate.", metavar="KIND,...", default="copy"),
    ] = JOINED
    across: Annotated[
        str,
        OneOf(*ACROSS),
        Option(
            "Also compare with documents in other languages, using a pivot language (pivot), or not (none).",
            default="pivot with preset judged, otherwise none",
        ),
    ] = "none"
    terms: Settings = field(default_factory=Settings)
    k_duplicate: Annotated[int, Range(1), Option("Number of terms that a duplicate must share.")] = 6
    k_similar: Annotated[
        int, Range(1), Option("Number of terms that a similar document must share in either direction.")
    ] = 4
    duplicate_rule: Annotated[str, OneOf(*DUPLICATE_RULES), Option("Require both directions, or one.", EXPERT)] = (
        "equal"
    )
    least_shared: Annotated[
        float, Range(0.0, 1.0), Option("Minimum share of all their terms that duplicates have in common.", EXPERT)
    ] = 0.3
    window_days: Annotated[
        float | None, Range(1e-6, 1e6), Option("Days for which a document is remembered; 0: forever.")
    ] = 7
    window_documents: Annotated[
        int | None, Range(1), Option("Maximum number of documents remembered.", EXPERT, default="no maximum")
    ] = None
    epoch_documents: Annotated[int, Range(1), Option("Documents per epoch.", EXPERT)] = 10_000
    first_epoch: Annotated[int, Range(1), Option("Documents of the first epoch; later ones grow.", EXPERT)] = 500
    epoch_days: Annotated[
        int | None, Range(1, 100_000), Option("Length of an epoch in days, instead of documents.", EXPERT)
    ] = None
    within: Annotated[str, OneOf(*WITHIN), Option("Link documents of one source, of different outlets, or all.")] = (
        "all"
    )
    identical: Annotated[
        float | None,
        Range(0.2, 1.0),
        Option(
            "With preset judged, instead of --join: share of the smaller document's wording that makes a duplicate.",
            EXPERT,
            default="kinds decide",
        ),
    ] = None
    exact_rule: Annotated[
        str,
        OneOf(*EXACT_RULES),
        Option(
            "What must be equal in an exact duplicate: the text, the first paragraph or the first 3 sentences.", EXPERT
        ),
    ] = "text"
    show: Annotated[str, OneOf(*SHOWN), Option("Which document represents a group (see 'store best').", EXPERT)] = (
        "first"
    )
    source_ranks: Annotated[
        tuple[str, ...], Option("A source for --show rank, best first.", EXPERT, flag="source-rank", many=True)
    ] = ()
    templates: Annotated[bool, Option("Whether duplicates with different numbers count only as similar.", EXPERT)] = (
        True
    )
    chaining_documents: Annotated[int, Range(2)] = 10
    chaining_density: Annotated[
        float,
        Range(0.0, 1.0),
        Option(
            "Minimum share of a group of ten or more that a duplicate must repeat, otherwise it is only similar; 0: "
            "one is enough.",
            EXPERT,
        ),
    ] = 0.2
    loss_limit: Annotated[
        float | None,
        Range(0.0, 1.0),
        Option(
            "Maximum share of a source's documents that may be repeats; further ones count as similar.",
            EXPERT,
            default="all",
        ),
    ] = None
    loss_documents: Annotated[
        int, Range(1), Option("Number of latest documents of a source over which this share is computed.", EXPERT)
    ] = 200
    keep_text: Annotated[bool, Option("Also store the texts.", OUTPUT)] = False
    df_counts: Annotated[str, OneOf(*DF_RULES)] = "distinct"
    keep_repeated_lines: Annotated[
        bool, Option("Also compare lines that many documents repeat, such as footers.", EXPERT)
    ] = False
    model: str | None = None
    boilerplate: str | None = None

    def __post_init__(self) -> None:
        if self.terms.representation == "pivot":
            raise ConfigurationError("representation is 'pivot'; a stream accepts stem or morph")
        if self.terms.target not in ("text", "signature"):
            raise ConfigurationError(f"target is {self.terms.target!r}; a stream accepts text or signature")
        if self.terms.score != "count":
            raise ConfigurationError(f"score is {self.terms.score!r}; a stream accepts only count")
        if not self.terms.background:
            raise ConfigurationError("background is off; a stream starts without documents and needs it")
        check_limits(self)
        Range(1, self.terms.n).check("k_duplicate", self.k_duplicate)
        Range(1, self.k_duplicate).check("k_similar", self.k_similar)
        joined_kinds(self.join)
        if self.preset == "judged":
            self._check_judged()
        elif self.across == "pivot":
            raise ConfigurationError(
                "across is 'pivot', which needs preset judged (--preset judged); with preset faithful leave it out"
            )
        if self.model is not None and not self.keep_text:
            raise ConfigurationError(
                "a model compares documents with the texts of earlier ones, but keep_text is off; create a store with "
                "--keep-text"
            )
        if self.show == "rank" and not self.source_ranks:
            raise ConfigurationError("show is 'rank' but there are no source_ranks; name sources, best first")
        if self.identical is not None and self.preset != "judged":
            raise ConfigurationError("identical (--identical) needs preset judged (--preset judged)")

    def _check_judged(self) -> None:
        default = {one.name: one.default for one in fields(self)}
        for name in KEY_TERMS_DECIDE:
            if getattr(self, name) != default[name]:
                raise _no_meaning(name)
        for name in _JUDGED_TERMS:
            if getattr(self.terms, name) != getattr(Settings(), name):
                raise _no_meaning(name)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> StreamSettings:
        """Make settings from plain values, as ``as_dict`` returns them; missing names keep their defaults.

        The default preset is ``judged``, or ``faithful`` if a setting is given that only works with key terms. Preset
        ``judged`` compares documents across languages unless ``across`` says otherwise.
        """
        known = {one.name for one in fields(cls)} - {"terms"}
        unknown = sorted(set(given) - known - set(TERM_FIELDS))
        if unknown:
            raise ConfigurationError(
                f"unknown setting {unknown[0]!r}; known are {', '.join(sorted({*TERM_FIELDS, *known}))}"
            )
        terms = {name: value for name, value in given.items() if name in TERM_FIELDS}
        own: dict[str, Any] = {"preset": preset_of(given, _KEY_TERMS_ONLY)} | {
            name: value for name, value in given.items() if name in known
        }
        own = {"across": "pivot" if own["preset"] == "judged" else "none"} | own
        if "join" in own:
            own["join"] = names_in(own["join"])
        if "source_ranks" in own:
            own["source_ranks"] = one_or_several(own["source_ranks"])
        return cls(terms=Settings.of(**terms), **own)

    @property
    def compares_numbers(self) -> bool:
        """Whether the numbers in documents have their own column; otherwise they are part of the evidence."""
        return self.templates and self.preset != "judged"

    @property
    def compares_openings(self) -> bool:
        """Whether two sources that begin alike on one day repeat each other (``openings_of``)."""
        return self.preset == "judged" and self.exact_rule == "text" and self.within != "source"

    @property
    def verdict_fields(self) -> tuple[str, ...]:
        """Fields of the rows of verdicts."""
        if self.preset == "judged":
            return (*VERDICT_FIELDS, *JUDGED_FIELDS, *(ACROSS_FIELDS if self.across == "pivot" else ()), *STORY_FIELDS)
        return VERDICT_FIELDS if self.model is None else (*VERDICT_FIELDS, *CLASSIFIED_FIELDS)

    def refuse_other(self, store: str, *, preset: str | None = None, across: str | None = None) -> None:
        """Refuse a preset or a value of ``across`` other than that of the store."""
        for said, asked, kept, options in (
            ("preset", preset, self.preset, f"--preset {preset}"),
            ("--across", across, self.across, f"--preset judged --across {across}"),
        ):
            if asked not in (None, kept):
                raise ConfigurationError(
                    f"{store} was made with {said} {kept} and keeps it; create another store: infostream-dedup ingest "
                    f"DOCS --store NEW {options}"
                )

    def but(self, **changes: Any) -> StreamSettings:
        """Return a copy with some values changed."""
        return replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values in the order of the fields; the terms' settings come first."""
        terms = {name: getattr(self.terms, name) for name in TERM_FIELDS}
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "terms"}
        return terms | own | {"source_ranks": list(self.source_ranks), "join": list(self.join)}

    @property
    def digest(self) -> str:
        """32 hexadecimal digits that depend on everything a verdict depends on."""
        decisive = {name: _plain(value) for name, value in self.as_dict().items() if name not in _NO_VERDICT}
        return blake2b(orjson.dumps(decisive, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()


def _no_meaning(name: str) -> ConfigurationError:
    return ConfigurationError(
        f"preset judged decides by evidence and does not accept {name} (--{name.replace('_', '-')}); leave it out, or "
        "use preset faithful (--preset faithful)"
    )


def _plain(value: Any) -> Any:
    """Make 7 and 7.0 days equal."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Records which rules and dictionaries made a stream's key terms, so that a change does not go unnoticed

_STATE: Final = "term_rules"
_UNRECORDED: Final = ""  # represents the rules of documents stored before stores recorded rules
_MOST: Final = 50


class TermRules:
    """The rules by which a stream read its documents, and the first document read by each.

    Nothing is recorded for ``stem``, which depends only on the stemmer, or for the imported tables and translation
    models of ``across``.
    """

    def __init__(self, settings: StreamSettings) -> None:
        self._now: str | None = None
        if settings.terms.representation != "stem":
            self._now = f"{fingerprint()} {RULES}" if settings.across == "pivot" else fingerprint()
        self._history: list[tuple[str, int]] = []

    def resume(self, state: Mapping[str, Any], documents: int) -> bool:
        """Continue a stored stream."""
        if self._now is None or not documents:
            return False
        self._history = [(rules, first) for rules, first in state.get(_STATE, [[_UNRECORDED, 0]])]
        return self._history[-1][0] != self._now

    def read_from(self, ordinal: int) -> None:
        """Note that the documents from an ordinal on are read by the rules of this process."""
        if self._now is not None and (not self._history or self._history[-1][0] != self._now):
            self._history = [*self._history, (self._now, ordinal)][-_MOST:]

    def state(self) -> dict[str, list[tuple[str, int]]]:
        """What the store keeps: each set of rules with the first document read by it, oldest first."""
        return {_STATE: self._history} if self._history else {}
