"""What a filter before the criteria keeps and loses, in the form of Table 1 of Andreev et al.; one criterion alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.criteria.classifier import PairRule
from infostream_dedup.judging.criteria.document_models import DocumentModels, key_term_candidates, two_word_candidates
from infostream_dedup.judging.criteria.judged_pairs import Fold, JudgedPairs
from infostream_dedup.judging.criteria.training import _grades, found_by_rule
from infostream_dedup.lab.labels import Label, both_of, codes_of, places_in

if TYPE_CHECKING:
    from numpy.typing import NDArray


def filter_row(name: str, pairs: int, passed: int, duplicates: int, found: int) -> dict[str, Any]:
    """What a filter of unordered pairs passes; ``found`` is the number of known duplicates that pass."""
    return {
        "filter": name, "pairs": pairs, "duplicates": duplicates, "passed": passed, "of them duplicates": found,
        "lost": duplicates - found, "recall": found / duplicates if duplicates else None,
        "precision": found / passed if passed else None, "rejected": f"{1 - passed / pairs:.6f}" if pairs else None,
    }  # fmt: skip


PUBLISHED: Final = filter_row("two heaviest words, as published", 16_586_310, 259, 189, 151)
"""Andreev et al., Table 1: documents of one day against those of the preceding days, from 20 sites. The rejected share
is printed as 0,99998 %; it is in fact the ratio .99998."""


def candidate_table(
    models: DocumentModels, labels: Sequence[Label], *, newest: int | None = None, k: int = 3, n: int = 12
) -> list[dict[str, Any]]:
    """Measure both filters on one collection: the paper's two heaviest words, then key-term links.

    All pairs of the collection count, or, as in the paper, those of its newest documents with all earlier ones and with
    each other. A pair without a label counts as original, so the true precision is at least the figure given.
    """
    documents = len(models)
    new, known = np.ones(documents, dtype=np.bool_), np.ones(documents, dtype=np.bool_)
    if newest is not None:
        known = ~np.isnan(models.times)
        order = np.flatnonzero(known)[np.argsort(models.times[known], kind="stable")]
        new = np.zeros(documents, dtype=np.bool_)
        new[order[max(len(order) - newest, 0) :]] = True
    fresh, earlier = int(new.sum()), int((known & ~new).sum())
    pairs = fresh * earlier + fresh * (fresh - 1) // 2

    def chosen(i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.int64]:
        counted = known[i] & known[j] & (new[i] | new[j])
        return np.sort(codes_of(i[counted], j[counted], documents))

    ordinals = {name: ordinal for ordinal, name in enumerate(models.ids)}
    ends = [(ordinals[label.a], ordinals[label.b]) for label in labels if label.label == "dup"]
    a, b = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    duplicates = chosen(*both_of(np.unique(codes_of(a, b, documents)), documents))
    filters = {
        "two heaviest words": two_word_candidates(models),
        f"key terms, {k} of {n}": key_term_candidates(models, k=k, n=n),
    }
    rows = []
    for name, (i, j) in filters.items():
        passed = chosen(i, j)
        rows.append(filter_row(name, pairs, len(passed), len(duplicates), len(places_in(passed, duplicates))))
    return rows


def single_criterion(
    forward: NDArray[np.float64],
    backward: NDArray[np.float64],
    pairs: JudgedPairs,
    rule: PairRule,
    split: Sequence[Fold],
) -> NDArray[np.bool_]:
    """Decide by one criterion alone, at the threshold and side that did best on the other stories: bool (pairs,)."""
    found = np.zeros(len(pairs), dtype=np.bool_)
    truth = found_by_rule(pairs.i_repeats, pairs.j_repeats, rule)
    for fold in split:
        tried = []
        for sign in (1.0, -1.0):
            grades = _grades(sign * forward, sign * backward, rule)
            threshold, f1 = best_threshold(grades[fold.training], truth[fold.training])
            tried.append((f1, sign, threshold))
        _, sign, threshold = max(tried)
        found[fold.test] = _grades(sign * forward[fold.test], sign * backward[fold.test], rule) <= threshold
    return found


def best_threshold(grades: NDArray[np.float64], truth: NDArray[np.bool_]) -> tuple[float, float]:
    """Find the threshold with the greatest F1, half way to the next grade, and that F1.

    Smaller grades mean true; infinite ones are never found.
    """
    order = np.argsort(grades, kind="stable")
    ranked, hits = grades[order], np.cumsum(truth[order])
    if not len(ranked) or not hits[-1]:
        return -np.inf, 0.0
    f1 = 2 * hits / (np.arange(1, len(ranked) + 1) + hits[-1])
    last_of_equals = np.append(ranked[1:] > ranked[:-1], True) & np.isfinite(ranked)
    if not last_of_equals.any():
        return -np.inf, 0.0
    best = int(np.argmax(np.where(last_of_equals, f1, -1.0)))
    upper = ranked[best + 1] if best + 1 < len(ranked) and np.isfinite(ranked[best + 1]) else ranked[best]
    return float((ranked[best] + upper) / 2), float(f1[best])
