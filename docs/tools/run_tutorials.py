"""Runs the tutorials and keeps what they print: ``python docs/tools/run_tutorials.py [NOTEBOOK...]``."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).resolve().parents[1] / "tutorials"


def outputs_of(notebook: dict[str, Any]) -> list[str]:
    """What each code cell of a notebook prints, run in an empty folder, one after another."""
    space: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    stream = io.StringIO()
                    with contextlib.redirect_stdout(stream):
                        exec("".join(cell["source"]), space)  # noqa: S102
                    printed.append(stream.getvalue())
        finally:
            os.chdir(before)
    return printed


def stored_outputs(notebook: dict[str, Any]) -> list[str]:
    """What the code cells of a notebook printed when it was last run by this script."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return ["".join("".join(output["text"]) for output in cell["outputs"]) for cell in cells]


def main() -> None:
    """Run notebooks and write them with their outputs."""
    paths = [Path(name) for name in sys.argv[1:]] or sorted(TUTORIALS.glob("*.ipynb"))
    for path in paths:
        notebook = json.loads(path.read_text("utf-8"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, (cell, text) in enumerate(zip(cells, outputs_of(notebook), strict=True), start=1):
            cell["execution_count"] = number
            lines = text.splitlines(keepends=True)
            cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
        path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
