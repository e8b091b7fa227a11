"""Decisions in words."""

import numpy as np
import pytest

from infostream_dedup.judging.criteria.classifier import comes_later, in_words, reasons
from infostream_dedup.judging.criteria.criterion import CRITERIA


def test_reasons_add_up_to_the_decision_value(trained, sample_models, sample_pairs):
    forward, _ = trained.vectors(sample_models, sample_pairs.i[:20], sample_pairs.j[:20])
    later = comes_later(sample_models.times, sample_pairs.i[:20], sample_pairs.j[:20])
    values = trained.decide(sample_models, sample_pairs.i[:20], sample_pairs.j[:20]).forward
    for vector, value, is_later in zip(forward, values, later.tolist(), strict=True):
        found = reasons(trained, vector, later=is_later)
        assert sum(reason.contribution for reason in found) + (
            trained.later if is_later else trained.earlier
        ).bias == pytest.approx(value)
        sizes = [abs(reason.contribution) for reason in found]
        assert sizes == sorted(sizes, reverse=True)


def test_words_say_what_differs_and_which_way_it_speaks(trained):
    vector = np.full(len(trained.criteria), np.nan)
    vector[trained.criteria.index("wording_of_both")] = 0.0
    vector[trained.criteria.index("sentences")] = 1.0
    found = reasons(trained, vector)
    assert {reason.says for reason in found[:2]} == {"same wording of both", "sentences differ"}
    assert in_words(found).count("; ") == 1
    assert "same wording of both: for (+" in in_words(found)
    assert "sentences differ: against (-" in in_words(found)
    unknown = next(reason for reason in found if reason.criterion == "time_apart")
    assert (unknown.value, unknown.says, unknown.verdict) == (None, "time apart unknown", "neither")


def test_every_criterion_has_words():
    assert all(one.say(0.0) for one in CRITERIA.values())
    assert CRITERIA["numbers"].say(0.3) == "numbers differ in part"
    assert CRITERIA["links"].say(-2.0) == "fewer links"
    assert CRITERIA["time_apart"].say(float(np.log1p(72))) == "3 days apart"
    assert CRITERIA["evidence"].say(-5.0) == "the evidence speaks for one text"
    assert CRITERIA["source"].say(0.0) == "sources of equal authority"
