"""Authority from a file, and from judged documents."""

import gzip
from datetime import UTC, datetime

import numpy as np
import pytest

from infostream_dedup.errors import BadDataError
from infostream_dedup.judging.criteria import document_models
from infostream_dedup.judging.criteria.criterion import authority_of, read_authority
from infostream_dedup.judging.criteria.judged_pairs import JudgedPairs
from infostream_dedup.judging.criteria.training import LearnedAuthority
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


@pytest.mark.parametrize(("name", "content", "code", "line"), [
    ("a.tsv", b"x\t0.5\ny\t1.5\n", "E_AUTHORITY", 2), ("a.tsv", b"x\t-0.1\n", "E_AUTHORITY", 1),
    ("a.tsv", b"x\tnan\n", "E_AUTHORITY", 1), ("a.tsv", b"x\thigh\n", "E_AUTHORITY", 1),
    ("a.tsv", b"x 0.5\n", "E_CELLS", 1), ("a.tsv", b"\t0.5\n", "E_SOURCE", 1),
    ("a.tsv", b"x\t0.5\nx\t0.6\n", "E_CONTRADICTION", 2), ("a.tsv", b"\xff\t0.5\n", "E_ENCODING", 1),
    ("a.tsv", b"x" * (2 << 20) + b"\t0.5\n", "E_TOO_LARGE", 1),
    ("a.jsonl.gz", gzip.compress(b'{"source": "x", "authority": 1}\n', mtime=0)[:-6], "E_", 2),
    ("a.jsonl", b'{"source": "x", "authority": 2}\n', "E_AUTHORITY", 1),
    ("a.jsonl", b'{"source": "x", "authority": true}\n', "E_AUTHORITY", 1),
    ("a.jsonl", b'{"source": "x", "authority": "0.5"}\n', "E_AUTHORITY", 1),
    ("a.jsonl", b'{"source": 5, "authority": 0.5}\n', "E_SOURCE", 1),
    ("a.jsonl", b'{"source": "x"}\n', "E_REQUIRED", 1), ("a.jsonl", b"{\n", "E_JSON", 1),
])  # fmt: skip
def test_wrong_files_are_refused(tmp_path, name, content, code, line):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadDataError) as caught:
        read_authority(path)
    assert caught.value.code.startswith(code)
    assert caught.value.line == line
    assert name in str(caught.value)


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
    pairs = JudgedPairs(i, j, repeats, repeats, np.ones(4, dtype=bool))
    # 0 repeats 1, for 1 is earlier; 3 has no time, so it is before all others, and 2 repeats it; 4 repeats 1.
    # Of five judged documents 1 and 3 are originals, so p = .4; a has one of two, b one of two.
    authority = LearnedAuthority(models)
    assert authority.table(pairs) == {"a": pytest.approx(5 / 12), "b": pytest.approx(5 / 12)}
    assert authority.table(JudgedPairs(j, i, repeats, repeats, np.ones(4, dtype=bool))) == authority.table(pairs)
    none = np.zeros(4, dtype=bool)
    assert authority.table(JudgedPairs(i, j, none, none, none)) == {"a": 1.0, "b": 1.0}


def test_a_pair_sees_only_what_was_judged_before_it():
    models = models_of([("a", 1), ("b", 2), ("a", 3), ("b", 4), ("c", 5)])
    i, j, repeats = np.array([1, 3, 4]), np.array([0, 2, 3]), np.array([True, False, True])
    one, other = LearnedAuthority(models).of_training(JudgedPairs(i, j, repeats, repeats, repeats))
    # Before the first pair nothing is known. Before the second: 0 is an original, 1 is a copy.
    assert (one[0], other[0]) == (1.0, 1.0)
    average = (1 + 1) / 3
    assert (one[1], other[1]) == (pytest.approx(10 * average / 11), pytest.approx((1 + 10 * average) / 11))
    turned = LearnedAuthority(models).of_training(JudgedPairs(i, j, ~repeats, ~repeats, repeats))
    assert (turned[0][0], turned[1][0]) == (1.0, 1.0)


def test_authority_of_documents():
    np.testing.assert_array_equal(authority_of(["b", None, "a", "b"], {"b": 0.25}), [0.25, np.nan, np.nan, 0.25])
    assert authority_of([], {}).dtype == np.float64
