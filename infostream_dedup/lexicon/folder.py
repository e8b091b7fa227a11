"""Location of the hand-written dictionaries."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from infostream_dedup.errors import NoInputError

__all__ = ["dictionaries_folder"]


@cache
def dictionaries_folder() -> Path:
    """Return the folder of the dictionaries: inside an installed wheel, beside the package in a checkout.

    Raises:
        NoInputError: neither folder exists, so the installation is broken.
    """
    package = Path(__file__).resolve().parents[1]
    candidates = (package / "_dictionaries", package.parent / "dictionaries")
    for folder in candidates:
        if (folder / "README.md").is_file():
            return folder
    looked = " and ".join(str(folder) for folder in candidates)
    raise NoInputError(
        f"the dictionaries of infostream-dedup are missing; looked in {looked}; install the package again"
    )
