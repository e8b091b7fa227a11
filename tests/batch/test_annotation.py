"""``dedup --annotate`` writes over no column of the documents."""

import json

import pytest

from infostream_dedup import dedup
from infostream_dedup.errors import BadDataError

ROWS = [{"id": "1", "text": "Снег идёт", "group": "sport"}, {"id": "2", "text": "Снег идёт"}]


def test_a_field_of_the_name_of_a_column_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(BadDataError, match="overwrite") as refused:
        dedup(ROWS, tmp_path / "out.jsonl", annotate=True)
    assert (refused.value.code, refused.value.field) == ("E_FIELD_TAKEN", "group")
    assert list(tmp_path.iterdir()) == []


def test_a_prefix_gives_the_columns_names_of_their_own(tmp_path):
    dedup(ROWS, tmp_path / "out.jsonl", preset="faithful", annotate=True, prefix="dedup_")
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    assert written == [
        {**ROWS[0], "dedup_status": "insufficient_text", "dedup_of": None, "dedup_group": "1"},
        {**ROWS[1], "dedup_status": "exact", "dedup_of": "1", "dedup_group": "1"},
    ]


def test_without_annotations_nothing_is_in_the_way(tmp_path):
    dedup(ROWS, tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_bytes()) == ROWS[0]
