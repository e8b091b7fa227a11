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
        ConfigurationError: it is not TOML, or has a key that is no option of the command.
    """
    if path is None:
        return
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
        defaults[option.name] = value
    context.default_map = {**(context.default_map or {}), **defaults}
