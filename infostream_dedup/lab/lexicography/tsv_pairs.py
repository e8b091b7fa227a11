"""Reads pairs from a user's own table: tab-separated, with a header."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO, Final

from infostream_dedup.errors import BadDataError
from infostream_dedup.lab.lexicography.pair_intake import PARTS_OF_SPEECH, PairIntake

__all__ = ["read_tsv"]

_PARTS: Final = {**{part: part for part in PARTS_OF_SPEECH}, "": "noun", "n": "noun", "np": "name", "adjective": "adj"}


def read_tsv(stream: BinaryIO, intake: PairIntake) -> None:
    """Read a table: a header, then one row per line. Empty lines and lines that start with ``#`` are skipped.

    The header must name one column after the code of the source language (or ``source``) and one after that of the
    target language (or ``target``); an optional column ``pos`` gives noun, name or adj, noun if empty or missing.
    Other columns are ignored. A cell may contain several equivalents separated by ``|``.

    Args:
        stream: UTF-8 text.
        intake: receives the pairs.

    Raises:
        BadDataError: ``E_IMPORT``: the header lacks a required column.
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
            places, width = _locate_columns(cells, number, intake), len(cells)
        elif len(cells) != width:
            intake.reject(number, None, f"{len(cells)} cells; expected {width} as in the header; correct the tabs")
        else:
            _offer(cells, number, places, intake)


def _locate_columns(header: list[str], line: int, intake: PairIntake) -> tuple[int, int, int | None]:
    wanted = intake.wanted
    # A table like translations.tsv also has a column source, with the origin of its rows.
    source = _find_column(header, (wanted.source, "source"))
    target = _find_column(header, (wanted.target, "target"))
    if source is None or target is None:
        raise BadDataError(
            f"the header is {', '.join(map(repr, header))}; expected a column source (or {wanted.source}) and a column"
            f" target (or {wanted.target}), separated by tabs; put such a line first",
            code="E_IMPORT",
            source=wanted.file,
            line=line,
        )
    return source, target, _find_column(header, ("pos",))


def _find_column(header: list[str], names: Iterable[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _offer(cells: list[str], line: int, places: tuple[int, int, int | None], intake: PairIntake) -> None:
    source, target, pos = places
    given = "" if pos is None else cells[pos].casefold()
    if given not in _PARTS:
        intake.reject(line, "pos", f"{given!r}; expected {', '.join(PARTS_OF_SPEECH)} or nothing; write one of them")
        return
    fields = (intake.wanted.source, intake.wanted.target)
    for one in cells[source].split("|"):
        for other in cells[target].split("|"):
            intake.offer(line, (one, other), _PARTS[given], fields=fields)
