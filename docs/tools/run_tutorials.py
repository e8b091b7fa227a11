"""Runs the tutorials and keeps what they print: ``python docs/tools/run_tutorials.py [NOTEBOOK...]``."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).resolve().parents[1] / "tutorials"


def outputs_of(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """What each code cell of a notebook shows, run in an empty folder, one after another, as Jupyter keeps it."""
    space: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return [_run("".join(cell["source"]), space, count) for count, cell in enumerate(code_cells(notebook), 1)]
        finally:
            os.chdir(before)


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells with code, in their order."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _run(source: str, space: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What one cell prints, and its last line if that is an expression with a value."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    value = None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), space)  # noqa: S102
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)  # noqa: S307
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        data = {"text/html": [value._repr_html_()]} if hasattr(value, "_repr_html_") else {}
        shown = {"data": data | {"text/plain": [repr(value)]}, "execution_count": count, "metadata": {}}
        outputs.append({**shown, "output_type": "execute_result"})
    return outputs


def main() -> None:
    """Run notebooks and write them with their outputs."""
    paths = [Path(name) for name in sys.argv[1:]] or sorted(TUTORIALS.glob("*.ipynb"))
    for path in paths:
        notebook = json.loads(path.read_text("utf-8"))
        for count, (cell, shown) in enumerate(zip(code_cells(notebook), outputs_of(notebook), strict=True), 1):
            cell["execution_count"] = count
            cell["outputs"] = shown
        path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
