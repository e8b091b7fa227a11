"""What first answers need, loaded in the background when a service starts."""

from __future__ import annotations

import threading
from typing import Final

__all__ = ["warm_pages"]

_TEXTS: Final = (
    "Мэр Харькова открыл новый мост через реку. Горожане пришли посмотреть на салют.",
    "Мер Харкова відкрив новий міст через річку. Містяни прийшли подивитися на салют.",
    "The mayor opened a new bridge across the river. Thousands came to see the fireworks.",
)


def warm_pages() -> threading.Thread:
    """Load the templates of pages, the methods, and what compares two texts, in a thread of its own."""
    thread = threading.Thread(target=_load, name="warming", daemon=True)
    thread.start()
    return thread


def _load() -> None:
    from infostream_dedup.api.passages import compare
    from infostream_dedup.methods import methods
    from infostream_dedup.service.language import PAGE_LANGUAGES, words_of
    from infostream_dedup.service.pages.frame import load_templates

    load_templates()
    for name in PAGE_LANGUAGES:
        words_of(name)
    for text in _TEXTS:
        compare(text, f"{text} {text}")
    methods()
