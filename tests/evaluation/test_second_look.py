"""Preset judged beside labels: its pairs, restricted to kinds, and its groups."""

from pathlib import Path

import numpy as np
import pytest

from infostream_dedup import dedup, evaluate, pairs, read_documents
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.evaluation.collection_scores import truth_for
from infostream_dedup.lab.evaluation.scores import group_scores
from infostream_dedup.lab.methods import Texts
from infostream_dedup.sample import documents_path, labels_path


def test_the_pairs_are_those_that_pairs_lists() -> None:
    listed = {(row.a, row.b): row for row in pairs(str(documents_path()), preset="judged", terms=False, kinds="all")}
    found = evaluate(str(documents_path()), labels_path(), representation="stem")
    assert found.judged is not None
    assert found.judged.scores.linked == len(listed)
    copies = evaluate(str(documents_path()), labels_path(), kinds=["copy"]).judged
    assert copies is not None
    assert copies.scores.linked == sum(row.kind == "copy" for row in listed.values()) < len(listed)
    assert copies.scores.tp + copies.scores.fn == found.judged.scores.tp + found.judged.scores.fn


def test_the_groups_are_those_that_dedup_makes(tmp_path: Path) -> None:
    out = tmp_path / "annotated.jsonl"
    dedup(str(documents_path()), out, preset="judged", annotate=True)
    group = {document.id: str(document.extra["group"]) for document in read_documents(str(out))}
    texts = Texts(list(read_documents(documents_path())))
    expected = group_scores(np.unique(list(group.values()), return_inverse=True)[1], truth_for(texts, labels_path()))
    assert evaluate(str(documents_path()), labels_path()).groups == expected
    assert expected is not None
    assert expected.bcubed_f1 > 0.9


def test_unknown_kinds_are_refused_before_anything_is_read() -> None:
    with pytest.raises(ConfigurationError, match="expected one or more of related, copy"):
        evaluate("no such file", "no labels", kinds=["copies"])


@pytest.mark.corpus
def test_copies_of_a_topical_collection_in_a_closed_world(corpora: Path) -> None:
    found = evaluate(
        corpora / "slavictopics.docs.jsonl.gz", corpora / "slavictopics.labels.jsonl.gz", positive=("dup", "similar"),
        closed=True, kinds=["copy"],
    )  # fmt: skip
    assert found.judged is not None
    assert found.judged.scores.judged == found.judged.scores.linked
    assert (found.judged.scores.precision or 0) >= 0.98
    six = found.rows[5]
    # Open, with dup alone as right, this row shows a precision of .975.
    assert (six.scores.linked, (six.scores.precision or 0) < 0.1) == (six.scores.judged, True)
    reprints = evaluate(
        corpora / "slavictopics.docs.jsonl.gz", corpora / "slavictopics.labels.jsonl.gz", closed=True, kinds=["copy"]
    )
    assert reprints.judged is not None
    assert reprints.judged.scores.fn == 0
