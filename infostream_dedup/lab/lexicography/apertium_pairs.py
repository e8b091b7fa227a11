"""Reads pairs from the source of a bilingual Apertium dictionary (``.dix``).

Format (Apertium's dix.dtd): entries ``<e>`` with a pair ``<p>`` of a left side ``<l>`` and a right side ``<r>``, or an
identity ``<i>``; symbols ``<s n="n"/>`` mark the part of speech; ``r="LR"`` or ``r="RL"`` restricts an entry to one
direction; ``i="yes"`` excludes it.
"""

from __future__ import annotations

from typing import Any, BinaryIO, Final
from xml.parsers import expat

from infostream_dedup.errors import BadDataError
from infostream_dedup.lab.lexicography.pair_intake import Direction, PairIntake

__all__ = ["read_apertium"]

_PARTS: Final = {"n": "noun", "np": "name", "adj": "adj"}
_DIRECTIONS: Final[dict[str, Direction]] = {"": "both", "LR": "forward", "RL": "backward"}
_SIDES: Final = {"l": (0,), "r": (1,), "i": (0, 1)}
_HOMONYM_MARKS: Final = str.maketrans("", "", "¹²³⁴⁵⁶⁷⁸⁹⁰")
_FIELDS: Final = ("l", "r")


def read_apertium(stream: BinaryIO, intake: PairIntake) -> None:
    """Read a bilingual dictionary whose left side is the source language.

    Nothing outside the file is ever opened, and a file that declares entities is refused.

    Args:
        stream: XML in the encoding it declares.
        intake: receives the pairs.

    Raises:
        BadDataError: ``E_IMPORT``: the file is not well-formed XML, is not a dictionary, or declares entities.
    """
    _Reader(intake).read(stream)


class _RefusedError(Exception):
    """The file contains something that no dictionary needs."""


class _Reader:
    def __init__(self, intake: PairIntake) -> None:
        self._intake = intake
        self._parser = expat.ParserCreate()
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._refuse_entity
        self._parser.SkippedEntityHandler = self._refuse_entity
        self._parser.ExternalEntityRefHandler = self._refuse_entity
        self._parser.buffer_text = True
        self._root = ""
        self._paradigm: str | None = None
        self._symbols_of_paradigms: dict[str, str] = {}
        self._start_entry({})
        self._inside = False

    def read(self, stream: BinaryIO) -> None:
        try:
            self._parser.ParseFile(stream)
        except expat.ExpatError as error:
            reason = f"is not well-formed XML ({expat.ErrorString(error.code)}); get the file again"
            raise self._make_error(reason, error.lineno) from None
        except _RefusedError as refused:
            raise self._make_error(str(refused), self._parser.CurrentLineNumber) from None

    def _make_error(self, message: str, line: int) -> BadDataError:
        return BadDataError(message, code="E_IMPORT", source=self._intake.wanted.file, line=line)

    def _refuse_entity(self, *_: Any) -> int:
        raise _RefusedError("declares or uses entities, which no Apertium dictionary needs; remove them")

    def _start_entry(self, attributes: dict[str, str]) -> None:
        """Start a new entry."""
        self._inside = True
        self._line = self._parser.CurrentLineNumber
        self._attributes = attributes
        self._words = ["", ""]
        self._symbol = ""
        self._paradigms: list[str] = []
        self._has_pair = False
        self._sides: tuple[int, ...] = ()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._root:
            self._root = tag
            if tag != "dictionary":
                raise _RefusedError(f"the root is <{tag}>; expected <dictionary>, a bilingual Apertium dictionary")
        elif tag == "pardef":
            self._paradigm = attributes.get("n", "")
        elif tag == "e" and self._paradigm is None:
            self._start_entry(attributes)
        elif tag == "s":
            self._record_symbol(attributes.get("n", ""))
        elif self._inside:
            self._read_part_of_entry(tag, attributes)

    def _record_symbol(self, symbol: str) -> None:
        """Record the first symbol of an entry or a paradigm, which is its part of speech."""
        if self._paradigm is not None:
            self._symbols_of_paradigms.setdefault(self._paradigm, symbol)
        elif self._inside and not self._symbol:
            self._symbol = symbol

    def _read_part_of_entry(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _SIDES:
            self._sides = _SIDES[tag]
            self._has_pair = True
        elif tag == "par":
            self._paradigms.append(attributes.get("n", ""))
        elif tag in ("b", "j"):
            self._text(" ")
        elif tag == "re":
            # A regular expression matches numbers and the like; it is not a word.
            self._attributes = {**self._attributes, "i": "yes"}

    def _text(self, text: str) -> None:
        for side in self._sides:
            self._words[side] += text

    def _end(self, tag: str) -> None:
        if tag in _SIDES:
            self._sides = ()
        elif tag == "pardef":
            self._paradigm = None
        elif tag == "e" and self._inside and self._paradigm is None:
            self._inside = False
            self._offer()

    def _offer(self) -> None:
        if self._attributes.get("i") == "yes" or not self._has_pair:
            return
        restriction = self._attributes.get("r", "")
        if restriction not in _DIRECTIONS:
            message = f"{restriction!r}; expected LR, RL or nothing; correct the attribute"
            self._intake.reject(self._line, "r", message)
            return
        symbols = [self._symbol, *(self._symbols_of_paradigms.get(name, "") for name in self._paradigms)]
        part = _PARTS.get(next(filter(None, symbols), ""), "")
        left, right = (" ".join(word.split()).translate(_HOMONYM_MARKS) for word in self._words)
        self._intake.offer(self._line, (left, right), part, fields=_FIELDS, direction=_DIRECTIONS[restriction])
