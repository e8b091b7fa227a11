"""Which of several weak resemblances is the best is decided by exact counts, as in memory."""

import json

import numpy as np
import pytest

from infostream_dedup import dedup
from infostream_dedup.runs.sharded import deduplication, pairing
from infostream_dedup.runs.sharded.key_terms import KEYS
from infostream_dedup.runs.sharded.pairing import DocumentPairs, pick_terms, recounted

FIRST = {"languages": [0, 0], "weights": [1] * 4, "own": [0, 0], "hashes": [1, 2], "checks": [1, 2]}


def test_counts_by_hand(monkeypatch):
    """Documents 0 to 2 in two chunks: 0 has keys 5 7 in 5 7 9, 1 has 5 9 in 5 9, 2 has 7 in 1 5 7."""
    one = KEYS.row(first=0, sizes=[2, 2], keys=[5, 7, 5, 9], target_sizes=[3, 2], targets=[5, 7, 9, 5, 9], **FIRST)
    other = KEYS.row(
        first=2, sizes=[1], keys=[7], target_sizes=[3], targets=[1, 5, 7],
        **{name: values[:1] for name, values in FIRST.items()},
    )  # fmt: skip
    monkeypatch.setattr(pairing, "_RECOUNTED_AT_ONCE", 2)
    a, b, nothing = np.array([0, 0, 1]), np.array([1, 2, 2]), np.zeros(3, dtype=np.int64)
    found = recounted(DocumentPairs(a, b, nothing, nothing), lambda documents: pick_terms([one, other], documents))
    # 0 in 1: 5; 1 in 0: 5 and 9; 0 in 2: 5 and 7; 2 in 0: 7; 1 in 2: 5; 2 in 1: none.
    assert found.forward.tolist() == [1, 2, 1]
    assert found.backward.tolist() == [2, 1, 0]


@pytest.fixture
def unequal(tmp_path):
    """A file of short and long documents that share a few words."""
    random = np.random.default_rng(7)
    words = [f"{first}{last}ник" for first in ("мост", "рек", "банк", "суд", "лес") for last in "бвгджзклмнпрст"]
    rows = []
    for place in range(150):
        size = 8 if place % 2 else 45
        text = " ".join(words[word] for word in random.permutation(len(words))[:size])
        rows.append({"id": f"d{place}", "text": text, "lang": "ru"})
    path = tmp_path / "unequal.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_similar_documents_are_those_found_in_memory(unequal, tmp_path, monkeypatch):
    def statuses(name, **where):
        out = tmp_path / name
        dedup(unequal, out, annotate=True, preset="faithful", representation="stem", **where)
        return out.read_text(encoding="utf-8").splitlines()

    expected = statuses("memory.jsonl")
    assert statuses("disk.jsonl", workdir=tmp_path / "work", memory="2GB") == expected
    # These documents tell exact counts from those of links alone.
    monkeypatch.setattr(deduplication, "recounted", lambda pairs, pick: pairs)
    assert statuses("weak.jsonl", workdir=tmp_path / "work", memory="2GB") != expected
