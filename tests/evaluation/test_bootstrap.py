import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from infostream_dedup.lab.evaluation.labels import Truth, labels_of, truth_of
from infostream_dedup.lab.evaluation.scores import Intervals, Predictions, intervals, scores
from infostream_dedup.model import Document


def _truth(families: str, listed: dict[tuple[int, int], str]) -> Truth:
    documents = [
        Document(id=str(number), text="", extra={"family": family.strip()}) for number, family in enumerate(families)
    ]
    labels = labels_of([{"a": str(a), "b": str(b), "label": label} for (a, b), label in listed.items()])
    return truth_of(documents, ["ru"] * len(families), labels)


def _predictions(pairs: dict[tuple[int, int], int], documents: int, steps: int) -> Predictions:
    codes = sorted((a * documents + b, grade) for (a, b), grade in pairs.items())
    return Predictions(
        np.array([code for code, _ in codes], dtype=np.int64), np.array([grade for _, grade in codes], dtype=np.uint8),
        tuple(range(1, steps + 1)), "k",
    )  # fmt: skip


def _intervals(predictions: Predictions, truth: Truth, **options: int) -> list[Intervals]:
    verdicts = truth.judge(predictions.codes)
    return intervals(
        predictions, verdicts, truth,
        scores(predictions, verdicts, len(truth.positives), np.ones(len(verdicts), bool)), **options,
    )  # fmt: skip


def _slowly(predictions: Predictions, truth: Truth, step: int, resamples: int) -> list[tuple[int, int, int]]:
    """tp, fp, positives of the same drawn collections, pair by pair."""
    stories = int(truth.stories.max()) + 1
    generator = np.random.PCG64(0)
    verdicts = truth.judge(predictions.codes)
    found = []
    for _ in range(resamples):
        drawn = [int(number) % stories for number in generator.random_raw(stories)]
        counts = {0: 0, 1: 0, -1: 0}
        for code, grade, verdict in zip(predictions.codes, predictions.grades, verdicts, strict=True):
            one, other = truth.stories[int(code) // truth.documents], truth.stories[int(code) % truth.documents]
            times = drawn.count(one) if one == other else drawn.count(one) * drawn.count(other)
            counts[int(verdict)] += times if grade >= step else 0
        positives = sum(drawn.count(truth.stories[int(code) // truth.documents]) for code in truth.positives)
        found.append((counts[1], counts[-1], positives))
    return found


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_agrees_with_drawing_stories_and_counting_pairs(data: st.DataObject) -> None:
    size, steps, resamples = 8, 3, 130
    families = "".join(data.draw(st.lists(st.sampled_from("fghi "), min_size=size, max_size=size)))
    pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
    labels = st.sampled_from(["dup", "dup", "different"])
    truth = _truth(families, data.draw(st.dictionaries(st.sampled_from(pairs), labels, min_size=3)))
    predictions = _predictions(
        data.draw(st.dictionaries(st.sampled_from(pairs), st.integers(1, steps), min_size=3)), size, steps
    )
    assume(truth.stories.max() >= 1)
    verdicts = truth.judge(predictions.codes)
    estimates = scores(predictions, verdicts, len(truth.positives), np.ones(len(verdicts), bool))
    for step, found in enumerate(intervals(predictions, verdicts, truth, estimates, resamples=resamples), start=1):
        drawn = _slowly(predictions, truth, step, resamples)
        estimate = estimates[step - 1].f1
        f1 = [2 * tp / (tp + fp + positives) for tp, fp, positives in drawn if tp + fp + positives]
        if estimate is None or not f1:
            assert found.f1 is None
            continue
        low, high = np.quantile(f1, (0.025, 0.975))
        assert found.f1 == pytest.approx((min(low, estimate), max(high, estimate)), abs=1e-12)


def _many_stories() -> tuple[Predictions, Truth]:
    """40 stories of 2 documents: 32 found, 8 missed; 6 pairs of stories linked falsely by all 4 pairs of documents."""
    families = "".join(chr(97 + number) * 2 for number in range(40))
    truth = _truth(families, {(2 * story, 2 * story + 1): "dup" for story in range(40)})
    pairs = {(2 * story, 2 * story + 1): 2 for story in range(32)}
    for story in range(0, 12, 2):
        pairs |= {(2 * story + a, 2 * story + 2 + b): 1 for a in (0, 1) for b in (0, 1)}
    return _predictions(pairs, 80, 2), truth


def test_intervals_hold_the_estimate_and_are_the_same_again() -> None:
    predictions, truth = _many_stories()
    first, again = (_intervals(predictions, truth) for _ in range(2))
    assert first == again
    loose, strict = first
    assert strict.precision == (1.0, 1.0)
    for interval, estimate in ((loose.f1, 64 / 96), (loose.precision, 32 / 56), (loose.recall, 0.8)):
        assert interval is not None
        assert 0 < interval[0] < estimate < interval[1] <= 1


def test_the_interval_of_recall_is_that_of_a_share_of_stories() -> None:
    predictions, truth = _many_stories()
    found = _intervals(predictions, truth)[0].recall
    assert found == pytest.approx((0.8 - 1.96 * 0.0632, 0.8 + 1.96 * 0.0632), abs=0.03)


def test_stories_and_not_pairs_are_resampled() -> None:
    """The same false pairs say less when they come from one pair of stories."""
    families = "".join(chr(97 + number) * 6 for number in range(20))
    truth = _truth(families, {(6 * story, 6 * story + 1): "dup" for story in range(20)})
    right = {(6 * story, 6 * story + 1): 1 for story in range(20)}
    one_story = {(a, 6 + b): 1 for a in range(6) for b in range(6)}
    spread = {(6 * story + a, 6 * story + 6 + a): 1 for story in range(0, 12, 2) for a in range(6)}
    widths = []
    for wrong in (one_story, spread):
        interval = _intervals(_predictions(right | wrong, 120, 1), truth)[0].precision
        assert interval is not None
        widths.append(interval[1] - interval[0])
    assert widths[0] > widths[1]


def test_one_story_gives_no_interval() -> None:
    truth = _truth("ff", {(0, 1): "dup"})
    assert _intervals(_predictions({(0, 1): 1}, 2, 1), truth) == [Intervals(None, None, None)]
