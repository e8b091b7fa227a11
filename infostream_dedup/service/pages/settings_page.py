"""What the store was made with, and who may do what."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.model.version import VERSION
from infostream_dedup.service.answers import needs
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.running import caller_of, running
from infostream_dedup.service.tokens import Tokens
from infostream_dedup.stream.settings import KEY_TERMS_DECIDE, StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.restoring import position_of

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

EXPLAINED: Final = (
    *("preset", "across", "k_duplicate", "k_similar", "join", "keep_text", "window_days", "window_documents"),
    *("epoch_documents", "best"),
)
"""Settings that the page explains; the others are listed by name only."""


@router.get("/settings", dependencies=[needs("reader")])
async def show_settings(request: Request) -> Response:
    """Settings of the store, which never change."""
    service = running(request)

    def question(store: Store) -> dict[str, Any]:
        position = position_of(store.connection)
        return {
            "stream": StreamSettings.of(store.settings).as_dict(),
            "documents": position.documents,
            "batches": position.batches,
        }

    found = await service.read(question)
    judged = found["stream"]["preset"] == "judged"
    meaningless = KEY_TERMS_DECIDE if judged else ("join",)
    tokens: Tokens | None = request.app.state.tokens
    caller = caller_of(request)
    return page(
        request,
        "settings",
        rows=sorted((name, _plain(value)) for name, value in found["stream"].items() if name not in meaningless),
        explained=EXPLAINED,
        documents=found["documents"],
        batches=found["batches"],
        read_only=service.writer is None,
        version=VERSION,
        caller=caller,
        callers=tokens.callers() if tokens is not None and caller.may("admin") else [],
        store=service.settings.store.name,
    )


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(one)}" for name, one in sorted(value.items()))
    if value is None or isinstance(value, bool):
        return {True: "✓", False: "✗", None: "–"}[value]
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
