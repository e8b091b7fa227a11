"""What routes answer, as models that ``openapi.json`` describes; no answer is converted, tests hold them to it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from infostream_dedup.judgements.desk import LABELS
from infostream_dedup.judgements.jobs import KINDS
from infostream_dedup.model.stream_records import Status
from infostream_dedup.service.values import ListedValue

Row = TypeVar("Row")
Share = Annotated[float, Field(ge=0, le=1)]
Label = Annotated[str, ListedValue(LABELS)]
Terms = list[str] | None
Span = list[int]
"""First and last character of a place in a text, the last not included."""


class Answer(BaseModel):
    """A JSON object with these members only."""

    model_config = ConfigDict(extra="forbid")


class Page(Answer, Generic[Row]):
    """A page of a list; ``next`` is the ``after`` of the next one, null at the end."""

    items: list[Row]
    next: str | None


class WordPair(Answer):
    """A word and its translation, with the word of the pivot language by which they meet."""

    word: str
    pivot: str
    their_word: str
    rung: str


class Translation(Answer):
    """How two documents in different languages meet."""

    share_forward: Share
    share_backward: Share
    order: float
    places: int
    met: list[WordPair]


class Meeting(Translation):
    """Two documents of a story in different languages."""

    id: str
    of: str


class VerdictCore(Answer):
    """How a document relates to an earlier one."""

    status: Status
    of: Annotated[str | None, Field(description="The earlier document that it repeats or resembles")]
    relation: str | None
    forward: Annotated[int | None, Field(description="Its key terms that `of` has too")]
    backward: Annotated[int | None, Field(description="Key terms of `of` that it has too")]
    terms: Terms
    kind: Annotated[str | None, Field(description="copy, retold, contained, contains, template, updated ...")] = None
    probability: Annotated[Share | None, Field(description="That both documents tell the same story")] = None
    differs_by: Annotated[str | None, Field(description="What a correction changed")] = None
    differing: list[list[Any]] | None = None
    translation_of: str | None = None
    translation: Translation | None = None


class Verdict(VerdictCore):
    """The verdict on a document of a batch."""

    id: str
    group: Annotated[str, Field(description="The earliest document of its group; its own id if it begins one")]
    story: str | None = None
    revision_of: str | None = None
    criteria: dict[str, Any] | None = None
    extra: Annotated[Any, Field(description="The member `extra` of the document as it was sent; not stored")] = None


class Position(Answer):
    """What the store has."""

    batches: int
    documents: int


class Quarantined(Answer):
    """A document that could not be decided."""

    index: Annotated[int, Field(description="Its position in the batch, from 0")]
    code: str
    field: str | None
    detail: str


class BatchDecided(Answer):
    """The verdicts on a batch, which is on disk."""

    batch_id: str | None
    replayed: Annotated[bool, Field(description="Whether it had been stored before")]
    position: Position
    verdicts: list[Verdict]
    quarantined: list[Quarantined]
    ignored: Annotated[list[str], Field(description="Names of members of documents that the service does not use")]


class BatchStored(Answer):
    """A stored batch."""

    batch_id: str
    verdicts: list[Verdict]


class Verdicts(Answer):
    """Verdicts that documents would get."""

    verdicts: list[Verdict]
    ignored: list[str]


class BatchStatus(Answer):
    """How far an asynchronous batch is."""

    batch_id: str
    state: Literal["waiting", "stored", "failed"]
    documents: int
    problem: Annotated[dict[str, Any] | None, Field(description="Why it failed, as a synchronous batch says it")]


class DocumentRow(VerdictCore):
    """A stored document with its verdict."""

    ordinal: Annotated[int, Field(description="Its place in the stream, from 0")]
    id: str
    version: int
    title: str
    source: str | None
    language: str
    published: datetime | None
    arrived: datetime | None
    url: str | None
    forgotten: bool


class LoggedVerdict(DocumentRow):
    """A document, with the group and story that its verdict named."""

    group_then: str
    story_then: str | None


class KeyTerm(Answer):
    """A key term of a document."""

    term: str
    weight: float


class DocumentRowInGroup(LoggedVerdict):
    """A document with its present group."""

    group: str


class DocumentShown(DocumentRowInGroup):
    """A document with its present group, key terms and, if kept, text."""

    key_terms: list[KeyTerm]
    text: str | None


class Member(DocumentRow):
    """A document of a group."""

    joined: Literal["verdict", "merge"]


class Event(Answer):
    """Something that happened to a group or a source."""

    ordinal: int
    kind: Literal["merge", "expiry", "alarm", "limit"]
    group: str
    other: str | None
    value: float | None


class GroupRow(Answer):
    """A group in a list."""

    group: str
    title: str
    documents: int
    sources: int
    languages: int
    first: datetime | None
    last: datetime | None
    alarm: bool
    ordinal: int
    source: str | None
    url: str | None


class GroupShown(Answer):
    """A group with its documents in the order of publication."""

    group: str
    documents: int
    members: list[Member]
    events: list[Event]


class ChangedSentence(Answer):
    """A sentence before and after a change."""

    before: str
    after: str
    numbers_gone: list[str]
    numbers_new: list[str]
    names_gone: list[str]
    names_new: list[str]
    words_gone: list[Span]
    words_new: list[Span]


class Copy(Answer):
    """What a copy kept of the document that it was copied from."""

    group: str
    first: str
    first_source: str | None
    first_by: str
    id: str
    source: str | None
    published: datetime | None
    title: str
    url: str | None
    copied_from: str
    copied_share: Share
    kept: int
    kept_share: Share
    title_changed: bool
    cut: list[str]
    added: list[str]
    changed: list[ChangedSentence]


class Provenance(Answer):
    """Who published a group first, and its copies."""

    group: str
    first: str
    first_by: str
    copies: list[Copy]


class TakenFrom(Answer):
    """How many documents a source takes from another."""

    source: str
    documents: int


class SourceRow(Answer):
    """What a source publishes first and what it repeats."""

    source: str | None
    documents: int
    originals: int
    repeats: int
    own: int
    delay_hours: float | None
    taken_from: list[TakenFrom]


class StoryRow(Answer):
    """A story in a list."""

    story: str
    documents: int
    outlets: int
    origins: int
    echo_share: Share
    spread: int
    languages: list[str]
    first: datetime | None
    last: datetime | None
    title: str
    begun: int


class Telling(Answer):
    """A document of a story: its outlet, its origin, and its part in the story."""

    origin: int
    role: str
    id: str
    outlet: str | None
    language: str
    published: datetime | None
    lag_hours: float | None
    title: str
    of: str | None
    url: str | None


class StoryTelling(Telling):
    """A document of a story with its verdict."""

    story: str
    group: str
    ordinal: int
    source: str | None
    status: Status
    kind: str | None
    translation_of: str | None


class WireTelling(Telling):
    """A document of a story, with the agency that it names."""

    wire: str | None


class StoryColumn(Answer):
    """The documents of a story in one language."""

    language: str
    documents: list[StoryTelling]


class StoryShown(StoryRow):
    """A story with its documents by language, and the words they share."""

    columns: list[StoryColumn]
    meetings: list[Meeting]


class Coverage(Answer):
    """Who covers a story."""

    story: str
    outlets: int
    origins: int
    first: str
    echo_share: Share
    wires_read: bool
    documents: list[WireTelling]


class Piece(Answer):
    """A piece of a text: in a shared passage (numbered from 1), or a word that meets another."""

    text: str
    passage: int
    word: int
    repeated: bool


class ComparedSide(Answer):
    """One of two compared documents."""

    id: str
    version: int
    title: str
    source: str | None
    language: str
    published: datetime | None
    group: str
    key_terms: list[KeyTerm]
    pieces: list[Piece]


class ChangedPlace(Answer):
    """What differs inside a shared passage."""

    a: Span
    b: Span


class SharedPassage(Answer):
    """A passage that two texts share."""

    a: Span
    b: Span
    sentences: int
    words: int
    changed: list[ChangedPlace]


class MetWord(Answer):
    """A word of one text that translates a word of the other."""

    number: int
    a: str
    b: str
    pivot: str
    rung: str
    spans_a: list[Span]
    spans_b: list[Span]


class Comparison(Answer):
    """Two documents side by side."""

    a: ComparedSide
    b: ComparedSide
    spans: list[SharedPassage]
    coverage_a: Share
    coverage_b: Share
    sentences: int
    languages: list[str]
    met: list[MetWord]
    translated_a: Share
    translated_b: Share


class HitWord(Answer):
    """A key term that a question and a hit share."""

    word: str
    their_word: str


class Hit(Answer):
    """A stored document that resembles a question."""

    ordinal: int
    id: str
    title: str
    source: str | None
    published: datetime | None
    url: str | None
    language: str
    group: str
    forward: int
    backward: int
    share_forward: Share
    share_backward: Share
    relation: str | None
    kind: str | None = None
    probability: Share | None = None
    terms: list[str]
    met: list[HitWord]


class PairSide(ComparedSide):
    """One of two documents to judge."""

    ordinal: int
    url: str | None
    numbers: list[str]
    coverage: Share
    translated: Share


class PairToJudge(Answer):
    """Two documents to judge."""

    a: PairSide
    b: PairSide
    passages: int
    shared_terms: list[str]
    words: dict[str, str]


class PairVerdict(Answer):
    """The stream's verdict on a pair; nulls if it names neither of the two for the other."""

    status: Status | None
    kind: str | None
    probability: Share | None
    relation: str | None
    forward: int | None
    backward: int | None
    one_group: bool


class Progress(Answer):
    """What somebody has judged so far."""

    number: int
    judged: int
    passed: int
    last: int | None
    pace: Annotated[float | None, Field(description="Seconds for a pair")]


class Judged(Progress):
    """A judgement that is on disk."""

    added: Annotated[bool, Field(description="False if it had been sent before")]


class Undone(Progress):
    """A judgement that was withdrawn."""

    a: str
    b: str
    queue: str


class Imported(Answer):
    """Rows taken from a labels file."""

    judgements: int
    asked: int


class JudgementRow(Answer):
    """A judgement, or a row that undoes one."""

    number: int
    a: str
    b: str
    label: Label | None
    repeats: str | None
    person: str
    at: datetime
    seconds: float
    queue: str
    seen_verdict: bool
    undoes: int | None
    undone: bool


class TwoJudges(Answer):
    """How far two people agree."""

    persons: list[str]
    pairs: int
    agreed: int
    kappa: float | None


class Disagreement(Answer):
    """A pair that people label differently."""

    a: str
    b: str
    labels: dict[str, Label]


class Agreement(Answer):
    """Whether people who judged the same pairs agree."""

    pairs: int
    agreed: int
    judges: list[TwoJudges]
    disagreements: list[Disagreement]


class JobStarted(Answer):
    """A job that waits for its process."""

    number: int
    state: Literal["waiting"]


class JobRow(Answer):
    """A job."""

    number: int
    kind: Annotated[str, ListedValue(KINDS)]
    parameters: dict[str, Any]
    position: Annotated[str, Field(description="The state of the store that it describes")]
    state: Literal["waiting", "running", "done", "failed", "stopped"]
    step: str | None
    done: int | None
    total: int | None
    message: str | None
    person: str
    began: datetime
    ended: datetime | None


class JobShown(JobRow):
    """A job with its result, whose form depends on its kind."""

    result: dict[str, Any] | None


class StatusRate(Answer):
    """Documents of a status in the last hour, and per hour before."""

    status: Status
    last_hour: int
    usual: float | None


class SilentSource(Answer):
    """A source that has published nothing for unusually long."""

    source: str
    last: datetime
    pause_hours: float
    usual_hours: float


class EpochRow(Answer):
    """A closed epoch, or one source in it."""

    epoch: int
    source: str | None
    documents: int
    links: int
    symmetry: Share | None
    transitivity: Share | None
    duplicates: Share
    links_across: int | None
    symmetry_across: Share | None
    alarms: list[str]
    symmetry_low: float | None
    symmetry_high: float | None
    transitivity_low: float | None
    transitivity_high: float | None
    symmetry_across_low: float | None
    symmetry_across_high: float | None


class DayCount(Answer):
    """Documents of a day of the stream's clock, and those of them that repeat others."""

    day: date
    documents: int
    repeats: int


class Stats(Answer):
    """The stream at a glance."""

    clock: datetime | None
    documents: int
    batches: int
    groups: int
    days: list[DayCount]
    statuses: list[StatusRate]
    silent: list[SilentSource]
    epochs: list[EpochRow]


class TemplateRow(Answer):
    """A recurring form of a source, with the decision about it."""

    source: str
    template: str
    title: str
    times: int
    first: datetime | None
    last: datetime | None
    filling: str
    filling_title: str
    decision: str | None
    by: str | None
    at: datetime | None


class AlarmRow(Answer):
    """A group that stopped growing because it is a chain."""

    number: int
    group: str
    at: datetime | None
    value: float | None
    title: str | None
    documents: int
    state: Literal["open", "known", "snoozed"]
    by: str | None


class Retuned(Answer):
    """From which document on new thresholds hold."""

    first: int
    changes: dict[str, Any]
    left: Annotated[list[str], Field(description="What the file says that a stream does not read")]


class ForgottenDocuments(Answer):
    """How many documents have lost their content."""

    documents: int
    clean: Annotated[bool | None, Field(description="Whether no remnants are left in the files; null without wipe")]


class Health(Answer):
    """The process is alive."""

    status: Literal["ok"]


class Ready(Answer):
    """The service can answer."""

    status: Literal["ready"]
