"""Run what reports/features.md claims, and write it anew: a row is yes only if its code ran and was true.

    python tools/features.py [ROW ...]

Rows in plain words say what is not there. The code of a row is evaluated with the functions of this file.
"""

from __future__ import annotations

import hmac
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import infostream_dedup as dd
from infostream_dedup.lab.methods import Texts, method, methods  # noqa: F401 - rows call them
from infostream_dedup.sample import documents_path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "reports" / "features.md"
NEWS = str(documents_path())
LABELS = str(documents_path().with_name("labels.jsonl"))
SAME = "Мост через Лопань открыл министр транспорта утром в среду, движение пустили."
OTHER = "Дождь с градом ожидают синоптики на юге области вечером в пятницу, предупредила служба."
TWO = [{"id": "1", "text": SAME}, {"id": "2", "text": SAME}]
AGENT_CALLS = [
    ("list_stories",),
    ("sweep_advice",),
    ("check_text", SAME),
    ("find_earlier", SAME),
    ("get_story", None, "uk-063"),
    ("coverage", None, "uk-063"),
    ("compare_texts", SAME),
]


def news() -> list[dict[str, Any]]:
    """The documents of the sample."""
    return [json.loads(line) for line in Path(NEWS).read_text(encoding="utf-8").splitlines()]


@cache
def pairs(as_: str = "", **settings: Any) -> Any:
    """The pairs of the sample."""
    found = dd.pairs(NEWS, **settings)
    return getattr(found, as_)() if as_ else list(found.as_dicts())


def shares(a: str, b: str) -> tuple[float, float]:
    """Which share of each of two texts the other has."""
    told = dd.passages.compare(a, b).as_dict()
    return told["coverage_a"], told["coverage_b"]


def terms(text: str, lang: str | None = None) -> list[str]:
    """The key terms of a text."""
    row = {"id": "1", "text": text} | ({} if lang is None else {"lang": lang})
    return sorted(one["term"] for one in dd.key_terms([row, row | {"id": "2"}]).as_dicts() if one["id"] == "1")


def in_batches(size: int) -> list[str | None]:
    """The groups of the sample's documents, sent in batches of so many."""
    return [one.group for one in dd.ingest(NEWS, f"by{size}.db", batch_size=size)]


def command(*arguments: str, cwd: str = ".", env: dict[str, str] | None = None, told: bool = False) -> str:
    """What the command prints in a process of its own, or tells the person at it."""
    done = subprocess.run(
        [sys.executable, "-m", "infostream_dedup", *arguments],
        cwd=cwd, env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]])} | (env or {}),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stderr if told else done.stdout


@cache
def agent(tool: str, text: str | None = None, id: str | None = None) -> Any:  # noqa: A002 - the name of the field
    """What a tool answers to the protocol's own client."""
    import asyncio

    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    asked = {"text_a": text, "text_b": text} if tool == "compare_texts" else {"text": text, "id": id}
    given = ["-m", "infostream_dedup", "mcp", "--store", str(Path("news.db").resolve())]
    server = StdioServerParameters(command=sys.executable, args=given, env={"PYTHONPATH": os.pathsep.join(sys.path)})

    async def ask() -> Any:
        async with Client(stdio_client(server)) as client:
            answer = await client.call_tool(tool, {name: value for name, value in asked.items() if value})
            return None if answer.is_error else answer.structured_content

    return asyncio.run(ask())


@cache
def spark(work: str) -> bool:
    """Pairs of a frame of Spark in local mode, or the frame without its duplicates."""
    from pyspark.sql import SparkSession

    from infostream_dedup.runs import spark as cluster

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    frame = session.createDataFrame([("1", f"{SAME} {OTHER}"), ("2", f"{SAME} {OTHER} Сегодня.")], ["id", "text"])
    return bool(getattr(cluster, work)(frame).count() == (1 if work == "pairs" else 2))


def page() -> str:
    """A page as a document."""
    text = "".join(f"<p>{SAME} {OTHER}</p>" for _ in range(3))
    Path("page.html").write_text(f"<html><title>Мост</title><article><h1>Мост</h1>{text}</article></html>", "utf-8")
    return cli("collect", "page.html")


def types() -> bool:
    """Whether a type checker knows what functions take and give."""
    code = "import infostream_dedup as d\nreveal_type(d.dedup(['a']).kept)\nd.dedup(['a'], n='six')\n"
    told = subprocess.run(
        [sys.executable, "-m", "mypy", "-c", code], capture_output=True, text=True, check=False
    ).stdout
    return 'Revealed type is "int"' in told.replace("builtins.", "") and "error" in told and "import-" not in told


def cli(*arguments: str) -> str:
    """What a command prints; an error ends the check."""
    from infostream_dedup.cli import cli as commands

    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        commands.main(list(arguments), prog_name="infostream-dedup", standalone_mode=False)
        out.flush()
    return out.buffer.getvalue().decode("utf-8", "replace")


def served(path: str) -> Any:
    """The answer of a route of the service over the store."""
    import asyncio

    import httpx

    from infostream_dedup.service.application import application
    from infostream_dedup.service.settings import ServiceSettings

    async def ask() -> Any:
        guard = application(ServiceSettings(store=Path("news.db"), read_only=True))
        async with (
            guard.alive(),
            httpx.AsyncClient(transport=httpx.ASGITransport(app=guard), base_url="http://127.0.0.1:8600") as http,
        ):
            return await http.get(path)

    return asyncio.run(ask())


@cache
def duck() -> bool:
    """DuckDB's tables and functions."""
    import duckdb

    from infostream_dedup.duckdb import register

    con = register(duckdb.connect())
    con.execute("CREATE TABLE two AS SELECT unnest(['1', '2']) AS id, $1 AS text", [SAME])
    return bool(con.sql("SELECT count(*) FROM dedup_groups('two') WHERE of = '1'").fetchall()[0][0] == 1)


def frames() -> bool:
    """A frame comes back as its kind."""
    import polars

    return bool(dd.drop_near_duplicates(polars.LazyFrame({"text": [SAME, SAME]})).collect().height == 1)


def feed() -> str:
    """A feed as documents."""
    item = "<item><guid>1</guid><title>Мост</title><description>Мост открыт.</description></item>"
    Path("feed.xml").write_text(f'<rss version="2.0"><channel><title>a</title>{item}</channel></rss>', encoding="utf-8")
    return cli("collect", "feed.xml")


def telegram() -> str:
    """An export of Telegram as documents."""
    message = {
        "id": 1,
        "type": "message",
        "date": "2026-01-01T00:00:00",
        "text": ["Мост ", {"type": "bold", "text": "открыт"}],
    }
    chat = {"name": "Канал", "type": "public_channel", "id": 5, "messages": [message]}
    Path("result.json").write_text(json.dumps(chat), encoding="utf-8")
    return cli("collect", "result.json")


def passes(test: str) -> bool:
    """Whether tests pass."""
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", test]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


def many(times: int) -> list[dict[str, Any]]:
    """The sample, so many times."""
    return [row | {"id": f"{row['id']}-{number}"} for number in range(times) for row in news()]


def chain(density: float) -> int:
    """Documents of the largest group of texts of which each shares most sentences with the next one."""
    said = [row["text"].partition(". ")[0] for row in news() if row["id"].startswith("ru")]
    texts = [{"id": str(n), "text": ". ".join(said[n : n + 8])} for n in range(26)]
    list(dd.ingest(texts, f"chain{density}.db", chaining_documents=3, chaining_density=density))
    return int(max(row["documents"] for row in dd.store.groups(f"chain{density}.db")))


def threads() -> float:
    """Processor time that finding links takes, in that of the thread that asks."""
    asking, everyone = time.thread_time(), time.process_time()
    dd.similarity_matrix(many(30))
    return (time.process_time() - everyone) / (time.thread_time() - asking)


def of_tests(name: str) -> Any:
    """A module of ours, wherever a package of somebody else is named like its folder."""
    ours = sys.modules["tests"] = ModuleType("tests")
    ours.__path__ = [str(ROOT / "tests")]
    return import_module(name)


@cache
def brokers() -> bool:
    """Two documents from each broker, and their verdicts back."""
    tests = of_tests("tests.service.test_brokers")
    for kind in ("kafka", "redis", "nats", "amqp"):
        Path(kind).mkdir()
        with tests.SERVERS[kind][1](Path(kind).resolve()) as address:
            tests.send(address, "news", [json.dumps(one).encode() for one in TWO])
            found = list(dd.ingest(address, f"{kind}.db", queue="news", publish="verdicts"))
            if [one.status for one in found] != ["new", "exact"] or len(tests.received(address, "verdicts")) != 2:
                return False
    return True


@cache
def webhook() -> bool:
    """A hit of a standing search arrives with the right signature."""
    receiver, secret = of_tests("tests.service.test_webhook").Receiver(), b"sixteen bytes and more"
    Path("secret").write_bytes(secret)
    list(dd.ingest(TWO[:1], "hook.db"))
    dd.watch.add("hook.db", "bridge", terms="мост")
    list(dd.ingest(TWO[1:], "hook.db", webhook=receiver.address, webhook_secret="secret"))  # noqa: S106 - a file
    _, headers, body = receiver.got[0]
    signed = f"sha256={hmac.new(secret, body, 'sha256').hexdigest()}" == headers["X-Infostream-Signature"]
    return bool(signed and json.loads(body)["events"][0]["group"] == "bridge")


def label_studio() -> bool:
    """A judgement goes to Label Studio and comes back under another name."""
    Path("labels.jsonl").write_text('{"a": "ru-001", "b": "ru-002", "label": "similar"}', encoding="utf-8")
    dd.desk.import_labels("news.db", "labels.jsonl", person="one")
    cli("desk", "export", "news.db", "--label-studio", "--out", "tasks.json")
    return dd.desk.import_labels("news.db", "tasks.json", person="two") == (1, 0)


def main() -> None:
    """Run the rows in a folder of their own, and write the page."""
    rows = re.findall(r"^\| (\S+) \| (.*?) \| (\w+) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        list(dd.ingest(NEWS, "news.db", keep_text=True))
        told, held = [], {"84": 0, "20 of 2027": 0}
        for number, feature, held_before, check in rows:
            holds, why = held_before == "yes" and bool(sys.argv[1:]), ""
            if check.startswith("`") and (not sys.argv[1:] or number in sys.argv):
                holds = False
                try:
                    holds = bool(eval(check.strip("`").replace("&#124;", "|")))  # noqa: S307 - our own page
                except BaseException as error:
                    why = f" ({type(error).__name__}: {str(error).strip().splitlines()[:1]})"
                sys.stderr.write(f"{number} {feature}: {'yes' if holds else 'NO'}{why}\n")
            held["20 of 2027" if "-" in number else "84"] += holds
            told.append(f"| {number} | {feature} | {'yes' if holds else 'no'} | {check} |")
        os.chdir(ROOT)
    sums = " and ".join(f"{number} of the {name}" for name, number in held.items())
    head = "Made by `python tools/features.py`; a row is yes only if its code ran and was true."
    _, mark, below = PAGE.read_text(encoding="utf-8").partition("\n## ")
    table = ["| of the table | feature | holds | what was run |", "|---|---|---|---|", *told]
    PAGE.write_text("\n".join(["# Features", "", head, f"{sums} hold.", "", *table, ""]) + mark + below, "utf-8")


if __name__ == "__main__":
    main()
