"""The bundled sample, served, and headless Chromium."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = os.environ.get("INFOSTREAM_DEDUP_CHROMIUM", "/usr/bin/chromium")
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")

AXE = os.environ.get("INFOSTREAM_DEDUP_AXE")
"""Path of ``axe.min.js``: where it is given, every page is held against WCAG 2.1 AA."""


@pytest.fixture(scope="module")
def address(browser: Any) -> Iterator[str]:
    assert browser.is_connected()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    command = [sys.executable, "-m", "infostream_dedup", "demo", "--serve", "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    probe = [sys.executable, "-m", "infostream_dedup.service.probe", str(port)]
    for _ in range(240):
        if subprocess.run(probe, check=False).returncode == 0:
            break
        time.sleep(0.5)
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    assert process.wait(timeout=60) == 0


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no Chromium at {CHROMIUM} (INFOSTREAM_DEDUP_CHROMIUM)")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=list(OPTIONS))
        yield opened
        opened.close()


def until(page: Any, expression: str, seconds: float = 30.0) -> None:
    """Wait until an expression is true; the page's policy does not let Playwright wait inside it."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(20)


def faults(page: Any) -> list[str]:
    """What axe finds wrong with a page."""
    if AXE is None:
        return []
    levels = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']"
    found = page.evaluate(f"{Path(AXE).read_text('utf-8')}; axe.run({{runOnly: {levels}}})")
    return [f"{fault['id']} {[node['target'] for node in fault['nodes']]}" for fault in found["violations"]]
