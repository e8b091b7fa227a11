"""Daily prices, rates, results, weather: same words, other numbers. The point of it all."""

import json
from pathlib import Path

import numpy as np
import pytest

from infostream_dedup import read_documents
from infostream_dedup.judging.criteria.classifier import CLASSIFIER_PRESETS
from infostream_dedup.judging.criteria.document_models import document_models
from infostream_dedup.judging.criteria.judged_pairs import judged_pairs
from infostream_dedup.judging.criteria.training import NoAuthority, held_out, prior_plane
from infostream_dedup.lab.evaluation.labels import Label

PRESET = CLASSIFIER_PRESETS["duplicate"]
PRIOR = prior_plane(PRESET.criteria, PRESET.prior)
HERE = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def templates():
    models = document_models(list(read_documents(HERE / "templates.jsonl")))
    rows = [json.loads(line) for line in (HERE / "template_labels.jsonl").read_text(encoding="utf-8").splitlines()]
    labels = [Label(row["a"], row["b"], "dup" if row["label"] == "dup" else "similar") for row in rows]
    return models, judged_pairs(labels, models.ids, positive=["dup"])


def test_templates_of_unseen_stories_are_distinguished_from_reprints(templates):
    models, pairs = templates
    found = held_out(models, pairs, CLASSIFIER_PRESETS["duplicate"].criteria, NoAuthority(), PRIOR).found("both")
    truth = pairs.repeats
    assert truth.sum() >= 30
    assert (~truth).sum() >= 60
    assert 2 * (truth & found).sum() / (truth.sum() + found.sum()) >= 0.95
    assert (found & ~truth).sum() <= 0.03 * (~truth).sum()


def test_words_alone_cannot(templates):
    models, pairs = templates
    words = held_out(models, pairs, ["key_terms"], NoAuthority(), prior_plane(["key_terms"], {})).found("both")
    every = held_out(models, pairs, CLASSIFIER_PRESETS["duplicate"].criteria, NoAuthority(), PRIOR).found("both")
    assert np.mean(words == pairs.repeats) < np.mean(every == pairs.repeats)
