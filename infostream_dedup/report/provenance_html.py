"""Groups and where their texts come from as one self-contained HTML page: no script, everything escaped."""

from __future__ import annotations

from collections.abc import Sequence

from infostream_dedup.passages.provenance import Provenance
from infostream_dedup.report.html import environment

__all__ = ["provenance_page"]


def provenance_page(groups: Sequence[tuple[str, Provenance]]) -> str:
    """The first document of each group, and every copy with what it kept, changed and added marked in its text.

    Args:
        groups: name and provenance of each.
    """
    return environment().get_template("provenance.html").render(groups=groups)
