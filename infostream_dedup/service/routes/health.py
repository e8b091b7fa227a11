"""Whether the service is alive and ready; its figures, which name no document, term or source, for anybody."""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from infostream_dedup.errors import InfostreamError
from infostream_dedup.service.answer_models import Health, Ready, file_of
from infostream_dedup.service.answers import READER, JsonResponse
from infostream_dedup.service.figures import figure_now, health_now
from infostream_dedup.service.logs import log, reason_of
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.routes.judgements import alarms_shown
from infostream_dedup.service.running import RunningService, running
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.restoring import position_of, window_start

router = APIRouter(tags=["health"])
_ROOM: Final = 256 * 1024 * 1024


@router.get("/health", response_model=Health)
async def health() -> Any:
    """The process is alive; nothing else is checked."""
    return JsonResponse({"status": "ok"})


@router.get("/ready", response_model=Ready)
async def ready(request: Request) -> Any:
    """The store is open, the window is restored, pages are loaded, and there is room on the disk."""
    service = running(request)
    service.check_place()
    if service.writer is not None:
        if service.writer.failure is not None:
            # Open to anybody, so the reason is left out; the operator finds it on standard error.
            raise ProblemError(503, "starting", "the store cannot be opened", retry_after=30)
        if not service.writer.ready:
            raise ProblemError(503, "starting", retry_after=2)
    if service.loading:
        raise ProblemError(503, "starting", retry_after=2)
    if service.rereading:
        raise ProblemError(503, "store-restored", retry_after=2)
    if _free(service) < _ROOM:
        raise ProblemError(503, "disk-full", "less than 256 MB are free next to the store", retry_after=30)
    return JsonResponse({"status": "ready"})


@router.get("/metrics", dependencies=READER, response_class=Response, responses=file_of("text/plain"))
async def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    return await figures_of(running(request))


async def figures_of(service: RunningService) -> Response:
    """Return the figures of this moment as Prometheus reads them."""
    figures = service.metrics
    writer = service.writer
    if writer is not None:
        figures.queue.set(writer.waiting)
        if writer.restore_seconds is not None:
            figures.restore_seconds.set(writer.restore_seconds)
    figures.streams.set(service.streams)
    store = service.settings.store
    figures.store_bytes.set(_size(str(store)))
    figures.log_bytes.set(_size(f"{store}-wal"))
    figures.desk_bytes.set(_size(str(service.desk.path)))
    figures.free_bytes.set(_free(service))
    if writer is None or writer.ready:
        batches, stored, window, groups = await service.read(_counts)
        service.see_batches(batches)
        figures.stored.set(stored)
        figures.window.set(window)
        figures.groups.set(groups)
        figures.silent_sources.set(len((await figure_now(service, "activity"))["silent"]))
        if measured := await health_now(service):
            figures.see_epoch([one for one in measured if one.epoch == measured[-1].epoch])
        # A damaged desk must not hide the other figures.
        with contextlib.suppress(InfostreamError):
            figures.open_alarms.set(sum(alarm["state"] == "open" for alarm in await alarms_shown(service)))
    return Response(figures.page(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _counts(store: Store) -> tuple[int, int, int, int]:
    """Batches and documents of the store, documents of the window, and groups."""
    position = position_of(store.connection)
    (groups,) = store.connection.execute("SELECT count(*) FROM grouping").fetchone()
    return position.batches, position.documents, position.documents - window_start(store.connection), groups


def _free(service: RunningService) -> int:
    return shutil.disk_usage(service.settings.store.resolve().parent).free


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - it is not a failure if a log disappears meanwhile
    except OSError:
        return 0


_PATH: Final = "/metrics"


def metrics_application(service: RunningService) -> Starlette:
    """Return an application that answers ``GET /metrics`` alone."""

    async def answer(_: Request) -> Response:
        try:
            return await figures_of(service)
        except Exception as error:  # Prometheus gets an answer, and the log the reason
            log("request", level="error", method="GET", route=_PATH, status=503, reason=reason_of(error))
            return PlainTextResponse("the figures cannot be read now; the log of the service says why\n", 503)

    return Starlette(routes=[Route(_PATH, answer)])
