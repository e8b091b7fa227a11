"""The templates written for this project: words cannot tell them from reprints, numbers can."""

from __future__ import annotations

from collections import Counter

import numpy as np

from infostream_dedup.criteria.candidates import key_term_candidates
from infostream_dedup.evaluation.single_criteria import single_criteria


def test_the_set_is_as_large_and_as_varied_as_promised(template_documents, template_pairs):
    i, j, reprint = template_pairs
    assert len(reprint) >= 60
    assert reprint.sum() >= 30
    assert (~reprint).sum() >= 30
    assert len({tuple(sorted(pair)) for pair in zip(i.tolist(), j.tolist(), strict=True)}) == len(i)
    assert {document.lang for document in template_documents} == {"ru", "uk", "en"}
    categories = Counter(document.extra["category"] for document in template_documents)
    assert {"finance", "sport", "weather", "law", "news"} <= set(categories)
    assert all(document.source and document.time and document.title for document in template_documents)


def test_time_alone_does_not_give_them_away(template_models, template_pairs):
    i, j, reprint = template_pairs
    (by_time,) = single_criteria(template_models, i, j, reprint, criteria=["time_apart"])
    assert by_time.f1 < 0.9


def test_words_and_key_terms_take_templates_for_reprints_and_numbers_do_not(template_models, template_pairs):
    i, j, reprint = template_pairs
    names = ("words", "title", "key_terms", "numbers", "number_order")
    f1 = {score.name: score.f1 for score in single_criteria(template_models, i, j, reprint, criteria=names)}
    assert max(f1["words"], f1["title"], f1["key_terms"]) < 0.7
    assert min(f1["numbers"], f1["number_order"]) > 0.9


def test_no_reprint_is_lost_before_the_criteria(template_models, template_pairs):
    i, j, reprint = template_pairs
    a, b = key_term_candidates(template_models)
    passed = set(zip(a.tolist(), b.tolist(), strict=True))
    smaller, larger = np.minimum(i, j)[reprint], np.maximum(i, j)[reprint]
    assert set(zip(smaller.tolist(), larger.tolist(), strict=True)) <= passed
