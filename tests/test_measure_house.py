"""The measuring of the house: kinds of lines, imports that run, circles."""

from __future__ import annotations

import ast

from tools.measure_house import LIMITS, circles, count_kinds, imports, room_of

SOURCE = '''"""Title.

More.
"""

import os  # said

# why
def read():
    """Read."""
    from house.cellar import wine
    return """not a
    docstring"""
'''


def test_each_line_is_of_one_kind():
    assert count_kinds(SOURCE, python=True) == {"docstring": 5, "blank": 2, "import": 2, "comment": 1, "code": 3}
    assert count_kinds("-- why\n\nSELECT 1;\n", python=False) == {"comment": 1, "blank": 1, "code": 1}


def test_imports_in_functions_and_by_name_count_and_those_for_types_do_not():
    tree = ast.parse(
        "if TYPE_CHECKING:\n    from infostream_dedup.cli import a\n"
        "from infostream_dedup.terms.bm25 import b\n"
        "def late():\n    from infostream_dedup.links import window, match\n"
        "    import_module('infostream_dedup.stream')\n"
    )
    modules = {f"infostream_dedup.{name}" for name in ("cli", "terms.bm25", "links", "links.window", "stream")}
    assert sorted(imports(tree, modules)) == sorted(modules - {"infostream_dedup.cli"})


def test_rooms_and_circles():
    assert [room_of(f"infostream_dedup.{name}") for name in ("errors", "lab.methods.md5", "stream.store.schema")] == [
        "errors", "lab/methods", "stream",
    ]  # fmt: skip
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}) == [["a", "b", "c"]]


def test_no_limit_is_below_its_goal():
    assert all(limit >= goal for limit, goal in LIMITS.values())
