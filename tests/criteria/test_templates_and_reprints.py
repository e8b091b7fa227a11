"""Daily prices, rates, results, weather: words cannot tell them from reprints, numbers can."""

import json
from pathlib import Path

import numpy as np
import pytest

from infostream_dedup import read_documents
from infostream_dedup.judging.criteria.classifier import CLASSIFIER_PRESETS, differences
from infostream_dedup.judging.criteria.document_models import document_models, key_term_candidates
from infostream_dedup.judging.criteria.judged_pairs import judged_pairs
from infostream_dedup.judging.criteria.training import GivenAuthority, held_out, prior_plane
from infostream_dedup.lab.labels import Label
from reports.criteria_tables import best_threshold


def best_f1(models, pairs, criterion):
    """F1 of a criterion at its best threshold, for the larger or the smaller difference of both directions."""
    i, j, reprint = pairs
    both = np.abs(differences(models, i, j, [criterion]))[:, :, 0]
    grades = np.where(np.isnan(both), np.inf, both)
    return max(best_threshold(one, reprint)[1] for one in (grades.max(axis=0), grades.min(axis=0)))


def test_time_alone_does_not_give_them_away(template_models, template_pairs):
    assert best_f1(template_models, template_pairs, "time_apart") < 0.9


def test_words_and_key_terms_take_templates_for_reprints_and_numbers_do_not(template_models, template_pairs):
    for name in ("words", "title", "key_terms"):
        assert best_f1(template_models, template_pairs, name) < 0.7
    for name in ("numbers", "number_order"):
        assert best_f1(template_models, template_pairs, name) > 0.9


def test_no_reprint_is_lost_before_the_criteria(template_models, template_pairs):
    i, j, reprint = template_pairs
    a, b = key_term_candidates(template_models)
    passed = set(zip(a.tolist(), b.tolist(), strict=True))
    smaller, larger = np.minimum(i, j)[reprint], np.maximum(i, j)[reprint]
    assert set(zip(smaller.tolist(), larger.tolist(), strict=True)) <= passed


PRESET = CLASSIFIER_PRESETS["duplicate"]
PRIOR = prior_plane(PRESET.criteria, PRESET.prior)
HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def templates():
    models = document_models(list(read_documents(HERE / "templates.jsonl")))
    rows = [json.loads(line) for line in (HERE / "template_labels.jsonl").read_text(encoding="utf-8").splitlines()]
    labels = [Label(row["a"], row["b"], "dup" if row["label"] == "dup" else "similar") for row in rows]
    return models, judged_pairs(labels, models.ids, positive=["dup"])


def test_templates_of_unseen_stories_are_distinguished_from_reprints(templates):
    models, pairs = templates
    found = held_out(models, pairs, PRESET.criteria, GivenAuthority(models, {}), PRIOR).found("both")
    truth = pairs.repeats
    assert truth.sum() >= 30
    assert (~truth).sum() >= 60
    assert 2 * (truth & found).sum() / (truth.sum() + found.sum()) >= 0.95
    assert (found & ~truth).sum() <= 0.03 * (~truth).sum()


def test_words_alone_cannot(templates):
    models, pairs = templates
    words = held_out(models, pairs, ["key_terms"], GivenAuthority(models, {}), prior_plane(["key_terms"], {})).found(
        "both"
    )
    every = held_out(models, pairs, PRESET.criteria, GivenAuthority(models, {}), PRIOR).found("both")
    assert np.mean(words == pairs.repeats) < np.mean(every == pairs.repeats)
