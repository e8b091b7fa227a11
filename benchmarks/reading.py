"""Measures reading documents from JSON Lines, CSV and Parquet, beside the parser alone and beside touching every byte.

    python -m benchmarks.reading --documents 65208 --out reading.json
    python -m benchmarks.reading --real news.jsonl.gz --documents 65208

CPU seconds are those of all threads together, the least of ``--runs``; MB are 10^6 bytes. With ``--real`` the documents
of a file are repeated, with ids of their own, until there are enough. The file has been read before, so that the disk
is not measured. ``every byte`` is what nobody can avoid: the bytes are copied from the system and looked at once.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow.json as pa_json
import pyarrow.parquet as pq

from benchmarks import timed, write_figures
from benchmarks.generator import generate, write_texts
from infostream_dedup.documents import Reading, ReadingReport, read_documents
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.model import DocumentBlock

CHUNK = 1 << 21


def main() -> None:
    """Write the file, read it in every way, print and store the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=65_208)
    parser.add_argument("--real", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "documents.jsonl"
        documents = _write(path, arguments)
        size = path.stat().st_size / 1e6
        print(f"{documents} documents, {size:.1f} MB")
        table = path.with_suffix(".parquet")
        pq.write_table(pa_json.read_json(path), table)
        cells = path.with_suffix(".csv")
        # Write the texts and strings of JSON Lines as CSV.
        csv.field_size_limit(1 << 30)
        with path.open("rb") as lines, cells.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, ("id", "title", "text", "lang", "published", "source"), extrasaction="ignore")
            writer.writeheader()
            writer.writerows(orjson.loads(line) for line in lines)
        rows = [
            _measured(name, work, path.with_suffix(suffix), size, arguments.runs)
            for suffix, ways in WAYS.items()
            for name, work in ways.items()
        ]
    write_figures(arguments.out, real=bool(arguments.real), documents=documents, mb=round(size, 1), rows=rows)


def _every_byte(path: Path) -> int:
    room, found = np.empty(CHUNK, dtype=np.uint8), 0
    with path.open("rb", buffering=0) as stream:
        while size := stream.readinto(room.data):
            found += int(np.count_nonzero(room[:size] == ord("\n")))
    return found


def _parser_alone(path: Path) -> int:
    with path.open("rb") as stream:
        return sum(1 for line in stream if orjson.loads(line))


def _one_by_one(path: Path) -> int:
    return sum(1 for _ in read_documents(path))


def _in_columns(path: Path) -> int:
    blocks = read_document_blocks(path, reading=Reading(), report=ReadingReport())
    return sum(len(one) if isinstance(one, DocumentBlock) else 1 for one in blocks)


def _rows_alone(path: Path) -> int:
    with pq.ParquetFile(path) as file:
        return sum(batch.num_rows for batch in file.iter_batches())


def _cells_alone(path: Path) -> int:
    with path.open(encoding="utf-8", newline="") as stream:
        return sum(1 for _ in csv.reader(stream)) - 1


WAYS: dict[str, dict[str, Callable[[Path], int]]] = {
    ".jsonl": {
        "every byte": _every_byte,
        "orjson into Python objects, unchecked": _parser_alone,
        "documents one by one": _one_by_one,
        "documents in columns": _in_columns,
    },
    ".parquet": {
        "Parquet, unpacked only": _rows_alone,
        "Parquet, documents one by one": _one_by_one,
        "Parquet, documents in columns": _in_columns,
    },
    ".csv": {
        "CSV, Python's parser alone": _cells_alone,
        "CSV, documents one by one": _one_by_one,
        "CSV, documents in columns": _in_columns,
    },
}
"""Ways to read a file by its suffix."""


def _measured(name: str, work: Callable[[Path], int], path: Path, size: float, runs: int) -> dict[str, Any]:
    documents = work(path)
    least = min(timed(lambda: work(path))[1]["cpu_seconds"] for _ in range(runs))
    row = {
        "stage": name,
        "cpu_seconds": round(least, 3),
        "microseconds_per_document": round(least / documents * 1e6, 2),
        "mb_per_cpu_second": round(size / least, 1),
    }
    print(json.dumps(row), flush=True)
    return row


def _write(path: Path, arguments: argparse.Namespace) -> int:
    if arguments.real is None:
        texts = write_texts(generate(arguments.documents, seed=arguments.seed))
        own = [{"text": text} for text in texts]
    else:
        with gzip.open(arguments.real, "rb") as lines:
            own = [orjson.loads(line) for line in lines]
    with path.open("wb") as out:
        for number in range(arguments.documents):
            row = own[number % len(own)]
            out.write(orjson.dumps({**row, "id": f"{row.get('id', 'd')}-{number}"}, option=orjson.OPT_APPEND_NEWLINE))
    return int(arguments.documents)


if __name__ == "__main__":
    main()
