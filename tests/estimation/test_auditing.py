"""An audit: judgements are shared out well, worked by hand, and figures are right where labels are the judge."""

import json

import numpy as np
import pytest

from infostream_dedup import audit
from infostream_dedup.errors import BadDataError, UsageError
from infostream_dedup.lab.audit import STRATA, AuditedPairs, audit_scores, pairs_to_judge, shared_out
from infostream_dedup.sample import documents_path


def _population(wording, linked):
    pairs = len(wording)
    return AuditedPairs(
        a=np.arange(pairs), b=np.arange(pairs) + pairs, linked=np.array(linked, dtype=np.bool_),
        wording=np.array(wording, dtype=np.float64), weights=np.ones(pairs),
    )  # fmt: skip


def test_a_case_worked_by_hand():
    # 100 links of much wording, 50 of little, 200 pairs of little wording that are not linked.
    population = _population([0.9] * 100 + [0.05] * 50 + [0.05] * 200, [True] * 150 + [False] * 200)
    rows = np.array([0, 1, 2, 3, 100, 101, 102, 103, 104, 150, 151, 152, 153, 154])
    found = audit_scores(population, rows, np.array([1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0], dtype=np.bool_))
    # Right: 3/4 of 100, 1/5 of 50, 1/5 of 200.
    assert found.precision == pytest.approx((75 + 10) / 150)
    assert found.recall == pytest.approx((75 + 10) / (75 + 10 + 40))
    assert (found.judged, found.right, found.unjudged) == (14, 5, 0)
    assert found.precision_bounds[0] < 0.45 < found.precision < 0.7 < found.precision_bounds[1]


def test_what_is_judged_altogether_is_known():
    population = _population([0.9, 0.9, 0.05, 0.05], [True, True, True, False])
    found = audit_scores(population, np.arange(4), np.array([True, True, False, True]))
    assert found.precision == found.precision_bounds[0] == found.precision_bounds[1] == pytest.approx(2 / 3)
    assert found.recall == found.recall_bounds[0] == found.recall_bounds[1] == pytest.approx(2 / 3)


def test_judgements_go_where_they_are_worth_most():
    sizes = np.zeros(STRATA)
    sizes[[2, 3, 9]] = 1000, 10, 1000
    given = shared_out(sizes, sizes.astype(np.int64), 60)
    assert given.sum() == 60
    assert given[3] >= 2
    # The spread is .22 at .05 and .40 at .2: nearly twice as many judgements of the links.
    assert given[9] == pytest.approx(given[2] * 0.40 / 0.218, abs=1.5)
    assert shared_out(sizes, sizes.astype(np.int64), 5000).tolist() == sizes.tolist()


def test_pairs_are_drawn_once_and_the_same_again():
    random = np.random.default_rng(3)
    population = _population(random.random(500) ** 3, random.random(500) < 0.3)
    rows = pairs_to_judge(population, 100)
    assert len(rows) == len(set(rows.tolist())) == 100
    assert rows.tolist() == pairs_to_judge(population, 100).tolist()
    assert (np.bincount(population.strata[rows], minlength=STRATA)[population.sizes > 0] >= 2).all()
    assert len(pairs_to_judge(population, 9999)) == 500


def test_right_and_covered_over_200_audits():
    """Wording tells much but not all: between .05 and .35 a pair may be right or not, linked or not."""
    random = np.random.default_rng(5)
    wording = np.concatenate([random.random(500), 0.1 * random.random(4000)])
    right = random.random(4500) < np.clip((wording - 0.05) / 0.3, 0.0, 1.0)
    linked = random.random(4500) < np.where(right, 0.85, 0.04)
    population = _population(wording, linked)
    truth = right[linked].mean(), right[linked].sum() / right.sum()
    errors, covered = [], []
    for number in range(200):
        rows = pairs_to_judge(population, 100, draw=number)
        found = audit_scores(population, rows, right[rows])
        errors.append([abs(found.precision - truth[0]), abs(found.recall - truth[1])])
        bounds = found.precision_bounds, found.recall_bounds
        covered.append([low <= true <= high for (low, high), true in zip(bounds, truth, strict=True)])
    assert np.mean(errors, axis=0)[0] <= 0.05
    assert np.mean(errors, axis=0)[1] <= 0.07
    assert (np.mean(covered, axis=0) >= 0.93).all()


def test_a_few_pairs_that_nobody_judged_are_pairs():
    # Twelve links, ten judged, one of them right: the two others hold none, one or two right ones.
    found = audit_scores(_population([0.5] * 12, [True] * 12), np.arange(10), np.arange(10) == 3)
    low, high = found.precision_bounds
    assert low == pytest.approx((1 + 0) / 12)
    assert high in (pytest.approx((1 + 1) / 12), pytest.approx((1 + 2) / 12))


def test_asked_judged_and_read_back(tmp_path):
    asked = audit(str(documents_path()), pairs=30)
    assert len(asked.rows) == 30
    assert all(row["label"] is None for row in asked.rows)
    judged = tmp_path / "judged.jsonl"
    rows = [row | {"label": "dup" if number % 3 else "different"} for number, row in enumerate(asked.rows)]
    judged.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = audit(str(documents_path()), judged=judged)
    assert [row["source"] for row in found.rows] == ["counted", "estimated", "audited"]
    last = found.rows[-1]
    assert last["pairs"] == 30
    assert last["precision_low"] <= last["precision"] <= last["precision_high"]
    assert last["recall_low"] <= last["recall"] <= last["recall_high"]


def test_bad_judgements_are_named(tmp_path):
    judged = tmp_path / "judged.jsonl"
    judged.write_text('{"a": "x", "b": "y", "label": null}\n', encoding="utf-8")
    with pytest.raises(BadDataError, match="no judged pair"):
        audit(str(documents_path()), judged=judged)
    judged.write_text('{"a": "x", "b": "y", "label": "dup"}\n', encoding="utf-8")
    with pytest.raises(BadDataError, match="judged pairs is among"):
        audit(str(documents_path()), judged=judged)
    with pytest.raises(UsageError, match="k from 3 to 12"):
        audit(str(documents_path()), k=2)
