"""The commands of the README run, the reference lists every command, and examples in docstrings are true."""

import csv
import doctest
import importlib
import os
import re
import shlex
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import infostream_dedup
from infostream_dedup.sample import documents_path

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^infostream-dedup ((?:sweep|pairs|dedup) .*)$", README, re.MULTILINE)
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


@pytest.fixture
def news(tmp_path, monkeypatch):
    """A table with the columns that the README names, in an empty folder."""
    rows = infostream_dedup.read_documents(documents_path())
    with (tmp_path / "news.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("ID", "Title", "Text"), *((one.id, one.title, one.text) for one in rows)])
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("news")
def test_the_first_commands_run(command):
    from infostream_dedup.cli import cli

    done = CliRunner().invoke(cli, shlex.split(command))
    assert done.exit_code == 0, done.output


def typed(name: str) -> list[str]:
    """What a README tells to type first: its first two blocks, without comments."""
    blocks = re.findall(r"^```\n(.*?)^```", (ROOT / name).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [line.partition("  #")[0].rstrip() for block in blocks[:2] for line in block.splitlines()]


@pytest.mark.parametrize("name", ["README.uk.md", "README.ru.md"])
def test_the_first_commands_are_the_same_in_every_language(name):
    assert typed(name)[:4] == typed("README.md")[:4]


@pytest.fixture
def debian(tmp_path):
    """The root of a fresh Debian with what the README names and nothing else, and a command that runs a shell in it."""
    root, sealed = tmp_path / "debian", ["unshare", "-mpf", "--mount-proc"]
    make = ["debootstrap", "--variant=minbase", "--include=python3-venv,ca-certificates", "bookworm", str(root)]
    for tried in ([*sealed, "true"], ["debootstrap", "--version"], make):
        if shutil.which(tried[0]) is None or subprocess.run(tried, capture_output=True).returncode:
            pytest.skip(f"no Debian can be made here: {' '.join(tried)}")
    # Packages come from where those of this machine come from.
    if (trusted := ssl.get_default_verify_paths().cafile) is not None:
        shutil.copy(trusted, root / "etc" / "ssl" / "certs" / "ca-certificates.crt")
    index = [f"{key}={os.environ[key]}" for key in ("PIP_INDEX_URL", "https_proxy", "no_proxy") if key in os.environ]
    known = ["HOME=/root", "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "PIP_CERT=/etc/ssl/certs/ca-certificates.crt", *index]
    yield root, [*sealed, "-R", str(root), "/usr/bin/env", "-i", *known, "/bin/sh", "-ec"]
    shutil.rmtree(root)


@pytest.mark.slow
@pytest.mark.usefixtures("news")
def test_the_first_page_can_be_typed_as_it_stands(tmp_path, debian):
    """In a shell that knows nothing, with the Python of Debian, into which nobody may install."""
    root, shell = debian
    clone = root / "clone"
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(".*", "__pycache__", "*.so", "out"))
    shutil.copy(tmp_path / "news.csv", clone)
    # The service runs until it is told to end.
    served = "{} & sleep 40; kill $!; wait $!"
    lines = [served.format(line) if "--serve" in line else line for line in typed("README.md")]
    done = subprocess.run([*shell, "\n".join(["cd /clone", *lines])], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "open http://127.0.0.1:8600" in done.stderr
    assert (clone / "infostream-dedup-demo" / "report.html").exists()
    assert (clone / "report" / "report.html").exists()
    with (clone / "unique.csv").open(encoding="utf-8", newline="") as kept:
        assert 50 < len(list(csv.reader(kept))) < 190


def test_the_readme_has_its_three_commands():
    assert [command.split()[0] for command in COMMANDS] == ["dedup", "pairs", "sweep"]
    assert len(README.splitlines()) <= 150


def test_every_command_is_listed():
    from infostream_dedup.cli import cli

    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    for name in cli.commands:
        assert re.search(rf"\| `infostream-dedup {name}\b", page), name


def test_the_pages_count_the_methods_there_are():
    from infostream_dedup.lab.methods import methods

    pages = [README, *(path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md"))]
    found = re.findall(r"(\d+) methods|all (\d+) names", "\n".join(pages))
    assert found
    assert {int(first or second) for first, second in found} == {len(methods())}


def test_everything_public_can_be_had():
    for name in infostream_dedup.__all__:
        assert getattr(infostream_dedup, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        infostream_dedup.nothing  # noqa: B018


# Links of all pages lead somewhere, and every page is listed.
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("reports/*.md"))]
}
BUILT = {f"docs/reference/{name}.md" for name in ("command-line", "errors", "python")}


@pytest.mark.parametrize("page", [name for name in PAGES if name not in BUILT])
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", PAGES[page]):
        there = ((ROOT / page).parent / target).resolve() if target else ROOT / page
        assert there.exists(), f"{page} links to {target}"
        if anchor:
            assert anchor in anchors(there.read_text(encoding="utf-8")), f"{page} links to {target}#{anchor}"


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_listed():
    for index, pages in (("docs/README.md", "docs/"), ("docs/reports.md", "reports/")):
        targets = re.findall(r"\]\(([^)#]+)\)", PAGES[index])
        listed = {(ROOT / index).parent.joinpath(target).resolve() for target in targets}
        for page in PAGES.keys() - BUILT - {index}:
            assert not page.startswith(pages) or (ROOT / page) in listed, page
