"""The report: complete, self-contained, escaped, the same bytes each time."""

from html.parser import HTMLParser

import pytest

from infostream_dedup import sweep
from infostream_dedup.report.files import report_files
from infostream_dedup.report.tables import PUBLISHED, Cover
from infostream_dedup.sample import documents_path

EVIL = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


class _Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.addresses, self.handlers = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "action", "data", "srcset") or name.endswith(":href"):
                self.addresses.append(value)
            if name.startswith("on"):
                self.handlers.append(name)


@pytest.fixture(scope="module")
def files():
    return report_files(sweep(documents_path()), Cover(paper=True))


def test_the_page_asks_for_nothing_from_outside(files):
    text = files["report.html"].decode()
    page = _Page(text)
    assert "Content-Security-Policy" in text
    assert "script" not in page.tags
    assert not page.handlers
    # Fragments of the page, and addresses of documents that are asked for only if the reader follows them.
    outside = [address for address in page.addresses if not address.startswith("#")]
    assert outside
    assert text.count(' rel="noreferrer nofollow"') == len(outside)
    assert {"link", "iframe", "object", "img"}.isdisjoint(page.tags)


def test_titles_and_ids_are_escaped():
    rows = [
        {"id": f"{EVIL}{i}", "title": EVIL, "text": "Мэр открыл мост через реку, жители района довольны стройкой."}
        for i in range(3)
    ]
    text = report_files(sweep(rows, representations=["stem"]))["report.html"].decode()
    page = _Page(text)
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert not page.handlers
    assert "&lt;script&gt;alert(1)" in text


def test_the_paper_is_shown_next_to_ours(files):
    text = files["report.html"].decode()
    assert "another corpus" in text
    for value in PUBLISHED["morph"].symmetry.values():
        assert f"{value:.2f}" in text
    assert "11,623,225" in text


def test_groups_and_the_confirmed_block_are_shown():
    page = report_files(sweep(documents_path(), representations=["stem"], confirmed=True))["report.html"].decode()
    assert "Groups of linked documents" in page
    assert ">stem, confirmed</th>" in page
    assert "second look at wording" in page


def test_equal_results_give_equal_bytes(files):
    assert report_files(sweep(documents_path()), Cover(paper=True)) == files


def test_a_collection_without_links_still_has_a_report():
    files = report_files(sweep([{"id": "1", "text": "Снег"}, {"id": "2", "text": ""}]))
    assert b"none" in files["report.html"]


def test_a_share_sweep_has_a_table_of_thresholds():
    text = report_files(sweep(documents_path(), representations=["stem"], score="share"))["report.html"].decode()
    assert "by share" in text
