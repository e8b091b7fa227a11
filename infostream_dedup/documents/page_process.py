"""A process that parses pages: no parser, however slow for some page, takes longer than the page's size allows.

What is limited is CPU time, so that a busy machine refuses no page that an idle one takes. The process answers each
line of JSON, which says how many bytes of a page follow, by one line.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from infostream_dedup.errors import BadDataError, MissingExtraError
from infostream_dedup.machine.platform import limit_own_seconds, python_command, python_environment

SECONDS: Final = 20
SECONDS_OF_MEGABYTE: Final = 20
"""CPU time that a page may take: so much, and so much for each megabyte. Usual pages take a twentieth of it."""


class PageProcess:
    """Starts the process at the first page, and again after a page that took too long."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def rows(
        self, content: bytes, label: str, address: str, charset: str | None, moment: datetime, kind: str | None = None
    ) -> Iterator[dict[str, Any] | None]:
        """Parse a page, a feed or an export; ``label`` names it in errors, ``kind`` is the type of a record."""
        seconds = SECONDS + SECONDS_OF_MEGABYTE * len(content) / 1e6
        asked = {"length": len(content), "seconds": seconds, "label": label, "address": address, "charset": charset}
        answer = self._answer({**asked, "moment": moment.isoformat(), "kind": kind}, content)
        if answer is None:
            status = self.close()
            reason = f"its parser ended ({status})"
            if -status == getattr(signal, "SIGXCPU", None):
                reason = f"parsing {len(content):,} bytes takes more than {seconds:.0f} seconds of CPU time"
            raise BadDataError(f"{reason}; leave this page out", code="E_SLOW", source=label)
        if "missing" in answer:
            raise MissingExtraError(*answer["missing"])
        if "message" in answer:
            raise BadDataError(answer["message"], code=answer["code"], source=label)
        yield from answer["rows"]

    def close(self) -> int:
        """End the process, and return its status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with suppress(BrokenPipeError):
            process.communicate()
        return process.returncode

    def _answer(self, asked: dict[str, Any], content: bytes) -> dict[str, Any] | None:
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                python_command(__name__), env=python_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101 - it is a pipe
        assert stdout is not None  # noqa: S101 - it is a pipe
        with suppress(BrokenPipeError):
            stdin.write(json.dumps(asked).encode() + b"\n")
            stdin.write(content)
            stdin.flush()
        line = stdout.readline()
        answer: dict[str, Any] | None = json.loads(line) if line.endswith(b"\n") else None
        return answer


def main() -> None:
    """Answer until the input ends; what libraries print goes to standard error."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while line := sys.stdin.buffer.readline():
            asked = json.loads(line)
            content = sys.stdin.buffer.read(asked["length"])
            limit_own_seconds(asked["seconds"])
            answers.write(json.dumps(_answered(content, asked)).encode() + b"\n")
            answers.flush()


def _answered(content: bytes, asked: dict[str, Any]) -> dict[str, Any]:
    from infostream_dedup.documents.collecting import rows_of_page

    moment = datetime.fromisoformat(asked["moment"])
    try:
        rows = rows_of_page(content, asked["label"], asked["address"], asked["charset"], moment, asked["kind"])
        return {"rows": list(rows)}
    except MissingExtraError as error:
        return {"missing": error.missing}
    except BadDataError as error:
        return {"message": error.message, "code": error.code}
    except Exception as error:  # whatever a page does to a library, the other pages are read
        return {"message": f"its parser fails with {type(error).__name__}; leave this page out", "code": "E_MARKUP"}


if __name__ == "__main__":
    main()
