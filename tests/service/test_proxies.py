"""Who the client is behind a proxy, and what nobody can pretend."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from infostream_dedup.cli import cli
from infostream_dedup.service.settings import ServiceSettings, client_address, network_of
from infostream_dedup.service.tokens import add_token

from .conftest import ServiceClient, wait_until_ready

PROXIES = tuple(map(network_of, ("127.0.0.1", "10.0.0.0/8", "fd00::/8")))


@pytest.mark.parametrize(("peer", "forwarded", "client"), [
    ("127.0.0.1", ["203.0.113.7"], "203.0.113.7"),
    # What stands before the address that the proxy added is the client's own invention.
    ("127.0.0.1", ["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
    ("127.0.0.1", ["198.51.100.1", "203.0.113.7"], "203.0.113.7"),
    ("127.0.0.1", ["nonsense, 203.0.113.7"], "203.0.113.7"),
    ("127.0.0.1", ["198.51.100.1, 203.0.113.7, 10.1.2.3"], "203.0.113.7"),
    ("::ffff:127.0.0.1", ["203.0.113.7:4711, ::ffff:10.1.2.3"], "203.0.113.7"),
    ("fd00::1", ["[2001:db8::7]:4711"], "2001:db8::7"), ("fd00::1", ["[2001:0DB8::7]"], "2001:db8::7"),
    # All of them are proxies: the first is the client of the others.
    ("127.0.0.1", ["10.1.2.3, 10.1.2.4"], "10.1.2.3"), ("127.0.0.1", [], "127.0.0.1"),
    ("127.0.0.1", [""], "127.0.0.1"), ("127.0.0.1", ["203.0.113.7,"], "127.0.0.1"),
    ("127.0.0.1", ["203.0.113.7, unknown"], "127.0.0.1"),
    ("127.0.0.1", ["203.0.113.7, unknown, 10.1.2.3"], "127.0.0.1"), ("127.0.0.1", ["203.0.113.07"], "127.0.0.1"),
    ("203.0.113.9", ["203.0.113.7"], "203.0.113.9"), ("203.0.113.9", ["203.0.113.7, 127.0.0.1"], "203.0.113.9"),
    ("", ["203.0.113.7"], ""),
])  # fmt: skip
def test_the_client_is_the_last_address_that_is_no_proxy(peer: str, forwarded: list[str], client: str) -> None:
    assert client_address(peer, forwarded, PROXIES) == client
    assert client_address(peer, forwarded, ()) == peer


def tries(client: ServiceClient, forwarded: str, token: str = "wrong") -> int:  # noqa: S107 - no secret
    return client("POST", "/sign-in", data={"token": token}, headers={"x-forwarded-for": forwarded}).status_code


def test_wrong_tokens_behind_a_trusted_proxy_count_for_their_client_only(tmp_path: Path) -> None:
    token = add_token(tmp_path / "tokens", "desk", "reader")
    settings = ServiceSettings(store=tmp_path / "news.db", token_file=tmp_path / "tokens", proxies=PROXIES)
    client = ServiceClient(settings)
    wait_until_ready(client)
    # A client that invents addresses gains nothing: the proxy adds the true one after them.
    assert [tries(client, f"192.0.2.{number}, 203.0.113.7") for number in range(6)] == [401] * 5 + [429]
    assert tries(client, "203.0.113.7", token) == 429
    assert tries(client, "203.0.113.8", token) == 303
    client.close()


def test_the_header_of_an_untrusted_machine_does_not_count(tmp_path: Path) -> None:
    add_token(tmp_path / "tokens", "desk", "reader")
    for proxies in ((), (network_of("10.0.0.0/8"),)):
        settings = ServiceSettings(store=tmp_path / "news.db", token_file=tmp_path / "tokens", proxies=proxies)
        client = ServiceClient(settings)
        wait_until_ready(client)
        assert [tries(client, f"203.0.113.{number}") for number in range(6)] == [401] * 5 + [429]
        client.close()


@pytest.mark.parametrize("given", ["news.example", "10.0.0.1/8", "10.0.0.0/40", "*"])
def test_what_is_no_address_is_refused(tmp_path: Path, given: str) -> None:
    answer = CliRunner().invoke(cli, ["serve", "--store", str(tmp_path / "news.db"), "--proxies", f"10.0.0.1, {given}"])
    assert "give addresses or networks, such as 10.0.0.0/8" in str(answer.exception)
    assert not (tmp_path / "news.db").exists()
