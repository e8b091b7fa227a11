"""Data files of this room that ship with the package, and their checksums."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Final

from infostream_dedup.errors import BadDataError

BACKGROUND_FILE: Final = Path(__file__).with_name("background.npz")
"""Made by ``tools/make_background.py``: hashing the common words of a language takes longer than a small job."""

MODEL_FILE: Final = Path(__file__).with_name("pair_model.json")
"""Made by ``reports/learn_pair_model.py``."""

_CHECKSUMS: Final = {
    "background.npz": "ddd8d7b6775bf84a4e31cdbbaf9b337c",
    "pair_model.json": "f536d3081fb0bfd6986d3d2e249a7a68",
}
"""Blake2b checksum (16 bytes) of each file; update it together with the file."""


def shipped_bytes(path: Path) -> bytes:
    """Read one of the files."""
    content = path.read_bytes()
    found = blake2b(content, digest_size=16).hexdigest()
    if found != _CHECKSUMS[path.name]:
        message = f"the file differs from the one shipped (checksum {found}); install infostream-dedup again"
        raise BadDataError(message, code="E_PACKAGE", source=path.name)
    return content
