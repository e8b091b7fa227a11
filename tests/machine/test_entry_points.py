"""A package of somebody else adds a method by an entry point; one that fails is left out with a warning."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
METHOD = """
from infostream_dedup.lab.methods.method import METHODS
assert False, "too old"
"""
ASK = """
import logging
logging.basicConfig()
from infostream_dedup.lab.methods import methods
print("first-letter" in methods())
"""


def packaged(folder: Path, name: str, source: str) -> None:
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    about = folder / f"{name}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[infostream_dedup.methods]\n{name} = {name}\n", encoding="utf-8")


def test_a_method_of_another_package_is_compared(tmp_path):
    packaged(tmp_path, "first_letter", Path(__file__).with_name("example_method.py").read_text(encoding="utf-8"))
    packaged(tmp_path, "broken_method", METHOD)
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        env={"PYTHONPATH": f"{ROOT}:{tmp_path}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "True"
    assert "broken_method" in done.stderr
    assert "too old" in done.stderr
    news = ROOT / "infostream_dedup" / "sample" / "stream.jsonl"
    compared = [sys.executable, "-m", "infostream_dedup", "compare", str(news), "--methods", "first-letter,md5"]
    done = subprocess.run(
        [*compared, "--format", "json"],
        env={"PYTHONPATH": f"{ROOT}:{tmp_path}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "first-letter" in done.stdout
