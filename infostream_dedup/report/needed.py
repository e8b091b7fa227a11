"""Check that the packages needed for reports are installed."""

from __future__ import annotations

from importlib.util import find_spec

from infostream_dedup.errors import MissingExtraError

__all__ = ["has_report_extra", "require_report_extra"]

_PACKAGES = ("jinja2", "matplotlib")


def has_report_extra() -> bool:
    """Whether the packages that draw a report are installed."""
    return all(find_spec(package) is not None for package in _PACKAGES)


def require_report_extra() -> None:
    """Require the extra before hours of work, not after.

    Raises:
        MissingExtraError: a package of the extra ``report`` is not installed.
    """
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise MissingExtraError(package, "report", "a report")
