"""No pattern of the package takes time that grows with the square of a text."""

import ast
import itertools
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import infostream_dedup

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
PACKAGE = Path(infostream_dedup.__file__).parent
UNITS = (
    *(" ", "\t", "\n", " \n", "\n ", "\xa0", "\u200b", "a", "A", "я", "Я", "ї", "1", "12 ", "1,", "1.", "-", "--", "—"),
    *("'", "’", '"', "«", "»", "(", ")", "()", "[", "<", "<a", "<a ", "</", "<!--", "&", "&#", "&amp;", "=", "a=", "@"),
    *("<script ", "<style>", "01.02.", "2026 ", "\r\n", "\u2028", "]]>", "<?", "]("),
    *("a@", ".", "a.", "/", "//", "http://", "http://a", "www.", "#", "_", "%", "$", "{", "\\", "\0", "\ud83d", "a b "),
    *("А. Б. ", "а-", "a1", "1a", "I", "XI ", "+", ":", ";", "?!", "...", "&#55357;", "x0", "-1"),
)
ENDS = ("", "!")
LENGTHS = ((800, 0.0015), (8000, 0.006))
BOUNDED = {
    # These see a name, a number or one word, never a text.
}
"""Patterns that are quadratic, and why nobody can use that."""


METHODS = {"search", "match", "fullmatch", "sub", "subn", "findall", "finditer", "split"}
MADE_AT_RUN_TIME = {
    "documents.outputs": "one class of characters", "judging.evidence.differing": "one character, matched against one",
    "language.lexicon.word_lists": "one class of characters", "language.text.language": "one class of characters",
    "language.text.normalise": "one class of characters", "stream.store.stories": "names of a list, each escaped",
}  # fmt: skip
"""Modules that make a pattern within a function from more than a constant, and what it is."""


def within(value: object, name: str) -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """Patterns of a name of a module, also those in its tables."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, dict):
        yield from within([*value.values()], name)
    elif isinstance(value, tuple | list):
        for place, one in enumerate(value):
            yield from within(one, f"{name}[{place}]")


def patterns() -> dict[tuple[str, str], re.Pattern[str] | re.Pattern[bytes]]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if "re.compile" not in path.read_text(encoding="utf-8") or path.name == "__main__.py":
            continue
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        try:
            module = import_module(name)
        except ImportError:
            continue  # an extra that is not installed
        for key, value in vars(module).items():
            found.update({(name, one): pattern for one, pattern in within(value, key)})
    return found


def written_in_calls() -> tuple[dict[tuple[str, str], tuple[re.Pattern[str], str]], set[str]]:
    """Patterns that stand in a call of ``re``, with its method; and the modules that make others when they run."""
    found, made = {}, set()
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        outside = {id(one) for node in tree.body if not isinstance(node, FUNCTIONS) for one in ast.walk(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {f"re.{one}" for one in (*METHODS, "compile")}:
                method = node.func.attr  # type: ignore[attr-defined]
                if isinstance(node.args[0], ast.Constant) and method != "compile":
                    found[module, f"{method} {node.args[0].value}"] = re.compile(node.args[0].value), method
                elif id(node) not in outside:
                    made.add(module)
    return found, made


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
                found[module, "*"].add(node.attr)
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


def is_quadratic(pattern: re.Pattern[str] | re.Pattern[bytes], method: str, unit: str, end: str, length: int) -> bool:
    texts = ["a" + unit * (times * length // len(unit)) + end for times in (2, 8)]
    short, long = (min(seconds(pattern, method, text) for _ in range(2)) for text in texts)
    # Four times as long: 4 times if linear, 16 times if quadratic.
    return long > 9 * short


def first_quadratic(pattern: re.Pattern[str] | re.Pattern[bytes], methods: list[str]) -> tuple[str, str, str] | None:
    for unit, end, method in itertools.product(UNITS, ENDS, methods):
        for length, limit in LENGTHS:  # the second shows what is slow only with many long units
            text = "a" + unit * (length // len(unit)) + end
            if seconds(pattern, method, text) > limit and is_quadratic(pattern, method, unit, end, length):
                return method, unit, end
    return None


def test_the_time_of_every_pattern_grows_with_the_text() -> None:
    every, used = patterns(), uses()
    assert len(every) > 100
    slow = {}
    for (module, name), pattern in every.items():
        methods = used[module if name.startswith("_") else "*", name.partition("[")[0]] & METHODS
        if "[" in name:
            methods |= used[module, "*"] & METHODS
        # The most work that the package lets it do.
        method = next((one for one in ("sub", "finditer", "findall", "split", "search") if one in methods), "match")
        how = first_quadratic(pattern, sorted({method, *(methods & {"match", "fullmatch"})}))
        if how is not None:
            slow[f"{module}:{name}"] = how
    inline, made = written_in_calls()
    assert len(inline) > 20
    for (module, name), (pattern, method) in inline.items():
        how = first_quadratic(pattern, [method])
        if how is not None:
            slow[f"{module}:{name}"] = how
    assert made == MADE_AT_RUN_TIME.keys()
    assert {name: how for name, how in slow.items() if name not in BOUNDED} == {}
    assert BOUNDED.keys() <= slow.keys(), "mended: take it out of BOUNDED"
