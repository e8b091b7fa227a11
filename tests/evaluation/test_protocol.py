from pathlib import Path

import numpy as np
import pytest

from infostream_dedup import evaluate as api_evaluate
from infostream_dedup import sweep
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.evaluation.collection_scores import Evaluation, evaluate, evaluate_collection
from infostream_dedup.lab.evaluation.labels import Truth, labels_of, truth_of
from infostream_dedup.lab.evaluation.scores import Predictions, predicted_pairs
from infostream_dedup.model import Document, Settings
from infostream_dedup.runs.batch.collection import collect


def _truth() -> Truth:
    """Families f = 0 1, g = 2 3, h = 4; their pairs are true."""
    documents = [Document(id=str(number), text="", extra={"family": family}) for number, family in enumerate("ffggh")]
    rows = [{"a": "0", "b": "1", "label": "dup"}, {"a": "2", "b": "3", "label": "dup"}]
    return truth_of(documents, ["uk"] * 5, labels_of(rows))


def _evaluation(
    grades: dict[tuple[int, int], int],
    recommended: float | None,
    steps: tuple[float, ...] = (4, 5, 6, 7),
    name: str = "k",
) -> Evaluation:
    codes = np.array(sorted(5 * a + b for a, b in grades), dtype=np.int64)
    by_code = {5 * a + b: grade for (a, b), grade in grades.items()}
    values = np.array([by_code[code] for code in codes.tolist()], dtype=np.uint8)
    return evaluate(Predictions(codes, values, steps, name), _truth(), recommended=recommended, resamples=50)


GRADES = {(0, 1): 4, (2, 3): 3, (0, 4): 1, (1, 4): 2}


def test_a_row_for_every_step() -> None:
    found = _evaluation(GRADES, 5)
    figures = [(row.step, row.scores.tp, row.scores.fp, row.scores.fn) for row in found.rows]
    assert figures == [(4, 2, 2, 0), (5, 2, 1, 0), (6, 2, 0, 0), (7, 1, 0, 1)]


def test_the_best_row_and_the_recommended_one() -> None:
    found = _evaluation(GRADES, 5)
    assert found.best is not None
    assert (found.best.step, found.recommended.step, found.recommended.refused) == (6, 5, False)
    assert found.share_of_best == pytest.approx(0.8)


def test_where_nothing_is_true_no_row_is_best() -> None:
    """It was k = 1, "with F1 0.000", as if another k were worse."""
    rows = [{"id": str(number), "text": "Мост через реку Днепр открыли вчера после ремонта."} for number in "12"]
    labels = labels_of([{"a": "1", "b": "2", "label": "similar"}])
    found = evaluate_collection(collect([Document(**row) for row in rows]), labels, Settings(), resamples=5)
    assert [found.best, found.share_of_best] == [None, None]
    assert found.notes == ["no pair counts as true: positive is dup, the labels are similar"]


def test_of_equal_rows_the_smallest_step_is_best() -> None:
    found = _evaluation({(0, 1): 3, (2, 3): 3}, 6)
    assert found.best is not None
    assert found.best.step == 4


def test_a_refusal_is_judged_as_six() -> None:
    row = _evaluation(GRADES, None).recommended
    assert (row.step, row.refused, row.as_dict()["refused"]) == (6, True, True)
    assert _evaluation(GRADES, None, (1, 2, 3, 4)).recommended.step == 4


def test_plain_values() -> None:
    found = _evaluation(GRADES, 6).as_dict()
    assert list(found) == ["rows", "best", "recommended", "judged", "groups"]
    names = ["k", "tp", "fp", "fn", "precision", "recall", "f1", "low", "high", "linked", "judged"]
    assert list(found["rows"][0]) == names
    assert (found["judged"], found["groups"]) == (None, None)
    assert found["best"] == found["recommended"] == found["rows"][2]
    row = found["rows"][0]
    assert (row["k"], row["precision"], row["recall"], row["f1"]) == (4, 0.5, 1.0, pytest.approx(2 / 3))
    assert 0 <= row["low"] <= row["f1"] <= row["high"] <= 1


def test_nothing_predicted_and_nothing_true() -> None:
    documents = [Document(id="x", text=""), Document(id="y", text="")]
    empty = predicted_pairs(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 2)
    found = evaluate(empty, truth_of(documents, ["ru", "ru"], []), recommended=1)
    assert found.as_dict()["best"] == {}
    assert found.share_of_best is None
    row = found.as_dict()["rows"][0]
    assert [row[name] for name in ("precision", "recall", "f1", "low", "high")] == [None] * 5


def test_thresholds_have_their_own_column() -> None:
    steps = tuple(step / 20 for step in (6, 7, 8, 9))
    found = _evaluation(GRADES, 0.40, steps, "threshold")
    assert found.recommended.as_dict()["threshold"] == 0.4
    with pytest.raises(ConfigurationError, match="a refusal is judged as a k"):
        _evaluation(GRADES, None, steps, "threshold")


def test_a_recommended_step_that_was_not_evaluated_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="recommended k is 9, which was not evaluated; known are 4, 5, 6, 7"):
        _evaluation(GRADES, 9)


def test_evaluate_recommends_by_the_rule_of_sweep(tmp_path: Path) -> None:
    # Copies of one text in which a word or none is changed: more than fifty, so the count decides for both.
    words = [f"слово{chr(1072 + i % 32)}{chr(1072 + i // 32)}" for i in range(400)]
    documents = [
        {"id": f"{text}-{copy}", "text": " ".join(words[40 * text : 40 * text + 40 - copy]), "lang": "ru"}
        for text in range(10)
        for copy in range(5)
    ]
    labels = tmp_path / "labels.jsonl"
    labels.write_text('{"a": "0-0", "b": "0-1", "label": "dup"}\n{"a": "0-0", "b": "1-1", "label": "different"}\n')
    swept = sweep(documents, representations=["stem"])
    found = api_evaluate(documents, labels, representation="stem")
    assert swept.reason["stem"].startswith(("counted:", "estimated:"))
    assert (found.recommended.step, found.recommended.refused) == (swept.recommended_k["stem"], False)
