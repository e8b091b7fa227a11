"""``make bench``: every benchmark, and the tables of reports/speed.md made from what they measured.

    python -m benchmarks [--month] [--runs 3] [--only month,race] [--real mdnews.docs.jsonl.gz]

What was measured is kept as JSON in reports/speed/, so that one part can be measured anew. Each part runs in processes
of its own. Without ``--month`` it takes about ten minutes on two cores; the month takes half an hour more and 16 GB of
disk.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks.generator import MONTH
from benchmarks.speed_page import speed_page

REPORTS = Path(__file__).resolve().parent.parent / "reports"


def main() -> None:
    """Run the parts and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--month", action="store_true", help=f"also {MONTH} documents")
    parser.add_argument("--runs", type=int, default=3, help="of each measurement; least and median are shown")
    parser.add_argument("--only", help="parts to measure, separated by commas; none for the page alone")
    parser.add_argument("--real", type=Path, help="gzipped JSON lines of real news, repeated to a month")
    arguments = parser.parse_args()
    parts = _parts(arguments.month, str(arguments.runs), arguments.real)
    folder = REPORTS / "speed"
    folder.mkdir(exist_ok=True)
    for name in parts if arguments.only is None else filter(None, arguments.only.split(",")):
        print(f"== {name}", flush=True)
        command = [sys.executable, "-m", *parts[name], "--out", str(folder / f"{name}.json")]
        subprocess.run(command, check=True)
    page = speed_page(folder)
    (REPORTS / "speed.md").write_text(page, encoding="utf-8")
    print(page)


def _parts(month: bool, runs: str, real: Path | None) -> dict[str, list[str]]:
    """Name of each part and what runs it."""
    sizes = ["10000", "100000", *([str(MONTH)] if month else [])]
    largest = str(MONTH) if month else "100000"
    job = ["benchmarks.month", "--runs", runs, "--documents"]
    race = ["benchmarks.race", "--repeats", runs, "--documents"]
    contestants = ["--contestants", "infostream-dedup", "rensa", "datasketch"]
    parts = {
        "text": ["benchmarks.text", "--runs", runs],
        "month": [*job, *sizes],
        "documents": [*job, largest, "--texts", "documents"],
        "signature": [*job, largest, "--target", "signature"],
        "hard": [*job, largest, "--hard"],
        "morph": [*job, largest, "--representation", "morph", "--words", "russian"],
        "race": [*race, "100000", *contestants],
        "race-cold": [*race, "100000", *contestants, "--cold"],
        # The cosine takes four times as long for twice the documents.
        "race-small": [*race, "20000"],
        "matching": ["benchmarks.matching", "--sizes", *sizes[1:]],
    }
    if real is not None:
        parts["real"] = [*job, largest, "--real", str(real)]
        parts["race-real"] = [*race, "20000", "--real", str(real), *contestants]
        parts["real-text"] = ["benchmarks.text", "--runs", runs, "--real", str(real)]
    return parts


if __name__ == "__main__":
    main()
