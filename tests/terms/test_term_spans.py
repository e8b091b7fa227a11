"""Places of terms in a text."""

import pytest

from infostream_dedup import Settings, term_spans
from infostream_dedup.errors import ConfigurationError


def test_every_form_of_a_word_is_found_where_it_occurs() -> None:
    text = "Президент Зеленский в Киеве; президента ждут."
    found = term_spans(text, "ru", ["президент", "киев"])
    assert found == [(0, 9, "президент"), (22, 27, "киев"), (29, 39, "президент")]
    assert [text[start:end] for start, end, _ in found] == ["Президент", "Киеве", "президента"]


def test_apostrophes_and_stress_marks_belong_to_the_word() -> None:
    text = "Тут пр\u0435м’\u0454\u0301р."
    (found,) = term_spans(text, "uk", ["прем\u02bcєр"])
    assert text[found[0] : found[1]] == "прем’є\u0301р"


def test_words_are_those_of_the_cleaned_text() -> None:
    for written in [
        "сім‘я", "сім＇я", "сім''я",
        "сім&#39;я",
        "сім&amp;rsquo;я", "сім<unk>я", "сім 'я", "сі\u200bм\u2060'\u00adя", "прем\u0027єр\u2011міні\u0301стр",
    ]:  # fmt: skip
        text = f"\u202a{written}\u202c, <b>{written}</b>&nbsp;{written}\ufe0f"
        found = term_spans(text, "uk", ["сім", "премʼєр-міністр"], Settings(representation="stem"))
        assert [text[start:end] for start, end, _ in found] == [written] * 3


def test_addresses_tags_and_entities_have_no_words() -> None:
    text = "<table>Bank</table> https://bank.com/bank, bank@bank.com &bank; %(bank)s {bank} bank_bank"
    found = term_spans(text, "en", ["bank", "tabl"], Settings(representation="stem"))
    last = len(text)
    assert [one[:2] for one in found] == [(7, 11), (last - 9, last - 5), (last - 4, last)]


def test_stems_and_refusals() -> None:
    assert term_spans("Bridges and a bridge", "en", ["bridg"], Settings(representation="stem")) == [
        (0, 7, "bridg"),
        (14, 20, "bridg"),
    ]
    assert term_spans("Мост", "ru", []) == []
    with pytest.raises(ConfigurationError, match="language is 'de'"):
        term_spans("Brücke", "de", ["brücke"])  # type: ignore[arg-type]


def test_the_words_of_met_are_terms_before_translation() -> None:
    text, pivot = "Companies met a minister; Gates fell from the gate.", Settings(representation="pivot")
    found = [text[start:end] for start, end, _ in term_spans(text, "en", ["company", "minister", "gate"], pivot)]
    assert found == ["Companies", "minister", "Gates", "gate"]
    assert term_spans("В мосту", "ru", ["мост"], pivot) == [(2, 7, "мост")]
