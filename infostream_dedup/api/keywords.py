"""Single settings and reading options as keywords: typed, checked and never ignored.

Each function takes only the settings that apply to it; all others are unknown keywords. ``KEYWORDS`` says which; the
types in ``keyword_types`` are made from it by ``tools/make_keywords.py``. ``_IDLE`` says which settings nothing would
read, given the others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.documents.reading import Reading, chosen_reading
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.model import Settings
from infostream_dedup.model.limits import check_record, record_named

if TYPE_CHECKING:
    from infostream_dedup.stream.settings import StreamSettings


@dataclass(frozen=True)
class Keywords:
    """The keywords of some functions: fields of a record of settings, and of ``Reading``."""

    record: str | None
    leave_out: tuple[str, ...] = ()
    reading: bool = True

    def settings(self) -> tuple[str, ...]:
        """Names of the settings."""
        if self.record is None:
            return ()
        record: Any = record_named(self.record)
        own = [one.name for one in fields(record)] + (["preset"] if record is Settings else [])
        if "terms" in own:
            own = [*(name for name in own if name != "terms"), *record.TERM_FIELDS]
        return tuple(name for name in own if name not in self.leave_out)

    def names(self) -> frozenset[str]:
        """All names."""
        return frozenset((*self.settings(), *((one.name for one in fields(Reading)) if self.reading else ())))


_TERMS: Final = "infostream_dedup.model.settings:Settings"
_PASSAGES: Final = "infostream_dedup.judging.passages.settings:PassageSettings"
_LINKED: Final = ("k", "threshold", "min_terms", "rule")

KEYWORDS: Final[Mapping[str, Keywords]] = {
    "SweepKeywords": Keywords(_TERMS, ("representation", *_LINKED)),
    "RepresentedKeywords": Keywords(_TERMS, _LINKED, reading=False),
    "MatrixKeywords": Keywords(_TERMS, _LINKED),
    "PairKeywords": Keywords(_TERMS, ("rule",)),
    "DedupKeywords": Keywords(_TERMS),
    "EvaluateKeywords": Keywords(_TERMS, ("k",)),
    "IngestKeywords": Keywords("infostream_dedup.stream.settings:StreamSettings", ("model", "boilerplate")),
    "PassageKeywords": Keywords(_PASSAGES, reading=False),
    "FindKeywords": Keywords(_PASSAGES),
    "ReadingOptions": Keywords(None),
}
"""By the name of their type: what the functions take beside the parameters that they name."""


@dataclass(frozen=True)
class _Use:
    """What settings are used for: the terms, the representations of a call, and the stream if there is one."""

    terms: Settings
    representations: frozenset[str]
    stream: StreamSettings | None = None


_Test = Callable[[_Use], bool]
_DAYS: Final = "{name} ({flag}) counts documents, but epochs are days long (--epoch-days)"
_NOT_READ: Final = "weighting tfidf (--weighting) does not read {name}; leave out one"
_SHARE: Final = "{name} needs score='share' or preset='best'"

_IDLE: Final[tuple[tuple[str, _Test, str], ...]] = (
    (
        "k",
        lambda use: use.stream is None and use.terms.score == "share",
        "k (--k) counts key terms, which score share, also that of preset best, does not; leave out one",
    ),
    ("threshold", lambda use: use.terms.score == "count", _SHARE),
    ("min_terms", lambda use: use.terms.score == "count", _SHARE),
    (
        "pivot",
        lambda use: use.representations <= {"stem", "morph"},
        "pivot (--pivot) needs representation pivot (--representation pivot)",
    ),
    (
        "morph",
        lambda use: use.representations == {"stem"},
        "representation stem does not read morph (--morph); leave out one",
    ),
    ("k1", lambda use: use.terms.weighting == "tfidf", _NOT_READ),
    ("b", lambda use: use.terms.weighting == "tfidf", _NOT_READ),
    (
        "join",
        lambda use: use.stream is not None and use.stream.preset != "judged",
        "join (--join) needs preset judged (--preset judged)",
    ),
    (
        "source_ranks",
        lambda use: use.stream is not None and use.stream.show != "rank",
        "source_ranks (--source-rank) needs show rank (--show rank)",
    ),
    (
        "loss_documents",
        lambda use: use.stream is not None and use.stream.loss_limit is None,
        "loss_documents (--loss-documents) needs loss_limit (--loss-limit)",
    ),
    ("epoch_documents", lambda use: use.stream is not None and use.stream.epoch_days is not None, _DAYS),
    ("first_epoch", lambda use: use.stream is not None and use.stream.epoch_days is not None, _DAYS),
)
"""Settings, when nothing reads them, and what is said then."""


def refuse_idle(
    named: Iterable[str], terms: Settings, representations: Iterable[str], stream: StreamSettings | None = None
) -> None:
    """Refuse settings that nothing reads; representations of users' own files may read any."""
    use, names = _Use(terms, frozenset(representations), stream), set(named)
    for name, is_idle, words in _IDLE:
        if name in names and is_idle(use):
            raise UsageError(words.format(name=name, flag=f"--{name.replace('_', '-')}"))


def chosen(
    function: Callable[..., Any],
    known: type,
    given: Mapping[str, Any],
    *,
    settings: Settings | None,
    reading: Reading | None,
    representations: Sequence[str] = (),
) -> tuple[Settings, Reading]:
    """Return the settings and reading options that the caller of a public function requested, once and all read."""
    check_record("settings", settings, Settings)
    single, reads = parted(function, known, given)
    named = [name for name, value in single.items() if value is not None]
    if settings is not None and named:
        raise ConfigurationError(f"settings and {', '.join(named)} are both given; put everything into settings")
    agreed = settings or Settings.of(**single)
    refuse_idle(named, agreed, representations or (agreed.representation,))
    return agreed, chosen_reading(reading, reads)


def parted(
    function: Callable[..., Any], known: type, given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split further keywords of a public function into settings and reading options, refusing unknown ones."""
    names = KEYWORDS[known.__name__].names()
    for name in given:
        if name not in names:
            import difflib

            parameters = inspect.signature(function).parameters.values()
            taken = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY] + sorted(names)
            near = difflib.get_close_matches(name, taken, n=1)
            advice = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(taken)}"
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}; {advice}")
    reads = {one.name for one in fields(Reading)}
    return (
        {name: value for name, value in given.items() if name not in reads},
        {name: value for name, value in given.items() if name in reads},
    )
