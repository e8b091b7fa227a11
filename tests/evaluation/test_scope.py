import numpy as np
import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.evaluation.labels import Scope, scope_of
from infostream_dedup.model import Document, Language

LANGUAGES: list[Language] = ["ru", "ru", "uk", "en"]
DOMAINS = ["news", "", None, "conversation"]


def _scope(language_pairs: str | None = None, domains: tuple[str, ...] = ()) -> Scope:
    documents = [Document(id=str(number), text="", extra={"domain": domain}) for number, domain in enumerate(DOMAINS)]
    return scope_of(documents, LANGUAGES, language_pairs=language_pairs, domains=domains)


def _pairs(scope: Scope) -> list[tuple[int, int]]:
    a, b = np.triu_indices(4, k=1)
    held = scope.holds(a, b)
    assert held.tolist() == scope.holds(b, a).tolist()
    return [(int(x), int(y)) for x, y in zip(a[held], b[held], strict=True)]


def test_everything_by_default() -> None:
    assert len(_pairs(_scope())) == 6


@pytest.mark.parametrize(("language_pairs", "expected"), [
    ("ru", [(0, 1)]), ("uk", []), ("ru-uk", [(0, 2), (1, 2)]), ("uk-ru", [(0, 2), (1, 2)]),
    ("ru, uk-en", [(0, 1), (2, 3)]),
])  # fmt: skip
def test_languages_of_both_documents(language_pairs: str, expected: list[tuple[int, int]]) -> None:
    assert _pairs(_scope(language_pairs)) == expected


def test_domains_of_both_documents() -> None:
    for domains, inside in [
        (("news",), [0]), (("",), [1, 2]), (("", "news"), [0, 1, 2]), ((",news",), [0, 1, 2]),
        (("!conversation",), [0, 1, 2]), (("!conversation", "!news"), [1, 2]), (("news,conversation,!news",), [3]),
        (("!",), [0, 3]),
    ]:  # fmt: skip
        scope = _scope(domains=domains)
        assert np.flatnonzero(scope.documents()).tolist() == inside
        assert _pairs(scope) == [(a, b) for a in inside for b in inside if a < b]


def test_documents_in_scope_have_a_wanted_language() -> None:
    assert _scope("ru-uk", ("!news",)).documents().tolist() == [False, True, True, False]


@pytest.mark.parametrize("language_pairs", ["de", "ru-de", "ru-uk-en", "", "ru-", "ru;uk"])
def test_wrong_languages_are_refused(language_pairs: str) -> None:
    with pytest.raises(ConfigurationError, match="expected one of ru, uk, en"):
        _scope(language_pairs)


@pytest.mark.parametrize("domain", ["new", "!new"])
def test_a_domain_that_no_document_has_is_refused(domain: str) -> None:
    with pytest.raises(
        ConfigurationError, match="'new', which no document has; the domains here are conversation, news"
    ):
        _scope(domains=(domain,))
