"""Routes with a word after an id, which an id may end in as well."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

__all__ = ["LiteralEndRoute"]


class LiteralEndRoute(APIRoute):
    """A route such as ``/documents/{id:path}/similar``, whose last slash must be sent as a slash.

    Routes match the decoded path, in which ``a%2Fsimilar``, an id, looks like ``a/similar``, a question about ``a``.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match as usual, unless the last segment is part of the id."""
        _, after_id, word = self.path.rpartition("}/")
        last = unquote_to_bytes(scope["raw_path"].rpartition(b"/")[2])
        return super().matches(scope) if not after_id or last == word.encode() else (Match.NONE, {})
