"""The sample, modelled once, and a classifier trained on it."""

import pytest

from infostream_dedup import read_documents
from infostream_dedup.judging.criteria.classifier import CLASSIFIER_PRESETS
from infostream_dedup.judging.criteria.document_models import document_models
from infostream_dedup.judging.criteria.judged_pairs import judged_pairs
from infostream_dedup.judging.criteria.training import train
from infostream_dedup.lab.labels import read_labels
from infostream_dedup.sample import documents_path, labels_path


@pytest.fixture(scope="session")
def sample_models():
    return document_models(list(read_documents(documents_path())))


@pytest.fixture(scope="session")
def sample_labels():
    return read_labels(labels_path())


@pytest.fixture(scope="session")
def sample_pairs(sample_models, sample_labels):
    return judged_pairs(sample_labels, sample_models.ids, positive=["dup"])


@pytest.fixture(scope="session")
def trained(sample_models, sample_pairs):
    return train(sample_models, sample_pairs, CLASSIFIER_PRESETS["duplicate"])
