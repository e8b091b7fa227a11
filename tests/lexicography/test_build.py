"""Frequency dictionaries, from words that are counted by hand to tables on disk."""

import csv
import json
from hashlib import sha256
from pathlib import Path

import pytest

from infostream_dedup import dictionaries
from infostream_dedup.errors import CannotCreateError, ConfigurationError
from infostream_dedup.lab.lexicography import build as module
from infostream_dedup.lab.lexicography.build import DictionaryEntry, frequency_dictionary
from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.word_lists import NO_NAME, NameKind
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.language.translation.target_lexicon import frequent_words

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

    monkeypatch.setattr("infostream_dedup.lab.lexicography.build.frequency_dictionary", work)
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
