"""Times the commands that people type, on a file of made-up news, alone or against another checkout of the project.

    python -m benchmarks.commands --documents 100000 --against ../before --out commands.json
    python -m benchmarks.commands --file month.jsonl --only sweep,dedup --against ../before

Each command runs in a process of its own, from the file to its output, which goes to a file in a temporary folder;
the checkouts take turns. CPU seconds are user and system; gigabytes (10^9 bytes) are the peak of resident memory. The
first run of each command, on 1,000 documents, fills caches and compiles, and does not count. ``output`` is a checksum
of what was written, without the seconds that ``compare`` writes; it must be the same in both checkouts where neither
column nor rule has changed.

Commands that take long read only the first of the made-up news (``MOST``); a file of your own is read whole.
``evaluate`` and ``compare`` take every two made-up news of one story for duplicates; a file of your own has no stories,
so they are left out.

A command that the other checkout does not know leaves a row without figures, and the reason on standard error. One that
fails here ends the run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import orjson

from benchmarks import in_own_process, write_figures
from benchmarks.generator import generate, write_texts

HERE = Path(__file__).resolve().parents[1]
STEM = ("--representation", "stem", "--quiet")
LABELLED = ("DOCS", "--labels", "LABELS", "--closed", "--format", "json", "--quiet")
COMMANDS = {
    "sweep": ("sweep", "DOCS", "--no-estimate", "--format", "jsonl", *STEM),
    "sweep estimated": ("sweep", "DOCS", "--format", "jsonl", "--quiet"),
    "pairs": ("pairs", "DOCS", "--preset", "faithful", "--k", "6", "--format", "jsonl", *STEM),
    "dedup": ("dedup", "DOCS", "--preset", "faithful", "--out", "-", *STEM),
    "dedup judged": ("dedup", "DOCS", "--preset", "judged", "--out", "-", "--quiet"),
    "dedup morph": ("dedup", "DOCS", "--preset", "faithful", "--representation", "morph", "--out", "-", "--quiet"),
    "evaluate": ("evaluate", *LABELLED),
    "compare": ("compare", *LABELLED),
    "passages": ("passages", "find", "DOCS", "--format", "jsonl", "--quiet"),
}
"""Command lines by name; ``DOCS`` and ``LABELS`` become paths."""
MOST = {"sweep estimated": 1000, "evaluate": 1000, "compare": 600, "passages": 1000}
"""Number of made-up news that a command reads at most; the others read all."""
FIRST = 1000
UNMEASURED = dict.fromkeys(("wall_seconds", "cpu_seconds", "peak_gigabytes", "output"))
TIMINGS = re.compile(rb'"(?:cpu_)?seconds": ?[^,}\s]+')


class CannotRunError(Exception):
    """A checkout cannot run a command."""


@dataclass(frozen=True, slots=True)
class News:
    """A file of documents."""

    path: Path
    folder: Path
    documents: int
    stories: Sequence[int] | None = None

    def first(self, documents: int, *, labels: bool) -> dict[str, Path]:
        """Write the first documents, with or without labels; return what ``DOCS`` and ``LABELS`` mean then."""
        files = {"DOCS": self.path}
        if documents < self.documents:
            files["DOCS"] = self.folder / f"{documents}.jsonl"
            with self.path.open("rb") as lines, files["DOCS"].open("wb") as out:
                out.writelines(islice(lines, documents))
        if labels and self.stories is not None:
            files["LABELS"] = self.folder / f"{documents}.labels.jsonl"
            with files["LABELS"].open("wb") as out:
                out.writelines(_labels(self.stories[:documents]))
        return files


def main() -> None:
    """Measure what is requested; print and store the rows."""
    given = _arguments()
    checkouts = {"here": HERE} | ({"against": given.against.resolve()} if given.against else {})
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        news = _write(folder, given.documents, given.words) if given.file is None else _read(folder, given.file)
        for command in given.only:
            for row in _rows(command, checkouts, news, given.runs):
                rows.append(row)
                print(json.dumps(row | {"load": round(os.getloadavg()[0], 1)}), flush=True)
    write_figures(given.out, rows=rows)


def _rows(name: str, checkouts: dict[str, Path], news: News, runs: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each run of a command; if the other checkout cannot run it, one without figures."""
    documents = news.documents if news.stories is None else min(news.documents, MOST.get(name, news.documents))
    labels = "LABELS" in COMMANDS[name]
    first, files = (news.first(some, labels=labels) for some in (min(FIRST, documents), documents))
    able = dict(checkouts)
    for given in (first, *[files] * runs):
        for checkout, place in [*able.items()]:
            try:
                found = _measure(name, place, given, news.folder)
            except CannotRunError as reason:
                if checkout == "here":
                    raise
                print(reason, file=sys.stderr)
                del able[checkout]
            else:
                if given is files:
                    yield {"command": name, "checkout": checkout, "documents": documents, **found}
    for checkout in checkouts.keys() - able.keys():
        yield {"command": name, "checkout": checkout, "documents": documents, **UNMEASURED}


def _measure(name: str, checkout: Path, files: dict[str, Path], folder: Path) -> dict[str, Any]:
    answer = folder / "answer"
    try:
        figures = in_own_process(_run, checkout, [str(files.get(word, word)) for word in COMMANDS[name]], answer)
    except CannotRunError as reason:
        command = shlex.join(COMMANDS[name])
        raise CannotRunError(f"{checkout} cannot run 'infostream-dedup {command}': {reason}") from None
    return figures | {"output": _checksum(answer)}


def _checksum(answer: Path) -> str:
    digest = hashlib.sha256()
    with answer.open("rb") as lines:
        for line in lines:
            digest.update(TIMINGS.sub(b"", line))
    return digest.hexdigest()[:12]


def _run(checkout: Path, arguments: list[str], answer: Path) -> dict[str, Any]:
    """Run a command of a checkout; its figures are those of all children, as this process has no other child."""
    # In the folder of the checkout, because Python looks there first.
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    line = [sys.executable, "-m", "infostream_dedup", *arguments]
    begun = time.perf_counter()
    with answer.open("wb") as out:
        done = subprocess.run(line, check=False, stdout=out, stderr=subprocess.PIPE, env=environment, cwd=checkout)
    wall, used = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        raise CannotRunError(said.splitlines()[-1])
    return {
        "wall_seconds": round(wall, 2),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "peak_gigabytes": round(used.ru_maxrss * 1024 / 1e9, 2),
    }


def _write(folder: Path, documents: int, words: str) -> News:
    corpus, path = generate(documents, seed=11), folder / "news.jsonl"
    with path.open("wb") as out:
        for number, text in enumerate(write_texts(corpus, words=words)):  # type: ignore[arg-type]
            out.write(orjson.dumps({"id": f"d{number}", "text": text, "lang": "ru"}, option=orjson.OPT_APPEND_NEWLINE))
    return News(path, folder, documents, corpus.stories.tolist())


def _read(folder: Path, path: Path) -> News:
    with path.open("rb") as lines:
        return News(path.resolve(), folder, sum(1 for _ in lines))


def _labels(stories: Sequence[int]) -> Iterator[bytes]:
    """Yield a label for every two documents of one story."""
    members: dict[int, list[str]] = defaultdict(list)
    for number, story in enumerate(stories):
        members[story].append(f"d{number}")
    for ids in members.values():
        for a, b in combinations(ids, 2):
            yield orjson.dumps({"a": a, "b": b, "label": "dup"}, option=orjson.OPT_APPEND_NEWLINE)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", choices=("made-up", "russian"), default="russian", help="see benchmarks.generator")
    parser.add_argument("--file", type=Path, help="JSON lines to use instead of made-up news")
    parser.add_argument("--only", type=_names, help=f"of these commands, separated by commas: {', '.join(COMMANDS)}")
    parser.add_argument("--against", type=Path, help="another checkout of the project")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="folder of the files during the measurement")
    parser.add_argument("--out", type=Path, help="JSON file for the figures")
    given = parser.parse_args()
    if given.against and not (given.against / "infostream_dedup").is_dir():
        # Python would quietly take the installed package, which is not what was asked for.
        parser.error(f"--against: there is no infostream_dedup in {given.against}")
    labelled = [name for name, command in COMMANDS.items() if "LABELS" in command] if given.file else []
    if given.only is None:
        given.only = [name for name in COMMANDS if name not in labelled]
    elif lost := [name for name in given.only if name in labelled]:
        parser.error(f"{', '.join(lost)}: only for made-up news, whose stories are known; leave out --file")
    return given


def _names(given: str) -> list[str]:
    names = given.split(",")
    for name in names:
        if name not in COMMANDS:
            raise argparse.ArgumentTypeError(f"no command {name!r}; there are {', '.join(COMMANDS)}")
    return names


if __name__ == "__main__":
    try:
        main()
    except CannotRunError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
