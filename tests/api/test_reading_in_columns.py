"""Commands give the same bytes whether a file is read in columns or document by document."""

import json

import pytest

import infostream_dedup as package
from infostream_dedup.documents import block_reading, read_documents
from infostream_dedup.sample import documents_path


@pytest.fixture(scope="module")
def sources():
    """The sample as a file and as a list, which are read in columns, and as documents, which are not."""
    rows = [json.loads(line) for line in documents_path().read_text(encoding="utf-8").splitlines()]
    return str(documents_path()), rows, [*read_documents(rows)]


@pytest.fixture
def blocks(monkeypatch):
    """Documents of each block that was read."""
    seen = []
    taken = block_reading._Reader._taken

    def counted(self, *given):
        block = taken(self, *given)
        seen.append(len(block))
        return block

    monkeypatch.setattr(block_reading._Reader, "_taken", counted)
    return seen


def test_sweep(sources, blocks):
    in_columns, listed, one_by_one = (package.sweep(one, representations=["stem"]) for one in sources)
    assert in_columns.as_dict() == listed.as_dict()
    assert in_columns.as_dict() == one_by_one.as_dict()
    assert in_columns.about == one_by_one.about
    assert in_columns.examples == one_by_one.examples
    assert in_columns.listed == one_by_one.listed
    assert sum(blocks) == 2 * len(sources[1])


@pytest.mark.parametrize("preset", ["judged", "faithful"])
def test_pairs(sources, blocks, preset):
    in_columns, listed, one_by_one = ([row.as_dict() for row in package.pairs(one, preset=preset)] for one in sources)
    assert in_columns == listed == one_by_one
    assert in_columns
    assert blocks


@pytest.mark.parametrize("preset", ["judged", "faithful"])
def test_dedup(sources, blocks, tmp_path, preset):
    written = []
    for number, one in enumerate(sources):
        out = tmp_path / f"{number}.jsonl"
        package.dedup(one, out, preset=preset)
        written.append(out.read_bytes())
    assert written[0] == written[1] == written[2]
    assert blocks
