"""Terms of forms: common ones are shipped, and a second run over similar text analyses only new forms.

Looking shipped terms up takes a third of the time of a query to the cache of this machine. The files are made by
``tools/make_tables.py``: answers of the morphology for each language, and backgrounds (the share of running words
that each term makes up). All belong to the fingerprint of everything that determines terms
(``cache_file.fingerprint``): with other versions of the dictionaries they count as empty, and forms are analysed.
"""

from __future__ import annotations

import json
import logging
import subprocess
import threading
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon.tables import SortedLines
from infostream_dedup.language.lexicon.word_lists import is_agency
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.morphology.cache_file import (
    UNKNOWN_ROW,
    CacheFile,
    FormLines,
    FormRow,
    cache_file,
    fingerprint,
    package_versions,
)
from infostream_dedup.language.text.kernels.surface_table import MISSING
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.machine.arrays import Bools, Int32s, Ints
from infostream_dedup.machine.files import checked_bytes, sealed
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.machine.platform import collector_paused, python_command, python_environment
from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import Language

SHARES_FILE: Final = Path(__file__).with_name("known_shares.bin")
_AGAIN: Final = "install infostream-dedup again"
_LEVEL: Final = 9
BETWEEN: Final = "\t"  # separates the answers for the shapes of a form
ITSELF: Final = "="  # the term equals the form
GUESS: Final = "~"  # precedes a term that the strict rule rejects
NO_TERM_ROW: Final[FormRow] = (None, 0)
_SHAPES_BY_LANGUAGE: Final = int(Shape.UPPER)
"""Number of shapes with answers in a row; words in capitals are rare and left to the morphology."""

_Answer = tuple[str, bool] | None
"""The term, and whether the strict rule also accepts it; ``None`` for a form that is not a term."""


class KnownTerms:
    """Answers for common forms of one language, ascending, one per line, and the ``row_of`` each."""

    def __init__(self, forms: bytes, answers: bytes) -> None:
        self._forms, self._answers = SortedLines(forms), SortedLines(answers)

    def rows(self, keys: Iterable[str]) -> list[FormRow]:
        """Look up keys (the digit of a shape, then the form); the rows are those of ``CacheFile.rows``."""
        rows = []
        for key in keys:
            form, shape = key[1:], int(key[0])
            if shape >= _SHAPES_BY_LANGUAGE or (place := self._forms.place(form)) < 0:
                rows.append(UNKNOWN_ROW)
                continue
            answers = self._answers[place]
            if BETWEEN in answers:
                parts = answers.split(BETWEEN)
                answers = parts[min(shape, len(parts) - 1)]
            rows.append(_row(answers, form))
        return rows


def row_of(form: str, answers: Sequence[_Answer]) -> str:
    r"""Write the answers for a form as text: in lower case, at the start of a sentence, with a capital elsewhere.

    >>> row_of("суд", [("суд", True)] * 3), row_of("шольца", [None, ("шольц", False), ("шольц", False)])
    ('=', '\t~шольц')
    """
    parts = [_text(answer, form) for answer in answers]
    while len(parts) > 1 and parts[-1] == parts[-2]:
        parts.pop()
    return BETWEEN.join(parts)


def _text(answer: _Answer, form: str) -> str:
    if answer is None:
        return ""
    term, strict = answer
    return ("" if strict else GUESS) + (ITSELF if term == form else term)


def _row(text: str, form: str) -> FormRow:
    if text == ITSELF:
        return form, 1
    if not text:
        return NO_TERM_ROW
    if text[0] != GUESS:
        return text, 1
    term = text[1:]
    return form if term == ITSELF else term, 0


@cache
def known_terms(language: str) -> KnownTerms:
    """Return the shipped answers for forms of a language; the first call in a process takes .05 s."""
    return KnownTerms(*known_texts(terms_file(language)))


def known_texts(path: Path) -> tuple[bytes, bytes]:
    """Return the forms in the file of a language and the answers for them, as ``KnownTerms`` takes them."""
    mark, _, size, texts = _parts(path) if path.exists() else ("", {}, 0, b"")
    return (texts[:size], texts[size:]) if mark == fingerprint() else (b"", b"")


def terms_file(language: str) -> Path:
    """Path of the file with the answers for a language."""
    return Path(__file__).with_name(f"known_terms.{language}.bin")


@cache
def known_shares(name: str) -> Mapping[str, float]:
    """Return shares of running words by term, the shipped background such as ``"uk morph"``; nothing if none is."""
    return part_of(SHARES_FILE, name) or {}


def part_of(path: Path, name: str) -> Any:
    """Return one part of a file that ``packed_parts`` made; ``None`` if it has none of this name."""
    found = _parts_of(path).get(name)
    return None if found is None else orjson.loads(zlib.decompress(b64decode(found)))


@cache
def _parts_of(path: Path) -> Mapping[str, str]:
    return unpacked(path)


def packed_parts(parts: Mapping[str, Any]) -> bytes:
    """Pack parts that are unpacked one by one, because a run needs one or two of them."""
    return packed({name: b64encode(zlib.compress(orjson.dumps(one), _LEVEL)).decode() for name, one in parts.items()})


def packed(content: object, texts: bytes = b"") -> bytes:
    """Pack the content of one of the files, with this process's dictionaries and rules, and a line break and texts."""
    return sealed(zlib.compress(orjson.dumps([fingerprint(), package_versions(), content]) + texts, _LEVEL))


def unpacked(path: Path) -> dict[str, Any]:
    """Return the content of a file; nothing if it was made with other dictionaries."""
    mark, _, found, _ = _parts(path)
    return dict(found) if mark == fingerprint() else {}


def made_with(path: Path) -> dict[str, str]:
    """Return the versions of the packages with which a file was made."""
    return dict(_parts(path)[1])


def _parts(path: Path) -> tuple[str, dict[str, str], Any, bytes]:
    _, _, content = checked_bytes(path, _AGAIN).partition(b"\n")
    try:
        first, _, texts = zlib.decompress(content).partition(b"\n")
        mark, versions, found = orjson.loads(first)
    except (zlib.error, ValueError) as error:
        message = f"the table cannot be unpacked ({error}); {_AGAIN}"
        raise BadDataError(message, code="E_DICTIONARY", source=path.name) from error
    return mark, versions, found, texts


# Shipped terms of common words as a table for compiled code

NO_TERM: Final = -1
UNKNOWN: Final = -2


class FormTable:
    """Answers for forms of one language.

    ``numbers``, int32 (forms, shapes), has the number of each word's term in ``terms``, ``NO_TERM`` or ``UNKNOWN``;
    ``guessed`` likewise 1 where the strict rule rejects the term. Further shapes are unknown.
    """

    def __init__(self, forms: SurfacePool, numbers: Int32s, guessed: Int32s, terms: SurfaceList) -> None:
        self._forms = forms
        self._numbers = numbers
        self._guessed = guessed
        self.terms = terms

    def numbers(self, forms: SurfaceList, words: Ints, *, strict: bool) -> Int32s:
        """Look up words: int32 (words,), number of each word's term in ``terms``, ``NO_TERM`` or ``UNKNOWN``."""
        found, guessed = self._look_up(forms, words)
        if strict:
            found[(guessed != 0) & (found != UNKNOWN)] = NO_TERM
        return found

    def rows(self, keys: Sequence[str]) -> list[FormRow]:
        """Look up keys (the digit of a shape, then the form); the rows are those of ``CacheFile.rows``."""
        words = np.arange(len(keys)) * len(Shape) + np.array([int(key[0]) for key in keys], dtype=np.int64)
        found, guessed = self._look_up(SurfaceList.of([key[1:] for key in keys]), words)
        terms = iter(self.terms.some(found[found >= 0]))
        return [
            UNKNOWN_ROW if number == UNKNOWN else NO_TERM_ROW if number == NO_TERM else (next(terms), int(not guess))
            for number, guess in zip(found.tolist(), guessed.tolist(), strict=True)
        ]

    def _look_up(self, forms: SurfaceList, words: Ints) -> tuple[Int32s, Int32s]:
        """Numbers as in ``numbers``, and whether the strict rule rejects each term."""
        if not len(self._forms):
            return np.full(len(words), UNKNOWN, dtype=np.int32), np.zeros(len(words), dtype=np.int32)
        asked, shapes = np.divmod(words, len(Shape))
        held = self._forms.find(forms, asked)
        most = self._numbers.shape[1]
        columns = np.minimum(shapes, most - 1)
        found = self._numbers[held, columns]
        found[(held == MISSING) | (shapes >= most)] = UNKNOWN
        return found, self._guessed[held, columns]


class KnownTable(FormTable):
    """Answers for common forms of one language, as ``KnownTerms`` takes them; each term is there once."""

    def __init__(self, forms: bytes, answers: bytes) -> None:
        lines = _Cut(forms, BETWEEN)
        listed = lines.picked(np.arange(len(lines.ends)))
        pool, terms = SurfacePool(), SurfacePool()
        pool.add(listed)
        parts = _Parts(answers)
        numbers = np.full(len(parts.lines), NO_TERM, dtype=np.int32)
        numbers[parts.itself] = terms.add(listed.picked(parts.lines[parts.itself]))
        numbers[parts.other] = terms.add(parts.picked(parts.other))
        # Parts ascend, so a shape without a part of its own takes that of the one before.
        by_shape = np.zeros((len(listed), _SHAPES_BY_LANGUAGE), dtype=np.int64)
        by_shape[parts.lines, parts.columns] = np.arange(len(parts.lines))
        for shape in range(1, _SHAPES_BY_LANGUAGE):
            np.maximum(by_shape[:, shape - 1], by_shape[:, shape], out=by_shape[:, shape])
        super().__init__(pool, numbers[by_shape], parts.guessed[by_shape], terms.listed())


class _Cut:
    """The parts of a text that ends with a line break, cut at line breaks and at another character."""

    def __init__(self, text: bytes, between: str) -> None:
        self.data = np.frombuffer(text + bytes(BLOCK), dtype=np.uint8)
        used = self.data[: len(text)]
        self.ends = np.flatnonzero((used == ord("\n")) | (used == ord(between)))
        self.begins = np.concatenate([np.zeros(1, dtype=np.int64), self.ends + 1])[: len(self.ends)]

    def picked(self, parts: Ints) -> SurfaceList:
        """Return the texts of some parts."""
        # Odd entries of this list are the gaps between parts.
        bounds = np.append(np.stack([self.begins, self.ends], axis=1).ravel(), len(self.data) - BLOCK)
        return SurfaceList(bounds, self.data).picked(2 * parts)


class _Parts(_Cut):
    """Parts of lines, separated by tabs: their lines, columns in these, and kinds."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text, BETWEEN)
        last = self.data[self.ends] == ord("\n")
        self.lines = np.cumsum(last) - last
        self.columns = np.arange(len(last)) - np.flatnonzero(np.append(True, last))[self.lines]
        # The mark of a guess is not part of the text.
        self.guessed = (self.data[self.begins] == ord(GUESS)).astype(np.int32)
        self.begins += self.guessed
        itself = (self.ends - self.begins == 1) & (self.data[self.begins] == ord(ITSELF))
        self.itself, self.other = np.flatnonzero(itself), np.flatnonzero(~itself & (self.ends > self.begins))


@cache
def known_table(language: str) -> KnownTable:
    """Return the shipped answers for forms of a language; the first call in a process takes .1 s."""
    _unpacked.add(language)
    return KnownTable(*known_texts(terms_file(language)))


_unpacked: set[str] = set()


# Run morphological analyses on all cores: they are pure Python, so this needs processes.
#
# The processes are new Python processes that communicate over pipes. A fork would copy this program's memory, which
# may run threads; `multiprocessing` would import its main module again.

_WORTH_A_PROCESS: Final = 30_000
"""Minimum number of forms per process: fewer are analysed before another process could load its dictionaries."""

_log = logging.getLogger(__name__)


def analysed_over_cores(
    language: Language, keys: Sequence[str], analyse: Callable[[str], FormRow], *, workers: int = 0
) -> list[FormRow]:
    """Return the answers for forms; this process takes its own share and the share of a process that fails."""
    processes = max(1, min(thread_count(workers), len(keys) // _WORTH_A_PROCESS))
    # Every n-th key, because neighbours come from one text and resemble each other, so long unknown ones cluster.
    shares = [keys[number::processes] for number in range(processes)]
    found: dict[str, FormRow] = {}
    with ThreadPoolExecutor(processes) as pool:
        others = [pool.submit(_asked, language, share) for share in shares[1:]]
        found.update((key, analyse(key)) for key in shares[0])
        for share, other in zip(shares[1:], others, strict=True):
            answers = other.result()
            found.update(zip(share, answers, strict=True) if answers else ((key, analyse(key)) for key in share))
    return [found[key] for key in keys]


def _asked(language: Language, keys: Sequence[str]) -> list[FormRow] | None:
    """Return the answers of another process, ``None`` if it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - this Python and our own module
            python_command("infostream_dedup.language.morphology.form_worker", language),
            input=json.dumps(list(keys)).encode(),
            stdout=subprocess.PIPE,
            check=True,
            env=python_environment(),
        )
        rows: list[FormRow] = [
            (None if term is None else str(term), int(taken)) for term, taken in json.loads(done.stdout)
        ]
    except (OSError, subprocess.SubprocessError, TypeError, ValueError) as error:
        _log.warning("a process that analyses forms failed (%s); continuing without it", error)
        return None
    return rows if len(rows) == len(keys) else None


# The cached terms of a language as a table for compiled code, once a stream asks for so many that reading all pays

_FEWEST_ASKED: Final = 1_000
_ROWS_PER_ASKED: Final = 32
"""All rows are read when the words asked for so far are this fraction of them: a stream asks on for as long as it runs,
and reading a row with all others takes half of the time of looking it up."""

_MOST_ROWS: Final = 500_000
"""Larger caches, of months, stay on disk; the table of so many takes 40 MB, and reading it 200 MB for a moment."""


class CachedTable:
    """The table of a cache file, read once in a process."""

    def __init__(self, language: str, file: CacheFile) -> None:
        self._language = language
        self._file = file
        self._asked = 0
        self._worth_counting = _FEWEST_ASKED
        self._table: FormTable | None = None
        self._lock = threading.Lock()

    def when_asked_for(self, words: int) -> FormTable | None:
        """Return the table, if it is worth reading for these words and those asked for before."""
        if self._table is not None:
            return self._table
        with self._lock:
            self._asked += words
            if self._table is None and self._asked >= self._worth_counting:
                rows = self._file.count(self._language)
                self._worth_counting = max(rows // _ROWS_PER_ASKED, 2 * self._worth_counting)
                if 0 < rows <= min(_ROWS_PER_ASKED * self._asked, _MOST_ROWS):
                    self._table = table_of(self._file.every_row(self._language))
            return self._table


def table_of(rows: FormLines) -> FormTable:
    """Make a table of rows."""
    cut = _Cut(rows.lines, "\0")
    shapes, strict = cut.data[cut.begins[::3]] - ord("0"), cut.data[cut.begins[2::3]] - ord("0")
    cut.begins[::3] += 1
    pool = SurfacePool()
    forms = pool.add(cut.picked(3 * np.arange(len(shapes))))
    numbers = np.full((len(pool), len(Shape)), UNKNOWN, dtype=np.int32)
    guessed = np.zeros((len(pool), len(Shape)), dtype=np.int32)
    has_term = np.frombuffer(rows.has_term, dtype=np.uint8) == ord("1")
    numbers[forms, shapes] = np.where(has_term, np.cumsum(has_term) - 1, NO_TERM)
    guessed[forms, shapes] = 1 - strict
    return FormTable(pool, numbers, guessed, cut.picked(3 * np.flatnonzero(has_term) + 1))


_MOST_IN_MEMORY = 1_000_000
"""Maximum number of forms in memory (about 200 MB); beyond it, the memory is cleared and the file is read again."""

_MANY = 1_000  # minimum number of forms for which the shipped table is asked before the file; unpacking it takes 0.2 s
_SHAPES = {shape: str(int(shape)) for shape in Shape}  # the digit for the shape, which precedes the form in a key
_WORTH_UNPACKING: Final = 10_000
"""Number of words that are looked up in the packed table of terms before it is unpacked: what this takes, .07 s."""


class FormCache:
    """Terms of the forms of one language: from memory, the file (if any), the package, or ``Morphology``."""

    def __init__(self, language: Language, file: CacheFile | None) -> None:
        self._language = language
        self._file = file
        self._memory: dict[str, FormRow] = {}
        self._asked = 0
        self._cached = None if file is None else CachedTable(language, file)

    def table(self, words: int) -> FormTable | None:
        """Return the answers of the file as a table, if it is worth it; words it lacks may have been cached since."""
        return None if self._cached is None else self._cached.when_asked_for(words)

    def terms_of(self, forms: Sequence[Form], *, strict: bool) -> list[str | None]:
        """The ``morph`` term of each form, ``None`` if the form is not a term."""
        keys = [_SHAPES[shape] + form for form, shape in forms]
        distinct = sorted(set(keys))
        held = dict(zip(distinct, self._remembered(distinct, common=True), strict=True))
        return [term if taken or not strict else None for term, taken in map(held.__getitem__, keys)]

    def terms_of_new(self, keys: Sequence[str], *, strict: bool) -> list[str | None]:
        """Like ``terms_of``, for forms the caller keeps: also keeping a stream's words here would double memory."""
        return [term if taken or not strict else None for term, taken in self._rows(keys, table=self.table(len(keys)))]

    def terms_of_uncommon(self, keys: Sequence[str], *, strict: bool, kept: bool) -> list[str | None]:
        """Like ``terms_of``, for forms that the shipped table does not know."""
        rows = (self._remembered if kept else self._rows)(keys, common=False)
        return [term if taken or not strict else None for term, taken in rows]

    def _remembered(self, keys: Sequence[str], *, common: bool) -> list[FormRow]:
        """Like ``_rows``, but rows are kept in memory, unless they are too many."""
        if len(keys) > _MOST_IN_MEMORY:
            return self._rows(keys, common=common)
        memory = self._memory
        missing = [key for key in keys if key not in memory]
        if len(memory) + len(missing) > _MOST_IN_MEMORY:
            memory = self._memory = {}
            missing = list(keys)
        memory.update(zip(missing, self._rows(missing, common=common), strict=True))
        return [memory[key] for key in keys]

    def _rows(self, keys: Sequence[str], *, common: bool = True, table: FormTable | None = None) -> list[FormRow]:
        """Look up distinct keys, and analyse those that are not found."""
        if self._language == "en":
            terms = _morphology("en").english_terms([key[1:] for key in keys])
            return [(term, int(term is not None)) for term in terms]
        rows, file = [UNKNOWN_ROW] * len(keys), self._file
        first, unknown = common and (len(keys) >= _MANY or table is not None), list(range(len(keys)))
        if table is not None:
            unknown = _fill_in(rows, keys, unknown, table.rows)
        if first:
            unknown = _fill_in(rows, keys, unknown, self._shipped)
        if file is not None:
            unknown = _fill_in(rows, keys, unknown, lambda asked: file.rows(self._language, asked))
        unkept = unknown
        if common and not first:
            # The file answers first, so that a process that looks up a few words need not unpack the shipped table.
            unknown = _fill_in(rows, keys, unknown, self._shipped)
        _fill_in(rows, keys, unknown, self._analysed)
        if file is not None and unkept:
            file.remember(self._language, {keys[place]: rows[place] for place in unkept}, at_once=False)
        return rows

    def _shipped(self, keys: Sequence[str]) -> list[FormRow]:
        self._asked += len(keys)
        if self._asked < _WORTH_UNPACKING and self._language not in _unpacked:
            return known_terms(self._language).rows(keys)
        return known_table(self._language).rows(keys)

    def _analysed(self, keys: Sequence[str]) -> list[FormRow]:
        return analysed_over_cores(self._language, keys, self._analysis)

    def _analysis(self, key: str) -> FormRow:
        analysis = _morphology(self._language).analyse(key[1:], Shape(int(key[0])))
        return analysis.term, int(analysis.term is not None and analysis.in_dictionary)


def _fill_in(
    rows: list[FormRow], keys: Sequence[str], unknown: Sequence[int], look_up: Callable[[Sequence[str]], list[FormRow]]
) -> list[int]:
    """Look up the keys whose rows are unknown; return the places of those that still are."""
    still = []
    for place, row in zip(unknown, look_up([keys[place] for place in unknown]) if unknown else (), strict=True):
        if row[1] is None:
            still.append(place)
        else:
            rows[place] = row
    return still


def terms_of(forms: Sequence[Form], language: Language, *, strict: bool) -> list[str | None]:
    """Return the ``morph`` term of each form, ``None`` if it is not a term; answers are cached between runs."""
    return form_cache_of(language).terms_of(forms, strict=strict)


@cache
def _morphology(language: Language) -> Morphology:
    return Morphology(language)


def load(languages: Iterable[Language], *, cached: bool = False) -> None:
    """Load what words that no table knows would wait for: half a second a language; ``cached``: the file, too."""
    for language in languages:
        if cached:
            form_cache_of(language).table(_MOST_ROWS)
        known_terms(language)
        _morphology(language)
        is_agency("", language)


@cache
def form_cache_of(language: Language) -> FormCache:
    """Return the shared cache of a language."""
    # English terms are stems, which are computed faster than they are looked up.
    return FormCache(language, None if language == "en" else cache_file())


# Terms of many words in the memory of compiled code

_Listed = tuple[Bools, SurfaceList]


def listed_terms(
    forms: SurfaceList, words: Ints, language: Language, *, strict: bool, kept: bool
) -> tuple[Bools, SurfaceList]:
    """Return the ``morph`` terms of words: from the shipped table, otherwise from the cache or morphology."""

    def rare(words: Ints) -> tuple[Bools, SurfaceList]:
        return _analysed(forms, words, language, strict=strict, kept=kept)

    def uncommon(words: Ints) -> tuple[Bools, SurfaceList]:
        # Whoever keeps answers asks once for all words, which the file answers in order.
        table = None if kept else form_cache_of(language).table(len(words))
        return rare(words) if table is None else _looked_up(table, forms, words, rare, strict=strict)

    return _looked_up(known_table(language), forms, words, uncommon, strict=strict)


def _looked_up(
    table: FormTable, forms: SurfaceList, words: Ints, others: Callable[[Ints], _Listed], *, strict: bool
) -> tuple[Bools, SurfaceList]:
    """Take terms from a table, and from ``others`` for the words that it does not know."""
    numbers = table.numbers(forms, words, strict=strict)
    taken, unknown = numbers >= 0, numbers == UNKNOWN
    common = table.terms.picked(numbers[taken])
    if not unknown.any():
        return taken, common
    taken[unknown], more = others(words[unknown])
    return taken, _merged(common, more, unknown[taken])


def _analysed(
    forms: SurfaceList, words: Ints, language: Language, *, strict: bool, kept: bool
) -> tuple[Bools, SurfaceList]:
    """Terms of words that are in no table."""
    asked, shapes = np.divmod(words, len(Shape))
    with collector_paused():
        keys = [f"{shape}{form}" for form, shape in zip(forms.some(asked), shapes.tolist(), strict=True)]
        ordered = sorted(keys)
        found = form_cache_of(language).terms_of_uncommon(ordered, strict=strict, kept=kept)
        held = dict(zip(ordered, found, strict=True))
        terms = [held[key] for key in keys]
    taken = np.array([term is not None for term in terms], dtype=np.bool_)
    return taken, SurfaceList.of([term for term in terms if term is not None])


def _merged(ones: SurfaceList, others: SurfaceList, from_others: Bools) -> SurfaceList:
    """Merge two lists, each in its order; bool (entries,) says which entries are the others'."""
    size = ones.starts[-1]
    both = SurfaceList(
        np.concatenate([ones.starts, others.starts[1:] + size]), np.concatenate([ones.pool[:size], others.pool])
    )
    places = np.where(from_others, len(ones) + np.cumsum(from_others) - 1, np.cumsum(~from_others) - 1)
    return both.picked(places)
