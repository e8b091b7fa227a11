"""The tiny models that ``make_tiny_model.py`` makes, installed in a folder of their own."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from infostream_dedup.translation.model_files import install_model

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def tiny_file() -> Path:
    """The Ukrainian to Russian model, as a file."""
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
