"""What the README and the pages in docs/ promise is there."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

import infostream_dedup

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [*sorted(ROOT.glob("README*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
}
README = PAGES["README.md"]
PACKAGE = Path(infostream_dedup.__file__).parent
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.name != "__main__.py"
}


@pytest.mark.parametrize("name", [name for name, path in MODULES.items() if ">>> " in path.read_text("utf-8")])
def test_examples_in_docstrings_are_true(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_every_module_can_be_imported():
    for name in MODULES:
        importlib.import_module(name)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", PAGES[page]):
        there = ((ROOT / page).parent / target).resolve() if target else ROOT / page
        assert there.exists(), f"{page} links to {target}"
        if anchor:
            assert anchor in anchors(there.read_text(encoding="utf-8")), f"{page} links to {target}#{anchor}"


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_listed_on_the_first_page_of_docs():
    listed = {(ROOT / "docs" / target).resolve() for target in re.findall(r"\]\(([^)#]+)\)", PAGES["docs/README.md"])}
    for page in PAGES:
        if page.startswith("docs/") and page != "docs/README.md":
            assert (ROOT / page) in listed, page


def test_every_report_is_listed():
    for path in (ROOT / "reports").glob("*.md"):
        assert f"(../reports/{path.name})" in PAGES["docs/reports.md"], path.name


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 150


def test_every_command_is_listed():
    from infostream_dedup.cli import cli

    for name in cli.commands:
        assert f"| `infostream-dedup {name}" in PAGES["docs/reference/commands.md"], name


def test_the_demo_prints_what_its_page_shows():
    from infostream_dedup import sweep
    from infostream_dedup.sample import documents_path

    shown = [" ".join(line.split()) for line in PAGES["docs/reference/demo.md"].splitlines()]
    found = sweep(str(documents_path()), examples=False)
    for row in found.rows:
        numbers = row.measures
        counts = [numbers.k, numbers.documents, numbers.links, numbers.reciprocal, numbers.paths, numbers.closed]
        shares = ["-" if share is None else f"{share:.3f}" for share in (numbers.symmetry, numbers.transitivity)]
        joined = ["-"] * 3 if row.groups is None else [row.groups.groups, row.groups.grouped, row.groups.largest]
        numbers_shown = ["-" if count is None else str(count) for count in counts]
        cells = [row.representation, row.block, *numbers_shown, *shares, *map(str, joined)]
        estimated = ["copies", "copy_precision", "copy_recall", "precision", "recall", "f1"]
        cells += [_cell(row.as_dict()[name]) for name in estimated]
        assert any(line.startswith(" ".join(cells)) for line in shown)
    for name, k in found.recommended_k.items():
        advice = "no k recommended" if k is None else f"k = {k}"
        assert f"{name}: {advice}: {found.reason[name]}" in shown


def _cell(value):
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.3f}"


def test_the_pages_count_the_methods_there_are():
    from infostream_dedup.lab.methods import methods

    found = re.findall(r"(\d+) methods|all (\d+) names", "\n".join(PAGES.values()))
    assert found
    assert {int(first or second) for first, second in found} == {len(methods())}


def test_no_page_has_a_place_left_open():
    for page, text in PAGES.items():
        assert not re.findall(r"\b[A-Z]+_(?:OUTPUT|TABLE)\b", text), page


def test_everything_public_can_be_had():
    for name in infostream_dedup.__all__:
        assert getattr(infostream_dedup, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        infostream_dedup.nothing  # noqa: B018
