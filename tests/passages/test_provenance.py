"""What copies of a text kept, cut, added and changed."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.documents.dates import utc_time
from infostream_dedup.judging.passages.provenance import provenance
from infostream_dedup.model import Document
from infostream_dedup.report.files import provenance_page

FIRST = "Пожар на складе тушили 12 машин. Начальник Петренко уехал в Одессу. Никто из людей не пострадал."
COPY = "Фото: архив\nПожар на складе тушили 15 машин. Никто из людей не пострадал! Начальник Иваненко уехал в Одессу."


def test_copies_are_compared_with_the_first_publisher():
    documents = [
        Document(id="copy", text=COPY, title="Пожар!", source="b.md", time=datetime(2024, 1, 2, tzinfo=UTC)),
        Document(id="first", text=FIRST, title="пожар", source="a.md", time=datetime(2024, 1, 1, tzinfo=UTC)),
        Document(id="cut", text="Никто из людей не пострадал.", title="Другое", time=datetime(2024, 1, 3, tzinfo=UTC)),
    ]
    found = provenance(documents)
    assert found.first.id == "first"
    copy, cut = found.copies
    assert (copy.document.id, copy.kept, copy.added, copy.cut) == ("copy", 1, ("Фото: архив",), ())
    number, name = copy.changed
    assert (number.before, number.after) == ("Пожар на складе тушили 12 машин.", "Пожар на складе тушили 15 машин.")
    assert number[2:] == (("12",), ("15",), (), (), ((23, 25),), ((23, 25),))
    assert name[2:6] == ((), (), ("петренко",), ("иваненко",))
    assert [name.after[slice(*span)] for span in name.words_new] == ["Иваненко"]
    assert [piece.text for piece in copy.pieces if piece.kind == "changed"] == ["15", "Иваненко"]
    assert (cut.kept, cut.changed, len(cut.cut), cut.added) == (1, (), 2, ())
    assert cut.kept_share == 5 / 16
    assert cut.title_changed
    row = cut.as_dict("g", found)
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


def _dated(name, text, published):
    return Document(id=name, text=text, published=published, time=utc_time(published), url=f"https://{name}.md/1")


def test_each_copy_names_the_document_it_shares_most_with():
    edited = FIRST.replace("12 машин", "пятнадцать машин")
    found = provenance(
        [
            _dated("a", FIRST, "2024-01-01T10:00"),
            _dated("b", f"{edited} Прогноз погоды обещает снег.", "2024-01-01T11:00"),
            _dated("c", f"{edited} Прогноз погоды обещает снег.", "2024-01-01T12:00"),
            _dated("d", "Совсем другое сообщение.", "2024-01-01T13:00"),
        ]
    )
    assert found.first_by == "time"
    assert [copy.copied_from and copy.copied_from.id for copy in found.copies] == ["a", "b", None]
    row = found.copies[1].as_dict("g", found)
    assert (row["copied_from"], row["copied_share"], row["url"]) == ("b", 1.0, "https://c.md/1")


@pytest.mark.parametrize(("published", "first", "first_by"), [
    (("2024-01-01", "2024-01-01T23:00"), "1", "date"), (("2024-01-01", "2024-01-02T00:10"), "0", "time"),
    (("2024-01", "2024-01-31T23:00"), "1", "date"), (("2024-01-01T05:00", "2024-01-01T05:00"), "0", "order"),
    (("2024-01-01", "2024-01-01"), "0", "date"), (("2024-01-01", None), "0", "order"),
])  # fmt: skip
def test_a_day_without_a_clock_time_is_not_midnight(published, first, first_by):
    found = provenance([_dated(str(number), FIRST, value) for number, value in enumerate(published)])
    assert (found.first.id, found.first_by) == (first, first_by)


def test_the_page_links_headlines_and_marks_single_words():
    documents = [
        _dated("1", FIRST, "2024-01-01T10:00"),
        _dated("2", FIRST.replace("12 машин", "12 больших машин"), "2024-01-02"),
    ]
    page = provenance_page([("g", provenance(documents))])
    for words in ('href="https://1.md/1"', '<span class="changed">больших</span>', "Published first"):
        assert words in page
    unsafe = [Document(id="1", text=FIRST, url="javascript:alert(1)"), Document(id="2", text=FIRST)]
    page = provenance_page([("g", provenance(unsafe))])
    assert "javascript:" not in page
    assert "Published first" not in page
