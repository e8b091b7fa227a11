"""``make bench``: runs every benchmark and makes the tables of reports/speed.md from the measurements.

    python -m benchmarks [--month] [--runs 1] [--only month,race] [--real mdnews.docs.jsonl.gz]

Measurements are kept as JSON in benchmarks/speed/, so that single parts can be measured again. Each part has processes
of its own, after all loops have been compiled. Without ``--month`` the whole takes about ten minutes on two cores, and
each part is measured once; the month takes another half hour and 16 GB of disk.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.generator import MONTH
from benchmarks.speed_page import speed_page

REPORTS = Path(__file__).resolve().parent.parent / "reports"


def main() -> None:
    """Run the parts and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--month", action="store_true", help=f"also {MONTH} documents")
    parser.add_argument(
        "--runs",
        type=int,
        help="runs of each measurement, 2 with --month, otherwise 1; the page shows minimum and median",
    )
    parser.add_argument("--only", help="parts to measure, separated by commas; empty to make only the page")
    parser.add_argument("--real", type=Path, help="gzipped JSON lines of real news, repeated to a month, and edited")
    arguments = parser.parse_args()
    runs = arguments.runs or (2 if arguments.month else 1)
    parts = _list_parts(arguments.month, str(runs), arguments.real)
    folder = Path(__file__).parent / "speed"
    folder.mkdir(exist_ok=True)
    wanted = list(parts if arguments.only is None else filter(None, arguments.only.split(",")))
    begun = time.monotonic()
    if wanted:
        print("== compiling the loops that are not on disk yet", flush=True)
        subprocess.run([sys.executable, "-m", "infostream_dedup", "warm"], check=True, stdout=subprocess.DEVNULL)
    for name in wanted:
        print(f"== {name}, after {time.monotonic() - begun:.0f} s", flush=True)
        command = [sys.executable, "-m", *parts[name], "--out", str(folder / f"{name}.json")]
        subprocess.run(command, check=True)
    print(f"== all parts, after {time.monotonic() - begun:.0f} s", flush=True)
    page = speed_page(folder)
    target = REPORTS / "speed.md"
    kept = target.read_text(encoding="utf-8") if target.exists() else ""
    _, mark, others = kept.partition("<!-- part: ")
    target.write_text(f"{page}\n{mark}{others}" if mark else page, encoding="utf-8")
    print(page)


def _list_parts(month: bool, runs: str, real: Path | None) -> dict[str, list[str]]:
    """Return the command of each part by name."""
    sizes = ["10000", "100000", *([str(MONTH)] if month else [])]
    largest = str(MONTH) if month else "50000"
    job = ["benchmarks.month", "--runs", runs, "--documents"]
    race = ["benchmarks.race", "--repeats", runs, "--documents"]
    stream = ["benchmarks.stream", "--words", "russian", "--single", "200"]
    stream += ["--documents", "20000" if month else "10000"]
    contestants = ["--contestants", "infostream-dedup", "rensa", "datasketch"]
    parts = {
        "reading": ["benchmarks.reading", "--runs", runs, "--documents", "65208" if month else "20000"],
        "text": ["benchmarks.text", "--runs", runs],
        "month": [*job, *sizes],
        "documents": [*job, largest, "--texts", "documents"],
        "signature": [*job, largest, "--target", "signature"],
        "hard": [*job, largest, "--hard"],
        "morph": [*job, largest, "--representation", "morph", "--words", "russian"],
        "commands": ["benchmarks.commands", "--runs", "1", "--documents", "50000" if month else "20000"],
        "news-stream": [*stream, "--preset", "faithful"],
        "news-judged": [*stream, "--preset", "judged"],
        "news-across": [*stream, "--preset", "judged", "--across", "pivot"],
        "news-restart": ["benchmarks.store", "--documents", largest],
        # Datasketch alone takes a minute for 100,000.
        "race": [*race, "100000" if month else "50000", *contestants],
        # The cosine takes four times as long for twice as many documents.
        "race-small": [*race, "10000" if month else "5000"],
    }
    if month:
        parts["race-cold"] = [*race, "100000", *contestants, "--cold"]
    if real is not None:
        parts["real"] = [*job, largest, "--real", str(real)]
        parts["race-real"] = [*race, "20000", "--real", str(real), *contestants]
        others = ["pairs()", "pairs(by='wording')", "rensa, words, in bulk", "rensa, triples, in bulk"]
        others += ["polars by hand", "gaoya", "TF-IDF + sparse_dot_topn"]
        parts["race-edited"] = [*race, "20000", "--edited", str(real), *contestants[:1], *others, *contestants[1:]]
        parts["real-reading"] = ["benchmarks.reading", "--runs", runs, "--real", str(real)]
        parts["real-text"] = ["benchmarks.text", "--runs", runs, "--real", str(real)]
        for name in ("news-stream", "news-judged", "news-across"):
            parts[f"{name}-real"] = [*parts[name], "--documents", "5000", "--real", str(real)]
    return parts


if __name__ == "__main__":
    main()
