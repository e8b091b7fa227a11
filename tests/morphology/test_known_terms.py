"""The terms that come with the package are those that the morphology would give."""

from pathlib import Path

import pytest
from make_tables import BACKGROUNDS, WITH_FORMS, forms_of, rows_of

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon.tables import as_lines
from infostream_dedup.language.morphology import form_cache
from infostream_dedup.language.morphology import form_cache as shipped
from infostream_dedup.language.morphology.cache_file import UNKNOWN_ROW, package_versions
from infostream_dedup.language.morphology.form_cache import known_shares, known_terms, row_of, terms_file
from infostream_dedup.model import Language
from infostream_dedup.terms.representation import representation

AGAIN = "python tools/make_tables.py terms makes the files anew"
with_their_versions = pytest.mark.skipif(
    form_cache.made_with(terms_file("ru")) != package_versions(),
    reason="the files were made with other versions of packages",
)


@with_their_versions
def test_the_files_belong_to_the_dictionaries_and_rules_of_today() -> None:
    assert form_cache.made_with(shipped.SHARES_FILE) == package_versions()
    for language in WITH_FORMS:
        assert form_cache.made_with(terms_file(language)) == package_versions()
        assert form_cache.known_texts(terms_file(language))[0], AGAIN
    assert form_cache.unpacked(shipped.SHARES_FILE), AGAIN


@pytest.mark.slow
@with_their_versions
@pytest.mark.parametrize("language", WITH_FORMS)
def test_every_form_is_there_and_every_answer_made_anew_is_equal(language: Language) -> None:
    forms, rows = (lines.decode().splitlines() for lines in form_cache.known_texts(terms_file(language)))
    assert forms == forms_of(language), AGAIN
    assert rows_of(forms, language) == rows, AGAIN


@with_their_versions
@pytest.mark.parametrize(("language", "name"), BACKGROUNDS)
def test_backgrounds_made_anew_are_equal(language: Language, name: str) -> None:
    made = representation(name).summed_frequencies(language)
    found = known_shares(f"{language} {name}")
    assert dict(found) == made, AGAIN
    assert list(found) == list(made)


def test_rows_worked_by_hand() -> None:
    row = row_of("шольца", [None, ("шольц", False), ("шольц", False)])
    assert row == "\t~шольц"
    known = shipped.KnownTerms(as_lines(["суд", "шольца"]), as_lines([row_of("суд", [("суд", True)] * 3), row]))
    assert known.rows(["0шольца", "1шольца", "2шольца", "3шольца", "2суд", "0щзж"]) == [
        (None, 0), ("шольц", 0), ("шольц", 0), UNKNOWN_ROW, ("суд", 1), UNKNOWN_ROW,
    ]  # fmt: skip
    assert known.rows([]) == []


@with_their_versions
def test_with_other_dictionaries_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert known_terms("ru").rows(["0суд"]) == [("суд", 1)]
    monkeypatch.setattr(shipped, "fingerprint", lambda: "another")
    assert form_cache.known_texts(terms_file("uk")) == (b"", b"")
    assert form_cache.unpacked(shipped.SHARES_FILE) == {}


@pytest.mark.parametrize("place", [40, 200, -1])
def test_a_damaged_file_is_refused(place: int, tmp_path: Path) -> None:
    content = bytearray(form_cache.packed({"суд": "="}))
    path = tmp_path / "known_terms.xx.bin"
    path.write_bytes(content)
    assert form_cache.unpacked(path) == {"суд": "="}
    content[min(place, len(content) - 1)] ^= 4
    path.write_bytes(content)
    with pytest.raises(BadDataError, match="install infostream-dedup again"):
        form_cache.unpacked(path)
