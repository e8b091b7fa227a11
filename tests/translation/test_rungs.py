"""Single rungs and the rules behind them, by cases worked by hand."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.morphology.form_cache import terms_of
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation import Translator, romanisation, word_pairs
from infostream_dedup.language.translation.ladder import standard_rungs
from infostream_dedup.language.translation.rungs import Rung
from infostream_dedup.language.translation.rungs.cognates import (
    SkeletonRung,
    international_keys,
    international_words,
    leading_to,
)
from infostream_dedup.language.translation.rungs.dictionary import DictionaryRung, IdentityRung
from infostream_dedup.language.translation.rungs.names import NamesRung
from infostream_dedup.language.translation.slavic_cognates import IMPOSSIBLE, coarse_key, cognates, distance
from infostream_dedup.language.translation.target_lexicon import noun_lemmas
from infostream_dedup.model import Language
from infostream_dedup.terms.equivalents import SURE


def asked(rung: Rung, term: str, source: Language, target: Language) -> list[str]:
    return [one.term for one in rung.translate([term], source, target)[0]]


@pytest.mark.parametrize(("term", "source", "target", "expected"), [
    ("hdcp", "ru", "uk", ["hdcp"]), ("table", "en", "ru", []), ("дом", "ru", "uk", []),
    # The dictionary knows Фейсбук beside Facebook.
    ("facebook", "ru", "uk", []),
])  # fmt: skip
def test_identity_leaves_english_words_and_listed_names_to_others(term, source, target, expected) -> None:
    assert asked(IdentityRung(), term, source, target) == expected


def test_dictionary_orders_by_place_in_the_row() -> None:
    found = DictionaryRung().translate(["людина"], "uk", "ru")[0]
    assert found[0].term == "человек"
    assert asked(DictionaryRung(), "кошт", "uk", "ru")[0] == "средство"
    assert [one.confidence for one in found] == sorted((one.confidence for one in found), reverse=True)


@pytest.mark.parametrize(("term", "source", "target", "expected"), [
    # кошти is the plural of кошт, and робот is no case of робота.
    ("кошт", "uk", "ru", "средство"), ("робот", "uk", "ru", ["робот"]), ("переговоры", "ru", "en", "negotiation"),
    # A compound is translated by its last part, and a name of several words meets in the last.
    ("it-компания", "ru", "uk", ["it-компанія"]), ("экс-президент", "ru", "uk", ["екс-президент"]),
    ("экс-президент", "ru", "en", ["president"]), ("нью-йорк", "ru", "en", "york"), ("york", "en", "uk", "нью-йорк"),
    # Participles used as nouns are terms that meet.
    ("погибший", "ru", "uk", "загиблий"), ("загиблий", "uk", "ru", "погибший"),
])  # fmt: skip
def test_dictionary_keys_are_terms_as_documents_have_them(term, source, target, expected) -> None:
    found = asked(DictionaryRung(), term, source, target)
    assert found == expected if isinstance(expected, list) else expected in found


def test_imported_tables_serve_both_directions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INFOSTREAM_DEDUP_DATA", str(tmp_path))
    assert word_pairs.imported_pairs("ru", "uk") == []
    (tmp_path / "translations").mkdir()
    rows = ["\t".join(word_pairs.COLUMNS), "ru\tuk\tШмурдяк\tшмурдяка\tnoun\tboth", "en\tru\tx\ty\tnoun\tboth"]
    (tmp_path / "translations" / "mine.tsv").write_text("\n".join(rows), encoding="utf-8")
    assert word_pairs.imported_pairs("ru", "uk") == [("шмурдяк", "шмурдяка")]
    assert word_pairs.imported_pairs("uk", "ru") == [("шмурдяка", "шмурдяк")]
    assert word_pairs.imported_pairs("ru", "en") == [("y", "x")]
    word_pairs.word_pairs.cache_clear()
    try:
        assert asked(DictionaryRung(), "шмурдяк", "ru", "uk") == ["шмурдяка"]
    finally:
        word_pairs.word_pairs.cache_clear()


@pytest.mark.parametrize(
    "row", ["de\tuk\thaus\tдім\tnoun\tboth", "ru\tuk\t\tдім\tnoun\tboth", "ru\tuk\tдом\tдім\tnoun\tup", "ru\tuk\tдом"]
)
def test_broken_imported_tables_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str) -> None:
    monkeypatch.setenv("INFOSTREAM_DEDUP_DATA", str(tmp_path))
    (tmp_path / "translations").mkdir()
    (tmp_path / "translations" / "broken.tsv").write_text("\t".join(word_pairs.COLUMNS) + "\n" + row, encoding="utf-8")
    with pytest.raises(BadDataError, match=r"broken\.tsv"):
        word_pairs.imported_pairs("ru", "uk")


def test_names_are_respelt_by_rule() -> None:
    for name, source, expected in [
        ("житомирский", "ru", "житомірський"), ("рыжов", "ru", "рижов"), ("украинцев", "ru", "українцев"),
        ("лубинец", "ru", "лубінець"), ("гладкий", "ru", "гладкий"), ("вишневецький", "uk", "вишневецкий"),
        ("лубінець", "uk", "лубинец"), ("єрмолаєв", "uk", "ермолаев"),
    ]:  # fmt: skip
        assert romanisation.respelt(name, source)[0] == expected


def test_names_are_found_by_how_they_are_written() -> None:
    for name, source, target, expected in [
        ("стефанчук", "uk", "ru", "стефанчук"), ("лубінець", "uk", "ru", "лубинец"),
        ("зеленский", "ru", "uk", "зеленський"), ("дмитрий", "ru", "uk", "дмитро"),
        ("stefanchuk", "en", "uk", "стефанчук"), ("yermak", "en", "ru", "ермак"), ("thompson", "en", "ru", "томпсон"),
        ("томпсон", "ru", "en", "thompson"), ("гонсалес", "uk", "en", "gonzalez"),
        ("pashinyan", "en", "uk", "пашинян"), ("brovdenko", "en", "uk", "бровденко"),
    ]:  # fmt: skip
        assert expected in asked(NamesRung(), name, source, target)


@pytest.mark.parametrize(
    ("word", "source", "target"), [("table", "en", "ru"), ("стол", "ru", "uk"), ("кіт", "uk", "en")]
)
def test_common_nouns_are_not_names(word: str, source: Language, target: Language) -> None:
    assert asked(NamesRung(), word, source, target) == []


def test_spellings_of_a_name() -> None:
    spellings = ("зеленский", "зеленський", "zelenskyy", "zelensky", "zelenskiy", "zelenskyi", "zelenskii")
    assert {romanisation.latin_key(name) for name in spellings} == {"зеленски"}
    assert romanisation.latin_key("aliyev") == romanisation.latin_key("aliev") == romanisation.latin_key("алиев")
    assert romanisation.latin_key("порошенко") != romanisation.latin_key("тимошенко")
    # The official spelling comes first.
    assert romanisation.romanised("зеленський", "uk")[0] == "zelenskyi"
    assert "zelensky" in romanisation.romanised("зеленський", "uk")
    assert romanisation.romanised("щербаков", "ru")[0] == "shcherbakov"
    assert [romanisation.romanised(name, "uk")[0] for name in ("ярема", "маряна")] == ["yarema", "mariana"]
    assert romanisation.romanised("ёжик1", "ru") == []
    # Only names that look Slavic are written in Cyrillic.
    assert romanisation.cyrillised("kovalchuk", "uk") == "ковалчук"
    assert romanisation.cyrillised("vyshnevetskyi", "uk") == "вишневецький"
    assert romanisation.cyrillised("smith", "ru") is None


def test_names_cost_little_as_they_sound() -> None:
    for latin, cyrillic, most in [
        ("merkel", "меркель", 0.0), ("smith", "смит", 0.0), ("wright", "райт", 0.0), ("johnson", "джонсон", 0.1),
        ("schröder", "шрёдер", 0.3), ("guardiola", "гвардиола", 0.2), ("christopher", "кристофер", 0.1),
        ("gonzalez", "гонсалес", 0.2),
    ]:  # fmt: skip
        read, heard = romanisation.folded_latin(latin), romanisation.folded_cyrillic(cyrillic)
        assert romanisation.transcription_cost(read, heard) <= most
        assert romanisation.cyrillic_consonants(heard) in romanisation.latin_consonants(read)


def test_strangers_are_not_transcriptions() -> None:
    folded = romanisation.folded_latin("merkel"), romanisation.folded_cyrillic("макрон")
    assert romanisation.transcription_cost(*folded) == IMPOSSIBLE
    assert romanisation.transcription_cost("smith", "смайт", limit=0.05) == IMPOSSIBLE


@given(st.text(alphabet="abcdeghijklmnoprstuwyz", min_size=1, max_size=10))
def test_a_limit_changes_no_cost_below_it(latin: str) -> None:
    cyrillic = romanisation.folded_cyrillic(romanisation.latin_key(latin))
    cost = romanisation.transcription_cost(romanisation.folded_latin(latin), cyrillic)
    assert romanisation.transcription_cost(romanisation.folded_latin(latin), cyrillic, limit=0.4) == (
        cost if cost <= 0.4 else IMPOSSIBLE
    )


def test_slavic_cognates() -> None:
    for term, source, expected in [
        ("локомотив", "ru", "локомотив"), ("легализация", "ru", "легалізація"), ("неточность", "ru", "неточність"),
        ("подкуп", "ru", "підкуп"), ("пехотинец", "ru", "піхотинець"), ("базирование", "ru", "базування"),
        ("мʼясорубка", "uk", "мясорубка"), ("анексія", "uk", "аннексия"), ("піхотинець", "uk", "пехотинец"),
    ]:  # fmt: skip
        assert cognates([term], source, "uk" if source == "ru" else "ru")[0][0].term == expected


def test_cognates_are_nouns_in_use() -> None:
    # Slang of the dictionary (чєловєк) and Russian words of the Ukrainian web (инженерия) are refused.
    found = {one.term for answers in cognates(["человек", "инженерия"], "ru", "uk") for one in answers}
    assert "чєловєк" not in found
    assert "инженерия" not in found
    assert "інженерія" in found


def test_distance_by_hand() -> None:
    for one, other, source, expected in [
        ("лампа", "лампа", "ru", 0), ("рыба", "риба", "ru", 0), ("рог", "ріг", "ru", 0.5), ("ріг", "рог", "uk", 0.5),
        ("касса", "каса", "ru", 0.2), ("дом", "дома", "ru", IMPOSSIBLE),
    ]:  # fmt: skip
        assert distance(one, other, source) == expected
    assert distance("дом", "сад", "ru") >= IMPOSSIBLE


def test_keys_by_hand() -> None:
    assert coarse_key("місто") == coarse_key("место")
    assert coarse_key("колізія") == coarse_key("коллизия")
    assert coarse_key("дом") != coarse_key("дам")
    assert set(international_keys("философия", "ru")) & set(international_keys("philosophy", "en"))
    assert set(international_keys("криза", "uk")).isdisjoint(international_keys("prize", "en"))
    # An international word has the keys of all its endings in their order and, whatever its last letter, its stem.
    assert international_keys("privatization", "en")[:2] == ["privatIZATION", "privatisaTION"]
    assert international_keys("zigzag", "en") == ["sigsag"]
    assert international_keys("", "en") == []


@pytest.mark.parametrize(("term", "source", "target", "expected"), [
    ("приватизация", "ru", "en", "privatization"), ("імпровізація", "uk", "en", "improvisation"),
    ("сейсмолог", "ru", "en", "seismologist"), ("гипноз", "ru", "en", "hypnosis"),
    ("populist", "en", "uk", "популіст"), ("metabolism", "en", "ru", "метаболизм"),
    ("terminator", "en", "ru", "терминатор"),
])  # fmt: skip
def test_international_words(term: str, source: Language, target: Language, expected: str) -> None:
    assert expected in international_words([term], source, target)[0]


@pytest.mark.parametrize("term", ["косяк", "горсть", "рябина", "голова"])
def test_native_words_have_no_international_twin(term: str) -> None:
    assert international_words([term], "ru", "en") == [[]]


def test_the_skeleton_says_so() -> None:
    found = SkeletonRung().translate(["мийка"], "uk", "ru")[0]
    assert [(one.term, one.rung) for one in found] == [("мойка", "skeleton")]
    assert found[0].confidence < 0.5


def test_participles_used_as_nouns_are_terms() -> None:
    terms = ["погибший", "подозреваемый", "заключенный"]
    forms = [Form(form, Shape.LOWER) for form in ("погибших", "подозреваемого", "заключенных")]
    assert terms_of(forms, "ru", strict=False) == terms


RUNGS = (IdentityRung(), DictionaryRung())


def translated(term, target="ru"):
    return [one.term for one in Translator("en", target, rungs=RUNGS).translate([term])[0]]


@pytest.mark.parametrize(("form", "term", "marks"), [
    ("mark", "mark", ("mark", "MARK", "Mark", "MARK")),
    ("turkeyʼs", "turkey", ("turkey", "TURKEY", "Turkey", "TURKEY")),
    # Gates is a surname, but Gate is not.
    ("gates", "gate", ("gate", "GATES", "Gates", "GATES")), ("gate", "gate", ("gate",) * 4),
    # No name, a name that is no noun, and a noun that is translated in names.
    ("bridge", "bridge", ("bridge",) * 4), ("poland", "poland", ("poland",) * 4), ("west", "west", ("west",) * 4),
])  # fmt: skip
def test_a_mark_shows_how_the_text_writes_the_word(form, term, marks):
    assert tuple(word_pairs.marked_term(Form(form, shape), term) for shape in Shape) == marks
    assert {word_pairs.plain_term(mark) for mark in marks} == {term}


def test_the_equivalents_of_a_name_come_first_and_the_noun_stays():
    assert translated("turkey") == ["индейка", "турция"]
    assert translated("Turkey") == ["турция", "индейка"]
    assert translated("Gates") == ["гейтс", *(one for one in translated("gate") if one != "гейтс")]
    assert translated("Turkey", "uk")[0] == "туреччина"
    assert translated("Turkey", "en") == ["turkey"]


@pytest.mark.parametrize("target", ["ru", "uk"])
def test_noun_and_name_match_the_same_words(target):
    for form in sorted(word_pairs.names_of_nouns()):
        name = form.capitalize()
        assert word_pairs.is_marked(name)
        assert sorted(translated(name, target)) == sorted(translated(word_pairs.plain_term(name), target))


TERMS = ["Mark", "MARK", "mark", "Gates", "GATES", "gate", "bridge"]


def numbered():
    marked = word_pairs.Marked(np.arange(len(TERMS)), np.full(len(TERMS), -1))
    for number, term in enumerate(TERMS):
        if word_pairs.is_marked(term):
            marked.enter(number, term, TERMS.index)
    return marked


def by_definition(terms):
    """A document at a time: a name is written with a capital inside a sentence and never as a noun in lower case."""
    found = []
    for term in terms:
        name = term.capitalize()
        as_name = word_pairs.is_marked(term) and name in terms and word_pairs.plain_term(term) not in terms
        found.append(name if as_name else word_pairs.plain_term(term))
    return found


@pytest.mark.parametrize(("terms", "found"), [
    (["Mark"], ["Mark"]), (["MARK"], ["mark"]), (["Mark", "MARK"], ["Mark", "Mark"]),
    (["Mark", "MARK", "mark"], ["mark", "mark", "mark"]), (["Gates", "mark", "MARK"], ["Gates", "mark", "mark"]),
    (["bridge"], ["bridge"]),
])  # fmt: skip
def test_a_document_writes_a_name_if_nothing_in_it_says_noun(terms, found):
    assert by_definition(terms) == found
    numbers = np.array([TERMS.index(term) for term in terms])
    assert [TERMS[one] for one in word_pairs.decided(np.zeros_like(numbers), numbers, numbered())] == found


@given(st.lists(st.sets(st.sampled_from(TERMS)).map(sorted), max_size=6))
def test_documents_are_decided_one_by_one(documents):
    owners = np.repeat(np.arange(len(documents)), [len(terms) for terms in documents])
    terms = np.array([TERMS.index(term) for document in documents for term in document], dtype=np.int32)
    found = [TERMS[one] for one in word_pairs.decided(owners, terms, numbered())]
    assert found == [term for document in documents for term in by_definition(document)]


@pytest.mark.parametrize("source", ["ru", "uk"])
def test_all_terms_that_surely_lead_to_english_words_are_kept(source: Language) -> None:
    terms = [*noun_lemmas(source).common[::60], *noun_lemmas(source).names[::20], "it-компания", "вест-бенч", "7"]
    answers = Translator(source, "en", rungs=standard_rungs()).translate(terms)
    words = sorted({one.term for found in answers for one in found})
    for start in range(9):
        wanted = set(words[start::9])
        sure = [{one.term for one in found if one.confidence >= SURE} for found in answers]
        leading = {term for term, found in zip(terms, sure, strict=True) if found & wanted}
        assert leading <= set(leading_to(wanted, terms, source)) < set(terms)
    assert leading_to(words, [], source) == leading_to([], terms, source) == []
