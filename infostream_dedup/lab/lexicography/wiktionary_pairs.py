"""Reads pairs from a Wiktionary dump by wiktextract, as offered by kaikki.org: one JSON object per line.

An entry has ``word``, ``lang_code``, ``pos`` and ``translations``, each with ``code`` (newer dumps: ``lang_code``) and
``word``; those of single senses are under ``senses``. See the README of wiktextract (Ylonen, LREC 2022).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from infostream_dedup.lab.lexicography.pair_intake import PairIntake

__all__ = ["read_wiktionary"]

_PARTS: Final = {"noun": "noun", "name": "name", "proper noun": "name", "adj": "adj", "adjective": "adj"}
_ADVICE: Final = "get the dump again or remove the line"
_FIELDS: Final = ("word", "translations")


def read_wiktionary(stream: BinaryIO, intake: PairIntake) -> None:
    """Read the entries of both languages: translations from either into the other.

    Entries of other languages, redirects and translations without a word are left out.

    Args:
        stream: JSON Lines.
        intake: receives the pairs.
    """
    import orjson

    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        try:
            entry = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            intake.reject(number, None, f"is not JSON ({error}); {_ADVICE}")
            continue
        if not isinstance(entry, dict):
            intake.reject(number, None, f"a JSON {type(entry).__name__}; expected an object; {_ADVICE}")
            continue
        _read_entry(entry, number, intake)


def _read_entry(entry: dict[str, Any], line: int, intake: PairIntake) -> None:
    source, target = intake.wanted.source, intake.wanted.target
    language = entry.get("lang_code")
    if "redirect" in entry or language not in (source, target):
        intake.leave_out("an entry of another language or a redirect")
        return
    word = entry.get("word")
    if not isinstance(word, str):
        intake.reject(line, "word", f"{word!r}; expected a text; {_ADVICE}")
        return
    part = _PARTS.get(str(entry.get("pos", "")).casefold(), "")
    other = target if language == source else source
    for place, translation in _find_translations(entry):
        if not isinstance(translation, dict):
            intake.reject(line, place, f"{translation!r}; expected an object; {_ADVICE}")
        elif (translation.get("code") or translation.get("lang_code")) == other:
            equivalent = translation.get("word") or ""
            if not isinstance(equivalent, str):
                intake.reject(line, place, f"the word is {equivalent!r}; expected a text; {_ADVICE}")
                continue
            words = (word, equivalent) if language == source else (equivalent, word)
            intake.offer(line, words, part, fields=_FIELDS, edited=False)


def _find_translations(entry: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the translations of the entry and of its senses, each with the name of its field."""
    senses = entry.get("senses")
    holders = [("translations", entry)]
    holders += [("senses.translations", sense) for sense in (senses if isinstance(senses, list) else [])]
    for place, holder in holders:
        found = holder.get("translations") if isinstance(holder, dict) else None
        if found is None:
            continue
        if not isinstance(found, list):
            yield place, found
            continue
        yield from ((place, one) for one in found)
