"""Measures finding copied passages on a made-up stream: each step, its growth, and a collection end to end.

    python -m benchmarks.passages --documents 10000 100000 --out passages.json

Steps: read (raw texts to sentences and words), index (words to bags of features to inverted lists), match (which
sentences are copies), passages (chains of copies, spans, coverage). Seconds are CPU seconds of one thread. The growth
exponent is that of the seconds by number of documents: 1 is linear, 2 quadratic. A stream of ten times as many
documents has more than ten times as many pairs to report, since its stories are larger; so the exponent of the pairs is
shown too.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.generator import generate, write_texts
from infostream_dedup.judging.passages.passage_table import passage_table
from infostream_dedup.judging.passages.sentence_classes import index_bags, matched
from infostream_dedup.judging.passages.sentence_feature import sentence_feature
from infostream_dedup.judging.passages.sentence_table import read_sentences
from infostream_dedup.judging.passages.settings import PassageSettings

PAPER = 57_135
"""Number of sentences in the collection of Yu et al."""
FIRST = 600
"""Documents of the first run: more than the 500 that need no compiled code."""
STEPS = ("read", "index", "match", "passages")


def main() -> None:
    """Measure, print and store."""
    arguments = _arguments()
    # Nothing here counts documents, so small loops would run as plain Python.
    settings = PassageSettings(feature=arguments.feature)
    sizes = sorted(arguments.documents)
    _measure_steps(_texts(50, arguments.seed), settings)
    rows = [_measure_best(size, settings, arguments) for size in sizes]
    report: dict[str, Any] = {
        "machine": {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()},
        "feature": arguments.feature,
        "rows": rows,
    }
    if len(rows) > 1:
        report["growth"] = {name: _growth_exponent(rows[0], rows[-1], name) for name in (*STEPS, "seconds", "pairs")}
        print("growth exponents:", *(f"{name} {value:.2f}" for name, value in report["growth"].items()))
    report["paper"] = _measure_end_to_end(arguments)
    print(f"{report['paper']['sentences']} sentences by the command line: {report['paper']['seconds']:.1f} s")
    print(f"  of which CPU: {report['paper']['cpu_seconds']:.1f} s")
    if arguments.out:
        arguments.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _texts(documents: int, seed: int) -> list[str]:
    return list(write_texts(generate(documents, seed=seed)))


def _measure_best(size: int, settings: PassageSettings, arguments: argparse.Namespace) -> dict[str, Any]:
    texts = _texts(size, arguments.seed)
    row = min((_measure_steps(texts, settings) for _ in range(arguments.runs)), key=lambda one: float(one["seconds"]))
    shown = (f"{name} {row[name]:.2f} s" for name in (*STEPS, "seconds"))
    print(f"{size} documents, {row['sentences']} sentences, {row['pairs']} pairs:", *shown, flush=True)
    per_second = row["sentences"] / row["index"], row["sentences"] / (row["read"] + row["index"])
    print(f"  sentences a second: indexed {per_second[0]:,.0f}; read and indexed {per_second[1]:,.0f}", flush=True)
    return row


def _measure_steps(texts: list[str], settings: PassageSettings) -> dict[str, Any]:
    """Run every step once and return its seconds."""
    feature = sentence_feature(settings.feature)
    times = [time.process_time()]
    sentences = read_sentences(texts, ["ru"] * len(texts))
    times.append(time.process_time())
    index = index_bags(feature.bags(sentences))
    times.append(time.process_time())
    classes = matched(index, feature.tau)
    times.append(time.process_time())
    found = passage_table(sentences, classes, settings, ids=[str(number) for number in range(len(texts))])
    pairs = sum(1 for _ in found.document_pairs())
    times.append(time.process_time())
    taken = dict(zip(STEPS, (end - start for start, end in pairwise(times)), strict=True))
    return {
        "documents": len(texts),
        "sentences": len(sentences),
        "postings": index.postings,
        "pairs": pairs,
        "passages": len(found),
        **taken,
        "seconds": times[-1] - times[0],
    }


def _growth_exponent(small: dict[str, Any], large: dict[str, Any], name: str) -> float:
    return math.log(large[name] / small[name]) / math.log(large["documents"] / small["documents"])


def _measure_end_to_end(arguments: argparse.Namespace) -> dict[str, Any]:
    """Run ``passages find`` as a user does, after a first run on few documents."""
    rows: list[bytes] = []
    sentences = 0
    for number, text in enumerate(_texts(8000, arguments.seed)):
        if sentences >= arguments.sentences:
            break
        sentences += len(read_sentences([text], ["ru"]))
        rows.append(json.dumps({"id": str(number), "text": text}, ensure_ascii=False).encode() + b"\n")
    with tempfile.TemporaryDirectory() as folder:
        first, path = Path(folder) / "first.jsonl", Path(folder) / "stream.jsonl"
        first.write_bytes(b"".join(rows[:FIRST]))
        path.write_bytes(b"".join(rows))
        _run(first, arguments.feature)
        runs = [_run(path, arguments.feature) for _ in range(arguments.runs)]
    best = min(runs, key=lambda one: float(one["seconds"]))
    return {"documents": len(rows), "sentences": sentences, **best}


def _run(path: Path, feature: str) -> dict[str, Any]:
    """Run the command line once and return the number of rows, wall seconds and CPU seconds."""
    command = [sys.executable, "-m", "infostream_dedup", "passages", "find", str(path), "--quiet", "--feature", feature]
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True)
    seconds, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"pairs": done.stdout.count(b"\n"), "seconds": seconds, "cpu_seconds": cpu}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--sentences", type=int, default=PAPER, help="for the command line; by default as in the paper")
    parser.add_argument("--feature", default="shingles")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--runs", type=int, default=1, help="number of runs, of which the best counts")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
