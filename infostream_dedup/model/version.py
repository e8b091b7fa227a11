"""Version of the package: part of every result's configuration."""

from typing import Final

__all__ = ["VERSION"]

VERSION: Final = "0.1.0"
