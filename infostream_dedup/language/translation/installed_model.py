"""A translation model on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from infostream_dedup.model import Language


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """An installed model.

    Attributes:
        source: language it translates from.
        target: language it translates to.
        version: version of the package.
        folder: folder with its files.
        target_prefix: first token for the decoder; mostly empty.
    """

    source: Language
    target: Language
    version: str
    folder: Path
    target_prefix: str = ""
