"""The tools of an agent, called by the protocol's own client."""

import asyncio
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from infostream_dedup import coverage, ingest, store
from infostream_dedup.model.stream_records import AGREEING
from infostream_dedup.sample import documents_path
from infostream_dedup.service.tokens import add_token

from .test_server import free_port

# Imported by those who need it: it takes longer than to collect a hundred tests.
pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("mcp") is None, reason="mcp is not installed")]
ROOT = str(Path(__file__).parents[2])
LOCAL_CALL = SimpleNamespace(request_context=SimpleNamespace(request=None))
BRIDGE = "Мост через Лопань открыл министр транспорта утром в пятницу."
TOOLS = ["check_text", "find_earlier", "get_story", "coverage", "compare_texts", "list_stories", "sweep_advice"]


@pytest.fixture(scope="module")
def news(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("agents") / "news.db"
    list(ingest(documents_path(), path, keep_text=True))
    return path


def command(news: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "infostream_dedup", "mcp", "--store", str(news), *more]


async def over_stdio(news: Path, calls: list, *more: str) -> tuple[list[str], list]:
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    _, *arguments = command(news, *more)
    server = StdioServerParameters(command=sys.executable, args=arguments, env={"PYTHONPATH": ROOT}, cwd=ROOT)
    async with Client(stdio_client(server)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        return names, [await client.call_tool(name, asked) for name, asked in calls]


def test_every_tool_answers_small_and_cited(news):
    known = {one["id"]: one for one in map(json.loads, Path(documents_path()).read_text(encoding="utf-8").splitlines())}
    again = known["uk-063"]["text"]
    other = "Рецепт шарлотки: яблоки, мука, три яйца, сахар, корица, духовка на сорок минут."
    calls = [
        ("check_text", {"text": again, "title": known["uk-063"]["title"]}), ("check_text", {"text": other}),
        ("find_earlier", {"text": again, "top": 3}), ("find_earlier", {"id": "uk-063", "languages": "ru", "top": 2}),
        ("list_stories", {"by": "origins", "top": 3}), ("get_story", {"id": "uk-063"}), ("coverage", {"text": again}),
        ("compare_texts", {"id_a": "uk-063", "text_b": again}),
        ("compare_texts", {"text_a": "Мэр открыл мост через реку.", "text_b": "Мер відкрив міст через річку."}),
        ("sweep_advice", {}), ("get_story", {"id": "nobody"}), ("find_earlier", {}), ("sweep_advice", {"kk": 1}),
    ]  # fmt: skip
    before = store.stats(news)
    names, answers = asyncio.run(over_stdio(news, calls))
    assert names == TOOLS
    *good, unknown, neither, misspelt = answers
    assert [answer.is_error for answer in answers] == [False] * len(good) + [True] * 3
    assert "nobody" in unknown.content[0].text
    assert "kk" in misspelt.content[0].text
    assert "either text or id" in neither.content[0].text
    assert all(len(json.dumps(answer.structured_content)) < 20_000 for answer in good)
    seen, new, earlier, translated, stories, story, covered, same, words, advice = (
        answer.structured_content for answer in good
    )
    assert seen["status"] == "exact"
    assert seen["of"]["id"] in known
    assert seen["of"]["published"] == known[seen["of"]["id"]]["published"].replace("+00:00", "Z")
    assert new == {"status": "new"}
    assert {"id", "source", "published", "kind", "quote"} <= set(earlier["documents"][0])
    assert earlier["first"] in known
    assert {hit["language"] for hit in translated["documents"]} == {"ru"}
    assert stories["stories"] == [
        {name: row[name] for name in row if name != "begun"} for row in store.stories(news, by="origins", top=3)
    ]
    whole = coverage(news, id="uk-063")
    for told in (story, covered):
        assert (told["origins"], told["of_documents"]) == (whole["origins"], len(whole["documents"]))
    assert {one["id"] for one in story["message"] if one["kind"] == "first"} == {whole["first"]}
    assert (same["coverage_a"], same["coverage_b"]) == (1, 1)
    assert {"a": "река", "b": "річка"} in words["translated_words"]
    assert (advice["documents"], advice["recommended_k"].keys()) == (len(known), {"morph"})
    assert store.stats(news) == before


def test_documents_are_added_only_where_asked(tmp_path):
    path = tmp_path / "news.db"
    documents = [{"id": str(n), "text": BRIDGE} for n in (1, 2)]
    list(ingest(documents[:1], path, keep_text=True))
    calls = [("add_documents", {"documents": documents[1:]}), ("find_earlier", {"id": "2"}), ("list_stories", {})]
    names, (added, found, stories) = asyncio.run(over_stdio(path, calls, "--add"))
    assert names == [*TOOLS, "add_documents"]
    assert [row["status"] for row in added.structured_content["verdicts"]] == ["exact"]
    assert [row["id"] for row in found.structured_content["documents"]] == ["1"]
    assert "министр" in found.structured_content["documents"][0]["quote"]
    assert [(one["title"], one["quote"]) for one in stories.structured_content["stories"]] == [("", BRIDGE)]


def test_what_left_the_window_and_who_was_first(tmp_path):
    from infostream_dedup.service.agents import StoreTools

    path, other = tmp_path / "news.db", tmp_path / "other.db"
    dates = ["2024-01-01", "2024-01-02", *["2024-03-01"] * AGREEING]
    texts = [f"{BRIDGE} Движение откроют вечером.", BRIDGE, *(f"Курс {n} гривны вырос." for n in range(AGREEING))]
    documents = [{"id": str(n), "text": texts[n], "published": dates[n]} for n in range(len(dates))]
    list(ingest(documents, path, keep_text=True))
    list(ingest([{"id": "another", "text": BRIDGE}], other, keep_text=True, representation="stem"))
    tools = StoreTools(path, 1)
    try:
        said = asyncio.run(tools.check_text(BRIDGE))
        assert (said["status"], said["before_window"]["id"], said["before_window"]["kind"]) == ("new", "1", "copy")
        for asked, listed in (({"text": BRIDGE}, "1"), ({"id": "0"}, "1"), ({"id": "1"}, "0")):
            found = asyncio.run(tools.find_earlier(**asked, top=1))
            assert (found["first"], [one["id"] for one in found["documents"]]) == ("0", [listed])
        assert asyncio.run(tools.add_documents([{"id": "added", "text": BRIDGE}], LOCAL_CALL))["verdicts"]
        other.replace(path)
        assert asyncio.run(tools.check_text(BRIDGE))["of"]["id"] == "another"
        assert asyncio.run(tools.find_earlier(text=BRIDGE))["first"] is None
        assert [one["id"] for one in asyncio.run(tools.find_earlier(text=BRIDGE))["documents"]] == ["another"]
        added = asyncio.run(tools.add_documents([{"id": "added", "text": BRIDGE}], LOCAL_CALL))
        assert [one["of"] for one in added["verdicts"]] == ["another"]
    finally:
        tools.close()
    assert sum(check.faults for check in store.verify(path)) == 0


def test_asked_to_end_it_ends_although_its_input_is_open(news):
    with subprocess.Popen(command(news), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}) + "\n")
        server.stdin.flush()
        assert "check_text" in server.stdout.readline()
        server.terminate()
        try:
            assert server.wait(30) == 0
        finally:
            server.kill()


def test_over_http_with_tokens(news, tmp_path):
    tokens = tmp_path / "tokens"
    token, port = add_token(tokens, "agent", "reader"), free_port()
    address = f"http://127.0.0.1:{port}/mcp"
    given = command(news, "--http", "--port", str(port), "--token-file", str(tokens), "--add")
    server = subprocess.Popen(given, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert address in server.stderr.readline()
        again = subprocess.run(given, cwd=ROOT, capture_output=True, text=True)
        assert (again.returncode, "cannot listen on 127.0.0.1" in again.stderr) == (78, True), again.stderr
        assert httpx.post(address, json={}).status_code == 401
        assert httpx.post(address, json={}, headers={"authorization": "Bearer wrong"}).status_code == 401
        bearer = {"authorization": f"Bearer {token}"}
        strange = {"host": "evil.example", "content-type": "application/json"}
        assert httpx.post(address, content="{}", headers=bearer | strange).status_code == 421

        async def ask():
            from mcp.client import Client
            from mcp.client.streamable_http import streamable_http_client
            from mcp.shared._httpx_utils import create_mcp_http_client

            async with (
                create_mcp_http_client(headers=bearer) as http,
                Client(streamable_http_client(address, http_client=http)) as client,
            ):
                found = await client.call_tool("find_earlier", {"id": "uk-063"})
                return found, await client.call_tool("add_documents", {"documents": [{"id": "x", "text": "x"}]})

        found, refused = asyncio.run(ask())
        assert found.structured_content["documents"]
        assert refused.is_error
        assert "may only read" in refused.content[0].text
    finally:
        server.terminate()
        server.communicate()
    assert server.returncode == 0
