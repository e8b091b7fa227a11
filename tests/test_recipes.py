"""The recipes of CONTRIBUTING.md, followed to the letter in another checkout.

Each recipe is a section with files to write (``File `path`:``), lines to change (``Change `path`:``) and a block of
Python that shows the result (``Try it:``). Nothing that is written or run here comes from anywhere else.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from infostream_dedup.language.lexicon.tables import dictionaries_folder

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]
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
    """Another checkout in which all recipes have been followed.

    Files that no recipe changes are links, so that their compiled code is that of this checkout.
    """
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
