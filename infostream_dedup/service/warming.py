"""Loads in the background what a service needs for its first answers."""

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
    """Load page templates, methods, and code that compares two texts, in a separate thread."""
    thread = threading.Thread(target=_load, name="warming", daemon=True)
    thread.start()
    return thread


def _load() -> None:
    from infostream_dedup.api.passages import compare
    from infostream_dedup.lab.methods import methods
    from infostream_dedup.service.language import PAGE_LANGUAGES, words_of
    from infostream_dedup.service.pages.frame import load_templates

    load_templates()
    for name in PAGE_LANGUAGES:
        words_of(name)
    for text in _TEXTS:
        compare(text, f"{text} {text}")
    methods()
