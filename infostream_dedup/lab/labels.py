"""Labels of pairs, what they say about a collection, and which pairs they decide."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from infostream_dedup.documents.column_names import ColumnNames
from infostream_dedup.documents.json_files import jsonl_records
from infostream_dedup.documents.lines import is_table
from infostream_dedup.documents.records import Item
from infostream_dedup.documents.table_files import csv_records, workbook_records
from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.machine.arrays import Bools, Int8s, Ints, Uint8s
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Document, language_number
from infostream_dedup.model.limits import check_path


def codes_of(a: Ints, b: Ints, documents: int) -> Ints:
    """Return the code of each pair: smaller ordinal times the number of documents, plus larger ordinal."""
    return np.minimum(a, b).astype(np.int64) * documents + np.maximum(a, b)


def both_of(codes: Ints, documents: int) -> tuple[Ints, Ints]:
    """Return the smaller and the larger ordinal of each pair, each int64 (pairs,)."""
    a, b = np.divmod(codes, max(documents, 1))
    return a, b


def places_in(codes: Ints, wanted: Ints) -> Ints:
    """Return the indices of the wanted pairs among the codes, leaving out pairs that are absent."""
    places = np.searchsorted(codes, wanted)
    inside = places < len(codes)
    found = places[inside]
    return np.asarray(found[codes[found] == wanted[inside]], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Scope:
    """The pairs that an evaluation considers; all others are ignored."""

    languages: Uint8s  # uint8 (documents,), index into `LANGUAGES`
    # bool (languages, languages), symmetric, whether pairs of these two languages are considered
    blocks: Bools
    inside: Bools  # bool (documents,), whether the document's domain is considered

    def holds(self, a: Ints, b: Ints) -> Bools:
        """Return bool (pairs,), whether each pair is in scope."""
        return self.blocks[self.languages[a], self.languages[b]] & self.inside[a] & self.inside[b]

    def documents(self) -> Bools:
        """Return bool (documents,), whether a document can be part of a pair in scope."""
        return self.inside & np.asarray(self.blocks.any(axis=1))[self.languages]


def scope_of(
    documents: Sequence[Document],
    languages: Sequence[str],
    *,
    language_pairs: str | None = None,
    domains: Sequence[str] = (),
) -> Scope:
    """Parse a user's restrictions of an evaluation."""
    numbers = np.array([language_number(language) for language in languages], dtype=np.uint8)
    names = [str(document.extra.get("domain") or "") for document in documents]
    return Scope(numbers, _parse_language_pairs(language_pairs), _select_domains(names, domains))


def _parse_language_pairs(language_pairs: str | None) -> Bools:
    if language_pairs is None:
        return np.ones((len(LANGUAGES), len(LANGUAGES)), dtype=np.bool_)
    blocks = np.zeros((len(LANGUAGES), len(LANGUAGES)), dtype=np.bool_)
    for part in language_pairs.split(","):
        ends = part.strip().split("-")
        if len(ends) > 2 or any(end not in LANGUAGES for end in ends):
            raise ConfigurationError(
                f"language pair is {part!r}; expected one of {', '.join(LANGUAGES)}, or two of them like ru-uk"
            )
        one, other = LANGUAGES.index(ends[0]), LANGUAGES.index(ends[-1])
        blocks[one, other] = blocks[other, one] = True
    return blocks


def _select_domains(names: list[str], domains: Sequence[str]) -> Bools:
    wanted = [part.strip() for domain in domains for part in domain.split(",")]
    taken = [part for part in wanted if not part.startswith("!")]
    left_out = [part[1:] for part in wanted if part.startswith("!")]
    known = sorted({name for name in names if name})
    for domain in taken + left_out:
        if domain and domain not in known:
            raise ConfigurationError(
                f"domain is {domain!r}, which no document has; the domains here are {', '.join(known) or 'none'}"
            )
    return np.array([(not taken or name in taken) and name not in left_out for name in names], dtype=np.bool_)


LABELS: Final = ("dup", "similar", "different", "translation", "template")
"""``template``: the same form filled in twice (daily rates, weather), which is not a repetition."""

_MAX_LINE_BYTES: Final = 1 << 20
_COLUMNS: Final = ("a", "b", "label")
LabelRow = tuple[int, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Label:
    """The label of one pair of documents."""

    a: str  # id of one document
    b: str  # id of the other; the pair is unordered
    label: str  # one of `LABELS`
    source: str = "<list>"  # file of the label, `<list>` for values in memory
    line: int | None = None  # line or row in the source, from 1; `None` if unknown
    extra: Mapping[str, Any] = field(default_factory=dict)  # all other fields, unchanged


@dataclass(frozen=True, slots=True)
class Kin:
    """Two families that share text or report the same event, so that their pairs do not count as false."""

    family_a: str  # name of one family
    family_b: str  # name of the other family
    why: str = ""  # reason as given; empty if missing


def read_labels(path: str | Path) -> list[Label]:
    """Read labelled pairs."""
    check_path("labels", path)
    return _parse_labels(label_rows(path), str(path))


def label_rows(path: str | Path) -> Iterator[LabelRow]:
    """Yield the line and the fields of each row of a file that ``read_labels`` reads; they are not checked."""
    return _read_table(str(path)) if is_table(path) else _read_objects(path)


def labels_in(given: str | Path | Sequence[Label]) -> Sequence[Label]:
    """Return labelled pairs that were read before, or read them from a file."""
    if isinstance(given, list | tuple) and all(isinstance(one, Label) for one in given):
        return given
    return read_labels(given)  # type: ignore[arg-type]


def labels_of(rows: Iterable[Mapping[str, Any]], *, source: str = "<list>") -> list[Label]:
    """Make labelled pairs from plain objects; a pair may recur, in either order, with the same label."""
    return _parse_labels(enumerate(rows, start=1), source)


def read_kin(path: str | Path) -> list[Kin]:
    """Read pairs of kin families."""
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
    """Make all families kin whose documents have a given value in a pass-through field."""
    # For collections that record kinship this way: in UA-GEC ``submission`` = ``translation`` means that several people
    # may have translated the same story.
    chosen = (family_of(document) for document in documents if document.extra.get(name) == value)
    families = list(dict.fromkeys(family for family in chosen if family is not None))
    why = f"{name}={value}"
    return [Kin(one, other, why) for one, other in itertools.pairwise(families)]


def family_of(document: Document) -> str | None:
    """Return the value of a document's field ``family``; ``None`` if it is missing or empty."""
    family = document.extra.get("family")
    return None if family is None or family == "" else str(family)


def positive_labels(given: Sequence[str]) -> tuple[str, ...]:
    """Check the labels that are to count as true."""
    return some_of("positive labels", given, [label for label in LABELS if label != "different"])


def some_of(what: str, given: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Check that what is given are some of what is known, and at least one."""
    if not given or not set(given) <= set(known):
        raise ConfigurationError(
            f"{what} are {', '.join(map(repr, given)) or 'empty'}; expected one or more of {', '.join(known)}"
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
            both = f"{label.a!r} and {label.b!r} are {label.label!r} here but {first.label!r} in line {first.line}"
            message = f"{both}; leave one of the two lines out"
            raise BadDataError(message, code="E_CONTRADICTION", source=source, line=line, field="label")
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


TRUE: Final = 1
FALSE: Final = -1
NOT_COUNTED: Final = 0
_CHUNK: Final = 1 << 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Decides for every unordered pair of a collection whether it is true, false or not counted."""

    scope: Scope  # the pairs considered; pairs outside the scope are not counted
    positives: Ints  # int64 (pairs,), ascending codes of the true pairs in scope
    negatives: Ints  # int64 (pairs,), ascending codes of the listed false pairs in scope
    others: Ints  # int64 (pairs,), ascending codes of the listed pairs in scope that are not counted
    # int64 (documents,), number of the circle formed by the document's family and all its kin; -1 without a family
    circles: Ints
    # int64 (documents,), number of the document's story, for resampling: its family, or the documents to which true
    # pairs connect it; numbered from 0 without gaps; -1 if no counted pair can contain the document
    stories: Ints
    closed: bool = False  # whether an unlisted pair is false even where a document names no family

    @property
    def documents(self) -> int:
        """Number of documents."""
        return len(self.circles)

    def judge(self, codes: Ints) -> Int8s:
        """Judge pairs."""
        verdicts = np.zeros(len(codes), dtype=np.int8)
        for start in range(0, len(codes), _CHUNK):
            a, b = both_of(codes[start : start + _CHUNK], self.documents)
            named = (self.circles[a] >= 0) & (self.circles[b] >= 0)
            unrelated = (named | self.closed) & ~(named & (self.circles[a] == self.circles[b]))
            verdicts[start : start + _CHUNK][unrelated & self.scope.holds(a, b)] = FALSE
        for listed, verdict in ((self.others, NOT_COUNTED), (self.negatives, FALSE), (self.positives, TRUE)):
            verdicts[places_in(codes, listed)] = verdict
        return verdicts

    def in_scope(self, codes: Ints) -> Bools:
        """Return bool (pairs,), whether each pair is in scope; ``codes`` as in ``judge``."""
        found = np.empty(len(codes), dtype=np.bool_)
        for start in range(0, len(codes), _CHUNK):
            found[start : start + _CHUNK] = self.scope.holds(*both_of(codes[start : start + _CHUNK], self.documents))
        return found

    def takes_part(self) -> Bools:
        """Return bool (documents,), whether unlisted pairs of the document count: it names a family, or all do."""
        return self.scope.documents() & (self.closed | (self.circles >= 0))

    def classes(self) -> Ints:
        """Return int64 (documents,), number of the documents that true pairs connect to each, itself included."""
        return number_components(self.documents, *both_of(self.positives, self.documents))


def truth_of(
    documents: Sequence[Document],
    languages: Sequence[str],
    labels: Sequence[Label],
    *,
    kin: Sequence[Kin] = (),
    positive: Sequence[str] = ("dup",),
    negative: Sequence[str] = ("different",),
    language_pairs: str | None = None,
    domains: Sequence[str] = (),
    closed: bool = False,
) -> Truth:
    """Apply the protocol to a collection and its labels.

    - A listed pair whose label is in ``positive`` is true.
    - Any other pair within a family, or between kin families (kin of kin are kin), is not counted, even if listed as
      ``different``: such pairs were drawn at random, whereas kinship was established.
    - A listed pair whose label is in ``negative`` is false; with any other label it is not counted.
    - An unlisted pair is false if both documents name a family, and not counted otherwise.
    - In a closed world every other unlisted pair is false too, and so is every listed pair that is a template (label or
      field ``kind``), whatever its label: a form that is filled in again repeats nothing.
    """
    if closed and "template" in positive:
        raise ConfigurationError("a closed world counts templates as false; leave template out of the positive labels")
    true_labels = positive_labels(positive)
    scope = scope_of(documents, languages, language_pairs=language_pairs, domains=domains)
    circles, families = _number_circles(documents, kin)
    codes = _encode_labels(documents, labels)
    a, b = both_of(codes, len(documents))
    related = (circles[a] >= 0) & (circles[a] == circles[b])
    given = np.array([label.label for label in labels], dtype=np.str_)
    template = np.array(
        [closed and "template" in (label.label, label.extra.get("kind")) for label in labels], dtype=np.bool_
    )
    is_true = np.isin(given, true_labels) & ~template
    is_false = (np.isin(given, list(negative)) & ~is_true & ~related) | template
    seen = scope.holds(a, b)
    positives = np.unique(codes[seen & is_true])
    negatives = np.unique(codes[seen & is_false])
    others = np.unique(codes[seen & ~is_true & ~is_false])
    in_play = ((families >= 0) | closed) & scope.documents()
    in_play[np.concatenate(both_of(np.concatenate((positives, negatives)), len(documents)))] = True
    stories = _number_stories(families, positives, in_play)
    return Truth(
        scope=scope,
        positives=positives,
        negatives=negatives,
        others=others,
        circles=circles,
        stories=stories,
        closed=closed,
    )


def note_without_positives(truth: Truth, listed: Sequence[Label], positive: Sequence[str]) -> list[str]:
    """A remark if no pair is true, as recall is then undefined and F1 is 0 or undefined."""
    if len(truth.positives):
        return []
    given = sorted({label.label for label in listed})
    return [f"no pair counts as true: positive is {', '.join(positive)}, the labels are {', '.join(given) or 'none'}"]


def _encode_labels(documents: Sequence[Document], labels: Sequence[Label]) -> Ints:
    """Return the code of each label's pair, in the order given."""
    ordinals = {document.id: ordinal for ordinal, document in enumerate(documents)}
    for label in labels:
        for name, document in (("a", label.a), ("b", label.b)):
            if document not in ordinals:
                known = f"the {len(documents)} documents; give the documents these labels were made for"
                message = f"is {document!r}, which is not among {known}"
                raise BadDataError(message, code="E_UNKNOWN_ID", source=label.source, line=label.line, field=name)
    a = np.array([ordinals[label.a] for label in labels], dtype=np.int64)
    b = np.array([ordinals[label.b] for label in labels], dtype=np.int64)
    return codes_of(a, b, len(documents))


def _number_circles(documents: Sequence[Document], kin: Sequence[Kin]) -> tuple[Ints, Ints]:
    """Number each document's circle of kin families and its family; -1 without a family."""
    own = [family_of(document) for document in documents]
    if kin and not any(own):
        raise BadDataError(
            f"there are {len(kin)} pairs of kin families, but no document has a field 'family'; leave the kin out",
            code="E_NO_FAMILY",
            source="kin",
        )
    names = [family for family in own if family is not None]
    names += [family for pair in kin for family in (pair.family_a, pair.family_b)]
    number = {name: position for position, name in enumerate(dict.fromkeys(names))}
    circle = number_components(
        len(number),
        np.array([number[pair.family_a] for pair in kin], dtype=np.int64),
        np.array([number[pair.family_b] for pair in kin], dtype=np.int64),
    )
    families = np.array([-1 if family is None else number[family] for family in own], dtype=np.int64)
    circles = np.full(len(own), -1, dtype=np.int64)
    circles[families >= 0] = circle[families[families >= 0]]
    return circles, families


def _number_stories(families: Ints, positives: Ints, in_play: Bools) -> Ints:
    """Number the components of "same family" and "true pair", without gaps over the documents in play."""
    members = np.flatnonzero(families >= 0)
    members = members[np.argsort(families[members], kind="stable")]
    same = families[members[:-1]] == families[members[1:]]
    a, b = both_of(positives, len(families))
    component = number_components(
        len(families), np.concatenate((members[:-1][same], a)), np.concatenate((members[1:][same], b))
    )
    stories = np.full(len(families), -1, dtype=np.int64)
    stories[in_play] = np.unique(component[in_play], return_inverse=True)[1]
    return stories


def number_components(nodes: int, a: Ints, b: Ints) -> Ints:
    """Return int64 (nodes,), the number of each node's connected component."""
    if not nodes:
        return np.zeros(0, dtype=np.int64)
    graph = sp.coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(nodes, nodes)).tocsr()
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


# Labelled sets of others in the form they are published in.
#
# CrossNews-UA (Technical University of Munich, 2025) is one CSV file of pairs of news with their texts, and what people
# said of each pair. NEWS-COPY (Silcock, D'Amico-Wong, Yang and Dell, 2023) is a JSON object of articles by id, and a
# JSON list of all pairs that are duplicates.

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
    times: Counter[str] = Counter()
    labels: dict[tuple[str, str], Label] = {}
    for item in csv_records(path, _MOST_BYTES, ColumnNames(), required=_PAIRS):
        if isinstance(item, BadDataError):
            raise item
        row, line = item.values, item.place.line or 0
        for side in ("text1", "text2"):
            if not str(row.get(side) or "").strip():
                raise BadDataError("is empty", code="E_MISSING", source=path, line=line, field=side)
        a, b = (_document(row, side, documents, times) for side in ("1", "2"))
        said = str(row.get("aggregated_what") or "disagreement").strip().lower()
        if said not in _SAID:
            expected = f"is {said!r}; expected one of {', '.join(_SAID)}"
            raise BadDataError(expected, code="E_LABEL", source=path, line=line, field="aggregated_what")
        judged = _SAID[said]
        if judged is not None and a != b:
            # The same two texts may have been judged twice; the first judgement stays.
            labels.setdefault((min(a, b), max(a, b)), Label(a, b, judged[0], path, line, {"kind": judged[1]}))
    return list(documents.values()), list(labels.values())


def _document(row: Mapping[str, Any], side: str, documents: dict[tuple[str, str], Any], times: Counter[str]) -> str:
    text, address = str(row.get(f"text{side}") or ""), str(row.get(f"source{side}") or "").strip()
    if (address, text) not in documents:
        times[address] += 1
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
