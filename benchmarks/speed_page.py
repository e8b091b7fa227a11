"""Makes the first part of reports/speed.md from the measurements in benchmarks/speed/."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

HEAD = """\
Made on {date} by `make bench` (`python -m benchmarks --month`), Python {python}, {cores} cores, 24 GiB, shared with
other work: single figures may be a third too high. GB are 10^9 bytes. Compiling is not counted; compiled code is cached
after the first use."""

RACE = """\
They answer other questions. Ours: stems, the 12 heaviest terms, all links at k >= 4 in both directions, S and T for
k = 4..12; the pairs judged are those of relation `equal` at k = 6. The MinHash contestants: 128 permutations of word
3-shingles made in Python, pairs of the LSH index at threshold .6. The cosine: word counts, threshold .6. Pairs of one
made-up story are true, most of which share few words: recall compares the contestants; it is not their recall of
near-duplicates. Memory is `touched` when each process touches two gigabytes before its clock starts, so that the
time in which the host of this virtual machine provides them is not measured; `fresh` if it does not."""

EDITED_RACE = """\
Words are deleted, replaced, cut, inserted and moved; the rate of a pair is the larger one of its two documents.
`pairs()` is the default, from dicts to rows, without sources or dates; CPU is relative to it. rensa with `text.split()`
in bulk is what its own page shows. Polars: the 24 smallest hashes of word triples, joined, five in common. gaoya: 32
bands of 4, in parallel. TF-IDF: cosine .5, 40 nearest. Repeats that nobody labelled count as false. Without
retellings, the set favours word triples."""

REAL_RACE = """\
The same contestants and settings. Nobody knows which of these pairs are true. Every repetition differs from the others
in its last word only, so that all contestants find them."""

RACE_COLUMNS = (
    *("contestant", "documents", "memory", "CPU s least / median"),
    *("wall s", "CPU over ours", "peak GB", "pairs"),
)

STREAMS = {
    "news-stream": "faithful, words of Russian",
    "news-judged": "judged, words of Russian",
    "news-across": "judged, across languages, words of Russian",
    "news-stream-real": "faithful, real news",
    "news-judged-real": "judged, real news",
    "news-across-real": "judged, across languages, real news",
}

JOBS = {
    "month": "stem, target text",
    "signature": "stem, target signature",
    "documents": "stem, target text, a Python object for each document",
    "hard": "stem, target text, skewed vocabulary of 30,000 lemmas",
    "morph": "morph, target text, real word forms, warm form cache",
    "real": "stem, target text, mdnews repeated with changed ends",
}


def speed_page(folder: Path) -> str:
    """Make a Markdown page with one table per part; parts that were not measured are left out."""
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    newest = max((path.stat().st_mtime for path in folder.glob("*.json")), default=0.0)
    machine: dict[str, Any] = next((one["machine"] for one in found.values() if "cores" in one.get("machine", {})), {})
    lines = [
        "# Speed and memory",
        "",
        HEAD.format(
            date=f"{datetime.fromtimestamp(newest, UTC):%Y-%m-%d}",
            python=machine.get("python", "?"),
            cores=machine.get("cores", "?"),
        ),
        "",
    ]
    lines += _jobs({name: found[name] for name in JOBS if name in found})
    lines += _race([found[name] for name in ("race-small", "race", "race-cold") if name in found])
    sections: dict[str, Callable[[dict[str, Any]], list[str]]] = {
        "race-real": _real_race, "race-edited": _edited_race, "reading": partial(_reading, "reading"),
        "real-reading": partial(_reading, "real-reading"), "text": partial(_text, "text"),
        "real-text": partial(_text, "real-text"), "commands": _commands, "news-restart": _restart,
    }  # fmt: skip
    for name, section in sections.items():
        lines += section(found[name]) if name in found else []
    lines += _streams({name: found[name] for name in STREAMS if name in found})
    notes = folder / "notes.md"
    if notes.exists():
        lines += [notes.read_text(encoding="utf-8").rstrip()]
    return "\n".join(lines).rstrip() + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(_cell(one) for one in row) + " |" for row in rows]
    return [*lines, ""]


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}" if value < 10 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _jobs(found: dict[str, Any]) -> list[str]:
    lines = ["## Raw texts to the directed matrix (k >= 4) and S, T for every k from 4 on", ""]
    rows, stages = [], []
    for name, report in found.items():
        for line in report["summary"]:
            own = [row for row in report["rows"] if row["documents"] == line["documents"]]
            rows.append(
                [
                    JOBS[name],
                    line["documents"],
                    own[0]["megabytes"],
                    own[0]["links"],
                    line["runs"],
                    f"{line['least_wall_seconds']} / {line['median_wall_seconds']}",
                    f"{line['least_cpu_seconds']} / {line['median_cpu_seconds']}",
                    line["documents_per_second"],
                    line["peak_gigabytes"],
                    line.get("growth_exponent"),
                ]
            )
        best = min(own, key=lambda row: row["wall_seconds"])
        stages += [
            [JOBS[name], best["documents"], stage, one["wall_seconds"], one["cpu_seconds"], one["peak_gigabytes"]]
            for stage, one in best["stages"].items()
        ]
    head = ["what", "documents", "MB", "links", "runs", "wall s least / median", "CPU s least / median", "documents/s"]
    lines += _table([*head, "peak GB", "growth of CPU time"], rows)
    lines += ["Stages of the quickest run of the largest size:", ""]
    lines += _table(["what", "documents", "stage", "wall s", "CPU s", "peak GB"], stages)
    return lines


def _race(reports: list[dict[str, Any]]) -> list[str]:
    if not reports:
        return []
    lines = ["## The race from the same raw texts in the same run", ""]
    rows = _contestants([row for report in reports for row in report["rows"]], ("precision", "recall"))
    return [*lines, *_table([*RACE_COLUMNS, "precision", "recall"], rows), RACE, ""]


def _real_race(report: dict[str, Any]) -> list[str]:
    lines = ["## The race from real news (mdnews repeated with changed ends)", ""]
    return [*lines, *_table(RACE_COLUMNS, _contestants(report["rows"])), REAL_RACE, ""]


def _edited_race(report: dict[str, Any]) -> list[str]:
    lines = ["## The race from real news with edited copies, of which all true pairs are known", ""]
    rates = [name for name in report["rows"][0] if name.startswith("recall_")]
    more = ("precision", "recall", "f1", *rates)
    columns = [*RACE_COLUMNS, "precision", "recall", "F1", *(name.replace("_", " at ") for name in rates)]
    return [*lines, *_table(columns, _contestants(report["rows"], more)), EDITED_RACE, ""]


def _contestants(every: list[dict[str, Any]], more: Sequence[str] = ()) -> list[list[Any]]:
    """Return one row per contestant and size, with the columns of ``RACE_COLUMNS`` and `more`."""
    rows: list[list[Any]] = []
    keys = ("contestant", "documents", "memory")
    for key in dict.fromkeys(tuple(row[one] for one in keys) for row in every):
        own = [row for row in every if tuple(row[one] for one in keys) == key]
        cpu = [row["cpu_seconds"] for row in own]
        best = min(own, key=lambda row: row["cpu_seconds"])
        least = f"{min(cpu)} / {round(statistics.median(cpu), 2)}"
        names = ("wall_seconds", "cpu_over_ours", "peak_gigabytes", "pairs", *more)
        rows.append([*key, least, *(best[column] for column in names)])
    return rows


def _reading(name: str, report: dict[str, Any]) -> list[str]:
    kind = "real news" if name == "real-reading" else "made-up texts"
    lines = [f"## Reading JSON Lines: {kind}, {report['documents']:,} documents, {report['mb']:.0f} MB", ""]
    rows = [
        [row["stage"], row["cpu_seconds"], row["microseconds_per_document"], row["mb_per_cpu_second"]]
        for row in report["rows"]
    ]
    return [*lines, *_table(["way", "CPU s", "microseconds per document", "MB per CPU s"], rows)]


def _text(name: str, report: dict[str, Any]) -> list[str]:
    kind = "real news" if name == "real-text" else "made-up texts"
    lines = [f"## Text: {kind}, {report['documents']:,} documents, {report['mb']:.0f} MB", ""]
    rows = [[row["stage"], row["cpu_seconds"], row["wall_seconds"], row["mb_per_cpu_second"]] for row in report["rows"]]
    lines += _table(["stage", "CPU s", "wall s", "MB per CPU s"], rows)
    by_stage = {row["stage"]: row["cpu_seconds"] for row in report["rows"]}
    plain = by_stage["re.findall and a dict"]
    ratios = [f"{plain / by_stage[stage]:.1f} ({stage})" for stage in by_stage if stage.startswith("scan")]
    lines += [f"Scanning is faster than `re.findall` and a dict by {' and '.join(ratios)}.", ""]
    return lines


def _commands(report: dict[str, Any]) -> list[str]:
    rows, table = report["rows"], []
    keys = ("command", "checkout", "documents")
    for key in dict.fromkeys(tuple(row[one] for one in keys) for row in rows):
        own = [row for row in rows if tuple(row[one] for one in keys) == key]
        names = ("wall_seconds", "cpu_seconds", "peak_gigabytes")
        # A checkout that cannot run a command has a row without figures.
        measured = [[row[name] for row in own if row[name] is not None] for name in names]
        table.append([*key, *(min(some, default=None) for some in measured)])
    head = ["command", "checkout", "documents", "wall s", "CPU s", "peak GB"]
    return ["## Commands on a file, from reading to writing", "", *_table(head, table)]


def _streams(found: dict[str, Any]) -> list[str]:
    if not found:
        return []
    rows = [
        [
            *(STREAMS[name], report["documents"], cache),
            *(row[speed] for speed in ("documents_per_cpu_second", "second_half_per_cpu_second")),
            *(row["single_milliseconds"][kind]["cpu_p50"] for kind in ("engine", "stored")),
        ]
        for name, report in found.items()
        for cache, row in report["rows"].items()
    ]
    head = ["stream with its store", "documents", "cache", "documents per CPU s", "second half"]
    return ["## Streams", "", *_table([*head, "one document, engine, p50 ms", "stored, p50 ms"], rows)]


def _restart(report: dict[str, Any]) -> list[str]:
    named = {name: report["rows"][name] for name in ("load from the store", "memory of the window", "restart")}
    rows = [[name, row["cpu_seconds"], row["wall_seconds"]] for name, row in named.items()]
    lines = [f"## Restart of a stream with {report['documents']:,} documents in the window", ""]
    return [*lines, *_table(["stage", "CPU s", "wall s"], rows)]
