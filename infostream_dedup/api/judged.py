"""Preset ``judged``, in which key terms find pairs and evidence judges them: what ``pairs`` and ``dedup`` share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.api.keywords import chosen
from infostream_dedup.errors import ConfigurationError, UsageError

if TYPE_CHECKING:
    from infostream_dedup.documents import Reading
    from infostream_dedup.model import Settings

__all__ = ["JUDGED", "chosen_for_judging", "is_judged", "refuse_without_judged"]

JUDGED: Final = "judged"
"""Name of the preset."""

_FIXED: Final = ("k", "n", "score", "threshold", "min_terms", "rule", "target")
"""Settings that decide about pairs in other presets; the pair model was trained with fixed values."""


def is_judged(given: Mapping[str, Any], *, settings: Settings | None = None, **others: Any) -> bool:
    """Whether preset ``judged`` applies: if requested, or if no other preset and no unsupported option is.

    Args:
        given: settings by name.
        settings: all settings at once, if they are given: those of key terms.
        others: further options of the caller that only apply to key terms; ``None``, ``False`` and ``equal`` do not
            count as given.
    """
    if given.get("preset") is not None:
        return bool(given["preset"] == JUDGED)
    if settings is not None or given.get("representation") not in (None, "morph"):
        return False
    named = [given.get(name) for name in _FIXED] + list(others.values())
    return all(value is None or value is False or value == "equal" for value in named)


def chosen_for_judging(
    function: Callable[..., Any],
    known: type,
    given: Mapping[str, Any],
    *,
    settings: Settings | None,
    reading: Reading | None,
    representations: Sequence[str] = (),
) -> tuple[Settings, Reading]:
    """Return the settings and reading options of a caller that requested the preset; otherwise like ``chosen``.

    Raises:
        UsageError: a setting has no meaning with the preset.
    """
    if settings is not None:
        raise ConfigurationError("settings and preset are both given; leave out settings")
    rest = {name: value for name, value in given.items() if name != "preset"}
    for name in _FIXED:
        if rest.get(name) is not None:
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(
                f"preset judged decides by evidence and does not accept {name} ({flag}); leave out one of the two"
            )
    if rest.get("representation") not in (None, "morph"):
        raise UsageError("preset judged compares documents of one language by representation morph; leave out "
                         "representation (--representation) or preset")  # fmt: skip
    return chosen(function, known, rest, settings=None, reading=reading, representations=representations)


def refuse_without_judged(given: Mapping[str, Any]) -> None:
    """Refuse options that only preset ``judged`` supports.

    Raises:
        UsageError: one of them is given, that is, neither ``None`` nor ``False``.
    """
    for name, value in given.items():
        if value is not None and value is not False:
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{name} ({flag}) needs preset judged (--preset judged)")
