"""Tutorials print what they show, and the site builds without a warning, with the reference of the package."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from infostream_dedup.documents.lines import KNOWN_ENDINGS
from infostream_dedup.language.lexicon.tables import dictionaries_folder

pytestmark = [pytest.mark.slow, pytest.mark.smoke]
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
        [{"name": "stdout", "output_type": "stream", "text": ["один\n"]}, value | {"data": {"text/plain": ["7"]}}], [],
        [value | {"data": {"text/plain": ["2"]}, "execution_count": 3}],
    ]  # fmt: skip


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


# The recipes of CONTRIBUTING.md, followed to the letter in another checkout.
#
# Each recipe is a section with files to write (``File `path`:``), lines to change (``Change `path`:``) and a block of
# Python that shows the result (``Try it:``). Nothing that is written or run here comes from anywhere else.
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTIONS = PAGE.partition("\n## Recipes\n")[2].split("\n### ")[1:]
RECIPES = {section.partition("\n")[0]: section for section in SECTIONS}
FILE = re.compile(r"^File `([^`]+)`:\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHANGE = re.compile(r"^Change `([^`]+)`:\n\n```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TRY = re.compile(r"^Try it:\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def hunks(diff: str) -> Iterator[tuple[str, str]]:
    """Lines to look for and lines to put there, hunk by hunk; the last line of a hunk may go on."""
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines()
        assert all(not line or line[0] in " +-" for line in lines), hunk
        yield tuple("\n".join(line[1:] for line in lines if not line.startswith(other)) for other in "+-")


def follow(recipe: str, checkout: Path) -> None:
    """Write the files of a recipe and change the lines it changes."""
    for path, source in FILE.findall(recipe):
        file = checkout / path
        assert not file.exists(), f"{path} is there already"
        file.parent.mkdir(exist_ok=True)
        file.write_text(source, encoding="utf-8")
    for path, diff in CHANGE.findall(recipe):
        file = checkout / path
        source = file.read_text(encoding="utf-8")
        for old, new in hunks(diff):
            assert source.count(old) == 1, f"{path} holds this {source.count(old)} times:\n{old}"
            source = source.replace(old, new)
        file.unlink()
        file.write_text(source, encoding="utf-8")


def run(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, "PYTHONPATH": str(checkout)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=checkout, env=given, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another checkout, after all recipes; other files are links, so that their compiled code is that of this one."""
    folder = tmp_path_factory.mktemp("checkout")
    ignored = shutil.ignore_patterns("__pycache__", "_dictionaries")
    shutil.copytree(ROOT / "infostream_dedup", folder / "infostream_dedup", ignore=ignored, copy_function=os.symlink)
    (folder / "dictionaries").symlink_to(dictionaries_folder())
    shutil.copy(ROOT / "pyproject.toml", folder)
    for recipe in RECIPES.values():
        follow(recipe, folder)
    return folder


def test_nothing_on_the_page_is_left_out():
    assert list(RECIPES) == ["A method", "A command"]
    for name, recipe in RECIPES.items():
        files, changes, tries = (len(pattern.findall(recipe)) for pattern in (FILE, CHANGE, TRY))
        assert tries == 1, name
        assert files + changes + tries == recipe.count("\n```") / 2, name


def test_every_recipe_does_what_it_says(checkout):
    """All in one process: most of the time goes into importing and loading compiled code."""
    blocks = {name: TRY.search(recipe)[1] for name, recipe in RECIPES.items()}
    for number, (name, source) in enumerate(blocks.items()):
        (checkout / f"try_{number}.py").write_text(f"# {name}\n{source}", encoding="utf-8")
    driver = "import glob, runpy\nfor path in sorted(glob.glob('try_*.py')):\n    runpy.run_path(path)\n    print(path)"
    done = run(checkout, "-c", f"{driver}\nimport infostream_dedup\nprint(infostream_dedup.__file__)")
    assert done.returncode == 0, f"after {done.stdout}: {done.stderr}"
    assert done.stdout.splitlines()[-1] == str(checkout / "infostream_dedup" / "__init__.py")
    assert len(done.stdout.splitlines()) == len(RECIPES) + 1


def test_the_recipes_keep_the_style_of_the_house(checkout):
    paths = [path for recipe in RECIPES.values() for path, _ in FILE.findall(recipe) + CHANGE.findall(recipe)]
    for arguments in (["check", "--no-cache"], ["format", "--no-cache", "--diff"]):
        done = run(checkout, "-m", "ruff", *arguments, *paths)
        assert done.returncode == 0, done.stdout + done.stderr
