"""Tables that reports compute, and figures that pages in docs/ repeat."""

import csv
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from infostream_dedup.documents.reading import read_documents
from infostream_dedup.judging.criteria import document_models
from infostream_dedup.lab.labels import labels_of, read_labels
from infostream_dedup.language.morphology.stemming import ALGORITHMS
from infostream_dedup.model import Document
from reports.criteria_tables import candidate_table
from reports.frame import rank_correlation

# Table 1 of Andreev et al., in form.
STORY = "Мост через реку Тихую закрыли на ремонт, автобусы пустили в объезд по набережной Светлогорска."
OTHER = "Школа в посёлке Вербовое получила новую крышу и спортивный зал, рассказала директор Гай."


def test_the_newest_documents_are_compared_with_earlier_ones_and_each_other():
    texts = [STORY, STORY, STORY, OTHER, OTHER, STORY]
    models = document_models(
        [
            Document(id=str(number), text=text, lang="ru", time=day and datetime(2026, 3, day, tzinfo=UTC))
            for number, (text, day) in enumerate(zip(texts, [3, 1, 2, 1, 3, None], strict=True))
        ]
    )
    labels = labels_of([{"a": a, "b": b, "label": "dup"} for a, b in ("01", "12", "34", "05")])
    words, links = candidate_table(models, labels, newest=2)
    # New are 0 and 4, of the third day: 2 · 3 pairs with 1, 2 and 3, and one of their own. Document 5 has no time.
    assert words["pairs"] == links["pairs"] == 7
    # 0-1 and 3-4 are duplicates; 1-2 are both old. 0-2 passes without a label.
    assert (links["duplicates"], links["of them duplicates"], links["passed"]) == (2, 2, 3)
    assert (words["duplicates"], words["of them duplicates"], words["passed"]) == (2, 2, 3)


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["slavictopics", pytest.param("mdnews", marks=pytest.mark.slow)])
def test_key_term_links_lose_hardly_any_reprint(corpora, name):
    models = document_models(list(read_documents(str(corpora / f"{name}.docs.jsonl.gz"))))
    words, links = candidate_table(models, read_labels(corpora / f"{name}.labels.jsonl.gz"))
    assert links["recall"] > 0.98
    assert links["recall"] > words["recall"]
    assert float(words["rejected"]) > float(links["rejected"]) > 0.8


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1, 2, 3, 4], [0.2, 0.1, 0.9, 0.8], 0.6),  # ranks 1 2 3 4 against 2 1 4 3: 1 - 6 * 4 / (4 * 15)
        ([5, 5, 9], [1, 2, 3], 1.5 / 3**0.5),  # ranks 1.5 1.5 3 against 1 2 3: covariance 1.5, spreads 1.5 and 2
        *(([1, 2], [1, 2], None), ([1, 1, 1], [1, 2, 3], None), ([1, 2, None, 3], [4, None, 5, 6], None)),
        ([], [], None),
    ],
)
def test_rank_correlation(one: list[float | None], other: list[float | None], expected: float | None) -> None:
    assert rank_correlation(one, other) == pytest.approx(expected)


def test_every_line_of_a_table_has_a_cell_for_each_name() -> None:
    for path in (ROOT / "reports").glob("*.csv"):
        assert len({len(row) for row in csv.reader(path.read_text("utf-8").splitlines())}) == 1, path.name


# Figures that a page in docs/ repeats are those of the report that it names.
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
    assert rows(page("docs/how-to/find-translations.md"))[languages] == [one.removeprefix("0") for one in expected]


def test_coverage() -> None:
    found = re.findall(r"^\| (\w\w-\w\w) \| 5,000 \| \*\*([\d.]+)\*\*", page("reports/cross-language.md"), re.MULTILINE)
    shown = re.findall(r"(\w\w-\w\w) (\.\d{3})", page("docs/how-to/find-translations.md"))
    assert dict(shown).keys() == dict(found).keys()
    for languages, share in found:
        assert abs(float(dict(shown)[languages]) - float(share)) < 0.00051


def test_the_languages_that_have_a_stemmer() -> None:
    (count,) = re.findall(r"stemmer of their language \((\d+) have one\)", page("docs/explanation/limits.md"))
    assert int(count) == len(set(ALGORITHMS.values()) - {"russian", "english"})
