"""``python -m infostream_dedup`` is the command line."""

from __future__ import annotations

import sys
from typing import Final

__all__ = ["main"]

_INTERRUPTED: Final = 130


def main() -> None:
    """Run the command line. Ctrl-C shows no traceback, even while the command line itself is being loaded."""
    try:
        from infostream_dedup.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("infostream-dedup: interrupted\n")
        sys.exit(_INTERRUPTED)
    run()


if __name__ == "__main__":
    main()
