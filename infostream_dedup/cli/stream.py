"""Commands of a stream: ``collect``, ``ingest``, ``search``, ``watch`` and ``serve``."""

from __future__ import annotations

import stat
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import infostream_dedup as api
from infostream_dedup.cli import options
from infostream_dedup.cli.drawn import print_hits, print_ingested
from infostream_dedup.cli.face import Commands, Excludes, Needs, access, alike, command, expert, output, reads
from infostream_dedup.cli.output import chosen_format, form_of, is_drawn, note, note_reading, print_rows, progress_bar
from infostream_dedup.cli.run_log import RUN
from infostream_dedup.errors import InfostreamError, NoInputError
from infostream_dedup.machine.platform import path_of
from infostream_dedup.model import microseconds_of
from infostream_dedup.model.stream_records import SOMETIMES_FIELDS, Verdict

if TYPE_CHECKING:
    from infostream_dedup.api import Ingestion

__all__ = ["collect", "go_on_printing"]


_LATEST: Final = 10  # repeats that a terminal shows after an ingest


webhook_option = expert(
    "--webhook", metavar="URL", help="Post alarms, merges, limits and hits of standing searches there, signed."
)
webhook_secret_option = expert(
    "--webhook-secret",
    type=options.FILE,
    help="File with the secret that signs them.  [default: $INFOSTREAM_DEDUP_WEBHOOK_SECRET]",
)


@command(
    examples=[
        "ingest monday.jsonl --store news.db",
        "ingest - --store news.db --keep originals < monday.jsonl",
        "ingest incoming --follow --store news.db",
        "ingest nats://localhost --queue news --publish verdicts --follow --store news.db",
    ],
    rules=[
        Excludes(("keep", "annotate")),
        Needs("batch_seconds", ("follow", "queue"), typed=True),
        *(Needs(name, ("queue",)) for name in ("group", "publish")),
        Needs("webhook_secret", ("webhook",)),
    ],
)
@options.documents_argument
@reads(
    "--store",
    "store",
    metavar="FILE",
    required=True,
    type=options.FILE,
    help="Store (SQLite); created if it does not exist.",
)
@expert("--batch-size", type=options.FROM_ONE, default=1000, help="Documents per batch.")
@expert(
    "--batch-id",
    help="Name of the batch; the same name with different content is refused.  [default: derived from the content]",
)
@output("--keep", type=["originals"], help="Instead of verdicts, print the documents that repeat nothing.")
@output("--annotate", is_flag=True, help="Print every document, with its verdict in additional columns.")
@options.prefix_option
@output(
    "--on-conflict",
    type=["item", "error", "version"],
    default="item",
    help="If a known id comes with different content: stop, accept another version, or accept it of collected items.",
)
@reads(
    "--follow",
    is_flag=True,
    help="Keep waiting for input: DOCS is one folder (a batch per new file), - (JSON Lines) or a broker.",
)
@reads(
    "--queue",
    metavar="NAME",
    help="Queue, subject, stream or topic to read, where DOCS is a broker: amqp://, nats://, redis://, kafka://.",
)
@expert("--group", metavar="NAME", help="Consumer group of the broker.  [default: named after the store's file]")
@expert("--publish", metavar="NAME", help="Also send verdicts to this queue, subject, stream or topic of the broker.")
@webhook_option
@webhook_secret_option
@expert(
    "--batch-seconds",
    type=click.FloatRange(min=0.01),
    default=1.0,
    help="With --follow or --queue: close a batch after this many seconds.",
)
@alike(
    "--model",
    type=options.FILE,
    help="Model from 'train --statistics background' that judges the pairs found by key terms; needs --keep-text.",
)
@options.mode_option
@options.boilerplate_option
@options.stream_options
@options.reading_options
@options.general_options("jsonl", "jsonl", "json", "csv", "table")
def ingest(
    documents: tuple[str, ...],
    store: str,
    keep: str | None,
    annotate: bool,
    prefix: str,
    output_format: str | None,
    **given: Any,
) -> None:
    """Decide for each document whether an earlier document in the window says the same.

    Columns: id, status (exact: the same text; duplicate; similar; new; insufficient_text: nothing to compare), of
    (the earlier document), group (id of its earliest document), relation (equal, contained, contains, template,
    updated), forward (key terms found in 'of'), backward, terms (the matching ones, heaviest first). With --preset
    judged also kind (how the document is related to 'of': copy, retold, contained, contains, template, updated,
    follow-up, differs, related) and probability (that the two are copies or report one event); where few words decide
    (differs, updated), differs_by says how and differing names them. A correction (--on-conflict version) is new, of
    kind updated, unless it repeats another document, and has revision_of. With --across pivot, the default of new
    stores of that preset, also translation_of (an earlier document in another language with the same text),
    translation (the shares of key terms that match in the pivot language; order, how far the matching words follow each
    other as there, null with fewer than 6 places; and the words: word, pivot, their_word, rung), same_story_of (an
    earlier document in another language that reports the same event in its own words, or would be translation_of if it
    gave the same figures: then translation has differs_by and differing) and story (id of its
    earliest document; null until the story has appeared in two languages). With --model also probability (that the
    document repeats 'of') and criteria (the difference from 'of' by each criterion).

    A broker's messages are documents, arrays of them or bodies of POST /v1/batches. They are acknowledged once they are
    stored and their verdicts printed and published. What cannot be read in three tries is added to STORE.dead.jsonl.
    """
    from infostream_dedup.api.store import show, with_titles

    chosen = chosen_format(output_format, "jsonl", "jsonl")
    drawn = is_drawn(output_format) and not (keep or annotate or given["follow"])
    if given["follow"] and (keep or annotate) and chosen in ("csv", "xlsx", "table"):
        raise click.UsageError(
            f"--follow prints documents as they come, but the columns of {chosen} are known only at the end; leave out "
            "--format"
        )
    given |= options.pop_stream_settings(given)
    with (
        # Verdicts that appear on the terminal as they come leave no place for a bar.
        progress_bar(hidden=sys.stdout.isatty() and not drawn) as progress,
        api.ingest(documents, store, annotate=annotate, prefix=prefix, progress=progress, note=note, **given) as found,
    ):
        # Now, so that the summary of a run that fails or is interrupted has its counts, too.
        RUN.was_read(found.report)
        goes_on = given["follow"] and documents != ("-",) and chosen == "jsonl"
        columns = None if keep else found.columns
        judged = columns is not None and "kind" in columns
        if columns is not None and judged and chosen == "csv":
            # A header comes before the rows, of which only some have these; elsewhere corrections alone have one.
            columns = (*columns, *(name for name in SOMETIMES_FIELDS if name not in columns))
        if drawn:
            latest = _latest_repeats(found)
        else:
            printed = _printed(found, originals=keep is not None, goes_on=goes_on)
            print_rows(printed, chosen, columns=columns, further=chosen == "xlsx" or not judged)
    if drawn:
        of = [one.of or "" for one in latest]
        repeats = [show(store, one)["document"] for one in {*of, *(one.id for one in latest)}]
        known = {row["id"]: row for row in with_titles(store, repeats)}
        print_ingested(
            RUN.statuses, [(one.status, known[one.id], known[earlier]) for one, earlier in zip(latest, of, strict=True)]
        )
        note("each was compared with the items of its window, 7 days by default; dedup compares all")
        note(f"next: infostream-dedup store groups {store} (verdicts: --format jsonl)")
    note_reading(found.report)


def _latest_repeats(found: Ingestion) -> Sequence[Verdict]:
    latest: deque[Verdict] = deque(maxlen=_LATEST)
    for verdict in found:
        RUN.statuses[verdict.status] += 1
        if verdict.revision_of is not None:
            RUN.statuses["revisions"] += 1
        if verdict.status in ("exact", "duplicate"):
            latest.append(verdict)
    return latest


def _printed(found: Ingestion, *, originals: bool, goes_on: bool) -> Iterator[Mapping[str, Any]]:
    batches = found.batches()
    RUN.stage("judging")
    while (batch := next(batches, None)) is not None:
        RUN.stage("printing")
        RUN.statuses.update(verdict.status for verdict in batch.verdicts)
        RUN.statuses.update("revisions" for verdict in batch.verdicts if verdict.revision_of is not None)
        rows = batch.originals() if originals else batch.rows()
        # A killed run may have written part of the first batch.
        yield from go_on_printing(list(rows)) if goes_on else rows
        goes_on = False
        # A program that reads the pipe may act on a batch as soon as it is stored.
        sys.stdout.buffer.flush()
        RUN.stage("judging")


def go_on_printing(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Complete the row at the end of standard output if it is the beginning of one of these rows."""
    from infostream_dedup.documents.outputs import write_rows

    stream = BytesIO()
    write_rows(rows, stream, "jsonl")
    text = stream.getvalue()
    done = _common(_end_of_output(len(text) + 1), text)
    whole = text.count(b"\n", 0, done)
    if done and text[done - 1 : done] != b"\n":
        sys.stdout.buffer.write(text[done : text.index(b"\n", done) + 1])
        whole += 1
    return rows[whole:]


def _end_of_output(size: int) -> bytes:
    """Return the last lines of the file that standard output writes to; empty if it is a pipe or a terminal."""
    try:
        path = path_of(sys.stdout.fileno())
        if path is None or not stat.S_ISREG(path.stat().st_mode):
            return b""
        with path.open("rb") as file:
            begin = file.seek(max(file.seek(0, 2) - size, 0))
            last = file.read()
    except OSError:
        return b""
    return last if begin == 0 else last[last.find(b"\n") + 1 :] if b"\n" in last else b""


def _common(written: bytes, text: bytes) -> int:
    """Length of the longest tail of ``written``, starting at a line, with which ``text`` begins."""
    begin = 0
    while begin < len(written):
        if text.startswith(written[begin:]):
            return len(written) - begin
        end = written.find(b"\n", begin)
        begin = len(written) if end < 0 else end + 1
    return 0


_NOT_IN_TABLE: Final = ("ordinal", "url", "met")  # columns that a table omits


@command(
    examples=[
        'search "Рада прийняла закон про пенсії" --store news.db',
        "search --store news.db --questions questions.txt --top 5 --sentences",
    ],
    rules=[Excludes(("words", "text", "path", "questions", "id", "url"), needed=True)],
)
@click.argument("words", metavar="[TEXT...]", nargs=-1)
@reads("--store", "store", metavar="FILE", required=True, type=options.FILE, help="Store made by 'ingest'.")
@reads("--text", help="The same, as an option.")
@reads("--file", "path", type=options.FILE_OR_PIPE, help="File with the text, or -.")
@reads(
    "--questions",
    type=options.FILE_OR_PIPE,
    help="Many texts: a file with one a line, or JSON Lines with id and text; rows begin with the question.",
)
@reads("--id", help="Search for this stored document instead of a text.")
@reads("--url", help="Search for the stored document with this address.")
@alike("--k-min", type=options.FROM_ONE, help="Number of terms that must match in either direction.  [default: 4]")
@output("--top", type=click.IntRange(min=0), default=20, help="Maximum number of rows; 0: all.")
@output("--sentences", is_flag=True, help="Add the sentence that a hit answers, and its own.")
@options.wide_option
@alike("--same-language", is_flag=True, help="Do not translate the text to find documents in other languages.")
@reads("--languages", metavar="LANG,...", help="Only documents in these languages, such as uk,en.")
@reads("--source", "sources", multiple=True, help="Only documents of this source; may be given several times.")
@alike(
    "--identical",
    type=click.FloatRange(0.2, 1),
    metavar="SHARE",
    help="Only documents with this share of the wording of the shorter text.",
)
@options.within_of_one_options
@alike(
    "--all/--window",
    "everything",
    default=True,
    help="Search the whole store, or the documents that new ones are compared with.  [default: all]",
)
@reads("--since", metavar="DATE", help="Only documents that arrived at or after this moment of the stream's clock.")
@reads("--until", metavar="DATE", help="Only documents that arrived before this moment.")
@options.semantic_option
@reads("--tz", metavar="ZONE", help="Time zone of --since and --until without one.  [default: UTC]")
@options.general_options("table", "jsonl", "json", "csv")
def search(
    store: str,
    text: str | None,
    path: str | None,
    languages: str | None,
    sources: tuple[str, ...],
    same_language: bool,
    output_format: str | None,
    **given: Any,
) -> None:
    """Find documents of a store that resemble TEXT, the most similar first.

    Rows are ordered by share_forward (the share, by weight, of the text's key terms that the document contains), of a
    sentence also by how close together and near the beginning the document has them, then by share_backward. forward
    and backward count the key terms. relation: how the text relates to the document (equal, contained, contains; empty
    if fewer terms match than a duplicate needs). kind: what the text is to the document, as in 'pairs' (copy, retold,
    contained in it, contains it, follow-up, related; in another language translation, same-story, related), and
    probability that the two are copies or report one event; in a store whose preset is not judged, kind is copy (the
    same text) or empty, and there is no probability. terms: matching terms of the document, heaviest first.
    met: matching words of the text and of the document. With --sentences: sentence and their_sentence, those with
    most of these words (the store must keep texts).
    """
    zone, wide, questions, words = (given.pop(name) for name in ("tz", "wide", "questions", "words"))
    text = " ".join(words) if words else text
    given |= {name: options.moment_of(given[name], zone, name) for name in ("since", "until")}
    given |= {"across": not same_language, "languages": languages, "sources": sources or None}
    if questions is not None:
        del given["id"], given["url"]
        given |= {name: None if given[name] is None else microseconds_of(given[name]) for name in ("since", "until")}
        form = chosen_format(output_format, "table", "jsonl")
        print_rows(_answered(store, options.read_questions(questions), form, **given), form)
        return
    hits = api.search(store, text if path is None else options.read_text(path), **given)
    if is_drawn(output_format, wide=wide):
        print_hits(hits, api.store.with_titles(store, [hit.as_dict() for hit in hits]))
    else:
        form = chosen_format(output_format, "table", "jsonl")
        rows = [hit.as_dict() for hit in hits]
        if form == "table":
            rows = [{name: value for name, value in row.items() if name not in _NOT_IN_TABLE} for row in rows]
        print_rows(rows, form, columns=hits.columns, further=True)
    note(hits.searched.sentence())
    if not hits:
        more = "" if given["everything"] else " and --all"
        note(f"none of them shares that many key terms with the text; see --k-min{more}")


def _answered(store: str, questions: Sequence[dict[str, str]], form: str, **given: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of all questions, then say how many found nothing."""
    from infostream_dedup.api.search import answers

    empty = 0
    for question, hits in answers(store, questions, **given):
        empty += not hits
        for hit in hits:
            row = hit.as_dict()
            yield {"question": question} | {
                name: row[name] for name in row if form != "table" or name not in _NOT_IN_TABLE
            }
    note(f"{len(questions):,} questions, {empty:,} without a hit")


@click.group(
    cls=Commands, examples=['watch add bridges --store news.db --terms "мост,Харьков"', "watch list --store news.db"]
)
def watch() -> None:
    """Keep standing searches on a store: verdicts on later documents name them in 'watches'.

    A document answers a search if it has at least k of its terms, one of them a key term or too rare for one. Terms are
    translated: a search for 'мост,Харьков' also finds Ukrainian and English documents.
    """


stored = reads("--store", metavar="FILE", required=True, type=options.FILE, help="Store made by 'ingest'.")


@watch.command(
    "add",
    examples=[
        'watch add bridges --store news.db --terms "мост,Харьков"',
        "watch add court --store news.db --file a.txt",
    ],
    rules=[Excludes(("text", "path", "terms"), needed=True)],
)
@click.argument("name", metavar="NAME")
@stored
@reads("--text", help="Watch for the key terms of this text.")
@reads("--file", "path", type=options.FILE_OR_PIPE, help="File with the text, or -.")
@reads("--terms", metavar="TERM,...", help="Watch for these words and names.")
@reads("--languages", metavar="LANG,...", help="Only documents in these languages.  [default: ru,uk,en]")
@reads("--lang", help="Language of the text or terms.  [default: as detected]")
@alike("--k", type=options.FROM_ONE, help="How many terms a document must have.  [default: all; of a text, k_similar]")
@options.general_options("table", "jsonl", "json", "csv")
def add_watch(name: str, *, path: str | None, output_format: str | None, **given: Any) -> None:
    """Add a standing search; it holds from the next document on.

    Columns: name, first (ordinal of the first document watched), languages, k, terms.
    """
    text = given.pop("text") if path is None else options.read_text(path)
    row = api.watch.add(given.pop("store"), name, text=text, **given)
    print_rows([row], chosen_format(output_format, "table", "jsonl"))


@watch.command("list", examples=["watch list --store news.db", "watch list --store news.db --format json"])
@stored
@options.general_options("table", "jsonl", "json", "csv")
def list_watches(store: str, output_format: str | None) -> None:
    """List the standing searches.

    Columns: name, first, languages, k, terms, hits (documents found), last (ordinal of the last one).
    """
    columns = ("name", "first", "languages", "k", "terms", "hits", "last")
    print_rows(api.watch.listed(store), chosen_format(output_format, "table", "jsonl"), columns=columns)


@watch.command("hits", examples=["watch hits bridges --store news.db", "watch hits bridges --store news.db --top 5"])
@click.argument("name", metavar="NAME")
@stored
@output("--top", type=click.IntRange(min=0), default=20, help="Maximum number of rows; 0: all.")
@options.general_options("table", "jsonl", "json", "csv")
def watch_hits(name: str, store: str, top: int, output_format: str | None) -> None:
    """List the documents that a standing search has found, the latest first.

    Columns: ordinal, id, title, source, language, published, url, status, of.
    """
    columns = ("ordinal", "id", "title", "source", "language", "published", "url", "status", "of")
    rows, form = api.watch.hits(store, name, top=top), chosen_format(output_format, "table", "jsonl")
    print_rows(api.store.with_titles(store, rows) if form == "table" else rows, form, columns=columns)


@watch.command(
    "remove", examples=["watch remove bridges --store news.db", "watch remove court --store news.db --quiet"]
)
@click.argument("name", metavar="NAME")
@stored
@options.general_options("table", "table")
def remove_watch(name: str, store: str) -> None:
    """End a standing search with the next document; its hits remain."""
    api.watch.remove(store, name)
    note(f"{store} no longer watches {name}")


host_option = access("--host", default="127.0.0.1", help="Address to listen on.")
port_option = access("--port", type=click.IntRange(1, 65535), default=8600, help="Port to listen on.")
hosts_option = access(
    "--hosts", default="", help="Further host names that clients may use, such as news.example:8600,..."
)
token_file_option = access(
    "--token-file", type=options.FILE, help="File with tokens and their roles; required to listen on other addresses."
)


@command(
    examples=[
        "serve --store news.db",
        "serve --store news.db --port 8601 --read-only",
        "serve --new-token desk --role analyst --token-file tokens",
    ],
    rules=[Needs("new_token", ("token_file",)), Needs("webhook_secret", ("webhook",))],
)
@reads("--store", metavar="FILE", type=options.FILE, help="Store (SQLite); created if missing.")
@host_option
@port_option
@hosts_option
@access(
    "--proxies",
    default="",
    metavar="ADDRESS,...",
    help="Addresses or networks of proxies, such as 127.0.0.1,10.0.0.0/8, whose X-Forwarded-For names the client: "
    "wrong tokens are counted by client. Otherwise the header is ignored.",
)
@token_file_option
@access(
    "--metrics",
    metavar="HOST:PORT",
    help="Also show /metrics there, without a token, for Prometheus; figures name no document or source.",
)
@webhook_option
@webhook_secret_option
@access("--read-only", is_flag=True, help="Serve a store that another process writes to.")
@access("--new-token", metavar="NAME", help="Add a token to the token file, print it once, and exit.")
@access(
    "--role",
    type=["reader", "analyst", "writer", "admin"],
    default="reader",
    help="With --new-token: role of the token.",
)
@options.stream_options
@options.general_options("table", "table")
def serve(
    *,
    store: str | None,
    hosts: str,
    proxies: str,
    metrics: str | None,
    token_file: str | None,
    new_token: str | None,
    role: str,
    **given: Any,
) -> None:
    """Serve a store over HTTP: accept batches, return verdicts, show groups and documents, search.

    Without a token file, the service listens on this machine only, and anyone who can reach it may do anything. Its
    routes are described at /v1/openapi.json. SIGTERM ends the service after the current batch.
    """
    if new_token is not None and token_file is not None:
        from infostream_dedup.service.tokens import add_token

        click.echo(add_token(Path(token_file), new_token, role))
        note("keep this token: it will not be shown again")
        return
    if store is None:
        raise click.UsageError("--store is missing: name the store to serve")
    from infostream_dedup.service.server import run
    from infostream_dedup.service.settings import ServiceSettings, address_of, network_of

    stream = options.pop_stream_settings(given)
    settings = ServiceSettings(
        store=Path(store),
        hosts=_listed(hosts),
        proxies=tuple(map(network_of, _listed(proxies))),
        metrics=None if metrics is None else address_of(metrics),
        token_file=None if token_file is None else Path(token_file),
        stream=stream,
        **given,
    )
    figures = "" if metrics is None else f", its figures at http://{metrics}/metrics"
    run(settings, tell=lambda address: note(f"serving {store} at {address}{figures}"))


@command(
    examples=["mcp --store news.db", "mcp --store news.db --http --port 8601 --token-file tokens"],
    rules=[*(Needs(name, ("http",), typed=True) for name in ("host", "port", "hosts", "token_file"))],
)
@reads("--store", metavar="FILE", required=True, type=options.FILE, help="Store made by 'ingest'.")
@access("--http", is_flag=True, help="Answer over HTTP, at /mcp, instead of standard input and output.")
@host_option
@port_option
@hosts_option
@token_file_option
@access("--add", "writes", is_flag=True, help="Also offer a tool that stores documents. Otherwise nothing is written.")
@options.general_options("table", "table")
def mcp(*, store: str, http: bool, hosts: str, token_file: str | None, writes: bool, **given: Any) -> None:
    """Serve a store to agents (Model Context Protocol), over standard input and output or HTTP.

    Tools: check_text, find_earlier, get_story, coverage, compare_texts, list_stories, sweep_advice. Answers are small
    and cite ids, sources and dates. Over HTTP, without a token file, it listens on this machine only; 'serve
    --new-token' makes tokens, which are sent as 'Authorization: Bearer TOKEN'.
    """
    from infostream_dedup.service.agents import run
    from infostream_dedup.service.settings import ServiceSettings

    settings = ServiceSettings(
        store=Path(store),
        hosts=_listed(hosts),
        token_file=None if token_file is None else Path(token_file),
        read_only=True,
        **given,
    )
    run(settings, http=http, writes=writes, tell=lambda address: note(f"serving {store} at {address}"))


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())


# Turn feeds, web pages, web archives and exports into documents


_PASSED_OVER = {"again": "repeated", "empty": "without a text"}


@command(
    examples=[
        "collect saved-feed.xml page.html crawl.warc.gz --out news.jsonl",
        "collect https://example.org/rss | infostream-dedup ingest - --store news.db",
    ]
)
@click.argument("sources", metavar="FEED|PAGE|WARC...", nargs=-1, required=True)
@output("--out", type=options.FILE, help="File to write, completely or not at all (JSONL).")
@expert(
    "--max-bytes", type=options.FROM_ONE, default=20_000_000, help="Maximum size of a feed, page or archive record."
)
@expert("--timeout", type=click.FloatRange(min=0.1), default=30.0, help="Seconds for each address, redirects included.")
@expert(
    "--max-redirects",
    type=click.IntRange(0, 20),
    default=5,
    help="Maximum number of redirects; never from outside to an address inside the network.",
)
@expert(
    "--total-timeout",
    type=click.FloatRange(min=0.1),
    default=3600.0,
    help="Seconds for all addresses; later ones are not opened.",
)
@options.general_options("jsonl", "jsonl", "json", "csv")
def collect(sources: tuple[str, ...], out: str | None, output_format: str | None, **given: Any) -> None:
    """Turn feeds, HTML pages, WARC archives and exports of Telegram into documents (extra feeds).

    Sources are files, - for standard input, or addresses. Only the addresses given here are opened, within the limits;
    no other command opens a connection. Items are taken as they appear in the feed, pages without navigation and
    comments; posts of Telegram come from result.json, from an export in HTML or from a saved preview page. Rows: id,
    title, text, published, source (the publisher or host), url, item (the id: edited items are versions, see 'ingest
    --on-conflict'), collected_at; an item that occurs twice is written once, items and pages without a text are passed
    over.
    """
    failures: list[InfostreamError] = []

    def tell(failure: InfostreamError) -> None:
        failures.append(failure)
        RUN.say(str(failure), "error")

    found = api.collect(sources, on_failure=tell, **given)
    RUN.was_read(found.report)
    form = form_of(out, output_format or (None if out else "jsonl"))
    files = [one for one in sources if "://" not in one]
    print_rows(found.once(), form, columns=found.columns, further=True, out=out, inputs=files)
    used, passed_over = found.report.used, found.report.quarantined_by_code
    said = [f"collected {used} document{'' if used == 1 else 's'}"]
    said += [f"{passed_over[code]} {word}" for code, word in _PASSED_OVER.items() if code in passed_over]
    note("; ".join(said))
    if failures:
        raise NoInputError(f"{len(failures)} could not be read, as said above; the others were written")
