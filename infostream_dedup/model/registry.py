"""Register things by name: every module of a package registers what it defines, so a new thing costs one file."""

from __future__ import annotations

import logging
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Generic, TypeVar

from infostream_dedup.errors import ConfigurationError

_log = logging.getLogger(__name__)
_Thing = TypeVar("_Thing")


class Registry(Mapping[str, _Thing], Generic[_Thing]):
    """Things by name, in the order of their numbers, then of their names.

    The modules of the package are imported when the registry is first read, not before.

    ``kind`` says what the things are, for error messages: ``method``.

    >>> shapes = Registry[str]("infostream_dedup.model", "shape")
    >>> shapes.add("square", "four sides", order=2)
    >>> shapes.add("triangle", "three sides", order=1)
    >>> list(shapes)
    ['triangle', 'square']
    >>> shapes.get_known("circle")
    Traceback (most recent call last):
    infostream_dedup.errors.ConfigurationError: shape is 'circle'; expected one of triangle, square
    """

    def __init__(self, package: str, kind: str) -> None:
        self._package = package
        self._kind = kind
        self._added: dict[str, tuple[float, _Thing]] = {}
        self._ordered: dict[str, _Thing] | None = None

    def add(self, name: str, thing: _Thing, *, order: float = float("inf")) -> None:
        """Register a thing."""
        if name in self._added:
            raise ValueError(f"the {self._kind} {name} is registered twice: {self._added[name][1]} and {thing}")
        self._added[name] = (order, thing)
        self._ordered = None

    def remove(self, name: str) -> None:
        """Forget a thing."""
        del self._added[name]
        self._ordered = None

    def get_known(self, name: str) -> _Thing:
        """Return a thing by its name."""
        found = self._read()
        if name not in found:
            raise ConfigurationError(f"{self._kind} is {name!r}; expected one of {', '.join(found)}")
        return found[name]

    def __getitem__(self, name: str) -> _Thing:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def _read(self) -> dict[str, _Thing]:
        if self._ordered is None:
            for module in sorted(found.name for found in pkgutil.iter_modules(import_module(self._package).__path__)):
                import_module(f"{self._package}.{module}")
            self._read_entry_points()
            added = sorted(self._added.items(), key=lambda item: (item[1][0], item[0]))
            self._ordered = {name: thing for name, (_, thing) in added}
        return self._ordered

    def _read_entry_points(self) -> None:
        """Load what other packages offer: importing it registers it; what fails is left out with a warning."""
        for point in offered(f"{self._kind}s").values():
            try:
                point.load()
            except Exception as error:  # whatever a stranger's package does, ours goes on
                told = f"{type(error).__name__}: {error}"
                _log.warning("the %s %s of %s was left out: %s", self._kind, point.name, point.value, told)


_points = cache(entry_points)  # reading those of one kind takes as long as reading all


@cache
def offered(kinds: str) -> dict[str, EntryPoint]:
    """What other packages offer of a kind, by its names in their order; nothing is imported."""
    found = _points().select(group=f"infostream_dedup.{kinds}")
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def names_in_folder(folder: Path, first: Sequence[str], *, folders: bool = False) -> tuple[str, ...]:
    """Names of the modules in a folder, without importing them.

    >>> from pathlib import Path
    >>> names_in_folder(Path(__file__).parent, ("registry", "nowhere"))[:2]
    ('registry', 'document')
    """
    found = {
        module.name
        for module in pkgutil.iter_modules([str(folder)])
        if module.ispkg == folders and module.name[0] != "_"
    }
    return (*(name for name in first if name in found), *sorted(found.difference(first)))
