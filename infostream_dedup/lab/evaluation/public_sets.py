"""Labelled sets of others in the form they are published in: CrossNews-UA and NEWS-COPY.

CrossNews-UA (Technical University of Munich, 2025) is one CSV file of pairs of news with their texts, and what people
said of each pair. NEWS-COPY (Silcock, D'Amico-Wong, Yang and Dell, 2023) is a JSON object of articles by id, and a JSON
list of all pairs that are duplicates.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from infostream_dedup.documents.column_names import ColumnNames
from infostream_dedup.documents.csv_table import csv_records
from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.lab.evaluation.labels import Label
from infostream_dedup.model import OUR_LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

_PAIRS: Final = ("text1", "text2", "aggregated_what")
_SAID: Final = {
    "similar": ("similar", "same-event"),
    "somewhat_related": ("different", "related"),
    "different": ("different", "different"),
    "disagreement": None,
}
"""Label and kind by what most people said; pairs on which they disagreed are not judged."""
_MOST_BYTES: Final = 1 << 26
_ARTICLE: Final = ("headline", "byline", "article")


def public_set(source: Any, labels: Any) -> tuple[Any, Any]:
    """Documents and labels, made of the files of a public set if these are such files, else as given."""
    if not isinstance(labels, str | Path):
        return source, labels
    if str(labels).lower().endswith(".json"):
        return _articles(_only(source, labels)), _edges(Path(labels))
    if not _is_table_of_pairs(Path(labels)):
        return source, labels
    if Path(_only(source, labels)).resolve() != Path(labels).resolve():
        raise ConfigurationError(f"{labels} holds the texts of its pairs; name it as the documents too")
    return _pairs(str(labels))


def _only(source: Any, labels: Any) -> str:
    names = [source] if isinstance(source, str | Path) else list(source)
    if len(names) != 1 or not isinstance(names[0], str | Path):
        raise ConfigurationError(f"labels {labels} belong to one file of documents; name it alone")
    return str(names[0])


def _is_table_of_pairs(path: Path) -> bool:
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        return set(_PAIRS) <= set(next(csv.reader(file), []))


def _pairs(path: str) -> tuple[list[dict[str, Any]], list[Label]]:
    """The two texts of each row, each text of an address once, and what people said of them."""
    documents: dict[tuple[str, str], dict[str, Any]] = {}
    times: dict[str, int] = {}
    labels: dict[tuple[str, str], Label] = {}
    for item in csv_records(path, _MOST_BYTES, ColumnNames(), required=_PAIRS):
        if isinstance(item, BadDataError):
            raise item
        row, line = item.values, item.place.line or 0
        a, b = (_document(row, side, line, path, documents, times) for side in ("1", "2"))
        said = str(row.get("aggregated_what") or "disagreement").strip().lower()
        if said not in _SAID:
            expected = f"is {said!r}; expected one of {', '.join(_SAID)}"
            raise BadDataError(expected, code="E_LABEL", source=path, line=line, field="aggregated_what")
        judged = _SAID[said]
        if judged is not None and a != b:
            # The same two texts may have been judged twice; the first judgement stays.
            labels.setdefault((min(a, b), max(a, b)), Label(a, b, judged[0], path, line, {"kind": judged[1]}))
    return list(documents.values()), list(labels.values())


def _document(
    row: Mapping[str, Any],
    side: str,
    line: int,
    path: str,
    documents: dict[tuple[str, str], dict[str, Any]],
    times: dict[str, int],
) -> str:
    text, address = str(row.get(f"text{side}") or ""), str(row.get(f"source{side}") or "").strip()
    if not text.strip():
        raise BadDataError("is empty", code="E_MISSING", source=path, line=line, field=f"text{side}")
    if (address, text) not in documents:
        times[address] = times.get(address, 0) + 1
        name = address or "text"
        document = {"id": name if address and times[address] == 1 else f"{name} {times[address]}", "text": text}
        if (language := str(row.get(f"url_lang{side}") or "").strip()) in OUR_LANGUAGES:
            document["lang"] = language
        if address:
            document["url"] = address
        documents[address, text] = document
    return str(documents[address, text]["id"])


def _articles(path: str) -> list[dict[str, Any]]:
    found = _read(Path(path))
    if not isinstance(found, dict):
        raise BadDataError("expected an object of articles by id", code="E_TYPE", source=path)
    documents = []
    for id_, article in found.items():
        if not isinstance(article, dict) or not isinstance(article.get("article"), str):
            raise BadDataError(f"{id_}: is missing; expected a string", code="E_TYPE", source=path, field="article")
        title, *text = (str(article.get(name) or "") for name in _ARTICLE)
        documents.append({"id": id_, "title": title or None, "text": "\n".join(filter(None, text)), "lang": "en"})
    return documents


def _edges(path: Path) -> list[Label]:
    found = _read(path)
    if not isinstance(found, list):
        raise BadDataError("expected a list of pairs of ids", code="E_TYPE", source=str(path))
    labels: dict[tuple[str, str], Label] = {}
    for number, pair in enumerate(found, start=1):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(one, str) for one in pair):
            raise BadDataError(f"pair {number} is not a list of two ids", code="E_TYPE", source=str(path))
        a, b = sorted(pair)
        if a != b:
            labels.setdefault((a, b), Label(a, b, "dup", str(path), number, {}))
    return list(labels.values())


def _read(path: Path) -> Any:
    try:
        return orjson.loads(path.read_bytes())
    except OSError as error:
        raise NoInputError(f"{path}: {error.strerror}") from None
    except orjson.JSONDecodeError as error:
        raise BadDataError(f"not JSON: {error}", code="E_JSON", source=str(path)) from None
