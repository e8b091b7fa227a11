"""Measures how many edited copies of a collection's own texts are linked, for every language, edit and rate.

Planted copies are not the duplicates of the collection: they show what the links can find, not what is there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.lab.estimation.copy_scores import Links
from infostream_dedup.lab.estimation.planting import EDITS, Edit, Vocabulary, edited
from infostream_dedup.lab.estimation.universe import LEAST_TOKENS
from infostream_dedup.links.pair_rules import count_grades
from infostream_dedup.runs.batch.collection import Collection, collect
from infostream_dedup.terms.key_terms import pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Document, Language, Settings
    from infostream_dedup.terms.key_terms import KeyTerms

__all__ = ["MOST_OF_A_KIND", "RATES", "PlantedCollection"]

RATES: Final = (0.1, 0.3, 0.5)
"""Share of the sentences, words or numbers that are changed."""

MOST_OF_A_KIND: Final = 100
"""Copies in one language with one kind of edit at one rate."""

_SEED: Final = 21
_FOR_WORDS: Final = 1000
_NORMAL: Final = 1.959964
_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class PlantedCollection:
    """A collection with edited copies of some of its documents.

    Attributes:
        collection: the documents, then the copies.
        originals: int64 (copies,), ordinal of the original of each copy.
        kinds: language, edit and rate of each copy.
    """

    collection: Collection
    originals: NDArray[np.int64]
    kinds: list[tuple[Language, Edit, float]]

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        languages: Sequence[Language],
        *,
        engine: str = "auto",
        progress: Progress | None = None,
    ) -> PlantedCollection:
        """Plant copies: one of each sampled document, at most ``MOST_OF_A_KIND`` of a kind.

        Args:
            documents: documents with their texts; those of fewer than 20 words are not copied.
            languages: language of each document.
            engine: engine that reads them; it does not change the result.
            progress: called with the number of documents read.
        """
        random = Random(_SEED)  # noqa: S311
        every = [(edit, rate) for edit in EDITS for rate in RATES]
        copies: list[Document] = []
        originals: list[int] = []
        kinds: list[tuple[Language, Edit, float]] = []
        for language in sorted(set(languages)):
            long_enough = [
                number
                for number, one in enumerate(documents)
                if languages[number] == language and len(one.text.split()) >= LEAST_TOKENS
            ]
            drawn = random.sample(long_enough, min(len(long_enough), MOST_OF_A_KIND * len(every)))
            vocabulary = Vocabulary(documents[number].text for number in drawn[:_FOR_WORDS])
            for place, number in enumerate(drawn):
                edit, rate = every[place % len(every)]
                one = replace(documents[number], lang=language)
                copies.append(replace(edited(one, edit, rate, vocabulary, random), id=f"copy of {one.id}"))
                originals.append(number)
                kinds.append((language, edit, rate))
        both = [*documents, *copies]
        collection = collect(both, hashes=False, engine=engine, progress=progress)
        return cls(collection, np.array(originals, dtype=np.int64), kinds)

    def recovered(self, settings: Settings, ks: Sequence[int] | None = None) -> list[dict[str, Any]]:
        """Rows ``representation, language, edit, rate, copies, k, recovered, low, high``.

        ``recovered`` is the share of the copies that are linked to their original both ways at k (``need(k)``);
        ``low`` and ``high`` are its 95 % interval (Wilson, Journal of the American Statistical Association 22, 1927).

        Args:
            settings: settings of key terms; the score must be ``count``.
            ks: values of k to report, 1 to n by default.
        """
        grades = self._grades(self.collection.key_terms(settings), settings)
        rows: list[dict[str, Any]] = []
        for kind in dict.fromkeys(self.kinds):
            of_kind = grades[[one == kind for one in self.kinds]]
            language, edit, rate = kind
            for k in range(1, settings.n + 1) if ks is None else ks:
                found = int((of_kind >= k).sum())
                low, high = _wilson(found, len(of_kind))
                rows.append(
                    {
                        "representation": settings.representation,
                        "language": language,
                        "edit": edit,
                        "rate": rate,
                        "copies": len(of_kind),
                        "k": k,
                        "recovered": round(found / len(of_kind), _DECIMALS),
                        "low": round(low, _DECIMALS),
                        "high": round(high, _DECIMALS),
                    }
                )
        return sorted(rows, key=lambda row: (row["language"], EDITS.index(row["edit"]), row["rate"], row["k"]))

    def _grades(self, key_terms: KeyTerms, settings: Settings) -> NDArray[np.uint8]:
        """Largest k at which each copy and its original are linked both ways: uint8 (copies,)."""
        documents = len(self.collection)
        copies = np.arange(documents - len(self.originals), documents)
        asking = np.concatenate([self.originals, copies])
        answering = np.concatenate([copies, self.originals])
        keys, targets = (one[rows] for one, rows in ((key_terms.keys, asking), (key_terms.targets, answering)))
        met = pattern(keys).multiply(pattern(targets))
        shared = np.asarray(met.sum(axis=1)).ravel().astype(np.uint8)
        counts = sp.csr_array((shared, (asking, answering)), shape=(documents, documents))
        counts.sort_indices()
        graded = count_grades(counts, key_terms.sizes, n=settings.n, short=settings.short)
        return Links.of(graded).grades_of(self.originals, copies)


def _wilson(found: int, of: int) -> tuple[float, float]:
    share, squared = found / of, _NORMAL * _NORMAL
    middle = share + squared / (2 * of)
    half = _NORMAL * math.sqrt(share * (1 - share) / of + squared / (4 * of * of))
    whole = 1 + squared / of
    return max((middle - half) / whole, 0.0), min((middle + half) / whole, 1.0)
