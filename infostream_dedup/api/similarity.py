"""``similarity_matrix``: the counts that pairs and sweeps are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.keywords import MatrixKeywords, chosen

if TYPE_CHECKING:
    from infostream_dedup.documents import Reading
    from infostream_dedup.links.similarity_matrix import SimilarityMatrix
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings

__all__ = ["similarity_matrix"]


def similarity_matrix(
    source: Any,
    *,
    k_min: int | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    **options: Unpack[MatrixKeywords],
) -> tuple[SimilarityMatrix, list[str]]:
    """Count, for every two documents, how many key terms of one occur in the other.

    Args:
        source: the documents (see ``read_documents``).
        k_min: leave out smaller counts; 1 by default, or 4 if the matrix would not fit into memory.
        settings: all settings at once.
        reading: all reading options at once.
        engine: ``auto``, ``plain`` or ``compiled``; results are the same.
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``.

    Returns:
        The matrix (documents, documents) of counts, whose rows ask and columns answer; and the ids of its rows.

    Raises:
        ConfigurationError: an option is out of range or given twice.
        BadDataError, NoInputError: see ``read_documents``.
        TypeError: an option is unknown.
    """
    from infostream_dedup.api.sources import read_collection
    from infostream_dedup.model import fields_of
    from infostream_dedup.model.limits import Range
    from infostream_dedup.runs.batch.linking import least_k, link

    agreed, read = chosen(similarity_matrix, MatrixKeywords, options, settings=settings, reading=reading)
    if k_min is not None:
        k_min = Range(1, agreed.n).check("k_min", k_min)
    collection, _ = read_collection(source, read, engine=engine, progress=progress)
    key_terms = collection.key_terms(agreed)
    least = least_k(key_terms) if k_min is None else k_min
    linked = link(key_terms, agreed, k_min=least, engine=engine, progress=progress)
    return linked.matrix, fields_of(collection.documents).ids
