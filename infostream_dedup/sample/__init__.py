"""The bundled sample: 199 invented news items in Russian, Ukrainian and English, and their labelled pairs."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["documents_path", "labels_path"]


def documents_path() -> Path:
    """The documents of the sample, one JSON object a line, in the order of their publication.

    Returns:
        Path of ``stream.jsonl``.
    """
    return _path("stream.jsonl")


def labels_path() -> Path:
    """The labelled pairs of the sample, one JSON object a line: ``a``, ``b`` (ids), ``label``, ``kind``.

    Returns:
        Path of ``labels.jsonl``.
    """
    return _path("labels.jsonl")


def _path(name: str) -> Path:
    return Path(str(files("infostream_dedup.sample") / name))
