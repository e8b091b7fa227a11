"""Evidence of pairs of documents, compared in compiled code."""

from __future__ import annotations

import errno
import re
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.errors import CannotWriteError
from infostream_dedup.judging.evidence.characters import alphabet, word_hash
from infostream_dedup.judging.evidence.constants import PREFIX
from infostream_dedup.judging.evidence.kernels import comparing as kernels
from infostream_dedup.judging.evidence.kernels.packing import mark_heaviest
from infostream_dedup.judging.evidence.kernels.sharing import SLOTS, ShareScratch, share_pairs
from infostream_dedup.judging.evidence.kernels.triples import RANGES, PartScratch, TripleRange, count_new, split_rows
from infostream_dedup.machine.arrays import Bools, Floats, Int32s, Ints, Uint8s, Uint32s, Uint64s, offsets_of
from infostream_dedup.machine.scratch import row_blocks
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    import scipy.sparse as sp

    from infostream_dedup.judging.evidence.records import EvidenceRecords

_RUSSIAN_STEPS: Final = (
    "задержан арестован обвинён обыск приговор осуждён оправдан освободили отпустили обжаловал депортировали выслали",
    "оштрафовали конфисковали возбуждено отменили отклонили отказали одобрили приняли подписал проголосовали признали",
    "запретили разрешили отозвали приостановили возобновили продлили продолжили перенесли отложили ввели распустили",
    "избрали назначен уволен отставка покинул выдвинули зарегистрировали исключили сняли выиграл вернулся прибыл",
    "прилетел доставили эвакуировали вывезли направили стартовал завершился открыли закрыли запустили прекратили",
    "погибли умер умерла скончался выросло увеличилось снизилось подорожал подешевел нашли обнаружили потушили",
    "получили подали выдали снова вновь повторно",
)
_UKRAINIAN_STEPS: Final = (
    "затримано арештовано звинувачено обшук вирок звільнили відпустили оштрафували скасували відхилили відмовили",
    "затвердили схвалили прийняли підписав проголосували призупинили відновили продовжили обрали призначено",
    "зареєстрували виключили виграв повернувся прибув евакуювали доставили завершився відкрили закрили запустили",
    "припинили загинули помер померла збільшилося знизилося знайшли отримали знову вдруге",
)
_ENGLISH_STEPS: Final = (
    "arrested charged sentenced convicted acquitted released cancelled rejected refused approved adopted signed voted",
    "suspended resumed postponed appointed dismissed resigned nominated returned arrived evacuated started ended",
    "opened launched killed died found",
)
_SPEECH: Final = (
    "заявил сказал прокомментировал комментарий считает отреагировал высказался рассказал отметил подчеркнул",
    "критикует призвал осудил назвал объяснил пояснил мнение",
    "заявив сказав прокоментував коментар вважає відреагував висловився розповів зазначив наголосив критикує закликав",
    "назвав пояснив думка",
    "said says told commented reacted stressed criticised urged condemned explained opinion",
)

STEP_WORDS: Final = tuple(" ".join((*_RUSSIAN_STEPS, *_UKRAINIAN_STEPS, *_ENGLISH_STEPS)).split())
"""Courts and police, decisions, posts, arrivals, beginnings and ends, changed numbers, finds, "again".

Records keep only beginnings of words, so a word is left out if most words of news that begin alike mean something
else, as "начался" for "начальник" or "передали" for "перед"."""

SPEECH_WORDS: Final = tuple(" ".join(_SPEECH).split())  # statements, comments and reactions, chosen alike


_RUSSIAN_ALERTS: Final = (
    "тревог отбой угроз опасност предупрежд шторм ураган смерч порыв ветер ветра гроз ливен метел снегопад",
    "гололед туман жар заморозк паводк наводнен подтоплен лавин землетряс цунами пожароопасн эвакуац укрыти сирен",
    "беспилотн бпла дрон ракет обстрел перекрыт перекрыв закрыт закрыв ограничен приостанов затрудн пробк сбой",
    "сбоя задерж отключ аварийн",
)
_UKRAINIAN_ALERTS: Final = (
    "тривог відбі загроз небезпек попередж буревій пориви вітер вітру злив хуртов снігопад ожелед спек повін",
    "підтоплен землетрус евакуац укритт безпілотн перекрит перекрив закрит закрив обмежен призупин утрудн ускладн",
    "затор збій збою затрим відключ аварійн",
)
_ENGLISH_ALERTS: Final = (
    "alert alarm siren all-clear warning warned storm hurricane tornado gust wind gale thunder blizzard snowfall",
    "icy fog heatwave frost flood avalanche earthquake tsunami wildfire evacuat shelter drone missile shelling",
    "threat danger closed closure blocked suspended restricted congest delay disrupt outage blackout",
)
_ALERT: Final = re.compile(
    rf"(?<!\w)(?:{'|'.join(' '.join((*_RUSSIAN_ALERTS, *_UKRAINIAN_ALERTS, *_ENGLISH_ALERTS)).split())})"
)


def warns(text: str) -> bool:
    """Whether a text has a word that announces what may return any day: an alarm, weather, a closure."""
    return _ALERT.search(text.lower().replace("ё", "е")) is not None


@cache
def step_beginnings() -> Uint32s:
    """uint32, ascending: beginnings of ``STEP_WORDS`` as leads keep them."""
    return _beginnings(STEP_WORDS)


@cache
def speech_beginnings() -> Uint32s:
    """uint32, ascending: beginnings of ``SPEECH_WORDS`` as leads keep them."""
    return _beginnings(SPEECH_WORDS)


def _beginnings(words: Iterable[str]) -> Uint32s:
    folded = alphabet().folded
    starts = ("".join(chr(int(folded[ord(letter)])) for letter in word[:PREFIX]) for word in words)
    return np.array(sorted({word_hash(start) >> 32 for start in starts}), dtype=np.uint32)


# Word triples of many documents, range by range of their leading bits, in a file if there are too many for memory

_MEMORY: Final = 1 << 28  # bytes of triples that are kept in memory
_TRIPLES_AT_ONCE: Final = 1 << 17
_PART: Final = 1 << 14  # triples of a part, roughly: its table fits in the second cache
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTriples:
    """Triples of consecutive documents."""

    begins: Ints  # int64 (RANGES + 1,), bounds of each range among the triples written
    counts: NDArray[Any]  # unsigned integers (RANGES, documents), number of triples of each document in each range
    sums: Uint64s  # uint64 (2, documents), checksums of each document


class TripleRanges:
    """Takes the triples of documents, and gives them back range by range."""

    def __init__(self, *, memory: int = _MEMORY) -> None:
        # More bytes than that move to a file without a name in the system's folder for temporary files.
        self._file = tempfile.SpooledTemporaryFile(max_size=memory)  # noqa: SIM115
        # When nobody needs them any more, also after an error.
        self._give_back = weakref.finalize(self, self._file.close)
        self._size = 0
        self._lock = threading.Lock()
        self._parts: list[WrittenTriples] = []

    @classmethod
    def of(cls, rows: TripleRows) -> TripleRanges:
        """The triples of all rows."""
        found = cls()
        for block in row_blocks(np.diff(rows.begins), _TRIPLES_AT_ONCE):
            found.append(found.write(rows.triples, rows.begins[block.start : block.stop + 1]))
        return found

    def write(self, triples: Uint64s, begins: Ints) -> WrittenTriples:
        """Write triples of consecutive documents, ascending and distinct in each; threads may write at once."""
        documents = len(begins) - 1
        counts = np.zeros((RANGES, documents), dtype=np.int32)
        values = np.empty(int(begins[-1] - begins[0]), dtype=np.uint64)
        sums = np.empty((2, documents), dtype=np.uint64)
        split_rows(triples, begins, counts, values, sums)
        with self._lock:
            first, self._size = self._size, self._size + len(values)
            try:
                self._file.write(values.data)
            except OSError as error:
                raise CannotWriteError(
                    f"the word triples do not fit into {tempfile.gettempdir()}: {error.strerror}; make room there, or"
                    " name another folder in the environment variable TMPDIR"
                ) from error
        bounds = first + offsets_of(counts.sum(axis=1, dtype=np.int64))
        # In nearly all cases, numbers of triples are bytes.
        counted = counts.astype(np.min_scalar_type(counts.max(initial=0)))
        return WrittenTriples(begins=bounds, counts=counted, sums=sums)

    def append(self, written: WrittenTriples) -> None:
        """Add the next documents, whose triples have been written."""
        self._parts.append(written)

    def sizes(self) -> Ints:
        """Int64 (documents,), number of triples of each document."""
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *(part.counts.sum(axis=0, dtype=np.int64) for part in self._parts)])

    def checksums(self) -> Uint64s:
        """Uint64 (2, documents), two checksums of each document's triples."""
        return np.concatenate([np.zeros((2, 0), dtype=np.uint64), *(part.sums for part in self._parts)], axis=1)

    def map(self, work: Callable[[TripleRange], _Result]) -> list[_Result]:
        """Results of a function for each range, by several threads."""
        # A range is in memory until its function returns. Memory that a thread has used need not be cleared by the
        # system again.
        entries = sum(int(part.begins[-1] - part.begins[0]) for part in self._parts)
        part_bits = max(entries // RANGES // _PART, 1).bit_length() - 1
        own = threading.local()

        def run(one: int) -> _Result:
            counts = self.counts(one)
            size = int(counts.sum(dtype=np.int64))
            if not hasattr(own, "triples") or len(own.triples) < size:
                room = size + size // 16
                own.triples = np.empty(room, dtype=np.uint64)
                own.scratch = PartScratch(np.empty(room, dtype=np.uint64), np.empty(room, dtype=np.int32))
            triples = own.triples[:size]
            self.read(one, triples)
            return work(TripleRange(triples, counts, part_bits, own.scratch))

        with ThreadPoolExecutor(thread_count(0)) as pool:
            return list(pool.map(run, range(RANGES)))

    def counts(self, one: int) -> Int32s:
        """Int32 (documents,), number of triples of each document in a range."""
        none = np.zeros(0, dtype=np.int32)
        return np.concatenate([none, *(part.counts[one] for part in self._parts)], dtype=np.int32)

    def read(self, one: int, triples: Uint64s) -> None:
        """Read a range, document by document."""
        place = 0
        with self._lock:
            for part in self._parts:
                begin, end = part.begins[one : one + 2].tolist()
                self._file.seek(8 * begin)
                missing = triples[place : place + end - begin].data.cast("B")
                if self._file.readinto(missing) < len(missing):
                    raise OSError(errno.EIO, "the temporary file of word triples is incomplete")
                place += end - begin

    def close(self) -> None:
        """Give memory and file back; triples can no longer be read."""
        self._give_back()
        self._parts.clear()


HEAVIEST: Final = 12  # number of key terms that ``ComparedKeys.heaviest`` marks
_LEAST: Final = 4  # minimum number of terms that the tables of a document have room for


@dataclass(frozen=True, slots=True)
class TripleRows:
    """Word triples of documents."""

    triples: Uint64s  # uint64, hashes of the triples; ascending within each document, each once
    begins: Ints  # int64 (documents + 1,), bounds of each document

    def repeat_earlier(self) -> Bools:
        """Which documents consist mostly of wording of earlier ones: bool (documents,)."""
        # More than half of their triples occur in earlier documents, whether in one or in several.

        def count(given: TripleRange) -> Int32s:
            found = np.empty(len(given.counts), dtype=np.int32)
            count_new(given, np.empty(len(given.triples), dtype=np.bool_), found)
            return found

        ranges = TripleRanges.of(self)
        new = sum(ranges.map(count), start=np.zeros(len(self.begins) - 1, dtype=np.int64))
        ranges.close()
        return np.asarray(2 * new < np.diff(self.begins))


def key_rows(keys: sp.csr_array, targets: sp.csr_array) -> kernels.ComparedKeys:
    """Arrange key terms; ``keys``: int64 (documents, terms), weights of the 30 heaviest in units of 1e-9."""
    begins, terms = keys.indptr.astype(np.int64, copy=False), keys.indices.astype(np.int32, copy=False)
    weights = keys.data.astype(np.int64, copy=False)
    top = heaviest(begins, weights)
    own, squares = np.empty((len(begins) - 1, 2), dtype=np.int64), np.empty(len(begins) - 1, dtype=np.float64)
    kernels.sum_keys(begins, weights, top, own, squares)
    return kernels.ComparedKeys(
        begins=begins,
        terms=terms,
        weights=weights,
        heaviest=top,
        own=own,
        squares=squares,
        target_begins=targets.indptr.astype(np.int64, copy=False),
        targets=targets.indices.astype(np.int32, copy=False),
    )


def heaviest(begins: Ints, weights: Ints, n: int = HEAVIEST) -> Uint8s:
    """Mark the n heaviest key terms of each document: uint8, 1 or 0; ties go to the smaller term."""
    found = np.empty(len(weights), dtype=np.uint8)
    mark_heaviest(begins, weights, n, found)
    return found


def shares_of_pairs(a: Ints, b: Ints, keys: kernels.ComparedKeys) -> Floats:
    """Evidence of pairs with the shares filled in: float64 (pairs, COLUMNS)."""
    evidence = np.zeros((len(a), len(kernels.COLUMNS)), dtype=np.float64)
    if not len(a):
        return evidence
    most, longest = (int(np.diff(begins).max()) for begins in (keys.begins, keys.target_begins))
    scratch = ShareScratch(
        np.zeros(SLOTS * max(most, _LEAST), dtype=np.int32),
        np.zeros(SLOTS * max(longest, _LEAST), dtype=np.int32),
        np.zeros(max(most, longest) + 1, dtype=np.int64),
    )
    # Kernels take contiguous arrays, which the columns of a table of pairs are not.
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    # Build the lookup table for the document that consecutive pairs share, so that it is built only once.
    if np.count_nonzero(a[1:] != a[:-1]) < np.count_nonzero(b[1:] != b[:-1]):
        share_pairs(b, a, keys, scratch, 1, evidence)
    else:
        share_pairs(a, b, keys, scratch, 0, evidence)
    return evidence


def compared(
    a: Ints,
    b: Ints,
    evidence: Floats,
    *,
    keys: kernels.ComparedKeys,
    records: EvidenceRecords,
    triples: TripleRows | None,
) -> Floats:
    """Fill in the rest of the evidence."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    kernels.compare_pairs(
        a,
        b,
        keys,
        records.words,
        records.begins,
        tables=kernels.matching_tables(),
        told=kernels.ToldWords(step_beginnings(), speech_beginnings()),
        evidence=evidence,
    )
    if triples is not None:
        fill_in_wording(a, b, triples, evidence)
    return evidence


def fill_in_wording(a: Ints, b: Ints, triples: TripleRows, evidence: Floats) -> None:
    """Fill in wording, the last two columns of ``evidence``; arguments as in ``compared``."""
    hits = np.empty(int(np.diff(triples.begins).max(initial=0)) + 1, dtype=np.int64)
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    kernels.word_pairs(a, b, triples.triples, triples.begins, np.zeros(kernels.PLACES, dtype=np.uint32), hits, evidence)
