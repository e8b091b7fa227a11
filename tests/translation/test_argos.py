import builtins
import importlib.util
import logging
import os
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.translation import model_files
from infostream_dedup.language.translation.model_files import LoadedModel, best_models
from infostream_dedup.language.translation.rungs import Translation
from infostream_dedup.language.translation.rungs.argos import ArgosRung, phrase_of, single_term
from infostream_dedup.model import OUR_LANGUAGES

KNOWN = {
    "уряд": "правительство", "голова": "председатель", "зміна": "изменение", "участь": "участие", "думка": "мнение",
    "місто": "город", "питання": "вопрос", "відповідь": "ответ", "рішення": "решение", "зустріч": "встреча",
    "гроші": "деньги", "людина": "человек", "нафта": "нефть", "ринок": "рынок", "ціна": "цена", "війна": "война",
    "памʼять": "память", "подія": "событие", "країна": "страна", "вибори": "выборы", "київ": "киев",
}  # fmt: skip
REFUSED = {
    "банк": "a copy", "постанова": "two words", "серпень": "a stutter", "жовтень": "the wrong alphabet",
    "рік": "a word of time, which is no term",
}  # fmt: skip


@pytest.fixture
def rung(models_of):
    return ArgosRung(folder=models_of("uk_ru"))


@pytest.fixture
def through_english(models_of):
    return ArgosRung(folder=models_of("uk_en", "en_ru"))


def without(monkeypatch, *packages):
    """As if the packages were not installed."""
    real = builtins.__import__

    def refuse(name, *arguments, **options):
        if name.partition(".")[0] in packages:
            raise ImportError(f"No module named {name!r}")
        return real(name, *arguments, **options)

    for name in list(sys.modules):
        if name.partition(".")[0] in packages:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", refuse)


def test_the_words_the_model_knows_are_translated(rung, no_network):
    assert rung.translate(list(KNOWN), "uk", "ru") == [(Translation(word, "argos", 0.8),) for word in KNOWN.values()]


def test_the_faults_of_models_are_refused(rung):
    assert all(LoadedModel(rung.route("uk", "ru")[0]).translate(list(REFUSED))), "the model writes something for each"
    assert rung.translate(list(REFUSED), "uk", "ru") == [()] * len(REFUSED)


def test_without_a_direct_model_the_way_is_through_english(through_english, no_network):
    words = {
        "уряд": "правительство",  # the government
        "місто": "город",
        "гроші": "деньги",  # Money.
        "премʼєр-міністр": "премьер-министр",  # prime minister: several words on the way
        "закон": None,  # a copy at the first model
        "травень": None,  # one word twice at the first model
        "будинок": None,  # several words at the end
    }
    answers = through_english.translate(list(words), "uk", "ru")
    assert answers == [(Translation(word, "argos", 0.64),) if word else () for word in words.values()]
    assert through_english.translate(["уряд", "закон"], "uk", "en") == [(Translation("government", "argos", 0.8),), ()]


def test_a_direct_model_comes_first(models_of):
    rung = ArgosRung(folder=models_of("uk_en", "en_ru", "uk_ru"))
    assert [model.target for model in rung.route("uk", "ru")] == ["ru"]
    assert rung.translate(["уряд"], "uk", "ru")[0][0].confidence == 0.8


def test_no_model_no_answer(tmp_path, rung):
    nothing = ArgosRung(folder=tmp_path / "not there")
    for source in OUR_LANGUAGES:
        for target in OUR_LANGUAGES:
            assert nothing.translate(["уряд", "мир"], source, target) == [(), ()]
    assert rung.translate(["правительство"], "ru", "uk") == [()]
    assert rung.translate([], "uk", "ru") == []


def test_answers_do_not_depend_on_the_batch(rung):
    terms = [*KNOWN, *REFUSED, "невідоме", "щось", "місячник"]
    whole = dict(zip(terms, rung.translate(terms, "uk", "ru"), strict=True))
    assert {term: rung.translate([term], "uk", "ru")[0] for term in terms} == whole
    for size in (2, 7, 300):
        # Every batch is another mixture: 331 is prime, the number of terms smaller.
        many = [terms[number * 331 % len(terms)] for number in range(300)]
        parts = [many[start : start + size] for start in range(0, len(many), size)]
        answers = [answer for part in parts for answer in rung.translate(part, "uk", "ru")]
        assert answers == [whole[term] for term in many]


@pytest.mark.parametrize("package", ["ctranslate2", "sentencepiece"])
def test_a_missing_extra_is_said_once(models_of, monkeypatch, caplog, package):
    rung = ArgosRung(folder=models_of("uk_ru"))
    without(monkeypatch, package)
    with caplog.at_level(logging.WARNING):
        assert rung.translate(["уряд"], "uk", "ru") == [()]
        assert rung.translate(["місто", "уряд"], "uk", "ru") == [(), ()]
    assert len(caplog.records) == 1
    assert "[translate]" in caplog.text
    assert package in caplog.text


@pytest.mark.skipif(importlib.util.find_spec("argostranslate") is not None, reason="argostranslate is there")
def test_the_rare_packages_with_bpe_need_argostranslate(models_of, tmp_path, caplog):
    folder = shutil.copytree(models_of("uk_ru"), tmp_path / "models")
    package = next(folder.glob("translate-*"))
    (package / "sentencepiece.model").rename(package / "bpe.model")
    # Installed by another program: ours notes checksums, which the new name would break.
    (package / "infostream-dedup-checksums.json").unlink()
    assert ArgosRung(folder=folder).translate(["уряд"], "uk", "ru") == [()]
    assert "bpe.model needs the package argostranslate" in caplog.text


def test_without_models_a_missing_extra_is_nobodys_business(tmp_path, monkeypatch, caplog):
    without(monkeypatch, "ctranslate2", "sentencepiece")
    assert ArgosRung(folder=tmp_path).translate(["уряд"], "uk", "ru") == [()]
    assert not caplog.records


def test_a_model_that_was_damaged_later_is_named(models_of, tmp_path):
    folder = shutil.copytree(models_of("uk_ru"), tmp_path / "models")
    weights = next(folder.glob("translate-*")) / "model" / "model.bin"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(BadDataError, match=r"translate-uk_ru-1_0.*install it \[E_MODEL\]"):
        ArgosRung(folder=folder).translate(["уряд"], "uk", "ru")


def test_a_prefix_for_the_target_language_is_given_and_taken_away(models_of):
    model = best_models(models_of("uk_en", "en_ru"))["en", "ru"]
    assert model.target_prefix == ">>ru<<"
    assert LoadedModel(model).translate(["city", "oil"]) == ["город", "нефть"]
    assert LoadedModel(replace(model, target_prefix="")).translate(["city"]) != ["город"]


def test_an_output_without_end_gives_no_term(models_of, monkeypatch):
    monkeypatch.setattr(model_files, "LONGEST_OUTPUT", 6)
    assert LoadedModel(best_models(models_of("uk_ru"))["uk", "ru"]).translate(["рік", "уряд"]) == ["год", ""]


def test_a_processor_without_the_newest_instructions_gives_the_same_words(models_of):
    program = (
        "import sys; from pathlib import Path\n"
        "from infostream_dedup.language.translation.rungs.argos import ArgosRung\n"
        "rung = ArgosRung(folder=Path(sys.argv[1]))\n"
        "print([word.term for (word,) in rung.translate(sys.argv[2:], 'uk', 'ru')])"
    )
    # Products of 8-bit numbers would saturate here, and end in other words.
    older = {**os.environ, "CT2_FORCE_CPU_ISA": "GENERIC", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", program, str(models_of("uk_ru")), *KNOWN]
    done = subprocess.run(command, env=older, check=True, capture_output=True, encoding="utf-8")
    assert done.stdout.strip() == repr(list(KNOWN.values()))


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
        ("мир и", "світ", "ru", "two words, one of which is no form"),
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
