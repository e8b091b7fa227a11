"""The check of the dictionaries: every kind of fault in a folder made for it, none in the shipped one."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from infostream_dedup import dictionaries
from infostream_dedup.errors import CannotCreateError, ConfigurationError, NoInputError
from infostream_dedup.lab.lexicography import word_lookup as module
from infostream_dedup.lab.lexicography.check import COLUMNS, Finding, broken_round_trips, check
from infostream_dedup.lab.lexicography.word_lookup import DictionaryEntry, frequency_dictionary
from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.tables import TableRow
from infostream_dedup.language.lexicon.word_lists import NO_NAME, NameKind
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.language.translation.target_lexicon import frequent_words

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
    assert said == (
        "false_friends.tsv:2:uk: повестка - повістка is declared wrong here, but translations.tsv:2 gives it"
    )
    assert found("false_friends.tsv", right, more={"translations.tsv": concepts}) == []


@pytest.mark.parametrize(("row", "told"), [
    ("неделя\tнеділя\tтиждень\t", "false_friends.tsv:2:meaning: empty"),
    ("неделя\tнеділя\t\tвоскресенье", "false_friends.tsv:2:right_uk: empty"),
    ("недэлька\tнеділя\tтиждень\tвоскресенье", "false_friends.tsv:2:ru: 'недэлька' is known neither"),
])  # fmt: skip
def test_faults_of_false_friends(found: Found, row: str, told: str) -> None:
    (said,) = found("false_friends.tsv", row)
    assert said.startswith(told)


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
        f"places.tsv:3:kind: 'town'; expected one of {kinds}",
        "places.tsv:3:ru: 'Киев' is also in line 2",
        "places.tsv:4:en: 'gorzbluft' is not in any source, nor spelt like the name in another language",
    ]


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
])  # fmt: skip
def test_faults_of_word_lists(found: Found, name: str, row: str, told: str) -> None:
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
        "stop_ru.txt:3:word: 'І' is not a key form",
        "stop_ru.txt:5:word: 'и' is also in line 2",
    ]


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
    monkeypatch.setattr(module, "frequent_words", lambda _: tuple(SHARES))
    monkeypatch.setattr(module, "form_frequencies", lambda _: SHARES.__getitem__)
    monkeypatch.setattr(module, "readings_of", lambda _: Dictionary())
    for name, empty in (("names", dict), ("personal_names", frozenset), ("added_nouns", dict)):
        monkeypatch.setattr(module, name, lambda _, empty=empty: empty())


@pytest.mark.usefixtures("few_words")
def test_forms_are_summed_and_words_out_of_use_follow() -> None:
    factory, president, *others = frequency_dictionary("ru")
    # 3 + 1 in a million words are 4,000 in a billion: log10 is 3.60.
    assert factory == DictionaryEntry(
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
    assert [(one.term, one.share) for one in frequency_dictionary("ru", most=2)] == [("завод", 3e-6)]


@pytest.mark.parametrize("language", ["ru", "uk", "en"])
def test_terms_are_those_of_the_morphology(language: str) -> None:
    morphology, frequency = Morphology(language), form_frequencies(language)
    expected: dict[str, float] = {}
    for form in frequent_words(language)[:1500]:
        term = morphology.noun_term(form, Shape.START, strict=True)
        if term is not None:
            expected[term] = expected.get(term, 0.0) + frequency(form)
    entries = frequency_dictionary(language, most=1500)
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
        digest = sha256(path.read_bytes()).hexdigest()
        assert manifest["tables"][path.name] == {"terms": len(terms), "sha256": digest}
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

    monkeypatch.setattr("infostream_dedup.lab.lexicography.word_lookup.frequency_dictionary", work)
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
    assert entries["зеленский"]["kinds"] == "surname"
    assert entries["правительство"]["kinds"] == "noun"
    # No form is in use, but the dictionary has it.
    assert float(entries["ленметаллоптторг"]["zipf"]) == 0
