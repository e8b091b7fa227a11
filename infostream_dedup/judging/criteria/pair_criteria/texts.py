"""Criteria of what documents say: titles, bodies, key terms, numbers, missing parts, attachments."""

from __future__ import annotations

from typing import Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.judging.criteria.criterion import (
    Both,
    ComparedPairs,
    Typical,
    antisymmetric,
    criterion,
    say_more,
    say_share,
    symmetric,
)
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.machine.arrays import Floats, Ints


@criterion(order=10, say=say_share("words", "differ"))
def words(pairs: ComparedPairs) -> Both:
    """1 - cosine of the bodies' BM25 vectors (equation 6); 0 to 1, symmetric; 1 if a body has no words."""
    return symmetric(1 - pairs.models.words.cosine(pairs.i, pairs.j))


@criterion(order=20, say=say_share("title", "differs"))
def title(pairs: ComparedPairs) -> Both:
    """1 - cosine of the titles (5.2); 0 to 1, symmetric; 0 if both are empty, 1 if one is."""
    titles = pairs.models.titles
    both_empty = (titles.sizes[pairs.i] == 0) & (titles.sizes[pairs.j] == 0)
    return symmetric(np.where(both_empty, 0.0, 1 - titles.cosine(pairs.i, pairs.j)))


def _say(value: float) -> str:
    return "another text" if value else "equal texts"


@criterion(order=180, say=_say, typical=Typical(1.0, 1 / 3))
def other_text(pairs: ComparedPairs) -> Both:
    """0 if the bodies differ at most in white space, else 1; symmetric. Empty bodies equal nothing."""
    # Not in the paper: a form filled in on another day and a reprint of last week share as much wording, but only the
    # reprint has every letter of it. It is measured from 1, so it adds nothing to pairs of different texts.
    hashes = pairs.models.text_hashes
    equal = (hashes[pairs.i] == hashes[pairs.j]) & (hashes[pairs.i] != b"")
    return symmetric(np.where(equal, 0.0, 1.0))


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


@criterion(order=130, say=say_share("key terms", "differ"))
def key_terms(pairs: ComparedPairs) -> Both:
    """Share of the weight of i's 30 heaviest key terms that j lacks; 0 to 1; 0 if i has no key terms."""
    # Not in the paper: names and nouns that two reports of one event share, however they are worded.
    found = pairs.models.key_terms
    return _unmatched(found.keys, found.targets, pairs.i, pairs.j), _unmatched(
        found.keys, found.targets, pairs.j, pairs.i
    )


def _unmatched(keys: sp.csr_array, targets: sp.csr_array, i: Ints, j: Ints) -> Floats:
    own = np.asarray(keys[i].sum(axis=1), dtype=np.float64)
    met = np.asarray(keys[i].multiply(targets[j]).sum(axis=1), dtype=np.float64)
    share = np.divide(met, own, out=np.ones(len(i)), where=own > 0)
    return np.asarray(np.clip(1 - share, 0, 1), dtype=np.float64)


@criterion(order=60, say=say_share("order of numbers", "differs"))
def number_order(pairs: ComparedPairs) -> Both:
    """Damerau-Levenshtein distance of the sequences of numbers (5.4) over the length of the longer; 0 to 1, symmetric.

    Neighbours may be swapped, and nothing is edited twice (the restricted distance, optimal string alignment). The
    paper's distance has no upper bound; division makes it comparable between texts. 0 if neither has a number.
    """
    try:
        from rapidfuzz.distance import OSA
    except ImportError as error:
        raise MissingExtraError("rapidfuzz", "learn", "the criterion number_order") from error

    rows = pairs.models.number_rows
    ends, values = rows.indptr.tolist(), rows.values.tolist()
    distances = [
        OSA.normalized_distance(values[ends[i] : ends[i + 1]], values[ends[j] : ends[j + 1]])
        for i, j in zip(pairs.i.tolist(), pairs.j.tolist(), strict=True)
    ]
    return symmetric(np.array(distances, dtype=np.float64))


@criterion(order=70, say=say_more("pictures"), typical=Typical(0, 2))
def images(pairs: ComparedPairs) -> Both:
    """Number of pictures and films of i minus that of j (5.5); any whole number, antisymmetric."""
    return antisymmetric(pairs.models.images[pairs.i] - pairs.models.images[pairs.j])


@criterion(order=80, say=say_more("links"), typical=Typical(0, 3))
def links(pairs: ComparedPairs) -> Both:
    """Number of links of i minus that of j (5.5); any whole number, antisymmetric."""
    return antisymmetric(pairs.models.links[pairs.i] - pairs.models.links[pairs.j])


_FEW: Final = 2
_LIKELY: Final = -2.0


def _say_evidence(value: float) -> str:
    if value <= _LIKELY:
        return "the evidence speaks for one text"
    return "the evidence speaks against one text" if value >= -_LIKELY else "the evidence is in doubt"


@criterion(order=140, say=_say_evidence, typical=Typical(0.0, 4.0), combined=True)
def evidence(pairs: ComparedPairs) -> Both:
    """Log-odds of the shipped pair model that two documents are not one text or story; -20 to 5, mostly; symmetric."""
    # Not in the paper: it carries over what was learned on other collections, so that few labels are enough.
    return symmetric(-shipped_model().scores(pairs.evidence))


@criterion(order=150, say=say_share("wording", "differs"), typical=Typical(0.36, 0.2))
def wording(pairs: ComparedPairs) -> Both:
    """Share of i's word triples that j lacks; 0 to 1. Not in the paper: what people call a copy shares wording."""
    return _lacking(pairs, "wording")


@criterion(order=155, say=say_share("wording of both", "differs"), typical=Typical(0.27, 0.2))
def wording_of_both(pairs: ComparedPairs) -> Both:
    """Mean of the shares of word triples that i and j lack of each other; 0 to 1, symmetric. Not in the paper.

    Half of a long text copied into a short one is a copy one way only; this says how much of both is one text. The
    value from which it is measured is the best threshold on slavictopics (reports/criteria.md).
    """
    later, earlier = _lacking(pairs, "wording")
    return symmetric((later + earlier) / 2)


@criterion(order=160, say=say_share("beginning", "differs"))
def lead(pairs: ComparedPairs) -> Both:
    """Share of the weight of i's first 20 long words that j's lack; 0 to 1. Not in the paper: news comes first."""
    return _lacking(pairs, "lead")


@criterion(order=170, say=say_share("names", "differ"))
def names(pairs: ComparedPairs) -> Both:
    """Share of the weight of i's names that j lacks; 0 to 1; NaN if either has fewer than two. Not in the paper."""
    few = _column(pairs, "names_least") < _FEW
    return tuple(np.where(few, np.nan, values) for values in _lacking(pairs, "names"))  # type: ignore[return-value]


def _lacking(pairs: ComparedPairs, what: str) -> Both:
    return 1 - _column(pairs, f"{what}_forward"), 1 - _column(pairs, f"{what}_backward")


def _column(pairs: ComparedPairs, name: str) -> Floats:
    return np.round(pairs.evidence[:, COLUMNS.index(name)], 9)
