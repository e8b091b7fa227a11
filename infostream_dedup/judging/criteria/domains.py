"""Classifiers by domain: rules on the source or category choose the classifier that judges a pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import numpy as np
import orjson

from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.judging.criteria.classifier import Classifier, Decisions
from infostream_dedup.judging.criteria.document_models import DocumentModels

if TYPE_CHECKING:
    from numpy.typing import NDArray


Field = Literal["source", "category"]

_FIELDS: Final = ("source", "category")
_MAX_BYTES: Final = 4 << 20
_COLUMNS: Final = 3


@dataclass(frozen=True, slots=True)
class DomainRule:
    """Assigns documents of a source or category to a domain.

    Attributes:
        field: field of the document.
        value: value of the field, in any letter case; a ``*`` at the end matches any ending.
        domain: name of the domain.
    """

    field: Field
    value: str
    domain: str

    def matches(self, given: str | None) -> bool:
        """Whether the rule matches a value of its field."""
        if given is None:
            return False
        wanted, found = self.value.casefold(), given.casefold()
        return found.startswith(wanted[:-1]) if wanted.endswith("*") else found == wanted


def read_domain_rules(path: str | Path) -> tuple[DomainRule, ...]:
    """Read rules; the first matching rule counts."""
    source = str(path)
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(_MAX_BYTES + 1)
    except OSError as error:
        raise NoInputError(f"{source}: {error.strerror or error}") from error
    if len(content) > _MAX_BYTES:
        raise _fault(source, None, f"is larger than {_MAX_BYTES} bytes; no file of rules is")
    rows = _json_rows(content, source) if source.endswith(".json") else _table_rows(content, source)
    rules = tuple(_rule(row, source, line) for line, row in rows)
    if not rules:
        raise _fault(source, None, "holds no rule; expected lines of field, value, domain")
    return rules


def domains_of(
    sources: Sequence[str | None], categories: Sequence[str | None], rules: Iterable[DomainRule]
) -> list[str]:
    """Return the domain of each document; empty if no rule matches."""
    ordered = tuple(rules)
    known: dict[tuple[str | None, str | None], str] = {}
    found = []
    for pair in zip(sources, categories, strict=True):
        if pair not in known:
            fields = dict(zip(_FIELDS, pair, strict=True))
            known[pair] = next((rule.domain for rule in ordered if rule.matches(fields[rule.field])), "")
        found.append(known[pair])
    return found


class ClassifierSet:
    """Classifiers by domain. A pair within a domain goes to its classifier, any other pair to the one without a domain.

    Args:
        classifiers: one for each domain; a single classifier judges everything.
        rules: assign domains to documents.
        domain: judge every pair by the classifier of this domain, whatever the rules say.

    Raises:
        ConfigurationError: two classifiers have the same domain, none has ``domain``, some pairs would have none, or
            they were trained with different statistics.
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

    def chosen(self, models: DocumentModels, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the index into ``classifiers`` for each pair: int64 (pairs,)."""
        if not self._rules:
            return np.full(len(i), self._default, dtype=np.int64)
        domains = domains_of(models.sources, models.categories, self._rules)
        numbers = np.array([self._numbers.get(name, self._default) for name in domains], dtype=np.int64)
        return np.where(numbers[i] == numbers[j], numbers[i], self._default).astype(np.int64)

    def decide(self, models: DocumentModels, i: NDArray[np.int64], j: NDArray[np.int64]) -> Decisions:
        """Decide pairs, each by its classifier.

        Args:
            i: int64 (pairs,), ordinals.
            j: int64 (pairs,), ordinals.
        """
        chosen = self.chosen(models, i, j)
        columns = [np.empty(len(i)) for _ in range(4)]
        for number, classifier in enumerate(self.classifiers):
            rows = np.flatnonzero(chosen == number)
            found = classifier.decide(models, i[rows], j[rows])
            parts = (found.forward, found.backward, found.probability_forward, found.probability_backward)
            for column, part in zip(columns, parts, strict=True):
                column[rows] = part
        return Decisions(i, j, *columns)


def _json_rows(content: bytes, source: str) -> list[tuple[int | None, Any]]:
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise _fault(source, None, f"is not JSON ({error})") from None
    if not isinstance(value, list):
        raise _fault(source, None, "is not a list; expected a list of objects with field, value, domain")
    return [(number, row) for number, row in enumerate(value, start=1)]


def _table_rows(content: bytes, source: str) -> list[tuple[int | None, Any]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _fault(source, None, f"byte {error.start} is not UTF-8; convert the file first") from None
    rows: list[tuple[int | None, Any]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != _COLUMNS:
            raise _fault(source, number, f"has {len(cells)} columns; expected field, value, domain with tabs between")
        rows.append((number, dict(zip(("field", "value", "domain"), cells, strict=True))))
    return rows


def _rule(row: Any, source: str, line: int | None) -> DomainRule:
    if not isinstance(row, dict):
        raise _fault(source, line, "is not an object; expected field, value, domain")
    for name in ("field", "value", "domain"):
        value = row.get(name)
        if not isinstance(value, str) or not value or not value.isprintable():
            raise _fault(source, line, f"{name} is {value!r:.80}; expected a string that is not empty")
    if row["field"] not in _FIELDS:
        raise _fault(source, line, f"field is {row['field']!r:.80}; expected one of {', '.join(_FIELDS)}")
    return DomainRule(cast("Field", row["field"]), row["value"], row["domain"])


def _fault(source: str, line: int | None, message: str) -> BadDataError:
    return BadDataError(message, code="E_RULES", source=source, line=line)
