"""``suggest``: choose the pairs to label next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.candidates import Candidates
from infostream_dedup.api.keywords import parted
from infostream_dedup.api.listing import Listing
from infostream_dedup.api.train import train
from infostream_dedup.documents.reading import ReadingOptions

if TYPE_CHECKING:
    from infostream_dedup.documents import Reading
    from infostream_dedup.machine.progress import Progress

__all__ = ["suggest"]


def suggest(
    source: Any,
    labels: str | Path,
    number: int = 10,
    *,
    preset: str = "duplicate",
    candidates: Candidates = "key-terms",
    k: int = 3,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Listing[dict[str, Any]]:
    """Suggest the pairs whose labels would teach a classifier most. Needs the extra ``learn``.

    A classifier is trained on the existing labels; the pairs about which it is least certain come first, spread over
    the collection. For other options of training see ``train`` and ``Training.suggest``.

    Args:
        source: the documents (see ``read_documents``).
        labels: JSON Lines of ``a``, ``b``, ``label``.
        number: maximum number of pairs.
        preset: see ``train``.
        candidates: which pairs are considered: ``key-terms`` (linked by key terms) or ``two-words`` (the same two
            heaviest words, as in the paper).
        k: number of shared key terms that links a pair, 1 to 12.
        reading: all reading options at once.
        progress: called with each step.
        options: single reading options by name, instead of ``reading``.

    Returns:
        Rows ``a, b, label, outcome, a_repeats_b, b_repeats_a``, which become labels once ``label`` is filled in.

    Raises:
        ConfigurationError, BadDataError, NoInputError, MissingExtraError, TypeError: see ``train``.
    """
    parted(suggest, ReadingOptions, options)
    trained = train(source, labels, preset=preset, reading=reading, progress=progress, **options)
    columns = ("a", "b", "label", "outcome", "a_repeats_b", "b_repeats_a")
    return Listing(trained.suggest(number, candidates=candidates, k=k), columns, trained.report)
