"""Proper names no dictionary knows: all cases of one name must meet."""

from infostream_dedup.language.morphology.analyzer import nominatives, predicted_nominative


def nothing(_: str) -> float:
    return 0.0


def test_forms_of_a_name_nobody_has_seen_meet() -> None:
    for language, forms, expected in [
        ("ru", "Гжельбор Гжельбора Гжельбору Гжельбором Гжельборе", "гжельбор"),
        ("ru", "Гжельборский Гжельборского Гжельборскому Гжельборским Гжельборском Гжельборская", "гжельборский"),
        ("ru", "Гжельборов Гжельборова Гжельборову Гжельборовым Гжельборове Гжельборовой", "гжельборов"),
        ("ru", "Гжельбай Гжельбая Гжельбаю Гжельбаем Гжельбае", "гжельбай"),
        ("ru", "Гжельбория Гжельбории Гжельборию Гжельборией", "гжельбория"),
        ("uk", "Гжельбор Гжельбора Гжельбору Гжельборові Гжельбором", "гжельбор"),
        ("uk", "Гжельборський Гжельборського Гжельборському Гжельборським Гжельборська Гжельборської", "гжельборський"),
        ("uk", "Гжельбенко Гжельбенка Гжельбенку Гжельбенкові Гжельбенком", "гжельбенко"),
        ("uk", "Гжельборін Гжельборіна Гжельборіну Гжельборіним Гжельборіної", "гжельборін"),
    ]:
        assert {predicted_nominative(form.lower(), language, nothing) for form in forms.split()} == {expected}


def test_frequency_decides_where_to_cut() -> None:
    seen = {"вифлеем": 9.0, "вифлеема": 5.0, "вифлееме": 5.0}
    assert predicted_nominative("вифлеем", "ru", lambda word: seen.get(word, 0.0)) == "вифлеем"
    assert predicted_nominative("вифлеем", "ru", nothing) == "вифлей"


def test_frequency_decides_the_nominative() -> None:
    seen = {"шольц": 2.0, "шольца": 3.0}
    assert predicted_nominative("шольцем", "ru", lambda word: seen.get(word, 0.0)) == "шольц"


def test_vowel_of_the_nominative_that_other_cases_drop() -> None:
    assert predicted_nominative("лубинцем", "ru", lambda word: float(word == "лубинец")) == "лубинец"


def test_short_words_are_not_cut() -> None:
    assert predicted_nominative("мэй", "ru", nothing) == "мэй"


def test_nominatives_hold_the_form_and_its_lemma() -> None:
    found = list(nominatives("зеленского", "ru"))
    assert found[0] == "зеленского"
    assert "зеленский" in found
    assert "примар" in list(nominatives("примаров", "ru"))
    assert list(nominatives("johnsons", "en")) == ["johnsons"]
