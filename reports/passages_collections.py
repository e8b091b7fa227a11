"""The corpora and tables of passages.md."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from infostream_dedup import read_documents
from infostream_dedup.model import Document

REPORTS = Path(__file__).resolve().parent

CORPORA = REPORTS.parents[1] / "shared" / "data"


def read_labels(name: str) -> list[dict[str, Any]]:
    """Read the labelled pairs of a corpus."""
    with gzip.open(CORPORA / f"{name}.labels.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_corpus(name: str) -> list[Document]:
    """Read the documents of a corpus."""
    return list(read_documents(CORPORA / f"{name}.docs.jsonl.gz"))


def as_table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Format a table of Markdown."""
    lines = [tuple(heads), *(tuple(map(str, row)) for row in rows)]
    lines.insert(1, tuple("---" for _ in lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
