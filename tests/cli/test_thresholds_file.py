"""A number's way from the table of a sweep to verdicts: ``--write-config``, ``--config``, ``--k auto``."""

import json
import tomllib

import pytest

from infostream_dedup import api
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.model.settings import Settings
from infostream_dedup.model.thresholds import Thresholds
from infostream_dedup.sample import documents_path, labels_path

SAMPLE = str(documents_path())


@pytest.fixture(scope="module")
def swept():
    return api.sweep(SAMPLE, representations=["morph"], estimate=False, choose_by=9)


@pytest.fixture
def file(swept, tmp_path):
    path = tmp_path / "thresholds.toml"
    path.write_text(swept.thresholds().as_toml(), encoding="utf-8")
    return path


def test_what_is_written_is_read(swept, file):
    found = Thresholds.read(file)
    assert (found.ks, found.judged) == ({"morph": 9}, {"min_probability": 0.5, "join": ["copy"]})
    assert found.measured["chosen_by"] == ["morph: given"]
    assert found.k_for(Settings()) == swept.settings("morph").k == 9
    assert list(tomllib.loads(file.read_text(encoding="utf-8"))) == ["thresholds", "judged", "measured"]


@pytest.mark.parametrize(
    ("settings", "both"),
    [
        (Settings(representation="stem"), "has thresholds for morph, but the command uses stem"),
        (Settings(weighting="tfidf"), "has thresholds for morph, but the command uses morph:tfidf"),
        (Settings(n=10), "measured with n 12, but the command uses n 10"),
        (Settings(score="share"), "measured with score count, but the command uses score share"),
        (Settings(target="signature"), "measured with target text, but the command uses target signature"),
    ],
)
def test_other_key_terms_are_refused_with_both_values(file, settings, both):
    with pytest.raises(ConfigurationError, match=both):
        Thresholds.read(file).k_for(settings)


def test_every_part_of_a_file_is_refused(file):
    whole = file.read_text(encoding="utf-8")
    for end in range(whole.index("[thresholds"), len(whole) - len("\n")):
        file.write_text(whole[:end], encoding="utf-8")
        with pytest.raises(ConfigurationError):
            Thresholds.read(file)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("k = 9", "k = 13"),
        ("k = 9", "k = true"),
        ("k = 9", 'k = "9"'),
        ("n = 12", "n = 8"),
        ("[judged]", "[judge]"),
        ("min_probability = 0.5", "min_probability = 5"),
        ("min_probability", "probability"),
        ('join = ["copy"]', 'join = "copy"'),
        ("[thresholds", "[threshold"),
        ('score = "count"', "score = 1"),
    ],
)
def test_a_damaged_file_is_refused(file, old, new):
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole.replace(old, new), encoding="utf-8")
    assert file.read_text(encoding="utf-8") != whole
    with pytest.raises(ConfigurationError, match=r"thresholds\.toml"):
        Thresholds.read(file)


@pytest.mark.slow
def test_the_number_goes_from_the_table_to_the_verdicts(run, tmp_path):
    swept = run("sweep", SAMPLE, "--write-config", "t.toml", "--choose-by", "9", "--format", "json")
    assert json.loads(swept.stdout)["recommended_k"]["morph"] == 9
    # dedup, pairs
    taken = run("dedup", SAMPLE, "--config", "t.toml", "--out", "taken.jsonl", "--annotate")
    assert b"t.toml: took k = 9 of morph (preset faithful); not taken: k of stem" in taken.stderr
    run("dedup", SAMPLE, "--k", "9", "--out", "typed.jsonl", "--annotate")
    assert (tmp_path / "taken.jsonl").read_bytes() == (tmp_path / "typed.jsonl").read_bytes()
    assert run("pairs", SAMPLE, "--config", "t.toml").stdout == run("pairs", SAMPLE, "--k", "9").stdout
    # A typed value stays; preset judged takes its own part.
    assert run("pairs", SAMPLE, "--config", "t.toml", "--k", "10").stdout == run("pairs", SAMPLE, "--k", "10").stdout
    text = (tmp_path / "t.toml").read_text(encoding="utf-8").replace('["copy"]', '["copy", "retold"]')
    (tmp_path / "both.toml").write_text(text, encoding="utf-8")
    judged = run("dedup", SAMPLE, "--preset", "judged", "--config", "both.toml", "--out", "judged.jsonl", "--annotate")
    assert b"took join = copy, retold (preset judged)" in judged.stderr
    run("dedup", SAMPLE, "--join", "copy,retold", "--out", "joined.jsonl", "--annotate")
    assert (tmp_path / "judged.jsonl").read_bytes() == (tmp_path / "joined.jsonl").read_bytes()
    # evaluate
    found = run("evaluate", SAMPLE, "--labels", str(labels_path()), "--config", "t.toml", "--format", "json")
    assert json.loads(found.stdout)["recommended"]["k"] == 9
    # a stream
    streamed = run("ingest", SAMPLE, "--store", "s.db", "--config", "t.toml", "--format", "jsonl")
    assert streamed.returncode == 0, streamed.stderr
    assert streamed.stdout == run("ingest", SAMPLE, "--store", "typed.db", "--k-duplicate", "9").stdout
    refused = run("dedup", SAMPLE, "--n", "10", "--config", "t.toml", "--out", "never.jsonl")
    assert (refused.returncode, (tmp_path / "never.jsonl").exists()) == (78, False)
    assert b"measured with n 12, but the command uses n 10" in refused.stderr
    assert run("sweep", SAMPLE, "--config", "t.toml").returncode == 78


@pytest.mark.slow
def test_k_auto_is_sweep_and_pairs_in_one_call():
    swept = api.sweep(SAMPLE, representations=["stem"])
    found = api.pairs(SAMPLE, k="auto", representation="stem")
    assert found.settings == swept.settings("stem").but(representation="stem")
    assert found.advice == swept.advice["stem"]
    assert found.as_rows() == api.pairs(SAMPLE, settings=swept.settings("stem")).as_rows()
    alike = api.dedup(SAMPLE, k="auto", representation="stem")
    assert alike.as_rows() == api.dedup(SAMPLE, k=swept.recommended_k["stem"], representation="stem").as_rows()
    with pytest.raises(UsageError, match="twice"):
        api.pairs(iter([]), k="auto")


def test_a_file_cut_before_its_first_table_is_not_an_empty_configuration(run, file, tmp_path):
    text = file.read_text(encoding="utf-8")
    (tmp_path / "half.toml").write_text(text[: text.index("[thresholds")], encoding="utf-8")
    answer = run("dedup", SAMPLE, "--config", "half.toml", "--out", "x.jsonl")
    assert (answer.returncode, (tmp_path / "x.jsonl").exists()) == (78, False)
    assert b"half.toml: cut short" in answer.stderr


@pytest.mark.parametrize("score", ["share", "probability"])
def test_scores_without_a_k_have_no_thresholds(run, score, tmp_path):
    answer = run("sweep", SAMPLE, "--score", score, "--write-config", "t.toml")
    assert (answer.returncode, answer.stdout, (tmp_path / "t.toml").exists()) == (2, b"", False)
    assert b"--write-config needs --score count" in answer.stderr
