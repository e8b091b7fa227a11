"""Times the commands that people type, on a file of made-up news, alone or against another checkout of the project.

    python -m benchmarks.commands --documents 100000 --against ../before --out commands.json
    python -m benchmarks.commands --file month.jsonl --only sweep,dedup --against ../before

Each command runs in a process of its own, from the file to its output, which goes to a file in a temporary folder;
the checkouts take turns. CPU seconds are user and system; gigabytes (10^9 bytes) are the peak of resident memory. The
first run of each command, on 1,000 documents, fills caches and compiles, and does not count. ``output`` is a checksum
of what was written, which must be the same in both checkouts where neither column nor rule has changed. Both must know
the options of the commands (``--only`` leaves commands out).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from benchmarks.generator import generate, write_texts

HERE = Path(__file__).resolve().parents[1]
STEM = ("--representation", "stem", "--quiet")
COMMANDS = {
    "sweep": ("sweep", "--no-estimate", "--format", "jsonl", *STEM),
    "pairs": ("pairs", "--preset", "faithful", "--k", "6", "--format", "jsonl", *STEM),
    "dedup": ("dedup", "--preset", "faithful", "--out", "-", *STEM),
    "dedup judged": ("dedup", "--preset", "judged", "--out", "-", "--quiet"),
    "dedup morph": ("dedup", "--preset", "faithful", "--representation", "morph", "--out", "-", "--quiet"),
}
FIRST = 1000


def main() -> None:
    """Measure what is requested; print and store the rows."""
    given = _arguments()
    checkouts = {"here": HERE} | ({"against": given.against.resolve()} if given.against else {})
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path = Path(folder) / "news.jsonl" if given.file is None else given.file.resolve()
        documents = _write(path, given.documents, given.words) if given.file is None else _count(path)
        few = Path(folder) / "few.jsonl"
        with path.open("rb") as lines:
            few.write_bytes(b"".join(islice(lines, FIRST)))
        for name in given.only.split(","):
            for place in checkouts.values():
                _measure(COMMANDS[name], place, few, folder)
            for _ in range(given.runs):
                for checkout, place in checkouts.items():
                    found = _measure(COMMANDS[name], place, path, folder)
                    rows.append({"command": name, "checkout": checkout, "documents": documents, **found})
                    print(json.dumps(rows[-1] | {"load": round(os.getloadavg()[0], 1)}), flush=True)
    if given.out:
        machine = {"python": platform.python_version(), "cores": os.cpu_count(), "system": platform.platform()}
        given.out.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


def _measure(command: tuple[str, ...], checkout: Path, path: Path, folder: str) -> dict[str, Any]:
    answer = Path(folder) / "answer"
    with answer.open("wb") as out:
        line = [sys.executable, "-m", "benchmarks.commands", "--run", str(checkout), command[0], str(path)]
        done = subprocess.run([*line, *command[1:]], check=True, stdout=out, stderr=subprocess.PIPE, cwd=HERE)
    figures: dict[str, Any] = json.loads(done.stderr)
    with answer.open("rb") as result:
        return figures | {"output": hashlib.file_digest(result, "sha256").hexdigest()[:12]}


def _run(checkout: str, arguments: list[str]) -> None:
    """Run a command of a checkout and print its figures, as this process has no other child."""
    # In the folder of the checkout, because Python looks there first.
    environment = {**os.environ, "PYTHONPATH": checkout}
    line = [sys.executable, "-m", "infostream_dedup", *arguments]
    begun = time.perf_counter()
    done = subprocess.run(line, check=False, stderr=subprocess.PIPE, env=environment, cwd=checkout)
    wall, used = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stderr.decode())
    figures = {
        "wall_seconds": round(wall, 2),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "peak_gigabytes": round(used.ru_maxrss * 1024 / 1e9, 2),
    }
    print(json.dumps(figures), file=sys.stderr)


def _write(path: Path, documents: int, words: str) -> int:
    texts = write_texts(generate(documents, seed=11), words=words)  # type: ignore[arg-type]
    with path.open("wb") as out:
        for number, text in enumerate(texts):
            out.write(orjson.dumps({"id": f"d{number}", "text": text, "lang": "ru"}, option=orjson.OPT_APPEND_NEWLINE))
    return documents


def _count(path: Path) -> int:
    with path.open("rb") as lines:
        return sum(1 for _ in lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", choices=("made-up", "russian"), default="russian", help="see benchmarks.generator")
    parser.add_argument("--file", type=Path, help="JSON lines to use instead of made-up news")
    parser.add_argument("--only", default=",".join(COMMANDS), help="commands, separated by commas")
    parser.add_argument("--against", type=Path, help="another checkout of the project")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="folder of the files during the measurement")
    parser.add_argument("--out", type=Path, help="JSON file for the figures")
    return parser.parse_args()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        _run(sys.argv[2], sys.argv[3:])
    else:
        main()
