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


def test_the_demo_prints_what_the_readme_shows():
    from infostream_dedup import sweep
    from infostream_dedup.sample import documents_path

    shown = [" ".join(line.split()) for line in README.splitlines()]
    found = sweep(str(documents_path()), examples=False)
    for row in found.rows:
        numbers = row.measures
        counts = [numbers.k, numbers.documents, numbers.links, numbers.reciprocal, numbers.paths, numbers.closed]
        shares = ["-" if share is None else f"{share:.3f}" for share in (numbers.symmetry, numbers.transitivity)]
        joined = ["-"] * 3 if row.groups is None else [row.groups.groups, row.groups.grouped, row.groups.largest]
        numbers_shown = ["-" if count is None else str(count) for count in counts]
        cells = [row.representation, row.block, *numbers_shown, *shares, *map(str, joined)]
        assert " ".join(cells) in shown
    for name, k in found.recommended_k.items():
        advice = "no k recommended" if k is None else f"k = {k}"
        assert f"{name}: {advice}: {found.reason[name]}" in shown


def test_the_readme_counts_the_methods_there_are():
    from infostream_dedup.methods import methods

    counts = re.findall(r"(\d+) methods|all (\d+) names", README)
    assert counts
    assert {int(first or second) for first, second in counts} == {len(methods())}


def test_the_readme_has_no_place_left_open():
    assert not re.findall(r"\b[A-Z]+_(?:OUTPUT|TABLE)\b", README)


def test_everything_public_can_be_had():
    for name in infostream_dedup.__all__:
        assert getattr(infostream_dedup, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        infostream_dedup.nothing  # noqa: B018
