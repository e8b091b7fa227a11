"""Each extra, installed by itself into a clean environment, is enough for what it is for."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from infostream_dedup.sample import documents_path

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
FEED = """<rss version="2.0"><channel><title>Новости</title><item><guid>1</guid><title>Мост открыт</title>
<description>Мост через реку открыл министр транспорта.</description></item></channel></rss>"""
SPARK = """
from pyspark.sql import SparkSession
from infostream_dedup.runs.spark import pairs
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
text = "Мост через реку открыл министр транспорта: движение пустили утром, сообщила пресс-служба области"
frame = spark.createDataFrame([("1", text), ("2", text + " сегодня")], ["id", "text"])
assert pairs(frame).count() == 1
"""
SERVE = """
import re, subprocess, sys, urllib.request
command = [sys.executable, "-m", "infostream_dedup", "serve", "--store", "news.db", "--port", "8797"]
with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as service:
    try:
        address = next(found[0] for line in service.stderr if (found := re.search(r"http://[^\\s,;]+", line)))
        assert urllib.request.urlopen(address + "/health").status == 200
    finally:
        service.terminate()
"""
DUCKDB = """
import duckdb
from infostream_dedup.duckdb import register
con = register(duckdb.connect())
con.sql("CREATE TABLE news AS SELECT * FROM read_json('news.jsonl')")
assert con.sql("SELECT count(*) FROM dedup_groups('news') WHERE status = 'duplicate'").fetchall()[0][0] > 5
"""
REMOTE = """
from pathlib import Path
from infostream_dedup import read_documents
assert len(list(read_documents(Path("news.jsonl").resolve().as_uri()))) == 60
"""
QUEUE = """
import subprocess, sys
for scheme in ("amqp", "nats", "redis", "kafka"):
    command = [sys.executable, "-m", "infostream_dedup", "ingest", f"{scheme}://127.0.0.1:1", "--queue", "news"]
    done = subprocess.run([*command, "--store", "news.db"], capture_output=True, text=True)
    assert (done.returncode, f"cannot read news of {scheme}:" in done.stderr) == (66, True), done.stderr
"""
CLI = ["-m", "infostream_dedup"]
COMMANDS = {
    "tables": [*CLI, "dedup", "news.jsonl", "--out", "kept.parquet"], "terminal": [*CLI, "sweep", "news.jsonl"],
    "report": [*CLI, "sweep", "news.jsonl", "--out", "report"],
    "plots": [*CLI, "sweep", "news.jsonl", "--out", "plots"],
    "learn": ["-c", "import rapidfuzz, sklearn.linear_model; from infostream_dedup import train"],
    "compare": [*CLI, "compare", "news.jsonl", "--methods", "minhash"], "feeds": [*CLI, "collect", "feed.xml"],
    "xlsx": [*CLI, "dedup", "news.jsonl", "--out", "kept.xlsx"], "service": ["-c", SERVE], "duckdb": ["-c", DUCKDB],
    "notebook": ["-c", "from infostream_dedup import sweep; assert sweep('news.jsonl').chart().to_json()"],
    "frames": ["-c", "from infostream_dedup import drop_near_duplicates as drop; import narwhals; print(drop.__doc__)"],
    "remote": ["-c", REMOTE], "mcp": [*CLI, "mcp", "--store", "stored.db"], "queue": ["-c", QUEUE],
    "traces": ["-c", "import opentelemetry.sdk.trace, infostream_dedup.service.guard"], "spark": ["-c", SPARK],
    "semantic": [*CLI, "dedup", "news.jsonl", "--semantic", "--out", "-"],
}  # fmt: skip


def test_every_extra_is_tried():
    # Together they have nothing of their own; the translator alone takes 1.5 GB: make test-translate.
    assert set(COMMANDS) == set(EXTRAS) - {"all", "bench", "dev", "docs", "translate"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.mark.slow
@pytest.mark.parametrize("extra", sorted(COMMANDS))
def test_an_extra_alone_is_enough(extra, wheel, tmp_path):
    if extra == "spark" and java_version() < 17:
        pytest.skip("Spark needs Java 17 or newer")
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"{wheel}[{extra}]"], check=True, capture_output=True)
    (tmp_path / "news.jsonl").write_bytes(b"".join(documents_path().read_bytes().splitlines(keepends=True)[:60]))
    (tmp_path / "feed.xml").write_text(FEED, encoding="utf-8")
    ingest = [python, *CLI, "ingest", "news.jsonl", "--store", "stored.db"]
    subprocess.run(ingest, cwd=tmp_path, check=True, capture_output=True)
    done = subprocess.run([python, *COMMANDS[extra]], cwd=tmp_path, capture_output=True, text=True, input="")
    assert done.returncode == 0, done.stderr


def java_version() -> int:
    try:
        told = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    except OSError:
        return 0
    found = re.search(r'version "(\d+)', told)
    return int(found[1]) if found else 0
