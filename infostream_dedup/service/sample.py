"""The bundled sample for new users: sent to a service, or served in the browser.

``python -P -m infostream_dedup.service.sample ADDRESS TOKEN_FILE`` sends it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import orjson

from infostream_dedup.service.server import run
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings

if TYPE_CHECKING:
    from collections.abc import Callable


def serve_sample(port: int, *, tell: Callable[[str], None]) -> None:
    """Serve the sample from a store that is deleted at the end."""
    lines = (resources.files("infostream_dedup.sample") / "stream.jsonl").read_bytes().splitlines()
    with tempfile.TemporaryDirectory(prefix="infostream-dedup-") as folder:
        store = Path(folder) / "sample.db"
        with Deduplicator.open(store, StreamSettings.of({"keep_text": True})) as stream:
            stream.process([orjson.loads(line) for line in lines], batch_id="sample")
        run(ServiceSettings(store=store, port=port), tell=tell)


_BATCH: Final = 20
_WAIT_SECONDS: Final = 2.0
_TRIES: Final = 150
_AGAIN: Final = (429, 503)


def send_sample(address: str, token: str) -> int:
    """Send the sample in batches; each is sent again until it is acknowledged, and is stored once."""
    lines = (resources.files("infostream_dedup.sample") / "stream.jsonl").read_bytes().splitlines()
    for begin in range(0, len(lines), _BATCH):
        documents = b",".join(lines[begin : begin + _BATCH])
        _send(address, token, b'{"batch_id":"sample-%d","documents":[%s]}' % (begin, documents))
    return len(lines)


def _send(address: str, token: str, body: bytes) -> None:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    asked = Request(f"{address}/v1/batches", body, headers)  # noqa: S310 - the operator's own address
    for _ in range(_TRIES):
        try:
            with urlopen(asked, timeout=60) as answer:  # noqa: S310
                orjson.loads(answer.read())
                return
        except HTTPError as error:
            if error.code not in _AGAIN:
                raise RuntimeError(f"{address}: {error.code} {error.read()[:200].decode()}") from error
        except (URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(_WAIT_SECONDS)
    raise RuntimeError(f"{address}: no answer")


if __name__ == "__main__":
    given = Path(sys.argv[2]).read_text("utf-8").strip() if len(sys.argv) > 2 else ""
    sys.stdout.write(f"{send_sample(sys.argv[1], given)} documents\n")
