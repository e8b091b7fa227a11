"""What a service is started with: addresses, trusted proxies, limits."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from infostream_dedup.errors import ConfigurationError, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLimits:
    """Every limit of the service."""

    body_bytes: int = 16 * 1024 * 1024  # length of a body, after decompression unless it is a batch
    form_bytes: int = 64 * 1024  # length of the body of a form
    unpacked_bytes: int = 40 * 1024 * 1024  # length of a batch after decompression
    gzip_ratio: int = 200  # how many times longer a body may become by decompression
    documents: int = 5_000  # number of documents in a batch
    values: int = 500_000  # number of values in a body: as objects, short ones take 30 times as many bytes
    checked: int = 100  # number of documents in a question about the verdicts they would get
    text_bytes: int = 100_000  # length of a text to search for
    header_bytes: int = 16 * 1024  # length of all headers together
    body_seconds: float = 10.0  # time to receive a body, in addition to the next limit
    body_seconds_per_megabyte: float = 1.0  # time for each megabyte announced
    silent_seconds: float = 11.0  # how long a client may leave an answer unread
    searches: int = 16  # pending searches; further ones are refused
    questions: int = 256  # pending questions to the store; further ones are refused
    checks: int = 4  # pending questions about the verdicts that documents would get; further ones are refused
    queued: int = 8  # pending batches; further ones are refused
    readers: int = 4  # threads that read the store
    query_seconds: float = 5.0  # time of one query of the store
    # how long a question about the latest documents waits for a new count before it gets the last one
    figures_wait_seconds: float = 0.05
    figures_age_seconds: float = 5.0  # maximum age of the last count; the question waits if it is older
    # minimum time between two counts of the activity while batches arrive and nobody asks
    figures_pause_seconds: float = 2.0
    streams: int = 20  # open streams of events
    streams_of_caller: int = 10  # those of one token
    page: int = 50  # default number of rows on a page
    rows: int = 200  # maximum number of rows on a page
    reads_per_second: int = 60  # reads a second for each token, on average over ten seconds
    batches_at_once: int = 4  # unanswered batches of one token
    held_bytes: int = 64 * 1024 * 1024  # bodies of all requests without an answer, after decompression
    held_bytes_of_caller: int = 56 * 1024 * 1024  # those of one token
    small_bytes: int = 1024 * 1024  # length up to which bodies share a quarter of that, which large ones leave to them


Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_WITH_PORT: Final = re.compile(r"\[(?P<v6>[^\]]*)\](?::\d+)?|(?P<v4>[\d.]+):\d+", re.ASCII)
"""Some proxies add the port of the client."""


def network_of(text: str) -> Network:
    """Return the network that an address or network in text stands for."""
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ConfigurationError(f"--proxies: {error}; give addresses or networks, such as 10.0.0.0/8") from None


def client_address(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """Return the address of the client."""
    found = peer
    names = ",".join(forwarded).split(",") if forwarded else []
    while names and (proxy := _address(found)) is not None and any(proxy in network for network in proxies):
        address = _address(names.pop())
        if address is None:
            return peer
        found = str(address)
    return found


def _address(text: str) -> Address | None:
    text = text.strip()
    parts = _WITH_PORT.fullmatch(text)
    try:
        address = ipaddress.ip_address((parts["v6"] or parts["v4"]) if parts else text)
    except ValueError:
        return None
    # A socket for both versions shows addresses of version 4 in this form.
    return getattr(address, "ipv4_mapped", None) or address


_USUAL_PORT: Final = 80
_LAST_PORT: Final = 65_535
_EVERYWHERE: Final = frozenset(("0.0.0.0", "::"))  # noqa: S104 - compared with, not listened on
_ADDRESS: Final = re.compile(r"(?:\[(?P<v6>[^\[\]]+)\]|(?P<host>[^:\[\]]+)):(?P<port>\d{1,5})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """What a service is started with.

    Raises:
        ConfigurationError: without a token, it would be open to other machines; or the figures would hide the service.
    """

    store: Path  # the store it serves; created if it does not exist, unless `read_only`
    host: str = "127.0.0.1"  # address to listen on
    port: int = 8600  # port to listen on
    hosts: tuple[str, ...] = ()  # further names by which clients may call it, with the port if it is not the usual one
    proxies: tuple[Network, ...] = ()  # proxies whose `X-Forwarded-For` is believed
    # address and port at which the figures for Prometheus need no token; None: nowhere
    metrics: tuple[str, int] | None = None
    token_file: Path | None = None  # who may do what (see `tokens`); None: one local person who may do everything
    webhook: str | None = None  # where alarms, merges, limits and hits of standing searches are posted
    webhook_secret: str | None = None  # file with the secret that signs them; None: the environment has it
    read_only: bool = False  # serve a store that another process writes
    stream: dict[str, object] = field(default_factory=dict)  # settings of a new store by name (see `StreamSettings`)
    limits: ServiceLimits = field(default_factory=ServiceLimits)  # see there

    def __post_init__(self) -> None:
        if self.read_only and self.stream:
            idle = ", ".join(f"--{name.replace('_', '-')}" for name in self.stream)
            raise UsageError(f"with --read-only, the settings are those of the store, which stay; drop {idle}")
        if self.token_file is None and not _is_loopback(self.host):
            raise ConfigurationError(
                f"{self.host} can be reached from other machines; name who may do what (--token-file), or listen on "
                "127.0.0.1"
            )
        host, port = self.metrics or ("", -1)
        if port == self.port and (host == self.host or not _EVERYWHERE.isdisjoint((host, self.host))):
            raise ConfigurationError(f"--metrics is the address of the service itself, port {self.port}; name another")

    @property
    def known_hosts(self) -> frozenset[str]:
        """Values of the header ``Host`` that are answered, in lower case."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        names = ["localhost", "127.0.0.1", "[::1]"] if _is_loopback(self.host) else [own]
        # Clients leave out the usual port.
        usual = names if self.port == _USUAL_PORT else []
        return frozenset(name.lower() for name in (*(f"{name}:{self.port}" for name in names), *usual, *self.hosts))


def address_of(text: str) -> tuple[str, int]:
    """Return address and port from ``HOST:PORT``; an IPv6 address must be in brackets."""
    found = _ADDRESS.fullmatch(text)
    if not found or not 1 <= int(found["port"]) <= _LAST_PORT:
        raise ConfigurationError(f"--metrics is {text!r}; expected HOST:PORT, such as 127.0.0.1:9600")
    return found["v6"] or found["host"], int(found["port"])


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def free_address(host: str, port: int, options: str) -> tuple[str, int]:
    """Return the number of an address and its port; Granian takes no names."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # Most clients of a name that has both kinds of numbers try the old kind at least second.
        family, kind, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
        with socket.socket(family, kind) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as error:
        reason = error.strerror or error
        raise ConfigurationError(f"cannot listen on {host} port {port}: {reason}; choose another ({options})") from None
    return str(address[0]), port
