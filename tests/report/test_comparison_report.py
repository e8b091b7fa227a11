"""The report of a comparison: complete, self-contained, escaped, the same bytes each time but for times."""

import csv
import io
import json
from html.parser import HTMLParser

import pytest

from infostream_dedup import compare
from infostream_dedup.lab.evaluation.labels import labels_of
from infostream_dedup.report.comparison import comparison_files, write_comparison
from infostream_dedup.sample import documents_path, labels_path

NAMES = ["md5", "long-sent", "three-plus-two:n=3", "key-terms-stem"]
EVIL = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


class _Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.addresses, self.handlers, self.words = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "action", "data", "srcset") or name.endswith(":href"):
                self.addresses.append(value)
            if name.startswith("on"):
                self.handlers.append(name)

    def handle_data(self, data):
        self.words.append(data)


def _comparison(**options):
    return compare(documents_path(), methods=NAMES, examples=True, disagreements=5, **options)


@pytest.fixture(scope="module")
def files():
    return comparison_files(_comparison())


def test_the_page_asks_for_nothing_from_outside(files):
    text = files["report.html"].decode()
    page = _Page(text)
    assert "Content-Security-Policy" in text
    assert "script" not in page.tags
    assert not page.handlers
    assert all(address.startswith("#") for address in page.addresses)


def test_ids_and_terms_are_escaped():
    story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
    rows = [{"id": f"{EVIL}{number}", "text": f"{story} {'Да. ' * number}"} for number in range(3)]
    files = comparison_files(compare(rows, methods=["md5", "first-paragraph"], examples=True, disagreements=5))
    page = _Page(files["report.html"].decode())
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert not page.handlers
    assert any(EVIL in words for words in page.words)


def test_every_method_has_its_row_with_the_paper_next_to_it(files):
    page = _Page(files["report.html"].decode())
    for name in NAMES:
        assert name in page.words
    assert any("other corpora" in words for words in page.words)
    assert "Zelenkov, Segalovich 2007" in page.words


@pytest.mark.parametrize("closed", [False, True])
def test_sentences_are_apart(closed):
    page = comparison_files(_comparison(labels=labels_path(), closed=closed))["report.html"].decode()
    assert '."Judged"' not in page
    assert ' "Judged" are' in " ".join(page.split())


def test_a_row_is_highlighted_only_where_what_is_linked_is_judged():
    story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
    rows = [{"id": str(number), "text": f"{story} {'Да. ' * number}"} for number in range(3)]
    labels = labels_of([{"a": "0", "b": "1", "label": "dup"}])
    for closed in (False, True):
        found = compare(rows, methods=["md5", "long-sent"], labels=labels, closed=closed)
        page = comparison_files(found)["report.html"].decode()
        assert ('<tr class="best">' in page) is closed
        assert ("No row is highlighted" in page) is not closed


def test_no_text_of_a_document_is_shown(files):
    texts = [json.loads(line)["text"] for line in documents_path().read_text(encoding="utf-8").splitlines()]
    page = files["report.html"].decode()
    assert not [text for text in texts if text and text[:60] in page]


def test_tables_can_be_read(files):
    rows = list(csv.DictReader(io.StringIO(files["comparison.csv"].decode())))
    assert [row["method"] for row in rows] == NAMES
    assert "cpu_seconds" not in rows[0]
    times = list(csv.DictReader(io.StringIO(files["times.csv"].decode())))
    assert [row["method"] for row in times] == ["(reading, shared by all)", *NAMES]
    assert all(float(row["cpu_seconds"]) >= 0 for row in times)
    dice = list(csv.DictReader(io.StringIO(files["dice.csv"].decode())))
    assert float(dice[1]["long-sent"]) == 1.0
    assert json.loads(files["comparison.json"])["dice"]["methods"] == NAMES


def test_a_comparison_of_nothing_has_a_report(tmp_path):
    found = compare([{"id": "1", "text": ""}], methods=["tf"], examples=True, disagreements=3)
    written = write_comparison(found, tmp_path / "new")
    assert [path.name for path in written] == sorted(comparison_files(found))


def test_equal_comparisons_give_equal_bytes_but_for_times(files):
    again = comparison_files(_comparison())
    assert set(again) == set(files)
    assert [name for name in files if files[name] != again[name]] in (["times.csv"], [])
