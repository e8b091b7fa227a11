"""Parts of one document that the other lacks: sentences, paragraphs, numbers."""

from __future__ import annotations

from infostream_dedup.criteria.criterion import Both, ComparedPairs, criterion, say_share

__all__ = ["numbers", "paragraphs", "sentences"]


@criterion(order=30, say=say_share("sentences", "differ"))
def sentences(pairs: ComparedPairs) -> Both:
    """Weight of the sentences of i that j does not have, as a share (equation 8); 0 to 1; 0 where i has none."""
    found = pairs.models.sentences
    return found.lacking(pairs.i, pairs.j), found.lacking(pairs.j, pairs.i)


@criterion(order=40, say=say_share("paragraphs", "differ"))
def paragraphs(pairs: ComparedPairs) -> Both:
    """The same of paragraphs."""
    found = pairs.models.paragraphs
    return found.lacking(pairs.i, pairs.j), found.lacking(pairs.j, pairs.i)


@criterion(order=50, say=say_share("numbers", "differ"))
def numbers(pairs: ComparedPairs) -> Both:
    """Distinct numbers of i that j does not have, as a share (equation 9); 0 to 1; 0 where i has none."""
    found = pairs.models.numbers
    return found.lacking(pairs.i, pairs.j), found.lacking(pairs.j, pairs.i)
