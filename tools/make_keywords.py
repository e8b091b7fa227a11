"""Writes the types of keywords from the records of settings; run it as ``python tools/make_keywords.py [--check]``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, get_type_hints

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "infostream_dedup" / "api" / "keyword_types.py"
HEAD = '''"""Keywords of the public functions. Made by ``python tools/make_keywords.py``; do not edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from infostream_dedup.documents.reading import ReadingOptions
'''


def text() -> str:
    """The module."""
    from infostream_dedup.api.keywords import KEYWORDS

    parts = [HEAD]
    made: dict[str, frozenset[str]] = {}
    for name, known in KEYWORDS.items():
        if known.record is None:
            continue
        inner = max((one for one in made if made[one] <= known.names()), key=lambda one: len(made[one]), default="")
        bases = [inner] if inner else []
        if known.reading and "tz" not in made.get(inner, ()):
            bases.append("ReadingOptions")
        own = {field: hint for field, hint in _hints(known).items() if field not in made.get(inner, ())}
        doc = f'    """Fields of ``{known.record.partition(":")[2]}``; see there."""'
        rows = ["", *(f"    {field}: {hint}" for field, hint in own.items())] if own else []
        parts.append("\n".join([f"class {name}({', '.join(bases) or 'TypedDict'}, total=False):", doc, *rows, ""]))
        made[name] = known.names()
    return "\n\n".join(parts)


def _hints(known: Any) -> dict[str, str]:
    from infostream_dedup.model import Settings
    from infostream_dedup.model.limits import record_named

    record = record_named(known.record)
    # None means not given, except in streams, where it means no limit.
    optional = "" if hasattr(record, "TERM_FIELDS") else " | None"
    hints = {"preset": str, **get_type_hints(Settings), **get_type_hints(record)}
    # A number, or "auto".
    hints["k"] = int | str
    return {name: _words(hints[name], optional) for name in known.settings()}


def _words(hint: Any, optional: str) -> str:
    words = (
        hint.__name__ if isinstance(hint, type) and hint is not tuple and not hasattr(hint, "__args__") else str(hint)
    )
    words = words.replace("tuple[str, ...]", "Sequence[str] | str")
    return words if "None" in words else words + optional


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    if "--check" in sys.argv:
        sys.exit(TARGET.read_text(encoding="utf-8") != text())
    TARGET.write_text(text(), encoding="utf-8")
