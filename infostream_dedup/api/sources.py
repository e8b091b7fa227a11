"""Read a source into a collection, with a report and without listed boilerplate."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infostream_dedup.documents import Reading, ReadingReport
    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Document, DocumentBlock
    from infostream_dedup.runs.batch.collection import Collection

__all__ = [
    "documents_to_collect",
    "read_collection",
    "read_list",
    "without_boilerplate",
]


def read_collection(
    source: Any,
    reading: Reading,
    *,
    boilerplate: str | Path | None = None,
    evidence: EvidenceReader | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
) -> tuple[Collection, ReadingReport]:
    """Read a source as a collection without texts.

    Args:
        source: see ``read_documents``.
        reading: reading options.
        boilerplate: file of sentences to leave out.
        evidence: receives every document; the collection then also has text hashes.
        engine: plain or compiled; results are the same.
        progress: called with the number of documents read.

    Returns:
        The collection, and what was read.
    """
    from infostream_dedup.documents import ReadingReport
    from infostream_dedup.runs.batch.collection import collect

    report = ReadingReport()
    documents = documents_to_collect(source, reading, report, boilerplate=boilerplate, engine=engine)
    hashes = evidence is not None
    return collect(documents, hashes=hashes, evidence=evidence, engine=engine, progress=progress), report


def documents_to_collect(
    source: Any, reading: Reading, report: ReadingReport, *, boilerplate: str | Path | None, engine: str
) -> Iterable[Document | DocumentBlock]:
    """Yield the documents of a source for ``collect``: in blocks, unless each document must be processed on the way.

    Args:
        source: see ``read_documents``.
        reading: reading options.
        report: report in which documents are counted.
        boilerplate: file of sentences to leave out.
        engine: as in ``collect``.
    """
    from infostream_dedup.documents import read_documents
    from infostream_dedup.documents.block_reading import read_document_blocks
    from infostream_dedup.machine.engines import engine_named

    if boilerplate is None and engine_named(engine) != "plain":
        return read_document_blocks(source, reading=reading, report=report)
    return without_boilerplate(read_documents(source, report=report, reading=reading), boilerplate)


def read_list(source: Any, reading: Reading) -> tuple[list[Document], ReadingReport]:
    """Read all documents of a source, texts included, and report what was read."""
    from infostream_dedup.documents import ReadingReport, read_documents

    report = ReadingReport()
    return list(read_documents(source, report=report, reading=reading)), report


def without_boilerplate(documents: Iterable[Document], listed: str | Path | None) -> Iterable[Document]:
    """Remove the sentences that a file lists from documents; without a file, return them unchanged."""
    if listed is None:
        return documents
    from infostream_dedup.judging.passages.boilerplate_file import read_boilerplate

    return read_boilerplate(listed).left_out(documents)
