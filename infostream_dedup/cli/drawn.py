"""What a person sees first on a terminal: the answer in words and counts, then examples with their titles."""

from __future__ import annotations

import shutil
from collections import Counter
from heapq import nsmallest
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from infostream_dedup.cli.tables import cell_width, cut, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from infostream_dedup.api.dedup import DedupSummary
    from infostream_dedup.model import Document
    from infostream_dedup.stream.search import Hit

MOST: Final = 12
"""Examples shown."""

_KINDS: Final = (
    *("copy", "retold", "contained", "contains", "translation", "template", "updated", "follow-up", "related"),
    *("equal", "linked"),
)
_LABEL: Final = 15
_WIDE: Final = 96


def width() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size().columns


def kind_of(row: Mapping[str, Any]) -> str:
    """What a pair is; without a second look, how key terms relate the documents."""
    return row.get("kind") or row["relation"] or "linked"


def print_pairs(
    rows: Iterable[Mapping[str, Any]], documents: Sequence[str], reading: Mapping[str, Any], *, items: Any
) -> None:
    """Print counts by kind, then pairs by kind and wording, three lines each; ``items()`` counts what was read."""
    kinds: Counter[str] = Counter()
    paired: set[str] = set()
    order = count()

    def counted() -> Iterator[tuple[tuple[int, float, int], Mapping[str, Any]]]:
        for row in rows:
            kind = kind_of(row)
            kinds[kind] += 1
            paired.update((row["a"], row["b"]))
            common = min(row.get("wording_forward") or 0, row.get("wording_backward") or 0)
            strength = common or row.get("share_forward", 0)
            yield (_KINDS.index(kind) if kind in _KINDS else len(_KINDS), -strength, next(order)), row

    shown = [row for _, row in nsmallest(MOST, counted(), key=lambda one: one[0])]
    named = ", ".join(f"{kinds[one]:,} {one}" for one in sorted(kinds, key=lambda one: (-kinds[one], one)))
    total = sum(kinds.values())
    say(f"{total:,} pairs of {len(paired):,} of {items():,} items{f': {named}' if named else ''}")
    known = found_documents(documents, {row[side] for row in shown for side in "ab"}, reading)
    for number, row in enumerate(shown, 1):
        lines = (f"{number:>2} {kind_of(row)}", row["a"]), ("", row["b"])
        for label, id in lines:  # noqa: A001 - its own word
            click.echo(document_line(label, id, known.get(id)))
        click.echo(_clipped(f"{'':{_LABEL}}{_evidence(row)}"))
    if total > len(shown):
        say(f"{total - len(shown):,} more: --wide here, or --format csv > pairs.csv")


def _evidence(row: Mapping[str, Any]) -> str:
    parts = []
    if row.get("wording_forward") is not None:
        shares = f"wording {row['wording_forward']:.0%} there, {row['wording_backward']:.0%} back"
        parts.append(shares.replace("%", " %"))
    terms = row.get("terms") or row.get("met") or []
    if "forward" in row:
        parts.append(f"{row['forward']} of {row['n_a']} terms{': ' if terms else ''}{', '.join(map(str, terms))}")
    return " · ".join(parts)


def print_dedup(
    summary: DedupSummary, documents: Sequence[str], reading: Mapping[str, Any], out: str, *, annotated: bool
) -> None:
    """Print what became of the items, the largest groups with their titles, and what was written."""
    counts = summary.statuses
    copies = counts["exact"] + counts["duplicate"]
    left = (
        "all kept and annotated"
        if annotated
        else f"{summary.kept:,} kept, {summary.documents - summary.kept:,} left out"
    )
    parts = [
        f"{summary.documents:,} items → {left}, {summary.groups:,} groups",
        f"{copies:,} repeat an earlier item ({counts['exact']:,} exact)",
        f"{counts['similar']:,} similar stay",
        *([f"{counts['insufficient_text']:,} too short to compare"] if counts["insufficient_text"] else []),
    ]
    say(" · ".join(parts))
    known = found_documents(documents, {one for group in summary.largest for one in group.shown}, reading)
    for group in summary.largest:
        first = known.get(group.shown[0])
        sources = dict.fromkeys(one.source for one in map(known.get, group.shown) if one is not None and one.source)
        more = ", ..." if group.size > len(group.shown) else ""
        where = f" ({', '.join(sources)}{more})" if sources else ""
        room = max(20, width() - _LABEL - cell_width(where))
        title = cut(group.shown[0] if first is None else heading(first), room)
        click.echo(_clipped(f"{f'{group.size:>3} ×':<{_LABEL}}{title}{where}"))
    click.echo(f"written: {out}")


def print_hits(hits: Sequence[Hit]) -> None:
    """Print the documents that a search found, two lines each."""
    for number, hit in enumerate(hits, 1):
        kind = hit.kind or hit.relation or "shares terms"
        sure = "" if hit.probability is None else f" {hit.probability:.2f}"
        when = hit.published or ""
        click.echo(_line(f"{number:>2} {kind}{sure} ", hit.id, hit.title or "", hit.source or "", when))
        terms = ", ".join(map(str, hit.terms))
        click.echo(
            _clipped(f"{'':{_LABEL}}{hit.share_forward:.0%} of the weight of its terms: {terms}".replace("%", " %"))
        )


def found_documents(sources: Sequence[str], ids: set[str], reading: Mapping[str, Any]) -> dict[str, Document]:
    """Read some documents again for their titles; standard input is gone, so nothing of it is found."""
    from infostream_dedup import read_documents

    found: dict[str, Document] = {}
    if not ids or "-" in sources:
        return found
    with TemporaryDirectory() as scratch:
        # What the first reading set aside is set aside again, but not written again.
        again = {**reading, "quarantine": str(Path(scratch, "bad")) if reading["on_error"] != "fail" else None}
        for document in read_documents(list(sources), **again):
            if document.id in ids:
                found[document.id] = document
                if len(found) == len(ids):
                    break
    return found


def heading(document: Document) -> str:
    """The title of a document, or the beginning of its text."""
    return " ".join((document.title or document.text[:300]).split())


def document_line(label: str, id: str, document: Document | None) -> str:  # noqa: A002 - its own word
    """One document on one line, whatever the width of the terminal."""
    if document is None:
        return _clipped(f"{label:<{_LABEL}}{id}")
    return _line(label, id, heading(document), document.source or "", document.time or "")


def _line(label: str, id: str, title: str, source: str, when: datetime | str) -> str:  # noqa: A002
    wide = width()
    date = str(when)[: 16 if wide >= _WIDE else 10].replace("T", " ")
    name, where = cut(id, max(8, wide // 6)), cut(source, max(8, wide // 7))
    room = wide - _LABEL - cell_width(name) - 1 - cell_width(where) - cell_width(date) - 3
    shown = cut(title, max(room, 8))
    return _clipped(f"{label:<{_LABEL}}{name} {shown}{' ' * max(0, room - cell_width(shown))}  {where} {date}").rstrip()


def _clipped(text: str) -> str:
    return cut(" ".join(text.split("\n")), width())
