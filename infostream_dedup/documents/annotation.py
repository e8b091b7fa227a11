"""Columns that a command adds to the documents that it passes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from infostream_dedup.documents.documents import row_of
from infostream_dedup.errors import BadDataError, UsageError
from infostream_dedup.model import Document

__all__ = ["Annotation"]


class Annotation:
    """Adds columns under names that the documents do not use, so that none of their fields is overwritten.

    Args:
        names: column names.
        prefix: put before each name.

    Example:
        >>> judged = Annotation(["status"], prefix="dedup_")
        >>> judged.row(Document(id="a", text="слово", extra={"status": "draft"}), {"status": "new"})
        {'id': 'a', 'text': 'слово', 'status': 'draft', 'dedup_status': 'new'}
    """

    def __init__(self, names: Sequence[str], *, prefix: str = "") -> None:
        self._columns = {name: prefix + name for name in names}

    def checked(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents unchanged, refusing any that already has one of the columns.

        Raises:
            BadDataError: a document has a field with the name of a column (``E_FIELD_TAKEN``).
        """
        for document in documents:
            taken = next((column for column in self._columns.values() if column in document.extra), None)
            if taken is not None:
                raise BadDataError(
                    f"the document {document.id!r} has a field of this name, which --annotate would overwrite; give "
                    "the new columns other names, for example with --prefix dedup_",
                    code="E_FIELD_TAKEN",
                    source="--annotate",
                    field=taken,
                )
            yield document

    def row(self, document: Document, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row of a document with its added columns.

        Args:
            document: a document that `checked` has passed.
            values: column values by name without the prefix; names that are not columns are ignored.
        """
        return row_of(document) | {column: values[name] for name, column in self._columns.items() if name in values}


def refuse_idle_prefix(prefix: str, *, annotate: bool) -> None:
    """Refuse a prefix of columns that are not added.

    Raises:
        UsageError: there is a prefix, but no columns.
    """
    if prefix and not annotate:
        raise UsageError("prefix (--prefix) needs annotate (--annotate)")
