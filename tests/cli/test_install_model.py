import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from infostream_dedup.cli.dictionaries import install_model
from infostream_dedup.errors import BadDataError

MODEL = Path(__file__).parents[1] / "translation" / "fixtures" / "tiny_uk_ru.argosmodel"


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    # Not through argostranslate, which reads the environment only once.
    monkeypatch.setitem(sys.modules, "argostranslate", None)
    monkeypatch.setenv("ARGOS_PACKAGES_DIR", str(tmp_path / "packages"))
    return lambda *arguments: CliRunner().invoke(install_model, arguments)


def test_it_says_what_was_installed_where(invoke, tmp_path):
    first, again = invoke(str(MODEL)), invoke(str(MODEL))
    assert json.loads(first.stdout) == {
        "file": str(MODEL), "source": "uk", "target": "ru", "version": "1.0",
        "folder": str(tmp_path / "packages" / "translate-uk_ru-1_0"), "replaced": False, "tried": True,
    }  # fmt: skip
    assert json.loads(again.stdout)["replaced"] is True
    assert (tmp_path / "packages" / "translate-uk_ru-1_0" / "model" / "model.bin").is_file()
    assert not first.stderr


def test_a_bad_file_is_named(invoke, tmp_path):
    path = tmp_path / "page.argosmodel"
    path.write_bytes(b"<html>")
    result = invoke(str(path))
    assert isinstance(result.exception, BadDataError)
    assert "page.argosmodel: is not an .argosmodel file" in str(result.exception)


def test_the_missing_extra_is_said(invoke, monkeypatch):
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    result = invoke(str(MODEL))
    assert json.loads(result.stdout)["tried"] is False
    assert re.search(r"pip install .*\[translate\]", result.stderr)
    assert not invoke(str(MODEL), "--quiet").stderr
