"""Filters before the criteria, against plain loops."""

import itertools

import numpy as np
import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.criteria import document_models
from infostream_dedup.judging.criteria.document_models import key_term_candidates, two_word_candidates
from infostream_dedup.model import Document


def pairs_of(found):
    i, j = found
    assert (i < j).all()
    pairs = list(zip(i.tolist(), j.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    return set(pairs)


def test_two_heaviest_words_by_a_plain_loop(template_models):
    weights = template_models.words.weights.toarray()
    leading = [frozenset(np.argsort(-row, kind="stable")[:2].tolist()) for row in weights]
    expected = {(a, b) for a, b in itertools.combinations(range(len(leading)), 2) if leading[a] == leading[b]}
    assert expected
    assert pairs_of(two_word_candidates(template_models)) == expected


@pytest.mark.parametrize("k", [1, 3, 12])
def test_key_term_links_by_a_plain_loop(template_models, k):
    targets = [set(template_models.key_terms.targets[[row]].indices.tolist()) for row in range(94)]
    column = {label: number for number, label in enumerate(template_models.key_terms.labels())}
    keys = [{column[term] for term in template_models.key_terms.terms_of(row)[:12]} for row in range(94)]
    expected = {
        (a, b)
        for a, b in itertools.combinations(range(94), 2)
        if max(len(keys[a] & targets[b]), len(keys[b] & targets[a])) >= k
    }
    assert pairs_of(key_term_candidates(template_models, k=k)) == expected


def test_documents_without_words_are_not_candidates():
    models = document_models(
        [Document(id=str(n), text=text, lang="ru") for n, text in enumerate(["", "", "мост", "мост"])]
    )
    assert pairs_of(two_word_candidates(models)) == {(2, 3)}
    assert pairs_of(key_term_candidates(models, k=1)) <= {(2, 3)}
    assert pairs_of(two_word_candidates(document_models([]))) == set()


@pytest.mark.parametrize("k", [0, 13])
def test_k_is_checked(template_models, k):
    with pytest.raises(ConfigurationError, match="expected 1 to n = 12"):
        key_term_candidates(template_models, k=k)
