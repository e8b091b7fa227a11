"""Sentences that a source repeats in many documents, found, kept in a file and left out."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice, pairwise
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from zlib import crc32

import numpy as np
import orjson

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.judging.features.words import Words
from infostream_dedup.judging.passages.sentence_table import (
    SentenceCollection,
    SentenceTable,
    read_sentences,
    word_sequence_hashes,
)
from infostream_dedup.machine.arrays import Bools, Ints, Ragged, Uint64s
from infostream_dedup.model import Document
from infostream_dedup.model.limits import Range, check_limits, check_path

_READ_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class BoilerplateRule:
    """When a sentence is boilerplate of a source; ConfigurationError if a value is out of range."""

    min_documents: Annotated[int, Range(2)] = 5  # minimum number of the source's texts with the sentence, at least 2
    min_share: Annotated[float, Range(0.0, 1.0)] = 0.005  # minimum share of the source's texts, 0 to 1
    # minimum number of UTC days on which such texts were published, at least 1; ignored without dates
    min_days: Annotated[int, Range(1)] = 3
    # minimum number of words with a letter, at least 1. The default is 2, because a line of one word is usually a table
    # cell, a place or an answer
    min_words: Annotated[int, Range(1)] = 2

    def __post_init__(self) -> None:
        check_limits(self)


@dataclass(frozen=True, slots=True)
class ListedSentence:
    """A line of a list of boilerplate."""

    source: str | None  # source whose texts it is removed from; `None` for all sources
    sentence: str  # compared word by word, ignoring capitals and punctuation
    documents: int | None = None  # number of the source's texts with the sentence; `None` if unknown
    share: float | None = None  # share of the source's texts
    first: str | None = None  # `published` of the earliest of them that has a date
    last: str | None = None  # `published` of the latest of them

    def as_dict(self) -> dict[str, Any]:
        """Return a row of ``passages find --list-boilerplate``."""
        return {
            "source": self.source,
            "sentence": self.sentence,
            "documents": self.documents,
            "share": self.share,
            "first": self.first,
            "last": self.last,
            "checksum": self.checksum,
        }

    @property
    def checksum(self) -> str:
        """8 hexadecimal digits of source and sentence, which decide what is left out."""
        content = "\t".join((self.source or "", self.sentence))
        return f"{crc32(content.encode('utf-8', 'surrogatepass')):08x}"


class Boilerplate:
    """Removes listed sentences from documents.

    Args:
        listed: sentences in any order.

    Example:
        >>> from infostream_dedup.model import Document
        >>> listed = Boilerplate([ListedSentence(None, "Подписывайтесь на наш канал!")])
        >>> documents = [Document(id="1", text="Мост открыли. Подписывайтесь на наш канал. Снег.")]
        >>> [document.text for document in listed.left_out(documents)]
        ['Мост открыли.  Снег.']
    """

    def __init__(self, listed: Iterable[ListedSentence]) -> None:
        rows = list(listed)
        self._hashes: dict[str | None, Uint64s] = {}
        grouped: dict[str | None, list[int]] = {}
        for row, found in zip(rows, _hashes_of_listed([row.sentence for row in rows]), strict=True):
            grouped.setdefault(row.source, []).extend(found)
        for source, hashes in grouped.items():
            self._hashes[source] = np.unique(np.array(hashes, dtype=np.uint64))

    @property
    def digest(self) -> str:
        """32 hexadecimal digits that depend on what is removed, not on its order or on counts."""
        digest = blake2b(digest_size=16)
        for source, hashes in sorted(self._hashes.items(), key=lambda one: (one[0] is not None, one[0] or "")):
            digest.update(f"{len(hashes)} {source!a}\n".encode())
            digest.update(hashes.astype("<u8").tobytes())
        return digest.hexdigest()

    def marked(self, sentences: SentenceTable, sources: Sequence[str | None]) -> Bools:
        """Find the listed sentences: bool (sentences,)."""
        hashes = word_sequence_hashes(sentences.words)
        marked = np.isin(hashes, self._hashes.get(None, _NONE))
        names = [source if source in self._hashes else None for source in sources]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        of_sentence = np.array([numbers[name] for name in names], dtype=np.int64)[sentences.documents]
        for name, number in numbers.items():
            if name is not None:
                own = of_sentence == number
                marked[own] |= np.isin(hashes[own], self._hashes[name])
        return np.asarray(marked, dtype=np.bool_)

    def left_out(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents with the listed sentences cut out of their bodies; nothing else changes."""
        following = iter(documents)
        while chunk := list(islice(following, _READ_AT_ONCE)):
            # Sentences and words do not depend on the language, so detection can be skipped.
            table = read_sentences((one.text for one in chunk), (one.lang or "ru" for one in chunk))
            marked = self.marked(table, [one.source for one in chunk])
            for number, document in enumerate(chunk):
                own = np.flatnonzero(marked[table.first[number] : table.first[number + 1]]) + table.first[number]
                yield _cut(document, table, own.tolist()) if len(own) else document


def find_boilerplate(
    documents: Sequence[Document], sentences: SentenceTable, rule: BoilerplateRule | None = None
) -> list[ListedSentence]:
    """Find sentences that recur in the texts of a source."""
    # Documents without a source count as texts of one source, whose sentences are then removed everywhere.
    rule = rule or BoilerplateRule()
    names = sorted({one.source or "" for one in documents})
    numbers = {name: number for number, name in enumerate(names)}
    of_document = np.array([numbers[one.source or ""] for one in documents], dtype=np.int64)
    once = _first_of_equals(sentences, of_document)
    sizes = np.bincount(of_document[once], minlength=len(names))

    used = np.flatnonzero(once[sentences.documents] & (_count_words_with_letters(sentences) >= rule.min_words))
    pairs = np.stack(
        (of_document[sentences.documents[used]], word_sequence_hashes(sentences.words)[used].view(np.int64))
    )
    order = np.lexsort((used, pairs[1], pairs[0]))
    used, pairs = used[order], pairs[:, order]
    bounds = np.flatnonzero(np.append(np.any(np.diff(pairs, prepend=-1) != 0, axis=0), True))
    found: list[tuple[str, int, str, ListedSentence]] = []
    for begin, end in pairwise(bounds.tolist()):
        if end - begin < rule.min_documents:
            continue
        having = np.unique(sentences.documents[used[begin:end]]).tolist()
        source = int(pairs[0, begin])
        share = len(having) / int(sizes[source])
        if len(having) < rule.min_documents or share < rule.min_share:
            continue
        dated = sorted((one.time, place) for place in having if (one := documents[place]).time is not None)
        if len(dated) >= rule.min_days and len({time.date() for time, _ in dated}) < rule.min_days:
            continue
        sentence = int(used[begin])
        text = documents[int(sentences.documents[sentence])].text
        shown = " ".join(text[int(sentences.starts[sentence]) : int(sentences.ends[sentence])].split())
        first, last = (dated[0][0].isoformat(), dated[-1][0].isoformat()) if dated else (None, None)
        row = ListedSentence(names[source] or None, shown, len(having), round(share, 6), first, last)
        found.append((names[source], -len(having), shown, row))
    return [row for *_, row in sorted(found, key=lambda one: one[:3])]


_NONE: Final = np.zeros(0, dtype=np.uint64)


def _count_words_with_letters(sentences: SentenceTable) -> Ints:
    """Count the words with a letter in each sentence: int64 (sentences,)."""
    words = sentences.words
    has_letter = np.array([any(map(str.isalpha, word)) for word in words.vocabulary], dtype=np.bool_)
    return words.rows.chosen(has_letter[words.rows.values]).sizes if len(has_letter) else words.rows.sizes


def _first_of_equals(sentences: SentenceTable, sources: Ints) -> Bools:
    """Find the documents that are the first of their source with these words: bool (documents,)."""
    bounds = sentences.words.rows.indptr[sentences.first].tolist()
    seen: set[tuple[int, bytes]] = set()
    first = np.zeros(len(sources), dtype=np.bool_)
    for number, source in enumerate(sources.tolist()):
        words = sentences.words.rows.values[bounds[number] : bounds[number + 1]]
        key = (source, blake2b(words.tobytes(), digest_size=16).digest())
        first[number] = key not in seen
        seen.add(key)
    return first


def _hashes_of_listed(texts: Sequence[str]) -> list[list[int]]:
    """Hash all words of each text, and each of its parts between semicolons, which are sentences in a document."""
    table = read_sentences(texts, ["ru"] * len(texts))
    words = table.words
    rows = Ragged(words.rows.indptr[table.first], words.rows.values)
    wholes = word_sequence_hashes(Words(rows, words.vocabulary, words.breaks, table.first)).tolist()
    parts = word_sequence_hashes(words).tolist()
    bounds = pairwise(table.first.tolist())
    return [
        [whole, *(parts[begin:end] if ";" in text else ())]
        for text, whole, (begin, end) in zip(texts, wholes, bounds, strict=True)
    ]


def _cut(document: Document, table: SentenceTable, sentences: Sequence[int]) -> Document:
    pieces: list[str] = []
    at = 0
    for sentence in sentences:
        pieces.append(document.text[at : int(table.starts[sentence])])
        at = int(table.ends[sentence])
    return replace(document, text="".join((*pieces, document.text[at:])))


_CODE: Final = "E_BOILERPLATE"
_COLUMNS: Final = ("source", "sentence", "documents", "share", "first", "last", "checksum")


def read_boilerplate(path: str | Path) -> Boilerplate:
    """Read a list that ``passages find --list-boilerplate`` wrote, or one written by hand.

    path: JSON Lines: objects with ``sentence`` and, to leave it out of one source only, ``source``; ``checksum``, if
    present, must match them; other fields say where the sentence was found and have no effect. If the name ends in
    .csv or .tsv: the same fields as columns, with a header. Empty lines are skipped.
    """
    check_path("boilerplate", path)
    return Boilerplate(_rows(Path(path), str(path)))


def marked_sentences(path: str | Path | None, collection: SentenceCollection) -> Bools | None:
    """Find the sentences of a collection that a file lists: bool (sentences,); ``None`` without a file."""
    if path is None:
        return None
    return read_boilerplate(path).marked(collection.sentences, [one.source for one in collection.documents])


def _rows(path: Path, name: str) -> Iterator[ListedSentence]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NoInputError(f"{name}: {error.strerror}; expected a list of boilerplate (--list-boilerplate)") from error
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    table = path.suffix.lower() in (".csv", ".tsv")
    given = _table_rows(lines, name, tabs=path.suffix.lower() == ".tsv") if table else _json_rows(lines, name)
    for number, row in given:
        yield _listed(row, name, number)


def _json_rows(lines: list[bytes], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise _fault(f"not JSON ({error}); expected an object with sentence and source", name, number) from error
        if not isinstance(row, dict):
            raise _fault(f"found a {type(row).__name__}; expected an object with sentence and source", name, number)
        yield number, row


def _table_rows(lines: list[bytes], name: str, *, tabs: bool) -> Iterator[tuple[int, Mapping[str, Any]]]:
    header: list[str] | None = None
    separator = "\t" if tabs else ";" if b";" in lines[0] else ","
    quoting: Literal[0, 3] = csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL
    table = csv.reader(_decoded(lines, name), delimiter=separator, quoting=quoting, strict=True)
    try:
        for cells in table:
            if not any(map(str.strip, cells)):
                continue
            number = table.line_num
            if header is None:
                header = cells
                if "sentence" not in header or not set(header) <= set(_COLUMNS):
                    raise _fault(f"the header is {cells}; expected sentence and some of {list(_COLUMNS)}", name, number)
            elif len(cells) != len(header):
                raise _fault(f"{len(cells)} columns; the header has {len(header)}", name, number)
            else:
                yield number, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise _fault(f"not a table ({error}); save it again as CSV", name, table.line_num) from error


def _decoded(lines: list[bytes], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        try:
            yield line.decode("utf-8").rstrip("\r") + "\n"
        except UnicodeDecodeError as error:
            raise _fault("not UTF-8; save the file as UTF-8", name, number) from error


def _listed(row: Mapping[str, Any], name: str, number: int) -> ListedSentence:
    sentence, source = row.get("sentence"), row.get("source")
    if not isinstance(sentence, str) or not any(map(str.isalnum, sentence)):
        raise _fault(
            "expected a sentence with at least one word; write it, or remove the line", name, number, "sentence"
        )
    if source is not None and not isinstance(source, str):
        raise _fault("expected the name of a source, or null for all", name, number, "source")
    listed = ListedSentence(source or None, sentence)
    if row.get("checksum") not in (None, "", listed.checksum):
        message = "the line does not match its checksum; list again, or, if you edited it, remove the checksum"
        raise _fault(message, name, number, "checksum")
    return listed


def _fault(message: str, name: str, number: int, field: str | None = None) -> BadDataError:
    return BadDataError(message, code=_CODE, source=name, line=number, field=field)
