"""Convert the settings of a store that concern terms to settings of a collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from infostream_dedup.model import Settings


def settings_of_terms(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a store that ``Settings`` also has: all that decided its key terms."""
    return {field.name: stored[field.name] for field in fields(Settings) if field.name in stored}
