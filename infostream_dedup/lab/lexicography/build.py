"""Writes frequency dictionaries as tables, with a manifest that says what they were made from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from infostream_dedup.documents.outputs import check_output, open_output
from infostream_dedup.errors import CannotCreateError
from infostream_dedup.lab.lexicography.frequency_dictionary import DictionaryEntry, check_request, frequency_dictionary
from infostream_dedup.language.lexicon.folder import data_folder
from infostream_dedup.language.morphology.cache_file import fingerprint, package_versions
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Language

__all__ = ["COLUMNS", "BuiltDictionary", "build", "built_folder"]

COLUMNS: Final = ("term", "kinds", "zipf", "source", "forms")
"""Columns of the tables; kinds are separated by bars, forms by spaces."""

_MANIFEST: Final = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltDictionary:
    """A frequency dictionary that was written.

    Attributes:
        language: language of its terms.
        terms: number of rows.
        in_use: number of terms whose forms wordfreq has; the others only occur in dictionaries and lists of names.
        nouns: number of common nouns, in English of stems.
        surnames: number of surnames; a term can have several kinds.
        organisations: number of names of organisations.
        places: number of names of places.
        other_names: number of terms with other kinds only: first names, patronymics, abbreviations.
        file: its path.
    """

    language: Language
    terms: int
    in_use: int
    nouns: int
    surnames: int
    organisations: int
    places: int
    other_names: int
    file: Path


def built_folder() -> Path:
    """Return where dictionaries are written by default; the folder need not exist."""
    return data_folder() / "frequency-dictionaries"


def build(
    folder: Path, languages: Sequence[Language], *, most: int | None = None, progress: Progress | None = None
) -> list[BuiltDictionary]:
    """Write one table a language, then the manifest; same sources, same bytes.

    A file is written completely or not at all. The manifest names the tables of this call only; an earlier one is
    removed before any table is replaced.

    Args:
        folder: where to write; made if it does not exist.
        languages: languages of the tables, each once.
        most: see ``frequency_dictionary``.
        progress: called with the number of words.

    Raises:
        ConfigurationError: there is no such language, or ``most`` is below 1.
        CannotCreateError: the folder or a file cannot be created.
        CannotWriteError: writing failed.
    """
    check_request(languages, most)
    _prepare(folder, languages)
    built: list[BuiltDictionary] = []
    digests: dict[str, dict[str, Any]] = {}
    for language in languages:
        entries = frequency_dictionary(language, most=most, progress=progress)
        content = "".join("\t".join(row) + "\n" for row in (COLUMNS, *map(_cells, entries))).encode()
        path = _table(folder, language)
        with open_output(path) as output:
            output.write(content)
        built.append(_counted(entries, language, path))
        digests[path.name] = {"terms": len(entries), "sha256": sha256(content).hexdigest()}
    manifest = {
        "tables": digests,
        "most_frequent_forms": most,
        "packages": package_versions(),
        "fingerprint_of_dictionaries_and_rules": fingerprint(),
    }
    with open_output(folder / _MANIFEST) as output:
        output.write((json.dumps(manifest, indent=2) + "\n").encode())
    return built


def _prepare(folder: Path, languages: Sequence[Language]) -> None:
    """Make the folder, and refuse what could not be written minutes later."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CannotCreateError(f"{str(folder)!r} cannot be created: {reason}") from None
    for language in languages:
        check_output(_table(folder, language))
    check_output(folder / _MANIFEST)
    (folder / _MANIFEST).unlink(missing_ok=True)


def _table(folder: Path, language: Language) -> Path:
    return folder / f"{language}.tsv"


def _cells(entry: DictionaryEntry) -> tuple[str, ...]:
    # Without the line, which a row added before it would change.
    source = entry.source.partition(":")[0]
    return entry.term, "|".join(entry.kinds), f"{entry.zipf:.2f}", source, " ".join(entry.forms)


def _counted(entries: Sequence[DictionaryEntry], language: Language, path: Path) -> BuiltDictionary:
    kinds = Counter(kind for entry in entries for kind in entry.kinds)
    told = {"noun", "stem", "surname", "organisation", "place"}
    return BuiltDictionary(
        language=language,
        terms=len(entries),
        in_use=sum(entry.share > 0 for entry in entries),
        nouns=kinds["noun"] + kinds["stem"],
        surnames=kinds["surname"],
        organisations=kinds["organisation"],
        places=kinds["place"],
        other_names=sum(told.isdisjoint(entry.kinds) for entry in entries),
        file=path,
    )
