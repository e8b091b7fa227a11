"""``passages find --list-boilerplate | --novel | --digests`` and ``passages provenance``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, cast

import click

from infostream_dedup.cli.options import (
    boilerplate_option,
    documents_argument,
    general_options,
    pop_reading,
    reading_options,
)
from infostream_dedup.cli.output import chosen_format, note, print_rows
from infostream_dedup.cli.progress import progress_bar

if TYPE_CHECKING:
    from infostream_dedup.corpus.rows import RowFormat
    from infostream_dedup.model import Document
    from infostream_dedup.passages.collection import Progress
    from infostream_dedup.passages.settings import PassageSettings

__all__ = ["asked_rows", "provenance", "report_options"]

_ASKED: Final = ("list_boilerplate", "novel", "digests")
_RULE: Final = ("min_documents", "min_share", "min_days")

_Rows = Iterable[dict[str, Any]]


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What ``passages find`` can list instead of passages, and what it leaves out."""
    for option in (
        boilerplate_option,
        click.option("--min-days", type=int, help="Likewise: days on which they were published.  [default: 3]"),
        click.option("--min-share", type=float, help="Likewise: least share of the source's texts.  [default: 0.005]"),
        click.option(
            "--min-documents", type=int, help="With --list-boilerplate: least texts of the source.  [default: 5]"
        ),
        click.option("--digests", is_flag=True, help="List documents most of whose text comes from 3 others or more."),
        click.option("--novel", is_flag=True, help="List the sentences that no earlier document has."),
        click.option(
            "--list-boilerplate", is_flag=True, help="List the sentences that recur over many texts of one source."
        ),
    ):
        command = option(command)
    return command


def asked_rows(
    documents: Iterable[Document], settings: PassageSettings, given: dict[str, Any], progress: Progress | None
) -> tuple[_Rows, tuple[str, ...]] | None:
    """Rows and columns of what was asked for instead of passages; ``None`` where nothing was.

    The options are taken out of ``given``, all but ``boilerplate``.

    Raises:
        UsageError: options that exclude each other.
        ConfigurationError: a threshold is out of its range.
    """
    asked = [name for name in _ASKED if given.pop(name)]
    thresholds = {name: value for name in _RULE if (value := given.pop(name)) is not None}
    if len(asked) > 1:
        raise click.UsageError("--list-boilerplate, --novel and --digests exclude each other")
    if thresholds and asked != ["list_boilerplate"]:
        raise click.UsageError("--min-documents, --min-share and --min-days go with --list-boilerplate")
    if not asked:
        return None
    if asked == ["list_boilerplate"]:
        if given["boilerplate"] is not None:
            raise click.UsageError("--boilerplate and --list-boilerplate exclude each other")
        return _boilerplate_rows(documents, thresholds, progress)
    answer = _novel_rows if asked == ["novel"] else _digest_rows
    return answer(documents, settings, given["boilerplate"], progress)


def _boilerplate_rows(
    documents: Iterable[Document], thresholds: dict[str, Any], progress: Progress | None
) -> tuple[_Rows, tuple[str, ...]]:
    from infostream_dedup.passages.boilerplate import BoilerplateRule, find_boilerplate
    from infostream_dedup.passages.collection import read_collection

    rule = BoilerplateRule(**thresholds)
    kept = list(documents)
    found = find_boilerplate(kept, read_collection(kept, progress=progress).sentences, rule)
    return [row.as_dict() for row in found], ("source", "sentence", "documents", "share", "first", "last", "checksum")


def _novel_rows(
    documents: Iterable[Document], settings: PassageSettings, listed: str | None, progress: Progress | None
) -> tuple[_Rows, tuple[str, ...]]:
    from infostream_dedup.passages.boilerplate_file import marked_sentences
    from infostream_dedup.passages.collection import read_collection
    from infostream_dedup.passages.finding import copied_sentences
    from infostream_dedup.passages.novelty import novel_sentences, novelties, stream_order

    kept = list(documents)
    collection = read_collection(kept, progress=progress)
    without = marked_sentences(listed, collection)
    classes = copied_sentences(collection.sentences, settings, without=without, progress=progress)
    novel = novel_sentences(collection.sentences, classes, stream_order(collection.times))
    if without is not None:
        novel &= ~without
    rows = (
        found.as_dict(kept[found.document].id, kept[found.document].text)
        for found in novelties(collection.sentences, novel)
    )
    return rows, ("id", "novel_share", "novel", "sentences", "spans")


def _digest_rows(
    documents: Iterable[Document], settings: PassageSettings, listed: str | None, progress: Progress | None
) -> tuple[_Rows, tuple[str, ...]]:
    from infostream_dedup.passages.boilerplate_file import marked_sentences
    from infostream_dedup.passages.collection import read_collection
    from infostream_dedup.passages.digests import find_digests
    from infostream_dedup.passages.finding import passages_of

    collection = read_collection(documents, progress=progress)
    table = passages_of(collection, settings, without=marked_sentences(listed, collection), progress=progress)
    found = find_digests(table, collection.times)
    return [digest.as_dict(collection.ids) for digest in found], ("id", "share", "sources")


@click.command()
@documents_argument
@click.option("--group", "groups", metavar="A,B,C", multiple=True, help="Ids of a group; may be given several times.")
@click.option("--prefix", default="", help="Of the columns of 'dedup --annotate', if it was given one.")
@click.option("--html", type=click.Path(dir_okay=False), help="Also write a page with the texts here.")
@click.option("--most", type=click.IntRange(min=1), default=100, show_default=True, help="Groups shown, largest first.")
@reading_options
@general_options("jsonl", "jsonl", "json")
def provenance(**given: Any) -> None:
    """Who published a group first, and what each copy kept, cut, added and changed.

    Groups are given by ids, or DOCS is what 'dedup --annotate' wrote. A row for each copy: group, first, first_source,
    id, source, published, kept (sentences with the same words), kept_share (of the first document's words),
    title_changed, cut, added (sentences), changed (before, after, numbers and names that are gone or new).
    """
    from infostream_dedup.corpus import ReadingReport, check_output, open_output, read_documents
    from infostream_dedup.passages.provenance import provenance as traced

    reading, report = pop_reading(given), ReadingReport()
    inputs = [name for name in given["documents"] if name != "-"]
    if given["html"] is not None:
        check_output(given["html"], inputs=inputs, quarantine=reading["quarantine"])
    with progress_bar(quiet=given["quiet"]):
        documents = list(read_documents(list(given["documents"]), report=report, **reading))
        members = (
            _given_groups(documents, given["groups"])
            if given["groups"]
            else _annotated_groups(documents, f"{given['prefix']}group")
        )
        largest = sorted(members.items(), key=lambda item: -len(item[1]))[: given["most"]]
        found = [(name, traced(group)) for name, group in largest]
    if given["html"] is not None:
        from infostream_dedup.report.provenance_html import provenance_page

        # Before the rows: whoever reads them may stop at the first ones.
        with open_output(given["html"], inputs=inputs) as stream:
            stream.write(provenance_page(found).encode("utf-8", "replace"))
    rows = (copy.as_dict(name, one.first) for name, one in found for copy in one.copies)
    print_rows(rows, cast("RowFormat", chosen_format(given["output_format"], "jsonl", "jsonl")))
    if given["html"] is not None:
        note(f"report: {given['html']}", quiet=given["quiet"])
    note(f"{report.summary()}; {len(found)} of {len(members)} groups", quiet=given["quiet"])


def _given_groups(documents: list[Document], groups: Iterable[str]) -> dict[str, list[Document]]:
    by_id = {document.id: (place, document) for place, document in enumerate(documents)}
    members: dict[str, list[Document]] = {}
    for number, ids in enumerate(groups, start=1):
        names = list(dict.fromkeys(ids.split(",")))
        missing = [name for name in names if name not in by_id]
        if missing:
            raise click.BadParameter(f"no document has the id {missing[0]!r}", param_hint="--group")
        if len(names) < 2:
            raise click.BadParameter(f"{ids!r} is one document; a group has two or more", param_hint="--group")
        members[str(number)] = [document for _, document in sorted((by_id[name] for name in names), key=_place)]
    return members


def _place(item: tuple[int, Document]) -> int:
    return item[0]


def _annotated_groups(documents: list[Document], column: str) -> dict[str, list[Document]]:
    if not any(column in document.extra for document in documents):
        raise click.UsageError(f"no document has a column {column}; give --group, or DOCS from 'dedup --annotate'")
    members: dict[str, list[Document]] = {}
    for document in documents:
        members.setdefault(str(document.extra.get(column) or document.id), []).append(document)
    return {name: group for name, group in members.items() if len(group) > 1}
