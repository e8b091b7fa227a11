"""``boilerplate``: sentences that recur in many texts of one source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.keywords import parted
from infostream_dedup.api.listing import Listing
from infostream_dedup.documents.reading import ReadingOptions, chosen_reading

if TYPE_CHECKING:
    from infostream_dedup.documents import Reading
    from infostream_dedup.machine.progress import Progress

__all__ = ["boilerplate"]


def boilerplate(
    source: Any,
    *,
    min_documents: int = 5,
    min_share: float = 0.005,
    min_days: int = 3,
    min_words: int = 2,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Listing[dict[str, Any]]:
    """List the sentences that recur in many texts of one source.

    All texts are kept in memory. Write the rows to a file to pass them to other functions as ``boilerplate=``.

    Args:
        source: the documents (see ``read_documents``); those without a source count as one source, and its sentences
            are left out of every document.
        min_documents: minimum number of the source's texts that contain the sentence, at least 2.
        min_share: minimum share of the source's texts that contain it, 0 to 1.
        min_days: minimum number of UTC days on which these texts were published, at least 1; texts without a date are
            exempt.
        min_words: minimum number of words with a letter, at least 1.
        reading: all reading options at once.
        progress: called with each step.
        options: single reading options by name, instead of ``reading``.

    Returns:
        Rows ``source, sentence, documents, share, first, last`` ordered by source (documents without one first), most
        frequent first. ``warnings`` says if ``min_days`` could not be checked because documents have no date.

    Raises:
        ConfigurationError: a value is out of range or given twice.
        BadDataError, NoInputError: see ``read_documents``.
        TypeError: an option is unknown.
    """
    from infostream_dedup.api.sources import read_list
    from infostream_dedup.judging.passages.boilerplate import BoilerplateRule, find_boilerplate
    from infostream_dedup.judging.passages.sentence_table import read_collection

    _, reads = parted(boilerplate, ReadingOptions, options)
    rule = BoilerplateRule(min_documents, min_share, min_days, min_words)
    kept, report = read_list(source, chosen_reading(reading, reads))
    found = find_boilerplate(kept, read_collection(kept, progress=progress).sentences, rule)
    columns = ("source", "sentence", "documents", "share", "first", "last", "checksum")
    undated = sum(document.time is None for document in kept)
    warning = (
        f"{undated} of {len(kept)} documents have no date, so their sentences need not recur on "
        f"{min_days} days: the list may contain quotes of a single story; read it before you leave the sentences out"
    )
    warnings = [warning] if undated and found and min_days > 1 else []
    return Listing((row.as_dict() for row in found), columns, report, warnings=warnings)
