"""Links of all pages lead somewhere, and every page is listed."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("reports/*.md"))]
}
BUILT = {f"docs/reference/{name}.md" for name in ("command-line", "errors", "python")}


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
