"""Version of the package, which is part of every result's configuration."""

from typing import Final

VERSION: Final = "1.0.0"
