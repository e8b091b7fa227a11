"""Restricts an evaluation to pairs of documents of certain languages and domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import LANGUAGES, Document, language_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Scope", "scope_of"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The pairs that an evaluation considers; all others are ignored.

    Attributes:
        languages: uint8 (documents,), index into ``LANGUAGES``.
        blocks: bool (languages, languages), symmetric, whether pairs of these two languages are considered.
        inside: bool (documents,), whether the document's domain is considered.
    """

    languages: NDArray[np.uint8]
    blocks: NDArray[np.bool_]
    inside: NDArray[np.bool_]

    def holds(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return bool (pairs,), whether each pair is in scope.

        Args:
            a: int64 (pairs,), ordinals of one document of each pair.
            b: int64 (pairs,), ordinals of the other document.
        """
        return self.blocks[self.languages[a], self.languages[b]] & self.inside[a] & self.inside[b]

    def documents(self) -> NDArray[np.bool_]:
        """Return bool (documents,), whether a document can be part of a pair in scope."""
        used = np.asarray(self.blocks.any(axis=1))
        return self.inside & used[self.languages]


def scope_of(
    documents: Sequence[Document],
    languages: Sequence[str],
    *,
    language_pairs: str | None = None,
    domains: Sequence[str] = (),
) -> Scope:
    """Parse a user's restrictions of an evaluation.

    Args:
        documents: the collection; ``extra["domain"]`` is the domain, empty if missing.
        languages: language of each document.
        language_pairs: ``ru`` selects pairs of two Russian documents, ``ru-uk`` pairs of a Russian and a Ukrainian
            document; separate several with commas; ``None`` selects all.
        domains: names of domains, possibly several separated by commas; an empty name selects documents without a
            domain, and a leading ``!`` excludes a domain: ``["", "news"]`` and ``[",news"]`` select documents of the
            domain news or without a domain, ``["!conversation"]`` all except conversation. Both documents of a pair
            must be selected. An empty sequence selects all.

    Raises:
        ConfigurationError: a language is unknown, or no document has a domain that is named.
    """
    numbers = np.array([language_number(language) for language in languages], dtype=np.uint8)
    names = [str(document.extra.get("domain") or "") for document in documents]
    return Scope(numbers, _parse_language_pairs(language_pairs), _select_domains(names, domains))


def _parse_language_pairs(language_pairs: str | None) -> NDArray[np.bool_]:
    if language_pairs is None:
        return np.ones((len(LANGUAGES), len(LANGUAGES)), dtype=np.bool_)
    blocks = np.zeros((len(LANGUAGES), len(LANGUAGES)), dtype=np.bool_)
    for part in language_pairs.split(","):
        ends = part.strip().split("-")
        if len(ends) > 2 or any(end not in LANGUAGES for end in ends):
            raise ConfigurationError(
                f"language pair is {part!r}; expected one of {', '.join(LANGUAGES)}, or two of them like ru-uk"
            )
        one, other = LANGUAGES.index(ends[0]), LANGUAGES.index(ends[-1])
        blocks[one, other] = blocks[other, one] = True
    return blocks


def _select_domains(names: list[str], domains: Sequence[str]) -> NDArray[np.bool_]:
    wanted = [part.strip() for domain in domains for part in domain.split(",")]
    taken = [part for part in wanted if not part.startswith("!")]
    left_out = [part[1:] for part in wanted if part.startswith("!")]
    known = sorted({name for name in names if name})
    for domain in taken + left_out:
        if domain and domain not in known:
            raise ConfigurationError(
                f"domain is {domain!r}, which no document has; the domains here are {', '.join(known) or 'none'}"
            )
    return np.array([(not taken or name in taken) and name not in left_out for name in names], dtype=np.bool_)
