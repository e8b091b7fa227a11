"""Cells that a spreadsheet would run, and files of very many columns."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.documents import read_documents
from infostream_dedup.documents.outputs import csv_line, guarded, unguarded
from infostream_dedup.errors import BadDataError

RUN = (
    *"=1|+1|-1|@a|\t=1|\r=1| =1|\u00a0=1|\u3000@x|\n=1|\ufeff=1|＝1|＋1|－1|＠x|﹦1".split("|"),
    *"\x00=1|\u200b=cmd|\ttab|' =1|''＝1".split("|"),
)


def test_what_a_spreadsheet_would_run_gets_an_apostrophe():
    for text in RUN:
        assert guarded(text) == "'" + text
        assert unguarded(guarded(text)) == text
        assert csv_line([text]).decode().startswith(("'", "\"'"))
        assert csv_line([text], raw=True).decode().strip('"\n') == text.strip('"\n')


@pytest.mark.parametrize("text", ["", "text", "1=1", "a@b", " text", "'quoted'", "«=»"])
def test_other_text_stays(text):
    assert guarded(text) == unguarded(text) == text


@given(st.text(alphabet="'=+-@\t\r ＝a\u00a0", max_size=6))
def test_every_cell_comes_back(text):
    assert unguarded(guarded(text)) == text


def wide(columns, again=0):
    names = ["id", "text", *(f"c{number}" for number in range(columns)), *(f"c{number}" for number in range(again))]
    return (",".join(names) + "\n" + "a,b" + "," * (len(names) - 2) + "\n").encode()


def seconds(path):
    begin = time.process_time()
    (document,) = read_documents(path)
    assert document.id == "a"
    return time.process_time() - begin


def test_very_many_columns_take_seconds(tmp_path):
    few, many = tmp_path / "few.csv", tmp_path / "many.csv"
    few.write_bytes(wide(6_000))
    many.write_bytes(wide(45_000))
    # Quadratic code takes 56 times as long for the large one.
    assert seconds(many) < 20 * max(seconds(few), 0.2)


def test_columns_that_come_twice_are_named_but_not_all(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes(wide(3000, again=2000))
    with pytest.raises(BadDataError, match="duplicate columns: c0, c1, c10") as caught:
        list(read_documents(path))
    assert len(str(caught.value)) < 600
