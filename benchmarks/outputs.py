"""Digests of what the commands write for the bundled sample: equal on every supported Python.

    python -m benchmarks.outputs

Prints a SHA-256 for each output, and one of them all at the end. ``.ci/versions`` compares several interpreters.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from infostream_dedup.sample import documents_path

RUNS = {
    "sweep": ["sweep", "news.jsonl", "--out", "report", "--ui-language", "uk", "--format", "json"],
    "pairs": ["pairs", "news.jsonl", "--explain"],
    "translations": ["pairs", "news.jsonl", "--cross-language"],
    "dedup": ["dedup", "news.jsonl", "--annotate", "--out", "judged.csv"],
    "passages": ["passages", "find", "news.jsonl"],
    "ingest": ["ingest", "news.jsonl", "--store", "news.db", "--batch-size", "50"],
    "search": ["search", "--store", "news.db", "--id", "uk-001"],
}
"""Arguments by name, run in this order in one folder."""


def main() -> None:
    """Run every command and print the digests of standard output and of the files."""
    whole = hashlib.sha256()
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "news.jsonl").write_bytes(documents_path().read_bytes())
        environment = os.environ | {"INFOSTREAM_DEDUP_CACHE": str(folder / ".cache")}
        for what, arguments in RUNS.items():
            command = [sys.executable, "-m", "infostream_dedup", *arguments]
            done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
            tell(what, done.stdout, whole)
        for path in (folder / "judged.csv", *sorted((folder / "report").iterdir())):
            tell(path.name, path.read_bytes(), whole)
    print(whole.hexdigest(), "all")


def tell(name: str, output: bytes, whole: hashlib._Hash) -> None:
    """Print the digest of one output."""
    digest = hashlib.sha256(output).hexdigest()
    whole.update(digest.encode())
    print(digest, name, flush=True)


if __name__ == "__main__":
    main()
