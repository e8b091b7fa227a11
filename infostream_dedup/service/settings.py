"""What a service is started with."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.service.limits import ServiceLimits
from infostream_dedup.service.proxies import Network

__all__ = ["ServiceSettings"]

_USUAL_PORT: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """What a service is started with.

    Attributes:
        store: the store it serves; created if it does not exist, unless ``read_only``.
        host: address to listen on.
        port: port to listen on.
        hosts: further names by which clients may call it, with the port if it is not the usual one.
        proxies: proxies whose ``X-Forwarded-For`` is believed.
        token_file: who may do what (see ``tokens``); None: one local person who may do everything.
        read_only: serve a store that another process writes.
        stream: settings of a new store by name (see ``StreamSettings``).
        limits: see there.

    Raises:
        ConfigurationError: without a token, it would be open to other machines.
    """

    store: Path
    host: str = "127.0.0.1"
    port: int = 8600
    hosts: tuple[str, ...] = ()
    proxies: tuple[Network, ...] = ()
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

    @property
    def known_hosts(self) -> frozenset[str]:
        """Values of the header ``Host`` that are answered, in lower case."""
        names = ["localhost", "127.0.0.1", "[::1]"] if _is_loopback(self.host) else [_bracketed(self.host)]
        # Clients leave out the usual port.
        usual = names if self.port == _USUAL_PORT else []
        return frozenset(name.lower() for name in (*(f"{name}:{self.port}" for name in names), *usual, *self.hosts))


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
