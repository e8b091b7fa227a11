"""``make attack``: every attack on the promises of the store, the readers and the engine; writes reports/robustness.md.

    python -m benchmarks.attack [--scale 4] [--minutes 90] [--soak-minutes 30] [--siege-minutes 10]
        [--mixed-minutes 60] [--jobs 1] [--only tests/attack]

The attacks are tests, a part of which runs in ``make test``. Here all of them run, harder: ``--scale`` multiplies cuts,
kills, cases, documents and flips. At scale 4: 20,000 fuzzed files, 500 kills of a writer, a soak of 30 minutes.
Nothing leaves the machine: files of a temporary folder, processes of our own, no network.
"""

from __future__ import annotations

import argparse
import os
import re
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
    "tests/service/test_brokers.py": "a consumer of RabbitMQ, NATS, Redis or Kafka killed at any moment",
    "tests/store/test_moved_kills.py": "killed, and the file deleted or replaced, between",
    "tests/attack/test_siege.py": "a service among slow, aborting and oversized clients, and under mixed load",
    "tests/attack/test_hostile_folder.py": "a working folder full of modules",
    "tests/attack/test_slow_patterns.py": "every pattern pumped",
    "tests/service/test_moved_store.py": "the store of a running service deleted, replaced, restored",
    "tests/service/test_held_bodies.py": "refused and aborted bodies without the collector",
    "tests/api/test_hostile_servers.py": "servers that never end, or send us inside",
    "tests/corpus/test_small_bombs.py": "small tables that need gigabytes",
    "tests/cli/test_hostile_inputs.py": "pipes, control characters, doubled names, odd places",
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
    "tests/stream/test_deduplicator.py": "courses of batches, replays, conflicts, failures, two processes",
    "tests/stream/test_bursts.py": "one story, or one form, fills the feed",
    "tests/cli/test_unusual_ends.py": "closed streams, SIGTERM, killed copies, modes",
    "tests/text/test_slow_texts.py": "texts made to be slow",
    "tests/morphology/test_form_cache.py": "the cache of forms damaged",
    "tests/translation/test_model_archives.py": "hostile model archives",
    "tests/translation/test_model_files.py": "installed models damaged",
    "tests/criteria/classifier/test_model_file.py": "models of train damaged",
    "tests/lexicon/test_word_lists.py": "tables damaged",
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
    parser.add_argument("--siege-minutes", type=float, default=10, help="how long hostile clients stay")
    parser.add_argument("--mixed-minutes", type=float, default=60, help="how long the service is under mixed load")
    parser.add_argument("--jobs", type=int, default=1, help="parts side by side")
    parser.add_argument("--only", action="append", help="one of the parts; may be given several times")
    parser.add_argument("--out", type=Path, default=ROOT / "reports" / "robustness.md")
    arguments = parser.parse_args()
    missing = [part for part in arguments.only or () if not (ROOT / part).exists()]
    if missing:
        parser.error(f"no such part: {', '.join(missing)}")
    parts = arguments.only or [part for part in PARTS if (ROOT / part).exists()]
    for name in ("soak", "siege", "mixed"):
        os.environ[f"ATTACK_{name.upper()}_SECONDS"] = str(60 * getattr(arguments, f"{name}_minutes"))

    def attacked(part: str) -> tuple[str, list[str], float]:
        print(f"== {part}", flush=True)
        return part, *_attacked(part, arguments.scale, 60 * arguments.minutes)

    with ThreadPoolExecutor(arguments.jobs) as jobs:
        results = list(jobs.map(attacked, parts))
    kept = arguments.out.read_text(encoding="utf-8") if arguments.out.exists() else ""
    former, mark, others = kept.partition("<!-- part: ")
    page = _page(results, arguments.scale, former)
    arguments.out.write_text(f"{page}\n{mark}{others}" if mark else page, encoding="utf-8")
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


NOT_PROVEN: Final = """\
- Power loss of a running service, jumps of its clock, network and locked file systems, Windows, macOS.
- `spark`, listeners of `--metrics`, proxies and TLS in front of the service; a store of a million documents.
- A limit of CPU time for a page on Windows. It is a time, not a count of steps, which no foreign parser gives: a page
  that needs about 20 seconds and 20 for each megabyte may be read on a fast machine and refused on a slow one.
- Bodies of more than 1 MB share three quarters of the room; many large uploads at once make the service refuse
  others of that size (503 and Retry-After), also honest ones. Smaller ones never wait for slow ones.
- Memory of a service beyond an hour. It grows by about 100 bytes a document of the store once searches have loaded
  the index, and by the page caches of SQLite, 16 MB for each writer and 8 MB for each reader, until these are full.
- Parquet files of more than 16 MB whose dictionaries hold very long values; metadata that lies about sizes.
- Names that a proxy looks up for `collect`: where they lead is the proxy's knowledge.
- The service on a machine of its own: clients, the writer that is measured and other programs shared two cores.
- A store overwritten in place, under a running writer, while SQLite copies its log into it, or just before another
  process does so; by a program that puts back the time of change exactly; or, of a log, without its last page. Else it
  is noticed before the next COMMIT. On Windows an open store cannot be overwritten.
- Words after `store forget`: single key terms stay in the store's list of terms (SECURITY.md).
- Known advisories of dependencies: no list was asked.
"""


def _page(results: list[tuple[str, list[str], float]], scale: int, former: str) -> str:
    """The page: parts that were run now, and the others as they were."""
    today = datetime.now(UTC).date().isoformat()
    parts = {found[1]: text for text in former.split("\n## ")[1:] if (found := re.search(r"`(tests/[^`]+)`, ", text))}
    for part, rows, taken in results:
        table = ["| attack | | figures | seconds |", "|---|---|---|---|", *(f"| {row} |" for row in rows)]
        head = f"`{part}`, {taken:.0f} s, {today}, scale {scale}."
        parts[part] = "\n".join((PARTS.get(part, part), "", head, "", *table, ""))
    lines = [
        "# Robustness",
        "",
        f"Made by `python -m benchmarks.attack` (`make attack`), on {os.cpu_count()} cores that others used too:",
        "counts are exact, seconds are upper bounds. The attacks are tests; `make test` runs some of them at scale 1.",
        "*Held*: nothing acknowledged was lost or doubled, nothing damaged was believed, nothing was uncaught.",
        "`--only` runs parts anew; the others stay as they were on their day.",
        "",
        "## Not proven",
        "",
        NOT_PROVEN,
        *(f"## {parts[part].rstrip()}\n" for part in PARTS if part in parts),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
