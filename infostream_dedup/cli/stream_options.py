"""Options that decide the verdicts of a stream."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import click

from infostream_dedup.model.settings import MORPH_RULES, SHORT_RULES, WEIGHTINGS

__all__ = ["pop_stream_settings", "stream_options"]

Command = Callable[..., Any]

_OPTIONS: Final = (
    click.option(
        "--representation", type=click.Choice(["stem", "morph"]), help="How a word becomes a term.  [default: morph]"
    ),
    click.option("--weighting", type=click.Choice(WEIGHTINGS), help="Weight of a term.  [default: bm25]"),
    click.option("--n", type=click.IntRange(1, 255), help="Key terms of a document.  [default: 12]"),
    click.option(
        "--target", type=click.Choice(["text", "signature"]), help="What key terms are looked up in.  [default: text]"
    ),
    click.option("--df-min", type=float, help="Least document frequency of a key term.  [default: 2]"),
    click.option("--df-max", type=float, help="Greatest document frequency; below 1 a share.  [default: 0.5]"),
    click.option(
        "--short", type=click.Choice(SHORT_RULES), help="How k falls for documents with few terms.  [default: scaled]"
    ),
    click.option(
        "--morph", type=click.Choice(MORPH_RULES), help="With predicted proper nouns, or without.  [default: open]"
    ),
    click.option("--k-duplicate", type=click.IntRange(min=1), help="Terms that meet in a duplicate.  [default: 6]"),
    click.option("--k-similar", type=click.IntRange(min=1), help="Terms for similar.  [default: 4]"),
    click.option(
        "--duplicate-rule", type=click.Choice(["equal", "contained"]), help="Both directions, or one.  [default: equal]"
    ),
    click.option(
        "--least-shared", type=float, help="Share of all terms that both must hold in a duplicate.  [default: 0.3]"
    ),
    click.option("--window-days", type=float, help="Days a document is remembered; 0 for ever.  [default: 7]"),
    click.option(
        "--window-documents",
        type=click.IntRange(min=1),
        help="Documents that are remembered.  [default: all of the days]",
    ),
    click.option("--epoch-documents", type=click.IntRange(min=1), help="Documents of an epoch.  [default: 10000]"),
    click.option(
        "--first-epoch", type=click.IntRange(min=1), help="Documents of the first one; they grow.  [default: 500]"
    ),
    click.option("--epoch-days", type=click.IntRange(min=1), help="Epochs of so many days instead."),
    click.option(
        "--same-source",
        type=click.Choice(["ignore", "ban", "require"]),
        help="Pairs of one source: as all others, none, or only such.  [default: ignore]",
    ),
    click.option(
        "--exact-rule",
        type=click.Choice(["text", "opening", "sentences"]),
        help="Exact: same text, or also same first paragraph, or first 3 sentences.  [default: text]",
    ),
    click.option(
        "--best",
        type=click.Choice(["earliest", "complete", "source-rank"]),
        help="Who stands for a group, as 'store stats --best' lists.  [default: earliest]",
    ),
    click.option("--source-rank", "source_ranks", multiple=True, help="A source for --best source-rank, best first."),
    click.option(
        "--templates/--no-templates",
        default=None,
        help="Duplicates with other numbers are only similar.  [default: templates]",
    ),
    click.option(
        "--loss-limit",
        type=float,
        help="Share of a source's documents that may be repeats; the others pass as similar.  [default: all]",
    ),
    click.option(
        "--loss-documents",
        type=click.IntRange(min=1),
        help="The last documents of the source that it is taken of.  [default: 200]",
    ),
    click.option("--keep-text", is_flag=True, default=None, help="Store the texts, too."),
)

_NAMES: Final = (
    *("representation", "weighting", "n", "target", "df_min", "df_max", "short", "morph", "k_duplicate", "k_similar"),
    *("duplicate_rule", "least_shared", "window_days", "window_documents", "epoch_documents", "first_epoch"),
    *("epoch_days", "same_source", "exact_rule", "best", "source_ranks", "templates", "loss_limit", "loss_documents"),
    "keep_text",
)


def stream_options(function: Command) -> Command:
    """All of them. A store keeps those it was made with; on an old store they may be left out."""
    return functools.reduce(lambda inner, option: option(inner), reversed(_OPTIONS), function)


def pop_stream_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Take the settings of the stream out of a command's values, and return those that were given."""
    chosen = {name: value for name in _NAMES if (value := given.pop(name)) not in (None, ())}
    if chosen.get("window_days") == 0:
        chosen["window_days"] = None
    return chosen
