"""Dates on the command line."""

from __future__ import annotations

from datetime import datetime

import click

__all__ = ["moment_of"]


def moment_of(given: str | None, zone: str | None, name: str) -> datetime | None:
    """Return the moment that an option names; ``None`` for ``None``.

    Raises:
        BadParameter: it is not a date.
    """
    from infostream_dedup.api import moment

    try:
        return moment(given, zone)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=f"--{name}") from error
