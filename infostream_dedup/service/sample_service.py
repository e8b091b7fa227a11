"""The bundled sample in the browser, for new users."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import orjson

from infostream_dedup.service.server import run
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings

__all__ = ["serve_sample"]


def serve_sample(port: int, *, tell: Callable[[str], None]) -> None:
    """Serve the sample from a store that is deleted at the end.

    Args:
        port: port to listen on, reachable only from this machine.
        tell: called with the address once the service listens.

    Raises:
        MissingExtraError, ConfigurationError: see ``run``.
    """
    lines = (resources.files("infostream_dedup.sample") / "stream.jsonl").read_bytes().splitlines()
    with tempfile.TemporaryDirectory(prefix="infostream-dedup-") as folder:
        store = Path(folder) / "sample.db"
        with Deduplicator.open(store, StreamSettings.of({"keep_text": True})) as stream:
            stream.process([orjson.loads(line) for line in lines], batch_id="sample")
        run(ServiceSettings(store=store, port=port), tell=tell)
