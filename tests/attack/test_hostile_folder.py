"""A working folder full of files that are named like modules: none of them may run."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import click
import httpx
import pytest

from infostream_dedup.cli import cli
from infostream_dedup.sample import documents_path, labels_path

from ..service.conftest import sample_documents
from ..service.test_server import free_port

COMMANDS = (
    "ingest SAMPLE --store news.db --keep-text", "sweep SAMPLE --representation stem --write-config thresholds.toml",
    "pairs SAMPLE --representation stem", "dedup SAMPLE --annotate --out groups.jsonl",
    "evaluate SAMPLE --labels LABELS", "compare SAMPLE --labels LABELS --methods shingles",
    "audit SAMPLE --out audit.jsonl --pairs 20", "train SAMPLE --labels LABELS --model model.json",
    "classify SAMPLE --model model.json", "passages find SAMPLE", "passages compare words.txt words.txt",
    "passages provenance groups.jsonl", "search --store news.db --text words",
    "collect words.html --out collected.jsonl",
    *(f"store {one} news.db" for one in ("stats", "best", "events", "groups", "republications", "templates", "copies")),
    *(f"store {one} news.db" for one in ("verify", "index", "expire", "stories", "health")),
    "store retune news.db --config thresholds.toml", "store show news.db none", "store story news.db none",
    "store fork news.db new.db --preset judged", "coverage news.db --text words", "terms SAMPLE --representation stem",
    "store backup news.db copy.db", "store restore news.db copy.db", "store forget news.db none",
    "watch add bridges --store news.db --file words.txt",
    *(f"watch {one} --store news.db" for one in ("list", "hits bridges", "remove bridges")),
    *(f"desk {one}" for one in ("export news.db", "import news.db LABELS --person somebody")),
    *(f"desk {one}" for one in ("backup news.db copy.desk", "forget news.db none")),
    *(f"dictionaries {one}" for one in ("list", "show завод --lang ru", "check --no-coverage", "build")),
    *(f"dictionaries {one}" for one in ("import none --from uk --to ru --format tsv", "install-model none")),
    "dictionaries remove none", "config show ingest", "config check thresholds.toml --command dedup",
    "config completion bash", "config man pages", "help common", "warm", "demo", "mcp --store news.db",
)  # fmt: skip
DRIVER = """
import sys
from infostream_dedup.cli import main
from infostream_dedup.language.morphology import form_cache
few, form_cache._WORTH_A_PROCESS = form_cache._WORTH_A_PROCESS, 50
for line in sys.stdin.read().splitlines():
    sys.argv = ["infostream-dedup", *line.split()]
    try:
        main()
    except SystemExit as end:
        print(f"{line}: {end.code}", flush=True)
    # Once is enough for the processes that analyse forms.
    form_cache._WORTH_A_PROCESS = few
"""
"""All commands in one process that is started as the console script is: which command imports what does not matter."""


def leaves(command: click.Command, *path: str) -> Iterator[str]:
    if isinstance(command, click.Group):
        for name, one in command.commands.items():
            yield from leaves(one, *path, name)
    else:
        yield " ".join(path)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with a module of every name that Python or an installed package has; each leaves a trace."""
    names = {*sys.stdlib_module_names, *metadata.packages_distributions(), "sitecustomize", "usercustomize"}
    trace = tmp_path / "ran"
    folder = tmp_path / "downloads"
    folder.mkdir()
    for name in names:
        if name.isidentifier():
            (folder / f"{name}.py").write_text(f"open({str(trace)!r}, 'a').write('{name} ')\n")
    (folder / "words.txt").write_text("The mayor opened a new bridge across the river. Thousands came to see it.")
    (folder / "words.html").write_text("<html><title>A bridge</title><p>The mayor opened a new bridge.</p></html>")
    return folder


def ran(folder: Path) -> str:
    trace = folder.parent / "ran"
    return trace.read_text() if trace.exists() else ""


def environment(folder: Path) -> dict[str, str]:
    # A cache of its own: words that it holds would not be analysed by another process.
    return {**os.environ, "INFOSTREAM_DEDUP_CACHE": str(folder.parent / "cache")}


def test_no_command_runs_them(hostile: Path) -> None:
    few = hostile / "few.jsonl"
    few.write_bytes(b"\n".join(documents_path().read_bytes().splitlines()[:40]))
    given = [line.replace("SAMPLE", str(few)).replace("LABELS", str(labels_path())) for line in COMMANDS]
    named = {one for one in leaves(cli) for line in COMMANDS if line == one or line.startswith(f"{one} ")}
    assert named == {*leaves(cli)} - {"serve"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", DRIVER], input="\n".join(given).encode(), cwd=hostile, env=environment(hostile),
        capture_output=True, timeout=900, check=True,
    )  # fmt: skip
    codes = dict(line.rsplit(": ", 1) for line in done.stdout.decode().splitlines() if ": " in line)
    assert set(given) <= codes.keys()
    assert [line for line in given if codes[line] == "2"] == []
    assert ran(hostile) == ""
    assert b"a process that analyses forms failed" not in done.stderr


def test_no_process_of_the_service_runs_them(hostile: Path) -> None:
    port = free_port()
    command = [sys.executable, "-P", "-m", "infostream_dedup", "serve", "--store", str(hostile.parent / "news.db")]
    process = subprocess.Popen(
        [*command, "--keep-text", "--port", str(port)], cwd=hostile, env=environment(hostile), stderr=subprocess.DEVNULL
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
            asked(client, "GET", "/ready")
            asked(client, "POST", "/v1/batches", json={"documents": sample_documents()[:60]})
            asked(client, "POST", "/v1/check", json={"documents": sample_documents()[:1]})
            number = asked(client, "POST", "/v1/jobs", json={"kind": "audit"})["number"]
            while asked(client, "GET", f"/v1/jobs/{number}")["state"] in ("waiting", "running"):
                time.sleep(0.1)
    finally:
        process.terminate()
        process.wait(60)
    assert ran(hostile) == ""


def asked(client: httpx.Client, method: str, path: str, **options: Any) -> Any:
    """The answer once there is one that is no refusal."""
    for _ in range(600):
        try:
            answer = client.request(method, path, **options)
        except httpx.TransportError:
            answer = None
        if answer is not None and answer.is_success:
            return answer.json()
        time.sleep(0.1)
    pytest.fail(f"{method} {path}: {answer and answer.text}")
