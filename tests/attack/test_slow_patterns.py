"""No pattern of the package takes time that grows with the square of a text."""

from __future__ import annotations

import ast
import itertools
import re
import time
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import infostream_dedup

PACKAGE = Path(infostream_dedup.__file__).parent
UNITS = (
    *(" ", "\t", "\n", " \n", "\n ", "\xa0", "\u200b", "a", "A", "я", "Я", "ї", "1", "12 ", "1,", "1.", "-", "--", "—"),
    *("'", "’", '"', "«", "»", "(", ")", "()", "[", "<", "<a", "<a ", "</", "<!--", "&", "&#", "&amp;", "=", "a=", "@"),
    *("a@", ".", "a.", "/", "//", "http://", "http://a", "www.", "#", "_", "%", "$", "{", "\\", "\0", "\ud83d", "a b "),
    *("А. Б. ", "а-", "a1", "1a", "I", "XI ", "+", ":", ";", "?!", "...", "&#55357;", "x0", "-1"),
)
ENDS = ("", "!")
LENGTH = 800
BOUNDED = {
    # These see a name, a number or one word, never a text.
}
"""Patterns that are quadratic, and why nobody can use that."""


def patterns() -> dict[tuple[str, str], re.Pattern[str] | re.Pattern[bytes]]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if "re.compile" not in path.read_text(encoding="utf-8") or path.name == "__main__.py":
            continue
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts).removesuffix(".__init__")
        try:
            module = import_module(name)
        except ImportError:
            continue  # an extra that is not installed
        for key, value in vars(module).items():
            if isinstance(value, re.Pattern):
                found[name, key] = value
    return found


def uses() -> dict[tuple[str, str], set[str]]:
    """Methods that are called on each name of a pattern, by module; and anywhere, under the module ``*``."""
    found = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                name = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                for where in (module, "*"):
                    found[where, name].add(node.attr)
    return found


def seconds(pattern: re.Pattern[str] | re.Pattern[bytes], method: str, text: str) -> float:
    given = text if isinstance(pattern.pattern, str) else text.encode("utf-8", "surrogatepass")
    begin = time.process_time()
    if method == "finditer":
        for _ in pattern.finditer(given):  # type: ignore[arg-type]
            pass
    elif method in ("sub", "subn"):
        pattern.sub(given[:0], given)  # type: ignore[arg-type, type-var]
    else:
        getattr(pattern, method)(given)
    return time.process_time() - begin


def is_quadratic(pattern: re.Pattern[str] | re.Pattern[bytes], method: str, unit: str, end: str) -> bool:
    texts = ["a" + unit * (times * LENGTH // len(unit)) + end for times in (2, 8)]
    short, long = (min(seconds(pattern, method, text) for _ in range(2)) for text in texts)
    # Four times as long: 4 times if linear, 16 times if quadratic.
    return long > 9 * short


def first_quadratic(pattern: re.Pattern[str] | re.Pattern[bytes], methods: list[str]) -> tuple[str, str, str] | None:
    for unit, end, method in itertools.product(UNITS, ENDS, methods):
        text = "a" + unit * (LENGTH // len(unit)) + end
        if seconds(pattern, method, text) > 0.0015 and is_quadratic(pattern, method, unit, end):
            return method, unit, end
    return None


def test_the_time_of_every_pattern_grows_with_the_text() -> None:
    every, used = patterns(), uses()
    assert len(every) > 100
    slow = {}
    for (module, name), pattern in every.items():
        methods = used[module if name.startswith("_") else "*", name] & {
            "search",
            "match",
            "fullmatch",
            "sub",
            "subn",
            "findall",
            "finditer",
            "split",
        }
        # The most work that the package lets it do.
        method = next((one for one in ("sub", "finditer", "findall", "split", "search") if one in methods), "match")
        how = first_quadratic(pattern, sorted({method, *(methods & {"match", "fullmatch"})}))
        if how is not None:
            slow[f"{module}:{name}"] = how
    assert {name: how for name, how in slow.items() if name not in BOUNDED} == {}
    assert BOUNDED.keys() <= slow.keys(), "mended: take it out of BOUNDED"
