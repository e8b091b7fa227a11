"""Word lists, name tables and word frequencies."""

from __future__ import annotations

from infostream_dedup.language.lexicon.folder import dictionaries_folder
from infostream_dedup.language.lexicon.frequency import form_frequencies, zipf
from infostream_dedup.language.lexicon.name_tables import Name, NameKind, names, personal_names
from infostream_dedup.language.lexicon.spelling import APOSTROPHE, key_form
from infostream_dedup.language.lexicon.word_lists import ListedWord, added_nouns, excluded, repairs, stop_words

__all__ = [
    "APOSTROPHE",
    "ListedWord",
    "Name",
    "NameKind",
    "added_nouns",
    "dictionaries_folder",
    "excluded",
    "form_frequencies",
    "key_form",
    "names",
    "personal_names",
    "repairs",
    "stop_words",
    "zipf",
]
