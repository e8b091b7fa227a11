"""Version of the package, which is part of every result's configuration."""

from typing import Final

VERSION: Final = "0.1.0"
