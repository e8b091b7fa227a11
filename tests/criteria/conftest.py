"""Made-up templates and reprints: the same words with other numbers, and the same news with small edits."""

import json
from pathlib import Path

import numpy as np
import pytest

from infostream_dedup.documents.reading import read_documents
from infostream_dedup.judging.criteria import document_models

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def template_documents():
    return list(read_documents(str(HERE / "templates.jsonl")))


@pytest.fixture(scope="session")
def template_models(template_documents):
    return document_models(template_documents)


@pytest.fixture(scope="session")
def template_pairs(template_documents):
    """Ordinals i, ordinals j, and whether the pair is a reprint rather than a template."""
    ordinals = {document.id: ordinal for ordinal, document in enumerate(template_documents)}
    rows = [json.loads(line) for line in (HERE / "template_labels.jsonl").read_text(encoding="utf-8").splitlines()]
    i = np.array([ordinals[row["a"]] for row in rows])
    return i, np.array([ordinals[row["b"]] for row in rows]), np.array([row["label"] == "dup" for row in rows])
