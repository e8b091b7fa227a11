"""Keywords of the public functions. Made by ``python tools/make_keywords.py``; do not edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from infostream_dedup.documents.reading import ReadingOptions


class SweepKeywords(ReadingOptions, total=False):
    """Fields of ``Settings``; see there."""

    weighting: str | None
    n: int | None
    score: str | None
    target: str | None
    df_min: float | None
    df_max: float | None
    k1: float | None
    b: float | None
    background: bool | None
    short: str | None
    morph: str | None
    pivot: str | None
    preset: str | None


class RepresentedKeywords(TypedDict, total=False):
    """Fields of ``Settings``; see there."""

    representation: str | None
    weighting: str | None
    n: int | None
    score: str | None
    target: str | None
    df_min: float | None
    df_max: float | None
    k1: float | None
    b: float | None
    background: bool | None
    short: str | None
    morph: str | None
    pivot: str | None
    preset: str | None


class MatrixKeywords(SweepKeywords, total=False):
    """Fields of ``Settings``; see there."""

    representation: str | None


class PairKeywords(MatrixKeywords, total=False):
    """Fields of ``Settings``; see there."""

    k: int | str | None
    threshold: float | None
    min_terms: int | None


class DedupKeywords(PairKeywords, total=False):
    """Fields of ``Settings``; see there."""

    rule: str | None


class EvaluateKeywords(MatrixKeywords, total=False):
    """Fields of ``Settings``; see there."""

    threshold: float | None
    min_terms: int | None
    rule: str | None


class IngestKeywords(ReadingOptions, total=False):
    """Fields of ``StreamSettings``; see there."""

    preset: str
    join: Sequence[str] | str
    across: str
    k_duplicate: int
    k_similar: int
    duplicate_rule: str
    least_shared: float
    window_days: float | None
    window_documents: int | None
    epoch_documents: int
    first_epoch: int
    epoch_days: int | None
    within: str
    identical: float | None
    exact_rule: str
    show: str
    source_ranks: Sequence[str] | str
    templates: bool
    chaining_documents: int
    chaining_density: float
    loss_limit: float | None
    loss_documents: int
    keep_text: bool
    df_counts: str
    keep_repeated_lines: bool
    representation: str
    weighting: str
    n: int
    target: str
    df_min: float
    df_max: float
    k1: float
    b: float
    short: str
    morph: str


class PassageKeywords(TypedDict, total=False):
    """Fields of ``PassageSettings``; see there."""

    feature: str | None
    tau: float | None
    gap: int | None
    min_sentences: int | None
    min_words: int | None
    min_run: int | None


class FindKeywords(PassageKeywords, ReadingOptions, total=False):
    """Fields of ``PassageSettings``; see there."""
