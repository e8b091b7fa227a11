"""Whose request a proxy passes on, by the header ``X-Forwarded-For``."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from typing import Final

from infostream_dedup.errors import ConfigurationError

__all__ = ["Network", "client_address", "network_of"]

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_WITH_PORT: Final = re.compile(r"\[(?P<v6>[^\]]*)\](?::\d+)?|(?P<v4>[\d.]+):\d+", re.ASCII)
"""Some proxies add the port of the client."""


def network_of(text: str) -> Network:
    """Return the network that an address or network in text stands for.

    Raises:
        ConfigurationError: it is neither.
    """
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ConfigurationError(f"--proxies: {error}; give addresses or networks, such as 10.0.0.0/8") from None


def client_address(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """Return the address of the client.

    Each proxy appends the address that called it, so the client's is the last one that does not belong to a trusted
    proxy. Whatever precedes it may be made up.

    Args:
        peer: the address at the other end of the connection.
        forwarded: values of ``X-Forwarded-For`` in their order.
        proxies: the proxies to trust.

    Returns:
        The peer if it is not a trusted proxy, or if the header is missing or contains something that is not an address.
    """
    found = peer
    names = ",".join(forwarded).split(",") if forwarded else []
    while _is_among(found, proxies) and names:
        address = _address(names.pop())
        if address is None:
            return peer
        found = str(address)
    return found


def _is_among(text: str, proxies: Sequence[Network]) -> bool:
    address = _address(text) if proxies else None
    return address is not None and any(address in network for network in proxies)


def _address(text: str) -> Address | None:
    text = text.strip()
    parts = _WITH_PORT.fullmatch(text)
    try:
        address = ipaddress.ip_address((parts["v6"] or parts["v4"]) if parts else text)
    except ValueError:
        return None
    # A socket for both versions shows addresses of version 4 in this form.
    return getattr(address, "ipv4_mapped", None) or address
