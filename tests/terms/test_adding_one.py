"""A representation and a weighting are added by one file each, as CONTRIBUTING.md says."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import infostream_dedup
from infostream_dedup.lexicon.folder import dictionaries_folder
from infostream_dedup.model import Document, Settings
from infostream_dedup.model import settings as settings_module
from infostream_dedup.sample import documents_path
from infostream_dedup.stream.analysis import Analyser
from infostream_dedup.stream.frequencies import Frequencies
from infostream_dedup.stream.key_choice import choose_keys
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.reading import SurfaceReader, key_terms_of_surfaces

REPRESENTATION = '''
"""The first five letters of each word of six letters and more."""

from infostream_dedup.terms.representation import Representation


class _Fives(Representation):
    name = "fives"
    colour = "#123456"
    shaped = False

    def terms(self, forms, language, settings):
        return [form.form[:5] if len(form.form) > 5 else None for form in forms]


REPRESENTATION = _Fives()
'''

WEIGHTING = '''
"""Inverse document frequency alone: how often a term occurs in the document does not matter."""

import numpy as np


def idf(df, documents):
    return np.log1p(documents / (df + 1))


def norm(lengths, average, settings):
    return np.zeros(len(lengths))


def weight(f, idf, norm, settings):
    return idf
'''


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package in another folder, with the two files."""
    folder = tmp_path_factory.mktemp("checkout")
    own = folder / "infostream_dedup"
    ignored = shutil.ignore_patterns("__pycache__", "_dictionaries")
    shutil.copytree(Path(infostream_dedup.__file__).parent, own, ignore=ignored)
    shutil.copytree(dictionaries_folder(), folder / "dictionaries")
    (own / "terms" / "representations" / "fives.py").write_text(REPRESENTATION, encoding="utf-8")
    (own / "terms" / "weightings" / "idf_only.py").write_text(WEIGHTING, encoding="utf-8")
    return folder


def run(package: Path, *arguments: str) -> str:
    given = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=package, env=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def sweep(package: Path, *options: str) -> list[dict[str, float | str | None]]:
    command = ["-m", "infostream_dedup", "sweep", str(documents_path()), "--format", "json", "--quiet", *options]
    rows: list[dict[str, float | str | None]] = json.loads(run(package, *command))["rows"]
    return rows


def test_a_new_representation_is_swept_plotted_and_compared(package: Path) -> None:
    rows = sweep(package, "--representation", "fives", "--representation", "stem", "--out", str(package / "report"))
    links = {
        name: [row["links"] for row in rows if (row["representation"], row["k"]) == (name, 6)]
        for name in ("fives", "stem")
    }
    assert links["fives"] != links["stem"]
    assert int(str(links["fives"][0])) > 100
    assert "#123456" in next((package / "report").glob("*.svg")).read_text(encoding="utf-8")


def test_a_new_representation_has_a_background_and_a_method_of_its_own(package: Path) -> None:
    told = run(
        package,
        "-c",
        "from infostream_dedup.methods import methods\n"
        "from infostream_dedup.terms.representation import term_frequencies as f\n"
        "own = f('ru', 'fives')\n"
        "print(len(own) > 5000, {len(term) for term in own}, 'key-terms-fives' in methods())\n"
        "from infostream_dedup.lexicon.frequency import common_forms\n"
        "print(own['прави'] > 2 * dict(common_forms('ru'))['правительство'])",
    )
    assert told.splitlines() == ["True {5} True", "True"]


def test_a_new_weighting_is_found(package: Path) -> None:
    weighed = sweep(package, "--representation", "stem", "--weighting", "idf_only")
    assert weighed != sweep(package, "--representation", "stem")


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Both files in this process, where the loops are compiled already."""
    for kind, name, source in (("representations", "fives", REPRESENTATION), ("weightings", "idf_only", WEIGHTING)):
        full_name = f"infostream_dedup.terms.{kind}.{name}"
        path = tmp_path / f"{name}.py"
        path.write_text(source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(full_name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        monkeypatch.setitem(sys.modules, full_name, module)
        for reader in (settings_module, import_module(f"infostream_dedup.terms.{kind[:-1]}")):
            monkeypatch.setattr(reader, kind.upper(), (*getattr(reader, kind.upper()), name))


@pytest.mark.usefixtures("added")
def test_both_engines_and_the_stream_take_them() -> None:
    settings = Settings(representation="fives", weighting="idf_only", n=3, k=1, df_min=0, df_max=0.99)
    texts = ["Правительство утвердило государственный бюджет", "Министр рассказал, что бюджет не изменится"] * 2
    found = []
    for engine in ("plain", "compiled"):
        reader = SurfaceReader(engine)
        for text in texts:
            reader.add(text, "ru")
        found.append(key_terms_of_surfaces(reader.finish(), settings))
    for document in range(len(texts)):
        assert found[0].terms_of(document) == found[1].terms_of(document)
    # By its own background "прави" is too common to be a key term of four.
    assert sorted(found[0].terms_of(0)) == ["бюдже", "госуд", "утвер"]

    numbers = TermNumbers()
    analysed = Analyser(settings, numbers).read([Document(id="1", text=texts[0], lang="ru")])
    keys = choose_keys(analysed, 0, 1, Frequencies(settings, numbers), numbers, settings).keys.row(0)
    assert sorted(numbers.terms[key] for key in keys) == ["бюдже", "госуд", "утвер"]
