"""Renders groups and the origin of their texts as one self-contained HTML page: no scripts, everything escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from infostream_dedup.judging.passages.boilerplate import Boilerplate
from infostream_dedup.judging.passages.original_message import original_message
from infostream_dedup.judging.passages.provenance import Provenance
from infostream_dedup.report.html import environment

__all__ = ["provenance_page"]

_MOST_MEMBERS: Final = 50
"""Larger groups mostly repeat the same text, and compiling one message from them takes long."""


def provenance_page(groups: Sequence[tuple[str, Provenance]], boilerplate: Boilerplate | None = None) -> str:
    """Render the first document of each group, and every copy with kept, changed and added text marked.

    Args:
        groups: name and provenance of each group.
        boilerplate: sentences left out of the messages.
    """
    messages = [
        original_message([group.first, *(copy.document for copy in group.copies)], boilerplate)
        if len(group.copies) < _MOST_MEMBERS
        else []
        for _, group in groups
    ]
    return environment().get_template("provenance.html").render(groups=groups, messages=messages)
