"""Thresholds that a sweep advises, as a TOML file of their own, which other commands read with ``--config``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from infostream_dedup.errors import ConfigurationError, NoInputError
from infostream_dedup.model.settings import MIDDLE, MIDDLE_SHARE, Settings

_TABLES: Final = ("thresholds", "judged", "measured")
_MEASURED: Final = ("n", "score", "target")
"""What a command must have in common with the sweep for its k to mean the same."""

_HEAD: Final = """\
# Thresholds advised by 'infostream-dedup sweep --write-config', to be read with --config by pairs, dedup, ingest,
# evaluate, serve and store retune. Preset faithful takes the k of its series, preset judged takes [judged]. S and T
# tune preset faithful only: the values of [judged] are its defaults, written down to be changed by hand.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What the file ``path`` says: ``ks`` of each series, ``min_probability`` and ``join`` where they are given.

    ``measured``: ``n``, ``score`` and ``target`` of the sweep, and further figures for the reader.
    """

    path: str
    ks: Mapping[str, int]
    judged: Mapping[str, Any] = field(default_factory=dict)
    measured: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | Path) -> Thresholds:
        """Read a file; raises ConfigurationError if it is damaged, foreign or cut short."""
        found = parsed(path)
        if not is_thresholds(found):
            raise ConfigurationError(f"{path}: not a file of thresholds: its first table is not [thresholds]")
        return cls.of(found, str(path))

    @classmethod
    def of(cls, values: Mapping[str, Any], path: str) -> Thresholds:
        """Check what a file says."""
        for name in values:
            if name not in _TABLES:
                raise ConfigurationError(f"{path}: unknown table {name!r}; known are {', '.join(_TABLES)}")
        measured, judged = (_table(values, name, path) for name in ("measured", "judged"))
        if measured.get("complete") is not True:
            raise ConfigurationError(f"{path}: cut short: 'complete = true' is missing at the end of [measured]")
        for name in _MEASURED:
            if not isinstance(measured.get(name), int if name == "n" else str) or measured[name] is True:
                raise ConfigurationError(f"{path}: [measured] {name} is {measured.get(name)!r}")
        ks = {}
        for series, table in _table(values, "thresholds", path).items():
            k = table.get("k") if isinstance(table, dict) else None
            if type(k) is not int or not 1 <= k <= measured["n"]:
                raise ConfigurationError(f"{path}: k of {series!r} is {k!r}; expected 1 to n = {measured['n']}")
            ks[series] = k
        _check_judged(judged, path)
        return cls(path=path, ks=ks, judged=judged, measured=measured)

    def k_for(self, settings: Settings) -> int:
        """The k for these settings; raises ConfigurationError if it was measured with others."""
        middle = settings.df_min == MIDDLE_SHARE
        series = series_of(settings.representation, settings.weighting, middle=middle)
        if series not in self.ks:
            known = ", ".join(self.ks) or "none"
            raise ConfigurationError(f"{self.path}: has thresholds for {known}, but the command uses {series}")
        for name in _MEASURED:
            measured, used = self.measured[name], getattr(settings, name)
            if measured != used:
                raise ConfigurationError(
                    f"{self.path}: measured with {name} {measured}, but the command uses {name} {used}; give"
                    f" --{name} {measured}, or sweep with --{name} {used}"
                )
        return self.ks[series]

    def as_toml(self) -> str:
        """The file."""
        lines = [_HEAD]
        for series, k in self.ks.items():
            lines.append(f"[thresholds.{_quoted(series)}]\nk = {k}\n")
        lines.append("[judged]\n" + "".join(f"{name} = {_value(value)}\n" for name, value in self.judged.items()))
        lines.append("[measured]\n" + "".join(f"{name} = {_value(value)}\n" for name, value in self.measured.items()))
        return "\n".join(lines)


def series_of(representation: str, weighting: str, *, middle: bool = False) -> str:
    """The name of a series: the weighting is told only if it is not the default."""
    found = representation if weighting == "bm25" else f"{representation}:{weighting}"
    return f"{found}:{MIDDLE}" if middle else found


def parsed(path: str | Path) -> dict[str, Any]:
    """Read a TOML file; raises ConfigurationError if it is one of thresholds that ends before its first table."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        found = tomllib.loads(text)
    except OSError as error:
        raise NoInputError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: not a TOML file: {error}") from error
    if not found and text.lstrip("\ufeff").startswith(_HEAD.partition(",")[0]):
        raise ConfigurationError(f"{path}: cut short: a file of thresholds without [thresholds]")
    return found


def is_thresholds(values: Mapping[str, Any]) -> bool:
    """Whether a configuration is a file of thresholds, by its first table."""
    return next(iter(values), None) == "thresholds"


def _table(values: Mapping[str, Any], name: str, path: str) -> dict[str, Any]:
    found = values.get(name, {})
    if not isinstance(found, dict):
        raise ConfigurationError(f"{path}: {name} is {found!r}; expected a table")
    return found


def _check_judged(judged: Mapping[str, Any], path: str) -> None:
    for name, value in judged.items():
        if name == "min_probability":
            right = type(value) in (int, float) and 0 <= value <= 1
        elif name == "join":
            right = isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)
        else:
            raise ConfigurationError(f"{path}: unknown key {name!r} in [judged]; known are min_probability, join")
        if not right:
            expected = "a number from 0 to 1" if name == "min_probability" else "a list of kinds"
            raise ConfigurationError(f"{path}: [judged] {name} is {value!r}; expected {expected}")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return _quoted(value) if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def _quoted(text: str) -> str:
    r"""A basic string of TOML, in which JSON's escapes are valid, except that of DEL."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
