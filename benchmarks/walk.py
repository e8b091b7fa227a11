"""How far the documents of a sweep walk through the package: files, returns and calls, counted in one traced sweep.

    python -m benchmarks.walk [--verbose] [--representation stem] [--no-estimate]

The bundled sample is swept twice by ``infostream_dedup.sweep`` with the default settings (three representations);
``--no-estimate`` leaves out the figures without labels. The first sweep imports, loads and
compiles; its form cache is a temporary folder. The second one is traced by ``sys.setprofile``, in every thread, and
three numbers are counted in it:

1. *Files*: package files in which a Python function is entered. The room ``machine`` holds technique rather than work,
   and does not count.
2. *Returns*: distinct pairs of a function and another package file that it hands documents, counts or what holds them
   to. That is a return, or a ``yield``, whose value carries the collection (see ``carries``; a generator carries if it
   yields what carries) and whose nearest caller inside the package, technique left out, is in that other file. A
   comprehension belongs to the function around it.
3. *Calls*: distinct pairs of a function in ``batch`` and a function in ``links`` that it calls, properties included,
   constructors of plain records not.

Compiled loops are not Python functions and never count, nor does code outside the package.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from inspect import CO_GENERATOR
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, GeneratorType
from typing import Any

import numpy as np
import scipy.sparse as sp

import infostream_dedup
from infostream_dedup import Document, sweep
from infostream_dedup.sample import documents_path

PACKAGE = Path(infostream_dedup.__file__).resolve().parent
DEPTH = 3
"""How many attributes or elements deep ``carries`` looks."""


@dataclass
class Walk:
    """What was seen: files, functions that hand the collection on and the files they hand it to, calls."""

    files: set[str] = field(default_factory=set)
    returns: set[tuple[str, str]] = field(default_factory=set)
    calls: set[tuple[str, str]] = field(default_factory=set)
    _yielding: set[CodeType] = field(default_factory=set)
    _generators: list[tuple[CodeType, str, str]] = field(default_factory=list)
    _names: dict[CodeType, tuple[str, str] | None] = field(default_factory=dict)

    def trace(self, frame: FrameType, event: str, value: Any) -> None:
        """The function for ``sys.setprofile``."""
        if event not in ("call", "return"):
            return
        here = self._name(frame.f_code)
        if here is None:
            return
        caller = self._caller(frame)
        if event == "call":
            self.files.add(here[0])
            if caller is not None and caller[0].startswith("batch/") and here[0].startswith("links/"):
                self.calls.add((f"{caller[0]}:{caller[1]}", f"{here[0]}:{here[1]}"))
            return
        if frame.f_code.co_flags & CO_GENERATOR and carries(value):
            self._yielding.add(frame.f_code)
        if caller is not None and caller[0] != here[0]:
            self._returned(f"{here[0]}:{here[1]}", caller[0], value)

    def finish(self) -> None:
        """Judge the generators that were handed on by what they have yielded since."""
        for code, function, to in self._generators:
            if code in self._yielding:
                self.returns.add((function, to))

    def _returned(self, function: str, to: str, value: Any) -> None:
        if isinstance(value, GeneratorType):
            self._generators.append((value.gi_code, function, to))
        elif carries(value):
            self.returns.add((function, to))

    def _caller(self, frame: FrameType) -> tuple[str, str] | None:
        above = frame.f_back
        while above is not None:
            name = self._name(above.f_code)
            if name is not None:
                return name
            above = above.f_back
        return None

    def _name(self, code: CodeType) -> tuple[str, str] | None:
        """File inside the package and function; nothing for technique and for all other code."""
        if code not in self._names:
            path = Path(code.co_filename)
            file = path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else ""
            technique = file.startswith("machine/")
            self._names[code] = None if not file or technique else (file, code.co_qualname.split(".<locals>")[0])
        return self._names[code]


def carries(value: Any, depth: int = DEPTH) -> bool:
    """Whether a value is or holds documents, counts or matrices.

    That is a ``Document``, an array of numpy or a matrix of scipy, a mapping to whole numbers (counts), an object of a
    class of the package with an attribute that carries, a tuple with an element that carries, or a list, set or mapping
    whose first element carries.
    """
    if isinstance(value, Document | np.ndarray | sp.sparray | sp.spmatrix):
        return True
    if depth == 0:
        return False
    if isinstance(value, Mapping):
        first = next(iter(value.values()), None)
        return (isinstance(first, int) and not isinstance(first, bool)) or carries(first, depth - 1)
    if isinstance(value, list | tuple | set | frozenset):
        seen = value if isinstance(value, tuple) else islice(value, 1)
        return any(carries(one, depth - 1) for one in seen)
    if type(value).__module__.startswith(f"{PACKAGE.name}."):
        return any(carries(one, depth - 1) for one in attributes(value))
    return False


def attributes(value: Any) -> Iterable[Any]:
    """What the attributes of an object hold; nothing is computed for it."""
    yield from getattr(value, "__dict__", {}).values()
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            slot = kind.__dict__.get(name)
            if slot is not None and hasattr(slot, "__get__"):
                try:
                    yield slot.__get__(value, kind)
                except AttributeError:  # not set
                    continue


def traced_sweep(representations: list[str] | None, *, estimate: bool = True) -> Walk:
    """Sweep the sample twice, the second time under observation."""
    sweep([documents_path()], representations=representations, estimate=estimate)
    walk = Walk()
    threading.setprofile(walk.trace)
    sys.setprofile(walk.trace)
    try:
        sweep([documents_path()], representations=representations, estimate=estimate)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    walk.finish()
    return walk


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--representation", action="append", help="one or more; all by default")
    parser.add_argument("--no-estimate", action="store_true", help="sweep without estimates")
    parser.add_argument("--verbose", action="store_true", help="also list what was counted")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["INFOSTREAM_DEDUP_CACHE"] = cache
        walk = traced_sweep(arguments.representation, estimate=not arguments.no_estimate)
    show("package files entered", walk.files, arguments.verbose)
    show("returns that hand documents or counts to another file", map(" -> ".join, walk.returns), arguments.verbose)
    show("calls from batch to links", map(" -> ".join, walk.calls), arguments.verbose)


def show(title: str, found: Iterable[str], verbose: bool) -> None:
    """Print one number, and the list where it is wanted."""
    lines = sorted(found)
    print(f"{title}: {len(lines)}")
    if verbose:
        print("".join(f"  {line}\n" for line in lines))


if __name__ == "__main__":
    main()
