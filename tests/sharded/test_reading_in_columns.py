"""Documents that are read in columns give the rows, byte for byte, that they give one by one."""

from __future__ import annotations

import numpy as np
import pytest

from infostream_dedup.documents import Reading, ReadingReport, read_documents
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.model import DocumentBlock, Settings
from infostream_dedup.runs.sharded.reading import DOCUMENTS, NO_MOMENT, read_and_count

DATES = ["2026-11-21T10:00:30.5Z", "1969-12-31T23:59:58.5Z", None, "2026-11-21", "1950-01-01T00:00:00.000001Z"]
TEXTS = ["Снег идёт в Киеве весь день", "", "  ", "Премьер <b>открыл</b> мост &amp; школу в Киеве", "Мороз и снег"]


def rows():
    return [
        {
            "id": f"d{place}", "text": f"{TEXTS[place % 5]}{place // 2 if TEXTS[place % 5].strip() else ''}",
            "title": ["", "Снег идёт", "Погода"][place % 3], "lang": ["ru", None, "uk"][place % 3],
            "published": DATES[place % 5], "source": "газета", "url": f"https://example.org/{place}",
        }
        for place in range(60)
    ]  # fmt: skip


@pytest.mark.parametrize("chunk", [7, 100])
def test_blocks_give_the_same_rows(chunk):
    import pyarrow as pa

    settings = [Settings(representation=name) for name in ("stem", "morph")]
    # A date alone is for the plain code, in the middle of a block.
    table = pa.Table.from_pylist(rows())
    blocks = list(read_document_blocks(table, reading=Reading(), report=ReadingReport()))
    assert any(isinstance(one, DocumentBlock) for one in blocks)
    found, expected = (
        list(read_and_count(documents, settings, chunk=chunk, hashes=True, evidence=True))
        for documents in (blocks, read_documents(rows()))
    )
    assert [name for name, _ in found] == [name for name, _ in expected]
    assert all(one.equals(other) for (_, one), (_, other) in zip(found, expected, strict=True))
    assert {name for name, _ in found} == {"counts", "documents", "raw", "facts"}
    moments = np.concatenate(
        [row["moments"] for row in DOCUMENTS.rows(row for name, row in found if name == "documents")]
    )
    # Half a second before a full second of 1969: cut off towards 1970.
    assert moments[:5].tolist() == [1795255230, -1, NO_MOMENT, 1795219200, -631151999]
