"""What the stream does: now, groups, stories, search, provenance, templates, alarms, sources, settings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, urlencode

import orjson
from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import RedirectResponse, Response

from infostream_dedup.api.watch import hit_rows, watch_rows
from infostream_dedup.errors import BadDataError
from infostream_dedup.model.version import VERSION
from infostream_dedup.service.answers import ANALYST, READER, LiteralEndRoute, existing, keyset, listed
from infostream_dedup.service.figures import drifts_now, figure_now, health_now, in_order
from infostream_dedup.service.pages.frame import bars, form_of, page, story_bars, timeline
from infostream_dedup.service.pages.judging_pages import marked_text
from infostream_dedup.service.pairs import repeated_of, with_repeated
from infostream_dedup.service.problems import ProblemError, checked
from infostream_dedup.service.routes import judgements as desk_routes
from infostream_dedup.service.routes.groups import group_place, moment_of, traced_group
from infostream_dedup.service.running import caller_of, running
from infostream_dedup.service.tokens import Tokens
from infostream_dedup.stream.settings import KEY_TERMS_DECIDE, StreamSettings
from infostream_dedup.stream.store import Store, browsing
from infostream_dedup.stream.store.overview import latest_verdicts, words_of_title
from infostream_dedup.stream.store.restoring import position_of
from infostream_dedup.stream.store.stories import ORDERS, documents_of, story_named, story_page, story_rows, story_shown

router = APIRouter(include_in_schema=False, route_class=LiteralEndRoute)
_LATEST: Final = 40
_FIRST_ALARMS: Final = 5
_TERMS_SHOWN: Final = 6
_LARGEST: Final = 5
_WEEK: Final = 7 * 24 * 3_600_000_000


def _begin(store: Store, ordinal: int) -> str:
    """Name a document without a headline: by its first words, or by its key terms if its text is not kept."""
    return store.beginning(ordinal) or ", ".join(
        one["term"] for one in browsing.key_terms_of(store.connection, ordinal)[:_TERMS_SHOWN]
    )


@router.get("/", dependencies=READER)
async def now(request: Request) -> Response:
    """The latest verdicts and what is out of the ordinary."""
    service = running(request)
    state = await figure_now(service, "activity")
    since = None if state["clock"] is None else moment_of(state["clock"], "since")
    muted = await desk_routes.muted_forms(service)

    def question(store: Store) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        week = browsing.GroupFilter(since=None if since is None else since - _WEEK)
        largest = browsing.group_page(store.connection, week, by_date=False, after=None, limit=_LARGEST)
        stories = {story_named(store.connection, row["group"]): row for row in reversed(largest)}
        latest = [one for one in latest_verdicts(store.connection, _LATEST) if not _is_muted(one, muted)]
        for row in (*latest, *largest):
            row["title"] = row["title"] or _begin(store, row["ordinal"])
        return latest, [row | {"story": one} for one, row in stories.items()][::-1]

    rows, largest = await service.read(question)
    days = state["days"]
    most = max((day["documents"] for day in days), default=0) or 1
    alarms = [alarm for alarm in await desk_routes.alarms_shown(service) if alarm["state"] == "open"]
    return page(
        request,
        "now",
        state=state,
        rows=rows,
        muted=muted,
        alarms=alarms[:_FIRST_ALARMS],
        alarm_count=len(alarms),
        largest=largest,
        # Height of each day's bar and of its repeats, of 100.
        days=[day | {"all": 100 * day["documents"] / most, "part": 100 * day["repeats"] / most} for day in days],
        after=rows[0]["ordinal"] if rows else -1,
    )


def _is_muted(row: Mapping[str, Any], muted: Sequence[tuple[str | None, list[str]]]) -> bool:
    """As in ``now.js``, which asks this of the verdicts that come later."""
    words = words_of_title(row["title"])
    return row["kind"] == "template" and any(row["source"] == source and words >= set(form) for source, form in muted)


_ROWS: Final = 40
_SPARK: Final = 16
_MEMBERS: Final = 200
_DIGITS: Final = 10


@router.get("/groups", dependencies=READER)
async def groups(
    request: Request,
    *,
    order: str = "size",
    lang: str = "",
    source: str = "",
    q: str = "",
    since: str = "",
    until: str = "",
    min: str = "",  # noqa: A002 - of documents
    after: str | None = None,
    id: str | None = None,  # noqa: A002 - of the chosen group
) -> Response:
    """The present groups."""
    by_date = order == "last"
    given = {"order": order, "lang": lang, "source": source, "q": q, "since": since, "until": until, "min": min}
    last = moment_of(until or None, "until")
    chosen = browsing.GroupFilter(
        language=lang or None,
        source=source or None,
        words=q or None,
        since=moment_of(since or None, "since"),
        # People name the last day that they want, programs the moment after it.
        until=None if last is None else last + _WEEK // 7,
        least=max(2, int(min)) if min.isascii() and min.isdigit() and len(min) < _DIGITS else 2,
    )
    where = group_place(after, by_date=by_date)

    def question(store: Store) -> tuple[list[dict[str, Any]], dict[str, Any] | None, str | None, bool, str | None]:
        connection = store.connection
        rows = browsing.group_page(connection, chosen, by_date=by_date, after=where, limit=_ROWS + 1)
        wanted = id or (str(rows[0]["group"]) if rows else None)
        found = None if wanted is None else browsing.group_with_members(connection, wanted)
        moved = browsing.surviving_group(connection, wanted) if found is None and wanted is not None else None
        its_story = None if found is None else story_named(connection, found["group"])
        for one in [] if found is None else found["members"][:_ROWS]:
            one["begin"] = _begin(store, one["ordinal"])
        spreads = browsing.spread_of(connection, [row["group"] for row in rows])
        for row in rows:
            row["title"] = row["title"] or _begin(store, row["ordinal"])
            row["bars"] = bars(spreads.get(row["group"], []), _SPARK)
        return rows, found, moved, position_of(connection).documents == 0, its_story

    rows, group, moved, empty, story = await running(request).read(question)
    if moved is not None:
        # Without the host, which a proxy may serve under another scheme.
        query = {name: value for name, value in request.query_params.items() if name != "id"} | {"id": moved}
        return RedirectResponse(f"/groups?{urlencode(query)}", 307)
    several = listed(rows, _ROWS, lambda row: [(row["last"] or "") if by_date else row["documents"], row["ordinal"]])
    members = [] if group is None else in_order(group["members"])
    return page(
        request,
        "groups",
        status=404 if id is not None and group is None else 200,
        rows=several["items"],
        next=several["next"],
        group=group,
        members=members[:_MEMBERS],
        timeline=timeline(members),
        filters={name: value for name, value in given.items() if value},
        until=browsing.time_text(chosen.until),
        sources=[row["source"] for row in await figure_now(running(request), "reprints") if row["source"]][:_MEMBERS],
        wanted=id,
        story=story,
        empty=empty,
        example=orjson.dumps({"documents": [{"id": "a", "text": "…"}]}).decode(),
    )


def _others(store: Store, shown: dict[str, Any]) -> list[dict[str, Any]]:
    """The other documents of a document's group, the earliest first."""
    found = browsing.group_with_members(store.connection, shown["group"])
    others = [] if found is None else [one for one in found["members"] if not one["forgotten"]]
    members = [one for one in in_order(others) if one["id"] != shown["id"]][:_LATEST]
    return [one | {"title": one["title"] or _begin(store, one["ordinal"])} for one in members]


@router.get("/documents/{id:path}", dependencies=READER)
async def document(request: Request, id: str) -> Response:  # noqa: A002
    """One document: its text, key terms, verdict and versions."""

    def question(store: Store) -> dict[str, Any] | None:
        shown = browsing.document_shown(store.connection, id)
        if shown is None:
            return None
        text = store.text(shown["ordinal"])
        shown["title"] = shown["title"] or _begin(store, shown["ordinal"])
        whole = [{"text": text or "", "passage": 0, "word": 0}]
        return {
            "shown": shown,
            "versions": browsing.document_versions(store.connection, id),
            "titles": {shown["of"]: store.heading(shown["of"])} if shown["of"] else {},
            "others": _others(store, shown),
            "text": None if text is None else with_repeated(whole, repeated_of(store, shown, text)),
        }

    found = existing(await running(request).read(question))
    if found["shown"]["forgotten"]:
        raise ProblemError(410, "forgotten")
    pieces = found["text"]
    repeated = any(one["repeated"] for one in pieces or ())
    text = None if pieces is None else marked_text(pieces, (), {})
    return page(request, "document", **found | {"text": text, "repeated": repeated})


@router.get("/groups/{id:path}/provenance", dependencies=READER)
async def show_provenance(request: Request, id: str) -> Response:  # noqa: A002
    """The copies of a group next to its first document."""

    def question(store: Store) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        found = traced_group(store, id)
        if found is None:
            return None, None
        (first,) = store.headed(browsing.document_versions(store.connection, found["first"])[-1:])
        return found | {"copies": store.headed(found["copies"])}, first

    try:
        found, first = await running(request).read(question)
    except ProblemError as problem:
        if problem.code != "texts-not-kept":
            raise
        return page(request, "provenance", status=409, group=id, first=None, first_by="", copies=[], kept=False)
    found = existing(found)
    return page(
        request, "provenance", group=id, first=first, first_by=found["first_by"], copies=found["copies"], kept=True
    )


@router.get("/groups/{id:path}", dependencies=READER)
async def show_group(id: str) -> Response:  # noqa: A002
    """The group under the address that one would guess."""
    return RedirectResponse(f"/groups?{urlencode({'id': id})}", 307)


@router.get("/stories", dependencies=READER)
async def stories(request: Request, after: str | None = None, order: str = "") -> Response:
    """The present stories, the latest or the greatest first."""
    (before,) = keyset(after, (int,)) or (None,)

    def question(store: Store) -> list[dict[str, Any]]:
        connection = store.connection
        if order in ORDERS:
            rows = story_rows(connection, by=order, since=None, top=_ROWS)
        else:
            rows = story_page(connection, before=before, limit=_ROWS + 1)
        named = store.headed(rows, "story")
        return [row | {"bars": story_bars(documents_of(connection, [row["story"]]), _SPARK)} for row in named]

    rows = await running(request).read(question)
    several = listed(rows, _ROWS, lambda row: [row["begun"]])
    return page(request, "stories", rows=several["items"], next=several["next"], order=order, orders=ORDERS)


@router.get("/stories/{id:path}", dependencies=READER)
async def story(request: Request, id: str) -> Response:  # noqa: A002
    """One story."""
    found = await running(request).read(lambda store: story_shown(store.connection, id))
    if found is None:
        return page(request, "story", status=404, story=None, titles={}, timeline=None)
    members = [one for column in found["columns"] for one in column["documents"]]
    members.sort(key=lambda one: (one["published"] or "", one["ordinal"]))
    named = await running(request).read(lambda store: store.headed(members))
    titles = {one["id"]: one["title"] for one in named}
    return page(request, "story", story=found, titles=titles, timeline=timeline(members))


_TOP: Final = 40
_FEW_WORDS: Final = 8  # longer questions are texts, not words of a headline

_LONGEST: Final = 2_400  # the server reads 24 kB of an address with its headers, and a character takes up to nine bytes


@router.get("/search", dependencies=READER)
async def search(request: Request, q: str = "", id: str = "") -> Response:  # noqa: A002 - of a document
    """One box: an id or address leads to its document, words are looked up in headlines, and texts are compared."""
    service = running(request)
    text = q.strip()[: service.settings.limits.text_bytes // 4]
    titled: list[dict[str, Any]] = []
    hits: list[dict[str, Any]] | None = None
    if id:
        try:
            hits = await service.searched.hits(id=id, top=_TOP)
        except BadDataError:
            raise ProblemError(404, "not-found") from None
    elif text:
        named = await service.read(lambda store: browsing.document_named(store.connection, text))
        if named is not None:
            return RedirectResponse(f"/documents/{quote(named, safe='')}", 303)
        if len(text.split()) <= _FEW_WORDS:
            titled = await service.read(lambda store: browsing.documents_titled(store.connection, text.split(), _TOP))
        hits = await service.searched.hits(text=text, top=_TOP)
    shown = await service.read(lambda store: store.headed(hits or []))
    return page(request, "search", text=text or id, hits=hits and shown, titled=titled, longest=_LONGEST)


@router.get("/templates", dependencies=READER)
async def show_templates(request: Request) -> Response:
    """Recurring forms of sources."""
    service = running(request)
    rows = await desk_routes.templates_shown(service)
    named = await service.read(lambda store: store.headed(store.headed(rows, "template"), "filling", "filling_title"))
    return page(request, "templates", rows=named)


@router.get("/alarms", dependencies=READER)
async def show_alarms(request: Request) -> Response:
    """Groups that became chains, epochs and copies that drift, and sources that went silent."""
    service = running(request)
    rows = await desk_routes.alarms_shown(service)
    state = await figure_now(service, "activity")
    order = {"open": 0, "snoozed": 1, "known": 2}
    return page(
        request,
        "alarms",
        rows=sorted(rows, key=lambda row: order[row["state"]]),
        silent=state["silent"],
        epochs=await health_now(service),
        drifts=await drifts_now(service),
    )


@router.get("/watches", dependencies=READER)
async def show_standing_searches(request: Request, name: str | None = None) -> Response:
    """The standing searches, and the latest documents that one of them found."""
    service = running(request)
    rows = await service.read(watch_rows)
    hits = None
    if name is not None:
        most = service.settings.limits.page
        found = existing(await service.read(lambda store: hit_rows(store.connection, name, top=most)))
        hits = await service.read(lambda store: store.headed(found))
    return page(request, "watches", rows=rows, name=name, hits=hits)


@router.get("/sources", dependencies=READER)
async def show_sources(request: Request) -> Response:
    """What each source publishes first, and from whom it takes the rest."""
    return page(request, "sources", rows=await figure_now(running(request), "reprints"))


@router.post("/templates", dependencies=ANALYST)
@router.post("/alarms", dependencies=ANALYST)
async def decide_by_form(request: Request) -> Response:
    """Record a decision about a template or an alarm from a form."""
    kind = request.scope["path"].strip("/").removesuffix("s")
    fields = {name: values[0] for name, values in (await form_of(request)).items()}
    if "subject" not in fields or "decision" not in fields:
        raise ProblemError(422, "invalid", "expected a subject and a decision", field="decision")
    body = {"decision": None if fields["decision"] == "open" else fields["decision"]}
    said = checked(desk_routes.AlarmDecision, body) if kind == "alarm" else checked(desk_routes.TemplateDecision, body)
    await desk_routes.decide(running(request), kind, fields["subject"], said.decision, caller_of(request).name)
    return RedirectResponse(f"/{kind}s", 303)


EXPLAINED: Final = (
    *("preset", "across", "k_duplicate", "k_similar", "join", "keep_text", "window_days", "window_documents"),
    *("epoch_documents", "show", "within", "identical"),
)
"""Settings that the page explains; the others are listed by name only."""


@router.get("/settings", dependencies=READER)
async def show_settings(request: Request) -> Response:
    """Settings of the store, which never change."""
    service = running(request)

    def question(store: Store) -> dict[str, Any]:
        position = position_of(store.connection)
        return {
            "stream": StreamSettings.of(store.settings).as_dict(),
            "documents": position.documents,
            "batches": position.batches,
        }

    found = await service.read(question)
    judged = found["stream"]["preset"] == "judged"
    meaningless = KEY_TERMS_DECIDE if judged else ("join",)
    tokens: Tokens | None = request.app.state.tokens
    caller = caller_of(request)
    return page(
        request,
        "settings",
        rows=sorted((name, _plain(value)) for name, value in found["stream"].items() if name not in meaningless),
        explained=EXPLAINED,
        documents=found["documents"],
        batches=found["batches"],
        read_only=service.writer is None,
        version=VERSION,
        caller=caller,
        callers=tokens.callers() if tokens is not None and caller.may("admin") else [],
        store=service.settings.store.name,
    )


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(one)}" for name, one in sorted(value.items()))
    if value is None or isinstance(value, bool):
        return {True: "✓", False: "✗", None: "–"}[value]
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


# ``/v1/docs``: the description of the routes for people, made from ``openapi.json``; nothing comes from outside


@router.get("/v1", dependencies=READER)
async def show_beginning() -> Response:
    """Lead to the description."""
    return RedirectResponse("/v1/docs", 303)


@router.get("/v1/docs", dependencies=READER)
async def show_routes(request: Request) -> Response:
    """Show all routes with their parameters, an example, and the forms of bodies and answers."""
    about = request.app.openapi()
    parts: dict[str, list[dict[str, Any]]] = {}
    for path, methods in about["paths"].items():
        for method, route in methods.items():
            parts.setdefault(route["tags"][0], []).append(_route(method.upper(), path, route, str(request.base_url)))
    forms = [
        (name, [(field, _type(one), one.get("description", "")) for field, one in form["properties"].items()])
        for name, form in sorted(about["components"]["schemas"].items())
        if "properties" in form
    ]
    return page(request, "docs", about=about, parts=list(parts.items()), forms=forms)


def _route(method: str, path: str, route: Mapping[str, Any], address: str) -> dict[str, Any]:
    body = route.get("requestBody", {}).get("content", {}).get("application/json")
    curl = f"curl {address.rstrip('/')}{path} -H 'Authorization: Bearer TOKEN'"
    curl += "" if method == "GET" or body else f" -X {method}"
    if body is not None:
        example = json.dumps(body["example"], ensure_ascii=False)
        curl += f" {'-X PUT ' if method == 'PUT' else ''}-H 'Content-Type: application/json' -d '{example}'"
    answers = [
        (code, Markup(" | ").join(_type(form.get("schema", {})) for form in answer["content"].values()))
        for code, answer in route["responses"].items()
        if "content" in answer and code.startswith("2")
    ]
    if body is not None:
        answers.insert(0, ("body", _type(body["schema"])))
    parameters = [one | {"type": _type(one["schema"])} for one in route.get("parameters", ())]
    given = {"method": method, "path": path, "curl": curl, "answers": answers, "parameters": parameters}
    told = [_marked(part) for part in route["description"].split("\n\n")]
    return {**route, **given, "id": route["operationId"], "told": told}


def _marked(text: str) -> Markup:
    """Text with its `code` marked as such."""
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else part for number, part in enumerate(text.split("`"))
    )


def _type(schema: Mapping[str, Any]) -> Markup:
    """A type in a few words, with links to forms."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Markup('<a href="#form-{0}">{0}</a>').format(name)
    if "anyOf" in schema:
        return Markup(" | ").join(_type(one) for one in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        return Markup(", ").join(Markup("<code>{}</code>").format(json.dumps(one)) for one in values)
    if schema.get("type") == "array":
        return Markup("list of {}").format(_type(schema.get("items", {})))
    kind = schema.get("format") or schema.get("type") or "anything"
    return Markup.escape(kind if isinstance(kind, str) else " | ".join(kind))
