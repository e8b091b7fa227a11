"""The tools of an agent, called by the protocol's own client."""

import asyncio
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from infostream_dedup import coverage, ingest, store
from infostream_dedup.sample import documents_path
from infostream_dedup.service.tokens import add_token

from .test_server import free_port

# Imported by those who need it: it takes longer than to collect a hundred tests.
pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("mcp") is None, reason="mcp is not installed")]
ROOT = str(Path(__file__).parents[2])
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
        ("sweep_advice", {}), ("get_story", {"id": "nobody"}), ("find_earlier", {}),
    ]  # fmt: skip
    before = store.stats(news)
    names, answers = asyncio.run(over_stdio(news, calls))
    assert names == TOOLS
    *good, unknown, neither = answers
    assert [answer.is_error for answer in answers] == [False] * len(good) + [True, True]
    assert "nobody" in unknown.content[0].text
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
    assert advice["documents"] == len(known)
    assert advice["recommended_k"].keys() == {"morph"}
    assert store.stats(news) == before


def test_documents_are_added_only_where_asked(tmp_path):
    path = tmp_path / "news.db"
    documents = [{"id": str(n), "text": "Мост через Лопань открыл министр транспорта утром в пятницу."} for n in (1, 2)]
    list(ingest(documents[:1], path, keep_text=True))
    calls = [("add_documents", {"documents": documents[1:]}), ("find_earlier", {"id": "2"})]
    names, (added, found) = asyncio.run(over_stdio(path, calls, "--add"))
    assert names == [*TOOLS, "add_documents"]
    assert [row["status"] for row in added.structured_content["verdicts"]] == ["exact"]
    assert [row["id"] for row in found.structured_content["documents"]] == ["1"]
    assert "министр" in found.structured_content["documents"][0]["quote"]


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
