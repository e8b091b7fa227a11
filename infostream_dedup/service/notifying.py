"""Tells systemd that the service is ready or ending (sd_notify), if systemd started it."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

__all__ = ["tell_system"]


def tell_system(state: str) -> None:
    """Send a state to the socket that the environment names.

    Args:
        state: a line such as ``READY=1``.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    # A name that begins with @ is an abstract one, which the system writes with a zero byte.
    name = f"\0{address[1:]}" if address.startswith("@") else address
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out, suppress(OSError):
        out.sendto(state.encode(), name)
