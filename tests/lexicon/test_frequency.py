"""Word frequencies of the tables made from wordfreq."""

import pytest

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon.frequency import (
    TAGS_FILE,
    FormFrequencies,
    ShareTable,
    common_forms,
    form_frequencies,
    form_table,
    packed,
    part_of_speech,
    unpacked,
    zipf,
)
from infostream_dedup.language.lexicon.tables import key_form
from infostream_dedup.model import OUR_LANGUAGES, Language


def test_yo_and_apostrophe_are_folded_and_summed() -> None:
    frequency = FormFrequencies(ShareTable.of({"ёж": 100, "еж": 200, "ім'я": 300}))
    assert frequency("еж") == pytest.approx(0.11)
    assert frequency("імʼя") == 0.001
    assert frequency("нет") == 0.0


def test_hyphenated_form_is_as_frequent_as_its_rarest_part() -> None:
    frequency = FormFrequencies(ShareTable.of({"премьер": 200, "министр": 100}))
    assert frequency("премьер-министр") == 0.01
    assert frequency("вице-министр") == 0.0


def test_common_words_are_more_frequent_than_rare_ones() -> None:
    frequency = form_frequencies("ru")
    assert frequency("и") > frequency("правительство") > frequency("кворум") > frequency("ыыщщ") == 0.0


def test_common_forms_are_words_of_letters_in_falling_order() -> None:
    forms = list(common_forms("uk"))
    shares = [share for _, share in forms]
    assert len(forms) > 40_000
    assert shares == sorted(shares, reverse=True)
    assert all(form == key_form(form) for form, _ in forms)
    assert not [form for form, _ in forms if any(char.isdigit() for char in form)]


@pytest.mark.parametrize(("share", "expected"), [(1.0, 9.0), (1e-6, 3.0), (0.0, 0.0), (1e-12, 0.0)])
def test_zipf_scale(share: float, expected: float) -> None:
    assert zipf(share) == expected


@pytest.mark.parametrize(
    ("word", "expected"), [("Пётр", "петр"), ("Ім’я", "імʼя"), ("П`ять", "пʼять"), ("NATO", "nato")]
)
def test_key_form(word: str, expected: str) -> None:
    assert key_form(word) == expected


@pytest.mark.parametrize("language", OUR_LANGUAGES)
def test_shares_are_those_of_wordfreq(language: Language) -> None:
    expected = pytest.importorskip("wordfreq").get_frequency_dict(language, "large")
    table = form_table(language)
    assert len(table.forms) == len(expected)
    sample = list(expected)[::97]
    assert [table.share(form) for form in sample] == [expected[form] for form in sample]
    assert [table.forms[place] for place in table.places_in_order().tolist()[::97]] == sample


@pytest.mark.parametrize(
    ("word", "tag"), [("government", "NN"), ("countries", "NNS"), ("run", "VB"), ("old", "JJ"), ("Reading", "NNP")]
)
def test_tags_of_words(word, tag):
    assert part_of_speech(word) == tag


def test_a_word_and_its_tag_come_back_from_the_file(tmp_path):
    tags = {"run": "VB", "Reading": "NNP", "reading": "NN", "mice": "NNS", "café": "NN"}
    path = tmp_path / "tags.bin"
    path.write_bytes(packed(tags))
    assert unpacked(path) == tags


def test_the_shipped_file_is_whole():
    tags = unpacked(TAGS_FILE)
    assert len(tags) == 94_118
    assert packed(tags) == TAGS_FILE.read_bytes()


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "tags.bin"
    content = bytearray(packed({"run": "VB"}))
    for seal in (True, False):
        content[-3] ^= 1
        path.write_bytes(content if seal else content.partition(b"\n")[2])
        with pytest.raises(BadDataError, match="install infostream-dedup again"):
            unpacked(path)
