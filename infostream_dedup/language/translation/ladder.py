"""The ladder of translation: every term passes from rung to rung until one of them knows its equivalents.

The order is: words alike in all languages, the cache, our dictionary and imported tables, names, cognates, an installed
translation model, and finally a skeleton, which is not a translation. The first rung that answers wins, with all its
equivalents. Vocabularies are translated, so each term is translated only once.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Final
from zlib import crc32

from infostream_dedup.language.lexicon.word_lists import blocked, false_friends
from infostream_dedup.language.morphology import cache_file
from infostream_dedup.language.morphology.readings import RULES as ENGLISH_RULES
from infostream_dedup.language.morphology.readings import lemma
from infostream_dedup.language.translation.model_files import best_models
from infostream_dedup.language.translation.rungs import RUNGS, Rung, Translation
from infostream_dedup.language.translation.word_pairs import imported_tables, names_first, plain_term
from infostream_dedup.machine.platform import collector_paused
from infostream_dedup.machine.sqlite_cache import DamagedCacheError, SqliteCache, cache_folder, checksum_of
from infostream_dedup.model import OUR_LANGUAGES, Language

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from infostream_dedup.machine.progress import Progress

# Answers that no rung may give: slurs, and false friends unless they were looked up


def allowed(
    term: str, answers: Sequence[Translation], source: Language, target: Language, *, looked_up: bool
) -> tuple[Translation, ...]:
    """Remove slurs and false friends from answers; a slur has no answers at all."""
    if not answers or is_blocked(term, source):
        return ()
    friends = frozenset() if looked_up else false_friends_of(term, source, target)
    return tuple(one for one in answers if one.term not in friends and not is_blocked(one.term, target))


def is_blocked(word: str, language: Language) -> bool:
    """Whether the word, or a part of it between hyphens, is on the block-list."""
    listed = blocked(language)
    return any(part in listed or (language == "en" and lemma(part) in listed) for part in word.split("-"))


def false_friends_of(term: str, source: Language, target: Language) -> frozenset[str]:
    """Return words of the other language (Russian or Ukrainian) that look like the term but mean something else."""
    return _false_friends(source).get(term, frozenset()) if "en" not in (source, target) else frozenset()


@cache
def _false_friends(source: Language) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for friend in false_friends():
        if friend.is_wrong:
            one, other = (friend.ru, friend.uk) if source == "ru" else (friend.uk, friend.ru)
            found.setdefault(one, set()).add(other)
    return {word: frozenset(others) for word, others in found.items()}


# The cache of the ladder, which keeps the answers of slow rungs between runs.
#
# One SQLite file, `translations.sqlite`, beside the cache of forms. Its content belongs to a fingerprint of
# everything that determines the answers; under another one it is replaced. It is a pure cache: a file that is
# damaged, locked or not writable costs time, but never fails the job or changes an answer. Each answer has a
# checksum, and a damaged file is replaced.

RULES: Final = 4
"""Version of the rungs and of the choice between names and nouns; increase it whenever an answer or the order of
answers changes, because the file is keyed by it, and stores record it."""

_Answers = tuple[Translation, ...]
_CHUNK: Final = 50_000
_SCHEMA_VERSION: Final = 2

_TABLES: Final = {
    "answer": "(pair TEXT NOT NULL, term TEXT NOT NULL, equivalents TEXT NOT NULL, checksum INTEGER NOT NULL,"
    " PRIMARY KEY (pair, term)) WITHOUT ROWID"
}


class AnswerCache:
    """The cache file; see ``machine.sqlite_cache`` for failures."""

    name = "cache"

    def __init__(self, path: Path, mark: str) -> None:
        self.path = path
        self._file = SqliteCache(path, mark, "translations", _SCHEMA_VERSION, _TABLES)

    def answers(self, terms: Sequence[str], source: Language, target: Language) -> dict[str, _Answers]:
        """Return cached answers by term; an unknown term is absent, one without equivalents has an empty tuple."""
        pair = f"{source}-{target}"

        def read(connection: sqlite3.Connection) -> dict[str, _Answers]:
            found: dict[str, _Answers] = {}
            for start in range(0, len(terms), _CHUNK):
                chunk = json.dumps(sorted(terms[start : start + _CHUNK]), ensure_ascii=False)
                rows = connection.execute(
                    "SELECT term, equivalents, checksum FROM json_each(?) CROSS JOIN answer ON pair=? AND term=value",
                    (chunk, pair),
                ).fetchall()
                for term, equivalents, checksum in rows:
                    # As `checksum_of`, in half the time.
                    if checksum != crc32(f"{pair}\0{term}\0{equivalents}".encode("utf-8", "surrogatepass")):
                        raise DamagedCacheError(f"answer {term!r} does not match its checksum")
                found.update(zip((row[0] for row in rows), _parsed([row[1] for row in rows]), strict=True))
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
    """Format equivalents as text: three fields each, separated by tabs, which terms never contain."""
    return "\t".join(f"{one.term}\t{one.rung}\t{one.confidence!r}" for one in answers)


def _parsed(texts: list[str]) -> Iterator[_Answers]:
    cells = "\t".join(filter(None, texts)).split("\t")
    every = map(Translation, cells[::3], cells[1::3], map(float, cells[2::3]))
    return (tuple(islice(every, (text.count("\t") + 1) // 3)) for text in texts)


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


SAME: Final = "same"  # rung of a term whose language is the target language
_BATCH: Final = 50_000


def standard_rungs() -> tuple[Rung, ...]:
    """Create all registered rungs, in order. The cache is not one of them."""
    return tuple(make() for make in RUNGS.values())


def dictionary_rungs() -> tuple[Rung, ...]:
    """Create the rungs that look words up and start at once; the others recognise names and cognates, or guess."""
    # The registry would import all rungs.
    from infostream_dedup.language.translation.rungs.dictionary import DictionaryRung, IdentityRung

    return IdentityRung(), DictionaryRung()


class Translator:
    """Translates terms from one language to another by the standard rungs, whose slow answers are cached, or by others.

    >>> translator = Translator("uk", "ru", rungs=standard_rungs())
    >>> [found[0].term for found in translator.translate(["уряд", "хартія"])]
    ['правительство', 'хартия']
    """

    def __init__(
        self,
        source: Language,
        target: Language,
        *,
        rungs: Sequence[Rung] | None = None,
        cache: AnswerCache | None = None,
    ) -> None:
        self.source = source
        self.target = target
        self._rungs = tuple(standard_rungs() if rungs is None else rungs)
        self._cache = answer_cache() if rungs is None and cache is None and source != target else cache

    @collector_paused()
    def translate(self, terms: Sequence[str], progress: Progress | None = None) -> list[_Answers]:
        """Return all equivalents of each term by the first rung that knows it, best first."""
        if self.source == self.target:
            return [(Translation(plain_term(term), SAME, 1.0),) for term in terms]
        if self.source not in OUR_LANGUAGES or self.target not in OUR_LANGUAGES:
            return [()] * len(terms)
        asked = [plain_term(term) for term in terms]
        distinct = list(dict.fromkeys(asked))
        found: dict[str, _Answers] = {}
        for start in range(0, len(distinct), _BATCH):
            found.update(self._translate_batch(distinct[start : start + _BATCH]))
            if progress:
                progress("translate", min(start + _BATCH, len(distinct)), len(distinct))
        return [names_first(term, found[plain], self.target) for term, plain in zip(terms, asked, strict=True)]

    def explain(self, term: str) -> list[tuple[str, _Answers]]:
        """Return the answers of all rungs in order, whether or not an earlier one knows the term."""
        if self.source == self.target:
            return [(SAME, (Translation(term, SAME, 1.0),))]
        answers = [(rung.name, self._ask_rung(rung, [term]).get(term, ())) for rung in self._rungs]
        if self._cache is not None:
            fast = sum(not rung.remembered for rung in self._rungs)
            answers.insert(
                fast, (self._cache.name, self._cache.answers([term], self.source, self.target).get(term, ()))
            )
        return answers

    def _translate_batch(self, terms: Sequence[str]) -> dict[str, _Answers]:
        found: dict[str, _Answers] = {}
        fast = [rung for rung in self._rungs if not rung.remembered]
        slow = [rung for rung in self._rungs if rung.remembered]
        rest = self._climb(fast, terms, found)
        if self._cache is not None:
            found.update(self._cache.answers(rest, self.source, self.target))
            rest = [term for term in rest if term not in found]
        found.update((term, ()) for term in self._climb(slow, rest, found))
        if self._cache is not None:
            self._cache.remember({term: found[term] for term in rest}, self.source, self.target)
        return found

    def _climb(self, rungs: Sequence[Rung], terms: Sequence[str], found: dict[str, _Answers]) -> list[str]:
        """Ask the rungs in turn for the remaining terms; return the terms that none of them knows."""
        rest = list(terms)
        for rung in rungs:
            if rest:
                answered = self._ask_rung(rung, rest)
                found.update(answered)
                rest = [term for term in rest if term not in answered] if answered else rest
        return rest

    def _ask_rung(self, rung: Rung, terms: Sequence[str]) -> dict[str, _Answers]:
        """Return the allowed answers of a rung; terms without an answer are absent."""
        answers = rung.translate(terms, self.source, self.target)
        return {
            term: kept
            for term, one in zip(terms, answers, strict=True)
            if one and (kept := allowed(term, one, self.source, self.target, looked_up=rung.looked_up))
        }
