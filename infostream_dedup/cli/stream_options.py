"""Options that determine the verdicts of a stream."""

from __future__ import annotations

from typing import Any, Final

import click

from infostream_dedup.cli.options import (
    Command,
    df_max_option,
    morph_option,
    n_option,
    short_option,
    stack,
    weighting_option,
)
from infostream_dedup.model.settings import ACROSS, REPRESENTATIONS, STREAM_PRESETS

__all__ = ["pop_stream_settings", "stream_options"]


_OPTIONS: Final = (
    click.option(
        "--preset",
        type=click.Choice(STREAM_PRESETS),
        help="Decide by evidence beyond key terms (judged), or by key terms alone (faithful).  [default: judged, or "
        "faithful if an option is given that only works with it]",
    ),
    click.option(
        "--join",
        metavar="KIND,...",
        help="With preset judged: kinds of pairs that make a duplicate.  [default: copy]",
    ),
    click.option(
        "--across",
        type=click.Choice(ACROSS),
        help="Also compare with documents in other languages, using a pivot language (pivot), or not (none).  "
        "[default: pivot with preset judged, otherwise none]",
    ),
    click.option(
        "--representation",
        # A stream has no dictionaries between languages.
        type=click.Choice([name for name in REPRESENTATIONS if name != "pivot"]),
        help="How a word becomes a term.  [default: morph]",
    ),
    weighting_option,
    n_option,
    click.option(
        "--target", type=click.Choice(["text", "signature"]), help="Where key terms are looked up.  [default: text]"
    ),
    click.option("--df-min", type=float, help="Minimum document frequency of a key term.  [default: 2]"),
    df_max_option,
    short_option,
    morph_option,
    click.option(
        "--k-duplicate", type=click.IntRange(min=1), help="Number of terms that a duplicate must share.  [default: 6]"
    ),
    click.option(
        "--k-similar",
        type=click.IntRange(min=1),
        help="Number of terms that a similar document must share in either direction.  [default: 4]",
    ),
    click.option(
        "--duplicate-rule",
        type=click.Choice(["equal", "contained"]),
        help="Require both directions, or one.  [default: equal]",
    ),
    click.option(
        "--least-shared",
        type=float,
        help="Minimum share of all their terms that duplicates have in common.  [default: 0.3]",
    ),
    click.option(
        "--window-days", type=float, help="Days for which a document is remembered; 0: forever.  [default: 7]"
    ),
    click.option(
        "--window-documents",
        type=click.IntRange(min=1),
        help="Maximum number of documents remembered.  [default: no maximum]",
    ),
    click.option("--epoch-documents", type=click.IntRange(min=1), help="Documents per epoch.  [default: 10000]"),
    click.option(
        "--first-epoch",
        type=click.IntRange(min=1),
        help="Documents of the first epoch; later ones grow.  [default: 500]",
    ),
    click.option("--epoch-days", type=click.IntRange(min=1), help="Length of an epoch in days, instead of documents."),
    click.option(
        "--same-source",
        type=click.Choice(["ignore", "ban", "require"]),
        help="Pairs from one source: treat like others, exclude (ban), or allow no others (require).  "
        "[default: ignore]",
    ),
    click.option(
        "--exact-rule",
        type=click.Choice(["text", "opening", "sentences"]),
        help="What must be equal in an exact duplicate: the text, the first paragraph or the first 3 sentences.  "
        "[default: text]",
    ),
    click.option(
        "--best",
        type=click.Choice(["earliest", "complete", "source-rank"]),
        help="Which document represents a group (see 'store stats --best').  [default: earliest]",
    ),
    click.option("--source-rank", "source_ranks", multiple=True, help="A source for --best source-rank, best first."),
    click.option(
        "--templates/--no-templates",
        default=None,
        help="Whether duplicates with different numbers count only as similar.  [default: templates]",
    ),
    click.option(
        "--chaining-density",
        type=float,
        help="Minimum share of a group of ten or more that a duplicate must repeat, otherwise it is only similar; 0: "
        "one is enough.  [default: 0.2]",
    ),
    click.option(
        "--loss-limit",
        type=float,
        help="Maximum share of a source's documents that may be repeats; further ones count as similar.  [default: "
        "all]",
    ),
    click.option(
        "--loss-documents",
        type=click.IntRange(min=1),
        help="Number of latest documents of a source over which this share is computed.  [default: 200]",
    ),
    click.option("--keep-text", is_flag=True, default=None, help="Also store the texts."),
)

_NAMES: Final = (
    *("preset", "join", "across"),
    *("representation", "weighting", "n", "target", "df_min", "df_max", "short", "morph", "k_duplicate", "k_similar"),
    *("duplicate_rule", "least_shared", "window_days", "window_documents", "epoch_documents", "first_epoch"),
    *("epoch_days", "same_source", "exact_rule", "best", "source_ranks", "templates", "chaining_density", "loss_limit"),
    *("loss_documents", "keep_text"),
)


def stream_options(function: Command) -> Command:
    """Add all stream options. A store keeps those it was created with; for an existing store they may be left out."""
    return stack(_OPTIONS)(function)


def pop_stream_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Remove the stream's settings from a command's values, and return those that were given."""
    chosen = {name: value for name in _NAMES if (value := given.pop(name)) not in (None, ())}
    if "join" in chosen:
        chosen["join"] = tuple(name.strip() for name in chosen["join"].split(","))
    if chosen.get("window_days") == 0:
        chosen["window_days"] = None
    return chosen
