"""Run morphological analyses on all cores: they are pure Python, so this needs processes.

The processes are new Python processes that communicate over pipes. A fork would copy this program's memory, which may
run threads; ``multiprocessing`` would import its main module again.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import Language

__all__ = ["analysed_over_cores"]

Answer = tuple[str, bool] | None
"""The term, and whether the strict rule also accepts it; ``None`` for a form that is not a term."""

_WORTH_A_PROCESS: Final = 30_000
"""Minimum number of forms per process: fewer are analysed before another process could load its dictionaries."""

_log = logging.getLogger(__name__)


def analysed_over_cores(
    language: Language, keys: Sequence[str], analyse: Callable[[str], Answer], *, workers: int = 0
) -> dict[str, Answer]:
    """Return the answers for forms; this process takes its own share and the share of a process that fails.

    Args:
        language: language of the forms.
        keys: the digit of a shape, then the form; distinct.
        analyse: answers one key in this process.
        workers: number of processes; 0 for one per core that this process may use.

    Returns:
        Key to answer, in the order of ``keys``, whatever the number of processes.
    """
    processes = max(1, min(thread_count(workers), len(keys) // _WORTH_A_PROCESS))
    # Every n-th key, because neighbours come from one text and resemble each other, so long unknown ones cluster.
    shares = [keys[number::processes] for number in range(processes)]
    found: dict[str, Answer] = {}
    with ThreadPoolExecutor(processes) as pool:
        others = [pool.submit(_asked, language, share) for share in shares[1:]]
        found.update((key, analyse(key)) for key in shares[0])
        for share, other in zip(shares[1:], others, strict=True):
            answers = other.result()
            found.update(zip(share, answers, strict=True) if answers else ((key, analyse(key)) for key in share))
    return {key: found[key] for key in keys}


def _asked(language: Language, keys: Sequence[str]) -> list[Answer] | None:
    """Return the answers of another process, ``None`` if it fails."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(  # noqa: S603 - this Python and our own module
            [sys.executable, "-m", "infostream_dedup.morphology.form_worker", language],
            input=json.dumps(list(keys)).encode(),
            stdout=subprocess.PIPE,
            check=True,
            env=environment,
        )
        answers = [None if one is None else (str(one[0]), bool(one[1])) for one in json.loads(done.stdout)]
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        _log.warning("a process that analyses forms failed (%s); continuing without it", error)
        return None
    return answers if len(answers) == len(keys) else None
