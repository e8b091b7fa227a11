"""Write values as JSON, whatever a document may contain."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import orjson

from infostream_dedup.errors import BadDataError


def json_bytes(value: Any) -> bytes:
    """Return `value` as compact JSON in UTF-8, without a line end."""
    try:
        return orjson.dumps(value, default=_convert, option=orjson.OPT_SERIALIZE_NUMPY)
    except orjson.JSONEncodeError:
        return _dump_slowly(value)


def _dump_slowly(value: Any) -> bytes:
    """Serialise what orjson refuses: integers beyond 64 bits, keys that are not text."""
    try:
        text = json.dumps(_replace_nonfinite(value), ensure_ascii=False, default=_convert, separators=(",", ":"))
        return text.encode()
    except UnicodeEncodeError:
        raise _unwritable_error(value, "E_ENCODING", "text with a lone surrogate cannot be written") from None
    except RecursionError:
        raise _unwritable_error(value, "E_DEPTH", "nested too deep to be written") from None
    except (TypeError, ValueError) as error:
        raise _unwritable_error(value, "E_TYPE", f"a value cannot be written as JSON ({error})") from None


def _replace_nonfinite(value: Any) -> Any:
    """Return `value` with null in place of each not-a-number and infinity, which JSON lacks."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _replace_nonfinite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_nonfinite(inner) for inner in value]
    return value


def _convert(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Decimal | timedelta | time | UUID):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _unwritable_error(value: Any, code: str, message: str) -> BadDataError:
    name = value.get("id") if isinstance(value, Mapping) else None
    which = f"document {str(name)[:60]!a}: " if name is not None else ""
    return BadDataError(which + message, code=code, source="<output>")
