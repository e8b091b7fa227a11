"""What the columns without labels add to a sweep: ``python -m benchmarks.without_labels [--documents 100000]``.

Sweeps a made-up stream of news (real Russian words, dates over a month, 200 sources) or a file of real ones, repeated
with one word in twenty replaced, twice in processes of their own: with the columns and without. Prints CPU seconds and
peak memory of both, and their ratio.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.generator import generate, write_texts
from benchmarks.stream import read_status

_DAYS = 31
_SOURCES = 200
_REPLACED = 0.05


def made_up(documents: int) -> Iterator[dict[str, Any]]:
    """Documents of the generator, with dates and sources."""
    random = np.random.default_rng(21)
    texts = write_texts(generate(documents, seed=21), words="russian")
    for number, text in enumerate(texts):
        yield _dated(number, documents, f"source {random.integers(_SOURCES)}", text)


def repeated(file: Path, documents: int) -> Iterator[dict[str, Any]]:
    """Real documents, again and again, each time with other words in places."""
    from infostream_dedup import read_documents

    random = np.random.default_rng(21)
    real = [(one.source or "", one.text) for one in read_documents(file)]
    words = np.array(sorted({word for _, text in real[:2000] for word in text.split()}))
    for number in range(documents):
        source, text = real[number % len(real)]
        own = np.array(text.split())
        if number >= len(real) and len(own):
            own = np.where(random.random(len(own)) < _REPLACED, random.choice(words, len(own)), own)
        yield _dated(number, documents, source, " ".join(own.tolist()))


def _dated(number: int, documents: int, source: str, text: str) -> dict[str, Any]:
    moment = datetime(2026, 1, 1) + timedelta(days=_DAYS) * (number / documents)
    return {"id": str(number), "text": text, "lang": "ru", "published": moment.isoformat(), "source": source}


def measure(file: Path, representations: list[str], estimate: bool) -> None:
    """Sweep, and print what it took."""
    from infostream_dedup import sweep

    begin, cpu = time.perf_counter(), time.process_time()
    sweep(str(file), representations=representations, examples=False, estimate=estimate)
    print(
        json.dumps(
            {
                "cpu_seconds": round(time.process_time() - cpu, 1),
                "wall_seconds": round(time.perf_counter() - begin, 1),
                # Not ru_maxrss, which a process inherits from the one that started it.
                "peak_gb": round(read_status("VmHWM") * 2**20 / 1e9, 2),
            }
        )
    )


def main() -> None:
    """Make the documents, sweep twice, print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--real", type=Path, help="JSON Lines of real news, repeated")
    parser.add_argument("--representation", action="append", choices=["stem", "morph", "pivot"])
    parser.add_argument("--run", choices=["with", "without"], help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    representations = given.representation or ["stem", "morph", "pivot"]
    if given.run:
        measure(given.file, representations, given.run == "with")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "docs.jsonl"
        rows = repeated(given.real, given.documents) if given.real else made_up(given.documents)
        with file.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        # What is compiled on first use counts for neither.
        subprocess.run([sys.executable, "-m", "infostream_dedup", "warm"], check=True, capture_output=True)
        found = {}
        for run in ("without", "with"):
            command = [sys.executable, "-m", "benchmarks.without_labels", "--run", run, "--file", str(file)]
            command += [part for one in representations for part in ("--representation", one)]
            found[run] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(f"{run:8}", *(f"{name} {value}" for name, value in found[run].items()), flush=True)
    print(f"ratio of CPU seconds {found['with']['cpu_seconds'] / found['without']['cpu_seconds']:.2f}")


if __name__ == "__main__":
    main()
