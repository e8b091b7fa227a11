"""A process that analyses forms for another process: ``python -m infostream_dedup.language.morphology.form_worker ru``.

It reads a JSON array of keys (the digit of a shape, then the form) and writes the array of their rows: the term or
null, and whether the strict rule also accepts it.
"""

from __future__ import annotations

import json
import sys

from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.model import OUR_LANGUAGES


def main() -> None:
    """Answer the requests on standard input."""
    morphology = Morphology(OUR_LANGUAGES[OUR_LANGUAGES.index(sys.argv[1])])
    rows: list[tuple[str | None, int]] = []
    for key in json.load(sys.stdin.buffer):
        analysis = morphology.analyse(key[1:], Shape(int(key[0])))
        rows.append((analysis.term, int(analysis.term is not None and analysis.in_dictionary)))
    sys.stdout.buffer.write(json.dumps(rows).encode())


if __name__ == "__main__":
    main()
