"""Tiny models, which know a few words (made by ``make_tiny_model.py`` at commit bb2162f), in a folder of their own."""

import json
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from infostream_dedup.language.translation.model_files import install_model

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def tiny_file() -> Path:
    return FIXTURES / "tiny_uk_ru.argosmodel"


@pytest.fixture(scope="session")
def models_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """``models_of("uk_en", "en_ru")``: a folder with these tiny models installed."""
    made: dict[tuple[str, ...], Path] = {}

    def folder_of(*names: str) -> Path:
        if names not in made:
            made[names] = tmp_path_factory.mktemp("models")
            for name in names:
                install_model(FIXTURES / f"tiny_{name}.argosmodel", folder=made[names])
        return made[names]

    return folder_of


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for a connection or an address fails the test."""

    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError(f"somebody goes on line: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "packages"


@pytest.fixture
def contents(tiny_file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(tiny_file) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


@pytest.fixture
def with_metadata(contents: dict[str, bytes]) -> Callable[..., dict[str, bytes]]:
    """``with_metadata(from_code="uk")``: its files with other metadata; ``None`` drops a field."""

    def changed(**changes: object) -> dict[str, bytes]:
        name = next(one for one in contents if one.endswith("/metadata.json"))
        fields = json.loads(contents[name]) | changes
        return {**contents, name: json.dumps({k: v for k, v in fields.items() if v is not None}).encode()}

    return changed


@pytest.fixture
def pack(tmp_path: Path) -> Callable[..., Path]:
    """``pack({name: bytes})``: an archive; names may be ``ZipInfo`` too."""

    def make(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
        path = tmp_path / "made.argosmodel"
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return path

    return make
