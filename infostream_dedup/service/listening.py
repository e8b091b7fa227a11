"""A server that closes connections whose clients leave answers unread for too long."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any, Final

from granian.net import SocketSpec  # type: ignore[attr-defined]
from granian.server.embed import Server

_BUFFER: Final = 256 * 1024
"""Maximum bytes of an answer that the system buffers for one client; it doubles the number for its own needs."""


class ListeningServer(Server):
    """Granian with limits on how much a client may leave unread, and how long."""

    def __init__(self, application: Any, *, silent_seconds: float, listens: Callable[[], None], **options: Any) -> None:
        super().__init__(application, **options)
        self._silent_seconds = silent_seconds
        self._listens = listens

    def _init_shared_socket(self) -> None:
        # On Linux, Granian would otherwise create the socket later, where its options cannot be set.
        self._shd: Any = SocketSpec(self.bind_addr, self.bind_port, self.backlog).build()
        with socket.socket(fileno=os.dup(self._shd.get_fd())) as listening:
            # Connections inherit the options of the listening socket.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                milliseconds = int(1000 * self._silent_seconds)
                listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
            # Granian itself listens later: a client that connects once it knows the address would be refused.
            listening.listen(self.backlog)
        self._listens()
