"""The bundled sample, served, and headless Chromium."""

import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = os.environ.get("INFOSTREAM_DEDUP_CHROMIUM", "/usr/bin/chromium")
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")

AXE = "axe-core@4.14.1"


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


@cache
def axe() -> str | None:
    """The script that finds what keeps people out: from the registry of npm, for this run; None if it is not there."""
    npm = shutil.which("npm")
    with tempfile.TemporaryDirectory() as folder:
        got = npm and subprocess.run([npm, "pack", AXE, "--silent"], cwd=folder, capture_output=True, text=True)
        if not got or got.returncode:
            return None
        with tarfile.open(Path(folder, got.stdout.split()[-1])) as packed:
            return packed.extractfile("package/axe.min.js").read().decode()  # type: ignore[union-attr]


def faults(page: Any) -> list[str]:
    """What axe finds wrong with a page, by all of its rules."""
    if axe() is None:
        return []
    found = page.evaluate(f"{axe()}; axe.run({{resultTypes: ['violations']}})")
    return [f"{fault['id']} {[node['target'] for node in fault['nodes']]}" for fault in found["violations"]]


def say_without_axe() -> None:
    """At the end of a test that asked for faults: say that nobody looked for them."""
    if axe() is None:
        pytest.skip(f"all else is right, but {AXE} cannot be had from npm")
