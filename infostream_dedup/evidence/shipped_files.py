"""Files of this room that come with the package, and their checksums."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Final

from infostream_dedup.errors import BadDataError

__all__ = ["BACKGROUND_FILE", "MODEL_FILE", "shipped_bytes"]

BACKGROUND_FILE: Final = Path(__file__).with_name("background.npz")
"""Made by ``reports/make_background.py``: hashing the common words of a language takes longer than a small job."""

MODEL_FILE: Final = Path(__file__).with_name("pair_model.json")
"""Made by ``reports/learn_pair_model.py``."""

_CHECKSUMS: Final = {
    "background.npz": "ddd8d7b6775bf84a4e31cdbbaf9b337c",
    "pair_model.json": "45b840e1a77600c9c82112e9986e3d68",
}
"""Blake2b (16 bytes) of each file; it changes with the file."""


def shipped_bytes(path: Path) -> bytes:
    """What one of the files holds.

    Args:
        path: the file, under its own name.

    Raises:
        BadDataError: it is not what was shipped.
    """
    content = path.read_bytes()
    found = blake2b(content, digest_size=16).hexdigest()
    if found != _CHECKSUMS[path.name]:
        message = f"the file is not what was shipped (checksum {found}); install infostream-dedup again"
        raise BadDataError(message, code="E_PACKAGE", source=path.name)
    return content
