import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from infostream_dedup.errors import BadDataError, CannotCreateError, NoInputError
from infostream_dedup.language.translation import model_files
from infostream_dedup.language.translation.model_files import (
    LoadedModel,
    best_models,
    damaged_file,
    install_model,
    installed_models,
    models_folders,
)

TOP = "translate-uk_ru-1_0"


def test_a_model_is_installed_whole(tiny_file, place, contents):
    done = install_model(tiny_file, folder=place)
    assert (done.model.source, done.model.target, done.model.version) == ("uk", "ru", "1.0")
    assert done.model.folder == place / TOP
    assert (done.replaced, done.tried) == (False, True)
    files = {f"{TOP}/{path.relative_to(place / TOP).as_posix()}": path for path in (place / TOP).rglob("*")}
    del files[f"{TOP}/infostream-dedup-checksums.json"]
    assert {name: path.read_bytes() for name, path in files.items() if path.is_file()} == contents
    assert installed_models(place) == (done.model,)
    assert sorted(one.name for one in place.iterdir()) == [".infostream-dedup.lock", TOP]


def test_no_flipped_bit_of_an_installed_model_is_used(tiny_file, place):
    model = install_model(tiny_file, folder=place).model
    draw = random.Random(2)  # noqa: S311
    for path in [path for path in sorted(model.folder.rglob("*")) if path.is_file()]:
        good = path.read_bytes()
        for _ in range(200 if path.name in ("model.bin", "sentencepiece.model", "metadata.json") else 20):
            bad = bytearray(good)
            bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
            path.write_bytes(bad)
            assert damaged_file(model.folder) is not None
        with pytest.raises(BadDataError, match="is not what was installed; install the model again"):
            LoadedModel(model)
        path.write_bytes(good)
    assert LoadedModel(model).translate(["уряд"]) == ["правительство"]


def test_installing_again_mends_and_changes_nothing_else(tiny_file, place, contents):
    first = install_model(tiny_file, folder=place)
    (place / TOP / "model" / "model.bin").write_bytes(b"damaged")
    (place / TOP / "left-over").write_bytes(b"")
    again = install_model(tiny_file, folder=place)
    assert again.replaced
    assert again.model == first.model
    assert (place / TOP / "model" / "model.bin").read_bytes() == contents[f"{TOP}/model/model.bin"]
    assert not (place / TOP / "left-over").exists()
    assert len(installed_models(place)) == 1


def test_the_newest_version_is_used(place, with_metadata, pack):
    for version in ("1.9", "1.10", "1.2"):
        install_model(pack(with_metadata(package_version=version)), folder=place)
    assert [model.version for model in installed_models(place)] == ["1.10", "1.9", "1.2"]
    assert best_models(place)["uk", "ru"].version == "1.10"


def test_a_file_that_is_not_there(tmp_path, place):
    for path in (tmp_path / "nothing.argosmodel", tmp_path):
        with pytest.raises(NoInputError, match="no such file"):
            install_model(path, folder=place)
    assert not place.exists()


def test_a_folder_that_cannot_be_made(tiny_file, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CannotCreateError, match="ARGOS_PACKAGES_DIR"):
        install_model(tiny_file, folder=tmp_path / "file" / "packages")


KILLED = """
import os, sys
from pathlib import Path
from infostream_dedup.language.translation import model_files

def kill(*arguments):
    os.kill(os.getpid(), 9)

model_files.{function} = kill
model_files.install_model(Path(sys.argv[1]), folder=Path(sys.argv[2]))
"""


@pytest.mark.parametrize("function", ["_try", "_put"])
def test_a_kill_before_the_rename_leaves_no_model(function, tiny_file, place):
    # Between unpacking and loading, and between loading and renaming.
    program = KILLED.format(function=function)
    killed = subprocess.run([sys.executable, "-c", program, str(tiny_file), str(place)], check=False, timeout=60)
    assert killed.returncode == -9
    assert (place / ".infostream-dedup-installing" / "package" / "model" / "model.bin").exists()
    assert installed_models(place) == ()
    install_model(tiny_file, folder=place)
    assert sorted(one.name for one in place.iterdir()) == [".infostream-dedup.lock", TOP]


def test_a_failure_on_the_way_leaves_nothing(tiny_file, place, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        install_model(tiny_file, folder=place)
    assert [one.name for one in place.iterdir()] == [".infostream-dedup.lock"]


def test_a_rename_that_fails_leaves_the_old_model(tiny_file, place, monkeypatch):
    install_model(tiny_file, folder=place)
    rename = Path.rename

    def fail(path, target):
        if path.name == "package":
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="Input/output error"):
        install_model(tiny_file, folder=place)
    assert len(installed_models(place)) == 1
    assert (place / TOP / "model" / "model.bin").is_file()


def test_what_is_not_a_model_is_passed_over(tiny_file, place):
    install_model(tiny_file, folder=place)
    (place / "a file").write_bytes(b"")
    (place / "empty folder").mkdir()
    for name, metadata in {
        "other languages": '{"from_code": "pl", "to_code": "de", "package_version": "1"}',
        "broken": "{",
        ".hidden": '{"from_code": "uk", "to_code": "ru", "package_version": "9"}',
    }.items():
        (place / name).mkdir()
        (place / name / "metadata.json").write_text(metadata)
    assert [model.version for model in installed_models(place)] == ["1.0"]


def test_the_folder_is_that_of_argos_translate(monkeypatch, tmp_path):
    # Not through argostranslate, which reads the environment only once.
    monkeypatch.setitem(sys.modules, "argostranslate", None)
    monkeypatch.delenv("ARGOS_PACKAGES_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert models_folders() == (tmp_path / "data" / "argos-translate" / "packages",)
    monkeypatch.setenv("ARGOS_PACKAGES_DIR", str(tmp_path / "mine"))
    assert models_folders() == (tmp_path / "mine",)
    monkeypatch.delenv("ARGOS_PACKAGES_DIR")
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert models_folders() == (tmp_path / ".local" / "share" / "argos-translate" / "packages",)


def test_without_the_extra_a_model_is_installed_untried(tiny_file, place, monkeypatch):
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    assert not install_model(tiny_file, folder=place).tried
    assert len(installed_models(place)) == 1


def test_a_lock_keeps_two_installations_apart(tiny_file, place):
    program = (
        "import sys; from pathlib import Path\n"
        "from infostream_dedup.language.translation.model_files import install_model\n"
        "install_model(Path(sys.argv[1]), folder=Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", program, str(tiny_file), str(place)]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    assert sorted(one.name for one in place.iterdir()) == [".infostream-dedup.lock", TOP]


def test_the_names_in_this_file_are_those_of_the_code():
    assert model_files._STAGING == ".infostream-dedup-installing"
