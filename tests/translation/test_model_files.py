from __future__ import annotations

import json
import os
import random
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infostream_dedup.errors import BadDataError, CannotCreateError, NoInputError
from infostream_dedup.translation import model_archive, model_files
from infostream_dedup.translation.loaded_model import LoadedModel
from infostream_dedup.translation.model_checksums import damaged_file
from infostream_dedup.translation.model_files import best_models, install_model, installed_models, models_folders

TOP = "translate-uk_ru-1_0"


@pytest.fixture
def place(tmp_path):
    return tmp_path / "packages"


@pytest.fixture
def contents(tiny_file):
    """The files of the tiny model by name."""
    with zipfile.ZipFile(tiny_file) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


@pytest.fixture
def pack(tmp_path):
    """``pack({name: bytes})``: an archive; names may be ``ZipInfo`` too."""

    def make(files, compression=zipfile.ZIP_DEFLATED):
        path = tmp_path / "made.argosmodel"
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return path

    return make


def refused(path, place, code, match=None):
    """The archive is refused with its name and this code, and leaves nothing behind."""
    with pytest.raises(BadDataError, match=match) as caught:
        install_model(path, folder=place)
    assert caught.value.code == code
    assert str(path) in str(caught.value)
    assert not place.exists() or [one.name for one in place.iterdir() if one.is_dir()] == []
    assert installed_models(place) == ()


def with_metadata(contents, **changes):
    fields = json.loads(contents[f"{TOP}/metadata.json"])
    fields.update(changes)
    return {**contents, f"{TOP}/metadata.json": json.dumps({k: v for k, v in fields.items() if v is not None})}


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


def test_the_newest_version_is_used(place, contents, pack):
    for version in ("1.9", "1.10", "1.2"):
        install_model(pack(with_metadata(contents, package_version=version)), folder=place)
    assert [model.version for model in installed_models(place)] == ["1.10", "1.9", "1.2"]
    assert best_models(place)["uk", "ru"].version == "1.10"


@pytest.mark.parametrize(
    "name",
    [
        "../escaped",
        f"{TOP}/../../escaped",
        f"{TOP}/model/../../../escaped",
        "/escaped",
        "//escaped",
        f"{TOP}//escaped",
        f"{TOP}/./escaped",
        "..\\escaped",
        f"{TOP}\\..\\..\\escaped",
        "C:\\escaped",
        "C:/escaped",
        f"{TOP}/C:escaped",
        f"{TOP}/stream:hidden",
        f"{TOP}/line\nfeed",
        f"{TOP}/dot./x",
        f"{TOP}/blank /x",
        f"{TOP}/{'x' * 300}",
        ".",
        "..",
    ],
)
def test_no_name_leads_out(name, contents, pack, place, tmp_path):
    refused(pack({**contents, name: b"x"}), place, "E_UNSAFE", "could lead out of its folder")
    assert not list(tmp_path.rglob("escaped"))


def test_a_zero_byte_in_a_name_hides_nothing(contents, pack, place):
    path = pack({**contents, f"{TOP}/goodXbad": b"x"})
    path.write_bytes(path.read_bytes().replace(b"goodXbad", b"good\0bad"))
    refused(path, place, "E_UNSAFE")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices_are_refused(kind, contents, pack, place):
    entry = zipfile.ZipInfo(f"{TOP}/link")
    entry.external_attr = (kind | 0o777) << 16
    refused(pack({**contents, entry: b"/etc/passwd"}), place, "E_UNSAFE", "link or a device")


def test_a_bomb_is_refused_before_it_is_unpacked(contents, pack, place):
    path = pack({**contents, f"{TOP}/zeros": bytes(30_000_000)})
    assert path.stat().st_size < 100_000
    refused(path, place, "E_UNSAFE", "would unpack to 300")


def test_the_total_is_limited_too(contents, pack, place, monkeypatch):
    monkeypatch.setattr(model_archive, "LARGEST_TOTAL", 10_000)
    refused(pack(contents), place, "E_UNSAFE", "at most 10000")


def test_too_many_files_are_refused(contents, pack, place):
    many = {f"{TOP}/{number}": b"" for number in range(1001)}
    refused(pack({**contents, **many}), place, "E_UNSAFE", "holds 10.. files, a model has at most 1000")


def test_a_size_that_lies_is_found_out(contents, pack, place):
    content = os.urandom(5_000)
    path = pack({**contents, f"{TOP}/liar": content}, zipfile.ZIP_STORED)
    raw = bytearray(path.read_bytes())
    entry = raw.rindex(f"{TOP}/liar".encode()) - 46
    assert int.from_bytes(raw[entry + 24 : entry + 28], "little") == 5_000
    raw[entry + 24 : entry + 28] = (4_000).to_bytes(4, "little")
    path.write_bytes(raw)
    refused(path, place, "E_ZIP", "is damaged at|has not the size")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused(share, tiny_file, tmp_path, place):
    raw = tiny_file.read_bytes()
    path = tmp_path / "short.argosmodel"
    path.write_bytes(raw[: int(len(raw) * share)])
    refused(path, place, "E_ZIP", "download it again")


def test_flipped_bytes_are_found(tiny_file, tmp_path, place):
    raw = bytearray(tiny_file.read_bytes())
    middle = raw.index(b"model/model.bin") + 10_000
    raw[middle : middle + 4] = bytes(byte ^ 0xFF for byte in raw[middle : middle + 4])
    path = tmp_path / "flipped.argosmodel"
    path.write_bytes(raw)
    refused(path, place, "E_ZIP", "model.bin.*download it again")


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip at all" * 100, b"<html>404</html>"])
def test_what_is_no_zip_is_refused(content, tmp_path, place):
    path = tmp_path / "page.argosmodel"
    path.write_bytes(content)
    refused(path, place, "E_ZIP", "zip archive")


def test_other_kinds_of_packing_are_refused(contents, pack, place):
    refused(pack(contents, zipfile.ZIP_LZMA), place, "E_UNSAFE", "method 14")


def test_an_encrypted_file_is_refused(contents, pack, place):
    path = pack(contents)
    raw = bytearray(path.read_bytes())
    start = raw.index(b"PK\x01\x02")
    raw[start + 8] |= 1
    path.write_bytes(raw)
    refused(path, place, "E_UNSAFE", "encrypted")


@pytest.mark.parametrize("name", [f"{TOP}/Metadata.json", f"{TOP.upper()}/metadata.json", f"{TOP}/model/model.bin/x"])
def test_names_that_fall_together_are_refused(name, contents, pack, place):
    refused(pack({**contents, name: b"{}"}), place, "E_UNSAFE", "twice")


def test_a_name_that_comes_twice_is_refused(contents, pack, place):
    path = pack({**contents, f"{TOP}/metadata.jsoX": b"{}"})
    path.write_bytes(path.read_bytes().replace(b"metadata.jsoX", b"metadata.json"))
    refused(path, place, "E_UNSAFE", "twice")


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"from_code": None}, "from_code.*nothing.*ru, uk, en"),
        ({"to_code": None}, "to_code.*nothing"),
        ({"to_code": "pl"}, "to_code.*'pl'.*ru, uk, en"),
        ({"from_code": "../../x"}, "from_code"),
        ({"from_code": ["uk"]}, "from_code"),
        ({"to_code": "uk"}, "another language than from_code"),
        ({"package_version": None}, "package_version.*nothing"),
        ({"package_version": 1.0}, "package_version.*1.0"),
        ({"package_version": "../x"}, "package_version"),
        ({"package_version": ""}, "package_version"),
        ({"package_version": "1" * 50}, "package_version"),
        ({"type": "sbd"}, "type.*'sbd'.*translate"),
        ({"target_prefix": 7}, "target_prefix"),
    ],
)
def test_wrong_metadata_is_refused(changes, match, contents, pack, place):
    refused(pack(with_metadata(contents, **changes)), place, "E_METADATA", match)


@pytest.mark.parametrize("metadata", [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000, b" " * 1_100_000])
def test_metadata_that_is_no_object_is_refused(metadata, contents, pack, place):
    refused(pack({**contents, f"{TOP}/metadata.json": metadata}, zipfile.ZIP_STORED), place, "E_METADATA")


@pytest.mark.parametrize(
    "name", ["metadata.json", "sentencepiece.model", "model/model.bin", "model/shared_vocabulary.json"]
)
def test_a_missing_part_is_named(name, contents, pack, place):
    del contents[f"{TOP}/{name}"]
    refused(pack(contents), place, "E_MODEL", f"lacks.*{name}")


def test_one_top_folder_is_expected(contents, pack, place):
    refused(pack({**contents, "second/file": b""}), place, "E_MODEL", "expected one folder")
    refused(pack({name.removeprefix(f"{TOP}/"): content for name, content in contents.items()}), place, "E_MODEL")
    refused(pack({}), place, "E_MODEL", "expected one folder")


@pytest.mark.parametrize("name", ["model/model.bin", "sentencepiece.model", "model/shared_vocabulary.json"])
def test_parts_that_cannot_be_loaded_are_refused(name, contents, pack, place):
    contents[f"{TOP}/{name}"] = b"x" * 100
    refused(pack(contents), place, "E_MODEL", "cannot be loaded")


def test_parts_that_do_not_fit_together_are_refused(contents, pack, place):
    contents[f"{TOP}/model/config.json"] = b"{}"
    contents[f"{TOP}/model/shared_vocabulary.json"] = b'["a"]'
    refused(pack(contents), place, "E_MODEL", r"cannot be (loaded|used) \(")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_is_found_or_harmless(data, tiny_file, tmp_path):
    raw = bytearray(tiny_file.read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        # The ends are where the names and the sizes are.
        place = data.draw(st.one_of(st.integers(0, 200), st.integers(1, 900).map(lambda n: len(raw) - n)))
        raw[place] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged.argosmodel"
    path.write_bytes(raw)
    folder = tmp_path / "packages"
    try:
        install_model(path, folder=folder)
    except BadDataError:
        assert installed_models(folder) == ()
    else:
        assert len(installed_models(folder)) == 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["damaged.argosmodel"]


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
from infostream_dedup.translation import model_files

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


def test_what_is_no_model_is_passed_over(tiny_file, place):
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
        "import sys; from pathlib import Path; from infostream_dedup.translation.model_files import install_model;"
        "install_model(Path(sys.argv[1]), folder=Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", program, str(tiny_file), str(place)]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    assert sorted(one.name for one in place.iterdir()) == [".infostream-dedup.lock", TOP]


def test_the_names_in_this_file_are_those_of_the_code():
    assert model_files._STAGING == ".infostream-dedup-installing"
