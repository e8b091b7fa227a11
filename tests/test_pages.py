"""ARCHITECTURE.md shows the floors of the import contract and every room; links of all pages lead somewhere."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "infostream_dedup"
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("reports/*.md"))]
}
ROOMS = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - {"sample"}
BUILT = {f"docs/reference/{name}.md" for name in ("command-line", "errors", "python")}


def rows_under(heading: str) -> list[list[str]]:
    section = PAGES["ARCHITECTURE.md"].partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def test_the_floors_are_those_of_the_import_contract():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = (
        contract["layers"]
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract.get("containers") == ["infostream_dedup"]
    )
    named = [", ".join(f"`{name.strip(' ()')}`" for name in re.split("[|:]", layer)) for layer in layers]
    assert rows_under("Floors") == [[str(len(named) - place), rooms] for place, rooms in enumerate(named)]


def test_every_room_is_described_once():
    assert sorted(cells[0].strip("`") for cells in rows_under("The picture")) == sorted(ROOMS)


@pytest.mark.parametrize("page", [name for name in PAGES if name not in BUILT])
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", PAGES[page]):
        there = ((ROOT / page).parent / target).resolve() if target else ROOT / page
        assert there.exists(), f"{page} links to {target}"
        if anchor:
            assert anchor in anchors(there.read_text(encoding="utf-8")), f"{page} links to {target}#{anchor}"


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_listed():
    for index, pages in (("docs/README.md", "docs/"), ("docs/reports.md", "reports/")):
        targets = re.findall(r"\]\(([^)#]+)\)", PAGES[index])
        listed = {(ROOT / index).parent.joinpath(target).resolve() for target in targets}
        for page in PAGES.keys() - BUILT - {index}:
            assert not page.startswith(pages) or (ROOT / page) in listed, page
