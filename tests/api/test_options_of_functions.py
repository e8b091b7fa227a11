"""Options with few possible values: a function refuses any other value instead of taking it for the default."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup import dedup, evaluate, ingest, pairs, search, sweep
from infostream_dedup.errors import InfostreamError

TEXT = "Президент Зеленський відкрив у Харкові новий завод разом із мером Тереховим."
ROWS = [{"id": "1", "text": TEXT, "source": "a.ua"}, {"id": "2", "text": TEXT, "source": "b.ua"}]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda labels: dedup(ROWS, keep="latest"), "keep is 'latest'; expected one of earliest, longest"),
        (
            lambda labels: dedup(ROWS, k=6, duplicate_rule="both"),
            "duplicate_rule is 'both'; expected one of equal, contained",
        ),
        (
            lambda labels: evaluate(ROWS, labels=labels, between="all"),
            "between is 'all'; expected one of nothing-better, plain, none",
        ),
        (lambda labels: sweep(ROWS, ks=[0, 6]), "0 is not a number of key terms"),
        (lambda labels: pairs(ROWS, k_min=0, k=6), "k_min is 0"),
    ],
    ids=["keep", "duplicate_rule", "between", "ks", "k_min"],
)
def test_other_values_are_refused(call: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps({"a": "1", "b": "2", "label": "dup"}), encoding="utf-8")
    with pytest.raises(InfostreamError, match=message):
        call(labels)


def test_search_takes_the_name_of_one_source(tmp_path: Path) -> None:
    assert len(list(ingest(ROWS, store=tmp_path / "s.db"))) == 2
    assert [hit.id for hit in search(tmp_path / "s.db", text=TEXT, sources="b.ua")] == ["2"]
