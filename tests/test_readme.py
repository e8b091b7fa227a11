"""What the README promises is there."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import infostream_dedup

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MODULES = [
    module.name
    for module in pkgutil.walk_packages(infostream_dedup.__path__, "infostream_dedup.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_links_of_the_readme_lead_somewhere():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_readme_has_no_place_left_open():
    assert not re.findall(r"\b[A-Z]+_(?:OUTPUT|TABLE)\b", README)


def test_everything_public_can_be_had():
    for name in infostream_dedup.__all__:
        assert getattr(infostream_dedup, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        infostream_dedup.nothing  # noqa: B018
