"""Numbers that several rooms share."""

from __future__ import annotations

from typing import Final

CANDIDATE_TERMS: Final = 3
"""Number of key terms, out of 12, that must match in one direction for a pair to be judged."""

COMPARED_TERMS: Final = 30
"""Number of key terms of a document that are compared; the n heaviest of them find candidates."""

SHOWN_DECIMALS: Final = 6
"""Decimals of the probabilities and shares that are shown."""
