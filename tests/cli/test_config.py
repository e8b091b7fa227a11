"""What operators ask for: configurations, completion, manual pages, stages that add up, counts as an object."""

import json
import tomllib

import pytest

from infostream_dedup.sample import documents_path


def test_a_schema_and_a_file_say_what_a_configuration_may(run, tmp_path):
    schema = json.loads(run("config", "show", "ingest").stdout)
    assert schema["properties"]["batch-size"]["type"] == "integer"
    assert schema["properties"]["preset"]["enum"] == ["judged", "faithful"]
    assert schema["additionalProperties"] is False
    keys = {
        line[2:].split(" = ")[0]
        for line in run("config", "show", "ingest", "--toml").stdout.decode().splitlines()[1::2]
    }
    assert keys == schema["properties"].keys()
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text('preset = "faithful"\nbatch-size = 5\n', encoding="utf-8")
    bad.write_text('presett = "faithful"\n', encoding="utf-8")
    assert set(tomllib.loads(good.read_text(encoding="utf-8"))) <= schema["properties"].keys()
    assert run("config", "check", str(good), "--command", "ingest").returncode == 0
    wrong = run("config", "check", str(bad), "--command", "ingest")
    assert wrong.returncode == 78
    assert b"did you mean 'preset'" in wrong.stderr
    assert run("config", "show", "nothing").returncode == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(run, shell):
    assert b"_INFOSTREAM_DEDUP_COMPLETE" in run("config", "completion", shell).stdout


def test_each_command_has_a_manual_page(run, tmp_path):
    assert run("config", "man", str(tmp_path)).returncode == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert {"infostream-dedup.1", "infostream-dedup-dedup.1", "infostream-dedup-watch-add.1"} <= names
    page = (tmp_path / "infostream-dedup-watch-add.1").read_text(encoding="utf-8")
    assert page.startswith('.TH "INFOSTREAM-DEDUP-WATCH-ADD" 1')
    assert "\\-\\-terms" in page


def test_stages_add_up_and_counts_are_an_object(run, tmp_path):
    summary, store = tmp_path / "run.json", str(tmp_path / "news.db")
    run("ingest", str(documents_path()), "--store", store, "--summary", str(summary))
    told = json.loads(summary.read_text(encoding="utf-8"))
    assert sum(told["stages"].values()) == pytest.approx(told["seconds"], abs=0.01)
    assert told["stages"]["judging"] > told["stages"]["printing"]
    counts = json.loads(run("store", "stats", store, "--format", "json").stdout)
    assert counts["documents"] == sum(counts["status"].values()) == sum(counts["language"].values()) == 199
