"""Makes reports/without-labels.md: what is said without labels, beside the truth.

python reports/make_without_labels.py [--set NAME] [--representation morph] [--missing] [--page] [--more]

Figures of each set are kept in reports/without-labels.json, so the sets can be measured one by one; those of pairs of
languages and of the stream by days in reports/without-labels-more.json.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from without_labels_across import CORPORA_ACROSS, measure_across
from without_labels_measuring import measure
from without_labels_page import page
from without_labels_sets import SETS
from without_labels_stream import measure_stream

FIGURES = Path(__file__).resolve().parent / "without-labels.json"
MORE = FIGURES.with_name("without-labels-more.json")


def main() -> None:
    """Measure the sets and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", dest="sets", action="append", choices=list(SETS))
    parser.add_argument("--representation", action="append", choices=["stem", "morph"])
    parser.add_argument("--missing", action="store_true", help="measure only what the figures lack")
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page again")
    parser.add_argument("--more", action="store_true", help="measure only pairs of languages and the stream by days")
    given = parser.parse_args()
    figures: dict[str, dict[str, Any]] = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.is_file() else {}
    for representation in () if given.page or given.more else given.representation or ("morph", "stem"):
        for name in given.sets or SETS:
            key = f"{name}, {representation}"
            if given.missing and key in figures:
                continue
            found = measure(name, SETS[name], representation)
            figures[key] = {"date": datetime.now(tz=UTC).date().isoformat(), **found}
            print(key, found["code"], f"{found['cpu_seconds']} CPU s", flush=True)
            FIGURES.write_text(_written(figures), encoding="utf-8")
    more: dict[str, Any] = json.loads(MORE.read_text(encoding="utf-8")) if MORE.is_file() else {}
    if given.more or not (given.sets or given.representation or given.missing or given.page):
        more = {"across": [one for name in CORPORA_ACROSS for one in measure_across(name)], "stream": measure_stream()}
        MORE.write_text(json.dumps(more, indent=1) + "\n", encoding="utf-8")
    page(_ordered(figures), more.get("across", []), more.get("stream"))


def _ordered(figures: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Figures in the order of the sets."""
    names = [f"{name}, {representation}" for representation in ("morph", "stem") for name in SETS]
    return [figures[name] for name in names if name in figures]


def _written(figures: dict[str, dict[str, Any]]) -> str:
    """A line for each set."""
    lines = (f"{json.dumps(name)}: {json.dumps(figures[name])}" for name in sorted(figures))
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main()
