"""Terms remembered between runs: same answers, whatever happens to the file."""

import logging
import os
import random
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest

from infostream_dedup.language.morphology import cache_file, form_cache
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.morphology.cache_file import UNKNOWN_ROW, CacheFile, FormRow, fingerprint
from infostream_dedup.language.morphology.form_cache import FormCache, analysed_over_cores, terms_of
from infostream_dedup.language.text.tokens import Form, Shape

FORMS = [
    Form("правительства", Shape.LOWER), Form("идти", Shape.LOWER), Form("шольцем", Shape.CAPITAL),
    Form("щзж", Shape.UPPER), Form("правительства", Shape.LOWER),
]  # fmt: skip
TERMS = ["правительство", None, "шольц", "щзж", "правительство"]
STRICT = ["правительство", None, "шольц", None, "правительство"]


@pytest.fixture(autouse=True)
def _eager(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer waits to be stored, unless a test says so."""
    if "waiting" not in request.node.name:
        monkeypatch.setattr(cache_file, "_MOST_WAITING", 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "forms.sqlite"


def fill(path: Path, mark: str = "one") -> None:
    FormCache("ru", CacheFile(path, mark)).terms_of(FORMS, strict=False)


def kept(file: CacheFile, keys: Iterable[str]) -> dict[str, FormRow]:
    asked = sorted(keys)
    return {key: row for key, row in zip(asked, file.rows("ru", asked), strict=True) if row != UNKNOWN_ROW}


def test_terms_without_a_file() -> None:
    cache = FormCache("ru", None)
    assert cache.terms_of(FORMS, strict=False) == TERMS
    assert cache.terms_of(FORMS, strict=True) == STRICT


def test_second_run_asks_only_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path)
    refuse = Mock(side_effect=AssertionError("asked the dictionary for a remembered form"))
    monkeypatch.setattr(Morphology, "analyse", refuse)
    again = FormCache("ru", CacheFile(path, "one"))
    assert again.terms_of(FORMS, strict=False) == TERMS
    assert again.terms_of(FORMS, strict=True) == STRICT


def test_answers_of_another_fingerprint_are_replaced(path: Path) -> None:
    fill(path, "one")
    file = CacheFile(path, "two")
    assert kept(file, ["0правительства"]) == {}
    file.remember("ru", {"0суд": ("суд", 1)})
    assert kept(file, ["0правительства", "0суд"]) == {"0суд": ("суд", 1)}
    assert kept(CacheFile(path, "one"), ["0суд"]) == {}


def test_another_fingerprint_is_noticed_while_the_file_is_open(path: Path) -> None:
    fill(path)
    file = CacheFile(path, "one")
    assert kept(file, ["0правительства"]) == {"0правительства": ("правительство", 1)}
    CacheFile(path, "two").remember("ru", {"0правительства": ("суд", 1)})
    assert kept(file, ["0правительства"]) == {}
    fill(path)
    assert kept(file, ["0правительства"]) == {"0правительства": ("правительство", 1)}


def test_file_of_another_layout_is_replaced(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE form (something); PRAGMA user_version = 99;")
    fill(path)
    assert kept(CacheFile(path, "one"), ["0правительства"]) == {"0правительства": ("правительство", 1)}


def test_damaged_file_costs_one_warning_and_no_answer(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database " * 1000)
    cache = FormCache("ru", CacheFile(path, "one"))
    with caplog.at_level(logging.WARNING):
        assert cache.terms_of(FORMS, strict=False) == TERMS
        assert cache.terms_of([Form("щзжами", Shape.LOWER)], strict=True) == [None]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "the cache of terms is damaged (file is not a database); it is rebuilt" in caplog.text
    assert kept(CacheFile(path, "one"), ["0щзжами"]).keys() == {"0щзжами"}


SHARES = {f"слово{number}": (number + 1) / 10_000 for number in range(300)}


def filled(path: Path) -> dict[str, FormRow]:
    answers = {f"0форма{n}": (f"слово{n}", int(n % 3 == 0)) if n % 5 else (None, 0) for n in range(400)}
    file = CacheFile(path, "one")
    file.remember("ru", answers)
    file.remember_frequencies("ru", "morph", SHARES)
    return answers


@pytest.mark.parametrize("damage", [
    "UPDATE frequency SET share = 1.8e302 WHERE term = 'слово7'",
    "UPDATE frequency SET share = 0.5 WHERE term = 'слово7'", "DELETE FROM frequency WHERE term = 'слово7'",
    "DELETE FROM frequency_checksum", "UPDATE form SET term = 'слева7' WHERE key = '0форма7'",
    "UPDATE form SET strict = 1 - strict WHERE key = '0форма7'",
    "UPDATE form SET term = NULL, strict = 0 WHERE key = '0форма7'",
])  # fmt: skip
def test_a_changed_row_is_never_an_answer(path: Path, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    answers = filled(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(damage)
    file = CacheFile(path, "one")
    found, shares = kept(file, answers), file.frequencies("ru", "morph")
    assert found in ({}, answers)
    assert shares in ({}, SHARES)
    assert not (found and shares)
    assert "it is rebuilt" in caplog.text
    filled(path)
    assert kept(file, answers) == answers
    assert file.frequencies("ru", "morph") == SHARES


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_no_flipped_bit_changes_an_answer(path: Path, seed: int) -> None:
    answers = filled(path)
    good, draw, noticed = path.read_bytes(), random.Random(seed), 0  # noqa: S311
    for _ in range(200):
        bad = bytearray(good)
        bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
        path.write_bytes(bad)
        file = CacheFile(path, "one")
        found, shares = kept(file, answers), file.frequencies("ru", "morph")
        # What the file does not say is worked out again; what it says is right.
        assert all(answers[key] == answer for key, answer in found.items())
        assert shares in ({}, SHARES)
        noticed += len(found) < len(answers) or not shares
    assert noticed >= 50


def test_a_full_disk_is_named_as_the_cause(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from infostream_dedup.language.morphology.cache_file import CacheFile\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))\n"
        "answers = {f'0слово{n}': ('слово', 1) for n in range(5000)}\n"
        "CacheFile(Path(sys.argv[1]), 'one').remember('ru', answers)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert "disk I/O error" in done.stderr or "disk is full" in done.stderr
    assert "rollback" not in done.stderr
    assert "INFOSTREAM_DEDUP_CACHE" in done.stderr


def test_nobody_else_can_read_the_cache(path: Path) -> None:
    before = os.umask(0)
    try:
        fill(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_folder_that_cannot_be_made_costs_one_warning_and_no_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "cache").write_text("a file where the folder should be", encoding="utf-8")
    cache = FormCache("ru", CacheFile(tmp_path / "cache" / "forms.sqlite", "one"))
    with caplog.at_level(logging.WARNING):
        assert cache.terms_of(FORMS, strict=False) == TERMS
    assert len(caplog.records) == 1
    assert "INFOSTREAM_DEDUP_CACHE" in caplog.text


def test_memory_starts_over_when_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(form_cache, "_MOST_IN_MEMORY", 3)
    cache = FormCache("ru", None)
    for form in FORMS * 2:
        cache.terms_of([form], strict=False)
    assert cache.terms_of(FORMS, strict=False) == TERMS


def test_more_forms_than_memory_holds_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(form_cache, "_MOST_IN_MEMORY", 3)
    cache = FormCache("ru", None)
    cache.terms_of(FORMS[:1], strict=False)
    assert (cache.terms_of(FORMS, strict=False), len(cache._memory)) == (TERMS, 1)


def test_many_forms_pass_in_chunks(path: Path) -> None:
    file = CacheFile(path, "one")
    answers = {f"0слово{number}": (f"слово{number}", number % 2) for number in range(120_000)}
    file.remember("ru", answers)
    assert kept(file, answers) == answers


def test_processes_share_a_file(path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from infostream_dedup.language.morphology.cache_file import CacheFile\n"
        "file = CacheFile(Path(sys.argv[1]), 'one')\n"
        "for n in range(40): file.remember('ru', {f'0{sys.argv[2]}{n}': ('слово', 1)})\n"
        "assert file._file._usable\n"
    )
    jobs = [subprocess.Popen([sys.executable, "-c", program, str(path), name]) for name in "abc"]
    assert [job.wait(timeout=60) for job in jobs] == [0, 0, 0]
    assert len(kept(CacheFile(path, "one"), [f"0{name}{n}" for name in "abc" for n in range(40)])) == 120


def test_frequencies_outlive_the_process(path: Path) -> None:
    CacheFile(path, "one").remember_frequencies("ru", "morph", {"суд": 0.25, "банк": 0.5})
    assert CacheFile(path, "one").frequencies("ru", "morph") == {"банк": 0.5, "суд": 0.25}
    assert CacheFile(path, "one").frequencies("uk", "morph") == {}


def test_public_function_agrees_with_morphology() -> None:
    morphology = Morphology("ru")
    assert terms_of(FORMS, "ru", strict=True) == [morphology.noun_term(*form, strict=True) for form in FORMS]
    assert terms_of([Form("governments", Shape.LOWER)], "en", strict=False) == ["govern"]
    assert terms_of([], "uk", strict=False) == []


def test_fingerprint_is_one_hexadecimal_number() -> None:
    assert len(fingerprint()) == 32
    assert int(fingerprint(), 16) >= 0


def test_a_file_that_is_replaced_is_opened_again(path: Path) -> None:
    fill(path)
    file = CacheFile(path, "one")
    assert kept(file, ["0правительства"])
    other = path.with_name("other.sqlite")
    CacheFile(other, "one").remember("ru", {"0правительства": ("суд", 1)})
    other.replace(path)
    assert kept(file, ["0правительства"]) == {"0правительства": ("суд", 1)}


def test_many_forms_are_looked_up_in_the_shipped_table_before_the_file(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(form_cache, "_MANY", 3)
    forms = [Form("правительства", Shape.LOWER), Form("щзжами", Shape.LOWER), Form("идти", Shape.LOWER)]
    many, few = (FormCache("ru", CacheFile(path.with_name(name), "one")) for name in ("many", "few"))
    found = many.terms_of(forms, strict=False)
    assert found == [term for form in forms for term in few.terms_of([form], strict=False)]
    assert found[0] == "правительство"
    keys = ["0правительства", "0щзжами", "0идти"]
    assert kept(CacheFile(path.with_name("many"), "one"), keys).keys() == {"0щзжами"}
    assert kept(CacheFile(path.with_name("few"), "one"), keys).keys() == set(keys)


def test_waiting_answers_are_stored_when_the_process_ends(path: Path) -> None:
    script = (
        "import sys; from infostream_dedup.language.morphology.cache_file import CacheFile; from pathlib import Path\n"
    )
    script += "file = CacheFile(Path(sys.argv[1]), 'one'); file.remember('ru', {'0суд': ('суд', 1)}, at_once=False)\n"
    script += "assert not Path(sys.argv[1]).exists()"
    subprocess.run([sys.executable, "-c", script, str(path)], check=True)
    assert CacheFile(path, "one").rows("ru", ["0суд"]) == [("суд", 1)]


KEYS = [f"{s}{form}" for form in ("правительства", "зеленского", "делал", "кишиневе", "абракадабров") for s in "0123"]


@pytest.fixture
def every_key_is_worth_a_process(monkeypatch):
    monkeypatch.setattr(form_cache, "_WORTH_A_PROCESS", 1)


def analyse(key):
    return FormCache("ru", None)._analysis(key)


def itself(key):
    return key, 1


def refused(key):
    raise AssertionError(f"{key} was analysed here")


@pytest.mark.slow
def test_other_processes_answer_the_same_in_the_same_order(every_key_is_worth_a_process):
    expected = [analyse(key) for key in KEYS]
    assert {taken for _, taken in expected} == {0, 1}
    assert (None, 0) in expected
    own = set(KEYS[::3])
    found = analysed_over_cores("ru", KEYS, lambda key: analyse(key) if key in own else refused(key), workers=3)
    assert found == expected


def test_few_forms_are_analysed_here(monkeypatch):
    monkeypatch.setattr(form_cache.subprocess, "run", refused)
    assert analysed_over_cores("ru", KEYS, itself, workers=2) == [(key, 1) for key in KEYS]
    assert analysed_over_cores("ru", [], refused) == []


@pytest.mark.parametrize("broken", ["no-such-python", "true"])
def test_what_a_failing_process_leaves_is_analysed_here(every_key_is_worth_a_process, monkeypatch, broken, caplog):
    monkeypatch.setattr(sys, "executable", broken)
    assert analysed_over_cores("ru", KEYS, itself, workers=2) == [(key, 1) for key in KEYS]
    assert "continuing without it" in caplog.text
