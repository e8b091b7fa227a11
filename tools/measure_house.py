"""Count what a maintainer must carry: lines by kind, files, arrows between rooms and import circles.

The package is everything that is built or run: Python, C++ and SQL, the scripts, styles and templates of pages,
``native/`` and ``tools/``. Tests are counted apart, reports and benchmarks together. ``--check`` fails above limits.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

# What is measured: (limit that --check enforces, goal of the redesign).
LIMITS = {
    "lines of the package": (102_400, 78_000),
    "files of the package": (380, 330),
    "lines of tests": (48_660, 40_000),
    "lines of reports and benchmarks": (8_000, 8_000),
    "arrows between rooms": (178, 140),
    "import circles": (0, 0),
}

KINDS = ("code", "docstring", "import", "comment", "blank")
PACKAGE = "infostream_dedup"
OWNERS = {"native": "package", "tools": "package", PACKAGE: "package", "tests": "tests"}
SHARED = ("reports", "benchmarks")
TEXTS = {".py", ".pyi", ".sql", ".js", ".css", ".html", ".cpp", ".hpp", ".h", ".c"}
# Rooms that are themselves made of rooms with an order of their own (see the contracts in pyproject.toml).
HOUSES = ("runs", "judging", "language")


def tracked_files(root: Path) -> list[str]:
    """Paths of tracked and new files that are not ignored, relative to the root, ascending."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"]
    named = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    return sorted({name for name in named if name and (root / name).is_file()})


def count_kinds(text: str, *, python: bool) -> Counter[str]:
    """Count the lines of a file by kind; files in other languages have code, comment and blank lines."""
    lines = text.splitlines()
    kinds = ["code" if line.strip() else "blank" for line in lines]
    if not python:
        marks = ("--", "//", "/*", "* ", "<!--")
        return Counter(
            "comment" if line.lstrip().startswith(marks) else kind for line, kind in zip(lines, kinds, strict=True)
        )
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            _mark(kinds, node, "docstring", blank=True)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            _mark(kinds, node, "import")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip():
            kinds[token.start[0] - 1] = "comment"
    return Counter(kinds)


def _mark(kinds: list[str], node: ast.stmt, kind: str, *, blank: bool = False) -> None:
    for line in range(node.lineno - 1, node.end_lineno or node.lineno):
        if blank or kinds[line] == "code":
            kinds[line] = kind


def imports(tree: ast.Module, modules: set[str], *, types: bool = False) -> Iterator[str]:
    """Modules of the package that a file imports when it runs, also in functions and by name; if asked, for types."""
    skipped: set[int] = (
        set()
        if types
        else {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            for statement in node.body
            for inner in ast.walk(statement)
        }
    )
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        named: Iterable[str] = ()
        if isinstance(node, ast.ImportFrom) and node.module:
            named = (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            named = (alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module") and node.args:
            named = [str(value.value) for value in node.args[:1] if isinstance(value, ast.Constant)]
        for name in named:
            found = name if name in modules else name.rpartition(".")[0]
            if found in modules and found != PACKAGE:
                yield found


def room_of(module: str) -> str:
    """Room of a module: the folder below the package, or below a room made of rooms (its face belongs to it)."""
    parts = module.split(".")[1:]
    return "/".join(parts[:2]) if parts[0] in HOUSES else parts[0]


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Sets of nodes that reach each other, each ascending (Tarjan's algorithm)."""
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        numbers[node] = lowest[node] = len(numbers)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in numbers:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], numbers[other])
        if lowest[node] == numbers[node]:
            cut = stack.index(node)
            if len(stack) - cut > 1:
                found.append(sorted(stack[cut:]))
            del stack[cut:]

    sys.setrecursionlimit(10_000)
    for node in sorted(graph):
        if node not in numbers:
            visit(node)
    return sorted(found)


def measure(root: Path) -> tuple[dict[str, Counter[str]], dict[str, int], list[list[str]]]:
    """Counts by room, the figures that have limits, and the circles of modules."""
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    trees: dict[str, ast.Module] = {}
    for name in tracked_files(root):
        parts, suffix = Path(name).parts, Path(name).suffix
        owner = OWNERS.get(parts[0]) or ("reports and benchmarks" if parts[0] in SHARED else None)
        if owner is None or suffix not in TEXTS or (owner != "package" and suffix != ".py"):
            continue
        text = (root / name).read_text(encoding="utf-8")
        counts = count_kinds(text, python=suffix in {".py", ".pyi"})
        counts.update(files=1, lines=len(text.splitlines()))
        room = "/".join(parts[:2]) if parts[0] == PACKAGE and len(parts) > 2 else parts[0]
        rooms[room].update(counts)
        rooms[owner if owner != parts[0] else ""].update(counts)
        if parts[0] == PACKAGE and suffix == ".py":
            trees[".".join(Path(name).with_suffix("").parts).removesuffix(".__init__")] = ast.parse(text)
    rooms.pop("", None)
    del trees[PACKAGE]
    graph, typed = (
        {module: set(imports(tree, set(trees), types=types)) - {module} for module, tree in trees.items()}
        for types in (False, True)
    )
    arrows = {(room_of(module), room_of(other)) for module, others in graph.items() for other in others}
    between: dict[str, set[str]] = defaultdict(set)
    for one, other in arrows:
        if one != other:
            between[one].add(other)
    found = circles(typed) + circles(between)
    figures = {
        "lines of the package": rooms["package"]["lines"],
        "files of the package": rooms["package"]["files"],
        "lines of tests": rooms["tests"]["lines"],
        "lines of reports and benchmarks": rooms["reports and benchmarks"]["lines"],
        "arrows between rooms": sum(len(others) for others in between.values()),
        "import circles": len(found),
    }
    return rooms, figures, found


def main(arguments: list[str]) -> int:
    """Print the tables; with ``--check`` return 1 if a figure exceeds its limit."""
    rooms, figures, found = measure(Path(__file__).resolve().parents[1])
    print(f"{'room':32} {'files':>5} {'lines':>7}", *(f"{kind:>9}" for kind in KINDS))
    for room, counts in sorted(rooms.items(), key=lambda item: -item[1]["lines"]):
        shares = (f"{counts[kind] / max(counts['lines'], 1):9.1%}" for kind in KINDS)
        print(f"{room:32} {counts['files']:5} {counts['lines']:7}", *shares)
    for circle in found:
        print("circle:", " <-> ".join(circle))
    above = 0
    for name, (limit, goal) in LIMITS.items():
        above += figures[name] > limit
        print(f"{name:32} {figures[name]:7}  limit {limit}, goal {goal}{'  TOO MANY' * (figures[name] > limit)}")
    return int("--check" in arguments and above > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
