"""Runs commands in children of one process that has imported the package and loaded its compiled loops.

A child has its own folder, streams, umask, arguments and exit code, as a process that was started anew; it saves the
seconds that imports and the loading of machine code take. One request a line on standard input, in JSON:
``{"arguments", "folder", "umask", "streams": [input, output, errors]}``; the answer is the child's wait status.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
import tempfile
import traceback
from pathlib import Path

from infostream_dedup.cli import cli, main
from infostream_dedup.sample import documents_path


def warm_up() -> None:
    """Load what most commands need. Nothing may start a thread that a child would miss."""
    documents = str(documents_path())
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "s.db")
        for command in (
            ["pairs", documents, "--representation", "stem", "--quiet"],
            ["ingest", documents, "--store", store, "--quiet"],
        ):
            cli.main(command, prog_name="infostream-dedup", standalone_mode=False)
    sys.stdout.flush()


def take(arguments: list[str], folder: str, umask: int, streams: list[str]) -> None:
    """Turn this process, a child, into one that was started with these arguments, and end it."""
    for descriptor, path in enumerate(streams):
        opened = os.open(path, os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_TRUNC)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(folder)
    os.umask(umask)
    sys.argv = ["infostream-dedup", *arguments]
    code = 1
    try:
        main()
    except SystemExit as leaving:
        code = leaving.code
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    # Taking down an interpreter with this much loaded takes longer than most commands.
    os._exit(code)


def serve() -> None:
    """Answer requests until there are no more."""
    # Requests and answers get numbers of their own; 0 and 1 belong to the commands.
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    warm_up()
    gc.freeze()
    while line := read_line(requests):
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            for descriptor in (requests, answers, nothing):
                os.close(descriptor)
            take(**request)
        _, status = os.waitpid(child, 0)
        os.write(answers, f"{status}\n".encode())


def read_line(descriptor: int) -> bytes:
    """Read one line, without a buffer that children would share."""
    line = b""
    while not line.endswith(b"\n") and (more := os.read(descriptor, 1 << 16)):
        line += more
    return line


if __name__ == "__main__":
    serve()
