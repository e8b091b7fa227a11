"""Tables of sound files are read in this process: to start another takes longer than most of these tests."""

import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from infostream_dedup.documents import table_files
from infostream_dedup.machine import table_process


def _read(command: list[str], **how: Any) -> Any:
    read = {"xlsx": table_process._workbook, "parquet": table_process._parquet}.get(command[-2])
    if read is None:
        return subprocess.Popen(command, **how)
    return nullcontext(SimpleNamespace(stdout=[line + b"\n" for line in read(command[-1])]))


@pytest.fixture(scope="module")
def tables_read_here() -> Iterator[None]:
    """Workbooks and Parquet files are read without another process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_files, "subprocess", SimpleNamespace(**{**vars(subprocess), "Popen": _read}))
        patch.setattr(table_process, "_limit", lambda _: None)
        yield
