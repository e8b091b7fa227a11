"""The commands across languages."""

import json

import pytest

from infostream_dedup.sample import documents_path

SAMPLE = str(documents_path())
ARGUMENTS = ("--representation", "pivot", "--cross-language", "--quiet")


def rows(output):
    return [json.loads(line) for line in output.stdout.decode().splitlines()]


def test_pairs_show_each_term_in_both_languages(run):
    found = run("pairs", SAMPLE, *ARGUMENTS, "--format", "jsonl")
    assert found.returncode == 0, found.stderr
    assert {row["relation"] for row in rows(found)} <= {"equal", "contained", "contains"}
    for row in rows(found):
        assert row["a"][:2] != row["b"][:2]
        assert all(set(one) == {"a", "b", "pivot", "rung"} for one in row["met"])
        assert row["terms"] == list(dict.fromkeys(one["pivot"] for one in row["met"]))


def test_a_table_is_for_reading(run):
    found = run("pairs", SAMPLE, *ARGUMENTS, "--format", "table")
    head, *_ = found.stdout.decode().splitlines()
    assert head.split()[-1] == "met"
    assert "terms" not in head
    assert "(dictionary)" in found.stdout.decode()
    assert "{" not in found.stdout.decode()


@pytest.mark.parametrize("how", ["flag", "configuration"])
def test_the_pivot_language_is_chosen_by_flag_or_configuration(run, tmp_path, how):
    (tmp_path / "own.toml").write_text('pivot = "en"\nrepresentation = "pivot"\n', encoding="utf-8")
    chosen = ("--pivot", "en", "--representation", "pivot") if how == "flag" else ("--config", "own.toml")
    found = run("pairs", SAMPLE, *chosen, "--cross-language", "--quiet", "--format", "jsonl")
    assert found.returncode == 0, found.stderr
    assert all(
        term.isascii()
        for row in rows(found)
        for one in row["met"]
        if one["rung"] == "dictionary"
        for term in [one["pivot"]]
    )


def test_evaluation_of_pairs_of_two_languages_takes_the_k_of_links_between_languages(run, tmp_path):
    found = run(
        "evaluate", SAMPLE, "--labels", str(documents_path().with_name("labels.jsonl")), "--lang", "ru-uk",
        "--positive", "dup,translation", "--representation", "pivot", "--format", "json", "--quiet",
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert len(json.loads(found.stdout)["rows"]) == 12
