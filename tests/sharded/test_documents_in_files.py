"""The number of documents in files of every kind is estimated within a factor of two, and large ones go to disk."""

import bz2
import gzip
import json
import lzma
import random

import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

from infostream_dedup import sweep
from infostream_dedup.documents import write_documents
from infostream_dedup.model import Document
from infostream_dedup.runs.sharded.plan import documents_in

NUMBER = 3000


@pytest.fixture(scope="module")
def documents():
    draw = random.Random(5)  # noqa: S311 - no secret
    letters = "оеаинтсрвлкмдпуя"
    words = ["".join(draw.choices(letters, k=draw.randrange(2, 11))) for _ in range(5000)]
    often = [1 / (place + 10) for place in range(len(words))]
    return [Document(id=str(number), text=" ".join(draw.choices(words, often, k=60))) for number in range(NUMBER)]


def write_feather(table, path):
    pf.write_feather(table, path, compression="lz4")


def write_stream(table, path):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


def write(documents, path):
    rows = [{"id": one.id, "text": one.text} for one in documents]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    tables = {".parquet": pq.write_table, ".feather": write_feather, ".arrow": write_stream}
    packings = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": pa.Codec("zstd", 3).compress}
    ending = path.suffix.lower()
    if ending in tables:
        tables[ending](pa.Table.from_pylist(rows), path)
    elif ending in packings:
        path.write_bytes(packings[ending](lines))
    else:
        write_documents(documents, path)
    return str(path)


@pytest.mark.parametrize("name", [
    *("a.jsonl", "a.csv", "a.jsonl.gz", "a.JSONL.GZ", "a.jsonl.bz2", "a.jsonl.xz", "a.jsonl.zst"),
    *("a.parquet", "a.PARQUET", "a.feather", "a.arrow", "a.xlsx"),
])  # fmt: skip
def test_documents_are_estimated_within_a_factor_of_two(documents, tmp_path, name):
    found = documents_in([write(documents, tmp_path / name)], documents[:500])
    assert NUMBER / 2 < found < NUMBER * 2
    if name.lower().endswith((".parquet", ".feather")):
        assert found == NUMBER


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.jsonl.xz", "a.jsonl.bz2", "a.xlsx", "a.feather"])
def test_a_packed_collection_too_large_for_memory_goes_to_disk(documents, tmp_path, monkeypatch, caplog, name):
    path = write(documents, tmp_path / name)
    # 5,000 bytes for each document.
    monkeypatch.setattr("infostream_dedup.machine.platform.available_memory", lambda: 2500 * NUMBER)
    sweep(path, representations=["stem"], estimate=False)
    assert "would not fit" in caplog.text
