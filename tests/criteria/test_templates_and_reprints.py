"""The templates written for this project: words cannot tell them from reprints, numbers can."""

import numpy as np

from infostream_dedup.judging.criteria.classifier import differences
from infostream_dedup.judging.criteria.document_models import key_term_candidates
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
