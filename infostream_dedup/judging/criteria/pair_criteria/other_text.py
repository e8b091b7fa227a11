"""Whether the bodies are one text, whatever else differs."""

from __future__ import annotations

import numpy as np

from infostream_dedup.judging.criteria.criterion import Both, ComparedPairs, Typical, criterion, symmetric

__all__ = ["other_text"]


def _say(value: float) -> str:
    return "another text" if value else "equal texts"


@criterion(order=180, say=_say, typical=Typical(1.0, 1 / 3))
def other_text(pairs: ComparedPairs) -> Both:
    """0 if the bodies differ at most in white space, else 1; symmetric. Empty bodies equal nothing.

    Not in the paper: a form filled in on another day and a reprint of last week share as much wording, but only the
    reprint has every letter of it. It is measured from 1, so it adds nothing to pairs of different texts.
    """
    hashes = pairs.models.text_hashes
    equal = (hashes[pairs.i] == hashes[pairs.j]) & (hashes[pairs.i] != b"")
    return symmetric(np.where(equal, 0.0, 1.0))
