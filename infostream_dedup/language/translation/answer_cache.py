"""The cache of the ladder, which keeps the answers of slow rungs between runs.

One SQLite file, ``translations.sqlite``, beside the cache of forms. Its content belongs to a fingerprint of everything
that determines the answers; under another one it is replaced. It is a pure cache: a file that is damaged, locked or not
writable costs time, but never fails the job or changes an answer. Each answer has a checksum, and a damaged file is
replaced.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from infostream_dedup.language.morphology import cache_file
from infostream_dedup.language.morphology.english_lemmas import RULES as ENGLISH_RULES
from infostream_dedup.language.translation.imported_tables import imported_tables
from infostream_dedup.language.translation.model_files import best_models
from infostream_dedup.language.translation.rung import RUNGS, Translation
from infostream_dedup.machine.sqlite_cache import DamagedCacheError, SqliteCache, cache_folder, checksum_of
from infostream_dedup.model import Language

RULES: Final = 4
"""Version of the rungs and of the choice between names and nouns; increase it whenever an answer or the order of
answers changes, because the file is keyed by it, and stores record it."""

_Answers = tuple[Translation, ...]

_CHUNK: Final = 50_000
_SCHEMA_VERSION: Final = 2
_FIELDS: Final = 3
_TABLES: Final = {
    "answer": "(pair TEXT NOT NULL, term TEXT NOT NULL, equivalents TEXT NOT NULL, checksum INTEGER NOT NULL,"
    " PRIMARY KEY (pair, term)) WITHOUT ROWID",
}


class AnswerCache:
    """The cache file; see ``machine.sqlite_cache`` for failures.

    Args:
        path: path of the file, which is created, with its folder, when it is first written.
        mark: fingerprint of the answers that this process gives.
    """

    name = "cache"

    def __init__(self, path: Path, mark: str) -> None:
        self.path = path
        self._file = SqliteCache(path, mark, "translations", _SCHEMA_VERSION, _TABLES)

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[_Answers]:
        """Return the cached answers of each term; empty also if the cache knows that there is none."""
        known = self.answers(terms, source, target)
        return [known.get(term, ()) for term in terms]

    def answers(self, terms: Sequence[str], source: Language, target: Language) -> dict[str, _Answers]:
        """Return cached answers by term; an unknown term is absent, one without equivalents has an empty tuple."""
        pair = f"{source}-{target}"

        def read(connection: sqlite3.Connection) -> dict[str, _Answers]:
            found: dict[str, _Answers] = {}
            for start in range(0, len(terms), _CHUNK):
                chunk = sorted(terms[start : start + _CHUNK])
                rows = connection.execute(
                    "SELECT term, equivalents, checksum FROM answer"
                    " WHERE pair = ? AND term IN (SELECT value FROM json_each(?))",
                    (pair, json.dumps(chunk, ensure_ascii=False)),
                )
                for term, equivalents, checksum in rows:
                    if checksum != checksum_of(pair, term, equivalents):
                        raise DamagedCacheError(f"answer {term!r} does not match its checksum")
                    found[term] = _parsed(equivalents)
            return found

        return self._file.read(read, {}) if terms else {}

    def remember(self, answers: Mapping[str, _Answers], source: Language, target: Language) -> None:
        """Store answers in one transaction."""
        pair = f"{source}-{target}"
        rows = [(pair, term, _written(answers[term])) for term in sorted(answers)]
        if rows:
            checked = [(*row, checksum_of(*row)) for row in rows]
            self._file.write({"INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)": checked})


def _written(answers: _Answers) -> str:
    """Format equivalents as text: ``_FIELDS`` fields each, separated by tabs, which terms never contain."""
    return "\t".join(f"{one.term}\t{one.rung}\t{one.confidence!r}" for one in answers)


def _parsed(text: str) -> _Answers:
    if not text:
        return ()
    cells = text.split("\t")
    if len(cells) == _FIELDS:
        return (Translation(cells[0], cells[1], float(cells[2])),)
    fields = zip(cells[::3], cells[1::3], cells[2::3], strict=True)
    return tuple(Translation(term, rung, float(confidence)) for term, rung, confidence in fields)


def answer_cache() -> AnswerCache:
    """Open the cache file in ``INFOSTREAM_DEDUP_CACHE`` or in the user's cache folder."""
    return _shared(cache_folder() / "translations.sqlite", answers_fingerprint())


@cache
def _shared(path: Path, mark: str) -> AnswerCache:
    # One for all translators, so that an unusable file causes only one warning.
    return AnswerCache(path, mark)


def answers_fingerprint() -> str:
    """Return a checksum of all tables, rules, rungs, imported tables and translation models."""
    digest = blake2b(f"{cache_file.fingerprint()} {RULES} {ENGLISH_RULES}".encode(), digest_size=16)
    digest.update(" ".join(RUNGS).encode())
    for path in imported_tables():
        digest.update(f"\0{path.name}\0".encode())
        digest.update(path.read_bytes())
    for pair, model in sorted(best_models().items()):
        digest.update(f"\0{pair} {model.version} {model.folder}".encode())
    return digest.hexdigest()
