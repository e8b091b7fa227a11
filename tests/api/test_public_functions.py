"""Every command is a documented public function; what a function does not know, it refuses."""

import inspect
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import click
import pytest

import infostream_dedup
from infostream_dedup import Settings, StreamSettings, api
from infostream_dedup.api import keyword_types
from infostream_dedup.api.keywords import KEYWORDS
from infostream_dedup.cli import cli
from infostream_dedup.documents import Reading, ReadingOptions
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.passages import PassageSettings

ROOT = Path(__file__).parents[2]

RENAMED = {
    "terms": "key_terms",
    "desk backup": "desk.backup_desk", "desk forget": "desk.forget_in_desk", "desk export": "desk.export_labels",
    "desk import": "desk.import_labels", "dictionaries import": "dictionaries.import_table",
    "dictionaries list": "dictionaries.list_tables", "dictionaries remove": "dictionaries.remove_table",
    "dictionaries install-model": "dictionaries.install_model", "passages provenance": "provenance",
    "store story": "store.message",
}  # fmt: skip
"""Commands whose function has another name: ``import`` is a word of Python, ``list`` one of its functions."""

OTHER_FACE = {"serve", "help"}
"""``serve`` is another face of the package, which calls the same functions over HTTP; ``help`` is about commands."""

MODULES = ("desk", "dictionaries", "passages", "store")


def commands(group: click.Group, path: str = "") -> list[str]:
    found = []
    for name, command in group.commands.items():
        whole = f"{path} {name}".strip()
        found += commands(command, whole) if isinstance(command, click.Group) else [whole]
    return found


def functions() -> dict[str, object]:
    """Every public function by its dotted name in ``api``."""
    found = {name: getattr(api, name) for name in api.__all__ if inspect.isfunction(getattr(api, name))}
    for name in MODULES:
        module = getattr(api, name)
        found |= {f"{name}.{one}": getattr(module, one) for one in module.__all__}
    return {name: function for name, function in found.items() if inspect.isfunction(function)}


def test_every_command_has_a_public_function():
    for command in sorted(set(commands(cli)) - OTHER_FACE):
        assert RENAMED.get(command, command.replace(" ", ".").replace("-", "_")) in functions()


def test_the_package_hands_every_function_on():
    for name in [name for name in functions() if name != "moment"]:
        room, _, function = name.rpartition(".")
        home = getattr(infostream_dedup, room) if room else infostream_dedup
        assert getattr(home, function) is functions()[name]
        assert (room or function) in infostream_dedup.__all__


def test_every_function_says_what_it_takes_and_gives():
    for name in functions():
        function = functions()[name]
        text = inspect.getdoc(function) or ""
        takes = [one for one in inspect.signature(function).parameters if one != "path"]
        assert not takes or "Args:" in text
        for parameter in takes:
            assert f"\n    {parameter}: " in text, parameter
        annotation = inspect.signature(function).return_annotation
        assert annotation == "None" or "Returns:" in text


def test_an_unknown_keyword_fails():
    for name in functions():
        function = functions()[name]
        needed = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
        positional = [[] for one in needed if one.kind is one.POSITIONAL_OR_KEYWORD]
        with pytest.raises(TypeError, match="bogus"):
            function(*positional, bogus=1)


def test_an_unknown_keyword_beside_settings_fails_too(tmp_path):
    target = tmp_path / "out.jsonl"
    with pytest.raises(TypeError, match=r"dedup\(\) got an unexpected keyword argument 'bogus'; it takes .*keep"):
        api.dedup([{"id": "1", "text": "Снег"}], target, settings=Settings(), bogus=1)
    assert not target.exists()


def test_a_sweep_takes_representations():
    with pytest.raises(TypeError, match="'representation'; did you mean 'representations'"):
        api.sweep([], representation="stem")
    with pytest.raises(ConfigurationError, match=r"give representations=\['stem'\]"):
        api.sweep([], settings=Settings(representation="stem"))


@pytest.mark.parametrize(("function", "arguments", "settings", "single"), [
    (api.sweep, ([],), Settings(), {"n": 10}), (api.pairs, ([],), Settings(), {"k": 5}),
    (api.dedup, ([], "out.jsonl"), Settings(), {"k": 5}),
    (api.evaluate, ([], "labels.jsonl"), Settings(), {"rule": "either"}),
    (api.similarity_matrix, ([],), Settings(), {"n": 10}),
    (api.ingest, ([], "stream.db"), StreamSettings(), {"k_similar": 3}),
    (api.passages.find, ([],), PassageSettings(), {"tau": 0.5}),
    (api.passages.find_novel, ([],), PassageSettings(), {"tau": 0.5}),
    (api.passages.find_digests, ([],), PassageSettings(), {"tau": 0.5}),
    (api.passages.compare, ("a", "b"), PassageSettings(), {"tau": 0.5}),
])  # fmt: skip
def test_settings_given_both_ways_are_refused(function, arguments, settings, single, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match=f"settings and {next(iter(single))} are both given"):
        function(*arguments, settings=settings, **single)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("languages", [("ru",), ("ru", "en", "uk"), ("ru", "de"), (), "ru"])
def test_other_than_two_known_languages_are_refused(languages):
    with pytest.raises(ConfigurationError, match="expected two of ru, uk, en, other"):
        api.passages.compare("Мост", "A bridge", languages=languages)


def test_reading_options_given_both_ways_are_refused():
    for name in [name for name in functions() if "reading" in inspect.signature(functions()[name]).parameters]:
        function = functions()[name]
        needed = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
        positional = [[] if one.name == "source" else "none" for one in needed if one.kind is one.POSITIONAL_OR_KEYWORD]
        with pytest.raises(ConfigurationError, match="reading and tz are both given"):
            function(*positional, reading=Reading(), tz="Europe/Kyiv")


def test_keywords_are_those_of_the_records():
    assert ReadingOptions.__optional_keys__ == {field.name for field in fields(Reading)}
    for name, known in KEYWORDS.items():
        kind = getattr(keyword_types, name)
        assert kind.__optional_keys__ == known.names(), name


def test_the_types_of_keywords_are_made_from_the_records():
    made = subprocess.run([sys.executable, "tools/make_keywords.py", "--check"], cwd=ROOT, check=False)
    assert made.returncode == 0, "run python tools/make_keywords.py"


def test_importing_the_functions_loads_nothing_heavy():
    heavy = ["numpy", "scipy", "numba", "pyarrow", "matplotlib", "pymorphy3", "sqlite_utils"]
    code = (
        f"import sys; from infostream_dedup import api, sweep; print([name for name in {heavy} if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"[]"
