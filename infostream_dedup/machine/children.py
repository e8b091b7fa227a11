"""Other Python processes of this package."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

_HOME: Final = str(Path(__file__).resolve().parents[2])
"""The folder that the package was imported from."""


def this_python() -> str:
    """The interpreter that runs this process."""
    return sys.executable


def python_command(module: str, *arguments: object) -> list[str]:
    """Command line of another Python that runs a module, and never one that lies in the working folder (``-P``)."""
    return [this_python(), "-P", "-m", module, *map(str, arguments)]


def python_environment() -> dict[str, str]:
    """Environment of another Python: it imports from the folders of this one, but not from the working folder.

    The working folder often holds strangers' files; a ``secrets.py`` among them must not run. It stays only where the
    package itself comes from it, as in a checkout.
    """
    try:
        here = str(Path.cwd().resolve())
    except OSError:  # it has been deleted
        here = ""
    folders = [one for one in sys.path if one and (os.path.realpath(one) != here or here == _HOME)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "PYTHONSAFEPATH": "1"}
