"""The criteria by which an expert compares two documents (Andreev, Berezkin, Kozlov, Simakov)."""

from __future__ import annotations

from infostream_dedup.judging.criteria.classifier import differences
from infostream_dedup.judging.criteria.criterion import CRITERIA
from infostream_dedup.judging.criteria.document_models import DocumentModels, document_models

__all__ = ["CRITERIA", "DocumentModels", "differences", "document_models"]
