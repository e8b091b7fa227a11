"""Plain data of the stream: the verdict on a document, and what the stream remembers about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from infostream_dedup.errors import BadDataError
from infostream_dedup.model.document import Language
from infostream_dedup.model.tabular import Tabular

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Ints


Status = Literal["new", "exact", "duplicate", "similar", "insufficient_text"]
STATUSES: Final[tuple[Status, ...]] = ("new", "exact", "duplicate", "similar", "insufficient_text")

VERDICT_FIELDS: Final = ("id", "status", "of", "group", "relation", "forward", "backward", "terms")
"""Fields of every row of ``ingest``."""
JUDGED_FIELDS: Final = ("kind", "probability")  # fields that preset ``judged`` adds
ACROSS_FIELDS: Final = ("translation_of", "translation")  # fields added by a stream that looks across languages
SOMETIMES_FIELDS: Final = ("revision_of", "differs_by", "differing", "same_story_of", "watches")
"""Fields that only some verdicts have: of corrections, those that few words decide, of reports in two languages, hits
of standing searches."""
STORY_FIELDS: Final = ("story",)  # the last field of preset ``judged``
CLASSIFIED_FIELDS: Final = ("probability", "criteria")  # fields that a classifier of the user adds

AGREEING: Final = 5
"""Number of consecutive later dates after which a late clock of a stream catches up. It is smaller than the number of
days in a usual window, so none of these documents has left the window by then."""

_OWN_AGAIN: Final = ("template", "updated")


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatedFrom:
    """Why a document counts as a translation of an earlier one.

    Attributes:
        share_forward: share of the weight of its 30 key terms in the pivot language that the earlier document has, 0 to
            1.
        share_backward: the same share of the earlier document's key terms.
        order: how far the words that match keep their order, at most 1: the share of their places in the longest chain
            in the order of both texts, beyond what a chain against it takes up; ``None`` with fewer than 6 places.
        places: number of these places, in the text with fewer of them.
        met: its key terms that the earlier document has, heaviest first: ``word``, ``pivot``, ``their_word``, ``rung``.
        differs_by: ``another figure`` if it is no translation only because figures contradict; ``None`` otherwise.
        differing: these figures, that of the earlier document first.
    """

    share_forward: float
    share_backward: float
    order: float | None
    places: int
    met: tuple[tuple[str, str, str, str], ...]
    differs_by: str | None = None
    differing: tuple[tuple[str, str], ...] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the plain values by name."""
        names = ("word", "pivot", "their_word", "rung")
        met = [dict(zip(names, one, strict=True)) for one in self.met]
        plain = ("share_forward", "share_backward", "order", "places")
        row: dict[str, Any] = {name: getattr(self, name) for name in plain} | {"met": met}
        if self.differing is not None:
            row |= {"differs_by": self.differs_by, "differing": [list(pair) for pair in self.differing]}
        return row


# Not frozen, like ``Remembered``.
@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Verdict:
    """The stream's decision about one document.

    Attributes:
        id: id of the document.
        status: ``exact``, ``duplicate``, ``similar``, ``new`` or ``insufficient_text``.
        of: id of the earlier document that it repeats or resembles; ``None`` for ``new`` and ``insufficient_text``.
        group: id of the earliest document of its group; its own id if it starts one.
        relation: ``equal``, ``contained``, ``contains``, ``template``, ``updated`` or ``None``.
        forward: number of key terms of this document found in ``of``; ``None`` if not compared.
        backward: number of key terms of ``of`` found in this document; ``None`` if not compared.
        terms: key terms found in either direction, heaviest first; ``None`` if not compared.
        kind: kind of the pair that the document forms with ``of`` (``copy``, ``template`` ...); ``None`` without
            ``of``, and in a stream of preset ``faithful``.
        probability: probability, 0 to 1, that the two are copies or report one event (preset ``judged``), or, by the
            stream's classifier, that the document repeats ``of``; ``None`` if neither judged it.
        criteria: names of the model's criteria, each with the difference between the document and ``of``, or ``None``
            if that is unknown.
        revision_of: its id, if an earlier document has it: a correction, which is ``new`` (kind ``updated``) unless it
            repeats another document; ``None`` for others.
        differs_by: what the few words are in which the document and ``of`` differ, if these decided its kind
            (``differs``, ``updated``): ``negation``, ``another figure`` ...
        differing: these words, those of ``of`` first.
        translation_of: id of the earlier document in another language that has the same text; ``None`` if there is
            none, and in a stream that does not look across languages.
        translation: the matching terms; ``None`` without ``translation_of``, unless a figure contradicts that of
            ``same_story_of``, which would else be it (kind ``differs`` of a pair): then both figures are named.
        same_story_of: id of the earlier document in another language that reports the same event in its own words;
            ``None`` if there is none.
        watches: names of the standing searches that it answers; ``None`` if there are none.
        story: id of its story, which is the id of the story's earliest document; ``None`` as long as no other group
            tells it (preset ``judged``).
    """

    id: str
    status: Status
    of: str | None = None
    group: str
    relation: str | None = None
    forward: int | None = None
    backward: int | None = None
    terms: tuple[str, ...] | None = None
    kind: str | None = None
    probability: float | None = None
    criteria: tuple[tuple[str, float | None], ...] | None = None
    revision_of: str | None = None
    differs_by: str | None = None
    differing: tuple[tuple[str, str], ...] | None = None
    translation_of: str | None = None
    translation: TranslatedFrom | None = None
    same_story_of: str | None = None
    story: str | None = None
    watches: tuple[str, ...] | None = None

    @property
    def repeats(self) -> bool:
        """Whether the document repeats ``of``, except perhaps for other numbers, and adds no text of its own."""
        return self.status in ("exact", "duplicate") or self.relation in _OWN_AGAIN or self.kind in _OWN_AGAIN

    @property
    def stands_for_kept(self) -> bool:
        """Whether the document is kept, or has the text or nearly all key terms of its group's first document."""
        if self.status not in ("exact", "duplicate"):
            return True
        return self.of == self.group and (self.status == "exact" or self.relation == "equal")

    def as_dict(self, fields: Sequence[str] = VERDICT_FIELDS) -> dict[str, Any]:
        """Return the row that ``ingest`` writes.

        Args:
            fields: fields of the row, in order; the common ones, then ``JUDGED_FIELDS`` and ``ACROSS_FIELDS``, or
                ``CLASSIFIED_FIELDS``.
        """
        row = {name: getattr(self, name) for name in fields}
        if self.revision_of is not None:
            row["revision_of"] = self.revision_of
        if self.differing is not None and "kind" in fields:
            row |= {"differs_by": self.differs_by, "differing": [list(pair) for pair in self.differing]}
        if self.same_story_of is not None and "translation_of" in fields:
            row["same_story_of"] = self.same_story_of
        if self.watches is not None:
            row["watches"] = list(self.watches)
        row["terms"] = None if self.terms is None else list(self.terms)
        if "criteria" in row:
            row["criteria"] = None if self.criteria is None else dict(self.criteria)
        if "translation" in row:
            row["translation"] = None if self.translation is None else self.translation.as_dict()
        return row


class Verdicts(Tabular, list[Verdict]):
    """The verdicts of a batch, in its order; as a table they have all fields but the classifier's."""

    quarantined: Sequence[BadDataError] = ()  # errors of the documents that were left out (``on_error="skip"``)

    def as_rows(self) -> list[dict[str, Any]]:
        """The verdicts, as plain dicts."""
        return [verdict.as_dict((*VERDICT_FIELDS, *JUDGED_FIELDS, *ACROSS_FIELDS, *STORY_FIELDS)) for verdict in self]


@dataclass(slots=True, kw_only=True)
class KeptEvidence:
    """What preset ``judged`` keeps about one document besides its signature, as a store keeps it."""

    keys: bytes  # 4 bytes each, the key terms after the first n, up to the 30 heaviest, heaviest first
    weights: bytes  # 8 bytes each, their weights in units of 1e-9
    record: bytes  # packed evidence, about 450 bytes for a news item
    triples: bytes  # hashes of its word triples, 8 bytes each, ascending


@dataclass(slots=True, kw_only=True)
class KeptPivot:
    """What a stream that looks across languages keeps about one document besides its signature, as a store keeps it."""

    keys: bytes  # 4 bytes each, numbers of its key terms in the pivot language, at most 30, heaviest first
    weights: bytes  # 8 bytes each, their weights in units of 1e-9
    # 8 bytes each, ascending: a term packed with the position of the key term that it stands for
    # (``pivot_reading.packed``)
    members: bytes
    canonical: bytes  # 4 bytes each, ascending: the terms that its document counts towards document frequencies
    further: bytes  # 4 bytes each, ascending: other terms through which key terms of other documents match it
    word_order: bytes  # 4 bytes each, its first words as they follow each other
    # 8 bytes each: for each earlier document with enough matches in both directions, its ordinal followed by
    # the smaller of both shares in units of 1e-9
    links: bytes


# Not frozen: making a frozen one takes four times as long, as long as storing its key terms.
@dataclass(slots=True, kw_only=True)
class Remembered:
    """What the stream keeps about one document; never changed."""

    ordinal: int  # position in the stream, from 0, without gaps
    id: str  # as given; unique in a store
    version: int  # number of earlier documents with the same id (``--on-conflict version``)
    source: str | None  # site or agency
    clock: int  # time of the stream's clock when the document arrived, in UTC microseconds since 1970
    published: int | None  # the document's own time in the same unit; ``None`` if missing
    language: Language  # language of the document, given or detected
    content_hash: bytes  # checksum of the whole document as given (all fields)
    text_hash: bytes  # checksum by which exact copies are found (``equality_hash``); ``b""`` if it would prove nothing
    # checksum of the beginning of the text; ``b""`` if no rule needs it or the beginning is too short
    opening_hash: bytes
    epoch: int  # epoch whose statistics weighted the document
    length: int  # number of terms of the document, with repetition
    keys: Ints  # int64 (key terms,), numbers of its key terms, heaviest first
    weights: Ints  # int64 (key terms,), weight of each key term in units of 1e-9
    # int64 (terms,), numbers of the terms in which key terms of other documents are looked up (V), ascending
    targets: Ints
    numbers: Ints  # int64 (numbers,), 63-bit hashes of the distinct numbers in the text, ascending
    title: str  # headline, for people inspecting the store
    text: str | None  # body, if the store is asked to keep texts; otherwise ``None``
    url: str | None = None  # address; ``None`` if missing
    evidence: KeptEvidence | None = None  # what preset ``judged`` keeps; ``None`` in a stream of preset ``faithful``
    pivot: KeptPivot | None = None  # what a stream that looks across languages keeps; ``None`` in other streams
    # its first and last fragments, as hashes; ``None`` in a stream that keeps repeated lines
    lines: bytes | None = None


@dataclass(frozen=True, slots=True)
class GroupEvent:
    """Something that happened to a group. Events are recorded and never undone.

    Attributes:
        ordinal: ordinal of the document that caused the event.
        kind: ``merge`` (``other`` joined ``group``), ``expiry`` (the group's last document left the window),
            ``alarm`` (the group is a chain and stops growing), ``limit`` (a source exceeds its loss limit) or ``watch``
            (the document answers a standing search).
        group: id of the group; name of the source for ``limit``, of the search for ``watch``.
        other: id of the group that joined, for ``merge``; otherwise ``None``.
        value: the measure that raised an alarm, or the share that exceeded a limit; otherwise ``None``.
    """

    ordinal: int
    kind: Literal["merge", "expiry", "alarm", "limit", "watch"]
    group: str
    other: str | None = None
    value: float | None = None


@dataclass(frozen=True, slots=True)
class StoryEvent:
    """Two stories became one, or a document was kept out of one. A group alone is a story named like the group.

    Attributes:
        ordinal: ordinal of the document that caused the event.
        story: id of the story that remains, the one that began first; for ``split`` that of the document.
        other: id of the story that joined it; for ``split`` the one that the document resembles, of which it reports
            no more than one part.
        begun: ordinal of the earliest document of ``story``.
        kind: ``merge`` or ``split``.
    """

    ordinal: int
    story: str
    other: str
    begun: int
    kind: Literal["merge", "split"]


@dataclass(frozen=True, slots=True)
class EpochFrequencies:
    """Document frequencies of one closed epoch in one language.

    They count the epoch's own documents, or those of them that repeat earlier ones. The statistics used in epoch e are
    the sums over all epochs before e.
    """

    epoch: int  # number of the epoch, from 0
    language: Language  # language of the documents
    documents: int  # number of documents
    length: int  # total length of the documents in terms
    terms: Ints  # int64 (terms,), numbers of the terms, ascending
    df: Ints  # int64 (terms,), number of documents of the epoch that contain each term


@dataclass(frozen=True, slots=True)
class CountedEvidence:
    """In how many documents of a part of the stream each number, name and lead word occurs."""

    epoch: int  # epoch of evidence that the counts belong to
    # whether these are the counts of all documents before the epoch and replace all earlier counts; otherwise
    # they are the counts of the batch's documents within the epoch
    closed: bool
    counts: bytes  # the counters, packed by ``EvidenceFrequencies.blob``


@dataclass(slots=True, kw_only=True)
class Decided:
    """The outcome of a batch, stored in one transaction."""

    verdicts: list[Verdict] = field(default_factory=list)  # one for each document, in the same order
    remembered: list[Remembered] = field(default_factory=list)  # the documents
    events: list[GroupEvent] = field(default_factory=list)  # events of groups and sources, in order
    # epochs that ended, one record for each language that had documents
    closed: list[EpochFrequencies] = field(default_factory=list)
    # the same counts over documents that repeat earlier ones, one record for each language that had any;
    # empty if the stream does not count them separately
    repeated: list[EpochFrequencies] = field(default_factory=list)
    # what the documents add to the counts of evidence; empty in a stream of preset ``faithful``
    evidence: list[CountedEvidence] = field(default_factory=list)
    # counts of the ended epochs in the pivot language, under its name; empty in a stream that does not look
    # across languages
    pivot: list[EpochFrequencies] = field(default_factory=list)
    stories: list[StoryEvent] = field(default_factory=list)  # events of stories, in order
    # terms that got numbers since the last batch, continuing the numbering
    new_terms: list[str] = field(default_factory=list)
    # small values that a restored engine needs and that do not follow from documents; one that is the same
    # object as in the batch before has not changed
    state: dict[str, Any] = field(default_factory=dict)
    oldest: int = 0  # smallest ordinal still in the window


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch, stored in one transaction."""

    id: str  # not used before
    hash: bytes  # checksum of the batch's content; distinguishes a replay from another batch with the same id
    decided: Decided  # what was decided about its new documents
    # ordinals of the documents that answer the batch, in the order of the batch; ``None`` if all of them are
    # new; the verdicts in ``decided`` are then the answer
    answers: Sequence[int] | None = None
