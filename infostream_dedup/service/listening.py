"""A server whose connections end when a client leaves for too long what was sent to it."""

from __future__ import annotations

import os
import socket
from typing import Any, Final

from granian.net import SocketSpec  # type: ignore[attr-defined]
from granian.server.embed import Server

__all__ = ["ListeningServer"]

_BUFFER: Final = 256 * 1024
"""Bytes of an answer that the system holds for one client at most; it doubles the number for its own needs."""


class ListeningServer(Server):
    """Granian with a limit of time and room for what a client has not read.

    An answer that fits into the buffers of the system is sent as far as the service can see, however long the client
    leaves it there: only the system can end such a connection.

    Args:
        application: see Granian, also for ``options``.
        silent_seconds: how long what was sent may wait for a client that does not read (where the system is Linux).
        options: further values for Granian.
    """

    def __init__(self, application: Any, *, silent_seconds: float, **options: Any) -> None:
        super().__init__(application, **options)
        self._silent_seconds = silent_seconds

    def _init_shared_socket(self) -> None:
        # By itself, Granian would listen only later on Linux, out of reach.
        self._shd: Any = SocketSpec(self.bind_addr, self.bind_port, self.backlog).build()
        with socket.socket(fileno=os.dup(self._shd.get_fd())) as listening:
            # Connections get what the socket has that they come to.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                milliseconds = int(1000 * self._silent_seconds)
                listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
