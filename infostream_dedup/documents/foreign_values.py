"""Values of numpy and pandas in records from memory, as values of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["python_values"]

_EMPTY: Final = ("NaTType", "NAType")


def python_values(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record without the types of numpy, and with None for the empty cells of pandas.

    Rows of data frames have such values (``to_dict("records")``), but no output can hold an empty cell of pandas. The
    libraries are recognised by name, so that they need not be imported.
    """
    if any(_is_foreign(value) for value in values.values()):
        return {name: _python_value(value) if _is_foreign(value) else value for name, value in values.items()}
    return values


def _is_foreign(value: Any) -> bool:
    return type(value).__module__ == "numpy" or type(value).__name__ in _EMPTY


def _python_value(value: Any) -> Any:
    if type(value).__name__ in _EMPTY:
        return None
    if getattr(getattr(value, "dtype", None), "kind", "") == "M":
        # Python's times have microseconds; numpy returns finer ones as plain numbers.
        value = value.astype("datetime64[us]")
    return value.tolist() if hasattr(value, "tolist") else value
