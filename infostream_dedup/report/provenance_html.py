"""Renders groups and the origin of their texts as one self-contained HTML page: no scripts, everything escaped."""

from __future__ import annotations

from collections.abc import Sequence

from infostream_dedup.passages.provenance import Provenance
from infostream_dedup.report.html import environment

__all__ = ["provenance_page"]


def provenance_page(groups: Sequence[tuple[str, Provenance]]) -> str:
    """Render the first document of each group, and every copy with kept, changed and added text marked.

    Args:
        groups: name and provenance of each group.
    """
    return environment().get_template("provenance.html").render(groups=groups)
