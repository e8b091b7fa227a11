from __future__ import annotations

import sys

import pytest

from infostream_dedup.language.morphology import form_cache
from infostream_dedup.language.morphology.form_cache import FormCache, analysed_over_cores

KEYS = [
    f"{shape}{form}"
    for form in ("правительства", "зеленского", "делал", "кишиневе", "абракадабров")
    for shape in "0123"
]


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
