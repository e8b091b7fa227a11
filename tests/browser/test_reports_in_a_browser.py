"""Report pages in headless Chromium: one file, nothing from elsewhere, nothing too wide, WCAG 2.1 AA where axe is."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup.sample import documents_path

from .conftest import faults, say_without_axe

pytestmark = pytest.mark.slow
LANGUAGES = ("uk", "ru", "en")
PAGES = [(name, language) for name in ("sweep", "parts") for language in LANGUAGES]
PAGES += [(name, "en") for name in ("compare", "passages", "provenance")]


def run(*arguments: str) -> None:
    command = [sys.executable, "-m", "infostream_dedup", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Makes a report page of the sample in a language."""
    folder = tmp_path_factory.mktemp("reports")
    sample = str(documents_path())
    rows = [json.loads(line) for line in documents_path().read_text("utf-8").splitlines()]
    for name, row in zip("ab", [row for row in rows if row.get("lang") == "ru"], strict=False):
        (folder / f"{name}.txt").write_text(row["text"], encoding="utf-8")
    grouped = folder / "grouped.jsonl"
    texts = [str(folder / f"{name}.txt") for name in "ab"]

    def make(name: str, language: str) -> Path:
        out, page = folder / f"{name}-{language}", folder / f"{name}.html"
        spoken = ["--ui-language", language, "--out", str(out)]
        commands = {
            "sweep": ["sweep", sample, *spoken, "--made", "2026-05-01"],
            "parts": ["sweep", sample, "--by", "day", "--representation", "stem", *spoken],
            "compare": ["compare", sample, "--methods", "simhash,minhash", "--out", str(out)],
            "passages": ["passages", "compare", *texts, "--html", str(page)],
            "provenance": ["passages", "provenance", str(grouped), "--html", str(page)],
        }
        if name == "provenance":
            run("dedup", sample, "--annotate", "--out", str(grouped))
        run(*commands[name])
        return page if page.exists() else out / "report.html"

    return make


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_reports_are_quiet_narrow_and_alone(
    browser: Any, made: Callable[[str, str], Path], name: str, language: str
) -> None:
    said: list[str] = []
    asked: set[str] = set()
    address = made(name, language).as_uri()
    for scheme in ("light", "dark"):
        for width in (390, 1000, 1600):
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.on("request", lambda request: asked.add(request.url))
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (scheme, width)
            assert page.get_attribute("html", "lang") == language
            if width != 1600:
                assert faults(page) == [], (scheme, width)
            context.close()
    assert said == []
    assert asked == {address}
    say_without_axe()
