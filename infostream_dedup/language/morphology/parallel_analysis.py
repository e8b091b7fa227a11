"""Run morphological analyses on all cores: they are pure Python, so this needs processes.

The processes are new Python processes that communicate over pipes. A fork would copy this program's memory, which may
run threads; ``multiprocessing`` would import its main module again.
"""

from __future__ import annotations

import json
import logging
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from infostream_dedup.language.morphology.cache_file import FormRow
from infostream_dedup.machine.children import python_command, python_environment
from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import Language

_WORTH_A_PROCESS: Final = 30_000
"""Minimum number of forms per process: fewer are analysed before another process could load its dictionaries."""

_log = logging.getLogger(__name__)


def analysed_over_cores(
    language: Language, keys: Sequence[str], analyse: Callable[[str], FormRow], *, workers: int = 0
) -> list[FormRow]:
    """Return the answers for forms; this process takes its own share and the share of a process that fails.

    Args:
        keys: the digit of a shape, then the form; distinct.
        workers: number of processes; 0 for one per core that this process may use.
    """
    processes = max(1, min(thread_count(workers), len(keys) // _WORTH_A_PROCESS))
    # Every n-th key, because neighbours come from one text and resemble each other, so long unknown ones cluster.
    shares = [keys[number::processes] for number in range(processes)]
    found: dict[str, FormRow] = {}
    with ThreadPoolExecutor(processes) as pool:
        others = [pool.submit(_asked, language, share) for share in shares[1:]]
        found.update((key, analyse(key)) for key in shares[0])
        for share, other in zip(shares[1:], others, strict=True):
            answers = other.result()
            found.update(zip(share, answers, strict=True) if answers else ((key, analyse(key)) for key in share))
    return [found[key] for key in keys]


def _asked(language: Language, keys: Sequence[str]) -> list[FormRow] | None:
    """Return the answers of another process, ``None`` if it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - this Python and our own module
            python_command("infostream_dedup.language.morphology.form_worker", language),
            input=json.dumps(list(keys)).encode(),
            stdout=subprocess.PIPE,
            check=True,
            env=python_environment(),
        )
        rows: list[FormRow] = [
            (None if term is None else str(term), int(taken)) for term, taken in json.loads(done.stdout)
        ]
    except (OSError, subprocess.SubprocessError, TypeError, ValueError) as error:
        _log.warning("a process that analyses forms failed (%s); continuing without it", error)
        return None
    return rows if len(rows) == len(keys) else None
