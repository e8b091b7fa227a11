"""Table 1 of Andreev et al., in form."""

from datetime import UTC, datetime

import pytest

from infostream_dedup.documents.reading import read_documents
from infostream_dedup.errors import BadDataError
from infostream_dedup.judging.criteria import document_models
from infostream_dedup.lab.evaluation.candidate_table import PUBLISHED, candidate_table
from infostream_dedup.lab.evaluation.labels import labels_of, read_labels
from infostream_dedup.model import Document

STORY = "Мост через реку Тихую закрыли на ремонт, автобусы пустили в объезд по набережной Светлогорска."
OTHER = "Школа в посёлке Вербовое получила новую крышу и спортивный зал, рассказала директор Гай."


def test_the_published_table():
    row = PUBLISHED.as_dict()
    assert row["originals passed"] == 108
    assert row["duplicates rejected"] == 38
    assert row["rejected"] == 16_586_051
    assert row["originals rejected"] == 16_586_013
    assert row["recall"] == pytest.approx(0.799, abs=5e-4)
    assert row["precision"] == pytest.approx(0.583, abs=5e-4)
    assert row["rejection"] == pytest.approx(0.99998, abs=5e-6)


def test_both_filters_by_hand():
    texts = [STORY, STORY, STORY + " Работы стоят дорого.", OTHER]
    models = document_models([Document(id=str(number), text=text, lang="ru") for number, text in enumerate(texts)])
    labels = labels_of(
        [
            {"a": "1", "b": "0", "label": "dup"},
            {"a": "0", "b": "2", "label": "dup"},
            {"a": "0", "b": "3", "label": "different"},
        ]
    )
    words, links = candidate_table(models, labels)
    assert words.pairs == links.pairs == 6
    assert words.duplicates == links.duplicates == 2
    assert (links.passed, links.duplicates_passed, links.originals_passed) == (3, 2, 1)
    assert links.recall == 1
    assert words.passed + words.rejected == 6


def test_the_newest_documents_are_compared_with_earlier_ones_and_each_other():
    texts = [STORY, STORY, STORY, OTHER, OTHER, STORY]
    days = [3, 1, 2, 1, 3, None]
    models = document_models(
        [
            Document(id=str(number), text=text, lang="ru", time=day and datetime(2026, 3, day, tzinfo=UTC))
            for number, (text, day) in enumerate(zip(texts, days, strict=True))
        ]
    )
    labels = labels_of([{"a": a, "b": b, "label": "dup"} for a, b in ("01", "12", "34", "05")])
    words, links = candidate_table(models, labels, newest=2)
    # New are 0 and 4, of the third day: 2 · 3 pairs with 1, 2 and 3, and one of their own. Document 5 has no time.
    assert words.pairs == links.pairs == 7
    # 0-1 and 3-4 are duplicates; 1-2 are both old. 0-2 passes without a label.
    assert (links.duplicates, links.duplicates_passed, links.passed) == (2, 2, 3)
    assert (words.duplicates, words.duplicates_passed, words.passed) == (2, 2, 3)


def test_labels_of_other_documents_are_refused():
    models = document_models([Document(id="a", text=STORY, lang="ru")])
    with pytest.raises(BadDataError, match="not the id of any document"):
        candidate_table(models, labels_of([{"a": "a", "b": "z", "label": "dup"}]))


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["slavictopics", pytest.param("mdnews", marks=pytest.mark.slow)])
def test_key_term_links_lose_hardly_any_reprint(corpora, name):
    models = document_models(list(read_documents(str(corpora / f"{name}.docs.jsonl.gz"))))
    words, links = candidate_table(models, read_labels(corpora / f"{name}.labels.jsonl.gz"))
    assert links.recall > 0.98
    assert links.recall > words.recall
    assert words.rejection > links.rejection > 0.8
