"""The check of the dictionaries: every kind of fault in a folder made for it, none in the shipped one."""

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup import dictionaries
from infostream_dedup.errors import BadDataError, CannotCreateError, ConfigurationError, NoInputError
from infostream_dedup.lab import word_lookup as lookup
from infostream_dedup.lab.dictionary_check import COLUMNS, Finding, broken_round_trips, check
from infostream_dedup.lab.dictionary_imports import Imported, import_table, installed_tables, remove_table
from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.tables import TableRow
from infostream_dedup.language.lexicon.word_lists import NO_NAME, NameKind
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.language.translation import Translator
from infostream_dedup.language.translation.target_lexicon import frequent_words
from infostream_dedup.language.translation.word_pairs import forget_imported, imported_pairs, word_pairs

Found = Callable[..., list[str]]


@pytest.fixture
def found(tmp_path: Path) -> Found:
    """``found("nouns.tsv", "ru\\tдом\\tnew")``: what a check says of such rows, without the advice."""

    def look(name: str, *rows: str, more: dict[str, tuple[str, ...]] | None = None) -> list[str]:
        for file, lines in {name: rows, **(more or {})}.items():
            (tmp_path / file).write_text("\n".join(("\t".join(COLUMNS[file]), *lines, "")), encoding="utf-8")
        return [str(replace(one, advice="")).removesuffix("; ") for one in check(tmp_path).findings]

    return look


def test_shipped_dictionaries_have_no_defects() -> None:
    checked = check()
    assert [str(one) for one in checked.defects] == []
    assert checked.round_trips
    assert checked.files == 14
    assert checked.rows > 12_000
    # Rare names that nothing installed confirms.
    assert 0 < len(checked.findings) < 300


def test_a_finding_says_where_what_and_what_to_do() -> None:
    finding = Finding("defect", "nouns.tsv", 3, "word", "empty", "give the word")
    assert str(finding) == "nouns.tsv:3:word: empty; give the word"
    assert str(Finding("defect", "nouns.tsv", 3, "", "two cells", "mend it")) == "nouns.tsv:3: two cells; mend it"


@pytest.mark.parametrize(("row", "field", "told"), [
    ("уряд\tуряд\tgovernment\tnoun", "", "4 cells; expected 5"),
    ("правительство\t\tgovernment\tnoun\town", "uk", "empty"),
    ("правительство\tурыд\tgovernment\tnoun\town", "uk", "has 'ы', which Ukrainian words do not have"),
    ("правительство\tуряд|\tgovernment\tnoun\town", "uk", "contains an empty variant"),
    ("правительство\tуряд|Уряд\tgovernment\tnoun\town", "uk", "is repeated in the cell"),
    ("правительство\tуряд\tgovernment\tverb\town", "pos", "'verb'; expected noun or adj"),
    ("правительство\tуряд\tgovernment\tnoun\t", "source", "empty"),
    ("правительство\tурядобздик\tgovernment\tnoun\town", "uk", "known neither to the morphological dictionary"),
    ("правительство\tуряд\tgovernmentation\tnoun\town", "en", "known neither to the morphological dictionary"),
    ("править\tуряд\tgovernment\tnoun\town", "ru", "is not a noun (INFN)"),
    ("правительством\tуряд\tgovernment\tnoun\town", "ru", "is not a nominative"),
    ("правительство\tкацап\tgovernment\tnoun\town", "uk", "on the block-list"),
    ("правительство\tуряд \tgovernment\tnoun\town", "uk", "extra blanks"),
])  # fmt: skip
def test_faults_of_concepts(found: Found, row: str, field: str, told: str) -> None:
    (said,) = found("translations.tsv", row, more={"blocklist.tsv": ("uk\tкацап\tslur",)})
    assert said.startswith(":".join(filter(None, ("translations.tsv:2", field))) + ": ")
    assert told in said


def test_a_good_concept_has_no_fault(found: Found) -> None:
    rows = (
        "правительство\tуряд\tgovernment|cabinet\tnoun\town", "средство|деньги\tкошти|засіб\tmeans\tnoun\town",
        "политолог\tполітолог\tpolitical scientist\tnoun\town", "раненый\tпоранений\twounded\tadj\town",
        "стрелец\tстрілець\tstrelets\tnoun\town", "декоммунизация\tдекомунізація\tdecommunisation\tnoun\town",
    )  # fmt: skip
    assert found("translations.tsv", *rows) == []


def test_two_rows_of_one_concept(found: Found) -> None:
    said = found("translations.tsv", "ёлка\tялинка\tfir\tnoun\town", "елка\tялинка\tfir|spruce\tnoun\town")
    assert said == ["translations.tsv:3:ru: 'елка' with 'fir' is also at the start of line 2"]
    assert found("translations.tsv", "свет\tсвітло\tlight\tnoun\town", "свет\tсвіт\tworld\tnoun\town") == []


def test_false_friends_contradict_translations(found: Found) -> None:
    concepts = ("повестка\tпорядок денний|повістка\tagenda\tnoun\town",)
    wrong = "повестка\tповістка\tпорядок денний\tвызов в суд"
    right = "повестка\tповістка\tпорядок денний|повістка\tвызов в суд"
    (said,) = found("false_friends.tsv", wrong, more={"translations.tsv": concepts})
    assert said == "false_friends.tsv:2:uk: повестка - повістка is declared wrong here, but translations.tsv:2 gives it"
    assert found("false_friends.tsv", right, more={"translations.tsv": concepts}) == []


def test_a_noun_may_not_be_a_name_in_nearly_all_texts(found: Found) -> None:
    names = {
        "surnames.tsv": ("Миллер\tМіллер\tMiller\tbusiness", "Роуз\tРоуз\tRose\tculture", "Форд\tФорд\tFord\tbusiness")
    }
    rows = (
        "мельник\tмельник\tmiller\tnoun\town", "форд\tформ\tford\tnoun\town", "роза\tтроянда\trose\tnoun\town",
        "христианин\tхристиянин\tchristian\tnoun\town",
    )  # fmt: skip
    told = [one for one in found("translations.tsv", *rows, more=names) if "in nearly all texts" in one]
    assert told == ["translations.tsv:2:en: 'miller' is the name миллер in nearly all texts"]


def test_faults_of_names(found: Found) -> None:
    said = found(
        "places.tsv", "Киев\tКиїв\tKyiv|Kiev\tcapital", "Киев\tСтолиця\tKievan\ttown", "Сумы\tСуми\tGorzbluft\tcity"
    )
    kinds = "capital, city, continent, country, district, island, lake, mountain, region, river, sea, village"
    assert said == [
        f"places.tsv:3:kind: 'town'; expected one of {kinds}", "places.tsv:3:ru: 'Киев' is also in line 2",
        "places.tsv:4:en: 'gorzbluft' is not in any source, nor spelt like the name in another language",
    ]  # fmt: skip


def test_a_name_is_confirmed_by_another_language(found: Found) -> None:
    # Its English spelling is in no list.
    assert found("surnames.tsv", "Стефанчук\tСтефанчук\tStefanchuk\tpolitician") == []


@pytest.mark.parametrize(("name", "row", "told"), [
    ("excluded.tsv", "de\tянварь\tmonth", "excluded.tsv:2:language: 'de'"),
    ("excluded.tsv", "ru\tянварь\t", "excluded.tsv:2:why: empty"),
    ("excluded.tsv", "ru\t\tmonth", "excluded.tsv:2:word: empty"),
    ("nouns.tsv", "ru\tц\u0069на\tnew", "nouns.tsv:2:word: 'ц\u0069на' mixes Latin and Cyrillic letters"),
    ("nouns.tsv", "ru\tціна\tnew", "nouns.tsv:2:word: 'ціна' has 'і', which Russian"),
    ("repairs.tsv", "ru\tгод\tгоду\tshort", "repairs.tsv:2:lemma: 'году' is not a nominative"),
    ("repairs.tsv", "ru\tгод\tгодобздик\tshort", "repairs.tsv:2:lemma: 'годобздик' is not in any source"),
    ("false_friends.tsv", "неделя\tнеділя\tтиждень\t", "false_friends.tsv:2:meaning: empty"),
    ("false_friends.tsv", "неделя\tнеділя\t\tвоскресенье", "false_friends.tsv:2:right_uk: empty"),
    ("false_friends.tsv", "недэлька\tнеділя\tтиждень\tвоскресенье", "false_friends.tsv:2:ru: 'недэлька' is known"),
])  # fmt: skip
def test_faults_of_word_lists_and_false_friends(found: Found, name: str, row: str, told: str) -> None:
    (said,) = found(name, row)
    assert said.startswith(told)


def test_a_word_is_once_in_a_list(found: Found) -> None:
    assert found("excluded.tsv", "ru\tмай\tmonth", "ru\tМай\tmonth", "uk\tмай\tmonth") == [
        "excluded.tsv:3:word: 'май' is also in line 2"
    ]


def test_stop_lists(tmp_path: Path) -> None:
    (tmp_path / "stop_ru.txt").write_text("# list\nи\nІ\nего # of him\nи\n", encoding="utf-8")
    assert [str(one).partition("; ")[0] for one in check(tmp_path).findings] == [
        "stop_ru.txt:3:word: 'І' has 'І', which Russian words do not have",
        "stop_ru.txt:3:word: 'І' is not a key form", "stop_ru.txt:5:word: 'и' is also in line 2",
    ]  # fmt: skip


def test_text_that_is_not_a_table(tmp_path: Path) -> None:
    (tmp_path / "nouns.tsv").write_bytes(b"language,word,why\n\xff\nru\tx\r\n")
    said = [str(one) for one in check(tmp_path).findings]
    assert "nouns.tsv:1: the header is 'language,word,why'; expected the columns language, word, why;" in said[0]
    assert said[1] == "nouns.tsv:2: byte 0 of the line is not UTF-8; save the file as UTF-8"
    assert said[2].startswith("nouns.tsv:3: a carriage return")


def test_a_folder_without_dictionaries(tmp_path: Path) -> None:
    with pytest.raises(NoInputError, match=r"no dictionary in it; expected translations\.tsv"):
        check(tmp_path)


def test_round_trips_are_tried_in_the_tables_in_use() -> None:
    cells = {"ru": "правительство", "uk": "уряд", "en": "government", "pos": "noun", "source": "own"}
    good, bad = TableRow("translations.tsv", 2, cells), TableRow("translations.tsv", 3, {**cells, "uk": "хвилеріз"})
    assert list(broken_round_trips([good])) == []
    assert {one.field for one in broken_round_trips([bad])} == {"ru", "uk", "en"}


SHARES = {"бежать": 5e-6, "завода": 3e-6, "зеленского": 2e-6, "заводы": 1e-6, "бзыбрюмов": 1e-6}


class Dictionary:
    """Stands for pymorphy3's nouns."""

    def nouns(self) -> list[tuple[str, NameKind]]:
        return [("завод", NO_NAME), ("абажур", NO_NAME), ("абакумов", NameKind.SURNAME)]


@pytest.fixture
def few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "frequent_words", lambda _: tuple(SHARES))
    monkeypatch.setattr(lookup, "form_frequencies", lambda _: SHARES.__getitem__)
    monkeypatch.setattr(lookup, "readings_of", lambda _: Dictionary())
    for name, empty in (("names", dict), ("personal_names", frozenset), ("added_nouns", dict)):
        monkeypatch.setattr(lookup, name, lambda _, empty=empty: empty())


@pytest.mark.usefixtures("few_words")
def test_forms_are_summed_and_words_out_of_use_follow() -> None:
    factory, president, *others = lookup.frequency_dictionary("ru")
    # 3 + 1 in a million words are 4,000 in a billion: log10 is 3.60.
    assert factory == lookup.DictionaryEntry(
        term="завод", kinds=("noun",), share=4e-6, source="pymorphy3", forms=("завода", "заводы")
    )
    assert factory.zipf == 3.6
    assert (president.term, president.kinds, president.share) == ("зеленский", ("surname",), 2e-6)
    # No verbs, and no guesses.
    assert [(one.term, one.kinds, one.zipf, one.forms) for one in others] == [
        ("абажур", ("noun",), 0.0, ()),
        ("абакумов", ("surname",), 0.0, ()),
    ]


@pytest.mark.usefixtures("few_words")
def test_most_takes_the_most_frequent_forms_alone() -> None:
    assert [(one.term, one.share) for one in lookup.frequency_dictionary("ru", most=2)] == [("завод", 3e-6)]


@pytest.mark.parametrize("language", ["ru", "uk", "en"])
def test_terms_are_those_of_the_morphology(language: str) -> None:
    morphology, frequency = Morphology(language), form_frequencies(language)
    expected: dict[str, float] = {}
    for form in frequent_words(language)[:1500]:
        term = morphology.noun_term(form, Shape.START, strict=True)
        if term is not None:
            expected[term] = expected.get(term, 0.0) + frequency(form)
    entries = lookup.frequency_dictionary(language, most=1500)
    assert {one.term: one.share for one in entries} == expected
    assert entries == sorted(entries, key=lambda one: (-one.share, one.term))
    assert all(one.forms == tuple(sorted(one.forms, key=lambda form: -frequency(form))) for one in entries)


def test_tables_hold_what_the_rows_and_the_manifest_say(tmp_path: Path) -> None:
    rows = dictionaries.build(tmp_path / "new" / "folder", "uk,en,uk", most=400)
    assert [row["language"] for row in rows] == ["uk", "en"]
    manifest = json.loads((tmp_path / "new/folder/manifest.json").read_bytes())
    for row in rows:
        path = Path(row["file"])
        with path.open(encoding="utf-8", newline="") as file:
            terms = list(csv.DictReader(file, delimiter="\t"))
        assert len(terms) == row["terms"] == row["in_use"] > 50
        common = {"noun", "stem"}
        assert sum(not common.isdisjoint(one["kinds"].split("|")) for one in terms) == row["nouns"]
        assert sum("place" in one["kinds"].split("|") for one in terms) == row["places"]
        assert manifest["tables"][path.name] == {"terms": len(terms), "sha256": sha256(path.read_bytes()).hexdigest()}
    assert (manifest["most_frequent_forms"], "pymorphy3" in manifest["packages"]) == (400, True)
    ukraine = (tmp_path / "new/folder/uk.tsv").read_text(encoding="utf-8").splitlines()[1].split("\t")
    assert ukraine == ["україна", "place", "6.77", "pymorphy3", "україни україні україна україну"]


def test_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        dictionaries.build(tmp_path / name, ["ru"], most=300)
    for file in ("ru.tsv", "manifest.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_the_manifest_names_the_tables_of_the_last_run_and_rows_no_line_of_a_list(tmp_path: Path) -> None:
    dictionaries.build(tmp_path, "ru", most=3000)
    sources = {line.split("\t")[3] for line in (tmp_path / "ru.tsv").read_text(encoding="utf-8").splitlines()}
    assert "organisations.tsv" in sources
    assert not any(":" in source for source in sources)
    dictionaries.build(tmp_path, "en", most=10)
    assert list(json.loads((tmp_path / "manifest.json").read_bytes())["tables"]) == ["en.tsv"]


def test_the_default_is_the_folder_of_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INFOSTREAM_DEDUP_DATA", str(tmp_path))
    (row,) = dictionaries.build(languages="en", most=10)
    assert Path(row["file"]) == tmp_path / "frequency-dictionaries" / "en.tsv"


def test_what_cannot_be_built_is_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work began")

    monkeypatch.setattr("infostream_dedup.lab.word_lookup.frequency_dictionary", work)
    with pytest.raises(ConfigurationError, match="language is 'de'; expected one of ru, uk, en"):
        dictionaries.build(tmp_path, "ru,de")
    with pytest.raises(ConfigurationError, match="most is 0; expected a whole number"):
        dictionaries.build(tmp_path, "ru", most=0)
    for most in (True, 2.5, "5"):
        with pytest.raises(ConfigurationError, match="expected a whole number"):
            dictionaries.build(tmp_path, "ru", most=most)
    with pytest.raises(ConfigurationError, match="no language is named"):
        dictionaries.build(tmp_path, ())
    with pytest.raises(ConfigurationError, match="the folder has an empty name"):
        dictionaries.build("", "ru")
    with pytest.raises(CannotCreateError, match="null"):
        dictionaries.build("a\0b", "ru")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CannotCreateError, match="file' cannot be created: File exists"):
        dictionaries.build(tmp_path / "file", "ru")
    (tmp_path / "ru.tsv").mkdir()
    with pytest.raises(CannotCreateError, match=r"ru\.tsv: it is a directory"):
        dictionaries.build(tmp_path, "ru")


@pytest.mark.slow
def test_whole_dictionaries_have_the_words_of_all_sources(tmp_path: Path) -> None:
    (row,) = dictionaries.build(tmp_path, "ru")
    with Path(row["file"]).open(encoding="utf-8", newline="") as file:
        entries = {one["term"]: one for one in csv.DictReader(file, delimiter="\t")}
    assert len(entries) == row["terms"] > 150_000
    assert row["surnames"] > 50_000
    assert row["organisations"] > 6_000
    assert entries["газпром"]["kinds"] == "organisation"
    assert (entries["зеленский"]["kinds"], entries["правительство"]["kinds"]) == ("surname", "noun")
    # No form is in use, but the dictionary has it.
    assert float(entries["ленметаллоптторг"]["zipf"]) == 0


# The ladder for one word.
RUNGS = ["identity", "dictionary", "cache", "names", "cognates", "argos", "skeleton"]


def winners(steps: list[lookup.Step]) -> list[str | None]:
    return [step.answer for step in steps if step.wins]


def test_every_rung_is_shown_in_its_order() -> None:
    steps = lookup.ladder_of("уряду", "ru")
    assert {step.term for step in steps} == {"уряд"}
    assert list(dict.fromkeys(step.rung for step in steps)) == RUNGS
    assert winners(steps)[0] == "правительство"
    assert all(step.why == "" for step in steps if step.wins)
    assert all(step.why for step in steps if not step.wins)


@pytest.mark.parametrize(("word", "source", "target"), [("повестка", "ru", "uk"), ("Bakhmut", "en", "uk")])
def test_what_wins_is_what_the_ladder_gives(word: str, source: str, target: str) -> None:
    steps = lookup.ladder_of(word, target, source)  # type: ignore[arg-type]
    for term in {step.term for step in steps}:
        given = Translator(source, target).translate([term])[0]  # type: ignore[arg-type]
        assert winners([step for step in steps if step.term == term]) == [one.term for one in given]


def test_the_cache_wins_where_it_remembers() -> None:
    given = Translator("ru", "uk").translate(["неточность"])[0]
    steps = lookup.ladder_of("неточность", "uk", "ru")
    assert [(step.rung, step.answer) for step in steps if step.wins] == [("cache", one.term) for one in given]
    assert {step.why for step in steps if step.rung == "cognates" and step.answer} == {"a rung before it answers"}


def test_refusals_are_explained() -> None:
    # Three kinds: a false friend of a rule, a slur asked for, and a word that no document has.
    friend = [step for step in lookup.ladder_of("недели", "uk", "ru") if step.answer == "неділя"]
    assert {step.why for step in friend} <= {"refused: a false friend"}
    slur = lookup.ladder_of("москаль", "ru", "uk")
    assert winners(slur) == []
    assert "refused: the word is on the block-list" in {step.why for step in slur}
    assert not any(step.is_term for step in lookup.ladder_of("бежать", "uk", "ru"))


def test_the_language_is_found_by_letters_and_dictionaries() -> None:
    assert {step.source for step in lookup.ladder_of("урядовець", "en")} == {"uk"}
    assert {step.source for step in lookup.ladder_of("мир", "en")} == {"ru", "uk"}
    assert {step.source for step in lookup.ladder_of("government", "ru")} == {"en"}
    assert {step.source for step in lookup.ladder_of("мир", "uk")} == {"ru"}


@pytest.mark.parametrize(("word", "target", "source", "told"), [
    ("two words", "uk", None, "expected one word"), ("", "uk", None, "expected one word"),
    ("мир", "de", None, "expected one of ru, uk, en"), ("мир", "uk", "uk", "both languages are uk"),
    ("government", "en", None, "looks like en itself"),
])  # fmt: skip
def test_wrong_questions(word: str, target: str, source: str | None, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        lookup.ladder_of(word, target, source)  # type: ignore[arg-type]


def test_an_english_noun_that_may_be_a_name_is_two_terms() -> None:
    steps = [step for step in lookup.ladder_of("Turkey", "ru") if step.rung == "dictionary"]
    assert [(step.term, step.answer) for step in steps] == [
        ("turkey", "индейка"), ("turkey", "турция"), ("Turkey", "турция"), ("Turkey", "индейка"),
    ]  # fmt: skip
    assert {step.term for step in lookup.ladder_of("turkey", "ru")} == {"turkey"}


def test_capitalised_surname_in_both_cyrillic_languages() -> None:
    entries = lookup.show("Шольца")
    assert [(entry.language, entry.shape, entry.term) for entry in entries] == [
        ("ru", "start", "шольц"), ("ru", "capital", "шольц"), ("uk", "start", "шольц"), ("uk", "capital", "шольц"),
    ]  # fmt: skip
    assert "surname" in entries[0].flags
    assert entries[0].source.startswith("surnames.tsv:")


def test_lower_case_noun_with_its_frequencies() -> None:
    (entry, _) = lookup.show("правительства", "ru")
    assert (entry.term, entry.lemma, entry.part_of_speech, entry.source) == (
        "правительство", "правительство", "NOUN", "pymorphy3",
    )  # fmt: skip
    assert entry.strict == entry.term
    assert 4 < entry.zipf < 6
    assert 4 < entry.lemma_zipf < 6


def test_guess_is_marked() -> None:
    entry = lookup.show("Курбанбердыева", "ru")[1]
    assert (entry.term, entry.strict, entry.known, entry.source) == ("курбанбердыев", None, False, "predicted")


@pytest.mark.parametrize(("word", "why"), [("января", "month"), ("и", "stop word"), ("быстро", "no noun")])
def test_what_is_not_a_term_says_why(word: str, why: str) -> None:
    entry = lookup.show(word, "ru")[0]
    assert entry.term is None
    assert why in entry.why


@pytest.mark.parametrize("word", ["", "  ", "два слова"])
def test_only_one_word(word: str) -> None:
    with pytest.raises(ConfigurationError, match="expected one word"):
        lookup.show(word)


def test_unknown_language() -> None:
    with pytest.raises(ConfigurationError, match="expected one of ru, uk, en"):
        lookup.show("слово", "de")  # type: ignore[arg-type]


def test_shares_are_counted_by_rung(monkeypatch: pytest.MonkeyPatch) -> None:
    nouns = {
        "ru": (("правительство", 4e-4), ("неточность", 3e-4), ("гнатишин", 2e-4), ("бзыбрюмов", 1e-4)),
        "uk": (("уряд", 1e-4),),
    }
    monkeypatch.setattr(lookup, "frequent_nouns", nouns.__getitem__)
    monkeypatch.setattr(lookup, "TOPS", (2, 4))
    monkeypatch.setattr(lookup, "OUR_LANGUAGES", ("ru", "uk"))
    told: list[tuple[str, int, int | None]] = []
    found = lookup.coverage(lambda *one: told.append(one))
    assert len(found) == 4
    two, four = found[:2]
    assert (two.source, two.target, two.top, two.dictionary) == ("ru", "uk", 2, pytest.approx(4 / 7))
    shares = (four.dictionary, four.cognates, four.names, four.spelt, four.none, four.identity, four.covered)
    assert shares == pytest.approx((0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.9))
    assert four.as_dict()["covered"] == 0.9
    assert told[-1] == ("coverage", 2, 2)


def test_an_identity_the_target_lacks_does_not_count() -> None:
    # No sister word is known, and the spelling by rule is the word itself.
    assert lookup._classify(["гзмбров"], "ru", "uk") == ["none"]
    assert lookup._classify(["правительство", "мир"], "ru", "uk") == ["dictionary", "dictionary"]


def test_nouns_come_by_frequency_and_once() -> None:
    nouns = lookup.frequent_nouns("en")
    shares = [share for _, share in nouns]
    assert shares == sorted(shares, reverse=True)
    assert len({noun for noun, _ in nouns}) == len(nouns) > 10_000
    assert {"government", "president"} <= {noun for noun, _ in nouns[:1_000]}


# Tables a user brings: read in three formats, whole or not at all.
Bring = Callable[..., Imported]

DIX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE dictionary SYSTEM "dix.dtd">
<dictionary>
  <alphabet/>
  <sdefs><sdef n="n" c="noun"/><sdef n="np"/></sdefs>
  <pardefs>
    <pardef n="thing"><e><p><l><s n="n"/></l><r><s n="n"/></r></p></e></pardef>
  </pardefs>
  <section id="main" type="standard">
    <e><p><l>шмурдяк<s n="n"/><s n="m"/></l><r>шмурдяка<s n="n"/><s n="f"/></r></p></e>
    <e r="LR"><p><l>курлык²<s n="n"/></l><r>курлика<s n="n"/></r></p></e>
    <e r="RL"><p><l>бздынь<s n="n"/></l><r>дзинь<s n="n"/></r></p></e>
    <e i="yes"><p><l>выкл<s n="n"/></l><r>викл<s n="n"/></r></p></e>
    <e><p><l>петь<s n="vblex"/></l><r>співати<s n="vblex"/></r></p></e>
    <e><p><l>тихий<b/>омут<s n="n"/></l><r>тихий<b/>вир<s n="n"/></r></p></e>
    <e><i>абракадабра</i><par n="thing"/></e>
    <e><re>[0-9]+</re><p><l><s n="n"/></l><r><s n="n"/></r></p></e>
  </section>
</dictionary>
"""


@pytest.fixture
def bring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bring]:
    """``bring("name.tsv", "text", format, **more)``: import such a file from ru to uk."""
    monkeypatch.setenv("INFOSTREAM_DEDUP_DATA", str(tmp_path / "data"))
    forget_imported()
    word_pairs.cache_clear()

    def start(file: str, content: str | bytes, table_format: Any, source: Any = "ru", **more: Any) -> Imported:
        path = tmp_path / file
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return import_table(path, source, "uk", table_format, **more)

    yield start
    forget_imported()
    word_pairs.cache_clear()


def test_a_table_of_ones_own(bring: Bring, tmp_path: Path) -> None:
    text = "# mine\nsource\ttarget\tpos\nШмурдяк\tшмурдяка|шмурдик\t\nИваново\tІваново\tname\nпеть\tспівати\tadj\n"
    done = bring("my table.tsv", text, "tsv")
    assert (done.name, done.pairs, done.replaced) == ("my-table.ru-uk", 3, False)
    assert done.left_out == {"another part of speech": 1}
    assert done.path == tmp_path / "data" / "translations" / "my-table.ru-uk.tsv"
    assert imported_pairs("ru", "uk") == [("шмурдяк", "шмурдяка"), ("шмурдяк", "шмурдик"), ("иваново", "іваново")]
    assert imported_pairs("uk", "ru")[0] == ("шмурдяка", "шмурдяк")


def test_a_table_may_name_its_columns_by_language(bring: Bring) -> None:
    assert bring("t.tsv", "ru\tuk\ten\tpos\tsource\nшмурдяк\tшмурдяка\trotgut\tnoun\town\n", "tsv").pairs == 1
    assert imported_pairs("uk", "ru") == [("шмурдяка", "шмурдяк")]


@pytest.mark.parametrize(("row", "told"), [
    ("шмурдяк", "t.tsv:3: 1 cells; expected 3 as in the header"),
    ("шмурдяк\t\t", "t.tsv:3: field 'uk': an empty word"),
    ("шмурдяк\tшмурдяка\tverb", "t.tsv:3: field 'pos': 'verb'; expected noun, name, adj or nothing"),
    ("шмурдяка\tшмырдяк\tnoun", "t.tsv:3: field 'uk': 'шмырдяк' has 'ы', which Ukrainian words do not have"),
    ("ш" * 200 + "\tшмурдяк\tnoun", "t.tsv:3: field 'ru': a word of 200 characters"),
    ("шмурдяк\tdrink me|шмурдякі\tnoun", ""),
])  # fmt: skip
def test_broken_rows_stop_an_import_and_leave_nothing(bring: Bring, tmp_path: Path, row: str, told: str) -> None:
    text = f"source\ttarget\tpos\nдом\tдім\tnoun\n{row}\nкот\tкіт\tnoun\n"
    if not told:
        assert bring("t.tsv", text, "tsv").left_out == {"a phrase: terms are single words": 1}
        return
    with pytest.raises(BadDataError) as failure:
        bring("t.tsv", text, "tsv")
    assert told in str(failure.value)
    assert str(failure.value).endswith("; skip imports the rest without broken rows [E_IMPORT]")
    assert failure.value.line == 3
    assert not (tmp_path / "data").exists()
    done = bring("t.tsv", text, "tsv", skip=True)
    assert done.pairs == 2
    assert [error.line for error in done.broken] == [3]


def test_a_failed_import_keeps_the_table_of_before(bring: Bring) -> None:
    bring("t.tsv", "source\ttarget\nшмурдяк\tшмурдяка\n", "tsv")
    with pytest.raises(BadDataError, match=r"\(1 more such row\)"):
        bring("t.tsv", "source\ttarget\nшмурдяк\nдом\n", "tsv")
    assert imported_pairs("ru", "uk") == [("шмурдяк", "шмурдяка")]
    assert bring("t.tsv", "source\ttarget\nкурлык\tкурлика\n", "tsv").replaced
    assert imported_pairs("ru", "uk") == [("курлык", "курлика")]


def test_a_table_without_header_or_pairs(bring: Bring) -> None:
    with pytest.raises(BadDataError, match=r"t\.tsv:1: the header is 'дом', 'дім'; expected a column source \(or ru\)"):
        bring("t.tsv", "дом\tдім\n", "tsv")
    with pytest.raises(BadDataError, match=r"no pair of name or noun between ru and uk in it .*; check whether"):
        bring("t.tsv", "source\ttarget\tpos\nтихий\tтихий\tadj\n", "tsv")
    with pytest.raises(BadDataError, match=r"t\.tsv:2: byte 0 is not UTF-8"):
        bring("t.tsv", b"source\ttarget\n\xff\t\xfe\n", "tsv")


def test_an_apertium_dictionary(bring: Bring) -> None:
    done = bring("apertium-rus-ukr.rus-ukr.dix", DIX, "apertium")
    assert done.name == "apertium-rus-ukr.rus-ukr.ru-uk"
    assert imported_pairs("ru", "uk") == [
        ("шмурдяк", "шмурдяка"), ("курлык", "курлика"), ("абракадабра", "абракадабра"),
    ]  # fmt: skip
    assert imported_pairs("uk", "ru") == [("шмурдяка", "шмурдяк"), ("дзинь", "бздынь"), ("абракадабра", "абракадабра")]
    assert done.left_out == {"a phrase: terms are single words": 1, "another part of speech": 1}


def test_entries_that_agree_in_both_directions_are_one(bring: Bring) -> None:
    entry = '<p><l>шмурдяк<s n="n"/></l><r>шмурдяка<s n="n"/></r></p></e>'
    text = f'<dictionary><section><e r="LR">{entry}<e r="RL">{entry}</section></dictionary>'
    assert bring("t.dix", text, "apertium").pairs == 1
    assert imported_pairs("uk", "ru") == [("шмурдяка", "шмурдяк")]


@pytest.mark.parametrize(("text", "told"), [
    ("<dictionary><section>", r"t\.dix:1: is not well-formed XML \(no element found\)"),
    ("<html/>", r"the root is <html>; expected <dictionary>"), ("plain words", "is not well-formed XML"),
    ('<!DOCTYPE d [<!ENTITY a "b">]>\n<dictionary>&a;</dictionary>', "declares or uses entities"),
    ('<!DOCTYPE d [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><dictionary/>', "declares or uses entities"),
    ('<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><dictionary>&a;</dictionary>', "declares or uses"),
    ('<!DOCTYPE dictionary SYSTEM "dix.dtd"><dictionary>&a;</dictionary>', "declares or uses entities"),
    (
        '<dictionary>\n<section>\n<e r="up"><i>дом<s n="n"/></i></e></section></dictionary>',
        r"t\.dix:3: field 'r': 'up'; expected LR, RL or nothing",
    ),
    (
        '<dictionary>\n<section><e><p><l>дом<s n="n"/></l><r><s n="n"/></r></p></e></section></dictionary>',
        r"t\.dix:2: field 'r': an empty word",
    ),
])  # fmt: skip
def test_hostile_or_broken_xml(bring: Bring, tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(BadDataError, match=told):
        bring("t.dix", text, "apertium")
    assert not (tmp_path / "data").exists()


def test_a_thousand_million_laughs_cost_nothing(bring: Bring) -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    text = f'<!DOCTYPE d [<!ENTITY l0 "ha">{laughs}]><dictionary>&l9;</dictionary>'
    with pytest.raises(BadDataError, match="entities"):
        bring("t.dix", text, "apertium")


def _dump(*entries: Any) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


def test_a_wiktionary_dump_packed(bring: Bring) -> None:
    dump = _dump(
        {
            "word": "шмурдяк", "lang_code": "ru", "pos": "noun",
            "translations": [
                {"lang": "Ukrainian", "code": "uk", "word": "шмурдя́ка"},
                {"lang": "Ukrainian", "code": "uk", "note": "no word"},
                {"lang": "German", "code": "de", "word": "Fusel"},
            ],
        },
        {
            "word": "курлика", "lang_code": "uk", "pos": "noun",
            "senses": [{"glosses": ["x"], "translations": [{"lang_code": "ru", "word": "курлык"}]}],
        },
        {"title": "A", "redirect": "B"},
        {"word": "house", "lang_code": "en", "pos": "noun", "translations": [{"code": "uk", "word": "дім"}]},
        {"word": "петь", "lang_code": "ru", "pos": "verb", "translations": [{"code": "uk", "word": "співати"}]},
        {"word": "дом", "lang_code": "ru", "pos": "noun", "translations": [{"code": "uk", "word": "будынок"}]},
    )  # fmt: skip
    done = bring("raw.jsonl.gz", gzip.compress(dump.encode()), "wiktionary")
    assert done.name == "raw.ru-uk"
    assert imported_pairs("ru", "uk") == [("шмурдяк", "шмурдяка"), ("курлык", "курлика")]
    assert done.left_out == {
        "an entry of another language or a redirect": 2, "another part of speech": 1, "not a word of its language": 2,
    }  # fmt: skip


@pytest.mark.parametrize(("line", "told"), [
    ("{", "is not JSON"), ("[1]", "a JSON list; expected an object"),
    ('{"lang_code": "ru", "pos": "noun"}', "field 'word': None; expected a text"),
    ('{"lang_code": "ru", "word": "дом", "translations": 5}', "field 'translations': 5; expected an object"),
    (
        '{"lang_code": "ru", "word": "дом", "pos": "noun", "translations": [{"code": "uk", "word": 5}]}',
        "field 'translations': the word is 5; expected a text",
    ),
])  # fmt: skip
def test_broken_lines_of_a_dump(bring: Bring, line: str, told: str) -> None:
    with pytest.raises(BadDataError) as failure:
        bring("raw.jsonl", f"\n{line}\n", "wiktionary")
    assert told in str(failure.value)
    assert failure.value.line == 2


def test_a_cut_archive_installs_nothing(bring: Bring, tmp_path: Path) -> None:
    dump = _dump({"word": "дом", "lang_code": "ru", "pos": "noun", "translations": [{"code": "uk", "word": "дім"}]})
    with pytest.raises(BadDataError, match="cannot be unpacked"):
        bring("raw.jsonl.gz", gzip.compress(dump.encode() * 100)[:-20], "wiktionary")
    assert not (tmp_path / "data").exists()


def test_answers_change_at_once_and_back(bring: Bring) -> None:
    def answer() -> list[str]:
        return [one.term for one in Translator("ru", "uk").translate(["шмурдяк"])[0]]

    before = answer()
    bring("t.tsv", "source\ttarget\nшмурдяк\tшмурдяка\n", "tsv", name="mine")
    assert answer() == ["шмурдяка"]
    assert remove_table("mine").name == "mine.tsv"
    assert answer() == before != ["шмурдяка"]


def test_a_slur_is_never_taken(bring: Bring) -> None:
    done = bring("t.tsv", "source\ttarget\nрусский\tмоскаль\nшмурдяк\tшмурдяка\n", "tsv")
    assert done.left_out == {"on the block-list": 1}


def test_tables_are_listed_and_removed(bring: Bring) -> None:
    assert installed_tables() == []
    path = bring("t.tsv", "source\ttarget\nшмурдяк\tшмурдяка\n", "tsv").path
    assert installed_tables() == [{"name": "t.ru-uk", "pairs": 1, "languages": ["ru-uk"], "file": str(path)}]
    with pytest.raises(NoInputError, match=r"no imported table is named 'x'; there are: t\.ru-uk"):
        remove_table("x")
    remove_table("t.ru-uk")
    assert installed_tables() == []


@pytest.mark.parametrize(("more", "told"), [
    ({"source": "uk"}, "from and to are both uk"),
    ({"source": "de"}, "from is 'de'; expected one of ru, uk, en"), ({"table_format": "csv"}, "format is 'csv'"),
    ({"parts": ["verb"]}, r"pos is \['verb'\]"), ({"name": "../up"}, r"the table's name is '\.\./up'"),
])  # fmt: skip
def test_wrong_wishes(bring: Bring, more: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        bring("t.tsv", "source\ttarget\nдом\tдім\n", **{"table_format": "tsv", **more})


def test_no_file_and_no_folder(bring: Bring, tmp_path: Path) -> None:
    with pytest.raises(NoInputError, match=r"nowhere\.tsv: cannot be read"):
        import_table(tmp_path / "nowhere.tsv", "ru", "uk", "tsv")
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(CannotCreateError, match="cannot be created"):
        bring("t.tsv", "source\ttarget\nдом\tдім\n", "tsv")
