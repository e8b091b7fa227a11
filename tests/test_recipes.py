"""A method, a sentence feature, a criterion and a rung each cost one file: the toys of ``recipes`` show how."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from infostream_dedup.criteria import differences, document_models
from infostream_dedup.criteria.criterion import CRITERIA
from infostream_dedup.methods import Texts, method, methods
from infostream_dedup.methods.registry import METHODS
from infostream_dedup.model import Document
from infostream_dedup.passages import PassageSettings, find_passages
from infostream_dedup.passages.sentence_feature import FEATURES
from infostream_dedup.translation import Translator
from infostream_dedup.translation.ladder import standard_rungs
from infostream_dedup.translation.rung import RUNGS

RECIPES = Path(__file__).parent / "recipes"


@pytest.fixture
def put_file(tmp_path, monkeypatch):
    """Returns a function that puts a recipe into a package of ours; afterwards it is as if it had never been there."""
    added = []

    def put(recipe, package, registry):
        known = set(registry)
        shutil.copy(RECIPES / f"{recipe}.py", tmp_path)
        folder = importlib.import_module(package)
        monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
        registry.look_again()
        (name,) = set(registry) - known
        added.append((registry, name, f"{package}.{recipe}"))
        return name

    yield put
    for registry, name, module in added:
        monkeypatch.undo()
        registry.remove(name)
        del sys.modules[module]
        delattr(sys.modules[module.rpartition(".")[0]], module.rpartition(".")[2])


def test_a_method_is_one_file(put_file):
    name = put_file("same_length", "infostream_dedup.methods", METHODS)
    assert methods()[-1] == name == "same-length"
    assert method(name).run(Texts.of("раз два", "три", "пять шесть")).pairs.as_list() == [(0, 2, 1.0)]


def test_a_sentence_feature_is_one_file(put_file):
    name = put_file("first_letters", "infostream_dedup.passages.features", FEATURES)
    assert list(FEATURES)[-1] == name
    documents = [
        Document(id="1", text="Мост через реку снова открыли вчера вечером."),
        Document(id="2", text="Мэр чинил ручку снежной ограды весь век."),
        Document(id="3", text="Зимой в школе выпал первый снег."),
    ]
    found = find_passages(documents, PassageSettings(feature=f"{name}:letters=1"))
    assert [(pair.a, pair.b, pair.sentences) for pair in found.document_pairs()] == [(0, 1, 1)]
    assert len(find_passages(documents, PassageSettings(feature=f"{name}:letters=2"))) == 0


def test_a_criterion_is_one_file(put_file):
    name = put_file("language", "infostream_dedup.criteria.pair_criteria", CRITERIA)
    documents = [Document(id=lang, text="Слово дела", lang=lang) for lang in ("ru", "uk", "ru")]
    first, second = np.array([0, 0]), np.array([1, 2])
    forward, backward = differences(document_models(documents), first, second, [name], np.full(3, np.nan))
    assert forward.tolist() == backward.tolist() == [[1.0], [0.0]]
    assert [CRITERIA[name].say(value) for value in (0.0, 1.0)] == ["one language", "two languages"]


def test_a_rung_is_one_file(put_file):
    name = put_file("backwards", "infostream_dedup.translation.rungs", RUNGS)
    rungs = standard_rungs()
    assert rungs[-1].name == name == "backwards"
    found = Translator("ru", "uk", rungs=rungs).translate(["щщщщпр"])[0]
    assert [(one.term, one.rung) for one in found] == [("рпщщщщ", name)]
    assert [rung.name for rung in standard_rungs()][:2] == ["identity", "dictionary"]
