"""Tutorials print what they show, and the site builds without a warning, with the reference of the package."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from infostream_dedup.documents.lines import KNOWN_ENDINGS

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))


def tool(name):
    found = importlib.util.spec_from_file_location(name, ROOT / "docs" / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_page_on_documents_names_every_kind_of_file_that_is_read():
    page = (ROOT / "docs" / "reference" / "documents.md").read_text("utf-8")
    assert {f"`{ending}`" for kind in KNOWN_ENDINGS for ending in re.findall(r"\.[^.]+", kind)} <= set(
        re.findall(r"`[^`]+`", page)
    )


def test_the_reference_names_every_exit_code_and_every_error_code():
    page = tool("make_reference").errors()
    for code in (0, 2, 65, 66, 70, 73, 74, 75, 78, 130, 143):
        assert f"\n| {code} |" in page
    for code in ("E_JSON", "E_ENCODING", "E_ID_DUPLICATE"):
        assert f"\n| `{code}` |" in page


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_prints_what_it_shows(path):
    run = tool("run_tutorials")
    notebook = json.loads(path.read_text("utf-8"))
    kept = [cell["outputs"] for cell in run.code_cells(notebook)]
    assert run.outputs_of(notebook) == kept, "run python docs/tools/run_tutorials.py and read what changed"


def test_there_is_a_tutorial_for_each_door_of_the_first_page():
    assert [path.stem for path in TUTORIALS] == ["clean-a-file", "find-translations", "study-s-and-t", "watch-a-stream"]


def test_a_cell_shows_what_it_prints_and_its_value_as_jupyter_does():
    cells = ["print('один')\n7", "x = 2", "x"]
    notebook = {"cells": [{"cell_type": "code", "source": [source]} for source in cells]}
    value = {"execution_count": 1, "metadata": {}, "output_type": "execute_result"}
    assert tool("run_tutorials").outputs_of(notebook) == [
        [{"name": "stdout", "output_type": "stream", "text": ["один\n"]}, value | {"data": {"text/plain": ["7"]}}],
        [],
        [value | {"data": {"text/plain": ["2"]}, "execution_count": 3}],
    ]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("material", reason="mkdocs-material is not installed (extra docs)")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    build(load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(folder)))
    return folder


@pytest.mark.filterwarnings("ignore")
def test_the_site_builds_without_a_warning(site):
    for page in (
        "index", "contents", "uk", "ru", "reports/speed", "reference/command-line", "reference/python",
        "reference/errors", "reference/command-dedup", "tutorials/clean-a-file",
    ):  # fmt: skip
        assert (site / f"{page}.html").is_file()
    assert "E_ID_DUPLICATE" in (site / "reference" / "errors.html").read_text("utf-8")
    assert "reference/command-line.html" in (site / "contents.html").read_text("utf-8")
    assert "pictures/compare.png" in (site / "index.html").read_text("utf-8"), "the project's first page"
    assert "content.code.copy" in (site / "index.html").read_text("utf-8")
    assert "<td>48</td>" in (site / "tutorials" / "clean-a-file.html").read_text("utf-8"), "the table of a result"


@pytest.mark.filterwarnings("ignore")
def test_every_page_is_there_for_programs_that_read(site):
    listed = re.findall(r"\]\((\S+)\)", (site / "llms.txt").read_text("utf-8"))
    assert len(listed) > 20
    assert all((site / one.lstrip("/")).read_text("utf-8") for one in listed), "each page is there as Markdown"


@pytest.mark.filterwarnings("ignore")
def test_the_site_asks_no_other_server(site):
    for path in site.rglob("*.html"):
        asked = re.findall(
            r"<(?:script|img|link|iframe|source)\b[^>]*?\b(?:src|href)=\"?(https?:[^\s\">]+)", path.read_text("utf-8")
        )
        assert not asked, path
    for path in site.rglob("*.css"):
        assert not re.findall(r"(?:@import|url\()\s*[\"']?https?:", path.read_text("utf-8")), path
