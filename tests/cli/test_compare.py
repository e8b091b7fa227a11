"""``compare`` as its user runs it."""

import csv
import io
import json
import tomllib
from pathlib import Path

import pytest

from infostream_dedup import api
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.judging.criteria.judged_pairs import judged_pairs
from infostream_dedup.lab.labels import Label, positive_labels, read_labels
from infostream_dedup.lab.methods import method_class, methods
from infostream_dedup.model.settings import Settings, Thresholds
from infostream_dedup.sample import documents_path, labels_path
from tests.conftest import rows_of, succeeded

from .conftest import Run

SAMPLE = str(documents_path())
LABELS = str(labels_path())
FEW = "md5,long-sent,three-plus-two:n=3,key-terms-stem"


def test_all_methods_against_labels_as_json(run):
    answer = succeeded(run("compare", SAMPLE, "--labels", LABELS))
    found = json.loads(answer.stdout)
    asked = [name for name in methods() if not method_class(name).only_when_named]
    assert [row["method"] for row in found["rows"]] == [name for name in asked if name not in found["missing"]]
    assert list(found["rows"][0])[:9] == [
        "method", "pairs", "precision", "recall", "f1", "symmetry", "transitivity", "cpu_seconds",
        "bytes_per_document",
    ]  # fmt: skip
    assert (found["protocol"], len(found["dice"]["values"])) == ("labels", len(found["rows"]))
    assert b"reading, shared by all" in answer.stderr
    assert b"read 199 = used 199" in answer.stderr


def test_a_table_with_the_dice_matrix(run):
    answer = succeeded(run("compare", SAMPLE, "--methods", FEW, "--format", "table"))
    text = answer.stdout.decode()
    assert "three-plus-two:n=3" in text
    assert "Dice, %" in text
    assert "growth" not in text
    assert b"pool: " in answer.stderr


def test_a_report_and_pairs_for_an_expert(run, tmp_path):
    out = tmp_path / "report"
    succeeded(run("compare", SAMPLE, "--methods", FEW, "--sample-disagreements", "6", "--out", str(out)))
    assert {"report.html", "comparison.json", "comparison.csv", "dice.svg", "times.csv", "disagreements.jsonl"} <= {
        path.name for path in out.iterdir()
    }
    rows = [json.loads(line) for line in (out / "disagreements.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 6
    assert all(row["label"] is None and row["found_by"] for row in rows)
    assert "times" not in json.loads((out / "comparison.json").read_bytes())


def test_what_the_expert_filled_in_is_read_by_compare_and_evaluate(run, tmp_path):
    run("compare", SAMPLE, "--methods", FEW, "--sample-disagreements", "6", "--out-labels", "ask.jsonl")
    path = tmp_path / "ask.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row, label in zip(rows, ("dup", "different", "dup"), strict=False):
        row["label"] = label
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert [label.label for label in read_labels(path)] == ["dup", "different", "dup"]
    for command in (("compare", "--methods", FEW), ("evaluate", "--representation", "stem")):
        answer = succeeded(run(command[0], SAMPLE, "--labels", "ask.jsonl", *command[1:]))
        first = json.loads(answer.stdout)["rows"][0]
        assert first["tp"] + first["fn"] == 2


ASK = ("audit", str(documents_path()), "--representation", "stem", "--pairs", "20")


def judged(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [row | {"label": "Dup" if float(row["wording"].replace(",", ".")) > 0.3 else "different"} for row in rows]


@pytest.mark.parametrize("way", [["--format", "csv"], ["--out", "ask.csv"]])
def test_a_spreadsheet_of_pairs_comes_back(run: Run, tmp_path: Path, way: list[str]) -> None:
    asked = succeeded(run(*ASK, *way, "--csv-dialect", "excel"))
    content = asked.stdout if "--format" in way else (tmp_path / "ask.csv").read_bytes()
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=";"))
    assert len(rows) == 20
    assert all(row["text_a"] and row["text_b"] for row in rows)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
    writer.writeheader()
    writer.writerows(judged(rows))
    (tmp_path / "ask.csv").write_text(out.getvalue(), encoding="utf-8-sig", newline="")
    found = succeeded(run(*ASK[:4], "--judged", "ask.csv", "--format", "json"))
    assert json.loads(found.stdout)["rows"][-1]["pairs"] == 20


def test_pairs_show_the_beginnings_of_texts(run: Run) -> None:
    texts = {}
    for line in documents_path().read_text("utf-8").splitlines():
        document = json.loads(line)
        texts[document["id"]] = " ".join(document["text"].split())
    for row in rows_of(run(*ASK)):
        assert 50 < len(row["text_a"]) <= 300
        assert texts[row["a"]].startswith(row["text_a"])
        assert texts[row["b"]].startswith(row["text_b"])


def test_judgements_for_other_settings_are_doubted(run: Run, tmp_path: Path) -> None:
    rows = rows_of(run(*ASK))
    labelled = [row | {"label": "dup"} for row in rows]

    def said(rows: list[dict[str, str]], *options: str) -> tuple[str, str]:
        (tmp_path / "ask.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        found = run(*ASK[:4], "--judged", "ask.jsonl", "--format", "json", *options)
        return json.loads(found.stdout)["rows"][-1]["note"], found.stderr.decode()

    assert not any("may be wrong" in text for text in said(labelled))
    assert all("20 of the judged pairs were chosen for other documents or" in one for one in said(labelled, "--k", "9"))
    unknown = [{name: row[name] for name in ("a", "b", "label")} for row in labelled]
    assert all("20 of the judged pairs were not chosen by an audit" in text for text in said(unknown))
    assert not any("may be wrong" in text for text in said([row | {"asked": True} for row in unknown]))


def test_a_desk_takes_a_spreadsheet_and_gives_one(run: Run, tmp_path: Path) -> None:
    run("ingest", str(documents_path()), "--store", "news.db", "--quiet")
    succeeded(run(*ASK, "--out", "ask.csv"))
    succeeded(run("desk", "import", "news.db", "ask.csv", "--person", "oksana"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "ask.csv").read_text("utf-8"), newline="")))
    others = {"a": rows[0]["a"], "b": "not asked for", "label": "different"}
    with (tmp_path / "judged.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, ["a", "b", "label"])
        writer.writeheader()
        writer.writerows([{name: row[name] for name in others} | {"label": "dup"} for row in rows] + [others])
    assert run("desk", "import", "news.db", "judged.csv", "--person", "oksana").returncode == 0
    run("desk", "export", "news.db", "--out", "labels.csv")
    exported = (tmp_path / "labels.csv").read_text("utf-8").splitlines()
    assert (exported[0], len(exported)) == ("a,b,label,judges,repeats,asked", 22)
    found = run(*ASK[:4], "--judged", "labels.csv", "--format", "json")
    assert json.loads(found.stdout)["rows"][-1]["pairs"] == 20
    assert "1 judged pairs were not chosen by an audit" in found.stderr.decode()


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


@pytest.mark.parametrize(("settings", "both"), [
    (Settings(representation="stem"), "has thresholds for morph, but the command uses stem"),
    (Settings(weighting="tfidf"), "has thresholds for morph, but the command uses morph:tfidf"),
    (Settings(n=10), "measured with n 12, but the command uses n 10"),
    (Settings(score="share"), "measured with score count, but the command uses score share"),
    (Settings(target="signature"), "measured with target text, but the command uses target signature"),
])  # fmt: skip
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
        ("k = 9", "k = 13"), ("k = 9", "k = true"), ("k = 9", 'k = "9"'), ("n = 12", "n = 8"), ("[judged]", "[judge]"),
        ("min_probability = 0.5", "min_probability = 5"), ("min_probability", "probability"),
        ('join = ["copy"]', 'join = "copy"'), ("[thresholds", "[threshold"), ('score = "count"', "score = 1"),
    ],
)  # fmt: skip
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
    streamed = succeeded(run("ingest", SAMPLE, "--store", "s.db", "--config", "t.toml", "--format", "jsonl"))
    assert streamed.stdout == run("ingest", SAMPLE, "--store", "typed.db", "--k-duplicate", "9").stdout
    refused = run("dedup", SAMPLE, "--n", "10", "--config", "t.toml", "--out", "never.jsonl")
    assert (refused.returncode, (tmp_path / "never.jsonl").exists()) == (78, False)
    assert b"measured with n 12, but the command uses n 10" in refused.stderr
    assert run("sweep", SAMPLE, "--config", "t.toml").returncode == 78


@pytest.mark.slow
def test_k_auto_is_sweep_and_pairs_in_one_call():
    swept = api.sweep(SAMPLE, representations=["stem"])
    found = api.pairs(SAMPLE, k="auto", representation="stem")
    assert (found.settings, found.advice) == (swept.settings("stem").but(representation="stem"), swept.advice["stem"])
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


# ``train`` and ``classify`` as their users run them.
def test_train_then_classify_then_suggest(run, tmp_path):
    trained = run("train", SAMPLE, "--labels", LABELS, "--model", "m.json", "--domain", "news")
    weights = rows_of(trained)
    later = json.loads((tmp_path / "m.json").read_bytes())["training"]["by_time"]
    assert (
        f"learned from the first {later['learned_from']} pairs by date, of the later ones {later['tp']} were found, "
        f"{later['fn']} missed, {later['fp']} reported wrongly: F1 {later['f1']:.3f}"
    ) in trained.stderr.decode()
    assert {"criterion", "weight", "weight_earlier", "mean", "scale"} == set(weights[0])
    sizes = [abs(row["weight"]) for row in weights]
    assert sizes == sorted(sizes, reverse=True)
    rows = rows_of(run("classify", SAMPLE, "--model", "m.json", "--explain", "--repeats"))
    assert rows
    for row in rows:
        assert list(row) == ["a", "b", "outcome", "a_repeats_b", "b_repeats_a", "domain", "why", "reasons"]
        assert row["outcome"] in {"a repeats b", "b repeats a", "each repeats the other"}
        assert row["domain"] == "news"
        assert "for (" in row["why"]
    labels = [json.loads(line) for line in labels_path().read_text(encoding="utf-8").splitlines()]
    twins = [row for row in labels if row.get("kind") == "exact"]
    (tmp_path / "pairs.jsonl").write_text("\n".join(json.dumps(row) for row in twins), encoding="utf-8")
    given = rows_of(run("classify", SAMPLE, "--model", "m.json", "--pairs", "pairs.jsonl"))
    assert [(row["a"], row["b"]) for row in given] == [(row["a"], row["b"]) for row in twins]
    assert {row["outcome"] for row in given} == {"each repeats the other"}
    suggested = rows_of(run("train", SAMPLE, "--labels", LABELS, "--suggest", "5"))
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


# ``train`` takes the label ``template``: the same form with other numbers, which repeats nothing.
@pytest.mark.parametrize("positive", [("dup",), ("dup", "similar")])
def test_a_template_repeats_nothing_but_stays_in_the_fold_of_its_form(positive):
    labels = [Label("1", "2", "template"), Label("1", "3", "different")]
    pairs = judged_pairs(labels, ["1", "2", "3"], positive=positive_labels(positive))
    assert not pairs.repeats.any()
    assert pairs.joined.tolist() == [True, False]
