"""Plain data that passes between the stages."""

from infostream_dedup.model.document import LANGUAGES, Document, Language
from infostream_dedup.model.settings import PRESETS, Settings

__all__ = ["LANGUAGES", "PRESETS", "Document", "Language", "Settings"]
