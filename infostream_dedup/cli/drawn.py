"""What a person sees first on a terminal: the answer in words and counts, then examples with their titles."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from heapq import nsmallest
from itertools import count, zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import click

from infostream_dedup.cli.output import cell_width, cut, end_of, say
from infostream_dedup.cli.run_log import without_commands
from infostream_dedup.model import Document, heading

if TYPE_CHECKING:
    from infostream_dedup.api.dedup import DedupSummary
    from infostream_dedup.api.dictionaries import JudgedSample
    from infostream_dedup.judging.passages.provenance import Provenance
    from infostream_dedup.runs.batch.sweeping import SweepResult
    from infostream_dedup.stream.search import Hit

MOST: Final = 12  # examples shown, and rows of a table
AGAIN: Final = ("on_error", "max_errors", "tz", "columns", "make_ids", "other_languages", "encoding")
"""Options with which documents are read again for their titles."""

_KINDS: Final = (
    *("copy", "retold", "contained", "contains", "translation", "same-story", "template", "updated", "follow-up"),
    *("differs", "related"),
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
    say(f"{plural(total, 'pair')} among {len(paired):,} of {items():,} items{f': {named}' if named else ''}")
    known = found_documents(documents, {row[side] for row in shown for side in "ab"}, reading)
    for number, row in enumerate(shown, 1):
        _print_pair(f"{number:>2} {kind_of(row)}", row, known)
    if total > len(shown):
        say(f"{total - len(shown):,} more: --wide here, or --format csv > pairs.csv")


def _print_pair(label: str, row: Mapping[str, Any], known: Mapping[str, Document]) -> None:
    for words, id in ((label, row["a"]), ("", row["b"])):  # noqa: A001 - its own word
        click.echo(document_line(words, id, known.get(id)))
    click.echo(_clipped(f"{'':{_LABEL}}{_evidence(row)}"))
    for reason in row.get("reasons", ()):
        click.echo(_clipped(f"{'':{_LABEL}}{reason}"))


_WHOLE: Final = 0.9  # share of both texts from which on one is a copy of the other


def print_passages(rows: Iterable[Mapping[str, Any]], documents: Sequence[str], reading: Mapping[str, Any]) -> None:
    """Print the pairs that share most words, no document twice, with their longest passage; whole copies come last."""

    def whole(row: Mapping[str, Any]) -> bool:
        return bool(min(row["coverage_a"], row["coverage_b"]) >= _WHOLE)

    def words(row: Mapping[str, Any]) -> int:
        return sum(span["words"] for span in row["spans"])

    every, seen = list(rows), set[str]()
    shown: list[Mapping[str, Any]] = []
    for row in sorted(every, key=lambda row: (whole(row), -words(row))):
        if len(shown) < MOST and not seen & {row["a"], row["b"]}:
            shown.append(row)
            seen |= {row["a"], row["b"]}
    copies = sum(map(whole, every))
    counts = f", {len(every) - copies:,} of parts, {copies:,} of all" if every else ""
    say(f"{plural(len(every), 'pair')} with passages in common{counts}")
    known = found_documents(documents, {row[side] for row in shown for side in "ab"}, reading)
    for number, row in enumerate(shown, 1):
        _print_pair(f"{number:>2} {plural(words(row), 'word')}", row, known)
        longest = max(row["spans"], key=lambda span: span["words"])
        if row["b"] in known:
            click.echo(_clipped(f"{'':{_LABEL}}«{' '.join(known[row['b']].text[slice(*longest['b'])].split())}»"))
    if len(every) > len(shown):
        say(f"{len(every) - len(shown):,} more: --format table here, or --format csv > passages.csv")


def print_histories(groups: Sequence[tuple[str, Provenance]]) -> None:
    """Print each group: the first document, then every copy with what it kept, cut, added and changed."""
    for _, one in groups:
        click.echo(document_line(f"first by {one.first_by}", one.first.id, one.first))
        for copy in one.copies:
            click.echo(document_line("", copy.document.id, copy.document))
            counts = f"{plural(copy.kept, 'sentence')} kept, {len(copy.cut)} cut, {len(copy.added)} added"
            told = [f"{counts}, {len(copy.changed)} changed", "another title" if copy.title_changed else ""]
            if copy.copied_from is not None:
                share = f"{copy.copied_share:.0%}".replace("%", " %")
                told.append(f"{share} from {end_of(copy.copied_from.id, 24)}")
            click.echo(_clipped(f"{'':{_LABEL}}{' · '.join(filter(None, told))}"))
        click.echo()


def changed_words(pairs: Iterable[Sequence[str]]) -> str:
    """The words in which two texts differ, as one reads them."""
    return ", ".join(f"{one or '-'} → {other or '-'}" for one, other in pairs)


def _evidence(row: Mapping[str, Any]) -> str:
    parts = [f"{row['differs_by']}: {changed_words(row['differing'])}"] if row.get("differing") else []
    if "coverage_a" in row:
        parts.append(f"{row['coverage_a']:.0%} of the first, {row['coverage_b']:.0%} of the second".replace("%", " %"))
    if row.get("wording_forward") is not None:
        shares = f"wording {row['wording_forward']:.0%} there, {row['wording_backward']:.0%} back"
        parts.append(shares.replace("%", " %"))
    terms = row.get("terms") or row.get("met") or []
    if "forward" in row:
        parts.append(f"{row['forward']} of {row['n_a']} terms{': ' if terms else ''}{', '.join(map(str, terms))}")
    return " · ".join(parts)


def print_dedup(
    summary: DedupSummary, documents: Sequence[str], reading: Mapping[str, Any], out: str | None, *, annotated: bool
) -> None:
    """Print what became of the items, the largest groups with their titles, and what was written."""
    kept, left_out = f"{summary.kept:,} kept", f"{summary.documents - summary.kept:,} left out"
    left = "all kept and annotated" if annotated else f"{kept}, {left_out}"
    done = f"{plural(summary.documents, 'item')} → {left}, {plural(summary.groups, 'group')}"
    say(" · ".join([done, _repeating(summary.statuses), *_others(summary.statuses)]))
    known = found_documents(documents, {one for group in summary.largest for one in group.shown}, reading)
    for group in summary.largest:
        first = known.get(group.shown[0])
        sources = dict.fromkeys(one.source for one in map(known.get, group.shown) if one is not None and one.source)
        more = ", ..." if group.size > len(group.shown) else ""
        where = cut(f" ({', '.join(sources)}{more})", (width() - _LABEL) // 2) if sources else ""
        room = width() - _LABEL - cell_width(where)
        title = cut(group.shown[0] if first is None else heading(first), room)
        click.echo(_clipped(f"{f'{group.size:>3} ×':<{_LABEL}}{title}{where}"))
    if 0 < len(summary.largest) < summary.groups:
        listed = "" if annotated else ": --annotate names the group of every item"
        say(f"{plural(summary.groups - len(summary.largest), 'more group')}{listed}")
    say(f"written: {out}" if out is not None else "nothing was written: add --out unique.csv")


def print_hits(hits: Sequence[Hit], rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the documents that a search found, two lines each; ``rows``: the same, with titles."""
    for number, (hit, row) in enumerate(zip(hits, rows, strict=True), 1):
        # Few words resemble nothing: what they have in common with a text is terms.
        kind = "terms only" if hit.kind == "related" else hit.kind or hit.relation or "terms only"
        sure = "" if hit.probability is None or hit.kind == "related" else f"probability {hit.probability:.2f} · "
        # The kind is that of the text; before the name of a document it would be read as that of the document.
        kind = {"contained": "holds it", "contains": "part of it"}.get(kind, kind)
        print_stored(f"{number:>2} {kind}", row)
        asked = "could be translated" if hit.across else "was asked for"
        told = f"{sure}has {hit.share_forward:.0%} of what {asked}".replace("%", " %")
        click.echo(_clipped(f"{'':{_LABEL}}{told}: {', '.join(map(str, hit.terms))}"))


def found_documents(sources: Sequence[str], ids: set[str], reading: Mapping[str, Any]) -> dict[str, Document]:
    """Read some documents again for their titles; standard input is gone, so nothing of it is found."""
    from infostream_dedup import read_documents

    found: dict[str, Document] = {}
    if not ids or "-" in sources:
        return found
    # What the first reading set aside is set aside again, but not written again.
    for document in read_documents(list(sources), **reading):
        if document.id in ids:
            found[document.id] = document
            if len(found) == len(ids):
                break
    return found


def document_line(label: str, id: str, document: Document | None) -> str:  # noqa: A002 - its own word
    """One document on one line, whatever the width of the terminal."""
    if document is None:
        return _clipped(f"{label:<{_LABEL}}{id}")
    given = str(document.published)
    # A year or a day alone is shown as it is.
    when = given if document.time is None or len(given) <= len("2026-03-01") else document.time
    return _line(label, id, heading(document), document.source or "", when if document.published is not None else "")


def _line(label: str, id: str, title: str, source: str, when: datetime | str) -> str:  # noqa: A002
    wide = width()
    date = str(when)[: 16 if wide >= _WIDE else 10].replace("T", " ")
    name, where = end_of(id, max(8, wide // 6)), cut(source, max(8, wide // 7))
    label = f"{label:<{_LABEL}}"
    room = wide - cell_width(label) - cell_width(name) - 1 - cell_width(where) - cell_width(date) - 3
    shown = cut(title, max(room, 8))
    return _clipped(f"{label}{name} {shown}{' ' * max(0, room - cell_width(shown))}  {where} {date}").rstrip()


def _clipped(text: str) -> str:
    return cut(" ".join(text.split("\n")), width())


def print_ingested(
    statuses: Mapping[str, int], repeats: Sequence[tuple[str, Mapping[str, Any], Mapping[str, Any]]]
) -> None:
    """Print how many items repeat what, and the latest that do: status, the stored item, and what it repeats."""
    total = plural(sum(count for status, count in statuses.items() if status != "revisions"), "item")
    say(" · ".join([f"{total}: {_repeating(statuses)}", *_others(statuses)]))
    for label, row, of in repeats:
        print_stored(label, row)
        print_stored("", of)


def _repeating(statuses: Mapping[str, int]) -> str:
    copies = statuses["exact"] + statuses["duplicate"]
    return f"{copies:,} repeat{'s' * (copies == 1)} an earlier item ({statuses['exact']:,} exact)"


def _others(statuses: Mapping[str, int]) -> list[str]:
    names = {"similar": "similar, kept", "new": "new", "insufficient_text": "too short to compare"}
    names["revisions"] = "corrected"
    return [f"{statuses[status]:,} {words}" for status, words in names.items() if statuses.get(status)]


def print_stored(label: str, row: Mapping[str, Any]) -> None:
    """Print a document of a store on one line."""
    title, source = " ".join((row["title"] or "").split()), row["source"] or ""
    click.echo(_line(f"{label} ", row["id"], title, source, row["published"] or ""))


def print_shown(document: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> None:
    """Print what a store knows about a document, a field on each line, then the others of its group."""
    kind = f" ({document['kind']})" if document["kind"] else ""
    sure = "" if document["probability"] is None else f", probability {document['probability']:.2f}"
    of = f" of {document['of']}" if document["of"] else ""
    fields = {
        "title": document["title"],
        "source": document["source"],
        "published": document["published"],
        "language": document["language"],
        "address": document["url"],
        "verdict": f"{document['status']}{of}{kind}{sure}",
        document["differs_by"] or "": changed_words(document["differing"] or []),
        "shared terms": ", ".join(document["terms"] or []),
        "translation of": document["translation_of"],
        "story": document["story"],
    }
    click.echo(_clipped(document["id"]))
    for name, value in fields.items():
        if value:
            lines = wrap(" ".join(without_commands(str(value)).split()), width() - _LABEL - 1, break_on_hyphens=False)
            for label, line in zip_longest([name], lines, fillvalue=""):
                click.echo(f"{label:<{_LABEL}} {line}")
    group = f"{plural(len(others), 'other item')} in group {document['group']}:" if others else "nothing repeats it"
    click.echo(f"\n{_clipped(group)}")
    for row in others[:MOST]:
        print_stored(row["kind"] or row["status"], row)
    if len(others) > MOST:
        say(f"{len(others) - MOST:,} more: --wide")


def print_groups(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print groups or stories, two lines each: size and title of the earliest document, then where and when."""
    for row in rows:
        name, languages = row.get("group") or row["story"], row["languages"]
        click.echo(_clipped(f"{row['documents']:>3} ×{'':{_LABEL - 5}}{' '.join((row['title'] or name).split())}"))
        when = " to ".join(dict.fromkeys(str(row[one])[:10] for one in ("first", "last") if row.get(one)))
        told = languages if isinstance(languages, list) else [f"{languages} languages"] * (languages > 1)
        parts = [
            name,
            f"first in {row['source']}" if row.get("source") else "",
            plural(row.get("sources", row.get("outlets", 0)), "source"),
            plural(row["origins"], "origin") if "origins" in row else "",
            ", ".join(told),
            when,
            "stopped growing: a chain" if row.get("alarm") else "",
        ]
        click.echo(_clipped(f"{'':{_LABEL}}{' · '.join(part for part in parts if part)}"))
    if not rows:
        click.echo("none yet")


def print_covered(found: Mapping[str, Any]) -> None:
    """Print the coverage of a story: the answer, then its documents by origin."""
    documents = found["documents"]
    say(
        f"{plural(len(documents), 'document')} in {plural(found['outlets'], 'outlet')} go back to"
        f" {plural(found['origins'], 'origin')}; {found['echo_share']:.0%} repeat others"
    )
    first = documents[0]
    say("first: " + ", ".join(filter(None, (first["outlet"] or first["id"], first["published"]))))
    for origin in range(1, min(found["origins"], MOST) + 1):
        own = [one for one in documents if one["origin"] == origin]
        click.echo("")
        for one in own[:MOST]:
            lag = "" if one is own[0] or one["lag_hours"] is None else f"{one['lag_hours']:+,.1f} h"
            label = f"{origin:>3}. {one['role']}" if one is own[0] else f"     {one['role']}"
            click.echo(_clipped(f"{label:<{_LABEL + 3}}{' '.join((one['title'] or one['id']).split())}"))
            wire = f"names {one['wire']}" if one["wire"] else ""
            parts = [one["id"], one["outlet"], one["language"], (one["published"] or "")[:16], lag, wire]
            click.echo(_clipped(f"{'':{_LABEL + 3}}{' · '.join(part for part in parts if part)}"))
        if len(own) > MOST:
            say(f"{len(own) - MOST:,} more of this origin: --wide")
    if found["origins"] > MOST:
        say(f"{found['origins'] - MOST:,} more origins: --wide")


def print_message(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a compiled message, each piece with its source."""
    for row in rows:
        said = "" if row["kind"] == "first" else f" [{row['source'] or row['id']}]"
        for line in wrap(" ".join(row["text"].split()) + said, width() - 1, break_on_hyphens=False):
            click.echo(line)


def print_collection(languages: Mapping[str, int], sources: int, dates: Sequence[str] = ()) -> None:
    """Print what was read: items by language, sources, and from when until when."""
    named = ", ".join(f"{count:,} {name}" for name, count in sorted(languages.items(), key=lambda one: -one[1]))
    parts = [f"{sum(languages.values()):,} news items{f' ({named})' if named else ''}"]
    parts += [plural(sources, "source")] if sources else []
    parts += [" to ".join(dict.fromkeys((min(dates), max(dates))))] if dates else []
    say(", ".join(parts))


def plural(number: int, word: str) -> str:
    """A number with its noun: one source, 8 sources."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def print_sample(sample: JudgedSample, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print what repeats what in the sample, and one example of each kind worth a look."""
    documents, statuses, groups = sample.documents, sample.found.statuses, sample.found.groups
    copies = statuses["exact"] + statuses["duplicate"]
    # A year alone is no day on which an item was published.
    days = [str(one.time)[:10] for one in documents if one.time and len(str(one.published)) > len("2026-03")]
    print_collection(sample.languages, len({one.source for one in documents} - {None}), days)
    translations = sum(row["kind"] == "translation" for row in rows)
    share = copies / len(documents)
    click.echo(f"{copies:>5} repeat an earlier item  {bar(share, 24)}  {f'{share:.0%}'.replace('%', ' %')}")
    click.echo(f"{statuses['similar']:>5} are similar and stay: templates, updates, follow-ups")
    click.echo(f"{statuses['new']:>5} are new; {plural(groups, 'group')} of copies; {translations} translated pairs\n")
    known = {one.id: one for one in documents}
    for kind in ("copy", "template", "translation"):
        several = (row for row in rows if row["kind"] == kind and known[row["a"]].source != known[row["b"]].source)
        first = next(several, None) or next((row for row in rows if row["kind"] == kind), None)
        if first is not None:
            _print_pair(f" {kind}", first, known)


def bar(share: float, columns: int) -> str:
    """A share of one as a bar of blocks, filled up with dots."""
    eighths = round(share * columns * 8)
    drawn = "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
    return drawn + "░" * (columns - len(drawn))


def print_swept(result: SweepResult) -> None:
    """Print S and T at each k of one series, what is advised for all of them, and why."""
    if result.by is not None:
        _print_parts(result)
    series = list(dict.fromkeys(row.representation for row in result.rows))
    main = next((one for one in ("morph", *series) if one in series), None)
    if main is None:
        return
    click.echo()
    _print_curve(result, main)
    click.echo()
    told: dict[str, list[str]] = {}
    for name, advice in result.advice.items():
        row = None if advice.chosen is None or name in result.same_as else _row_at(result, name, advice.chosen)
        if row is not None and row["links"]:
            closed = "" if row["transitivity"] is None else f" · T {_number(row['transitivity'])}"
            line = f"k = {advice.chosen} · S {_number(row['symmetry'])}{closed} · {row['links']:,} links"
            told.setdefault(line, []).append(name)
    for line, names in told.items():
        say(f"{', '.join(names)}: {line}")
    chosen = None if main not in result.advice else result.advice[main].chosen
    if chosen is not None and (row := _row_at(result, main, chosen)) is not None:
        _print_advice(row, chosen, _WAYS[result.advice[main].chosen_by])
    for name, why in result.missing.items():
        say(f"{name}: not computed: {why}")
    for remark in (remarks := result.notes if click.get_current_context().meta["verbose"] else []):
        say(remark)
    left = "" if remarks else f"; {plural(len(result.notes), 'remark')}: --verbose"
    say(f"(all {len(result.as_rows())} rows: --wide, or --format csv{left})")


_WAYS: Final = {
    "estimate": "where precision and recall, estimated without labels, are best together",
    "model": "where the pair model finds precision and recall best together",
    "count": "where the copies counted are linked best",
    "consistency": "by S and T alone",
    "default": "the usual number, as there is too little to choose by",
    "given": "as you chose",
}
_POOR: Final = 0.6  # F1 below which no k is a good threshold


def _print_advice(row: Mapping[str, Any], k: int, why: str) -> None:
    """Print which k is recommended, and what its links are, in a sentence each."""
    say(f"recommended: k = {k}, {why}")
    right, found = row.get("precision"), row.get("recall")
    if right is not None and found is not None:
        say(f"estimated: {right:.0%} of the links at k = {k} are one text, copied or told anew; of all such pairs,"
            f" {found:.0%} are linked".replace("%", " %"))  # fmt: skip
    elif "reliable" in row:
        say("this collection itself allows no estimate of precision and recall (why: --verbose)")
    if (copied := row.get("copy_precision")) is not None and (linked := row.get("copy_recall")) is not None:
        say(f"counted: {copied:.0%} of the links at k = {k} share much of their wording; of all such pairs,"
            f" {linked:.0%} are linked".replace("%", " %"))  # fmt: skip
        right, found = (copied, linked) if right is None or found is None else (right, found)
    if right is not None and found is not None and 2 * right * found < _POOR * (right + found):
        say("no k tells copies from the rest here: use dedup, which judges each pair")


def _row_at(result: SweepResult, series: str, k: int) -> Mapping[str, Any] | None:
    name, block = (series.removesuffix(":cross"), "cross") if series.endswith(":cross") else (series, "all")
    rows = (one for one in result.rows if (one.representation, one.block) == (name, block))
    return next((one.as_dict() for one in rows if one.measures.k == k), None)


def _print_curve(result: SweepResult, series: str) -> None:
    rows = [row.as_dict() for row in result.rows if (row.representation, row.block) == (series, "all")]
    chosen = result.recommended_k.get(series)
    at = "k" if not rows or "k" in rows[0] else "threshold"
    wide = max(2, len(at))
    place = next((number for number, row in enumerate(rows) if row[at] == chosen), 0)
    begin = max(0, min(place - MOST // 2, len(rows) - MOST))
    estimated = any(row.get("precision") is not None for row in rows)
    ends = "; P, R: estimated" if estimated else ""
    say(f"By {at}, without labels ({series}). S: links returned; T: paths closed{ends}")
    ends = f"{'P':>6}{'R':>6}" if estimated else ""
    click.echo(f"  {at:>{wide}}  {'S':<16}{'T':<16}{'links':>9}{'groups':>8}{ends}")
    for row in rows[begin : begin + MOST]:
        curves = "".join(f"{_number(row[name]):<6}{bar(row[name] or 0, 9)} " for name in ("symmetry", "transitivity"))
        counts = f"{row['links']:>9,}{'-' if row['groups'] is None else row['groups']:>8}"
        ends = "".join(f"{_number(row.get(name)):>6}" for name in ("precision", "recall")) if estimated else ""
        click.echo(f"{'▶' if row[at] == chosen else ' '} {row[at]:>{wide}}  {curves}{counts}{ends}".rstrip())


def _print_parts(result: SweepResult) -> None:
    """One line for each part: its items, the k advised, S and T there."""
    click.echo(f"\n{result.by:<24}{'items':>9}{'k':>4}{'S':>7}{'T':>7}{'linked':>9}")
    for name, part in list(result.parts.items())[:MOST]:
        series = next((one for one in ("morph", *part.advice) if one in part.advice), "")
        k = part.recommended_k.get(series)
        row = (None if k is None else _row_at(part, series, k)) or {}
        linked = part.duplicates(series)
        click.echo(
            f"{cut(name or '(none)', 23):<24}{sum(part.documents.values()):>9,}{k or '-':>4}"
            f"{_number(row.get('symmetry')):>7}{_number(row.get('transitivity')):>7}"
            f"{'-' if linked is None else f'{100 * linked:.1f} %':>9}"
        )
    if len(result.parts) > MOST:
        say(f"({len(result.parts) - MOST} more: --wide, or --format csv)")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".removeprefix("0")
