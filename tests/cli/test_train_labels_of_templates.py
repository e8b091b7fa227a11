"""``train`` takes the label ``template``: the same form with other numbers, which repeats nothing."""

import json
from pathlib import Path

import pytest

from infostream_dedup.judging.criteria.judged_pairs import judged_pairs
from infostream_dedup.lab.evaluation.labels import Label, positive_labels

TEMPLATES = Path(__file__).parents[1] / "criteria"


@pytest.mark.parametrize("positive", [("dup",), ("dup", "similar")])
def test_a_template_repeats_nothing_but_stays_in_the_fold_of_its_form(positive):
    labels = [Label("1", "2", "template"), Label("1", "3", "different")]
    pairs = judged_pairs(labels, ["1", "2", "3"], positive=positive_labels(positive))
    assert not pairs.repeats.any()
    assert pairs.joined.tolist() == [True, False]


def test_train_learns_from_templates(run, tmp_path):
    pytest.importorskip("sklearn")
    done = run(
        *("train", str(TEMPLATES / "templates.jsonl"), "--labels", str(TEMPLATES / "template_labels.jsonl")),
        *("--model", str(tmp_path / "m.json")),
    )
    assert done.returncode == 0, done.stderr
    labels = [json.loads(line)["label"] for line in (TEMPLATES / "template_labels.jsonl").read_bytes().splitlines()]
    assert labels.count("template") > 20
    assert f"learned from {len(labels)} judged pairs, {labels.count('dup')} of them repeats".encode() in done.stderr
