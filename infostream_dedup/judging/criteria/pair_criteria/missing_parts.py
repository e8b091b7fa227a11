"""Parts of one document that the other lacks: sentences, paragraphs, numbers."""

from __future__ import annotations

from typing import Final

from infostream_dedup.judging.criteria.criterion import Both, ComparedPairs, Typical, criterion, say_share

__all__ = ["numbers", "paragraphs", "sentences"]

_PARTS: Final = Typical(0.6, 0.4)


@criterion(order=30, say=say_share("sentences", "differ"), typical=_PARTS)
def sentences(pairs: ComparedPairs) -> Both:
    """Share of the weight of i's sentences that j lacks (equation 8); 0 to 1; 0 if i has no sentences."""
    found = pairs.models.sentences
    return found.lacking(pairs.i, pairs.j), found.lacking(pairs.j, pairs.i)


@criterion(order=40, say=say_share("paragraphs", "differ"), typical=_PARTS)
def paragraphs(pairs: ComparedPairs) -> Both:
    """Share of the weight of i's paragraphs that j lacks (equation 8); 0 to 1; 0 if i has no paragraphs."""
    found = pairs.models.paragraphs
    return found.lacking(pairs.i, pairs.j), found.lacking(pairs.j, pairs.i)


@criterion(order=50, say=say_share("numbers", "differ"))
def numbers(pairs: ComparedPairs) -> Both:
    """Share of i's distinct numbers that j lacks (equation 9); 0 to 1; 0 if i has no numbers."""
    found = pairs.models.numbers
    return found.lacking(pairs.i, pairs.j), found.lacking(pairs.j, pairs.i)
