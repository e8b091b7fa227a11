"""Translation models on this machine: where they lie, which there are, how one is installed.

The folder is that of Argos Translate, so that models installed by either are used by both. Nothing here goes on line.
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
from infostream_dedup.model import Language
from infostream_dedup.translation.model_archive import ModelMetadata, opened_archive, read_metadata
from infostream_dedup.translation.model_checksums import write_checksums

__all__ = ["Installation", "InstalledModel", "best_models", "install_model", "installed_models", "models_folders"]

_log = logging.getLogger(__name__)

_PACKAGES: Final = "ARGOS_PACKAGES_DIR"
_LOCK: Final = ".infostream-dedup.lock"
_STAGING: Final = ".infostream-dedup-installing"


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model that can be used.

    Attributes:
        source: language that is translated from.
        target: language that is translated to.
        version: version of the package.
        folder: where its files are.
        target_prefix: token that the decoder is started with; mostly empty.
    """

    source: Language
    target: Language
    version: str
    folder: Path
    target_prefix: str = ""


@dataclass(frozen=True, slots=True)
class Installation:
    """What installing did.

    Attributes:
        model: the model as it is now.
        replaced: the same version was there before and made room.
        tried: the model was used once; ``False`` where the extra ``translate`` is not installed.
    """

    model: InstalledModel
    replaced: bool
    tried: bool


def models_folders() -> tuple[Path, ...]:
    """Folders with installed models; the first one is where new models go.

    With argostranslate installed these are the folders of its settings. Without it, the folder it would use:
    ``ARGOS_PACKAGES_DIR``, else ``argos-translate/packages`` in ``XDG_DATA_HOME`` (``~/.local/share``).
    """
    try:
        # It makes folders in the user's home when imported, which may not be allowed.
        from argostranslate import settings
    except (ImportError, OSError):
        return (_default_folder(),)
    return tuple(Path(folder) for folder in settings.package_dirs)


def installed_models(folder: Path | None = None) -> tuple[InstalledModel, ...]:
    """Models between two of our languages, ordered by languages, the newest version first.

    We read the folders ourselves: ``argostranslate.package.get_installed_packages`` fails as a whole where one of them
    holds anything but a package. A folder that cannot be read as a package is left out, with a line in the log.

    Args:
        folder: look here; ``None`` for ``models_folders``.
    """
    folders = models_folders() if folder is None else (folder,)
    found = [model for place in folders for model in _models_in(place)]
    # Sorted twice because versions go down and all else goes up.
    found.sort(key=lambda model: str(model.folder))
    found.sort(key=lambda model: _version_key(model.version), reverse=True)
    found.sort(key=lambda model: (model.source, model.target))
    return tuple(found)


def best_models(folder: Path | None = None) -> dict[tuple[Language, Language], InstalledModel]:
    """The newest model of each pair of languages.

    Args:
        folder: look here; ``None`` for ``models_folders``.
    """
    best: dict[tuple[Language, Language], InstalledModel] = {}
    for model in installed_models(folder):
        best.setdefault((model.source, model.target), model)
    return best


def install_model(path: Path, *, folder: Path | None = None) -> Installation:
    """Install a local ``.argosmodel`` file.

    It is judged, unpacked into a folder beside its later place, used once if the extra ``translate`` is installed,
    and then renamed: at no time is a part of a model in its place. Installing a version again replaces it.

    Args:
        path: the file.
        folder: folder of models; ``None`` for the first of ``models_folders``. Made if it is not there.

    Raises:
        NoInputError: there is no such file.
        BadDataError: it is not a good model; see ``model_archive.opened_archive``.
        CannotCreateError: the folder of models cannot be made or written.
        OSError: writing failed on the way.
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
        # Folders with a dot are no models: one of them is ours, where models are unpacked.
        if place.name.startswith(".") or not path.is_file():
            continue
        try:
            yield _model(read_metadata(path.read_bytes(), str(path)), place)
        except (BadDataError, OSError) as error:
            # Debug only: a model of languages that we do not know is nobody's fault.
            _log.debug("%s: not used: %s", place, error)


def _model(metadata: ModelMetadata, folder: Path) -> InstalledModel:
    return InstalledModel(metadata.source, metadata.target, metadata.version, folder, metadata.target_prefix)


def _version_key(version: str) -> tuple[tuple[int, ...], str]:
    return tuple(int(number) for number in re.findall("[0-9]+", version)), version


def _folder_name(metadata: ModelMetadata) -> str:
    """``translate-uk_ru-1_9``, as Argos Translate names its packages."""
    version = re.sub("[^0-9A-Za-z]", "_", metadata.version)
    return f"translate-{metadata.source}_{metadata.target}-{version}"


def _try(model: InstalledModel, path: str) -> bool:
    """Use a model once, so that what is broken shows before it is installed; ``False`` where nothing can load it."""
    # Only here, because listing models is also for those who cannot load them.
    from infostream_dedup.translation.loaded_model import LoadedModel

    try:
        LoadedModel(model, source=path).translate(["1"])
    except MissingExtraError:
        return False
    return True


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """An empty folder on the same file system, ours alone; gone at the end.

    What a killed installation left is swept away. The folder looks to Argos Translate like a package of a kind that it
    passes over; a folder without metadata would stop it.
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
        # Windows has no such lock: there, two installations at one time would disturb each other.
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
    """Give a folder its name; what had the name before makes room, and comes back should that fail."""
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
