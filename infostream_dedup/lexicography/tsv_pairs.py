"""Pairs out of a table of one's own: tab-separated, with a header."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO, Final

from infostream_dedup.errors import BadDataError
from infostream_dedup.lexicography.pair_intake import PARTS_OF_SPEECH, PairIntake

__all__ = ["read_tsv"]

_PARTS: Final = {**{part: part for part in PARTS_OF_SPEECH}, "": "noun", "n": "noun", "np": "name", "adjective": "adj"}


def read_tsv(stream: BinaryIO, intake: PairIntake) -> None:
    """Read a table: a header, then a row a line; empty lines and lines that begin with ``#`` are skipped.

    The header names a column by the code of the source language (or ``source``) and one by that of the target language
    (or ``target``), and may name ``pos``: noun, name or adj, nouns where it is empty or missing. Other columns are not
    read. Several equivalents stand in one cell, separated by ``|``.

    Args:
        stream: UTF-8.
        intake: takes the pairs.

    Raises:
        BadDataError: ``E_IMPORT``: no such header.
    """
    places: tuple[int, int, int | None] | None = None
    width = 0
    for number, raw in enumerate(stream, start=1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            intake.reject(number, None, f"byte {error.start} is not UTF-8; save the table as UTF-8")
            continue
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if places is None:
            places, width = _places(cells, number, intake), len(cells)
        elif len(cells) != width:
            intake.reject(number, None, f"{len(cells)} cells; expected {width} as in the header; mend the tabs")
        else:
            _offer(cells, number, places, intake)


def _places(header: list[str], line: int, intake: PairIntake) -> tuple[int, int, int | None]:
    wanted = intake.wanted
    # A table like translations.tsv has a column source too: where its rows are from.
    source = _place(header, (wanted.source, "source"))
    target = _place(header, (wanted.target, "target"))
    if source is None or target is None:
        raise BadDataError(
            f"the header is {', '.join(map(repr, header))}; expected a column source (or {wanted.source}) and a column"
            f" target (or {wanted.target}), separated by tabs; put such a line first",
            code="E_IMPORT",
            source=wanted.file,
            line=line,
        )
    return source, target, _place(header, ("pos",))


def _place(header: list[str], names: Iterable[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _offer(cells: list[str], line: int, places: tuple[int, int, int | None], intake: PairIntake) -> None:
    source, target, pos = places
    written = "" if pos is None else cells[pos].casefold()
    if written not in _PARTS:
        intake.reject(line, "pos", f"{written!r}; expected {', '.join(PARTS_OF_SPEECH)} or nothing; write one of them")
        return
    fields = (intake.wanted.source, intake.wanted.target)
    for one in cells[source].split("|"):
        for other in cells[target].split("|"):
            intake.offer(line, (one, other), _PARTS[written], fields=fields)
