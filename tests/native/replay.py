"""Run commands on the sample; repeat first calls of every kernel with numba and compare all arrays and results."""

import os
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numba_kernels import oracle

from infostream_dedup.machine import compiling

_CALLS = 3  # number of calls of each kernel, for each combination of types, that are repeated

compared: Counter[str] = Counter()
different: list[str] = []
_seen: Counter[Any] = Counter()
_entry_of = compiling.entry_of


def copied(value: Any, memories: dict[int, np.ndarray[Any, Any]] | None = None) -> Any:
    """Copies of all arrays; those that share memory share it again, as kernels write where others read."""
    memories = {} if memories is None else memories
    if isinstance(value, np.ndarray):
        owner = value
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if not owner.flags.c_contiguous:
            return value.copy()
        if id(owner) not in memories:
            memories[id(owner)] = owner.copy()
        offset = value.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        memory = memories[id(owner)].reshape(-1).view(np.uint8)
        return np.ndarray(value.shape, value.dtype, memory, offset, value.strides)
    if isinstance(value, tuple):
        parts = [copied(one, memories) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or bool(one != one and other != other)


def kinds(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(kinds, value))
    return str(value.dtype) if isinstance(value, np.ndarray) else type(value).__name__


def recorded(function: Any) -> Any:
    entry = _entry_of(function)
    # The addresses of libstemmer's functions are nothing for numba.
    if entry is None or function.__name__ == "stem_words":
        return entry
    name = f"{function.__module__}.{function.__name__}"

    def run(*given: Any, **named: Any) -> Any:
        given += tuple(named[one] for one in function.__code__.co_varnames[len(given) : function.__code__.co_argcount])
        key = name, kinds(given)
        _seen[key] += 1
        if _seen[key] > _CALLS:
            return entry(*given)
        before = copied(given)
        result = entry(*given)
        expected = oracle(function.__module__, function.__name__)(*before)
        compared[name] += 1
        if not (same(result, expected) and same(given, before)):
            different.append(name)
        return result

    return run


def main() -> None:
    # One thread: another one must not change arrays while they are copied.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    compiling.entry_of = recorded
    from infostream_dedup.api.dedup import dedup
    from infostream_dedup.api.ingest import ingest
    from infostream_dedup.api.passages import compare, find
    from infostream_dedup.api.sweep import sweep
    from infostream_dedup.sample import documents_path

    source = str(documents_path())
    with TemporaryDirectory() as folder:
        sweep(source)
        sweep(source, representations=("stem",))
        dedup(source, Path(folder) / "kept.jsonl", preset="judged")
        dedup(source, Path(folder) / "kept.jsonl", preset="judged", workdir=Path(folder) / "work")
        list(ingest(source, Path(folder) / "store.db"))
        text = "Мэр открыл новый мост через реку утром. Движение начнётся в понедельник, сообщили в мэрии."
        compare(text, text)
        find(source)
    print(len(compared), "kernels", compared.total(), "calls")
    if different:
        sys.exit(f"numba computes something else than {', '.join(sorted(set(different)))}")


if __name__ == "__main__":
    main()
