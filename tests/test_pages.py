"""The pages for developers are true; ``python tests/test_pages.py`` prints the floors into ARCHITECTURE.md again."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "infostream_dedup"
NAMES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in NAMES}
ARCHITECTURE = PAGES["ARCHITECTURE.md"]
FLOORS = re.compile(r"(<!-- floors: [^\n]+ -->\n).*?(<!-- end of floors -->)", re.DOTALL)
ROOMS = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - {"sample"}


def printed_floors() -> str:
    """The floors of import-linter's contract as a table, highest first, without optional rooms that do not exist."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    lines = ["", "| floor | rooms | may import each other |", "|---|---|---|"]
    for height, layer in zip(range(len(layers), 0, -1), layers, strict=True):
        rooms = [name.strip() for name in re.split("[|:]", layer)]
        there = [name.strip("()") for name in rooms if not name.startswith("(") or name.strip("()") in ROOMS]
        meet = "" if len(there) == 1 else "yes" if ":" in layer else "no"
        lines.append(f"| {height} | {', '.join(f'`{name}`' for name in there)} | {meet} |")
    return "\n".join([*lines, "", ""])


def rows_under(heading: str) -> list[list[str]]:
    """The rows of the table under a heading of ARCHITECTURE.md."""
    section = ARCHITECTURE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def file_named(path: str) -> Path:
    """The file of a path on a page, which is relative to the package or to the project."""
    return PACKAGE / path if (PACKAGE / path).exists() else ROOT / path


def test_the_floors_are_those_of_import_linter():
    found = FLOORS.search(ARCHITECTURE)
    assert found, "ARCHITECTURE.md has lost the marks around the floors"
    printed = found[0].removeprefix(found[1]).removesuffix(found[2])
    assert printed == printed_floors(), 'print them again: "python tests/test_pages.py"'


def test_the_command_line_imports_what_the_page_says():
    (named,) = re.findall(r"`cli` may import only (.*?)\.", ARCHITECTURE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (forbidden,) = (
        contract["forbidden_modules"]
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract["type"] == "forbidden" and contract["source_modules"] == ["infostream_dedup.cli"]
    )
    rooms = {name.removeprefix("infostream_dedup.") for name in forbidden}
    assert {"errors", "sample", *ROOMS} - rooms - {"cli"} == set(re.findall("`([a-z]+)`", named))


def test_every_room_is_described_once():
    described = [cells[0].strip("`") for cells in rows_under("The picture")]
    assert sorted(described) == sorted(ROOMS)


@pytest.mark.parametrize("name", NAMES)
def test_every_file_and_link_on_a_page_is_there(name):
    # Files that recipes and runs make are not there.
    made = {*re.findall(r"^File `([^`]+)`:", PAGES[name], re.MULTILINE)}
    for path in re.findall(r"`([\w./]+\.(?:py|md|toml|tsv))`", PAGES[name]):
        assert path in made or file_named(path).is_file(), path
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", PAGES[name]):
        page = ROOT / (target or name)
        assert page.is_file(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {heading.lower().replace(" ", "-") for heading in headings}, anchor


def test_a_missing_file_would_be_found():
    assert not file_named("links/nowhere.py").is_file()
    assert file_named("links/plain/matching.py").is_file()


TWINS = [[cell.strip("`") for cell in cells] for cells in rows_under("Plain and compiled code")]


@pytest.mark.parametrize(("stage", "plain", "compiled", "test"), TWINS, ids=lambda cell: cell)
def test_plain_and_compiled_code_meet_in_the_test_that_judges_them(stage, plain, compiled, test):
    assert plain != compiled
    used = names_used(ROOT / test)
    for path in (plain, compiled):
        assert file_named(path).exists(), path
        if path.startswith("tests/"):
            source = (ROOT / test).read_text(encoding="utf-8")
            assert path == test or Path(path).stem in source, f"{test} does not use {path}"
        else:
            module = f"infostream_dedup.{path.removesuffix('.py').replace('/', '.')}"
            assert any(f"{name}.".startswith(f"{module}.") for name in used), f"{test} does not use {path}"


def names_used(test: Path) -> set[str]:
    """Modules that a test imports, and modules that define what it imports."""
    found = set()
    for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("infostream_dedup"):
            module = importlib.import_module(node.module)
            found.add(node.module)
            for alias in node.names:
                thing = getattr(module, alias.name, None) or importlib.import_module(f"{node.module}.{alias.name}")
                home = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", node.module)
                found.add(home)
    return found


def test_no_compiled_code_is_without_a_row():
    named = {compiled for _, _, compiled, _ in TWINS}
    folders = {path for path in PACKAGE.rglob("compiled") if path.is_dir()}
    assert len(folders) >= 4
    for folder in folders:
        place = folder.relative_to(PACKAGE).as_posix()
        assert any(f"{one}/".startswith(f"{place}/") for one in named), place


def test_every_word_of_the_glossary_is_in_the_file_that_defines_it():
    rows = rows_under("Code glossary")
    words = [word for word, _, _ in rows]
    assert len(words) == len(set(words))
    for word, _, path in rows:
        source = (PACKAGE / path.strip("`")).read_text(encoding="utf-8").lower()
        stem = word.split()[0].removesuffix("s")
        assert stem in path or stem in source, f"{path} does not say {word}"


def test_the_sdist_holds_every_page():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert set(NAMES) <= set(build["targets"]["sdist"]["include"])


if __name__ == "__main__":
    page = ROOT / "ARCHITECTURE.md"
    page.write_text(FLOORS.sub(lambda found: found[1] + printed_floors() + found[2], ARCHITECTURE), encoding="utf-8")
