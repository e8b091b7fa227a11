"""Texts marked for pages: numbers and passages, in a part for each mark."""

from infostream_dedup.service.pages.judging_pages import _split, marked_text


def piece(text: str, passage: int = 0, word: int = 0) -> dict[str, object]:
    return {"text": text, "passage": passage, "word": word, "repeated": False}


def test_only_the_numbers_that_differ_are_marked() -> None:
    html = marked_text([piece("В 10:30 <7> и 3,5, но не 77.")], ["10:30", "7"], {})
    assert html == ('В <b class="number">10:30</b> &lt;<b class="number">7</b>&gt; и 3,5, но не 77.')
    assert marked_text([piece("В 10:30 & в 7", 2)], [], {}) == (
        '<mark class="p2 passage" data-passage="2" tabindex="-1"><sup>2</sup>В 10:30 &amp; в 7</mark>'
    )


def test_numbers_that_are_not_marked_cost_nothing() -> None:
    # A part for each number took twelve seconds for a document of three megabytes, while nobody else got an answer.
    assert _split("1 2 3 4 " * 1000, {"5"}) == ["1 2 3 4 " * 1000]
    assert _split("1 2 3 4 " * 1000, set()) == ["1 2 3 4 " * 1000]
