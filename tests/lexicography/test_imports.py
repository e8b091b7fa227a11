"""Tables a user brings: read in three formats, whole or not at all."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup.errors import BadDataError, CannotCreateError, ConfigurationError, NoInputError
from infostream_dedup.lab.lexicography.imports import Imported, import_table, installed_tables, remove_table
from infostream_dedup.language.translation import Translator
from infostream_dedup.language.translation.word_pairs import forget_imported, imported_pairs, word_pairs

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
