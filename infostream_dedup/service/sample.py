"""The bundled sample for new users: sent to a service, or served in the browser.

``python -P -m infostream_dedup.service.sample ADDRESS TOKEN_FILE`` sends it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Final

import orjson

from infostream_dedup.client import Client
from infostream_dedup.errors import InfostreamError
from infostream_dedup.service.server import run
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings


def serve_sample(port: int, *, tell: Callable[[str], None]) -> None:
    """Serve the sample from a store that is deleted at the end."""
    lines = (resources.files("infostream_dedup.sample") / "stream.jsonl").read_bytes().splitlines()
    with tempfile.TemporaryDirectory(prefix="infostream-dedup-") as folder:
        store = Path(folder) / "sample.db"
        with Deduplicator.open(store, StreamSettings.of({"keep_text": True})) as stream:
            stream.process([orjson.loads(line) for line in lines], batch_id="sample")
        run(ServiceSettings(store=store, port=port), tell=tell)


_BATCH: Final = 20


def send_sample(address: str, token: str) -> int:
    """Send the sample in batches; each is sent again until it is acknowledged, and is stored once."""
    lines = (resources.files("infostream_dedup.sample") / "stream.jsonl").read_bytes().splitlines()
    with Client(address, token or None, patience=300.0) as client:
        for begin in range(0, len(lines), _BATCH):
            some = [orjson.loads(line) for line in lines[begin : begin + _BATCH]]
            client.send(some, batch_id=f"sample-{begin}")
    return len(lines)


if __name__ == "__main__":
    given = Path(sys.argv[2]).read_text("utf-8").strip() if len(sys.argv) > 2 else ""
    try:
        sys.stdout.write(f"{send_sample(sys.argv[1], given)} documents\n")
    except InfostreamError as error:
        sys.exit(f"infostream-dedup: {error}")
