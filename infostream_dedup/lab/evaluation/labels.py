"""Reads labelled pairs and kin families, made by people or computed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from infostream_dedup.documents.column_names import ColumnNames
from infostream_dedup.documents.csv_table import csv_records
from infostream_dedup.documents.endings import is_table
from infostream_dedup.documents.json_files import jsonl_records
from infostream_dedup.documents.records import Item
from infostream_dedup.documents.table_files import workbook_records
from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.model import Document
from infostream_dedup.model.limits import check_path

__all__ = [
    "LABELS",
    "Kin",
    "Label",
    "family_of",
    "kin_by_field",
    "label_rows",
    "labels_in",
    "labels_of",
    "positive_labels",
    "read_kin",
    "read_labels",
]

LABELS: Final = ("dup", "similar", "different", "translation", "template")
"""``template``: the same form filled in twice (daily rates, weather), which is not a repetition."""

_MAX_LINE_BYTES: Final = 1 << 20
_COLUMNS: Final = ("a", "b", "label")

LabelRow = tuple[int, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Label:
    """The label of one pair of documents.

    Attributes:
        a: id of one document.
        b: id of the other; the pair is unordered.
        label: one of ``LABELS``.
        source: file of the label, ``<list>`` for values in memory.
        line: line or row in the source, from 1; ``None`` if unknown.
        extra: all other fields, unchanged.
    """

    a: str
    b: str
    label: str
    source: str = "<list>"
    line: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kin:
    """Two families that share text or report the same event, so that their pairs do not count as false.

    Attributes:
        family_a: name of one family.
        family_b: name of the other family.
        why: reason as given; empty if missing.
    """

    family_a: str
    family_b: str
    why: str = ""


def read_labels(path: str | Path) -> list[Label]:
    """Read labelled pairs.

    Args:
        path: JSON Lines file, optionally compressed with gzip, or ``-`` for standard input; one object per line with
            ``a``, ``b`` and ``label``. Or a ``.csv``, ``.tsv`` or ``.xlsx`` file with these columns. A pair whose label
            is ``null``, or an empty cell, is still to be judged and is left out.

    Raises:
        NoInputError: the file cannot be opened.
        BadDataError: the file is malformed, or a row is invalid for the reasons given in ``labels_of``.
    """
    check_path("labels", path)
    return _parse_labels(label_rows(path), str(path))


def label_rows(path: str | Path) -> Iterator[LabelRow]:
    """Yield the line and the fields of each row of a file that ``read_labels`` reads; they are not checked.

    Raises:
        NoInputError: the file cannot be opened.
        BadDataError: the file is malformed.
    """
    return _read_table(str(path)) if is_table(path) else _read_objects(path)


def labels_in(given: str | Path | Sequence[Label]) -> Sequence[Label]:
    """Return labelled pairs that were read before, or read them from a file.

    Raises:
        ConfigurationError: these are neither labels nor the path of a file.
        NoInputError, BadDataError: see ``read_labels``.
    """
    if isinstance(given, list | tuple) and all(isinstance(one, Label) for one in given):
        return given
    return read_labels(given)  # type: ignore[arg-type]


def labels_of(rows: Iterable[Mapping[str, Any]], *, source: str = "<list>") -> list[Label]:
    """Make labelled pairs from plain objects.

    A pair may occur more than once, in either order, with the same label.

    Args:
        rows: each with ``a``, ``b`` (different document ids) and ``label`` (one of ``LABELS``, or ``None`` for a pair
            that is still to be judged and is left out).
        source: name of the source for errors.

    Raises:
        BadDataError: a field is missing or invalid, a pair consists of one document, or two labels of a pair
            contradict each other.
    """
    return _parse_labels(enumerate(rows, start=1), source)


def read_kin(path: str | Path) -> list[Kin]:
    """Read pairs of kin families.

    Args:
        path: JSON Lines file, optionally compressed with gzip, or ``-`` for standard input; one object per line with
            ``family_a``, ``family_b`` and optionally ``why``. Kin of kin need not be listed: ``truth_of`` computes
            the transitive closure.

    Raises:
        NoInputError: the file cannot be opened.
        BadDataError: the file is malformed, or a family is missing or empty.
    """
    source = str(path)
    return [
        Kin(
            _read_required_text(row, "family_a", source, line),
            _read_required_text(row, "family_b", source, line),
            str(row.get("why") or ""),
        )
        for line, row in _read_objects(path)
    ]


def kin_by_field(documents: Iterable[Document], name: str, value: str) -> list[Kin]:
    """Make all families kin whose documents have a given value in a pass-through field.

    For collections that record kinship this way: in UA-GEC ``submission`` = ``translation`` means that several people
    may have translated the same story.

    Args:
        documents: documents; those without a family are ignored.
        name: name of a field of ``Document.extra``.
        value: value that the field must have.

    Returns:
        Pairs that chain the families, in order of first appearance.
    """
    chosen = (family_of(document) for document in documents if document.extra.get(name) == value)
    families = list(dict.fromkeys(family for family in chosen if family is not None))
    why = f"{name}={value}"
    return [Kin(one, other, why) for one, other in itertools.pairwise(families)]


def family_of(document: Document) -> str | None:
    """Return the value of a document's field ``family``; ``None`` if it is missing or empty."""
    family = document.extra.get("family")
    return None if family is None or family == "" else str(family)


def positive_labels(given: Sequence[str]) -> tuple[str, ...]:
    """Check the labels that are to count as true.

    Raises:
        ConfigurationError: no label is given, or one that is unknown or ``different``.
    """
    known = [label for label in LABELS if label != "different"]
    wrong = [label for label in given if label not in known]
    if wrong or not given:
        raise ConfigurationError(
            f"positive labels are {', '.join(map(repr, given)) or 'empty'}; expected one or more of {', '.join(known)}"
        )
    return tuple(given)


def _parse_labels(rows: Iterable[LabelRow], source: str) -> list[Label]:
    labels: list[Label] = []
    earlier: dict[tuple[str, str], Label] = {}
    for line, row in rows:
        label = _parse_label(row, source, line)
        if label is None:
            continue
        first = earlier.setdefault((min(label.a, label.b), max(label.a, label.b)), label)
        if first.label != label.label:
            raise BadDataError(
                f"{label.a!r} and {label.b!r} are {label.label!r} here but {first.label!r} in line {first.line}; "
                "leave one of the two lines out",
                code="E_CONTRADICTION",
                source=source,
                line=line,
                field="label",
            )
        labels.append(label)
    return labels


def _parse_label(row: Mapping[str, Any], source: str, line: int) -> Label | None:
    """Parse the label of one row; ``None`` for a pair that is still to be judged."""
    a, b = _read_required_text(row, "a", source, line), _read_required_text(row, "b", source, line)
    if a == b:
        message = f"is {b!r}, the same as a; expected two different documents"
        raise BadDataError(message, code="E_SELF_PAIR", source=source, line=line, field="b")
    if "label" in row and row["label"] is None:
        return None
    label = _read_required_text(row, "label", source, line)
    if label not in LABELS:
        message = f"is {label!r}; expected one of {', '.join(LABELS)}"
        raise BadDataError(message, code="E_LABEL", source=source, line=line, field="label")
    extra = {name: value for name, value in row.items() if name not in ("a", "b", "label")}
    return Label(a, b, label, source, line, extra)


def _read_required_text(row: Mapping[str, Any], name: str, source: str, line: int) -> str:
    value = row.get(name)
    if value is None:
        raise BadDataError("is missing; expected a string", code="E_MISSING", source=source, line=line, field=name)
    if not isinstance(value, str) or not value:
        message = f"is {value!r}; expected a string that is not empty"
        raise BadDataError(message, code="E_TYPE", source=source, line=line, field=name)
    return value


def _read_objects(path: str | Path) -> Iterator[LabelRow]:
    """Yield the objects of a JSON Lines file with their line numbers; raise at the first fault."""
    return _checked_rows(jsonl_records(str(path), _MAX_LINE_BYTES))


def _read_table(path: str) -> Iterator[LabelRow]:
    """Yield the rows of a CSV file or a workbook; raise at the first fault."""
    columns = ColumnNames()
    if path.lower().endswith(".xlsx"):
        items = workbook_records(path, columns, required=_COLUMNS)
    else:
        items = csv_records(path, _MAX_LINE_BYTES, columns, required=_COLUMNS)
    for line, row in _checked_rows(items):
        cells = {name: _cell(name, value) for name, value in row.items()}
        known = {name: value for name, value in cells.items() if value is not None}
        if known:
            yield line, {"label": None, **known}


def _cell(name: str, value: Any) -> Any:
    """A value as it would be in JSON: an empty cell is null, and spreadsheets turn ids of digits into numbers."""
    if name in ("a", "b") and isinstance(value, float):
        return str(int(value) if value.is_integer() else value)
    if not isinstance(value, str):
        return value
    # People type blanks and capitals into cells.
    return (value.strip().lower() if name == "label" else value) or None


def _checked_rows(items: Iterable[Item]) -> Iterator[LabelRow]:
    for item in items:
        if isinstance(item, BadDataError):
            raise item
        yield item.place.line or 0, item.values
