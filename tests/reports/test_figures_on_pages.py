"""Figures that a page in docs/ repeats are those of the report that it names."""

import re
from pathlib import Path

import pytest

from infostream_dedup.language.morphology.stemming import ALGORITHMS

ROOT = Path(__file__).resolve().parents[2]


def page(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def rows(text: str, heading: str = "") -> dict[str, list[str]]:
    """The rows of the tables under a heading, without bold, by their first cell."""
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0] if heading else text
    lines = [line.replace("**", "").strip("|").split("|") for line in section.splitlines() if line.startswith("| ")]
    return {line[0].strip(): [cell.strip() for cell in line[1:]] for line in reversed(lines)}


def test_quality() -> None:
    report = page("reports/quality.md")
    morph, stem, best = (rows(report, heading) for heading in ("morph, bm25", "stem, bm25", "best, morph"))
    shown = rows(page("docs/explanation/quality.md"))
    for name in morph.keys() - {"set"}:
        _, tp, _, fn, precision, recall, f1, low, high, _, k, there, *_ = morph[name]
        chosen = f"{precision} / {recall} / {f1} [{low}-{high}]"
        assert shown[f"{name} ({int(tp) + int(fn):,})"] == [chosen, f"{k}: {there}", stem[name][6], best[name][6]]


@pytest.mark.parametrize("languages", ["ru-uk", "en-ru", "en-uk"])
def test_pairs_of_two_languages(languages: str) -> None:
    found = [
        line.split(" | ")
        for line in page("reports/cross-language.md").splitlines()
        if f"| wmt news | {languages} |" in line
    ]
    f1 = {cells[3]: (cells[5].split(" / ")[2], cells[7].split(" / ")[2].removesuffix(" |")) for cells in found[1:3]}
    expected = [f1["none"][0], *f1["pivot"]]
    shown = rows(page("docs/how-to/find-translations.md"))[languages]
    assert shown == [one.removeprefix("0") for one in expected]


def test_coverage() -> None:
    found = re.findall(r"^\| (\w\w-\w\w) \| 5,000 \| \*\*([\d.]+)\*\*", page("reports/cross-language.md"), re.MULTILINE)
    shown = re.findall(r"(\w\w-\w\w) (\.\d{3})", page("docs/how-to/find-translations.md"))
    assert dict(shown).keys() == dict(found).keys()
    for languages, share in found:
        assert abs(float(dict(shown)[languages]) - float(share)) < 0.00051


def test_the_languages_that_have_a_stemmer() -> None:
    (count,) = re.findall(r"stemmer of their language \((\d+) have one\)", page("docs/explanation/limits.md"))
    assert int(count) == len(set(ALGORITHMS.values()) - {"russian", "english"})
