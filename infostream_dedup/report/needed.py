"""Whether the packages are there that reports are made with."""

from __future__ import annotations

from importlib.util import find_spec

from infostream_dedup.errors import MissingExtraError

__all__ = ["has_report_extra", "require_report_extra"]

_PACKAGES = ("jinja2", "matplotlib")


def has_report_extra() -> bool:
    """Whether a report can be drawn here."""
    return all(find_spec(package) is not None for package in _PACKAGES)


def require_report_extra() -> None:
    """Ask for the extra before hours of work, not after them.

    Raises:
        MissingExtraError: a package of the extra ``report`` is not installed.
    """
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise MissingExtraError(package, "report", "a report")
