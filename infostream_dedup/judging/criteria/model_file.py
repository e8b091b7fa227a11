"""Store a classifier as a JSON file: no pickle, nothing in it is executed; reading it needs only numpy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, cast

import numpy as np
import orjson

from infostream_dedup.documents.outputs import open_output
from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.judging.criteria.classifier import CLASSIFIER_PRESETS, Calibration, Classifier, Decisions, Plane
from infostream_dedup.judging.criteria.criterion import CRITERIA
from infostream_dedup.judging.criteria.document_models import STATISTICS, DocumentModels
from infostream_dedup.machine.arrays import Ints

MAX_MODEL_BYTES: Final = 4 << 20
_SCHEMA: Final = "infostream-dedup/classifier"
_VERSION: Final = 3
_WITHOUT_CHECKSUM: Final = 0  # the part of a model file that digests cover
_OLD: Final = (1, 2)  # versions with one plane for both directions, whose criteria were measured otherwise
_COLUMNS: Final = ("mean", "scale", "weight", "weight_earlier")
_LARGEST: Final = 1e15
_SMALLEST_SCALE: Final = 1e-12
_LONGEST_NAME: Final = 200


def model_bytes(classifier: Classifier) -> bytes:
    """Return the file's content; equal classifiers give equal bytes."""
    return _dump(_values(classifier) | {"version": _VERSION, "checksum": _checksum(classifier)})


def _checksum(classifier: Classifier) -> str:
    """Return 32 hexadecimal digits that depend on everything in a model file."""
    return blake2b(_dump(_values(classifier)), digest_size=16).hexdigest()


def _dump(value: Mapping[str, Any]) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _values(classifier: Classifier) -> dict[str, Any]:
    later, earlier = classifier.later, classifier.earlier
    columns = (later.means, later.scales, later.weights, earlier.weights)
    return {
        "schema": _SCHEMA,
        "version": _WITHOUT_CHECKSUM,
        "preset": classifier.preset,
        "domain": classifier.domain,
        "statistics": classifier.statistics,
        "criteria": [
            {"name": name} | dict(zip(_COLUMNS, row, strict=True))
            for name, *row in zip(classifier.criteria, *(column.tolist() for column in columns), strict=True)
        ],
        "bias": later.bias,
        "bias_earlier": earlier.bias,
        "calibration": {"slope": classifier.calibration.slope, "offset": classifier.calibration.offset},
        "authority": dict(sorted(classifier.authority.items())),
        "training": dict(classifier.training),
    }


def model_digest(classifier: Classifier) -> str:
    """Return 32 hexadecimal digits that depend on everything a decision depends on, not on facts about the training."""
    return _checksum(replace(classifier, training={}))


def write_model(classifier: Classifier, path: str | Path, *, inputs: Iterable[str | Path] = ()) -> None:
    """Write a model completely or not at all; ``inputs`` are files that must not be overwritten."""
    content = model_bytes(classifier)
    with open_output(path, inputs=inputs) as stream:
        stream.write(content)


def read_model(path: str | Path) -> Classifier:
    """Read a model and check every value of it."""
    source = str(path)
    try:
        value = orjson.loads(_content(path, "no model is", "E_MODEL"))
    except orjson.JSONDecodeError as error:
        raise _fault(source, f"is not JSON ({error}); train the model again") from None
    return _Reader(source, value).classifier()


def _content(path: str | Path, none_is: str, code: str) -> bytes:
    """The content of a file, unless it is too large."""
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(MAX_MODEL_BYTES + 1)
    except OSError as error:
        raise NoInputError(f"{path}: {error.strerror or error}") from error
    if len(content) > MAX_MODEL_BYTES:
        raise BadDataError(f"is larger than {MAX_MODEL_BYTES} bytes; {none_is}", code=code, source=str(path))
    return content


class _Reader:
    """Reads and checks the values of one model file."""

    def __init__(self, source: str, value: Any) -> None:
        self._source = source
        if not isinstance(value, dict) or value.get("schema") != _SCHEMA:
            raise _fault(source, f"is not a model; expected an object with schema {_SCHEMA!r}, as 'train' writes")
        if type(value.get("version")) is int and value["version"] in _OLD:
            message = (
                f"is {value['version']}, from an earlier infostream-dedup; this one reads {_VERSION}: train the model "
                "again from the same labels"
            )
            raise _fault(source, message, "version")
        if type(value.get("version")) is not int or value["version"] != _VERSION:
            shown = _format_value(value.get("version"))
            raise _fault(source, f"is {shown}; this version of infostream-dedup reads {_VERSION}", "version")
        self._value = value

    def classifier(self) -> Classifier:
        names, later, earlier = self._planes()
        calibration = self._object(self._value, "calibration", "")
        preset = self._text("preset")
        if preset not in CLASSIFIER_PRESETS:
            raise self._wrong("preset", preset, f"one of {', '.join(CLASSIFIER_PRESETS)}")
        statistics = self._value.get("statistics", "collection")
        if statistics not in STATISTICS:
            raise self._wrong("statistics", statistics, f"one of {', '.join(STATISTICS)}")
        made = Classifier(
            preset=preset,
            domain=self._text("domain"),
            criteria=names,
            later=later,
            earlier=earlier,
            calibration=Calibration(
                self._number(calibration, "slope", "calibration."), self._number(calibration, "offset", "calibration.")
            ),
            authority=self._authority(),
            training=self._object(self._value, "training", ""),
            statistics=statistics,
        )
        if self._value.get("checksum") != _checksum(made):
            raise _fault(self._source, "does not match the other values: the file was damaged or edited", "checksum")
        return made

    def _planes(self) -> tuple[tuple[str, ...], Plane, Plane]:
        columns = self._value.get("criteria")
        if not isinstance(columns, list) or not 0 < len(columns) <= len(CRITERIA):
            raise self._wrong("criteria", columns, f"a list of 1 to {len(CRITERIA)} objects")
        names: list[str] = []
        table = np.empty((len(columns), len(_COLUMNS)))
        for row, column in enumerate(columns):
            place = f"criteria[{row}]"
            if not isinstance(column, dict):
                raise self._wrong(place, column, f"an object with name, {', '.join(_COLUMNS)}")
            name = column.get("name")
            if not isinstance(name, str) or name not in CRITERIA or name in names:
                raise self._wrong(f"{place}.name", name, f"one of {', '.join(CRITERIA)}, each once")
            names.append(name)
            table[row] = [self._number(column, field, f"{place}.") for field in _COLUMNS]
            if table[row, 1] < _SMALLEST_SCALE:
                raise self._wrong(f"{place}.scale", column["scale"], f"a number of at least {_SMALLEST_SCALE:g}")
        means, scales, weights, weights_earlier = (np.ascontiguousarray(column) for column in table.T)
        later = Plane(means, scales, weights, self._number(self._value, "bias", ""))
        earlier = Plane(means, scales, weights_earlier, self._number(self._value, "bias_earlier", ""))
        return tuple(names), later, earlier

    def _authority(self) -> dict[str, float]:
        given = self._object(self._value, "authority", "")
        found = {name: self._number(given, name, "authority.") for name in given}
        for name, value in found.items():
            if not 0 <= value <= 1:
                raise self._wrong(f"authority.{name[:_LONGEST_NAME]}", value, "a number from 0 to 1")
        return found

    def _number(self, holder: Mapping[str, Any], field: str, place: str) -> float:
        value = holder.get(field)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(f"{place}{field}", value, "a number")
        if not math.isfinite(value) or abs(value) > _LARGEST:
            raise self._wrong(f"{place}{field}", value, f"a number from -{_LARGEST:g} to {_LARGEST:g}")
        return float(value)

    def _text(self, field: str) -> str:
        value = self._value.get(field)
        if not isinstance(value, str) or len(value) > _LONGEST_NAME or not value.isprintable():
            raise self._wrong(field, value, f"a printable string of at most {_LONGEST_NAME} characters")
        return value

    def _object(self, holder: Mapping[str, Any], field: str, place: str) -> dict[str, Any]:
        value = holder.get(field)
        if not isinstance(value, dict):
            raise self._wrong(f"{place}{field}", value, "an object")
        return value

    def _wrong(self, field: str, value: Any, expected: str) -> BadDataError:
        return _fault(self._source, f"is {_format_value(value)}; expected {expected}", field)


def _format_value(value: Any) -> str:
    if value is None:
        return "missing or null"
    text = ascii(value) if not isinstance(value, dict | list) else f"of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _fault(source: str, message: str, field: str | None = None) -> BadDataError:
    return BadDataError(message, code="E_MODEL", source=source, field=field)


# Classifiers by domain: rules on the source or category choose the classifier that judges a pair

Field = Literal["source", "category"]
_FIELDS: Final = ("source", "category")
_DOMAIN_COLUMNS: Final = 3


@dataclass(frozen=True, slots=True)
class DomainRule:
    """Assigns documents of a source or category to a domain."""

    field: Field  # field of the document
    value: str  # value of the field, in any letter case; a `*` at the end matches any ending
    domain: str  # name of the domain

    def matches(self, given: str | None) -> bool:
        """Whether the rule matches a value of its field."""
        if given is None:
            return False
        wanted, found = self.value.casefold(), given.casefold()
        return found.startswith(wanted[:-1]) if wanted.endswith("*") else found == wanted


def read_domain_rules(path: str | Path) -> tuple[DomainRule, ...]:
    """Read rules; the first matching rule counts."""
    source = str(path)
    content = _content(path, "no file of rules is", "E_RULES")
    rows = _json_rows(content, source) if source.endswith(".json") else _table_rows(content, source)
    rules = tuple(_rule(row, source, line) for line, row in rows)
    if not rules:
        raise _domain_fault(source, None, "holds no rule; expected lines of field, value, domain")
    return rules


def domains_of(sources: Sequence[str | None], topics: Sequence[str | None], rules: Iterable[DomainRule]) -> list[str]:
    """Return the domain of each document; empty if no rule matches."""
    ordered = tuple(rules)
    known: dict[tuple[str | None, str | None], str] = {}
    found = []
    for pair in zip(sources, topics, strict=True):
        if pair not in known:
            fields = dict(zip(_FIELDS, pair, strict=True))
            known[pair] = next((rule.domain for rule in ordered if rule.matches(fields[rule.field])), "")
        found.append(known[pair])
    return found


class ClassifierSet:
    """Classifiers by domain. A pair within a domain goes to its classifier, any other pair to the one without a domain.

    ``domain``: judge every pair by the classifier of this domain. Raises ConfigurationError: two classifiers have the
    same domain, none has ``domain``, some pairs would have none, or their statistics differ.
    """

    def __init__(
        self, classifiers: Sequence[Classifier], *, rules: Iterable[DomainRule] = (), domain: str | None = None
    ) -> None:
        names = [classifier.domain for classifier in classifiers]
        shown = ", ".join(repr(name) for name in names) or "none"
        if len(set(names)) < len(names) or not names:
            raise ConfigurationError(f"models have the domains {shown}; expected one or more, each domain once")
        if domain is not None and domain not in names:
            raise ConfigurationError(f"domain is {domain!r}; expected one of the models': {shown}")
        kinds = sorted({classifier.statistics for classifier in classifiers})
        if len(kinds) > 1:
            raise ConfigurationError(f"models were trained with statistics {' and '.join(kinds)}; expected one kind")
        self.statistics = kinds[0]
        self._rules = tuple(rules)
        self._numbers = {name: number for number, name in enumerate(names)}
        if domain is not None:
            self._default = self._numbers[domain]
            self._rules = ()
        elif len(names) == 1:
            self._default = 0
        elif "" in self._numbers:
            self._default = self._numbers[""]
        else:
            raise ConfigurationError(
                f"models are of the domains {shown}, and none is for pairs that no rule assigns to a domain; "
                "add a model trained without --domain, or choose one with --domain"
            )
        self.classifiers = tuple(classifiers)

    def chosen(self, models: DocumentModels, i: Ints, j: Ints) -> Ints:
        """Return the index into ``classifiers`` for each pair: int64 (pairs,)."""
        if not self._rules:
            return np.full(len(i), self._default, dtype=np.int64)
        domains = domains_of(models.sources, models.categories, self._rules)
        numbers = np.array([self._numbers.get(name, self._default) for name in domains], dtype=np.int64)
        return np.where(numbers[i] == numbers[j], numbers[i], self._default).astype(np.int64)

    def decide(self, models: DocumentModels, i: Ints, j: Ints) -> Decisions:
        """Decide pairs, each by its classifier."""
        chosen = self.chosen(models, i, j)
        rows = [np.flatnonzero(chosen == number) for number in range(len(self.classifiers))]
        parts = (one.decide(models, i[some], j[some]) for one, some in zip(self.classifiers, rows, strict=True))
        return Decisions.concatenated(parts).at(np.argsort(np.concatenate(rows)))


def _json_rows(content: bytes, source: str) -> list[tuple[int | None, Any]]:
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise _domain_fault(source, None, f"is not JSON ({error})") from None
    if not isinstance(value, list):
        raise _domain_fault(source, None, "is not a list; expected a list of objects with field, value, domain")
    return [(number, row) for number, row in enumerate(value, start=1)]


def _table_rows(content: bytes, source: str) -> list[tuple[int | None, Any]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _domain_fault(source, None, f"byte {error.start} is not UTF-8; convert the file first") from None
    rows: list[tuple[int | None, Any]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != _DOMAIN_COLUMNS:
            raise _domain_fault(
                source, number, f"has {len(cells)} columns; expected field, value, domain with tabs between"
            )
        rows.append((number, dict(zip(("field", "value", "domain"), cells, strict=True))))
    return rows


def _rule(row: Any, source: str, line: int | None) -> DomainRule:
    if not isinstance(row, dict):
        raise _domain_fault(source, line, "is not an object; expected field, value, domain")
    for name in ("field", "value", "domain"):
        value = row.get(name)
        if not isinstance(value, str) or not value or not value.isprintable():
            raise _domain_fault(source, line, f"{name} is {value!r:.80}; expected a string that is not empty")
    if row["field"] not in _FIELDS:
        raise _domain_fault(source, line, f"field is {row['field']!r:.80}; expected one of {', '.join(_FIELDS)}")
    return DomainRule(cast("Field", row["field"]), row["value"], row["domain"])


def _domain_fault(source: str, line: int | None, message: str) -> BadDataError:
    return BadDataError(message, code="E_RULES", source=source, line=line)
