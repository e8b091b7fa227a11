"""Runs the service until it is asked to end; closes connections whose clients leave answers unread for too long."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.api.webhook import pushed
from infostream_dedup.errors import ConfigurationError, InfostreamError, MissingExtraError, StoreMovedError
from infostream_dedup.machine.platform import allow_open_files, keep_heap_small, on_requests_to_end, trim_heap

try:  # before what needs them
    import fastapi  # noqa: F401
    import jinja2  # noqa: F401
    from granian.net import SocketSpec  # type: ignore[attr-defined]
    from granian.server.embed import Server
except ImportError as missing:
    raise MissingExtraError(missing.name or "fastapi", "service", "the service") from None

from infostream_dedup.service.checker import QUESTIONS
from infostream_dedup.service.logs import Metrics, log
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.settings import ServiceSettings, free_address

if TYPE_CHECKING:
    from infostream_dedup.service.running import RunningService


def tell_system(state: str) -> None:
    """Send a state to the socket that the environment names."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    # A name that begins with @ is an abstract one, which the system writes with a zero byte.
    name = f"\0{address[1:]}" if address.startswith("@") else address
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out, suppress(OSError):
        out.sendto(state.encode(), name)


def warm_pages() -> threading.Thread:
    """Load page templates, methods, and code that compares two texts, in a separate thread."""
    thread = threading.Thread(target=_load, name="warming", daemon=True)
    thread.start()
    return thread


def _load() -> None:
    from infostream_dedup.api.passages import compare
    from infostream_dedup.lab.methods import methods
    from infostream_dedup.service.pages.frame import PAGE_LANGUAGES, load_templates, words_of

    load_templates()
    for name in PAGE_LANGUAGES:
        words_of(name)
    for text in QUESTIONS:
        compare(text, f"{text} {text}")
    methods()


_HEADER_MILLISECONDS: Final = 13_000
_LAG_SECONDS: Final = 1.0
_TRIM_SECONDS: Final = 20.0
_TURN_SECONDS: Final = 0.0005
"""How long the writer continues while an answer waits for the interpreter; an answer waits several times."""

_WAITING: Final = 1_024  # connections that the system holds until the service accepts them

_READ_BYTES: Final = 24 * 1024
"""What Granian reads of a connection before somebody takes it; its own limit of 408 kB counts once for every client."""

_CONNECTIONS: Final = 4_096
"""Simultaneous connections; Granian's default is so low that idle clients could block all others."""


def run(settings: ServiceSettings, *, tell: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; the current batch is finished first."""
    sys.setswitchinterval(_TURN_SECONDS)
    keep_heap_small()
    addresses = [free_address(settings.host, settings.port, "--host, --port")]
    if settings.metrics is not None:
        addresses.append(free_address(*settings.metrics, "--metrics"))
        if addresses[0] == addresses[1]:  # by another name: localhost
            raise ConfigurationError(
                f"--metrics is the address of the service itself, port {settings.port}; name another"
            )
    allow_open_files(2 * _CONNECTIONS)
    with contextlib.ExitStack() as stack:
        if settings.webhook is not None:
            receiver = settings.store, settings.webhook, settings.webhook_secret
            stack.enter_context(pushed(*receiver, lambda reason: log("webhook", level="warning", reason=reason)))
        asyncio.run(_serve(settings, addresses, tell))


async def _serve(settings: ServiceSettings, addresses: list[tuple[str, int]], tell: Callable[[str], None]) -> None:
    from infostream_dedup.service.application import application
    from infostream_dedup.service.routes.health import metrics_application
    from infostream_dedup.service.running import open_stream

    if not settings.read_only:
        open_stream(settings.store, settings.stream).close()  # wrong settings are refused before it says that it serves
    guard = application(settings)
    async with guard.alive() as service:
        applications = (guard, metrics_application(service))
        # Without an address for the figures alone, the first application is the only one.
        waited_for = list(addresses)

        def listens() -> None:
            waited_for.pop()
            if not waited_for:
                tell(f"http://{settings.host}:{settings.port}")

        servers = [_server(one, settings, listens, *to) for one, to in zip(applications, addresses, strict=False)]

        def end() -> None:
            # Connections of event streams end only once their streams have ended by themselves.
            tell_system("STOPPING=1")
            service.ended.set()
            for server in servers:
                server.stop()  # type: ignore[no-untyped-call]

        loop = asyncio.get_running_loop()
        on_requests_to_end(loop, end)
        watches = [
            loop.create_task(_watch_lag(service.metrics)),
            loop.create_task(_watch_store(service, end)),
            loop.create_task(_trim()),
        ]
        service.loading = True
        opening = loop.create_task(_when_opened(service, warm_pages(), end))
        try:
            await asyncio.gather(*(server.serve() for server in servers))
        finally:
            for task in (*watches, opening):
                task.cancel()
    failure = service.failure or (None if service.writer is None else service.writer.failure)
    if failure is not None:
        raise failure


def _server(
    application: Any, settings: ServiceSettings, listens: Callable[[], None], host: str, port: int
) -> ListeningServer:
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings

    return ListeningServer(
        application,
        silent_seconds=settings.limits.silent_seconds,
        listens=listens,
        address=host,
        port=port,
        interface=Interfaces.ASGINL,
        # Looking for HTTP/2 would wait for 24 bytes without a time limit.
        http=HTTPModes.http1,
        websockets=False,
        log_enabled=False,
        backlog=_WAITING,
        backpressure=_CONNECTIONS,
        http1_settings=HTTP1Settings(header_read_timeout=_HEADER_MILLISECONDS, max_buffer_size=_READ_BYTES),
    )


async def _when_opened(service: RunningService, warming: threading.Thread, end: Callable[[], None]) -> None:
    """Load and count what pages show, then report readiness; end the service if the store cannot be opened."""
    from infostream_dedup.service.figures import count_ahead

    if service.writer is not None:
        await asyncio.to_thread(service.writer.wait)
        if service.writer.failure is not None:
            end()
            return
    await asyncio.to_thread(warming.join)
    await asyncio.to_thread(service.readers.open_all)
    with contextlib.suppress(ProblemError):  # the page will report it
        await count_ahead(service)
    # Everything loaded so far stays: garbage collections, a tenth of a second each, can skip it.
    gc.freeze()
    service.loading = False
    tell_system("READY=1")


async def _watch_lag(metrics: Metrics) -> None:
    loop = asyncio.get_running_loop()
    while True:
        then = loop.time()
        await asyncio.sleep(_LAG_SECONDS)
        metrics.loop_lag.set(max(0.0, loop.time() - then - _LAG_SECONDS))
        # Where the unit has WatchdogSec, a service that answers nobody any more is started again.
        tell_system("WATCHDOG=1")


async def _trim() -> None:
    """Give back pages between small objects, which would otherwise stay from the busiest minute on."""
    while True:
        await asyncio.sleep(_TRIM_SECONDS)
        await asyncio.to_thread(trim_heap)


async def _watch_store(service: RunningService, end: Callable[[], None]) -> None:
    """End the service once its store or desk is no longer at its path; notice that the store went back to a backup."""
    while True:
        await asyncio.sleep(_LAG_SECONDS)
        try:
            service.check_place()
            # A store that is still being opened, or cannot be read, is reported by every request.
            with suppress(InfostreamError, ProblemError):
                await service.see_restored()
        except StoreMovedError:
            end()
            return


# A server that closes connections whose clients leave answers unread for too long

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
