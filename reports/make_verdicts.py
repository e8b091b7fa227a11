"""Makes the part of quality.md on preset ``judged``: the pair model, each set left out, and ``ingest``."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frame import dated_documents, labels_file, read_rows, table, write_part
from learn_pair_model import leave_one_out

from infostream_dedup import Deduplicator, Document
from infostream_dedup.stream.settings import StreamSettings

if TYPE_CHECKING:
    from infostream_dedup.model.stream_records import Verdict


_OVERLAP = ("reprint", "partial", "contained")
_BATCH = 1000
_WEEK = 7 * 86_400
_OWN_AGAIN = ("template", "updated", "follow-up")
Pair = tuple[Document, Document]


@dataclass(frozen=True, slots=True)
class _Ingested:
    """A stream and its verdicts by id."""

    verdicts: dict[str, Verdict]
    labels: list[tuple[Pair, dict[str, Any]]]
    of: dict[frozenset[str], str]

    def right(self, statuses: Sequence[str]) -> tuple[int, int]:
        """Links of these statuses that carry a label of overlap, and all of them."""
        linked = [one for one in self.verdicts.values() if one.status in statuses]
        good = sum(self.of.get(frozenset((one.id, str(one.of)))) in _OVERLAP for one in linked)
        return good, len(linked)

    def pairs(self, kind: str) -> list[Pair]:
        """Labelled pairs of a kind."""
        return [pair for pair, row in self.labels if row["kind"] == kind]

    def statuses(self, pairs: Sequence[Pair]) -> str:
        """Statuses of the later documents."""
        return _counts(Counter(self.verdicts[later.id].status for _, later in pairs))


def ingested_lines() -> list[str]:
    """Figures of the dated documents of mdnews, in the order of their dates, as a list."""
    dated = dated_documents("mdnews")
    # A look across languages changes no status, and has its own figures.
    alone = StreamSettings.of({"across": "none"})
    _run(dated[:2000], alone)
    _run(dated[:2000], StreamSettings())
    verdicts, seconds = _run(dated, alone)
    _, plain = _run(dated, StreamSettings())
    found = _labelled(dated, verdicts, read_rows(labels_file("mdnews")))
    counted = Counter(one.status for one in verdicts)
    similar = Counter(str(one.kind) for one in verdicts if one.status == "similar")
    reprints, templates = found.pairs("reprint"), found.pairs("template")
    across = [pair for pair in reprints if pair[0].source != pair[1].source]
    equal = [pair for pair in reprints if pair[0].text == pair[1].text]
    containing = [
        pair for pair, row in found.labels if row["kind"] in _OVERLAP[1:] and (row["containment5"] or 0) >= 0.5
    ]
    linked = sum(found.verdicts[later.id].of is not None for _, later in containing)
    kinds = Counter(str(found.verdicts[later.id].kind) for _, later in templates)
    exact = sum(found.verdicts[later.id].status == "exact" for _, later in templates)
    (right, duplicates), (right_all, all_repeats) = found.right(["duplicate"]), found.right(["duplicate", "exact"])
    sizes = Counter(one.group for one in verdicts)
    rates = (1 / seconds, 1 / plain)
    return [
        f"- {len(dated)} documents; statuses: "
        + ", ".join(f"{status} {count} ({count / len(dated):.3f})" for status, count in counted.most_common()),
        f"- kinds of the similar: {_counts(similar)}",
        (
            f"- `duplicate` links with a label of overlap that is no template: {right} of {duplicates}; with `exact` "
            f"{right_all} of {all_repeats}"
        ),
        (
            f"- reprints at most seven days apart: {found.statuses(reprints)}; "
            f"across sources: {found.statuses(across)}; equal texts: {found.statuses(equal)}"
        ),
        (
            f"- templates at most seven days apart: {len(templates)}, kinds of the later documents: {_counts(kinds)}; "
            f"{sum(kinds[kind] for kind in _OWN_AGAIN)} are {', '.join(_OWN_AGAIN)}, {exact} an equal text"
        ),
        f"- pairs of containment >= .5 whose later document is similar or stronger: {linked} of {len(containing)}",
        f"- largest group: {max(sizes.values())}",
        (
            f"- CPU, `--across none`, batches of 1,000 with a store, second half of the stream: {rates[0]:,.0f} "
            f"documents a CPU second, {rates[1]:,.0f} with preset `faithful` "
            f"(real news of {sum(len(one.text) for one in dated) / len(dated):,.0f} characters)"
        ),
    ]


def _run(documents: Sequence[Document], settings: StreamSettings) -> tuple[list[Verdict], float]:
    """Verdicts on a stream, and the CPU seconds of a document of its second half, when most words have been met."""
    with tempfile.TemporaryDirectory() as folder, Deduplicator.open(Path(folder) / "s.db", settings) as stream:
        verdicts: list[Verdict] = []
        for first in range(0, len(documents), _BATCH):
            if first <= len(documents) // 2:
                begin, counted = time.process_time(), len(documents) - first
            verdicts += stream.process(documents[first : first + _BATCH])
        return verdicts, (time.process_time() - begin) / counted


def _labelled(dated: Sequence[Document], verdicts: Sequence[Verdict], rows: Iterable[dict[str, Any]]) -> _Ingested:
    place = {one.id: number for number, one in enumerate(dated)}
    labels, of = [], {}
    for row in rows:
        if row["label"] not in ("dup", "similar") or row["a"] not in place or row["b"] not in place:
            continue
        earlier, later = (dated[number] for number in sorted((place[row["a"]], place[row["b"]])))
        of[frozenset((row["a"], row["b"]))] = row["kind"]
        if earlier.time and later.time and (later.time - earlier.time).total_seconds() <= _WEEK:
            labels.append(((earlier, later), row))
    return _Ingested({one.id: one for one in verdicts}, labels, of)


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in found.most_common()) or "none"


ABOUT = """\
The data are the development sets of this page. The model is learned without mdnews; the thresholds of the kinds were
chosen on it, so its figures are optimistic. What readers said of the verdicts: [readings.md](readings.md)."""

INGESTED = """\
All dated documents in the order of their dates, `--across none`: key terms and evidence are weighed by what came
before. The thresholds of the kinds were chosen on these documents."""


def main() -> None:
    """Measure and write the part."""
    found = leave_one_out()
    rows = [
        {"set": name, "F": f"{one.f1:.4f}", "right": one.right, "wrong": one.wrong, "missed": one.missed}
        for name, one in found.items()
    ]
    others = [one.f1 for name, one in found.items() if name != "tgpairs"]
    parts = [
        ABOUT, "## The pair model, each set judged by a model learned from the others", table(rows),
        f"Mean of the sets but tgpairs: {sum(others) / len(others):.4f}.", "## mdnews through `ingest`", INGESTED,
        "\n".join(ingested_lines()),
    ]  # fmt: skip
    command = "python reports/make_verdicts.py"
    write_part("quality.md", "verdicts", "Kinds and statuses of pairs", command, parts)


if __name__ == "__main__":
    main()
