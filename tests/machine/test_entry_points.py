"""A package of somebody else adds methods, representations and readers by entry points; a broken one does no harm."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OFFERS = """[infostream_dedup.methods]
first-letter = theirs
[infostream_dedup.representations]
four = theirs:FOUR
[infostream_dedup.readers]
wire = theirs:read_wire
"""
BROKEN = """[infostream_dedup.methods]
old = broken
[infostream_dedup.representations]
old = broken:OLD
[infostream_dedup.readers]
old = broken:read
"""
WIRE = "".join(
    f"{number}|Мост через реку Лопань открыл министр транспорта Иванов, сообщила пресс-служба города{more}\n"
    for number, more in enumerate(["", " сегодня", " вчера"])
)


def packaged(folder: Path, name: str, source: str, offers: str) -> None:
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    about = folder / f"{name}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(offers, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    packaged(tmp_path, "theirs", Path(__file__).with_name("example_package.py").read_text(encoding="utf-8"), OFFERS)
    packaged(tmp_path, "broken", "raise RuntimeError('too old')\n", BROKEN)
    (tmp_path / "news.wire").write_text(WIRE, encoding="utf-8")
    (tmp_path / "cut.wire").write_text("no bar\n", encoding="utf-8")
    (tmp_path / "news.old").write_text(WIRE, encoding="utf-8")
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "infostream_dedup", *arguments]
    given = {"PYTHONPATH": f"{ROOT}:{folder}", "INFOSTREAM_DEDUP_CACHE": str(folder / "cache")}
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("arguments", "printed"), [
    (["compare", "news.wire", "--methods", "first-letter,md5", "--format", "json"], "first-letter"),
    (["pairs", "news.wire", "--representation", "four", "--preset", "faithful", "--format", "json"], '"мини"'),
    (["dedup", "news.wire", "--representation", "four", "--preset", "faithful", "--out", "-"], "Мост через"),
    (["ingest", "news.wire", "--store", "n.db", "--representation", "four", "--preset", "faithful"], "duplicate"),
])  # fmt: skip
def test_what_another_package_offers_is_used(arguments: list[str], printed: str, folder: Path) -> None:
    done = run(folder, *arguments)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


@pytest.mark.parametrize(("arguments", "code", "said"), [
    (["compare", "news.wire", "--methods", "md5"], 0, "the method old of broken was left out: RuntimeError: too old"),
    (["pairs", "news.wire", "--representation", "old"], 78, "representation old of broken:OLD cannot be loaded: "),
    (["pairs", "news.old"], 65, "news.old: the reader old of broken:read: RuntimeError: too old"),
    (["pairs", "cut.wire"], 65, "cut.wire: the reader wire of theirs:read_wire: ValueError"),
])  # fmt: skip
def test_what_fails_is_named(arguments: list[str], code: int, said: str, folder: Path) -> None:
    done = run(folder, *arguments)
    assert said in done.stderr
    assert done.returncode == code
    assert "Traceback" not in done.stderr
