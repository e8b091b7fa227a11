"""Model archives that are damaged, or made to do harm: each is refused, and leaves nothing."""

import os
import shutil
import stat
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.translation import model_files
from infostream_dedup.language.translation.model_files import install_model, installed_models

TOP = "translate-uk_ru-1_0"


def refused(path, place, code, match=None):
    """The archive is refused with its name and this code, and leaves nothing behind."""
    with pytest.raises(BadDataError, match=match) as caught:
        install_model(path, folder=place)
    assert caught.value.code == code
    assert str(path) in str(caught.value)
    assert not place.exists() or [one.name for one in place.iterdir() if one.is_dir()] == []
    assert installed_models(place) == ()


@pytest.mark.parametrize("name", [
    "../escaped", f"{TOP}/../../escaped", f"{TOP}/model/../../../escaped", "/escaped", "//escaped",
    f"{TOP}//escaped", f"{TOP}/./escaped", "..\\escaped", f"{TOP}\\..\\..\\escaped", "C:\\escaped", "C:/escaped",
    f"{TOP}/C:escaped", f"{TOP}/stream:hidden", f"{TOP}/line\nfeed", f"{TOP}/dot./x", f"{TOP}/blank /x",
    f"{TOP}/{'x' * 300}", ".", "..",
])  # fmt: skip
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
    monkeypatch.setattr(model_files, "LARGEST_TOTAL", 10_000)
    refused(pack(contents), place, "E_UNSAFE", "at most 10000")


def test_too_many_files_are_refused(contents, pack, place):
    many = {f"{TOP}/{number}": b"" for number in range(1001)}
    refused(pack({**contents, **many}), place, "E_UNSAFE", "holds 10.. files; a model has at most 1000")


def test_a_wrong_size_is_found(contents, pack, place):
    path = pack({**contents, f"{TOP}/liar": os.urandom(5_000)}, zipfile.ZIP_STORED)
    raw = bytearray(path.read_bytes())
    entry = raw.rindex(f"{TOP}/liar".encode()) - 46
    assert int.from_bytes(raw[entry + 24 : entry + 28], "little") == 5_000
    raw[entry + 24 : entry + 28] = (4_000).to_bytes(4, "little")
    path.write_bytes(raw)
    refused(path, place, "E_ZIP", "is damaged at|does not have the size")


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
def test_what_is_not_a_zip_is_refused(content, tmp_path, place):
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


@pytest.mark.parametrize(("changes", "match"), [
    ({"from_code": None}, "from_code.*nothing.*ru, uk, en"), ({"to_code": None}, "to_code.*nothing"),
    ({"to_code": "pl"}, "to_code.*'pl'.*ru, uk, en"), ({"from_code": "../../x"}, "from_code"),
    ({"from_code": ["uk"]}, "from_code"), ({"to_code": "uk"}, "a language other than from_code"),
    ({"package_version": None}, "package_version.*nothing"), ({"package_version": 1.0}, "package_version.*1.0"),
    ({"package_version": "../x"}, "package_version"), ({"package_version": ""}, "package_version"),
    ({"package_version": "1" * 50}, "package_version"), ({"type": "sbd"}, "type.*'sbd'.*translate"),
    ({"target_prefix": 7}, "target_prefix"),
])  # fmt: skip
def test_wrong_metadata_is_refused(changes, match, with_metadata, pack, place):
    refused(pack(with_metadata(**changes)), place, "E_METADATA", match)


@pytest.mark.parametrize("metadata", [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000, b" " * 1_100_000])
def test_metadata_that_is_not_an_object_is_refused(metadata, contents, pack, place):
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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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
