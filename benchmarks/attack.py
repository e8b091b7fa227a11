"""``make attack``: every attack on the promises of the store, the readers and the engine; writes reports/attack.md.

    python -m benchmarks.attack [--scale 4] [--minutes 90] [--soak-minutes 30] [--jobs 1] [--only tests/attack]

The attacks are tests, a part of which runs in ``make test``. Here all of them run, harder: ``--scale`` multiplies cuts,
kills, cases, documents and flips. At scale 4: 20,000 fuzzed files, 500 kills of a writer, a soak of 30 minutes.
Nothing leaves the machine: files of a temporary folder, processes of our own, no network.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

ROOT: Final = Path(__file__).resolve().parent.parent
PARTS: Final = {
    "tests/store/test_kills.py": "SIGKILL at any moment, and at every step of a batch",
    "tests/attack/test_soak.py": "soak, with expiry",
    "tests/attack/test_growth.py": "growth with the size of a collection, and a story of very many documents",
    "tests/attack/test_odd_input.py": "odd input, fuzzed files",
    "tests/attack/test_crash_points.py": "killed at every statement",
    "tests/attack/test_power_loss.py": "power loss",
    "tests/attack/test_store_machine.py": "courses of commands",
    "tests/attack/test_flipped_bits.py": "flipped bits of a store",
    "tests/attack/test_flipped_files.py": "flipped bits of the desk, the files of the package and files beside a store",
    "tests/service/test_tokens.py": "the file of tokens damaged",
    "tests/desk/test_kills.py": "SIGKILL while people judge",
    "tests/store/test_log_cuts.py": "the log cut, torn, wiped at any byte",
    "tests/store/test_disk_full.py": "files and databases that may grow no further, at many sizes",
    "tests/store/test_processes.py": "four writers and four readers",
    "tests/store/test_store_migrations.py": "migrations killed and resumed",
    "tests/stream/test_deduplicator.py": "courses of batches, replays, conflicts, failures, two processes",
    "tests/stream/test_bursts.py": "one story, or one form, fills the feed",
    "tests/cli/test_unusual_ends.py": "closed streams, SIGTERM, killed copies, modes",
    "tests/text/test_slow_texts.py": "texts made to be slow",
    "tests/morphology/test_form_cache.py": "the cache of forms damaged",
    "tests/translation/test_model_archives.py": "hostile model archives",
    "tests/translation/test_model_files.py": "installed models damaged",
    "tests/criteria/classifier/test_model_file.py": "models of train damaged",
    "tests/lexicon/test_sealed_tables.py": "tables damaged",
    "tests/morphology/test_known_terms.py": "tables of known terms damaged",
    "tests/translation/test_ladder.py": "the cache of translations damaged",
    "tests/sharded/test_work_folder.py": "work folders damaged, runs killed",
    "tests/corpus/test_formulas.py": "a million columns, formulas in CSV",
    "tests/corpus/test_bad_input.py": "the catalogue of bad input",
}


def main() -> None:
    """Run the attacks and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=4, help="how hard; 1 is what make test does")
    parser.add_argument("--minutes", type=float, default=90, help="longest time of one part")
    parser.add_argument("--soak-minutes", type=float, default=30, help="how long the stream with expiry goes on")
    parser.add_argument("--jobs", type=int, default=1, help="parts side by side")
    parser.add_argument("--only", action="append", help="one of the parts; may be given several times")
    parser.add_argument("--out", type=Path, default=ROOT / "reports" / "attack.md")
    arguments = parser.parse_args()
    missing = [part for part in arguments.only or PARTS if not (ROOT / part).exists()]
    if missing:
        parser.error(f"no such part: {', '.join(missing)}")
    os.environ["ATTACK_SOAK_SECONDS"] = str(60 * arguments.soak_minutes)

    def attacked(part: str) -> tuple[str, list[str], float]:
        print(f"== {part}", flush=True)
        return part, *_attacked(part, arguments.scale, 60 * arguments.minutes)

    with ThreadPoolExecutor(arguments.jobs) as jobs:
        results = list(jobs.map(attacked, arguments.only or PARTS))
    arguments.out.write_text(_page(results, arguments.scale), encoding="utf-8")
    print(arguments.out)
    sys.exit(any(row.split(" | ")[1] != "held" for _, rows, _ in results for row in rows))


def _attacked(part: str, scale: int, limit: float) -> tuple[list[str], float]:
    """A row for each test of a part, and the CPU seconds they took."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", str(ROOT / part), "-q", "-n", "0", f"--junitxml={report}"]
        begin = time.monotonic()
        try:
            subprocess.run(
                [*command, "-m", "not translate", "-p", "no:cacheprovider", "-o", "junit_family=xunit1"],
                cwd=ROOT,
                env={**os.environ, "ATTACK_SCALE": str(scale)},
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [f"{part} | cut off after {limit / 60:.0f} minutes | | {limit:.0f}"], limit
        taken = time.monotonic() - begin
        if not report.exists():
            return [f"{part} | could not be run | | {taken:.0f}"], taken
        # Our own test runner wrote it.
        return _rows(ElementTree.parse(report).iter("testcase")), taken  # noqa: S314


def _rows(cases: Iterable[ElementTree.Element]) -> list[str]:
    """Tests with figures one by one, the others counted by name."""
    alone: list[str] = []
    counted: dict[str, tuple[int, float]] = {}
    for case in cases:
        name = case.get("name", "").replace("|", "/")
        kinds = {child.tag for child in case}
        state = "failed" if kinds & {"failure", "error"} else "not run" if "skipped" in kinds else "held"
        figures = [f"{one.get('name')} {one.get('value')}" for one in case.iter("property")]
        seconds = float(case.get("time", 0))
        if figures or state != "held":
            words = ", ".join(figures).replace("_", " ")
            alone.append(f"{_words(name)} | {state} | {words} | {seconds:.0f}")
        else:
            times, sum_of_seconds = counted.get(name.partition("[")[0], (0, 0.0))
            counted[name.partition("[")[0]] = times + 1, sum_of_seconds + seconds
    many = [f"{_words(name)} | held | {times} cases | {total:.0f}" for name, (times, total) in counted.items()]
    return alone + many


def _words(name: str) -> str:
    return name.removeprefix("test_").replace("_", " ").encode("ascii", "replace").decode()


def _page(results: list[tuple[str, list[str], float]], scale: int) -> str:
    today = datetime.now(UTC).date().isoformat()
    lines = [
        "# What an attack finds",
        "",
        f"Made on {today} by `python -m benchmarks.attack --scale {scale}` (`make attack`), on {os.cpu_count()} cores",
        "that others used too: counts are exact, seconds are upper bounds. The attacks are tests; `make test` runs a",
        "part of them at scale 1. *Held*: nothing acknowledged was lost or doubled, nothing damaged was believed,",
        "nothing was uncaught.",
        "",
    ]
    for part, rows, taken in results:
        lines += [f"## {PARTS.get(part, part)}", "", f"`{part}`, {taken:.0f} s.", ""]
        lines += ["| attack | | figures | seconds |", "|---|---|---|---|", *(f"| {row} |" for row in rows), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
