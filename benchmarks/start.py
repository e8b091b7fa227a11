"""The first minutes: CPU time of small commands in a new environment, cold and warm; writes reports/start.md.

    python -m benchmarks.start [--compiled]

Each command runs in a process of its own. Cold: no machine code, no table of word forms, no translations on disk. Warm:
the same command again. With ``--compiled`` also with the compiler forced, which takes minutes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from infostream_dedup.sample import documents_path

REPORT = Path(__file__).resolve().parents[1] / "reports" / "start.md"
FORTY = 40


def main() -> None:
    """Measure every command and write the page."""
    lines = documents_path().read_text(encoding="utf-8").splitlines(keepends=True)
    rows = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        documents = folder / "forty.jsonl"
        documents.write_text("".join(lines[:FORTY]), encoding="utf-8")
        for text, line in (("a.txt", lines[0]), ("b.txt", lines[1])):
            (folder / text).write_text(line, encoding="utf-8")
        for what, command in commands(folder, documents).items():
            found = [what]
            for loops in ("auto", "compiled") if "--compiled" in sys.argv else ("auto",):
                cache = folder / f"cache of {loops} {len(rows)}"
                found += [f"{measured(command, folder, cache, loops):.1f}" for _ in ("cold", "warm")]
            rows.append(found)
            print(" | ".join(found), flush=True)
    REPORT.write_text(page(rows), encoding="utf-8")


def commands(folder: Path, documents: Path) -> dict[str, list[str]]:
    """Arguments of the commands by what they do."""
    store = str(folder / "TURN.db")
    str(documents_path())
    return {
        "`--help`": ["--help"],
        "`demo`": ["demo", "--out", str(folder / "demo")],
        "`ingest` of 40 documents": ["ingest", str(documents), "--store", store],
        "`search` of a text in that store": ["search", "--store", store, "--text", "Мэр открыл трамвайную линию"],
        "`dedup` of 40 documents, preset `judged`": ["dedup", str(documents), "--preset", "judged", "--out", "-"],
        "`dedup` of the 199 of the sample, `judged`": [
            "dedup",
            str(documents_path()),
            "--preset",
            "judged",
            "--out",
            "-",
        ],
        "`passages compare` of two texts": ["passages", "compare", str(folder / "a.txt"), str(folder / "b.txt")],
    }


def measured(command: list[str], folder: Path, cache: Path, loops: str) -> float:
    """CPU seconds of one process."""
    own = {
        "INFOSTREAM_DEDUP_CACHE": str(cache),
        "NUMBA_CACHE_DIR": str(cache / "numba"),
        "MPLCONFIGDIR": str(cache / "mpl"),
    }
    # Every ingest makes a store of its own; a search asks the one that was made last.
    stores = sorted(folder.glob("*.db"))
    store = stores[-1] if command[0] == "search" and stores else folder / f"{time.monotonic_ns()}.db"
    [one.replace(str(folder / "TURN.db"), str(store)) for one in command]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [
            sys.executable,
            "-m",
            "infostream_dedup",
            *(one.replace(str(folder / "TURN.db"), str(store)) for one in command),
        ],
        env={**os.environ, **own, "INFOSTREAM_DEDUP_LOOPS": loops},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def page(rows: list[list[str]]) -> str:
    """The report."""
    head, given = "| command | as it is, cold | warm |\n|---|---|---|", ""
    if "--compiled" in sys.argv:
        head, given = (
            "| command | as it is, cold | warm | compiled, cold | warm |\n|---|---|---|---|---|",
            " --compiled",
        )
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"""# The first minutes

CPU seconds of single commands on the bundled sample, each a process of its own. *Cold*: no machine code, word forms,
translations or fonts on disk; *warm*: the same command again. *As it is*: up to 500 documents, loops run as plain
Python, and no compiler is started. *Compiled*, where shown: `INFOSTREAM_DEDUP_LOOPS=compiled`.

{head}
{table}

Command: `python -m benchmarks.start{given}`. Data: the bundled sample. Machine: {os.cpu_count()} cores, Python \
{sys.version_info[0]}.{sys.version_info[1]}. Date: {date.today().isoformat()}.
"""


if __name__ == "__main__":
    main()
