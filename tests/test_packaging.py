"""The wheel and the source archive: what they hold, what they ask for, and that they run away from this folder."""

import os
import re
import shutil
import site
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from infostream_dedup.model.version import VERSION

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ARM = "manylinux_2_17_aarch64"
ARM_PACKAGES = (
    "libc6 libpython3.11-minimal python3.11-minimal libpython3.11-stdlib zlib1g libexpat1 libssl3 libsqlite3-0 libffi8"
    " libgcc-s1 libstdc++6 libbz2-1.0 liblzma5 libuuid1"
).split()
EXTRAS = set("report learn translate compare feeds xlsx service spark semantic bench docs dev all".split())


@pytest.fixture(scope="module")
def archives(tmp_path_factory) -> tuple[Path, Path]:
    """The wheel and the source archive, built without a network."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


@pytest.mark.slow
def test_the_wheel_holds_the_package_its_data_and_nothing_else(archives) -> None:
    with zipfile.ZipFile(archives[0]) as wheel:
        names = set(wheel.namelist())
    own = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "infostream_dedup").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert own <= names
    assert {f"infostream_dedup/_dictionaries/{path.name}" for path in (ROOT / "dictionaries").iterdir()} <= names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"infostream_dedup"}


@pytest.mark.slow
def test_a_wheel_of_the_source_archive_is_the_same_wheel(archives, tmp_path) -> None:
    wheel, source = archives
    subprocess.run(["tar", "-xf", source, "-C", tmp_path], check=True)
    (unpacked,) = tmp_path.iterdir()
    assert {"tests", "benchmarks", "docs", "Makefile", "LICENSE"} <= {path.name for path in unpacked.iterdir()}
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "again"]
    subprocess.run(build, cwd=unpacked, check=True, capture_output=True)
    again = next((tmp_path / "again").glob("*.whl"))
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert {it.filename: it.CRC for it in one.infolist()} == {it.filename: it.CRC for it in other.infolist()}


@pytest.mark.slow
def test_the_wheel_runs_from_another_folder(archives, tmp_path) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps"]
    install = [*pip, archives[0]]
    subprocess.run(install, check=True, capture_output=True)
    # The packages that it needs are those of this environment; the package itself is not this folder's.
    (packages,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    (packages / "needed.pth").write_text("\n".join(site.getsitepackages()))
    text = "Верховная Рада приняла закон о пенсиях голосами коалиции, оппозиция пообещала обратиться в суд."
    (tmp_path / "a.csv").write_text(f'id,text\n1,"{text}"\n2,"{text}"\n', encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "INFOSTREAM"))}
    environment["INFOSTREAM_DEDUP_CACHE"] = str(tmp_path / "cache")

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(arguments, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)

    where = run(python, "-c", "import infostream_dedup; print(infostream_dedup.__file__)").stdout.strip()
    assert Path(where).is_relative_to(tmp_path / "venv"), where
    command = python.with_name("infostream-dedup")
    assert run(command, "--version").stdout.strip().endswith(re.search(r"-([\d.]+\w*)-cp311", archives[0].name)[1])
    run(command, "dedup", "a.csv", "--out", "kept.csv")
    assert (tmp_path / "kept.csv").read_text(encoding="utf-8").count("\n") == 2, "the header and one of the two"


@pytest.fixture(scope="module")
def wheel_for_arm(tmp_path_factory) -> Path:
    """The wheel for Linux on ARM, compiled by Zig."""
    pytest.importorskip("ziglang", reason="no Zig here: pip install ziglang")
    folder = tmp_path_factory.mktemp("arm")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    environment = os.environ | {"INFOSTREAM_DEDUP_WHEEL": ARM}
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, env=environment)
    return next(folder.glob("*.whl"))


@pytest.mark.slow
def test_the_wheel_for_arm_is_named_and_linked_for_it(wheel_for_arm) -> None:
    assert wheel_for_arm.name.endswith(f"-cp311-abi3-{ARM}.whl")
    with zipfile.ZipFile(wheel_for_arm) as wheel:
        (name,) = (one for one in wheel.namelist() if one.endswith((".so", ".pyd")))
        module = wheel.read(name)
    assert name == "infostream_dedup/machine/_kernels_portable.abi3.so"
    assert (module[:4], int.from_bytes(module[18:20], "little")) == (b"\x7fELF", 183), "ELF for AArch64"
    assert b"\0PyInit__kernels_portable\0" in module
    assert max(map(int, re.findall(rb"\0GLIBC_2\.(\d+)", module))) <= 17


@pytest.mark.slow
def test_the_wheel_for_arm_runs_under_qemu(wheel_for_arm, tmp_path) -> None:
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if qemu is None or shutil.which("apt-get") is None:
        pytest.skip("needs qemu-user-static and Debian's apt-get, which has a Python for ARM")
    for name in ("lists/partial", "cache/archives/partial"):
        (tmp_path / name).mkdir(parents=True)
    own = {"APT::Architecture": "arm64", "APT::Architectures::": "arm64", "Dir::State::status": "/dev/null"}
    own |= {"Dir::State::Lists": f"{tmp_path}/lists", "Dir::Cache": f"{tmp_path}/cache"}
    apt = ["apt-get", *(f"-o{name}={value}" for name, value in own.items())]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", "lib", "--only-binary=:all:", "--no-compile"]
    pip += ["--python-version=3.11", *(f"--platform=manylinux_2_{glibc}_aarch64" for glibc in (17, 27, 28))]
    needed = [one.partition(";")[0] for one in PROJECT["dependencies"] if "[" not in one]
    for command in ([*apt, "update"], [*apt, "download", *ARM_PACKAGES], [*pip, *needed]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no network, or another Debian: {done.stderr[-200:]}")
    subprocess.run([*pip, "--no-deps", wheel_for_arm], cwd=tmp_path, check=True)
    for package in tmp_path.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, tmp_path / "root"], check=True)
    (tmp_path / "a.csv").write_text(
        'id,text\n1,"Мост через реку открыл министр."\n2,"Мост через реку открыл министр."\n'
    )
    python = [qemu, "-L", tmp_path / "root", tmp_path / "root/usr/bin/python3.11", "-m", "infostream_dedup"]
    environment = {"PYTHONPATH": "lib", "INFOSTREAM_DEDUP_CACHE": "cache", "PYTHONUTF8": "1"}
    subprocess.run([*python, "dedup", "a.csv", "--out", "kept.csv"], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "kept.csv").read_text(encoding="utf-8").count("\n") == 2, "the header and one of the two"


@pytest.mark.slow
def test_what_it_asks_for_is_agreed(archives) -> None:
    with zipfile.ZipFile(archives[0]) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith("METADATA"))
        metadata = Parser().parsestr(wheel.read(name).decode())
    assert metadata["Requires-Python"] == ">=3.11"
    versions = [line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if "Python :: 3." in line]
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    assert "sys.version_info >= (3, 11)" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert set(metadata.get_all("Provides-Extra")) >= EXTRAS
    base = " ".join(PROJECT["dependencies"])
    heavy = ("pyarrow", "rich", "numba", "matplotlib", "jinja2", "scikit", "openpyxl", "rapidfuzz", "textblob", "nltk")
    assert not {package for package in heavy if package in base}


def test_every_extra_for_users_is_described() -> None:
    (whole,) = PROJECT["optional-dependencies"]["all"]
    names = whole.partition("[")[2].rstrip("]").split(",")
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8").partition("## Extras")[2]
    assert set(re.findall("^\\| `([a-z]+)` \\|", page, re.MULTILINE)) == {*names, "all"}


@pytest.mark.parametrize(
    ("package", "extra", "code"),
    [
        ("jinja2", "report", "from infostream_dedup.report import check_report_folder as f; f('report')"),
        ("jinja2", "report", "from infostream_dedup.report.files import environment as f; f()"),
        ("pyarrow", "tables", "import infostream_dedup as i; i.sweep(['Мэр открыл мост']).to_arrow()"),
        ("pyarrow", "tables", "import infostream_dedup as i; i.dedup(['Мэр открыл мост'], out='kept.parquet')"),
        ("pyarrow", "tables", "import infostream_dedup as i; i.dedup(['Мэр открыл мост'], out='a.csv', workdir='w')"),
        ("pyarrow", "spark", "import infostream_dedup as i; i.spark"),
        (
            "feedparser",
            "feeds",
            "from infostream_dedup.documents.collecting import _feed as f; list(f('</rss>', '', None))",
        ),
        ("rapidfuzz", "compare", "import infostream_dedup as i; i.compare(['Мэр открыл мост'], methods=['md5'])"),
        ("datasketch", "compare", "from infostream_dedup.lab.methods.fingerprints import _import_datasketch as f; f()"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(package: str, extra: str, code: str) -> None:
    block = (
        "import sys, importlib.util as u\n"
        f"sys.modules[{package!r}] = None\n"
        f"found = u.find_spec\nu.find_spec = lambda name, *a: None if name == {package!r} else found(name, *a)\n"
    )
    answer = subprocess.run([sys.executable, "-c", block + code], capture_output=True, text=True, cwd=ROOT)
    assert answer.returncode == 1
    assert f"needs the package {package}" in answer.stderr
    assert re.search(rf"pip install .*\[{extra}\]", answer.stderr)


def test_the_recipe_of_conda_asks_for_the_same() -> None:
    recipe = pytest.importorskip("yaml").safe_load((ROOT / "deploy" / "conda" / "recipe.yaml").read_text("utf-8"))
    needed = [one.partition(";")[0].replace(">", " >", 1).lower() for one in PROJECT["dependencies"] if "[" not in one]
    assert recipe["requirements"]["run"] == [f"python {PROJECT['requires-python']}", *needed]
    assert recipe["context"]["version"] == VERSION
