"""Authority from a file, and from judged documents."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import numpy as np
import pytest

from infostream_dedup.criteria import document_models
from infostream_dedup.criteria.authority import authority_of, learned_authority, read_authority
from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.model import Document


def test_table_and_objects_say_the_same(tmp_path):
    table = tmp_path / "authority.tsv"
    table.write_text("source\tauthority\nагентство.example\t0.9\n\nx.example\t0\n", encoding="utf-8")
    objects = tmp_path / "authority.jsonl"
    objects.write_text(
        '{"source": "агентство.example", "authority": 0.9}\n{"source": "x.example", "authority": 0}\n', encoding="utf-8"
    )
    assert read_authority(table) == read_authority(objects) == {"агентство.example": 0.9, "x.example": 0.0}


def test_a_table_without_header_and_with_a_repeated_line(tmp_path):
    path = tmp_path / "authority.tsv"
    path.write_bytes(b"\xef\xbb\xbfx.example\t1\r\nx.example\t1.0\r\n")
    assert read_authority(path) == {"x.example": 1.0}


@pytest.mark.parametrize(
    ("name", "content", "code", "line"),
    [
        ("a.tsv", b"x\t0.5\ny\t1.5\n", "E_AUTHORITY", 2),
        ("a.tsv", b"x\t-0.1\n", "E_AUTHORITY", 1),
        ("a.tsv", b"x\tnan\n", "E_AUTHORITY", 1),
        ("a.tsv", b"x\thigh\n", "E_AUTHORITY", 1),
        ("a.tsv", b"x 0.5\n", "E_CELLS", 1),
        ("a.tsv", b"\t0.5\n", "E_SOURCE", 1),
        ("a.tsv", b"x\t0.5\nx\t0.6\n", "E_CONTRADICTION", 2),
        ("a.tsv", b"\xff\t0.5\n", "E_ENCODING", 1),
        ("a.tsv", b"x" * (2 << 20) + b"\t0.5\n", "E_TOO_LARGE", 1),
        ("a.jsonl.gz", gzip.compress(b'{"source": "x", "authority": 1}\n', mtime=0)[:-6], "E_", 2),
        ("a.jsonl", b'{"source": "x", "authority": 2}\n', "E_AUTHORITY", 1),
        ("a.jsonl", b'{"source": "x", "authority": true}\n', "E_AUTHORITY", 1),
        ("a.jsonl", b'{"source": "x", "authority": "0.5"}\n', "E_AUTHORITY", 1),
        ("a.jsonl", b'{"source": 5, "authority": 0.5}\n', "E_SOURCE", 1),
        ("a.jsonl", b'{"source": "x"}\n', "E_REQUIRED", 1),
        ("a.jsonl", b"{\n", "E_JSON", 1),
    ],
)
def test_wrong_files_are_refused(tmp_path, name, content, code, line):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadDataError) as caught:
        read_authority(path)
    assert caught.value.code.startswith(code)
    assert caught.value.line == line
    assert name in str(caught.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(NoInputError):
        read_authority(tmp_path / "none.tsv")


def models_of(rows):
    documents = [
        Document(
            id=str(n), text="слово", lang="ru", source=source, time=hour and datetime(2025, 3, 3, hour, tzinfo=UTC)
        )
        for n, (source, hour) in enumerate(rows)
    ]
    return document_models(documents)


def test_share_of_originals_by_hand():
    models = models_of([("a", 9), ("b", 8), ("b", 10), ("a", None), (None, 11), ("c", 12)])
    i, j = np.array([0, 0, 3, 4]), np.array([1, 2, 2, 1])
    repeats = np.array([True, False, True, True])
    # 0 repeats 1, for 1 is earlier; 3 has no time, so that the order of input decides and 3 repeats 2.
    assert learned_authority(models, i, j, repeats) == {"a": 0.0, "b": 1.0}
    assert learned_authority(models, i, j, np.zeros(4, dtype=bool)) == {"a": 1.0, "b": 1.0}
    assert learned_authority(models, j, i, repeats) == learned_authority(models, i, j, repeats)


def test_authority_of_documents():
    found = authority_of(["b", None, "a", "b"], {"b": 0.25})
    np.testing.assert_array_equal(found, [0.25, np.nan, np.nan, 0.25])
    assert authority_of([], {}).dtype == np.float64
