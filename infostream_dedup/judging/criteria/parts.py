"""Paragraphs and sentences of bodies, with the words and numbers of each sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.features.numbers import numbers
from infostream_dedup.judging.features.rows import Rows, rows_from
from infostream_dedup.language.text.sentences import sentences
from infostream_dedup.terms.plain import SurfaceCounter, SurfaceCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Parts", "paragraphs", "read_parts"]

_LINE: Final = re.compile(r"\n\s*")


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Sentences of all documents, in order.

    Attributes:
        surfaces: words of each sentence.
        numbers: numbers of each sentence, in order, int64 index into ``number_names``.
        number_names: distinct canonical numbers in order of first occurrence.
        paragraph_of: int64 (sentences,), paragraph of each sentence, ascending.
        document_of: int64 (paragraphs,), document of each paragraph, ascending.
    """

    surfaces: SurfaceCounts
    numbers: Rows
    number_names: list[str]
    paragraph_of: NDArray[np.int64]
    document_of: NDArray[np.int64]

    @property
    def sentence_documents(self) -> NDArray[np.int64]:
        """Document of each sentence: int64 (sentences,)."""
        return self.document_of[self.paragraph_of]


def paragraphs(text: str) -> list[str]:
    r"""Split a text into its non-empty lines; a line that begins in lower case continues the one before.

    Example:
        >>> paragraphs("Первый абзац\nпродолжается.\n\nВторой.")
        ['Первый абзац продолжается.', 'Второй.']
    """
    found: list[str] = []
    for line in filter(None, _LINE.split(text.strip())):
        if found and line[0].islower():
            found[-1] = f"{found[-1]} {line}"
        else:
            found.append(line)
    return found


def read_parts(texts: Iterable[str], languages: Sequence[str]) -> Parts:
    """Cut the bodies of a collection.

    Args:
        texts: raw text of each document.
        languages: language of each document.
    """
    counter = SurfaceCounter()
    number_of: dict[str, int] = {}
    found: list[list[int]] = []
    paragraph_of: list[int] = []
    document_of: list[int] = []
    for document, (text, language) in enumerate(zip(texts, languages, strict=True)):
        for paragraph in paragraphs(text):
            for start, end in sentences(paragraph):
                sentence = paragraph[start:end]
                counter.add(sentence, language)
                found.append([number_of.setdefault(number, len(number_of)) for number in numbers(sentence)])
                paragraph_of.append(len(document_of))
            document_of.append(document)
    return Parts(
        counter.finish(),
        rows_from(found, np.int64),
        list(number_of),
        np.array(paragraph_of, dtype=np.int64),
        np.array(document_of, dtype=np.int64),
    )
