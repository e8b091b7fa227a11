from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.translation.machine_output import phrase_of, single_term


def test_a_good_answer_becomes_a_term():
    for output, term, target, answer in [
        ("правительство", "уряд", "ru", "правительство"), ("Правительство.", "уряд", "ru", "правительство"),
        ("«Киев»", "київ", "ru", "киев"), ("выборов", "вибори", "ru", "выборы"),
        ("пам'ять", "память", "uk", "памʼять"), ("The government", "уряд", "en", "government"),
        ("Oil!", "нафта", "en", "oil"), ("премьер-министр", "премʼєр-міністр", "ru", "премьер-министр"),
    ]:  # fmt: skip
        assert single_term(output, term, target) == answer


def test_what_is_not_an_equivalent_gives_nothing():
    for output, term, target, why in [
        ("", "уряд", "ru", "empty"), (" . ", "уряд", "ru", "no word"),
        ("⁇ правительство", "уряд", "ru", "a piece that the model does not know"),
        ("<unk>", "уряд", "ru", "a piece that the model does not know"), ("банк", "банк", "ru", "a copy"),
        ("Банк.", "банк", "ru", "a copy"), ("prime minister", "премʼєр-міністр", "en", "two words"),
        ("принятое постановление", "постанова", "ru", "two words"), ("тетететете", "серпень", "ru", "a stutter"),
        ("правительствоправительство", "правитель", "ru", "a stutter"),
        ("октябрь октябрь", "жовтень", "ru", "one word twice"), ("government", "уряд", "ru", "another alphabet"),
        ("уряд", "правительство", "en", "another alphabet"),
        ("участє", "участь", "ru", "a letter of another language"),
        ("рыба", "риба", "uk", "a letter of another language"),
        ("человеконенавистничество", "зло", "ru", "longer than three times"), ("который", "уряд", "ru", "no noun"),
        ("the", "уряд", "en", "a stop word"), ("год", "рік", "ru", "a word of time, which is no term"),
    ]:  # fmt: skip
        assert single_term(output, term, target) is None, why


def test_several_words_may_go_on_to_the_next_model():
    assert phrase_of("The prime minister.", "премʼєр-міністр", "en") == "prime minister"
    assert phrase_of("the", "уряд", "en") == "the"
    assert phrase_of("the the", "уряд", "en") == "the"


def test_a_word_with_a_doubled_syllable_is_a_word():
    assert single_term("кускус", "couscous", "ru") == "кускус"


@given(st.text(max_size=60), st.sampled_from(["уряд", "мир", "oil"]), st.sampled_from(["ru", "uk", "en"]))
def test_any_output_gives_a_term_or_nothing(output, term, target):
    answer = single_term(output, term, target)
    assert answer is None or (answer and " " not in answer and answer != term and answer == answer.casefold())
