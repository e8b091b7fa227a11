"""Two texts cut into what they share and what they do not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.passages import PassageSettings, compare

ONE = "Один кот спал на тёплой печи."
TWO = "Два пса лаяли на старую луну."
THREE = "Три совы сидели на сухой ветке."
OWN = "Собственная фраза."
TWO_OWN = f"{OWN} Ещё одна фраза."


def _passages(pieces):
    return [(piece.passage, piece.begins) for piece in pieces]


def test_pieces_of_a_passage_with_a_gap():
    found = compare(f"{ONE} {OWN} {TWO}", f"{ONE} {TWO}")
    assert [piece.text for piece in found.pieces_a] == [ONE, f" {OWN} ", TWO]
    assert _passages(found.pieces_a) == [(1, True), (0, False), (1, False)]
    # Sentences that follow each other are one piece, with what stands between them.
    assert [piece.text for piece in found.pieces_b] == [f"{ONE} {TWO}"]


def test_rows_keep_the_order_that_most_words_have():
    found = compare(f"{ONE} {TWO_OWN} {TWO} {THREE}", f"{TWO} {THREE} {TWO_OWN} {ONE}", PassageSettings(min_words=6))
    assert [passage.sentences for passage in found.passages] == [1, 2]
    left, right = zip(*found.aligned(), strict=True)
    assert [_passages(row) for row in left] == [[(1, True), (0, False)], [(2, True)]]
    assert [_passages(row) for row in right] == [[], [(2, True), (0, False), (1, True)]]


def test_texts_without_a_shared_passage_are_one_row():
    found = compare(ONE, TWO)
    assert [(row[0][0].text, row[1][0].text) for row in found.aligned()] == [(ONE, TWO)]
    assert compare("", "").aligned() == []


@given(*[st.lists(st.sampled_from([ONE, TWO, THREE, OWN]), max_size=7).map(" ".join)] * 2)
def test_pieces_and_rows_are_the_whole_texts(text_a, text_b):
    found = compare(text_a, text_b)
    assert "".join(piece.text for piece in found.pieces_a) == text_a
    assert "".join(piece.text for piece in found.pieces_b) == text_b
    rows = found.aligned()
    assert [piece for row in rows for piece in row[0]] == found.pieces_a
    assert [piece for row in rows for piece in row[1]] == found.pieces_b
    numbers = list(range(1, len(found.passages) + 1))
    for pieces in (found.pieces_a, found.pieces_b):
        assert sorted(piece.passage for piece in pieces if piece.begins) == numbers
