"""Which pairs an evaluation looks at: languages and domains of their documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import LANGUAGES, Document, Language

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Scope", "scope_of"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Pairs that are looked at; all others are as if they were not there.

    Attributes:
        languages: uint8 (documents,), index into ``LANGUAGES``.
        blocks: bool (languages, languages), symmetric: may a pair be of these two languages?
        inside: bool (documents,): is the document of a wanted domain?
    """

    languages: NDArray[np.uint8]
    blocks: NDArray[np.bool_]
    inside: NDArray[np.bool_]

    def holds(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Bool (pairs,): is the pair of documents looked at?"""
        return self.blocks[self.languages[a], self.languages[b]] & self.inside[a] & self.inside[b]

    def documents(self) -> NDArray[np.bool_]:
        """Bool (documents,): can the document be part of a pair?"""
        used = np.asarray(self.blocks.any(axis=1))
        return self.inside & used[self.languages]


def scope_of(
    documents: Sequence[Document],
    languages: Sequence[Language],
    *,
    language_pairs: str | None = None,
    domains: Sequence[str] = (),
) -> Scope:
    """Read what a user restricts an evaluation to.

    Args:
        documents: the collection; ``extra["domain"]`` is the domain, missing counts as empty.
        languages: language of each document.
        language_pairs: ``ru`` takes pairs of two Russian documents, ``ru-uk`` pairs of one Russian and one Ukrainian;
            several with commas; ``None`` takes all.
        domains: names, also several with commas; an empty name means documents without a domain, a leading ``!`` leaves
            the domain out: ``["", "news"]`` and ``[",news"]`` take documents of domain news or none,
            ``["!conversation"]`` all but conversation. Both documents of a pair must be so. Empty takes all.

    Raises:
        ConfigurationError: an unknown language, or a domain that no document has.
    """
    numbers = np.array([LANGUAGES.index(language) for language in languages], dtype=np.uint8)
    names = [str(document.extra.get("domain") or "") for document in documents]
    return Scope(numbers, _blocks(language_pairs), _inside(names, domains))


def _blocks(language_pairs: str | None) -> NDArray[np.bool_]:
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


def _inside(names: list[str], domains: Sequence[str]) -> NDArray[np.bool_]:
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
