"""Plain data passed between the stages."""

from infostream_dedup.model.document import (
    LANGUAGES,
    NO_TIME,
    OUR_LANGUAGES,
    Document,
    DocumentBlock,
    DocumentFields,
    KeptDocuments,
    Language,
    NotCompared,
    fields_of,
    full_text,
    heading,
    language_number,
    microseconds_of,
    moment_of,
    single_documents,
    with_texts,
    without_text,
)
from infostream_dedup.model.limits import names_in, one_or_several
from infostream_dedup.model.settings import PRESETS, Settings
from infostream_dedup.model.version import VERSION

__all__ = [
    "LANGUAGES", "NO_TIME", "OUR_LANGUAGES", "PRESETS", "VERSION", "Document", "DocumentBlock", "DocumentFields",
    "KeptDocuments", "Language", "NotCompared", "Settings", "fields_of", "full_text", "heading",
    "language_number", "microseconds_of", "moment_of", "names_in", "one_or_several", "single_documents", "with_texts",
    "without_text",
]  # fmt: skip
