"""Convert texts to key terms: by the plain stages for small collections, by the compiled ones for large collections.

The packages ``terms.plain`` and ``terms.compiled`` have the same stages under the same names: ``SurfaceCounter``,
``count_terms``, ``statistics_of``, ``select_key_terms``. They are chosen once, when the texts are read; each engine
names the stages that it uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from infostream_dedup.machine.engines import engine_named
from infostream_dedup.terms.representation import representation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

    from infostream_dedup.language.text.surface_pool import Utf8Texts
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings
    from infostream_dedup.terms.key_terms import KeyTerms, StatisticsOfTerms
    from infostream_dedup.terms.statistics import TermCounts


class Surfaces(Protocol):
    """The surfaces of documents, as the plain or the compiled code keeps them."""

    @property
    def languages(self) -> NDArray[np.uint8]:
        """uint8 (documents,), index into ``LANGUAGES``."""

    @property
    def stages(self) -> str:
        """Name of the package of ``terms`` that read the documents; its stages accept these surfaces."""


@dataclass(frozen=True, slots=True)
class ForgottenSurfaces:
    """Stands for the surfaces of documents whose terms have been counted already."""

    languages: NDArray[np.uint8]  # as in `Surfaces`
    stages: str  # as in `Surfaces`


class _Counter(Protocol):
    def add(self, text: str, language: str | None) -> None: ...

    def add_texts(self, texts: Utf8Texts, languages: Sequence[str | None]) -> None: ...

    def finish(self) -> Surfaces: ...


def stages_named(name: str) -> ModuleType:
    """Return a package of ``terms`` with the stages from texts to key terms."""
    return import_module(f"infostream_dedup.terms.{name}")


class SurfaceReader:
    """Reads texts; the surfaces do not depend on the engine.

    Args:
        engine: one of ``machine.engines.ENGINES``.
        workers: threads of the compiled code; 0 for as many as the process may use.
        progress: called when code is compiled for the first time.

    Raises:
        ConfigurationError: there is no such engine.

    Attributes:
        is_compiled: whether compiled code was chosen; once it is, ``add_texts`` costs less than ``add``.
    """

    def __init__(self, engine: str = "auto", *, workers: int = 0, progress: Progress | None = None) -> None:
        self._workers = workers
        self._progress = progress
        named = engine_named(engine)
        stages = _stages_of("compiled" if named == "auto" else named)
        self.is_compiled = stages == "compiled"
        self._counter: _Counter = stages_named(stages).SurfaceCounter(self._workers)

    def add(self, text: str, language: str | None) -> None:
        """Read one document."""
        self._counter.add(text, language)

    def add_texts(self, texts: Utf8Texts, languages: Sequence[str | None]) -> None:
        """Read many documents that are in memory as UTF-8, a few megabytes."""
        self._counter.add_texts(texts, languages)

    def finish(self) -> Surfaces:
        """Return the surfaces of all documents; the reader must not be used again."""
        return self._counter.finish()


def key_terms_of_surfaces(
    surfaces: Surfaces,
    settings: Settings,
    *,
    counts: TermCounts | None = None,
    statistics: StatisticsOfTerms | None = None,
    workers: int = 0,
) -> KeyTerms:
    """Select the key terms of every document with the code that read it."""
    if counts is None:
        counts = term_counts(surfaces, settings, workers=workers)
    select = partial(stages_named(surfaces.stages).select_key_terms, workers=workers)
    return representation(settings.representation).key_terms(counts, settings, select, statistics)


def term_counts(surfaces: Surfaces, settings: Settings, *, workers: int = 0, consume: bool = False) -> TermCounts:
    """Count how often each term of ``settings.representation`` occurs in each document, before any translation.

    consume: let go of the surfaces, which can be counted only once then; compiled code also returns counts in the
    smallest type that holds them, which only compiled code can use.
    """
    if isinstance(surfaces, ForgottenSurfaces):
        raise ValueError(f"the words of these documents were forgotten before {settings.representation} was counted")
    counts: TermCounts = stages_named(surfaces.stages).count_terms(surfaces, settings, workers=workers, consume=consume)
    return counts


def _stages_of(engine: str) -> str:
    name: str = import_module(f"infostream_dedup.links.{engine}").TEXT_STAGES
    return name
