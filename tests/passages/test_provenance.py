"""What copies of a text kept, cut, added and changed."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.model import Document
from infostream_dedup.passages.provenance import provenance
from infostream_dedup.report.provenance_html import provenance_page

FIRST = "Пожар на складе тушили 12 машин. Начальник Петренко уехал в Одессу. Никто из людей не пострадал."
COPY = "Фото: архив\nПожар на складе тушили 15 машин. Никто из людей не пострадал! Начальник Иваненко уехал в Одессу."


def _documents():
    return [
        Document(id="copy", text=COPY, title="Пожар!", source="b.md", time=datetime(2024, 1, 2, tzinfo=UTC)),
        Document(id="first", text=FIRST, title="пожар", source="a.md", time=datetime(2024, 1, 1, tzinfo=UTC)),
        Document(id="cut", text="Никто из людей не пострадал.", title="Другое", time=datetime(2024, 1, 3, tzinfo=UTC)),
    ]


def test_copies_stand_against_the_first_publisher():
    found = provenance(_documents())
    assert found.first.id == "first"
    copy, cut = found.copies
    assert (copy.document.id, copy.kept, copy.added, copy.cut) == ("copy", 1, ("Фото: архив",), ())
    number, name = copy.changed
    assert (number.before, number.after) == (
        "Пожар на складе тушили 12 машин.",
        "Пожар на складе тушили 15 машин.",
    )
    assert number[2:] == (("12",), ("15",), (), ())
    assert name[2:] == ((), (), ("петренко",), ("иваненко",))
    assert (cut.kept, cut.changed, len(cut.cut), cut.added) == (1, (), 2, ())
    assert cut.kept_share == 5 / 16
    assert cut.title_changed
    row = cut.as_dict("g", found.first)
    assert (row["group"], row["first"], row["first_source"], row["kept_share"]) == ("g", "first", "a.md", 0.3125)


def test_a_name_in_another_case_or_place_is_the_same():
    before, after = "Вчера Петренко встретил делегацию из Одессы.", "Петренко вчера встретил делегацию с Одессой."
    change = provenance([Document(id="1", text=before), Document(id="2", text=after)]).copies[0].changed[0]
    assert (change.names_gone, change.names_new) == ((), ())


@given(st.lists(st.sampled_from(["Снег идёт.", "Дождь кончился утром.", "👍\r\n", "12 машин.", "Ё-моё! "]), max_size=8))
def test_pieces_are_the_whole_text(parts):
    text = " ".join(parts)
    copy = provenance([Document(id="1", text="Снег идёт. 13 машин."), Document(id="2", text=text)]).copies[0]
    assert "".join(piece.text for piece in copy.pieces) == text
    same = provenance([Document(id="1", text=text), Document(id="2", text=text)]).copies[0]
    assert (same.changed, same.cut, same.added, same.title_changed) == ((), (), (), False)


def test_the_page_escapes_and_has_no_script():
    documents = [
        Document(id="<b>1", text="Пожар <script>x</script> тушили долго."),
        Document(id="2", text="Пожар тушили долго. И снег."),
    ]
    page = provenance_page([("<g>", provenance(documents))])
    assert "<script" not in page
    assert "<b>1" not in page
    assert '<span class="added">И снег.</span>' in page
    assert "no group" in provenance_page([])
