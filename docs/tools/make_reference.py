"""Writes the generated pages of the reference; run it as ``python docs/tools/make_reference.py``."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

import click

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "infostream_dedup"
MADE = "<!-- Made by `python docs/tools/make_reference.py`; do not edit. -->\n"
ABOUT_CODES = (
    "A bad record is named as `file:line: field: what came, what was expected [CODE]`. The codes are stable; they are"
    " in the quarantine file too. Messages are shown with `…` where the program fills in what it met."
)
SECTIONS = {"Args": "Arguments", "Returns": "Returns", "Raises": "Raises", "Attributes": "Attributes"}


def pages() -> dict[str, str]:
    """The generated pages by path below ``docs/reference``."""
    return {**command_line(), "errors.md": errors(), "python.md": python()}


def command_line() -> dict[str, str]:
    """A page for each command with its help text and its options, and a list of them."""
    from infostream_dedup.cli import cli

    found, listed = {}, []
    for name in cli.list_commands(click.Context(cli)):
        command = cli.commands[name]
        parts = [f"# infostream-dedup {name}", MADE, *_command(command, ("infostream-dedup", name))]
        found[f"command-{name}.md"] = "\n\n".join(parts) + "\n"
        first = inspect.cleandoc(command.help or "").partition("\n")[0]
        listed.append(f"- [{name}](command-{name}.md): {_prose(first)}")
    head = ["# Command line", MADE, *_paragraphs(inspect.cleandoc(cli.help or "")), "\n".join(listed)]
    return {"command-line.md": "\n\n".join(head) + "\n", **found}


def _command(command: click.Command, names: tuple[str, ...]) -> Iterator[str]:
    context = click.Context(command, info_name=" ".join(names))
    if len(names) > 2:
        yield f"## {' '.join(names[1:])}"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{' '.join(names)} {usage}\n```"
    yield from _paragraphs(inspect.cleandoc(command.help or ""))
    rows = [param.get_help_record(context) for param in command.params if isinstance(param, click.Option)]
    if any(rows):
        table = ["| option | what it does |", "|---|---|"]
        table.extend(f"| `{_cell(row[0])}` | {_prose(row[1])} |" for row in rows if row is not None)
        yield "\n".join(table)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from _command(command.commands[name], (*names, name))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.startswith("\b"):
            yield "```text\n" + paragraph.removeprefix("\b").strip("\n") + "\n```"
        elif paragraph:
            yield _prose(" ".join(paragraph.split()))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _prose(text: str) -> str:
    return re.sub(r"([<>*_])", r"\\\1", _cell(text)).replace("``", "`")


def errors() -> str:
    """Exit codes from the classes of errors, error codes from the places that raise them."""
    import infostream_dedup.errors as module

    codes: dict[int, list[str]] = {}
    for name in module.__all__:
        kind = getattr(module, name)
        if name != "InfostreamError":
            summary = inspect.cleandoc(kind.__doc__).splitlines()[0]
            codes.setdefault(kind.exit_code, []).append(f"`{name}`: {summary}")
    codes[0] = ["Done."]
    codes[2].append("or the command line cannot be understood.")
    codes[70] = ["A bug of ours; with `INFOSTREAM_DEDUP_DEBUG=1` the traceback is shown."]
    codes[130], codes[143] = ["Interrupted (Ctrl-C)."], ["Terminated (SIGTERM)."]
    lines = ["# Exit codes and error codes", MADE, "## Exit codes", "| code | meaning |\n|---|---|"]
    lines[-1] += "".join(f"\n| {code} | {'<br>'.join(_cell(one) for one in codes[code])} |" for code in sorted(codes))
    lines += ["## Error codes", ABOUT_CODES, "| code | raised in | messages |\n|---|---|---|"]
    for code, (rooms, said) in sorted(raised().items()):
        places = ", ".join(f"`{room}`" for room in sorted(rooms))
        lines[-1] += f"\n| `{code}` | {places} | {'<br>'.join(map(_prose, sorted(said)))} |"
    return "\n\n".join(lines) + "\n"


def raised() -> dict[str, tuple[set[str], set[str]]]:
    """The rooms that use each error code, and its messages."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and _is_code(node.value):
                found.setdefault(node.value, (set(), set()))[0].add(room)
        for code, messages in _messages(tree):
            found.setdefault(code, (set(), set()))[1].update(messages)
    return found


def _messages(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """The codes that calls in a file name, with the messages of these calls."""
    constants = {
        node.target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    for call in _calls(tree):
        for one in _given(call):
            code = constants.get(one.id) if isinstance(one, ast.Name) else getattr(one, "value", None)
            if _is_code(code):
                yield code, _said(call, tree)


def _said(call: ast.Call, tree: ast.Module) -> list[str]:
    """The message of a call: a literal, what the variable ``message`` holds, or what callers give for it."""
    if not any(isinstance(one, ast.Name) and one.id == "message" for one in _given(call)):
        return _literals(call)[:1]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    function = [one for one in functions if one.lineno < call.lineno <= (one.end_lineno or 0)][-1]
    held = {
        node.lineno: _message(node.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and node.lineno < call.lineno and ast.unparse(node.targets[0]) == "message"
    }
    if held:
        return [text for text in [held[max(held)]] if text]
    return [text for one in _calls(tree) if ast.unparse(one.func) == function.name for text in _literals(one)]


def _calls(tree: ast.Module) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _literals(call: ast.Call) -> list[str]:
    return [text for one in _given(call) if (text := _message(one))]


def _is_code(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and re.fullmatch(r"E_[A-Z_]+", value) is not None


def _message(node: ast.expr) -> str:
    """The text of a literal or an f-string of several words, some of them its own."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    elif isinstance(node, ast.JoinedStr):
        text = "".join(str(one.value) if isinstance(one, ast.Constant) else "…" for one in node.values)
    else:
        return ""
    return re.sub("…+", "…", text) if " " in text and re.search("[a-z]", text) else ""


def python() -> str:
    """Every public name of the package with its signature and its docstring."""
    import infostream_dedup

    parts = ["# Python", MADE, "Names of `infostream_dedup`. Modules are listed with their functions."]
    for name in sorted(infostream_dedup.__all__, key=str.lower):
        thing = getattr(infostream_dedup, name)
        if isinstance(thing, ModuleType):
            parts.append(f"## `{name}`")
            parts.extend(_docstring(thing))
            for inner in getattr(thing, "__all__", ()):
                if callable(getattr(thing, inner)):
                    parts.extend(_thing(f"{name}.{inner}", getattr(thing, inner), "###"))
        elif callable(thing):
            parts.extend(_thing(name, thing, "##"))
    return "\n\n".join(parts) + "\n"


def _thing(name: str, thing: Any, heading: str) -> Iterator[str]:
    yield f"{heading} `{name}`"
    if not inspect.isclass(thing):
        yield f"```python\n{name}{_signature(thing)}\n```"
    yield from _docstring(thing)
    if inspect.isclass(thing):
        for inner, method in sorted(vars(thing).items()):
            function = method.__func__ if isinstance(method, classmethod | staticmethod) else method
            if not inner.startswith("_") and inspect.isfunction(function):
                yield from _thing(f"{name}.{inner}", function, f"{heading}#")


def _signature(function: Any) -> str:
    text = str(inspect.signature(function)).replace("'", "")
    if len(text) < 80:
        return text
    inside, _, after = text[1:].rpartition(")")
    depth, pieces = 0, [""]
    for character in inside:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return "(\n" + "".join(f"    {piece.strip()},\n" for piece in pieces) + ")" + after


def _docstring(thing: Any) -> Iterator[str]:
    """A docstring in Google's style as Markdown."""
    text = inspect.cleandoc(thing.__doc__ or "")
    for block in re.split(r"\n\s*\n", text):
        title, _, body = block.partition("\n")
        name = title.removesuffix(":")
        if name == "Example" or block.startswith(">>>"):
            yield "```pycon\n" + inspect.cleandoc(body if name == "Example" else block) + "\n```"
        elif name in SECTIONS and title.endswith(":"):
            yield f"**{SECTIONS[name]}**"
            yield _items(inspect.cleandoc(body))
        else:
            yield _markdown(block)


def _items(body: str) -> str:
    items = re.split(r"\n(?=\S)", body)
    return "\n".join(f"- {_markdown(item)}" for item in items)


def _markdown(text: str) -> str:
    return " ".join(text.split()).replace("``", "`")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    for path, content in pages().items():
        (ROOT / "docs" / "reference" / path).write_text(content, encoding="utf-8")
