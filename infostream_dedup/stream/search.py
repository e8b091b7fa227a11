"""Search for documents in a store's window that resemble a text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from infostream_dedup.features.rows import Rows
from infostream_dedup.links.pair_rules import need
from infostream_dedup.model import LANGUAGES, Document, Language
from infostream_dedup.store.store import Store
from infostream_dedup.stream.decisions import least_hits
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.translated_query import QueryTranslator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.stream.window import Window

__all__ = ["Hit", "Searcher"]

_RELATIONS = (None, "contained", "contains", "equal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A document that resembles the text.

    Attributes:
        id: id of the document.
        title: its headline.
        language: its language.
        group: id of its group.
        forward: number of the text's key terms found in it, or of their equivalents if it is in another language.
        backward: number of its key terms found in the text.
        relation: relation of the text to it at ``k_duplicate``: ``equal``, ``contained`` (it contains the text),
            ``contains``, or ``None``.
        terms: its terms that met in either direction, heaviest first.
    """

    id: str
    title: str
    language: Language
    group: str
    forward: int
    backward: int
    relation: str | None
    terms: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return the row of ``search``."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A text in the language of some documents.

    Attributes:
        keys: int64, numbers of the key terms, heaviest first.
        weights: int64, weight of each key term.
        sets: for each key term the numbers that match it; ``None`` if each matches only itself.
        targets: int64, numbers of all terms.
    """

    keys: NDArray[np.int64]
    weights: NDArray[np.int64]
    sets: list[NDArray[np.int64]] | None
    targets: NDArray[np.int64]

    def weights_of_terms(self) -> dict[int, int]:
        """Map each term that matches a key term to the weight."""
        sets = self.keys.reshape(-1, 1) if self.sets is None else self.sets
        met: dict[int, int] = {}
        for weight, terms in zip(self.weights.tolist(), sets, strict=True):
            for term in terms.tolist():
                met[term] = max(weight, met.get(term, 0))
        return met


@dataclass(frozen=True, slots=True)
class _Near:
    """Documents that resemble a text.

    Attributes:
        ordinals, forward, backward: int64.
        asked: the query that found them.
    """

    ordinals: NDArray[np.int64]
    forward: NDArray[np.int64]
    backward: NDArray[np.int64]
    asked: _Asked

    def __len__(self) -> int:
        return len(self.ordinals)


class Searcher:
    """Searches the window of a store in its state at opening; never writes.

    Example:
        >>> with Searcher.open("stream.db") as searcher:                                # doctest: +SKIP
        ...     hits = searcher.search("снег в киеве")
    """

    def __init__(self, store: Store, *, progress: Progress | None = None) -> None:
        self._store = store
        self._settings = StreamSettings.of_store(store.settings)
        loaded = store.load()
        self._engine = StreamEngine.restore(self._settings, loaded, progress=progress, wording=store.wording)
        first = int(np.searchsorted(loaded.documents.ordinals, loaded.oldest))
        number = {language: place for place, language in enumerate(LANGUAGES)}
        self._languages = np.array([number[one] for one in loaded.documents.languages[first:]], dtype=np.uint8)
        self._spoken = np.unique(self._languages).tolist()
        self._translator = QueryTranslator(self._settings, self._engine.numbers, self._engine.frequencies)

    @classmethod
    def open(cls, path: str | Path, *, progress: Progress | None = None) -> Self:
        """Open a store for searching.

        Raises:
            NoInputError: there is no store.
            BadDataError: the file is not a store.
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

    def search(
        self, text: str, *, title: str = "", k_min: int | None = None, top: int = 20, across: bool = True
    ) -> list[Hit]:
        """Find the documents that resemble a text most.

        They are ordered by minimum and maximum of both counts, then the earliest first. Documents in other languages
        are compared with the text itself and with its translation by the dictionaries; the better counts win.

        Args:
            text: any text.
            title: its title.
            k_min: minimum number of key terms that meet in either direction; by default ``k_similar``, fewer for a
                short text.
            top: maximum number of hits; 0 for all.
            across: also search other languages by translation.
        """
        document = Document(id="", text=text, title=title)
        answers = self._engine.look_up(document, k_min=1)
        found = answers.candidates
        asked = _Asked(answers.keys, answers.weights, None, answers.targets)
        counts = found.forward.astype(np.int64), found.backward.astype(np.int64)
        near = [self._near_enough(found.ordinals, *counts, asked, answers.window, k_min)]
        if across and len(self._spoken) > 1:
            near += self._near_across(document, answers.window, k_min)
        ranked = [
            (-min(counts), -max(counts), ordinal, which, place)
            for which, one in enumerate(near)
            for place, (ordinal, *counts) in enumerate(
                zip(one.ordinals.tolist(), one.forward.tolist(), one.backward.tolist(), strict=True)
            )
        ]
        hits: list[Hit] = []
        seen: set[int] = set()
        for *_, ordinal, which, place in sorted(ranked):
            if ordinal not in seen:
                seen.add(ordinal)
                hits.append(self._hit(answers.window, near[which], place))
            if len(hits) == top:
                break
        return hits

    def _near_enough(
        self,
        ordinals: NDArray[np.int64],
        forward: NDArray[np.int64],
        backward: NDArray[np.int64],
        asked: _Asked,
        window: Window,
        k_min: int | None,
    ) -> _Near:
        sizes = window.sizes[ordinals - window.first].astype(np.int64)
        least = self._least(self._settings.k_similar, asked, sizes) if k_min is None else k_min
        near = np.flatnonzero(np.maximum(forward, backward) >= least)
        return _Near(ordinals[near], forward[near], backward[near], asked)

    def _least(self, k: int, asked: _Asked, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        terms, own = self._settings.terms, np.full(len(sizes), len(asked.keys))
        return need(k, own, sizes, n=terms.n, short=terms.short)

    def _near_across(self, document: Document, window: Window, k_min: int | None) -> list[_Near]:
        """Find documents in other languages by a translation of the text into each."""
        least = least_hits(self._settings) if k_min is None else k_min
        near = []
        for language, query in self._translator.translated(document, self._spoken).items():
            # Several equivalents of one key term are counted separately here: too many hits, never too few.
            found = self._engine.find(query.asked(), query.targets, k_min=least)
            spoken = self._languages[found.ordinals - window.first] == language
            ordinals, backward = found.ordinals[spoken], found.backward[spoken].astype(np.int64)
            forward = query.met_by(self._looked_up(window, ordinals - window.first))
            asked = _Asked(query.keys, query.weights, query.sets, query.targets)
            near.append(self._near_enough(ordinals, forward, backward, asked, window, k_min))
        return near

    def _looked_up(self, window: Window, rows: NDArray[np.int64]) -> Rows:
        return (window.targets if self._settings.terms.target == "text" else window.keys).gathered(rows)

    def _hit(self, window: Window, near: _Near, place: int) -> Hit:
        ordinal = int(near.ordinals[place])
        row = ordinal - window.first
        forward, backward = int(near.forward[place]), int(near.backward[place])
        sizes = window.sizes[row : row + 1].astype(np.int64)
        least = int(self._least(self._settings.k_duplicate, near.asked, sizes)[0])
        return Hit(
            id=window.ids[row],
            title=self._store.titles([ordinal])[0],
            language=LANGUAGES[self._languages[row]],
            group=window.groups[row],
            forward=forward,
            backward=backward,
            relation=_RELATIONS[int(forward >= least) + 2 * int(backward >= least)],
            terms=self._terms_that_met(window, near.asked, row),
        )

    def _terms_that_met(self, window: Window, asked: _Asked, row: int) -> list[str]:
        theirs = window.keys.row(row).tolist()
        in_text = self._settings.terms.target == "text"
        looked_up = set(window.targets.row(row).tolist() if in_text else theirs)
        own = asked.weights_of_terms()
        own_looked_up = set(asked.targets.tolist()) if in_text else set(own)
        weights = {term: weight for term, weight in own.items() if term in looked_up}
        for term, weight in zip(theirs, window.weights.row(row).tolist(), strict=True):
            if term in own_looked_up:
                weights[term] = weights.get(term, 0) + weight
        words = sorted((-weight, self._engine.numbers.terms[term]) for term, weight in weights.items())
        return [word for _, word in words]
