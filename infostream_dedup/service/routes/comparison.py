"""Two stored documents side by side."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.service.answers import JsonResponse, needs
from infostream_dedup.service.pair_view import comparison_of, pieces_shown, versions_of_pair
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import running
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import key_terms_of

__all__ = ["compared", "router"]

router = APIRouter(prefix="/v1", tags=["documents"])


@router.get("/compare", dependencies=[needs("reader")], response_class=JsonResponse)
async def compare(request: Request, a: str, b: str) -> Response:
    """The passages that two documents share, their coverage, and the key terms of both.

    For documents in two languages, ``met`` has the nouns and names that translate each other, with their places. Of one
    document twice, its last two versions are compared.
    """
    return JsonResponse(await running(request).read(lambda store: compared(store, a, b)))


def compared(store: Store, a: str, b: str) -> dict[str, Any]:
    """Compare two documents of a store.

    Raises:
        ProblemError: ``not-found``, ``forgotten`` or ``texts-not-kept``.
    """
    sides = [_side(store, found) for found in versions_of_pair(store, a, b)]
    found = comparison_of(sides, sides[0]["text"], sides[1]["text"])
    for side, pieces in zip(sides, (found.pieces_a, found.pieces_b), strict=True):
        side["pieces"] = pieces_shown(pieces)
        del side["text"]
    return {"a": sides[0], "b": sides[1], **found.as_dict()}


def _side(store: Store, found: dict[str, Any]) -> dict[str, Any]:
    if found["forgotten"]:
        raise ProblemError(410, "forgotten")
    text = store.text(found["ordinal"])
    if text is None:
        raise ProblemError(
            409, "texts-not-kept", "start the service with --keep-text: it keeps the texts of later documents"
        )
    kept = {name: found[name] for name in ("id", "version", "title", "source", "language", "published", "group")}
    return {**kept, "key_terms": key_terms_of(store.connection, found["ordinal"]), "text": text}
