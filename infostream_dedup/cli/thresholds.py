"""What a command takes from a file of thresholds that ``--config`` names, and what it says about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from infostream_dedup.cli.run_log import RUN
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model.settings import MIDDLE_SHARE, Settings
from infostream_dedup.model.thresholds import Thresholds, series_of

_TAKE: Final[Mapping[str, tuple[str, str | None]]] = {
    "pairs": ("k", "min_probability"),
    "dedup": ("k", "join"),
    "evaluate": ("choose_by", None),
    "ingest": ("k_duplicate", "join"),
    "serve": ("k_duplicate", "join"),
}
"""By command, the parameter that takes k, and the one that preset ``judged`` takes."""


def take_thresholds(context: click.Context, given: dict[str, Any]) -> None:
    """Put thresholds of a file among the values of a command, and say which; typed values stay."""
    thresholds: Thresholds | None = context.meta.get("thresholds")
    if thresholds is None:
        return
    name = context.command.name or ""
    if name in ("retune", "fork"):
        return
    if name not in _TAKE:
        raise ConfigurationError(f"{thresholds.path}: '{name}' takes no thresholds; {', '.join(_TAKE)} do")
    if given.get("store") is not None and Path(given["store"]).exists():
        from infostream_dedup.api.store import same_thresholds

        names, left = same_thresholds(given["store"], thresholds)
        said = _said(f"{', '.join(names)} as {given['store']} has it", list(left))
    else:
        said = _take(context, thresholds, given, *_TAKE[name])
    if not given.get("quiet"):
        RUN.say(f"{thresholds.path}: {said}")


def _take(
    context: click.Context, thresholds: Thresholds, given: dict[str, Any], k_name: str, judged_name: str | None
) -> str:
    judged = given.get("preset") == "judged"
    left = [f"k of {name}" for name in thresholds.ks]
    others = [f"[judged] {name}" for name in thresholds.judged]
    if judged:
        if judged_name is None or judged_name not in thresholds.judged:
            raise ConfigurationError(f"{thresholds.path}: [judged] says nothing that '{context.command.name}' reads")
        value = thresholds.judged[judged_name]
        taken = f"{judged_name} = {', '.join(value) if isinstance(value, list) else f'{value:g}'}"
        _set(context, given, judged_name, ",".join(value) if isinstance(value, list) else value)
        return _said(f"{taken} (preset judged)", [*left, *(one for one in others if not one.endswith(judged_name))])
    names = ("representation", "weighting", "df_min", "n", "score", "target", "preset")
    settings = Settings.of(**{name: given.get(name) for name in names})
    k = thresholds.k_for(settings)
    series = series_of(settings.representation, settings.weighting, middle=settings.df_min == MIDDLE_SHARE)
    _set(context, given, k_name, k)
    if k_name == "k_duplicate" and k < (given.get("k_similar") or 4):
        _set(context, given, "k_similar", k)
    preset = "" if k_name == "choose_by" else f" (preset {given.get('preset') or 'faithful'})"
    return _said(f"k = {k} of {series}{preset}", [one for one in left if one != f"k of {series}"] + others)


def _set(context: click.Context, given: dict[str, Any], name: str, value: Any) -> None:
    """Set a value, unless the user typed another."""
    if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
        given[name] = value


def _said(taken: str, left: list[str]) -> str:
    return f"took {taken}" + (f"; not taken: {', '.join(left)}" if left else "")
