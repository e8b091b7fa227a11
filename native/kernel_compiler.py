"""Translate the kernels of the package to one C++ file, and compile it into an extension of Python.

A kernel is a function in a folder or file ``kernels`` with one of the decorators of ``machine.compiling``. Its types are its
annotations; the C++ compiler derives those of local variables. What this file does not know is refused with file and
line, and so is, by ``arrays.hpp``, what means different things in Python and C++.

    python native/kernel_compiler.py [--checked] [--levels v2,v3,v4] [--source FILE.cpp]
    python native/kernel_compiler.py --wheel win_amd64 --folder DIR
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = "infostream_dedup"
COMPILING = f"{PACKAGE}.machine.compiling"
ARRAYS = f"{PACKAGE}.machine.arrays"
CALLERS = ("tests", "reports", "benchmarks", "tools")
DECORATORS = ("compiled", "inlined", "instruction")
CELLS = {f"{kind}{bits}": f"{kind}{bits}_t" for kind in ("int", "uint") for bits in (8, 16, 32)}
CELLS |= {"int64": "i64", "uint64": "u64", "float32": "float", "float64": "double", "bool": "bool", "bool_": "bool"}
VECTORS = {f"{kind.capitalize()}{bits}s": CELLS[f"{kind}{bits}"] for kind in ("int", "uint") for bits in (8, 16, 32)}
VECTORS |= {"Ints": "i64", "Uint64s": "u64", "Floats": "double", "Bools": "bool"}
NUMBERS = {"int": "i64", "float": "double", "bool": "bool", "np.uint64": "u64", "np.float64": "double"}
NUMBERS |= {f"np.{name}": "i64" for name in CELLS if "int" in name and name != "uint64"} | {"np.int64 | int": "i64"}
BINARY: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "quotient", ast.FloorDiv: "floordiv", ast.Mod: "floormod",
    ast.BitAnd: "bit_and", ast.BitOr: "bit_or", ast.BitXor: "bit_xor", ast.LShift: "shl", ast.RShift: "shr",
}  # fmt: skip
COMPARE: dict[type, str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
MATHS = ("log", "sqrt", "ceil", "floor", "rint")
METHODS = {"copy": "copied", "sort": "sort", "sum": "sum"}
MARCH = {"v2": ("x86-64-v2",), "v3": ("x86-64-v3",), "v4": ("x86-64-v4", "avx512vpopcntdq"), "portable": ()}
"""What each level asks of the processor: one of the x86-64 levels, and more instructions (bits of many words)."""
FLAGS = shlex.split(
    "-std=c++20 -O3 -fwrapv -ffp-contract=off -fno-math-errno -fno-exceptions -fno-rtti -fno-threadsafe-statics "
    "-fvisibility=hidden -w"
)
WHEELS = {
    "manylinux_2_17_x86_64": "x86_64-linux-gnu.2.17", "manylinux_2_17_aarch64": "aarch64-linux-gnu.2.17",
    "macosx_11_0_arm64": "aarch64-macos.11.0", "macosx_11_0_x86_64": "x86_64-macos.11.0",
    "win_amd64": "x86_64-windows-gnu",
}  # fmt: skip
"""What Zig calls the machines of wheels that it can build on any machine."""


class RefusedError(Exception):
    """A kernel uses what cannot be translated."""


def is_kernel(name: str) -> bool:
    """Whether a module has kernels."""
    return "kernels" in name.split(".")[-2:]


def space_of(module: str) -> str:
    """C++ namespace of a module, and first part of the names of its entries."""
    return module.removeprefix(PACKAGE + ".").replace(".kernels", "").replace(".", "_")


def field_named(name: str) -> str:
    """C++ name of a field; the size of an array is called as in numpy."""
    return name if name == "size" else f"{name}_"


class Module:
    """One file, parsed and imported."""

    def __init__(self, root: Path, name: str) -> None:
        self.name = name
        self.path = root / (name.replace(".", "/") + ".py")
        self.tree = ast.parse(self.path.read_text(encoding="utf-8"), str(self.path))
        self.values = vars(importlib.import_module(name))
        self.functions: dict[str, tuple[ast.FunctionDef, str]] = {}
        self.records: dict[str, list[tuple[str, ast.expr]]] = {}
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef):
                decorator = " ".join(map(ast.unparse, node.decorator_list))
                if decorator in ("", *DECORATORS):
                    self.functions[node.name] = (node, decorator)
            if isinstance(node, ast.ClassDef) and [ast.unparse(base) for base in node.bases] == ["NamedTuple"]:
                fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
                self.records[node.name] = [(ast.unparse(one.target), one.annotation) for one in fields]
        self.imports: dict[str, tuple[str, str]] = {}
        for found in ast.walk(self.tree):
            if isinstance(found, ast.ImportFrom) and found.module and found.module.startswith(PACKAGE):
                self.imports |= {one.asname or one.name: (found.module, one.name) for one in found.names}

    def refuse(self, node: ast.AST, why: str) -> RefusedError:
        return RefusedError(f"{self.path}:{getattr(node, 'lineno', 1)}: {why}: {ast.unparse(node)}")


class Program:
    """All kernels, in the order in which their files import each other."""

    def __init__(self, root: Path, *, modules: list[str] | None = None) -> None:
        self.root = root
        self.modules: dict[str, Module] = {}
        self.entered: set[str] = set()
        for name in modules or [".".join(file.relative_to(root).with_suffix("").parts) for file in kernels_of(root)]:
            if not name.endswith("__init__"):
                self._add(name)
        self._leave_out_plain()

    def _add(self, name: str) -> None:
        if name in self.entered:
            return
        self.entered.add(name)  # at once: a file may import a record from the file that imports its kernels
        module = Module(self.root, name)
        for imported, original in module.imports.values():
            # Records may be defined outside of kernels.
            if is_kernel(imported) or (original[0].isupper() and self._defines(imported, original)):
                self._add(imported)
        self.modules[name] = module

    def _leave_out_plain(self) -> None:
        """Keep functions without a decorator only where a kernel calls them; the others are plain Python."""
        kernels = {node: module for module in self.modules.values() for node, mark in module.functions.values() if mark}
        waiting = list(kernels)
        while waiting:
            caller = waiting.pop()
            called = (one.func for one in ast.walk(caller) if isinstance(one, ast.Call))
            for name in (one.id for one in called if isinstance(one, ast.Name)):
                found = self.function(kernels[caller], name)
                if found and found[1] not in kernels:
                    kernels[found[1]] = found[0]
                    waiting.append(found[1])
        for module in self.modules.values():
            module.functions = {name: one for name, one in module.functions.items() if one[0] in kernels}

    def _defines(self, module: str, record: str) -> bool:
        file = self.root / (module.replace(".", "/") + ".py")
        return file.exists() and f"class {record}(NamedTuple)" in file.read_text(encoding="utf-8")

    def origin(self, module: Module, name: str) -> tuple[Module | None, str]:
        """Where a name of a module is defined; no module if it is none of ours."""
        if name in module.imports:
            imported, original = module.imports[name]
            return self.origin(self.modules[imported], original) if imported in self.modules else (None, original)
        return module, name

    def function(self, module: Module, name: str) -> tuple[Module, ast.FunctionDef, str] | None:
        there, original = self.origin(module, name)
        if there is not None and original in there.functions:
            return there, *there.functions[original]
        return None

    def record(self, module: Module, name: str) -> tuple[Module, str] | None:
        there, original = self.origin(module, name)
        return (there, original) if there is not None and original in there.records else None

    def variable(self, module: Module, name: str) -> tuple[str, ...] | None:
        """C++ types for which a type variable stands."""
        if module.imports.get(name, ("", ""))[0] != ARRAYS:
            return None
        kinds = getattr(getattr(importlib.import_module(ARRAYS), name), "__constraints__", ())
        return tuple(CELLS[kind.__name__] for kind in kinds) or None

    def type_of(self, module: Module, node: ast.expr | None) -> str:
        """C++ type of an annotation."""
        if node is None:
            raise RefusedError(f"{module.path}: a type is missing")
        text = ast.unparse(node)
        if text in NUMBERS:
            return NUMBERS[text]
        if module.imports.get(text, ("",))[0] == ARRAYS and text in VECTORS:
            return f"Vector<{VECTORS[text]}>"
        if isinstance(node, ast.Subscript):
            outer = ast.unparse(node.value)
            if outer in ("Vector", "Table", "Cube") and module.imports.get(outer) == (ARRAYS, outer):
                cell = ast.unparse(node.slice)
                if self.variable(module, cell):
                    return f"{outer}<{cell}>"
                if cell.startswith("np.") and cell[3:] in CELLS:
                    return f"{outer}<{CELLS[cell[3:]]}>"
            if outer == "tuple" and isinstance(node.slice, ast.Tuple):
                parts = [self.type_of(module, one) for one in node.slice.elts]
                if len(set(parts)) == 1 and parts[0] in NUMBERS.values():
                    return f"std::array<{parts[0]}, {len(parts)}>"
                return f"std::tuple<{', '.join(parts)}>"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            cells = [
                self.type_of(module, one).removeprefix("Vector<").removesuffix(">") for one in (node.left, node.right)
            ]
            if all(one in CELLS.values() for one in cells):
                return f"Either<{', '.join(cells)}>"
        if isinstance(node, ast.Name) and (found := self.record(module, node.id)):
            return f"{space_of(found[0].name)}::{found[1]}"
        raise module.refuse(node, "no type of a kernel")

    def entries(self) -> list[tuple[Module, ast.FunctionDef]]:
        """Kernels that are called from Python: imported outside of kernels, or called by plain functions beside them."""
        used = set()
        for file in (one for folder in (PACKAGE, *CALLERS) for one in (self.root / folder).glob("**/*.py")):
            name = ".".join(file.relative_to(self.root).with_suffix("").parts)
            if is_kernel(name):
                continue
            nodes, whole = list(ast.walk(ast.parse(file.read_text(encoding="utf-8")))), dict[str, Module]()
            for node in (one for one in nodes if isinstance(one, ast.ImportFrom)):
                if node.module in self.modules:
                    used |= {(self.modules[node.module], one.name) for one in node.names}
                named = ((one.asname or one.name, self.modules.get(f"{node.module}.{one.name}")) for one in node.names)
                whole |= {name: module for name, module in named if module is not None}
            attributes = (one for one in nodes if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name))
            used |= {(whole[one.value.id], one.attr) for one in attributes if one.value.id in whole}
        for module in self.modules.values():
            for node in module.tree.body:
                if isinstance(node, ast.FunctionDef) and node.name not in module.functions:
                    called = (
                        one.func.id
                        for one in ast.walk(node)
                        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
                    )
                    used |= {(module, one) for one in called}
        found = (self.function(module, name) for module, name in used)
        entries = {(one[0].name, one[1].name): (one[0], one[1]) for one in found if one and self._is_entry(*one)}
        return [entries[key] for key in sorted(entries)]

    def _is_entry(self, module: Module, node: ast.FunctionDef, decorator: str) -> bool:
        """Records are not returned to Python: a kernel that does so is for other kernels."""
        returned = ast.unparse(node.returns) if node.returns is not None else ""
        if self.record(module, returned) is None and not decorator:
            raise module.refuse(node, "called from Python, but without @compiled")
        return decorator != "instruction" and self.record(module, returned) is None


class Translation:
    """One kernel as C++."""

    def __init__(self, program: Program, module: Module, node: ast.FunctionDef, decorator: str) -> None:
        self.program, self.module, self.node, self.decorator = program, module, node, decorator
        self.locals = {one.arg for one in node.args.args}
        for found in ast.walk(node):
            if isinstance(found, ast.Name) and isinstance(found.ctx, ast.Store):
                self.locals.add(found.id)
        self.declared = {one.arg for one in node.args.args}
        self.declarations: list[str] = []
        self.temporaries = 0
        if node.args.defaults or node.args.kwonlyargs or node.args.vararg or node.args.kwarg:
            raise module.refuse(node.args, "arguments other than plain ones")

    # Values

    def constant(self, node: ast.expr, value: Any) -> str:
        if isinstance(value, (bool, np.bool_)):
            return "true" if value else "false"
        if isinstance(value, np.uint64) or (isinstance(value, int) and value >= 1 << 63):
            return f"(u64){int(value)}ull"
        if isinstance(value, (int, np.integer)):
            return f"(i64){int(value)}ll" if value > -(1 << 63) else "INT64_MIN"
        if isinstance(value, (float, np.floating)) and np.isfinite(value):
            return f"(double){float(value)!r}"
        raise self.module.refuse(node, "no constant of a kernel")

    def global_value(self, node: ast.expr, name: str) -> str:
        value = self.module.values.get(name)
        if isinstance(value, np.ndarray):
            there, original = self.program.origin(self.module, name)
            if there is None:
                raise self.module.refuse(node, "an array defined outside of kernels")
            return f"{space_of(there.name)}::{original}"
        return self.constant(node, value)

    def value(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value):
                return self.constant(node, value)
            case ast.Name(name):
                return f"{name}_" if name in self.locals else self.global_value(node, name)
            case ast.Attribute(value, name):
                if ast.unparse(node) == "np.inf":
                    return "std::numeric_limits<double>::infinity()"
                if isinstance(value, ast.Name) and value.id not in self.locals:
                    return self.constant(node, getattr(self.module.values.get(value.id), name, None))
                return f"{self.value(value)}.{field_named(name)}"
            case ast.Subscript():
                return self.cell(node)
            case ast.BinOp(left, operator, right) if type(operator) in BINARY:
                return f"{BINARY[type(operator)]}({self.value(left)}, {self.value(right)})"
            case ast.UnaryOp(ast.Not(), operand):
                return f"(!{self.condition(operand)})"
            case ast.UnaryOp(ast.USub(), operand):
                return f"neg({self.value(operand)})"
            case ast.UnaryOp(ast.Invert(), operand):
                return f"inverted({self.value(operand)})"
            case ast.BoolOp(operator, values):
                joint = " && " if isinstance(operator, ast.And) else " || "
                return f"({joint.join(f'boolean({self.value(one)})' for one in values)})"
            case ast.Compare():
                return self.comparison(node)
            case ast.IfExp(test, body, other):
                one, two = self.value(body), self.value(other)
                kind = f"alternative<std::remove_cvref_t<decltype({one})>, std::remove_cvref_t<decltype({two})>>"
                return f"({self.condition(test)} ? as<{kind}>({one}) : as<{kind}>({two}))"
            case ast.Tuple(elements):
                return f"together({', '.join(map(self.value, elements))})"
            case ast.Call():
                return self.call(node)
        raise self.module.refuse(node, "not known to the kernel compiler")

    def condition(self, node: ast.expr) -> str:
        """A value of which only the truth matters."""
        if isinstance(node, ast.BoolOp):
            joint = " && " if isinstance(node.op, ast.And) else " || "
            return f"({joint.join(map(self.condition, node.values))})"
        return f"truth({self.value(node)})"

    def comparison(self, node: ast.Compare) -> str:
        parts, left = [], node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if left is not node.left and any(isinstance(one, ast.Call) for one in ast.walk(left)):
                raise self.module.refuse(node, "a call that would be made twice")
            if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(right, ast.Tuple):
                sign = "!" if isinstance(operator, ast.NotIn) else ""
                parts.append(f"{sign}among({', '.join(map(self.value, (left, *right.elts)))})")
            elif type(operator) in COMPARE:
                parts.append(f"{COMPARE[type(operator)]}({self.value(left)}, {self.value(right)})")
            else:
                raise self.module.refuse(node, "not known to the kernel compiler")
            left = right
        return f"({' && '.join(parts)})"

    def indexes(self, base: str, node: ast.expr) -> list[str]:
        made = []
        for number, one in enumerate(node.elts if isinstance(node, ast.Tuple) else [node]):
            match one:
                case ast.Slice():
                    raise self.module.refuse(node, "a part of several dimensions")
                case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
                    made.append(f"({base}.shape({number}) - {value})")
                case _:
                    made.append(f"place({self.value(one)})")
        return made

    def cell(self, node: ast.Subscript) -> str:
        match node:
            case ast.Subscript(ast.Attribute(array, "shape"), ast.Constant(int(which))):
                return f"{self.value(array)}.shape({which})"
            case ast.Subscript(array, ast.Slice()):
                return self.part(node)
            case ast.Subscript(array, ast.Constant(int(which))):
                return f"pick<{which}>({self.value(array)})"
        base = self.value(node.value)
        found = self.indexes(base, node.slice)
        return f"get{len(found) if len(found) > 1 else ''}({base}, {', '.join(found)})"

    def part(self, node: ast.Subscript) -> str:
        base, cut = self.value(node.value), node.slice
        assert isinstance(cut, ast.Slice)
        if cut.step is not None:
            raise self.module.refuse(node, "a step")
        bounds = [cut.lower or ast.Constant(0), cut.upper]
        begin, end = (f"{base}.shape(0)" if one is None else self.indexes(base, one)[0] for one in bounds)
        return f"{base}.part({begin}, {end})"

    def call(self, node: ast.Call) -> str:
        name = ast.unparse(node.func)
        if isinstance(node.func, ast.Attribute):
            return self.numpy_call(node, name, node.func)
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            raise self.module.refuse(node, "arguments by name")
        if name in self.locals:
            raise self.module.refuse(node, "a call of a variable")
        if found := self.program.record(self.module, name):
            wanted = [self.program.type_of(found[0], kind) for _, kind in found[0].records[found[1]]]
            return f"{space_of(found[0].name)}::{found[1]}{{{self.converted(node, wanted)}}}"
        if kernel := self.program.function(self.module, name):
            there, called, decorator = kernel
            if decorator == "instruction":
                return f"{called.name.removeprefix('_')}({', '.join(map(self.value, node.args))})"
            wanted = [self.program.type_of(there, one.annotation) for one in called.args.args]
            return f"{space_of(there.name)}::{called.name}_({self.converted(node, wanted)})"
        if self.module.imports.get(name, ("",))[0] == COMPILING:
            known = {"signed": "to_signed", "popcount": "popcount", "prefetch": "prefetch"}
            if name in known:
                return f"{known[name]}({', '.join(map(self.value, node.args))})"
        if name in self.module.values or name in self.module.imports:
            raise self.module.refuse(node, "a call of something else than a kernel")
        return self.builtin(node, name)

    def converted(self, node: ast.Call, wanted: list[str]) -> str:
        if len(wanted) != len(node.args):
            raise self.module.refuse(node, f"{len(wanted)} arguments are expected")
        values = map(self.value, node.args)
        variables = importlib.import_module(ARRAYS).__dict__ if ARRAYS in sys.modules else {}
        free = [any(f"<{name}>" in kind for name in variables) for kind in wanted]
        return ", ".join(
            one if any_cell else f"as<{kind}>({one})" for one, kind, any_cell in zip(values, wanted, free, strict=True)
        )

    def builtin(self, node: ast.Call, name: str) -> str:
        given = list(map(self.value, node.args))
        many = {"min": "smallest", "max": "largest"}
        if name in many and len(given) > 1:
            return f"{many[name]}({', '.join(given)})"
        if len(given) == 1:
            if name == "bool":
                return self.condition(node.args[0])
            if name == "len":
                return f"{given[0]}.shape(0)"
            known = {"int": "cast<i64>", "float": "real", "abs": "absolute"}
            if name in known:
                return f"{known[name]}({given[0]})"
        raise self.module.refuse(node, "not known to the kernel compiler")

    def numpy_call(self, node: ast.Call, name: str, function: ast.Attribute) -> str:
        keywords = {one.arg: one.value for one in node.keywords}
        short = name.removeprefix("np.")
        if name.startswith("np.") and short in ("empty", "zeros", "ones", "full"):
            shapes = 2 if short == "full" else 1
            kind = ast.unparse(keywords.pop("dtype") if "dtype" in keywords else node.args[shapes])
            if not keywords and kind.removeprefix("np.") in CELLS:
                return f"{short}<{CELLS[kind.removeprefix('np.')]}>({', '.join(map(self.value, node.args[:shapes]))})"
        elif name == "np.argsort" and [ast.unparse(one) for one in keywords.values()] in (
            [],
            ["'stable'"],
            ["'mergesort'"],
        ):
            return f"argsort({self.value(node.args[0])})"
        elif keywords:
            pass
        elif not name.startswith("np.") and not node.args and function.attr in METHODS:
            return f"{METHODS[function.attr]}({self.value(function.value)})"
        elif name.startswith("np."):
            given = list(map(self.value, node.args))
            if len(given) == 2 and short == "searchsorted":
                return f"searchsorted({', '.join(given)})"
            if len(given) == 1:
                known = {"sort": "sorted", "uint64": "word", "float64": "real"}
                known |= {
                    one: f"cast<{kind}>"
                    for one, kind in CELLS.items()
                    if one.lstrip("u").startswith("int") and one != "uint64"
                }
                if short in MATHS:
                    return f"std::{short}(as<double>({given[0]}))"
                if short in known:
                    return f"{known[short]}({given[0]})"
        raise self.module.refuse(node, "not known to the kernel compiler")

    # Statements

    def temporary(self) -> str:
        self.temporaries += 1
        return f"t{self.temporaries}"

    def declare(self, name: str, value: str) -> None:
        if name not in self.declared and name != "_":
            self.declared.add(name)
            self.declarations.append(f"std::remove_cvref_t<decltype({value})> {name}_{{}};")

    def store(self, target: ast.expr, value: str) -> str:
        match target:
            case ast.Name("_"):
                return f"(void)({value});"
            case ast.Name(name):
                self.declare(name, value)
                return f"{name}_ = as<decltype({name}_)>({value});"
            case ast.Subscript(_, ast.Slice()):
                return f"fill({self.part(target)}, {value});"
            case ast.Subscript(array, key):
                base = self.value(array)
                found = self.indexes(base, key)
                return f"set{len(found) if len(found) > 1 else ''}({base}, {value}, {', '.join(found)});"
            case ast.Tuple(elements):
                made = []
                for number, one in enumerate(elements):
                    if not (isinstance(one, ast.Name) and one.id == "_"):
                        made.append(self.store(one, f"pick<{number}>({value})"))
                return " ".join(made)
        raise self.module.refuse(target, "not known to the kernel compiler")

    def assign(self, targets: list[ast.expr], node: ast.expr) -> str:
        """Everything on the right is computed before anything on the left is changed, as in Python."""
        if isinstance(node, ast.Tuple) and len(targets) == 1 and isinstance(targets[0], ast.Tuple):
            places = targets[0].elts
            if len(places) != len(node.elts):
                raise self.module.refuse(targets[0], "another number of values")
            values = list(map(self.value, node.elts))
        else:
            places, values = targets, [self.value(node)]
            if len(targets) == 1 and not isinstance(targets[0], ast.Tuple):
                return self.store(targets[0], values[0])
        names = [self.temporary() for _ in values]
        lines = [f"auto {name} = {value};" for name, value in zip(names, values, strict=True)]
        for number, place in enumerate(places):
            which = number if len(values) > 1 else 0
            self.declare_all(place, values[which])
            lines.append(self.store(place, names[which]))
        return f"{{ {' '.join(lines)} }}"

    def declare_all(self, target: ast.expr, value: str) -> None:
        if isinstance(target, ast.Name):
            self.declare(target.id, value)
        elif isinstance(target, ast.Tuple):
            for number, one in enumerate(target.elts):
                self.declare_all(one, f"pick<{number}>({value})")

    def augmented(self, node: ast.AugAssign) -> str:
        if type(node.op) not in BINARY:
            raise self.module.refuse(node, "not known to the kernel compiler")
        operation = BINARY[type(node.op)]
        value = self.value(node.value)
        if isinstance(node.target, ast.Name):
            return self.store(node.target, f"{operation}({self.value(node.target)}, {value})")
        if not isinstance(node.target, ast.Subscript) or isinstance(node.target.slice, ast.Slice):
            raise self.module.refuse(node, "not known to the kernel compiler")
        base = self.temporary()
        lines = [f"auto {base} = {self.value(node.target.value)};"]
        names = []
        for one in self.indexes(base, node.target.slice):
            names.append(self.temporary())
            lines.append(f"i64 {names[-1]} = {one};")
        count, key = len(names) if len(names) > 1 else "", ", ".join(names)
        lines.append(f"set{count}({base}, {operation}(get{count}({base}, {key}), {value}), {key});")
        return f"{{ {' '.join(lines)} }}"

    def block(self, body: list[ast.stmt]) -> list[str]:
        lines: list[str] = []
        for one in body:
            lines.append(f'#line {one.lineno} "{self.module.path.relative_to(self.program.root)}"')
            lines += self.statement(one)
        return lines

    def statement(self, node: ast.stmt) -> list[str]:
        match node:
            case ast.Expr(ast.Constant(str())) | ast.Pass():
                return []
            case ast.Expr(ast.Call() as call):
                return [f"{self.value(call)};"]
            case ast.Break():
                return ["break;"]
            case ast.Continue():
                return ["continue;"]
            case ast.Return(None):
                return ["return;"]
            case ast.Return(value):
                return [f"return as<Result>({self.value(value)});"]
            case ast.AnnAssign(ast.Name(name) as target, annotation, value) if value is not None:
                self.declare(name, f"std::declval<{self.program.type_of(self.module, annotation)}>()")
                return [self.assign([target], value)]
            case ast.Assign(targets, value):
                return [self.assign(targets, value)]
            case ast.AugAssign():
                return [self.augmented(node)]
            case ast.If(test, body, other):
                lines = [f"if ({self.condition(test)}) {{", *self.block(body), "}"]
                return [*lines, "else {", *self.block(other), "}"] if other else lines
            case ast.While(test, body, []):
                return [f"while ({self.condition(test)}) {{", *self.block(body), "}"]
            case ast.For(target, source, body, []):
                return self.loop(target, source, body)
        raise self.module.refuse(node, "not known to the kernel compiler")

    def loop(self, target: ast.expr, source: ast.expr, body: list[ast.stmt]) -> list[str]:
        at, end, step = self.temporary(), self.temporary(), self.temporary()
        match source:
            case ast.Call(ast.Name("range"), bounds, []) if len(bounds) in (1, 2, 3):
                given = [f"as<i64>({self.value(one)})" for one in bounds]
                first, last = ("0", given[0]) if len(given) == 1 else given[:2]
                by = given[2] if len(given) == 3 else "1"
                head = f"for (i64 {at} = {first}, {end} = {last}, {step} = {by}; "
                head += f"{step} > 0 ? {at} < {end} : {at} > {end}; {at} += {step}) {{"
                value, before = at, []
            case ast.Tuple(elements):
                values = list(map(self.value, elements))
                head, before, value = f"for (auto {at} : {{{', '.join(values)}}}) {{", [], at
                self.declare_all(target, values[0])
            case ast.Name() | ast.Subscript() | ast.Attribute():
                before = [f"{{ auto {end} = {self.value(source)};"]
                head, value = f"for (i64 {at} = 0; {at} < {end}.shape(0); {at}++) {{", f"get({end}, {at})"
                self.declare_all(target, f"get({self.value(source)}, 0)")
            case _:
                raise self.module.refuse(source, "not known to the kernel compiler")
        if isinstance(source, ast.Call):
            self.declare_all(target, "(i64)0")
        inner = [] if isinstance(target, ast.Name) and target.id == "_" else [self.store(target, value)]
        return [*before, head, *inner, *self.block(body), "}", *("}" for _ in before)]

    # The function

    def head(self) -> str:
        parameters = [(self.program.type_of(self.module, one.annotation), one.arg) for one in self.node.args.args]
        names = dict.fromkeys(name for kind, _ in parameters for name in self.variables(kind))
        template = f"template <{', '.join(f'class {name}' for name in names)}> " if names else ""
        returns = self.node.returns
        result = (
            "void"
            if returns is not None and ast.unparse(returns) == "None"
            else self.program.type_of(self.module, returns)
        )
        storage = "INLINED" if self.decorator == "inlined" else "static"
        self.result = result
        return f"{template}{storage} {result} {self.node.name}_({', '.join(f'{kind} {name}_' for kind, name in parameters)})"

    def variables(self, kind: str) -> list[str]:
        cell = kind.partition("<")[2].removesuffix(">")
        return [cell] if self.program.variable(self.module, cell) else []

    def text(self) -> str:
        head, body = self.head(), self.block(self.node.body)
        return "\n".join([f"{head} {{", f"typedef {self.result} Result;", *self.declarations, *body, "}"])


def size_in_arrays(program: Program, module: Module, node: ast.expr | None) -> int:
    """How many arrays an argument has."""
    if isinstance(node, ast.Name) and (found := program.record(module, node.id)):
        return sum(size_in_arrays(program, found[0], kind) for _, kind in found[0].records[found[1]])
    return program.type_of(module, node).count("<")


def entry_text(program: Program, module: Module, node: ast.FunctionDef) -> tuple[str, str]:
    """The function that Python calls, and its row in the table of methods."""
    name = f"{space_of(module.name)}__{node.name}"
    arguments = node.args.args
    types_of = [program.type_of(module, one.annotation) for one in arguments]
    arrays = max(1, sum(size_in_arrays(program, module, one.annotation) for one in arguments))
    used = dict.fromkeys(
        cell for kind in types_of if program.variable(module, cell := kind.partition("<")[2].removesuffix(">"))
    )
    result = Translation(program, module, node, "compiled")
    result.head()
    call = f"{space_of(module.name)}::{node.name}_({', '.join(f'a{i}' for i in range(len(arguments)))})"
    run = "void *state = PyEval_SaveThread(); memory = &own; {} PyEval_RestoreThread(state);"
    inner = (
        run.format(f"{call};") + " Py_IncRef((PyObject *)_Py_NoneStruct); return (PyObject *)_Py_NoneStruct;"
        if result.result == "void"
        else f"{result.result} r; " + run.format(f"r = {call};") + " return give(r);"
    )
    takes = [f"h.argument = {i + 1}; auto a{i} = From<{kind}>::take(given[{i}], h);" for i, kind in enumerate(types_of)]
    body = f"{' '.join(takes)} if (h.bad) return nullptr; {inner}"
    for variable in used:
        at = next(i for i, kind in enumerate(types_of) if kind.endswith(f"<{variable}>"))
        tries = " ".join(
            f"if (has_cells<{cell}>(&look)) {{ PyBuffer_Release(&look); return run(std::type_identity<{cell}>()); }}"
            for cell in program.variable(module, variable) or ()
        )
        body = (
            f"auto run = [&](auto kind) -> PyObject * {{ typedef typename decltype(kind)::type {variable}; {body} }}; "
            f"h.argument = {at + 1}; Py_buffer look; "
            f"if (PyObject_GetBuffer(given[{at}], &look, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)) "
            f'return h.refuse("a contiguous array"), nullptr; {tries} PyBuffer_Release(&look); '
            f'return h.refuse("an array of another type"), nullptr;'
        )
    names = ", ".join(f'"{one.arg}"' for one in arguments) or "nullptr"
    size = max(1, len(arguments))
    text = (
        f"static PyObject *{name}(PyObject *, PyObject *const *args, Py_ssize_t n, PyObject *named) {{ "
        f"static const char *const names[] = {{{names}}}; PyObject *given[{size}]; "
        f'if (!arrange(args, n, named, names, {len(arguments)}, given, "{node.name}")) return nullptr; '
        f'Arguments<{arrays}> h{{"{node.name}"}}; Memory own; {body} }}'
    )
    return text, f'{{"{name}", (PyCFunction)(void (*)(void)){name}, METH_FASTCALL | METH_KEYWORDS, nullptr}},'


def array_text(name: str, value: np.ndarray[Any, Any]) -> str:
    cell = CELLS[value.dtype.name]
    cells = ", ".join(str(one).lower() if cell == "bool" else str(one) for one in value.ravel().tolist())
    data = f"static {cell} {name}_data[] = {{{cells}}};\n"
    if value.ndim == 1:
        return f"{data}static constexpr Vector<{cell}> {name} = {{{name}_data, {value.size}}};"
    if value.ndim == 2:
        return f"{data}static constexpr Table<{cell}> {name} = {{{name}_data, {value.shape[0]}, {value.shape[1]}, {value.size}}};"
    raise RefusedError(f"{name}: a constant of {value.ndim} dimensions")


def translated(program: Program, digest: str) -> str:
    """The C++ file."""
    out = ['#include "arrays.hpp"']
    for module in program.modules.values():
        lines = [f"namespace {space_of(module.name)} {{ using ::pick;"]
        for name, value in module.values.items():
            if isinstance(value, np.ndarray) and name not in module.imports:
                lines.append(array_text(name, value))
        for name, fields in module.records.items():
            try:
                kinds = [(program.type_of(module, kind), field) for field, kind in fields]
            except RefusedError:
                if any(name in ast.unparse(one[0].args) for one in module.functions.values()):
                    raise
                continue  # A record for Python only.
            lines.append(f"struct {name} {{ {' '.join(f'{kind} {field_named(field)};' for kind, field in kinds)} }};")
            picks = " else ".join(
                f"if constexpr (I == {i}) return r.{field_named(field)};" for i, (_, field) in enumerate(kinds)
            )
            lines.append(f"template <int I> INLINED auto pick({name} r) {{ {picks} }}")
        kernels = [Translation(program, module, *one) for one in module.functions.values() if one[1] != "instruction"]
        lines += [one.head() + ";" for one in kernels] + [one.text() for one in kernels]
        out += [*lines, "}"]
    for module in program.modules.values():
        for name, fields in module.records.items():
            whole = f"{space_of(module.name)}::{name}"
            if f"struct {name} {{" not in "\n".join(out):
                continue
            parts = (
                f"From<{program.type_of(module, kind)}>::take(h.field(o, {i}, {len(fields)}), h)"
                for i, (_, kind) in enumerate(fields)
            )
            out.append(
                f"template <> struct From<{whole}> {{ template <class H> static {whole} take(PyObject *o, H &h) {{ "
                f"return {{{', '.join(parts)}}}; }} }};"
            )
    entries = [entry_text(program, *one) for one in program.entries()]
    out += [text for text, _ in entries]
    out.append(f'static PyObject *digest(PyObject *, PyObject *) {{ return PyUnicode_FromString("{digest}"); }}')
    rows = "\n".join(row for _, row in entries)
    out.append(f'static PyMethodDef methods[] = {{{{"digest", digest, METH_NOARGS, nullptr}},\n{rows}\n{{}}}};')
    out.append(
        "static PyModuleDef_Slot slots[] = {{0, nullptr}};\n"
        "static PyModuleDef definition = {{1, nullptr, nullptr, 0, nullptr}, NAME, nullptr, 0, methods, slots, nullptr, nullptr, nullptr};\n"
        'extern "C" EXPORTED PyObject *INIT() { return PyModuleDef_Init(&definition); }'
    )
    return "\n".join(out) + "\n"


def import_without_package(root: Path) -> None:
    """Make the files of kernels and their constants importable where numpy is the only package."""
    sys.path.insert(0, str(root))
    for file in [root / PACKAGE / "__init__.py", *(root / PACKAGE).glob("**/__init__.py")]:
        name = ".".join(file.relative_to(root).parent.parts)
        parent = types.ModuleType(name)
        parent.__path__ = [str(file.parent)]
        sys.modules.setdefault(name, parent)
    compiling = types.ModuleType(COMPILING)
    vars(compiling).update(dict.fromkeys((*DECORATORS, "signed", "popcount", "prefetch"), lambda function: function))
    sys.modules[COMPILING] = compiling


def kernels_of(root: Path) -> list[Path]:
    """Files with kernels, ascending."""
    return sorted([*(root / PACKAGE).glob("**/kernels/*.py"), *(root / PACKAGE).glob("**/kernels.py")])


def sources_of(root: Path) -> list[Path]:
    """Files on which the machine code depends."""
    return sorted([*kernels_of(root), *(root / "native").glob("*.py"), *(root / "native").glob("*.h*")])


def found_compiler() -> list[str] | None:
    """The C++ compiler of this machine; None means that ziglang is needed."""
    if "CXX" in os.environ:
        return shlex.split(os.environ["CXX"])
    if sys.platform == "win32":
        return None
    found = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    return [found] if found else None


def levels_of_machine() -> list[str]:
    """All levels for this kind of processor, the best that this one has last."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return ["portable"]
    info = Path("/proc/cpuinfo")
    flags = set(info.read_text().split()) if info.exists() else set()
    levels = ["v2"]
    if {"avx2", "bmi2", "fma"} <= flags:
        levels.append("v3")
        if {"avx512bw", "avx512vl", "avx512dq", "avx512_vpopcntdq"} <= flags:
            levels.append("v4")
    return levels


def levels_of_wheel(tag: str) -> list[str]:
    """All levels of a wheel."""
    return ["v2", "v3", "v4"] if tag.endswith(("x86_64", "amd64")) else ["portable"]


def compile_level(source: Path, level: str, target: Path, *, checked: bool, machine: str | None) -> None:
    """Compile the C++ file for one level of processors, with Zig if for another machine, or raise ``RefusedError``."""
    here, made = Path(__file__).parent, target.with_suffix(".o")
    system, march = None if machine else found_compiler(), MARCH[level]
    zig, other = [sys.executable, "-m", "ziglang"], ["-target", machine] if machine else []
    compiler, linker = ([*system], [*system]) if system else ([*zig, "c++", *other], [*zig, "cc", *other])
    processor = [f"-m{one}" for one in (f"arch={march[0]}", *march[1:])] if march else []
    processor = processor if system else [f"-mcpu={'+'.join(march).replace('-', '_')}"] * bool(march)
    more = (
        ["-DCHECKED", "-g", "-fsanitize=undefined", "-fno-sanitize=alignment", "-fno-sanitize-recover"]
        if checked
        else []
    )
    more += [] if system or checked else ["-fno-sanitize=all"]
    names = [f"-DINIT=PyInit__kernels_{level}", f'-DNAME="_kernels_{level}"']
    link = ["-shared", *([] if checked else ["-s"]), *(["-fsanitize=undefined"] if checked else [])]
    commands = []
    if "windows" in (machine or ""):
        definitions = source.with_name(f"{level}.def")
        definitions.write_text(imported_names((here / "abi3.h").read_text(encoding="utf-8")), encoding="utf-8")
        library = str(definitions.with_suffix(".lib"))
        commands.append(
            [*zig, "dlltool", "-m", "i386:x86-64", "-D", "python3.dll", "-d", str(definitions), "-l", library]
        )
        link.append(library)
    else:
        more.append("-fPIC")
        if "macos" in (machine or sys.platform.replace("darwin", "macos")):
            link = ["-shared", "-undefined", "dynamic_lookup"]
    commands += [
        [*compiler, *FLAGS, *processor, *more, *names, f"-I{here}", "-c", "-o", str(made), str(source)],
        [*linker, *processor, "-o", str(made) + ".so", str(made), *link, "-lm"],
    ]
    for command in commands:
        done = subprocess.run(command, cwd=source.parent, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise RefusedError(f"the kernels do not compile:\n{done.stderr[:4000]}")
    made.unlink()
    linked = Path(str(made) + ".so")
    content = linked.read_bytes()
    if not checked and content.startswith(b"\x7fELF") and (missing := re.search(rb"\0(_Z\w+)\0", content)):
        # Stripped, it has the names of what it lacks, and Python would find out.
        raise RefusedError(f"the kernels need a function of the C++ library: {missing[1].decode()}")
    linked.replace(target)


def imported_names(header: str) -> str:
    """What Windows loads from Python, whose headers and libraries the build does without."""
    header = re.sub(r"//.*", "", header)
    functions = re.findall(r"\b(Py\w+)\(", header)
    return "\n".join(
        ["EXPORTS", *functions, *(f"{one} DATA" for one in re.findall(r"IMPORTED extern .*?(\w+)[;\[]", header))]
    )


def build(
    root: Path,
    levels: list[str],
    *,
    checked: bool = False,
    source: Path | None = None,
    wheel: str | None = None,
    folder: Path | None = None,
) -> list[Path]:
    """Write the extensions into a folder, or beside their loader, ``machine.compiling``, and return them.

    Raises:
        RefusedError: a kernel cannot be translated or compiled.
    """
    import_without_package(root)
    # ``machine.compiling`` computes it in the same way.
    digest = hashlib.sha256(b"".join(one.read_bytes() for one in sources_of(root))).hexdigest()[:16]
    text = translated(Program(root), digest)
    machine = WHEELS[wheel] if wheel else None
    # Windows has no ending for the stable ABI.
    ending = "pyd" if "windows" in (machine or "") else "abi3.so"
    beside, folder = folder is None, folder or root / PACKAGE / "machine"
    made = [folder / f"_kernels_{level}.{ending}" for level in levels]
    with tempfile.TemporaryDirectory() as scratch:
        file = source or Path(scratch) / "kernels.cpp"
        file.write_text(text, encoding="utf-8")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [
                pool.submit(compile_level, file, *one, checked=checked, machine=machine)
                for one in zip(levels, made, strict=True)
            ]
            for job in jobs:
                job.result()
    if beside:
        for old in (*folder.glob("_kernels_*.so"), *folder.glob("_kernels_*.pyd")):
            if old not in made:
                old.unlink()
    return made


def main() -> None:
    """Build from the command line: one level, the best of this machine, unless told otherwise."""
    parser = argparse.ArgumentParser(description="Build the kernels of infostream-dedup.")
    parser.add_argument("--levels", help="v2, v3, v4, portable; several with commas")
    parser.add_argument(
        "--checked", action="store_true", help="with bounds checks and the sanitizer of undefined behaviour"
    )
    parser.add_argument("--source", type=Path, help="keep the C++ file here")
    parser.add_argument("--wheel", choices=WHEELS, help="for a machine of this kind, with Zig")
    parser.add_argument("--folder", type=Path, help="write the extensions here")
    root, given = Path(__file__).resolve().parents[1], parser.parse_args()
    usual = levels_of_wheel(given.wheel) if given.wheel else levels_of_machine()[-1:]
    levels = given.levels.split(",") if given.levels else usual
    try:
        build(root, levels, checked=given.checked, source=given.source, wheel=given.wheel, folder=given.folder)
    except RefusedError as refusal:
        sys.exit(str(refusal))


if __name__ == "__main__":
    main()
