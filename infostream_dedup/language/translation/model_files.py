"""Translation models on this machine: their folders, the installed models, and installation.

The folder is that of Argos Translate, so that both use each other's models. Nothing here goes online.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infostream_dedup.errors import BadDataError, CannotCreateError, MissingExtraError
from infostream_dedup.language.translation.installed_model import InstalledModel
from infostream_dedup.language.translation.model_archive import ModelMetadata, opened_archive, read_metadata
from infostream_dedup.language.translation.model_checksums import write_checksums
from infostream_dedup.model import Language

_log = logging.getLogger(__name__)

_PACKAGES: Final = "ARGOS_PACKAGES_DIR"
_LOCK: Final = ".infostream-dedup.lock"
_STAGING: Final = ".infostream-dedup-installing"


@dataclass(frozen=True, slots=True)
class Installation:
    """Result of an installation.

    Attributes:
        model: the installed model.
        replaced: whether the same version was installed before.
        tried: whether the model was tried; ``False`` if the extra ``translate`` is not installed.
    """

    model: InstalledModel
    replaced: bool
    tried: bool


def models_folders() -> tuple[Path, ...]:
    """Return the folders with installed models; new models go to the first one.

    If argostranslate is installed, these are the folders of its settings. If not, it is the folder it would use:
    ``ARGOS_PACKAGES_DIR``, or ``argos-translate/packages`` in ``XDG_DATA_HOME`` (``~/.local/share``).
    """
    try:
        # Importing it creates folders in the user's home, which may not be allowed.
        from argostranslate import settings
    except (ImportError, OSError):
        return (_default_folder(),)
    return tuple(Path(folder) for folder in settings.package_dirs)


def installed_models(folder: Path | None = None) -> tuple[InstalledModel, ...]:
    """List models between two of our languages, ordered by languages, the newest version first.

    We read the folders ourselves, because ``argostranslate.package.get_installed_packages`` fails if one of them
    contains anything but a package. A folder that is not a package is skipped, with a line in the log.

    Args:
        folder: folder to search; ``None`` for ``models_folders``.
    """
    folders = models_folders() if folder is None else (folder,)
    found = [model for place in folders for model in _models_in(place)]
    # Sorted in steps, because versions descend and everything else ascends.
    found.sort(key=lambda model: str(model.folder))
    found.sort(key=lambda model: _version_key(model.version), reverse=True)
    found.sort(key=lambda model: (model.source, model.target))
    return tuple(found)


def best_models(folder: Path | None = None) -> dict[tuple[Language, Language], InstalledModel]:
    """Return the newest model of each pair of languages.

    Args:
        folder: folder to search; ``None`` for ``models_folders``.
    """
    best: dict[tuple[Language, Language], InstalledModel] = {}
    for model in installed_models(folder):
        best.setdefault((model.source, model.target), model)
    return best


def install_model(path: Path, *, folder: Path | None = None) -> Installation:
    """Install a local ``.argosmodel`` file.

    It is checked, unpacked beside its final place, tried if the extra ``translate`` is installed, and then renamed, so
    that no incomplete model is ever in place. Installing a version again replaces it.

    Args:
        folder: folder of models; ``None`` for the first of ``models_folders``. Created if missing.
    """
    place = models_folders()[0] if folder is None else folder
    with opened_archive(path) as archive, _staging(place) as staging:
        fresh = staging / "package"
        archive.extract(fresh)
        write_checksums(fresh)
        model = _model(archive.metadata, fresh)
        tried = _try(model, str(path))
        target = place / _folder_name(archive.metadata)
        replaced = _put(fresh, target, staging / "former")
    return Installation(_model(archive.metadata, target), replaced, tried)


def _default_folder() -> Path:
    given = os.environ.get(_PACKAGES)
    if given:
        return Path(given)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "argos-translate" / "packages"


def _models_in(folder: Path) -> Iterator[InstalledModel]:
    try:
        places = sorted(folder.iterdir())
    except OSError:
        return
    for place in places:
        path = place / "metadata.json"
        # Folders that begin with a dot are not models; we unpack models in one of them.
        if place.name.startswith(".") or not path.is_file():
            continue
        try:
            yield _model(read_metadata(path.read_bytes(), str(path)), place)
        except (BadDataError, OSError) as error:
            # Debug level, because a model of other languages is not an error.
            _log.debug("%s: not used: %s", place, error)


def _model(metadata: ModelMetadata, folder: Path) -> InstalledModel:
    return InstalledModel(metadata.source, metadata.target, metadata.version, folder, metadata.target_prefix)


def _version_key(version: str) -> tuple[tuple[int, ...], str]:
    return tuple(int(number) for number in re.findall("[0-9]+", version)), version


def _folder_name(metadata: ModelMetadata) -> str:
    """Name a folder as Argos Translate does: ``translate-uk_ru-1_9``."""
    version = re.sub("[^0-9A-Za-z]", "_", metadata.version)
    return f"translate-{metadata.source}_{metadata.target}-{version}"


def _try(model: InstalledModel, path: str) -> bool:
    """Try a model, so that a fault shows before it is installed; ``False`` if no package can load it."""
    # Imported here, because models are also listed where they cannot be loaded.
    from infostream_dedup.language.translation.loaded_model import LoadedModel

    try:
        LoadedModel(model, source=path).translate(["1"])
    except MissingExtraError:
        return False
    return True


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """Provide an empty folder on the same file system for us alone, and remove it at the end.

    Leftovers of a killed installation are removed. To Argos Translate the folder looks like a package of a type that it
    ignores; a folder without metadata would make it fail.
    """
    staging = folder / _STAGING
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / _LOCK).open("ab")
    except OSError as error:
        raise CannotCreateError(
            f"{folder}: {error.strerror}; set {_PACKAGES} to a folder that can be written"
        ) from error
    with lock:
        # Windows has no such lock, so simultaneous installations would disturb each other there.
        with suppress(ImportError):
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        _remove(staging)
        staging.mkdir()
        try:
            (staging / "metadata.json").write_text(json.dumps({"type": "installing"}), encoding="utf-8")
            yield staging
        finally:
            _remove(staging)


def _remove(folder: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)


def _put(fresh: Path, target: Path, former: Path) -> bool:
    """Move a folder into place; an existing one is moved away first, and back if that fails."""
    replaced = target.exists()
    if replaced:
        target.rename(former)
    try:
        fresh.rename(target)
    except OSError:
        if replaced:
            former.rename(target)
        raise
    return replaced
