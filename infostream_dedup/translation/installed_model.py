"""A translation model on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from infostream_dedup.model import Language

__all__ = ["InstalledModel"]


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model that can be used.

    Attributes:
        source: language that is translated from.
        target: language that is translated to.
        version: version of the package.
        folder: where its files are.
        target_prefix: token that the decoder is started with; mostly empty.
    """

    source: Language
    target: Language
    version: str
    folder: Path
    target_prefix: str = ""
