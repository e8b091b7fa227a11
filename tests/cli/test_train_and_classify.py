"""``train`` and ``classify`` as their users run them."""

import json

import pytest

from infostream_dedup.sample import documents_path, labels_path

SAMPLE, LABELS = str(documents_path()), str(labels_path())


def _rows(answer):
    assert answer.returncode == 0, answer.stderr.decode()
    return [json.loads(line) for line in answer.stdout.splitlines()]


def test_train_then_classify_then_suggest(run, tmp_path):
    trained = run("train", SAMPLE, "--labels", LABELS, "--model", "m.json", "--domain", "news")
    weights = _rows(trained)
    later = json.loads((tmp_path / "m.json").read_bytes())["training"]["by_time"]
    assert (
        f"learned from the first {later['learned_from']} pairs by date, of the later ones {later['tp']} were found, "
        f"{later['fn']} missed, {later['fp']} reported wrongly: F1 {later['f1']:.3f}"
    ) in trained.stderr.decode()
    assert {"criterion", "weight", "weight_earlier", "mean", "scale"} == set(weights[0])
    sizes = [abs(row["weight"]) for row in weights]
    assert sizes == sorted(sizes, reverse=True)
    rows = _rows(run("classify", SAMPLE, "--model", "m.json", "--explain", "--repeats"))
    assert rows
    for row in rows:
        assert list(row) == ["a", "b", "outcome", "a_repeats_b", "b_repeats_a", "domain", "why", "reasons"]
        assert row["outcome"] in {"a repeats b", "b repeats a", "each repeats the other"}
        assert row["domain"] == "news"
        assert "for (" in row["why"]
    labels = [json.loads(line) for line in labels_path().read_text(encoding="utf-8").splitlines()]
    twins = [row for row in labels if row.get("kind") == "exact"]
    (tmp_path / "pairs.jsonl").write_text("\n".join(json.dumps(row) for row in twins), encoding="utf-8")
    given = _rows(run("classify", SAMPLE, "--model", "m.json", "--pairs", "pairs.jsonl"))
    assert [(row["a"], row["b"]) for row in given] == [(row["a"], row["b"]) for row in twins]
    assert {row["outcome"] for row in given} == {"each repeats the other"}
    suggested = _rows(run("train", SAMPLE, "--labels", LABELS, "--suggest", "5"))
    judged = {frozenset((row["a"], row["b"])) for row in labels if row["label"] != "translation"}
    assert 0 < len(suggested) <= 5
    for row in suggested:
        assert row["label"] is None
        assert frozenset((row["a"], row["b"])) not in judged


def test_a_curve_is_written_as_table_and_plot(run, tmp_path):
    answer = run("train", SAMPLE, "--labels", LABELS, "--curve", "curve", "--draws", "2", "--criteria", "words,numbers")
    assert answer.returncode == 0, answer.stderr.decode()
    assert sorted(path.name for path in (tmp_path / "curve").iterdir()) == ["curve.csv", "curve.png", "curve.svg"]
    assert (tmp_path / "curve" / "curve.csv").read_text(encoding="utf-8").startswith("criteria,size,draws,precision,")


@pytest.mark.parametrize(("arguments", "code"), [
    (("train", SAMPLE, "--labels", LABELS), 2), (("train", SAMPLE, "--labels", "none.jsonl", "--model", "m.json"), 66),
    (("train", SAMPLE, "--labels", LABELS, "--model", "m.json", "--criteria", "colour"), 78),
    (("train", SAMPLE, "--labels", LABELS, "--model", "no/such/folder/m.json"), 73),
    (("classify", SAMPLE, "--model", "none.json"), 66), (("classify", SAMPLE, "--model", SAMPLE), 65),
])  # fmt: skip
def test_failures_have_their_exit_codes_and_one_line(run, arguments, code):
    answer = run(*arguments)
    assert answer.returncode == code
    assert b"Traceback" not in answer.stderr
    assert answer.stdout == b""
