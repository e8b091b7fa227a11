"""Options from a TOML file."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any

import click

from infostream_dedup.errors import ConfigurationError, NoInputError

__all__ = ["read_configuration"]


def read_configuration(context: click.Context, _parameter: click.Parameter, path: str | None) -> None:
    """Make the values of a TOML file the defaults of a command; keys are the long names of its options.

    Raises:
        NoInputError: the file cannot be read.
        ConfigurationError: it is not TOML, or has a key that is not an option of the command, or a value that the
            option does not accept.
    """
    if path is None:
        return
    context.meta["config"] = path
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise NoInputError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: not a TOML file: {error}") from error
    names = {
        flag.removeprefix("--"): option
        for option in context.command.params
        if isinstance(option, click.Option) and option.name != "config"
        for flag in option.opts
        if flag.startswith("--")
    }
    defaults: dict[str, Any] = {}
    for key, value in values.items():
        option = names.get(key.replace("_", "-"))
        if option is None or option.name is None:
            near = difflib.get_close_matches(key.replace("_", "-"), names, n=1)
            advice = f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(sorted(names))}"
            raise ConfigurationError(f"{path}: unknown key {key!r}{advice}")
        if option.name == "columns" and isinstance(value, dict):
            value = [f"{ours}={theirs}" for ours, theirs in value.items()]
        defaults[option.name] = _checked(value, option, context, f"{path}: {key}")
    context.default_map = {**(context.default_map or {}), **defaults}


def _checked(value: Any, option: click.Option, context: click.Context, place: str) -> Any:
    """Convert a value as the option's flag would; an option that may be repeated also accepts a single value."""
    if isinstance(value, bool) != option.is_flag or isinstance(value, dict):
        expected = "true or false" if option.is_flag else "a string or a number"
        raise ConfigurationError(f"{place} is {value!r}; expected {expected}")
    if option.is_flag:
        return value
    many = value if isinstance(value, list) else [value]
    if not option.multiple and isinstance(value, list):
        raise ConfigurationError(f"{place} is {value!r}; expected one value")
    texts = [str(one) for one in many]
    given: Any = texts if option.multiple else texts[0]
    try:
        option.type_cast_value(context, given)
    except click.BadParameter as error:
        raise ConfigurationError(f"{place}: {error.message}") from error
    return given
