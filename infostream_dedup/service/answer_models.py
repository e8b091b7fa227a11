"""What ``openapi.json`` describes: answers as models (none is converted, tests hold them to it), bodies, problems."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field, create_model

from infostream_dedup.judgements.desk import KINDS, LABELS
from infostream_dedup.model.stream_records import Status
from infostream_dedup.service.problems import CODES, PROBLEM_TYPE, ListedValue

Row = TypeVar("Row")
Share = Annotated[float, Field(ge=0, le=1)]
Label = Annotated[str, ListedValue(LABELS)]
Terms = list[str] | None
Maybe = str | None
MaybeTime = datetime | None
Span = list[int]  # first and last character of a place in a text, the last not included


class ServiceAnswer(BaseModel):
    """A JSON object with these members only."""

    model_config = ConfigDict(extra="forbid")


class Page(ServiceAnswer, Generic[Row]):
    """A page of a list; ``next`` is the ``after`` of the next one, null at the end."""

    items: list[Row]
    next: str | None


def page_of(row: Any) -> Any:
    """The form of a page with rows of a form."""
    return Page[row]


def _form(name: str, what: str, base: type[BaseModel] = ServiceAnswer, **members: Any) -> Any:
    """A form with required members, or optional ones given with their defaults."""
    given: dict[str, Any] = {one: kind if isinstance(kind, tuple) else (kind, ...) for one, kind in members.items()}
    return create_model(name, __base__=base, __doc__=f"{what}.", **given)


def _many(row: Any) -> Any:
    return list[row]


# fmt: off
WordPair = _form(
    "WordPair", "A word and its translation, with the word of the pivot language by which they meet", word=str,
    pivot=str, their_word=str, rung=str
)
Translation = _form(
    "Translation", "How two documents in different languages meet", share_forward=Share, share_backward=Share,
    order=float, places=int, met=_many(WordPair), differs_by=(str | None, None),
    differing=(list[list[Any]] | None, None)
)
Meeting = _form("Meeting", "Two documents of a story in different languages", base=Translation, id=str, of=str)
VerdictCore = _form(
    "VerdictCore", "How a document relates to an earlier one", status=Status,
    of=Annotated[str | None, Field(description="The earlier document that it repeats or resembles")],
    relation=Maybe, forward=Annotated[int | None, Field(description="Its key terms that `of` has too")],
    backward=Annotated[int | None, Field(description="Key terms of `of` that it has too")], terms=Terms,
    kind=(Annotated[str | None, Field(description="copy, retold, contained, contains, template, updated ...")], None),
    probability=(Annotated[Share | None, Field(description="That both documents tell the same story")], None),
    differs_by=(Annotated[str | None, Field(description="What a correction changed")], None),
    differing=(list[list[Any]] | None, None), translation_of=(str | None, None), translation=(Translation | None, None),
    same_story_of=(str | None, None)
)
Verdict = _form(
    "Verdict", "The verdict on a document of a batch", base=VerdictCore, id=str,
    group=Annotated[str, Field(description="The earliest document of its group; its own id if it begins one")],
    story=(str | None, None), revision_of=(str | None, None), criteria=(dict[str, Any] | None, None),
    watches=(Annotated[list[str] | None, Field(description="Standing searches that it answers")], None),
    extra=(Annotated[Any, Field(description="The member `extra` of the document as it was sent; not stored")], None)
)
Position = _form("Position", "What the store has", batches=int, documents=int)
Quarantined = _form(
    "Quarantined", "A document that could not be decided",
    index=Annotated[int, Field(description="Its position in the batch, from 0")], code=str, field=Maybe,
    detail=str
)
BatchDecided = _form(
    "BatchDecided", "The verdicts on a batch, which is on disk", batch_id=str,
    replayed=Annotated[bool, Field(description="Whether it had been stored before")], position=Position,
    verdicts=_many(Verdict), quarantined=_many(Quarantined),
    ignored=Annotated[list[str], Field(description="Names of members of documents that the service does not use")]
)
BatchStored = _form("BatchStored", "A stored batch", batch_id=str, verdicts=_many(Verdict))
Verdicts = _form("Verdicts", "Verdicts that documents would get", verdicts=_many(Verdict), ignored=list[str])
BatchStatus = _form(
    "BatchStatus", "How far an asynchronous batch is", batch_id=str, state=Literal["waiting", "stored", "failed"],
    documents=int,
    problem=Annotated[dict[str, Any] | None, Field(description="Why it failed, as a synchronous batch says it")]
)
DocumentRow = _form(
    "DocumentRow", "A stored document with its verdict", base=VerdictCore,
    ordinal=Annotated[int, Field(description="Its place in the stream, from 0")], id=str, version=int, title=str,
    source=Maybe, language=str, published=MaybeTime, arrived=MaybeTime, url=Maybe, forgotten=bool
)
LoggedVerdict = _form(
    "LoggedVerdict", "A document, with the group and story that its verdict named", base=DocumentRow, group_then=str,
    story_then=Maybe
)
KeyTerm = _form("KeyTerm", "A key term of a document", term=str, weight=float)
DocumentRowInGroup = _form("DocumentRowInGroup", "A document with its present group", base=LoggedVerdict, group=str)
DocumentShown = _form(
    "DocumentShown", "A document with its present group, key terms and, if kept, text", base=DocumentRowInGroup,
    key_terms=_many(KeyTerm), text=Maybe
)
Member = _form("Member", "A document of a group", base=DocumentRow, joined=Literal["verdict", "merge"])
Event = _form(
    "Event", "Something that happened to a group or a source", ordinal=int,
    kind=Literal["merge", "expiry", "alarm", "limit"], group=str, other=Maybe, value=float | None
)
GroupRow = _form(
    "GroupRow", "A group in a list", group=str, title=str, documents=int, sources=int, languages=int, first=MaybeTime,
    last=MaybeTime, alarm=bool, ordinal=int, source=Maybe, url=Maybe
)
GroupShown = _form(
    "GroupShown", "A group with its documents in the order of publication", group=str, documents=int,
    members=_many(Member), events=_many(Event)
)
ChangedSentence = _form(
    "ChangedSentence", "A sentence before and after a change", before=str, after=str, numbers_gone=list[str],
    numbers_new=list[str], names_gone=list[str], names_new=list[str], words_gone=list[Span], words_new=list[Span]
)
Copy = _form(
    "Copy", "What a copy kept of the document that it was copied from", group=str, first=str, first_source=Maybe,
    first_by=str, id=str, source=Maybe, published=MaybeTime, title=str, url=Maybe, copied_from=str,
    copied_share=Share, kept=int, kept_share=Share, title_changed=bool, cut=list[str], added=list[str],
    changed=_many(ChangedSentence)
)
Provenance = _form(
    "Provenance", "Who published a group first, and its copies", group=str, first=str, first_by=str, copies=_many(Copy)
)
TakenFrom = _form("TakenFrom", "How many documents a source takes from another", source=str, documents=int)
SourceRow = _form(
    "SourceRow", "What a source publishes first and what it repeats", source=Maybe, documents=int, originals=int,
    repeats=int, own=int, delay_hours=float | None, taken_from=_many(TakenFrom)
)
StoryRow = _form(
    "StoryRow", "A story in a list", story=str, documents=int, outlets=int, origins=int, echo_share=Share, spread=int,
    languages=list[str], first=MaybeTime, last=MaybeTime, title=str, begun=int
)
Telling = _form(
    "Telling", "A document of a story: its outlet, its origin, and its part in the story", origin=int, role=str,
    id=str, outlet=Maybe, language=str, published=MaybeTime, lag_hours=float | None, title=str, of=Maybe,
    url=Maybe
)
StoryTelling = _form(
    "StoryTelling", "A document of a story with its verdict", base=Telling, story=str, group=str, ordinal=int,
    source=Maybe, status=Status, kind=Maybe, translation_of=Maybe
)
WireTelling = _form(
    "WireTelling", "A document of a story, with the agency that it names", base=Telling, wire=Maybe
)
StoryColumn = _form(
    "StoryColumn", "The documents of a story in one language", language=str, documents=_many(StoryTelling)
)
StoryShown = _form(
    "StoryShown", "A story with its documents by language, and the words they share", base=StoryRow,
    columns=_many(StoryColumn), meetings=_many(Meeting)
)
Coverage = _form(
    "Coverage", "Who covers a story", story=str, outlets=int, origins=int, first=str, echo_share=Share,
    wires_read=bool, documents=_many(WireTelling)
)
Piece = _form(
    "Piece", "A piece of a text: in a shared passage (numbered from 1), or a word that meets another", text=str,
    passage=int, word=int, repeated=bool
)
ComparedSide = _form(
    "ComparedSide", "One of two compared documents", id=str, version=int, title=str, source=Maybe, language=str,
    published=MaybeTime, group=str, key_terms=_many(KeyTerm), pieces=_many(Piece)
)
ChangedPlace = _form("ChangedPlace", "What differs inside a shared passage", a=Span, b=Span)
SharedPassage = _form(
    "SharedPassage", "A passage that two texts share", a=Span, b=Span, sentences=int, words=int,
    changed=_many(ChangedPlace)
)
MetWord = _form(
    "MetWord", "A word of one text that translates a word of the other", number=int, a=str, b=str, pivot=str, rung=str,
    spans_a=list[Span], spans_b=list[Span]
)
Comparison = _form(
    "Comparison", "Two documents side by side", a=ComparedSide, b=ComparedSide, spans=_many(SharedPassage),
    coverage_a=Share, coverage_b=Share, sentences=int, languages=list[str], met=_many(MetWord), translated_a=Share,
    translated_b=Share
)
HitWord = _form("HitWord", "A key term that a question and a hit share", word=str, their_word=str)
Hit = _form(
    "Hit", "A stored document that resembles a question", ordinal=int, id=str, title=str, source=Maybe,
    published=MaybeTime, url=Maybe, language=str, group=str, forward=int, backward=int, share_forward=Share,
    share_backward=Share, relation=Maybe, kind=(str | None, None), probability=(Share | None, None),
    terms=list[str], met=_many(HitWord), differs_by=(str | None, None), differing=(list[list[Any]] | None, None)
)
PairSide = _form(
    "PairSide", "One of two documents to judge", base=ComparedSide, ordinal=int, url=Maybe, numbers=list[str],
    coverage=Share, translated=Share
)
PairToJudge = _form(
    "PairToJudge", "Two documents to judge", a=PairSide, b=PairSide, passages=int, shared_terms=list[str],
    words=dict[str, str]
)
PairVerdict = _form(
    "PairVerdict", "The stream's verdict on a pair; nulls if it names neither of the two for the other",
    status=Status | None, kind=Maybe, probability=Share | None, relation=Maybe, forward=int | None,
    backward=int | None, one_group=bool
)
Progress = _form(
    "Progress", "What somebody has judged so far", number=int, judged=int, passed=int, last=int | None,
    pace=Annotated[float | None, Field(description="Seconds for a pair")]
)
Judged = _form(
    "Judged", "A judgement that is on disk", base=Progress,
    added=Annotated[bool, Field(description="False if it had been sent before")]
)
Undone = _form("Undone", "A judgement that was withdrawn", base=Progress, a=str, b=str, queue=str)
Imported = _form("Imported", "Rows taken from a labels file", judgements=int, asked=int)
JudgementRow = _form(
    "JudgementRow", "A judgement, or a row that undoes one", number=int, a=str, b=str, label=Label | None,
    repeats=Maybe, person=str, at=datetime, seconds=float, queue=str, seen_verdict=bool, undoes=int | None,
    undone=bool
)
TwoJudges = _form("TwoJudges", "How far two people agree", persons=list[str], pairs=int, agreed=int, kappa=float | None)
Disagreement = _form("Disagreement", "A pair that people label differently", a=str, b=str, labels=dict[str, Label])
Agreement = _form(
    "Agreement", "Whether people who judged the same pairs agree", pairs=int, agreed=int, judges=_many(TwoJudges),
    disagreements=_many(Disagreement)
)
JobStarted = _form("JobStarted", "A job that waits for its process", number=int, state=Literal["waiting"])
JobRow = _form(
    "JobRow", "A job", number=int, kind=Annotated[str, ListedValue(KINDS)], parameters=dict[str, Any],
    position=Annotated[str, Field(description="The state of the store that it describes")],
    state=Literal["waiting", "running", "done", "failed", "stopped"], step=Maybe, done=int | None,
    total=int | None, message=Maybe, person=str, began=datetime, ended=MaybeTime
)
JobShown = _form(
    "JobShown", "A job with its result, whose form depends on its kind", base=JobRow, result=dict[str, Any] | None
)
StatusRate = _form(
    "StatusRate", "Documents of a status in the last hour, and per hour before", status=Status, last_hour=int,
    usual=float | None
)
SilentSource = _form(
    "SilentSource", "A source that has published nothing for unusually long", source=str, last=datetime,
    pause_hours=float, usual_hours=float
)
EpochRow = _form(
    "EpochRow", "A closed epoch, or one source in it", epoch=int, source=Maybe, documents=int, links=int,
    symmetry=Share | None, transitivity=Share | None, duplicates=Share, links_across=int | None,
    symmetry_across=Share | None, alarms=list[str], symmetry_low=float | None, symmetry_high=float | None,
    transitivity_low=float | None, transitivity_high=float | None, symmetry_across_low=float | None,
    symmetry_across_high=float | None
)
DayCount = _form(
    "DayCount", "Documents of a day of the stream's clock, and those of them that repeat others", day=date,
    documents=int, repeats=int
)
Stats = _form(
    "Stats", "The stream at a glance", clock=MaybeTime, documents=int, batches=int, groups=int, days=_many(DayCount),
    statuses=_many(StatusRate), silent=_many(SilentSource), epochs=_many(EpochRow)
)
TemplateRow = _form(
    "TemplateRow", "A recurring form of a source, with the decision about it", source=str, template=str, title=str,
    times=int, first=MaybeTime, last=MaybeTime, filling=str, filling_title=str,
    words=list[str], decision=Maybe, by=Maybe, at=MaybeTime
)
AlarmRow = _form(
    "AlarmRow", "A group that stopped growing because it is a chain", number=int, group=str, at=MaybeTime,
    value=float | None, title=Maybe, documents=int, state=Literal["open", "known", "snoozed"], by=Maybe
)
Retuned = _form(
    "Retuned", "From which document on new thresholds hold", first=int, changes=dict[str, Any],
    left=Annotated[list[str], Field(description="What the file says that a stream does not read")]
)
ForgottenDocuments = _form(
    "ForgottenDocuments", "How many documents have lost their content", documents=int,
    clean=Annotated[bool | None, Field(description="Whether no remnants are left in the files; null without wipe")]
)
Health = _form("Health", "The process is alive", status=Literal["ok"])
Ready = _form("Ready", "The service can answer", status=Literal["ready"])
# fmt: on


# The parts of openapi.json other than routes and answers: bodies, problems, files


_PROBLEM: Final = {
    "type": "object",
    "required": ["type", "title", "status", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "enum": list(CODES)},
        "detail": {"type": "string"},
        "reason": {"type": "string", "description": "code of bad data, such as E_TYPE"},
        "field": {"type": "string"},
        "document": {"type": "integer", "description": "position in the batch, from 0"},
        "limit": {"type": "integer"},
    },
}


def _problem(description: str) -> dict[str, Any]:
    return {"description": description, "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}


ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": _problem("The request cannot be answered; `code` says why"),
    "503": _problem("Not now: try again after the seconds in `Retry-After`"),
    "507": _problem("The disk is full; nothing was stored"),
}
"""Answers that any route may give."""

_STRING: Final = {"type": "string"}

KEYED: Final = {
    "parameters": [{"name": "Idempotency-Key", "in": "header", "required": True, "schema": {**_STRING, "minLength": 1}}]
}
"""The header that makes a repeated request to a route take effect only once."""

DOCUMENT: Final = {"$ref": "#/components/schemas/Document"}

_BODIES: Final[dict[str, dict[str, Any]]] = {}


def body_of(model: type[BaseModel], example: dict[str, Any], *, lines: bool = False) -> dict[str, Any]:
    """The description of a route's body; with ``lines``, JSON Lines are accepted too."""
    described = _untitled(model.model_json_schema())
    documents = described["properties"].get("documents")
    if documents is not None and "published" in documents.get("items", {}).get("properties", {}):
        _BODIES["Document"] = documents["items"]
        documents["items"] = DOCUMENT
    _BODIES[model.__name__] = described
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    content: dict[str, Any] = {"application/json": {"schema": schema, "example": example}}
    if lines:
        content["application/x-ndjson"] = {"schema": _STRING}
    return {"requestBody": {"required": True, "content": content}}


def _untitled(schema: Any) -> Any:
    """A schema without the titles that pydantic makes of names, and without descriptions of classes."""
    if isinstance(schema, list):
        return [_untitled(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _untitled(one)
        for name, one in schema.items()
        if not (name == "title" and isinstance(one, str)) and not (name == "description" and "properties" in schema)
    }


def file_of(*types: str) -> dict[int | str, dict[str, Any]]:
    """The answer of a route that returns text of one of several types."""
    return {200: {"description": "The file", "content": {kind: {"schema": _STRING} for kind in types}}}


_OPEN: Final = ("/health", "/ready")


def describe(app: FastAPI) -> None:
    """Add bodies, problems and tokens to the description of an application."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is not None:
            return app.openapi_schema
        description = plain()
        description["servers"] = [{"url": "http://127.0.0.1:8600"}]
        known = description.setdefault("components", {})
        known["schemas"] = _untitled(known.get("schemas", {})) | _BODIES | {"Problem": _PROBLEM}
        known["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path, methods in description["paths"].items():
            for route in methods.values():
                route["description"] = route["description"].replace("``", "`")
                route["summary"] = (
                    route["description"].replace("`", "").partition(".")[0].partition("; ")[0].partition("\n")[0]
                )
                route["security"] = [] if path in _OPEN else [{"token": []}]
        return description

    app.openapi = described  # type: ignore[method-assign]  # FastAPI's own way to extend it
