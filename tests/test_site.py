"""The generated reference is current, tutorials print what they show, and the site builds without a warning."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))


def tool(name):
    found = importlib.util.spec_from_file_location(name, ROOT / "docs" / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["command-line.md", "errors.md", "python.md"])
def test_the_generated_reference_is_current(name):
    kept = (ROOT / "docs" / "reference" / name).read_text("utf-8")
    assert kept == tool("make_reference").pages()[name], "run python docs/tools/make_reference.py"


def test_the_reference_names_every_exit_code_and_every_error_code():
    page = (ROOT / "docs" / "reference" / "errors.md").read_text("utf-8")
    for code in (0, 2, 65, 66, 70, 73, 74, 75, 78, 130, 143):
        assert f"\n| {code} |" in page
    for code in ("E_JSON", "E_ENCODING", "E_ID_DUPLICATE"):
        assert f"\n| `{code}` |" in page


@pytest.mark.slow
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_prints_what_it_shows(path):
    run = tool("run_tutorials")
    notebook = json.loads(path.read_text("utf-8"))
    assert run.outputs_of(notebook) == run.stored_outputs(notebook)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_site_builds_without_a_warning(tmp_path):
    pytest.importorskip("material")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    build(load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(tmp_path / "site")))
    assert (tmp_path / "site" / "uk.html").is_file()
