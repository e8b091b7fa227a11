"""How loops run: as machine code, or as plain Python where the work is too small to wait for a compiler.

Numba is imported by the first loop that is compiled or loaded from disk.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, Final, TypeVar, cast

import numpy as np

from infostream_dedup.machine.code_folders import may_be_on_disk
from infostream_dedup.machine.interpreting import computes_with_arrays, from_cells, plain_functions, to_cells, to_signed
from infostream_dedup.machine.plain_work import NotOnDiskError, is_plain, is_worth_loading, timed

__all__ = ["Instruction", "Kernel", "compiled", "compiled_bare", "inlined", "popcount", "prefetch", "signed"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_OPTIONS: Final[dict[str, Any]] = {"nogil": True, "boundscheck": False}
_BARE: Final[dict[str, Any]] = {**_OPTIONS, "_nrt": False}


def compiled(function: _Function) -> _Function:
    """Compile a function of plain numbers and numpy arrays; the machine code is cached on disk for the next process.

    The compiled function releases the interpreter lock and does not check array bounds.
    """
    return cast(_Function, Kernel(function, _OPTIONS))


def compiled_bare(function: _Function) -> _Function:
    """Like ``compiled``, for functions that allocate nothing and only use the arrays passed to them.

    Arrays passed from function to function are not reference-counted: in functions that are called for every word,
    counting takes ten times as long as the work.
    """
    return cast(_Function, Kernel(function, _BARE))


def inlined(function: _Function) -> _Function:
    """Like ``compiled_bare``, for small functions that are called for every word: they are inlined into callers."""
    return cast(_Function, Kernel(function, {**_BARE, "forceinline": True}))


class Kernel:
    """A function that runs compiled, or as plain Python while the work is small and no machine code is on disk.

    Args:
        function: the function.
        options: of ``numba.njit``.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = cast(FunctionType, function)
        self._options = options
        self._run: Callable[..., Any] = self._choose
        self._on_disk: bool | None = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the function."""
        return self._run(*arguments, **named)

    @functools.cached_property
    def plain(self) -> Callable[..., Any]:
        """The function as plain Python, for arguments converted by ``to_cells``."""
        return cast("Callable[..., Any]", _plain_space(self._function.__module__)[self._function.__name__])

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The function compiled by numba; its machine code is kept on disk.

        Raises:
            ConfigurationError: numba is set not to compile.
        """
        return _compiled_space(self._function.__module__)[self._function.__name__]

    def _choose(self, *arguments: Any, **named: Any) -> Any:
        if not is_plain():
            self._run = self.dispatcher
            return self.dispatcher(*arguments, **named)
        if self._on_disk is None:
            self._on_disk = not is_plain(always=True) and may_be_on_disk(self._function)
        if self._on_disk and is_worth_loading():
            # Once machine code has been loaded, nothing else need be asked.
            self._run = self._run_loaded
            return self._run_loaded(*arguments, **named)
        return timed(functools.partial(self._run_plain, arguments, named))

    def _run_loaded(self, *arguments: Any, **named: Any) -> Any:
        """Run the machine code on disk; there may be none for the types of these arguments."""
        try:
            return self.dispatcher(*arguments, **named)
        except NotOnDiskError:
            self._on_disk, self._run = False, self._choose
            return self._choose(*arguments, **named)

    def _run_plain(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        with np.errstate(over="ignore"):
            if computes_with_arrays(sys.modules[self._function.__module__]):
                return self.plain(*arguments, **named)
            given = {name: to_cells(value) for name, value in named.items()}
            return from_cells(self.plain(*map(to_cells, arguments), **given))


class Instruction:
    """An instruction of the machine for kernels, with what it does in plain Python.

    Args:
        place: ``module:name`` of the function, which numba calls an intrinsic.
        plain: the same operation on Python numbers and the memory of arrays.
    """

    def __init__(self, place: str, plain: Callable[..., Any]) -> None:
        self._place = place
        self.plain = plain

    @functools.cached_property
    def intrinsic(self) -> Any:
        """For compiled code."""
        module, _, name = self._place.partition(":")
        return getattr(import_module(module), name)

    def __call__(self, *arguments: Any) -> Any:
        """Do the same in plain Python."""
        return self.plain(*map(to_cells, arguments))


@functools.cache
def _plain_space(name: str) -> dict[str, Any]:
    """Globals of the plain functions of a module, these included."""
    module = sys.modules[name]
    return plain_functions(module, {key: _plain_value(value, module) for key, value in vars(module).items()})


def _plain_value(value: Any, module: ModuleType) -> Any:
    if isinstance(value, Instruction):
        return value.plain
    if isinstance(value, Kernel):
        # Functions of the module itself are added by ``plain_functions``.
        return None if value.__module__ == module.__name__ else value.plain
    return value


@functools.cache
def _compiled_space(name: str) -> dict[str, Any]:
    """Globals of the compiled functions of a module, these included."""
    space = dict(vars(sys.modules[name]))
    own = {key: value for key, value in space.items() if isinstance(value, Kernel) and value.__module__ == name}
    for key, value in space.items():
        if isinstance(value, Instruction):
            space[key] = value.intrinsic
        elif isinstance(value, Kernel) and key not in own:
            space[key] = value.dispatcher
    space |= {key: _compile(kernel, space) for key, kernel in own.items()}
    return space


def _compile(kernel: Kernel, space: dict[str, Any]) -> Any:
    import numba

    from infostream_dedup.machine.array_indexes import compile_without_negative_indexes
    from infostream_dedup.machine.compiled_cache import keep_compiled

    compile_without_negative_indexes()
    given = kernel._function
    function = FunctionType(given.__code__, space, given.__name__, given.__defaults__, given.__closure__)
    functools.update_wrapper(function, given)
    del function.__wrapped__  # type: ignore[attr-defined]
    dispatcher = numba.njit(**kernel._options)(function)
    keep_compiled(dispatcher)
    return dispatcher


def _nothing(array: Any, index: Any) -> None:
    """Fetch nothing."""


_HERE: Final = "infostream_dedup.machine.machine_instructions"

popcount = cast("Callable[[Any], int]", Instruction(f"{_HERE}:popcount", lambda word: int(word).bit_count()))
"""Number of bits set in a 64-bit word, as int64; only inside compiled functions."""

prefetch = cast("Callable[[Any, Any], None]", Instruction(f"{_HERE}:prefetch", _nothing))
"""Start loading ``array[index]`` into the cache; only inside compiled functions. It never faults."""


class _Signed(Instruction):
    @functools.cached_property
    def intrinsic(self) -> Any:
        return np.int64


signed = cast("Callable[[Any], int]", _Signed("", to_signed))
"""A byte or unsigned word as a signed number, like all other numbers in compiled functions."""
