"""Documents of a store's window that are like a given text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from infostream_dedup.matching.relations import need
from infostream_dedup.model import Document
from infostream_dedup.store.store import Store
from infostream_dedup.stream.engine import Answers, StreamEngine
from infostream_dedup.stream.settings import StreamSettings

if TYPE_CHECKING:
    from infostream_dedup.matrix.kernels.first_use import Progress

__all__ = ["Hit", "Searcher"]

_RELATIONS = (None, "contained", "contains", "equal")


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that is like the text asked for.

    Attributes:
        id: of the document.
        title: its headline.
        group: id of its group.
        forward: key terms of the text found in it.
        backward: its key terms found in the text.
        relation: of the text to it at ``k_duplicate``: ``equal``, ``contained`` (the text lies inside it),
            ``contains``, or ``None``.
        terms: terms that met in either direction, heaviest first.
    """

    id: str
    title: str
    group: str
    forward: int
    backward: int
    relation: str | None
    terms: list[str]

    def as_dict(self) -> dict[str, Any]:
        """The row of ``search``."""
        return {name: getattr(self, name) for name in self.__slots__}


class Searcher:
    """Answers searches over the window of a store as it is when it is opened; it never writes.

    Example:
        >>> with Searcher.open("stream.db") as searcher:                                # doctest: +SKIP
        ...     hits = searcher.search("снег в киеве")
    """

    def __init__(self, store: Store, *, progress: Progress | None = None) -> None:
        self._store = store
        self._settings = StreamSettings.of(store.settings)
        self._engine = StreamEngine.restore(self._settings, store.load(), progress=progress)

    @classmethod
    def open(cls, path: str | Path, *, progress: Progress | None = None) -> Self:
        """Open a store for searching.

        Raises:
            NoInputError: there is no store.
            BadDataError: the file is no store of ours.
        """
        store = Store.open(path, create=False, read_only=True)
        try:
            return cls(store, progress=progress)
        except BaseException:
            store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def search(self, text: str, *, title: str = "", k_min: int | None = None, top: int = 20) -> list[Hit]:
        """Documents that resemble a text most: by min and max of both counts, then the earliest.

        Args:
            text: any.
            title: of the text.
            k_min: least key terms that meet in either direction; ``k_similar`` by default, fewer for a short text.
            top: most hits; 0 for all.
        """
        answers = self._engine.look_up(Document("", text, title), k_min=1)
        found = answers.candidates
        k = self._settings.k_similar if k_min is None else k_min
        sizes = answers.window.sizes[found.ordinals - answers.window.first].astype(np.int64)
        own = np.full(len(sizes), len(answers.keys))
        terms = self._settings.terms
        least = need(k, own, sizes, n=terms.n, short=terms.short) if k_min is None else np.full(len(sizes), k)
        forward, backward = found.forward.astype(np.int64), found.backward.astype(np.int64)
        near = np.flatnonzero(np.maximum(forward, backward) >= least)
        low, high = np.minimum(forward, backward)[near], np.maximum(forward, backward)[near]
        ranked = near[np.lexsort((found.ordinals[near], -high, -low))][: top or None]
        return [self._hit(answers, place) for place in ranked.tolist()]

    def _hit(self, answers: Answers, place: int) -> Hit:
        window, found, settings = answers.window, answers.candidates, self._settings
        ordinal = int(found.ordinals[place])
        row = ordinal - window.first
        forward, backward = int(found.forward[place]), int(found.backward[place])
        sizes = np.array([len(answers.keys)]), window.sizes[row : row + 1].astype(np.int64)
        least = int(need(settings.k_duplicate, *sizes, n=settings.terms.n, short=settings.terms.short)[0])
        return Hit(
            window.ids[row],
            self._store.titles([ordinal])[0],
            window.groups[row],
            forward,
            backward,
            _RELATIONS[int(forward >= least) + 2 * int(backward >= least)],
            self._terms_that_met(answers, row),
        )

    def _terms_that_met(self, answers: Answers, row: int) -> list[str]:
        window = answers.window
        theirs = window.keys.row(row).tolist()
        in_text = self._settings.terms.target == "text"
        looked_up = set(window.targets.row(row).tolist() if in_text else theirs)
        own_looked_up = set((answers.targets if in_text else answers.keys).tolist())
        own = zip(answers.keys.tolist(), answers.weights.tolist(), strict=True)
        weights = {term: weight for term, weight in own if term in looked_up}
        for term, weight in zip(theirs, window.weights.row(row).tolist(), strict=True):
            if term in own_looked_up:
                weights[term] = weights.get(term, 0) + weight
        words = sorted((-weight, self._engine.numbers.terms[term]) for term, weight in weights.items())
        return [word for _, word in words]
