"""The check of the dictionaries: every kind of fault in a folder made for it, none in the shipped one."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from infostream_dedup.errors import NoInputError
from infostream_dedup.lab.lexicography.check import COLUMNS, Finding, broken_round_trips, check
from infostream_dedup.language.lexicon.tables import TableRow

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
