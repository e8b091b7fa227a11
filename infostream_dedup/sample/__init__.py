"""The bundled sample: invented news in three languages, 199 items with labelled pairs and 33 on two topics."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["documents_path", "labels_path", "topics_path"]


def documents_path() -> Path:
    """Return the file of the sample's documents: one JSON object per line, in order of publication.

    Returns:
        Path of ``stream.jsonl``.
    """
    return _path("stream.jsonl")


def labels_path() -> Path:
    """Return the file of the sample's labelled pairs: one JSON object per line with ``a``, ``b``, ``label``, ``kind``.

    ``a`` and ``b`` are document ids.

    Returns:
        Path of ``labels.jsonl``.
    """
    return _path("labels.jsonl")


def topics_path() -> Path:
    """Return the file of further documents: news on two topics in three languages, none a translation of another.

    Returns:
        Path of ``topics.jsonl``.
    """
    return _path("topics.jsonl")


def _path(name: str) -> Path:
    return Path(str(files("infostream_dedup.sample") / name))
