"""Locations of the hand-written dictionaries and of the user's own data."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from infostream_dedup.errors import NoInputError


@cache
def dictionaries_folder() -> Path:
    """Return the folder of the dictionaries: inside an installed wheel, beside the package in a checkout."""
    package = Path(__file__).resolve().parents[2]
    candidates = (package / "_dictionaries", package.parent / "dictionaries")
    for folder in candidates:
        if (folder / "README.md").is_file():
            return folder
    looked = " and ".join(str(folder) for folder in candidates)
    raise NoInputError(
        f"the dictionaries of infostream-dedup are missing; looked in {looked}; install the package again"
    )


def data_folder() -> Path:
    """Return ``INFOSTREAM_DEDUP_DATA`` or the user's data folder; it need not exist."""
    from platformdirs import user_data_dir

    return Path(os.environ.get("INFOSTREAM_DEDUP_DATA") or user_data_dir("infostream-dedup"))
