"""What a service is started with."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.service.limits import ServiceLimits
from infostream_dedup.service.proxies import Network

__all__ = ["ServiceSettings", "address_of"]

_USUAL_PORT: Final = 80
_LAST_PORT: Final = 65_535
_EVERYWHERE: Final = frozenset(("0.0.0.0", "::"))  # noqa: S104 - compared with, not listened on
_ADDRESS: Final = re.compile(r"(?:\[(?P<v6>[^\[\]]+)\]|(?P<host>[^:\[\]]+)):(?P<port>\d{1,5})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """What a service is started with.

    Attributes:
        store: the store it serves; created if it does not exist, unless ``read_only``.
        host: address to listen on.
        port: port to listen on.
        hosts: further names by which clients may call it, with the port if it is not the usual one.
        proxies: proxies whose ``X-Forwarded-For`` is believed.
        metrics: address and port at which the figures for Prometheus need no token; None: nowhere.
        token_file: who may do what (see ``tokens``); None: one local person who may do everything.
        read_only: serve a store that another process writes.
        stream: settings of a new store by name (see ``StreamSettings``).
        limits: see there.

    Raises:
        ConfigurationError: without a token, it would be open to other machines; or the figures would hide the service.
    """

    store: Path
    host: str = "127.0.0.1"
    port: int = 8600
    hosts: tuple[str, ...] = ()
    proxies: tuple[Network, ...] = ()
    metrics: tuple[str, int] | None = None
    token_file: Path | None = None
    read_only: bool = False
    stream: dict[str, object] = field(default_factory=dict)
    limits: ServiceLimits = field(default_factory=ServiceLimits)

    def __post_init__(self) -> None:
        if self.token_file is None and not _is_loopback(self.host):
            raise ConfigurationError(
                f"{self.host} can be reached from other machines; name who may do what (--token-file), or listen on "
                "127.0.0.1"
            )
        if self.metrics is not None and _overlap(self.metrics, (self.host, self.port)):
            raise ConfigurationError(f"--metrics is the address of the service itself, port {self.port}; name another")

    @property
    def known_hosts(self) -> frozenset[str]:
        """Values of the header ``Host`` that are answered, in lower case."""
        names = ["localhost", "127.0.0.1", "[::1]"] if _is_loopback(self.host) else [_bracketed(self.host)]
        # Clients leave out the usual port.
        usual = names if self.port == _USUAL_PORT else []
        return frozenset(name.lower() for name in (*(f"{name}:{self.port}" for name in names), *usual, *self.hosts))


def address_of(text: str) -> tuple[str, int]:
    """Return address and port from ``HOST:PORT``; an IPv6 address must be in brackets.

    Raises:
        ConfigurationError: it is something else.

    Example:
        >>> address_of("127.0.0.1:9600"), address_of("[::1]:9600")
        (('127.0.0.1', 9600), ('::1', 9600))
    """
    found = _ADDRESS.fullmatch(text)
    if not found or not 1 <= int(found["port"]) <= _LAST_PORT:
        raise ConfigurationError(f"--metrics is {text!r}; expected HOST:PORT, such as 127.0.0.1:9600")
    return found["v6"] or found["host"], int(found["port"])


def _overlap(one: tuple[str, int], other: tuple[str, int]) -> bool:
    """Whether two listeners have an address in common."""
    return one[1] == other[1] and (one[0] == other[0] or not _EVERYWHERE.isdisjoint((one[0], other[0])))


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
