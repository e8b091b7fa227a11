"""The ladder of translation: every term passes from rung to rung until one of them knows its equivalents.

The order is: words alike in all languages, the cache, our dictionary and imported tables, names, cognates, an installed
translation model, and finally a skeleton, which is not a translation. The first rung that answers wins, with all its
equivalents. Vocabularies are translated, so each term is translated only once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Final

import numpy as np
import orjson

from infostream_dedup.language.lexicon.word_lists import blocked, false_friends
from infostream_dedup.language.morphology import cache_file
from infostream_dedup.language.morphology.readings import RULES as ENGLISH_RULES
from infostream_dedup.language.morphology.readings import lemma
from infostream_dedup.language.translation.model_files import best_models
from infostream_dedup.language.translation.rungs import RUNGS, Rung, Translation
from infostream_dedup.language.translation.word_pairs import imported_tables, names_first, plain_term
from infostream_dedup.machine.arrays import Floats, Ints
from infostream_dedup.machine.platform import collector_paused
from infostream_dedup.machine.sqlite_cache import SqliteCache, cache_folder, checksum_of
from infostream_dedup.model import OUR_LANGUAGES, Language

# The equivalents of many terms, and how they are written


@dataclass(frozen=True, slots=True)
class Answers:
    """The equivalents of terms, term by term, best first."""

    sizes: Ints  # int64 (terms,), number of equivalents of each term
    words: list[str]  # the equivalents
    rungs: list[str]  # rung that gave each
    confidences: Floats  # float64, 0 to 1, of each

    def __iter__(self) -> Iterator[tuple[Translation, ...]]:
        every = map(Translation, self.words, self.rungs, self.confidences.tolist())
        return (tuple(islice(every, size)) for size in self.sizes.tolist())

    @classmethod
    def of(cls, answers: Sequence[Sequence[Translation]]) -> Answers:
        """Convert the equivalents of each term."""
        words, rungs, confidences = zip(*chain([("", "", 0.0)], *answers), strict=True)
        sizes = np.array([len(one) for one in answers], dtype=np.int64)
        return cls(sizes, list(words[1:]), list(rungs[1:]), np.array(confidences[1:]))

    @classmethod
    def read(cls, texts: Sequence[str]) -> Answers:
        """Read what ``written`` has written for each term."""
        tabs = np.fromiter(map(str.count, texts, repeat("\t")), dtype=np.int64, count=len(texts))
        cells = "\t".join(filter(None, texts)).split("\t") if tabs.any() else []
        # There are few different ones.
        value_of = {text: float(text) for text in set(cells[2::3])}
        confidences = np.array([value_of[text] for text in cells[2::3]], dtype=np.float64)
        return cls((tabs + 1) // 3, cells[::3], cells[1::3], confidences)


def written(answers: Sequence[Translation]) -> str:
    """Write equivalents as text: three fields each, separated by tabs, which terms never contain."""
    return "\t".join(f"{one.term}\t{one.rung}\t{one.confidence!r}" for one in answers)


# Answers that no rung may give: slurs, and false friends unless they were looked up


def allowed(
    term: str, answers: Sequence[Translation], source: Language, target: Language, *, looked_up: bool
) -> tuple[Translation, ...]:
    """Remove slurs and false friends from answers; a slur has no answers at all, nor has a term with a tab."""
    if not answers or is_blocked(term, source) or "\t" in term:
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

_SCHEMA_VERSION: Final = 2
_LOOK_UP: Final = (
    "SELECT CAST(group_concat(term || char(0) || equivalents, char(10)) AS BLOB), group_concat(checksum)"
    " FROM json_each(?) CROSS JOIN answer ON pair = ? AND term = value"
)
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

    def answers(self, terms: Sequence[str], source: Language, target: Language) -> dict[str, str]:
        """Return cached answers by term, as ``written``; an unknown term is absent."""
        pair = f"{source}-{target}"

        def read(connection: sqlite3.Connection) -> dict[str, str]:
            lines, sums = connection.execute(_LOOK_UP, (orjson.dumps(sorted(terms)).decode(), pair)).fetchone()
            if lines is None:
                return {}
            cache_file.compare(pair, lines + b"\n", list(map(int, sums.split(","))))
            cells = lines.decode().replace("\n", "\0").split("\0")
            return dict(zip(cells[::2], cells[1::2], strict=True))

        return self._file.read(read, {}) if terms else {}

    def remember(self, answers: Mapping[str, str], source: Language, target: Language) -> None:
        """Store answers, as ``written``, in one transaction; not those of terms with what separates terms when read."""
        kept = (term for term in sorted(answers) if "\n" not in term and "\0" not in term)
        rows = [(f"{source}-{target}", term, answers[term]) for term in kept]
        checked = [(*row, checksum_of(*row)) for row in rows]
        if rows:
            self._file.write({"INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)": checked})


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

    def translate(self, terms: Sequence[str]) -> list[tuple[Translation, ...]]:
        """Return all equivalents of each term by the first rung that knows it, best first."""
        return list(self.columns(terms))

    @collector_paused()
    def columns(self, terms: Sequence[str]) -> Answers:
        """Like ``translate``, in columns."""
        # Only English terms are marked.
        asked = list(map(plain_term, terms)) if self.source == "en" else list(terms)
        if self.source == self.target:
            return Answers(np.ones(len(asked), dtype=np.int64), asked, [SAME] * len(asked), np.ones(len(asked)))
        if self.source not in OUR_LANGUAGES or self.target not in OUR_LANGUAGES:
            return Answers.read([""] * len(asked))
        distinct = list(dict.fromkeys(asked))
        found: dict[str, str] = {}
        for start in range(0, len(distinct), _BATCH):
            found.update(self._translate_batch(distinct[start : start + _BATCH]))
        answers = Answers.read(list(map(found.__getitem__, asked)))
        if self.source != "en":
            return answers
        return Answers.of([names_first(term, one, self.target) for term, one in zip(terms, answers, strict=True)])

    def explain(self, term: str) -> list[tuple[str, tuple[Translation, ...]]]:
        """Return the answers of all rungs in order, whether or not an earlier one knows the term."""
        if self.source == self.target:
            return [(SAME, (Translation(term, SAME, 1.0),))]
        answers = [(rung.name, self._ask_rung(rung, [term]).get(term, ())) for rung in self._rungs]
        if self._cache is not None:
            fast = sum(not rung.remembered for rung in self._rungs)
            known = self._cache.answers([term], self.source, self.target).get(term, "")
            answers.insert(fast, (self._cache.name, *Answers.read([known])))
        return answers

    def _translate_batch(self, terms: Sequence[str]) -> dict[str, str]:
        """Return the answers for distinct terms, as ``written``."""
        fast = [rung for rung in self._rungs if not rung.remembered]
        slow = [rung for rung in self._rungs if rung.remembered]
        found: dict[str, str] = {}
        rest = self._climb(fast, terms, found)
        if self._cache is not None:
            found.update(self._cache.answers(rest, self.source, self.target))
            rest = [term for term in rest if term not in found]
        found.update((term, "") for term in self._climb(slow, rest, found))
        if self._cache is not None:
            self._cache.remember({term: found[term] for term in rest}, self.source, self.target)
        return found

    def _climb(self, rungs: Sequence[Rung], terms: Sequence[str], found: dict[str, str]) -> list[str]:
        """Ask the rungs in turn for the remaining terms; return the terms that none of them knows."""
        rest = list(terms)
        for rung in rungs:
            if rest:
                found.update((term, written(one)) for term, one in self._ask_rung(rung, rest).items())
                rest = [term for term in rest if term not in found]
        return rest

    def _ask_rung(self, rung: Rung, terms: Sequence[str]) -> dict[str, tuple[Translation, ...]]:
        """Return the allowed answers of a rung; terms without an answer are absent."""
        answers = rung.translate(terms, self.source, self.target)
        return {
            term: kept
            for term, one in zip(terms, answers, strict=True)
            if one and (kept := allowed(term, one, self.source, self.target, looked_up=rung.looked_up))
        }
