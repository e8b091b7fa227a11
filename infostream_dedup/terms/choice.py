"""Which code reads the texts: the plain one for small collections, the compiled one for large ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from infostream_dedup.machine.engines import COMPILED_FROM, engine_named
from infostream_dedup.machine.first_use import FirstUse
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Language, Settings
from infostream_dedup.terms.counts import TermCounts, count_terms
from infostream_dedup.terms.key_terms import KeyTerms, select_key_terms
from infostream_dedup.terms.statistics import Statistics
from infostream_dedup.terms.surfaces import SurfaceCounter, SurfaceCounts
from infostream_dedup.text.language import detect

if TYPE_CHECKING:
    from infostream_dedup.terms.fast_surfaces import FastSurfaceCounter, SurfaceTokens

__all__ = ["StatisticsOfTerms", "SurfaceReader", "key_terms_of_surfaces"]

StatisticsOfTerms = Callable[[Sequence[str]], list[Statistics]]

_MOST_KEPT: Final = 1 << 26
"""Characters kept until it is known which code reads them; more of them are worth compiling for however few texts."""


class SurfaceReader:
    """Reads texts by the code that fits their number; the surfaces are the same.

    Texts are kept until there are enough of them, then scanned, and only numbers are kept.

    Args:
        engine: ``plain``, ``compiled``, or ``auto`` for the one that fits.
        workers: threads of the compiled code; 0 for as many as the process may use.
        progress: told of a first compilation.

    Raises:
        ConfigurationError: there is no such engine.
    """

    def __init__(self, engine: str = "auto", *, workers: int = 0, progress: Progress | None = None) -> None:
        engine = engine_named(engine)
        self._workers = workers
        self._progress = progress
        self._kept: list[tuple[str, Language | None]] = []
        self._characters = 0
        self._plain: SurfaceCounter | None = SurfaceCounter() if engine == "plain" else None
        self._fast: FastSurfaceCounter | None = self._compiled() if engine == "compiled" else None

    def add(self, text: str, language: Language | None) -> None:
        """Read one document.

        Args:
            text: raw.
            language: of the text; ``None`` to have it told from the text.
        """
        if self._fast is not None:
            self._fast.add(text, language)
        elif self._plain is not None:
            self._plain.add(text, language or detect(text))
        else:
            self._kept.append((text, language))
            self._characters += len(text)
            if len(self._kept) >= COMPILED_FROM or self._characters >= _MOST_KEPT:
                self._fast = self._compiled()
                self._hand_over()

    def finish(self) -> SurfaceCounts | SurfaceTokens:
        """The surfaces of all documents; the reader is used up."""
        if self._fast is not None:
            return self._fast.finish()
        if self._plain is None:
            self._plain = SurfaceCounter()
            self._hand_over()
        return self._plain.finish()

    def _hand_over(self) -> None:
        kept, self._kept = self._kept, []
        for text, language in kept:
            self.add(text, language)

    def _compiled(self) -> FastSurfaceCounter:
        from infostream_dedup.terms.fast_surfaces import FastSurfaceCounter

        _FIRST_USE.prepare(self._progress)
        return FastSurfaceCounter(self._workers)


def key_terms_of_surfaces(
    surfaces: SurfaceCounts | SurfaceTokens,
    settings: Settings,
    *,
    statistics: StatisticsOfTerms | None = None,
    workers: int = 0,
) -> KeyTerms:
    """Key terms of every document, by the code that read it.

    Args:
        surfaces: what ``SurfaceReader.finish`` returned.
        settings: everything that decides key terms.
        statistics: gives those to weigh by for the terms that there are, one for each of ``LANGUAGES``; by default
            those of the documents themselves. Not with representation ``pivot``.
        workers: threads of the compiled code; 0 for as many as the process may use.
    """
    if isinstance(surfaces, SurfaceCounts):
        return _selected(count_terms(surfaces, settings), settings, select_key_terms, statistics)
    from infostream_dedup.terms.fast_counts import fast_count_terms
    from infostream_dedup.terms.fast_key_terms import fast_select_key_terms

    counts = fast_count_terms(surfaces, settings, workers=workers)
    return _selected(counts, settings, partial(fast_select_key_terms, workers=workers), statistics)


def _selected(
    counts: TermCounts, settings: Settings, select: Callable[..., KeyTerms], statistics: StatisticsOfTerms | None
) -> KeyTerms:
    if settings.representation == "pivot":
        from infostream_dedup.terms.pivot import pivot_key_terms

        return pivot_key_terms(counts, settings, select=select)
    return select(counts, settings, None if statistics is None else statistics(counts.terms))


def _toy() -> None:
    from infostream_dedup.terms.fast_surfaces import FastSurfaceCounter

    counter = FastSurfaceCounter(workers=1)
    counter.add("Слово п'ять www.example.org <b> \u00b6", None)
    key_terms_of_surfaces(counter.finish(), Settings(representation="stem", background=False), workers=1)


_FIRST_USE: Final = FirstUse(_toy)
