"""Measures the whole main job on a stream as large as the source paper's month: raw texts to S and T for k >= 4.

    python -m benchmarks.month --documents 100000 1272217 --runs 3 --out month.json
    python -m benchmarks.month --real mdnews.docs.jsonl.gz --documents 1272217

Each run has its own process and reads the texts from a file, so that its memory is the job's own; gigabytes are 10^9
bytes, the peak during a stage. Compilation is not counted: a toy collection goes through every stage first. With
``--real`` the texts of a file are repeated until there are enough, with the number of the repetition appended to each
document: real words and real lengths, but stories that recur again and again.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from math import log
from pathlib import Path
from typing import Any, get_args

import numpy as np

from benchmarks import in_own_process, read_texts, save_texts, timed, write_figures
from benchmarks.generator import MONTH, Words, generate, harder, write_texts
from infostream_dedup.language.text.surface_pool import Utf8Texts
from infostream_dedup.links.relation import Relation
from infostream_dedup.model import Document, Settings
from infostream_dedup.runs.batch.collection import Collection, collect
from infostream_dedup.runs.batch.linking import MOST_VERBATIM_LINKS, link, link_nodes, verbatim_links
from infostream_dedup.terms.compiled import SurfaceCounter
from infostream_dedup.terms.key_terms import KeyTerms

K_MIN = 4
CHUNK = 4_000_000
ROOM = 64


def main() -> None:
    """Generate the texts, run the job, print and store the rows."""
    arguments = _arguments()
    rows = []
    for documents in arguments.documents:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            megabytes = _make_texts(arguments, documents, folder)
            settings = Settings(representation=arguments.representation, target=arguments.target)
            for _ in range(arguments.runs):
                row = in_own_process(_measure_job, folder, arguments.texts, settings)
                rows.append({"documents": documents, "megabytes": megabytes, **row})
                print(json.dumps(rows[-1]), flush=True)
    summary = _summarise(rows)
    for line in summary:
        print(json.dumps(line))
    what = {name: str(value) for name, value in vars(arguments).items() if name not in ("out", "real")}
    write_figures(arguments.out, **what, real=bool(arguments.real), rows=rows, summary=summary)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000], help=f"a month is {MONTH}")
    parser.add_argument("--representation", choices=["stem", "morph"], default="stem")
    parser.add_argument("--target", choices=["text", "signature"], default="text")
    parser.add_argument(
        "--texts",
        choices=READERS,
        default="arrow",
        help="read Arrow buffers, or make a Python object for each document as the commands do",
    )
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--hard", action="store_true", help="use the skewed vocabulary of 30,000 lemmas")
    parser.add_argument("--words", choices=get_args(Words), default="made-up", help="see benchmarks.generator")
    parser.add_argument("--real", type=Path, help="gzipped JSON Lines with title and text to repeat")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _make_texts(arguments: argparse.Namespace, documents: int, folder: Path) -> float:
    if arguments.real:
        return repeated(arguments.real, documents, folder)
    corpus = generate(documents, seed=arguments.seed)
    texts = write_texts(harder(corpus) if arguments.hard else corpus, words=arguments.words)
    return save_texts(texts, folder)


def repeated(path: Path, documents: int, folder: Path) -> float:
    """Write the texts of a file repeatedly until there are enough, each with the repetition's number appended."""
    own = read_texts(path)
    return save_texts((f"{own[number % len(own)]}\n{number // len(own):05}" for number in range(documents)), folder)


def _arrow_texts(folder: Path) -> Iterator[Utf8Texts]:
    """Yield the texts as a reader of Arrow files does, a few megabytes at a time."""
    offsets = np.load(folder / "offsets.npy")
    first = 0
    with (folder / "texts.bin").open("rb", buffering=0) as data:
        while first < len(offsets) - 1:
            last = max(int(np.searchsorted(offsets, offsets[first] + CHUNK, side="right")) - 1, first + 1)
            chunk = np.zeros(int(offsets[last] - offsets[first]) + ROOM, dtype=np.uint8)
            data.readinto(chunk[:-ROOM].data)
            # Read-only, like Arrow's buffers.
            chunk.setflags(write=False)
            yield Utf8Texts(offsets[first : last + 1] - offsets[first], chunk)
            first = last


def _documents(folder: Path) -> Iterator[Document]:
    for texts in _arrow_texts(folder):
        for number in range(len(texts)):
            yield Document(id=str(number), text=texts[number])


def _read_arrow(folder: Path) -> Collection:
    """Count surfaces from Arrow buffers, without a Python object for each document."""
    counter = SurfaceCounter()
    for texts in _arrow_texts(folder):
        counter.add_texts(texts, [None] * len(texts))
    return Collection(documents=[], languages=[], surfaces=counter.finish(), text_hashes=[], text_lengths=array("q"))


def _read_documents(folder: Path) -> Collection:
    """Read like the commands, with a ``Document`` for each text."""
    return collect(_documents(folder), hashes=False)


READERS = {"arrow": _read_arrow, "documents": _read_documents}


def _measure_job(folder: Path, reader: str, settings: Settings) -> dict[str, Any]:
    toy = collect((Document(id=str(number), text="снег в киеве", lang="ru") for number in range(3)), hashes=False)
    relation_of(toy.key_terms(settings), settings).measures()
    stages: dict[str, dict[str, float]] = {}

    def stage(name: str, work: Callable[[], Any]) -> Any:
        result, seconds = timed(work)
        stages[name] = {kind: round(value, 2) for kind, value in seconds.items()} | {"peak_gigabytes": peak_gigabytes()}
        return result

    collection = stage("texts", lambda: READERS[reader](folder))
    key_terms = stage("key terms", partial(collection.key_terms, settings))
    # Free the texts, which are no longer needed.
    del collection
    relation = stage("matching", lambda: relation_of(key_terms, settings))
    measures = stage("S and T", relation.measures)
    return {
        "links": measures[0].links,
        **{name: round(sum(one[name] for one in stages.values()), 2) for name in ("wall_seconds", "cpu_seconds")},
        "peak_gigabytes": max(one["peak_gigabytes"] for one in stages.values()),
        "stages": stages,
        "symmetry_and_transitivity": {one.k: [one.symmetry, one.transitivity] for one in measures},
    }


def relation_of(key_terms: KeyTerms, settings: Settings) -> Relation:
    """Link as ``sweep`` does: links between equal documents are not stored if there are very many."""
    if verbatim_links(key_terms) > MOST_VERBATIM_LINKS:
        return link_nodes(key_terms, settings, k_min=K_MIN)
    return link(key_terms, settings, k_min=K_MIN).relation()


def peak_gigabytes() -> float:
    """Return the peak memory since the last call. Not getrusage, which includes the process we were forked from."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return round(int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e9, 2)


def _summarise(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return minimum and median seconds of each size, and their growth from the previous size."""
    lines: list[dict[str, Any]] = []
    for documents in dict.fromkeys(row["documents"] for row in rows):
        own = [row for row in rows if row["documents"] == documents]
        line: dict[str, Any] = {"documents": documents, "runs": len(own)}
        for name in ("wall_seconds", "cpu_seconds"):
            values = [row[name] for row in own]
            line |= {f"least_{name}": min(values), f"median_{name}": round(statistics.median(values), 2)}
        line["documents_per_second"] = round(documents / line["least_wall_seconds"])
        line["peak_gigabytes"] = max(row["peak_gigabytes"] for row in own)
        if lines:
            before = lines[-1]
            ratio = line["least_cpu_seconds"] / before["least_cpu_seconds"]
            line["growth_exponent"] = round(log(ratio) / log(documents / before["documents"]), 3)
        lines.append(line)
    return lines


if __name__ == "__main__":
    main()
