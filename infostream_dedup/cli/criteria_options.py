"""Options shared by ``train`` and ``classify``."""

from __future__ import annotations

import click

__all__ = ["candidates_option", "link_option"]

candidates_option = click.option(
    "--candidates",
    type=click.Choice(["key-terms", "two-words"]),
    default="key-terms",
    show_default=True,
    help="Consider pairs linked by key terms, or with the same two heaviest words (as in the paper).",
)
link_option = click.option(
    "--k",
    type=click.IntRange(1, 12),
    default=3,
    show_default=True,
    help="Shared key terms that link a pair, out of 12.",
)
