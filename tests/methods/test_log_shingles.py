"""Log Shingles, worked by hand."""

import numpy as np

from infostream_dedup.judging.features.rows import rows_from
from infostream_dedup.lab.methods import Texts, method
from infostream_dedup.lab.methods.shingles import logarithmic_sample, modular_sample


def _lists(rows):
    return [rows.row(number).tolist() for number in range(len(rows))]


def test_the_smallest_divisible_by_each_power_of_two():
    # n = 4: i is 1 and 2. n = 3: i is 1 only. n = 1: no i.
    rows = rows_from([[10, 12, 6, 3], [9, 8, 6], [4], [], [5, 7, 9, 1]], np.uint64)
    assert _lists(logarithmic_sample(rows)) == [[6, 12], [6], [], [], []]


def test_divisible_by_a_power_that_leaves_the_target():
    # n = 8, target 2: m = 2. n = 3: m = 0, all are kept.
    rows = rows_from([[1, 2, 3, 4, 5, 6, 7, 8], [1, 3, 5]], np.uint64)
    assert _lists(modular_sample(rows, 2)) == [[4, 8], [1, 3, 5]]


def test_where_nothing_is_sampled_the_smallest_is():
    run = method("log-shingles").run(Texts.of("Наводнение", "наводнение!", "Землетрясение"))
    assert run.signatures.sizes.tolist() == [1, 1, 1]
    assert run.pairs.as_list() == [(0, 1, 1.0)]


def test_a_sample_outlives_most_edits():
    words = [f"слово{number}" for number in range(500)]
    edits = []
    for place in range(0, 500, 25):
        edited = words.copy()
        edited[place] = "другое"
        edits.append(" ".join(edited))
    for sample in ("log", "mod"):
        run = method("log-shingles", sample=sample).run(Texts.of(" ".join(words), *edits))
        # Eight or nine of 500 shingles decide, five are changed: most edits go unseen, which MD5 would never let pass.
        assert (run.pairs.a == 0).sum() >= 14
