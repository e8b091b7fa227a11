"""A list of boilerplate as a file: JSON Lines or tab-separated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.judging.passages.boilerplate import Boilerplate, ListedSentence
from infostream_dedup.model.limits import check_path

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from infostream_dedup.judging.passages.sentence_collection import SentenceCollection

__all__ = ["marked_sentences", "read_boilerplate"]

_CODE: Final = "E_BOILERPLATE"
_COLUMNS: Final = ("source", "sentence", "documents", "share", "first", "last", "checksum")


def read_boilerplate(path: str | Path) -> Boilerplate:
    """Read a list that ``passages find --list-boilerplate`` wrote, or one written by hand.

    Args:
        path: JSON Lines: objects with ``sentence`` and, to leave it out of one source only, ``source``; ``checksum``,
            if present, must match them; other fields say where the sentence was found and have no effect. If the name
            ends in .tsv: the same fields as columns, with a header. Empty lines are skipped.

    Raises:
        ConfigurationError: this is not a path.
        NoInputError: the file cannot be read.
        BadDataError: a line is malformed.
    """
    check_path("boilerplate", path)
    return Boilerplate(_rows(Path(path), str(path)))


def marked_sentences(path: str | Path | None, collection: SentenceCollection) -> NDArray[np.bool_] | None:
    """Find the sentences of a collection that a file lists: bool (sentences,); ``None`` without a file.

    Raises:
        NoInputError, BadDataError: see ``read_boilerplate``.
    """
    if path is None:
        return None
    return read_boilerplate(path).marked(collection.sentences, [one.source for one in collection.documents])


def _rows(path: Path, name: str) -> Iterator[ListedSentence]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NoInputError(f"{name}: {error.strerror}; expected a list of boilerplate (--list-boilerplate)") from error
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    given = _tsv_rows(lines, name) if path.suffix.lower() == ".tsv" else _json_rows(lines, name)
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


def _tsv_rows(lines: list[bytes], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    header: list[str] | None = None
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode("utf-8").rstrip("\r")
        except UnicodeDecodeError as error:
            raise _fault("not UTF-8; save the file as UTF-8", name, number) from error
        if not text.strip():
            continue
        cells = text.split("\t")
        if header is None:
            header = cells
            if "sentence" not in header or not set(header) <= set(_COLUMNS):
                raise _fault(f"the header is {cells}; expected sentence and some of {list(_COLUMNS)}", name, number)
        elif len(cells) != len(header):
            raise _fault(f"{len(cells)} columns; the header has {len(header)}", name, number)
        else:
            yield number, dict(zip(header, cells, strict=True))


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
