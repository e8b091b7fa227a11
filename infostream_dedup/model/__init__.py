"""Plain data that passes between the stages."""

from infostream_dedup.model.document import (
    LANGUAGES,
    OUR_LANGUAGES,
    Document,
    Language,
    full_text,
    language_number,
    without_text,
)
from infostream_dedup.model.settings import PRESETS, Settings
from infostream_dedup.model.version import VERSION

__all__ = [
    "LANGUAGES",
    "OUR_LANGUAGES",
    "PRESETS",
    "VERSION",
    "Document",
    "Language",
    "Settings",
    "full_text",
    "language_number",
    "without_text",
]
