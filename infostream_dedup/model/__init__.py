"""Plain data that passes between the stages."""

from infostream_dedup.model.document import LANGUAGES, Document, Language, full_text, without_text
from infostream_dedup.model.settings import PRESETS, Settings
from infostream_dedup.model.version import VERSION

__all__ = ["LANGUAGES", "PRESETS", "VERSION", "Document", "Language", "Settings", "full_text", "without_text"]
