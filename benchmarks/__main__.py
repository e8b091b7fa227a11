"""``make bench``: names the benchmarks, each run by itself because they take minutes and gigabytes."""

from __future__ import annotations

import ast
from pathlib import Path

for path in sorted(Path(__file__).parent.glob("*.py")):
    if not path.name.startswith("__") and "__main__" in path.read_text(encoding="utf-8"):
        title = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
        print(f"python -m benchmarks.{path.stem:12} {title}")
