"""Reports: complete, self-contained, escaped, the same bytes each time."""

import ast
import csv
import io
import json
import os
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import infostream_dedup
from infostream_dedup import Document, compare, dedup, read_documents, sweep
from infostream_dedup.errors import CannotCreateError, UsageError
from infostream_dedup.lab.labels import labels_of
from infostream_dedup.links.measures import NO_INTERVAL
from infostream_dedup.machine.progress import Phrase
from infostream_dedup.report import check_report_folder
from infostream_dedup.report.comparison import comparison_files, write_comparison, write_learning_curve
from infostream_dedup.report.drawing import Axis, Box, Lettering, Panel, Picture, Stroke, as_png, as_svg, even_ticks
from infostream_dedup.report.files import answer_figure, group_figure, html_report, report_files, workbook_of
from infostream_dedup.report.tables import PUBLISHED, UI_LANGUAGES, Cover, wording_of
from infostream_dedup.runs.batch.answering import list_groups, part_into, short_names
from infostream_dedup.sample import documents_path

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

    def is_harmless(self):
        return {"script", "img", "link", "iframe", "object"}.isdisjoint(self.tags) and not self.handlers


@pytest.fixture(scope="module")
def files():
    return report_files(sweep(documents_path()), Cover(paper=True))


def test_the_page_asks_for_nothing_from_outside(files):
    text = files["report.html"].decode()
    page = _Page(text)
    assert ("Content-Security-Policy" in text, page.is_harmless()) == (True, True)
    # Fragments of the page, and addresses of documents that are asked for only if the reader follows them.
    outside = [address for address in page.addresses if not address.startswith("#")]
    assert outside
    assert text.count(' rel="noreferrer nofollow"') == len(outside)


def test_titles_and_ids_are_escaped():
    rows = [
        {"id": f"{EVIL}{i}", "title": EVIL, "text": "Мэр открыл мост через реку, жители района довольны стройкой."}
        for i in range(3)
    ]
    text = report_files(sweep(rows, representations=["stem"]))["report.html"].decode()
    assert _Page(text).is_harmless()
    assert "&lt;script&gt;alert(1)" in text


def test_the_paper_is_shown_next_to_ours(files):
    text = files["report.html"].decode()
    assert "another corpus" in text
    assert all(f"{value:.2f}" in text for value in PUBLISHED["morph"].symmetry.values())
    assert "11,623,225" in text


def test_groups_and_the_confirmed_block_are_shown():
    page = report_files(sweep(documents_path(), representations=["stem"], confirmed=True))["report.html"].decode()
    assert all(map(page.count, ("Groups of linked documents", ">stem, confirmed</th>", "second look at wording")))
    assert "details:not([open]) { display: none; }" in page.partition("@media print")[2]


def test_a_collection_without_links_still_has_a_report():
    assert b"none" in report_files(sweep([{"id": "1", "text": "Снег"}, {"id": "2", "text": ""}]))["report.html"]


def test_a_share_sweep_has_a_table_of_thresholds():
    text = report_files(sweep(documents_path(), representations=["stem"], score="share"))["report.html"].decode()
    assert "by share" in text
    assert "Counted:" not in text, "no threshold is recommended of which it could tell"


# The report that an analyst sends on: what was measured, parts, groups, languages, drill-down, workbook.
PACKAGE = Path(infostream_dedup.__file__).parent


@pytest.fixture(scope="module")
def swept():
    return sweep(documents_path(), estimate=False, representations=["stem", "pivot"], by="week")


@pytest.fixture(scope="module")
def pages(swept):
    return {name: report_files(swept, Cover(language=name))["report.html"].decode() for name in UI_LANGUAGES}


def text_of(page):
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"<(style|svg)\b.*?</\1>", "", page, flags=re.DOTALL)).split())


def test_the_page_says_what_was_measured(swept):
    cover = Cover(command="infostream-dedup sweep news.jsonl", made="2026-11-22")
    text = text_of(report_files(swept, cover)["report.html"].decode())
    assert "Files stream.jsonl Documents 199 (Russian 79, Ukrainian 69, English 51)" in text
    assert "Period (UTC) 2026-03-01 10:30 – 2026-03-10 13:00 (1 without a date)" in text
    shown = ("Sources 8: volna.example 29, ", "Command infostream-dedup sweep news.jsonl", "Made on 2026-11-22")
    assert all(map(text.count, shown))
    assert str(documents_path().parent) not in text
    unmade = text_of(report_files(swept)["report.html"].decode())
    assert [word in unmade for word in ("Made on", f"{datetime.now(tz=UTC):%Y-%m-%d}")] == [False, False]


@pytest.mark.parametrize(
    ("language", "said"), [("en", "other languages 1"), ("ru", "на других языках 1"), ("uk", "іншими мовами 1")]
)
def test_documents_in_other_languages_are_counted(language, said):
    polish = "Prezydent miasta otworzył w poniedziałek nowy most, który będzie służył także pieszym."
    found = sweep([polish, "Мост через реку открыли вчера"], estimate=False, representations=["stem"])
    assert said in text_of(report_files(found, Cover(language=language))["report.html"].decode())


def test_days_and_numbers_are_written_as_each_language_does(swept):
    texts = {}
    for language in UI_LANGUAGES:
        files = report_files(swept, Cover(made="2026-11-22", language=language))
        texts[language] = text_of(files["report.html"].decode())
        assert (">0,8<" in files["symmetry.svg"].decode()) == (language != "en")
    assert "Період (UTC) 01.03.2026 10:30 – 10.03.2026 13:00 (без дати: 1)" in texts["uk"]
    assert "Дата отчёта 22.11.2026" in texts["ru"]
    assert "ваги термів у документах англійською не має відповідника в російській мові" in texts["uk"]
    assert "веса термов в документах на английском языке не имеет соответствия в русском языке" in texts["ru"]
    moments = wording_of("uk").moment("вчора"), wording_of("ru").moment("2026-03-05T14:00:07Z")
    assert moments == ("вчора", "05.03.2026 14:00")


def test_only_the_recommended_k_of_a_representation_is_marked_in_its_table(pages, swept):
    for name in ("stem", "pivot"):
        table = pages["en"].partition(f"{name}: links and groups</caption>")[2].partition("</table>")[0]
        assert re.findall(r'<tr class="recommended"><th scope="row">(\d+)', table) == [str(swept.recommended_k[name])]


def test_a_cell_leads_to_its_pairs_with_titles_sources_dates_and_addresses(pages, swept):
    page = pages["en"]
    targets = set(re.findall(r'href="#(pairs-[a-z]+-\d+)"', page))
    assert targets == set(re.findall(r'<div id="(pairs-[a-z]+-\d+)"', page)) != set()
    example = next(one for one in swept.examples if (one.representation, one.k) == ("stem", 5))
    there = page.partition('<div id="pairs-stem-5">')[2].partition("</details>")[0]
    assert all(map(there.count, (example.title_a, example.source_b, example.url_a, str(example.published_b)[:10])))
    assert f"k = 5: 10 of {example.out_of} pairs" in page


def test_documents_without_titles_are_shown_by_their_first_words():
    texts = {one.id: " ".join(one.text.split()) for one in read_documents(documents_path())}
    rows = [{"id": one, "text": text} for one, text in texts.items()]
    page = report_files(sweep(rows, representations=["stem"]))["report.html"].decode()
    shown = re.findall(r'>([^<]*)</span>\s*<span class="small">no source, no date, ([^ <]*)', page)
    parts = map(page.count, ("Examples", "The largest groups", "Largest groups: stem", 'id="pairs-stem-'))
    assert (all(parts), len(shown) > 100) == (True, True)
    assert all(texts[one].startswith(unescape(name).removesuffix("…")) and len(name) > 60 for name, one in shown)


def test_an_address_that_is_no_web_address_is_not_linked():
    story = {"title": "Мост", "text": "Мэр открыл мост через реку в городе.", "url": "javascript:alert(1)"}
    rows = [{"id": str(i), **story} for i in range(3)]
    page = report_files(sweep(rows, estimate=False, representations=["stem"]))["report.html"].decode()
    assert "javascript" not in page


def test_every_language_has_all_words_and_other_languages_only_where_they_must(pages):
    keys = [set(wording_of(name)._words) for name in UI_LANGUAGES]
    assert keys[0] == keys[1] == keys[2]
    for name in ("uk", "ru"):
        assert f'<html lang="{name}">' in pages[name]
        assert '<span lang="en">' not in pages[name]
    assert ("Рекомендоване k" in pages["uk"], "0,642" in pages["ru"]) == (True, True)
    used = set(re.findall(r'_\("(\w+)"[,)]', (PACKAGE / "report/templates/report.html").read_text("utf-8")))
    assert used <= keys[0]


SPEAKERS = (
    *("links/recommendation.py", "runs/batch/sweeping.py", "runs/batch/answering.py", "runs/sharded/sweeping.py"),
    "lab/*.py",
)


def test_every_sentence_of_a_sweep_can_be_said_in_every_language():
    found = set()
    for path in sorted(path for pattern in SPEAKERS for path in PACKAGE.glob(pattern)):
        tree = ast.parse(path.read_text("utf-8"))
        constants = {
            node.target.id: node.value
            for node in tree.body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Phrase.of":
                first = node.args[0]
                if isinstance(first, ast.IfExp):
                    found |= {ast.literal_eval(first.body), ast.literal_eval(first.orelse)}
                    continue
                # A sentence of another module is read there.
                named = constants.get(ast.unparse(first)) if isinstance(first, (ast.Name, ast.Attribute)) else first
                if named is not None:
                    found.add(ast.literal_eval(named))
    assert len(found) >= 30
    for name in ("uk", "ru"):
        sentences = wording_of(name)._sentences
        assert found - set(sentences) == set()
        for template, said in sentences.items():
            assert set(re.findall(r"{(\w+)", template)) == set(re.findall(r"{(\w+)", said)), template


def test_sentences_inside_a_sentence_are_said_too():
    signs = [
        Phrase.of("two ways of telling one text from two give different answers about the links"),
        Phrase.of("{share:.0f} of 100 pairs that pass for one text have no wording in common", share=49.2),
    ]
    why = Phrase.joined(signs)
    assert why == "; ".join(signs)
    said, own = wording_of("ru").spoken(Phrase.of("no estimate for texts in other words: {why}", why=why))
    assert own
    assert said == (
        "пересказы тех же текстов не оценены: два способа отличить один текст от двух по-разному оценивают связи; "
        "у 49 из 100 пар, принятых за один текст, нет общих формулировок"
    )
    many = Phrase.of("{copies} copies, fewer than the {needed} that a choice needs", copies=159700, needed=50)
    assert [wording_of(name).spoken(many)[0].split(",")[0] for name in ("en", "ru")] == ["159", "копий 159\xa0700"]
    unknown = Phrase.joined([*signs, Phrase.of("never said before")])
    assert wording_of("ru").spoken(unknown) == (str(unknown), False)
    assert Phrase.joined(signs[:1]) is signs[0]


def test_parts_are_swept_alone(swept):
    week = swept.parts["2026-W10"]
    rows = [row for row in swept.as_rows() if row["part"] == "2026-W10"]
    assert [{k: v for k, v in row.items() if k != "part"} for row in rows] == [row.as_dict() for row in week.rows]
    assert list(swept.parts) == ["2026-W01", "2026-W09", "2026-W10", "2026-W11", None]
    found, documents = swept.as_dict(), sum(sum(part.documents.values()) for part in swept.parts.values())
    assert documents == swept.rows[0].measures.documents == found["whole"]["rows"][0]["documents"] == 199
    assert [part["part"] for part in found["parts"]] == list(swept.parts)
    assert found["recommended_k"]["stem"] == found["advice"]["stem"]["chosen"] == 7
    assert found["parts"][0]["advice"]["stem"]["chosen_by"] == "default"


def test_share_of_duplicates_by_hand():
    text = "Мэр открыл мост через реку, жители района довольны стройкой набережной города"
    rows = [{"id": str(i), "text": text} for i in range(3)] + [{"id": "x", "text": "Цены на зерно выросли вдвое"}]
    found = sweep(rows, estimate=False, representations=["stem"], by="file")
    # Three equal documents are one group: two of four documents repeat another one.
    assert found.duplicates("stem") == next(iter(found.parts.values())).duplicates("stem") == 0.5


def test_parts_of_files_sources_days_weeks_and_months():
    def at(number, moment, source=None):
        time = None if moment is None else datetime.fromisoformat(moment)
        return Document(id=str(number), text="", time=time, source=source)

    documents = [at(1, "2026-12-31T23:30:00+00:00", "b"), at(2, None, "a"), at(3, "2026-12-01T00:00:00+00:00", "a")]

    def sizes(by, zone=UTC, files=None):
        return {name: len(part) for name, part in part_into(documents, by, files=files or {}, zone=zone).items()}

    assert sizes("day") == {"2026-12-01": 1, "2026-12-31": 1, None: 1}
    assert sizes("week") == {"2026-W49": 1, "2026-W53": 1, None: 1}
    assert sizes("month") == {"2026-12": 2, None: 1}
    assert sizes("source") == {"a": 2, "b": 1}
    assert sizes("file", files={"x/one.csv": 2, "x/two.csv": 1}) == {"one.csv": 2, "two.csv": 1}
    assert sizes("day", ZoneInfo("Europe/Kyiv"))["2027-01-01"] == 1
    assert short_names(["a/x.csv", "b/x.csv"]) == ["a/x.csv", "b/x.csv"]


def test_parts_are_not_swept_on_disk(tmp_path):
    with pytest.raises(UsageError, match=r"parts \(by\)"):
        sweep(str(documents_path()), by="day", workdir=tmp_path / "work")
    with pytest.raises(UsageError, match="one of file, source"):
        sweep(str(documents_path()), by="year")


def test_groups_and_copied_sources_by_hand():
    def document(name, hour, source):
        return Document(id=name, text="", time=datetime(2026, 1, 1, hour, tzinfo=UTC), source=source)

    documents = [
        document("late", 9, "b"), document("early", 7, "a"), document("other", 8, "c"), document("alone", 1, "b"),
        document("own", 2, "c"), document("own too", 3, "c"),
    ]  # fmt: skip
    found = list_groups(documents, np.array([0, 0, 0, 3, 4, 4]), 6)
    assert [(group.size, group.sources) for group in found.groups] == [(3, 3), (2, 1)]
    assert " ".join(one.id for group in found.groups for one in group.documents) == "early other late own own too"
    # Source a opened the one group with several sources; two documents of others followed.
    (copied,) = found.sources
    assert (copied.source, copied.documents, copied.grouped, copied.first, copied.copied) == ("a", 1, 1, 1, 2)


def test_pictures_have_titles_descriptions_and_colours_of_the_page(swept):
    files = report_files(swept)
    for name in ("symmetry", "transitivity", "groups", "parts"):
        svg = files[f"{name}.svg"].decode()
        assert f'role="img" aria-labelledby="{name}-title {name}-description"' in svg
        assert re.search(rf'<desc id="{name}-description">[^<]{{20,}}</desc>', svg)
        assert "#ffffff" not in svg.replace("var(--page, #ffffff)", "")
    names = re.findall(r'\bid="([^"]+)"', files["report.html"].decode())
    assert len(names) == len(set(names))


def test_counted_and_estimated_quality_are_shown_at_the_recommended_k(swept):
    columns = {
        "copies": 40, "copy_precision": 0.9, "copy_precision_low": 0.8, "copy_precision_high": 0.95,
        "copy_recall": 0.75, "copy_recall_low": 0.7, "copy_recall_high": 0.8, "precision": 0.97, "recall": 0.99,
        "f1": 0.98, "reliable_code": "reliable",
    }  # fmt: skip
    stems = [replace(row, estimated=columns) for row in swept.rows if row.representation == "stem"]
    bands = {"0.3-0.5": 0.25, "0.5-0.8": None, "0.8-1.0": 1.0}
    summary = {"copies": {"steps": [{"step": k, "recall_by_wording": bands} for k in range(1, 13)]}}
    banded = "Pairs of copies linked, by common wording: 25.0 % from 0.3 to 0.5; 100.0 % from 0.8 to 1.0."
    counted = "Counted: 90.0 % of the pairs linked both ways are copies (80.0 %–95.0 %), and 75.0 % of all 40 pairs of"
    for code, said in (
        ("reliable", "Estimated with retellings: precision 97.0 %, recall 99.0 %, F1 98.0 %."),
        ("upper_bound", "Estimated: probably at most 99.0 % of the links say the same."),
        ("refused", "Precision and recall with retellings are not estimated: there are too few candidates, or the"),
    ):
        rows = [replace(row, estimated={**columns, "reliable_code": code, "precision_high": 0.99}) for row in stems]
        figures = dict.fromkeys(("symmetry", "transitivity", "groups"), "<svg></svg>")
        told = replace(swept, rows=rows, by=None, without_labels={"stem": summary})
        text = text_of(html_report(told, figures, Cover())).replace("\N{NO-BREAK SPACE}", " ")
        words = (counted, banded, said, "how good the links are, without labels", "A copy is a pair of texts")
        assert [one for one in words if one not in text] == []
        assert "от 0,3 до 0,5" in html_report(told, figures, Cover(language="ru"))


def test_all_that_is_estimated_from_a_sample_is_marked(swept):
    sampled = {"sampled": True, "symmetry_error": 0.01, "transitivity_error": 0.02, "links_error": 700.0}
    many = {"links": 123456, "reciprocal": 23456, "paths": 3456789, "closed": 1234567, **sampled}
    rows = [replace(row, measures=replace(row.measures, **many), interval=NO_INTERVAL) for row in swept.rows]
    files = report_files(replace(swept, rows=rows, by=None))
    text = text_of(files["report.html"].decode())
    assert re.search(r"≈ 123,456 ±1,372 ≈ 23,456 [.\d]+ ±0.020 ≈ 3,456,789 ≈ 1,234,567 [.\d]+ ±0.039 ", text)
    assert re.search(r" 6 ≈ 0.\d{3} ≈ 0.\d{3} ", text)
    assert "h6m-3 0V" in files["symmetry.svg"].decode(), "S has intervals, too"


def test_links_between_languages_and_of_short_texts_are_not_chosen_by_copies():
    story = "Мэр открыл мост через реку, жители района довольны стройкой, музыка играла весь день до самого вечера. "
    rows = [{"id": str(i), "text": story * 2, "lang": ("ru", "uk")[i % 2]} for i in range(20)]
    found = sweep(rows, representations=["pivot"], examples=False)
    assert found.rows[-1].estimated["copies"] >= 50
    assert (found.advice["pivot:cross"].counted, found.advice["pivot:cross"].chosen_by) == (None, "default")
    short = sweep([story[:80]] * 9, representations=["stem"], examples=False)
    assert short.rows[5].measures.links == 72
    assert any(one.startswith("stem: no links between texts of 20 words or more at k = 5;") for one in short.notes)


def test_numbers_above_bars_do_not_overlap():
    many = dict.fromkeys((2, 3, 4, 7, 15, 30, 70, 500, 1985), 1455)
    for counted, turned in (({"stem": many, "morph": many, "pivot": many}, 27), ({"stem": {2: 1455, 3: 7}}, 0)):
        assert as_svg(group_figure(counted)).count(' transform="rotate(-90 ') == 1 + turned


def test_the_workbook_holds_the_tables_and_no_formula(swept):
    openpyxl = pytest.importorskip("openpyxl")
    rows = list(openpyxl.load_workbook(io.BytesIO(workbook_of(swept, Cover())))["Links and groups"].values)
    assert len(rows) == len(swept.as_rows()) + 1
    assert rows[1][rows[0].index("part")] == "2026-W01"
    assert workbook_of(swept, Cover()) == workbook_of(swept, Cover())
    evil = sweep(
        [{"id": f"={i}", "title": "=1+1", "text": "Мэр открыл мост через реку"} for i in range(3)], estimate=False
    )
    found = openpyxl.load_workbook(io.BytesIO(workbook_of(evil, Cover())))
    assert {cell.data_type for sheet in found for line in sheet for cell in line} <= {"s", "n", "b"}


def test_the_first_page_counts_without_repeated_lines_as_dedup_does():
    told = "Річка біля {} замерзла.\nПідписуйтесь на наш канал новин у телеграм"
    towns = "полтави одеси львова рівного луцька сум харкова дніпра херсона черкас чернігова ужгорода".split()
    rows = [{"id": town, "text": told.format(town)} for town in towns]
    counted = sweep(rows, representations=["stem"]).answer.statuses
    assert (counted, dedup(rows).statuses["new"]) == ({"new": len(towns)}, len(towns))


def test_the_first_page_gives_the_counts_of_dedup():
    found = sweep(documents_path(), representations=["stem"])
    judged = dedup(str(documents_path()), annotate=True)
    answer = found.answer
    assert {name: answer.statuses.get(name, 0) for name in judged.statuses} == judged.statuses
    assert (answer.groups, answer.repeats) == (judged.groups, judged.statuses["exact"] + judged.statuses["duplicate"])
    drawn = answer_figure(replace(answer, days=[("2023-12-31", 2, 1), ("2024-12-01", 3, 0)]), wording_of("en"))
    assert [(box.x0, box.y1) for box in drawn.panels[0].boxes if box.y1] == [(0.1, 2), (12.1, 3), (0.1, 1)]
    assert [line.label for line in drawn.legend] == ["items", "repeat an earlier item"]
    assert len({line.colour for line in group_figure({"stem": {2: 1}, "stem:tfidf": {2: 1}}).legend}) == 2
    page = text_of(report_files(found, Cover())["report.html"].decode())
    assert f"{answer.repeats} of {answer.documents} items repeat an earlier one" in page
    assert page.index("Who repeats whom") < page.index("Symmetry S(k)")
    known = {one["id"]: one["source"] for one in judged.rows}
    pairs = Counter(
        (one["source"], known[one["of"]])
        for one in judged.rows
        if one["status"] in ("exact", "duplicate") and one["source"] and known[one["of"]]
    )
    assert all(pairs[later, earlier] == number for later, earlier, number in answer.sources)
    assert [number for *_, number in answer.sources] == sorted(pairs.values(), reverse=True)[: len(answer.sources)]
    assert sum(number for _, number, _ in answer.days) == 196


# The report of a comparison: complete, self-contained, escaped, the same bytes each time but for times.
NAMES = ["md5", "long-sent", "three-plus-two:n=3", "key-terms-stem"]


def _comparison(**options):
    return compare(documents_path(), methods=NAMES, examples=True, disagreements=5, **options)


@pytest.fixture(scope="module")
def compared():
    return comparison_files(_comparison())


def test_the_page_of_a_comparison_asks_for_nothing_from_outside(compared):
    text = compared["report.html"].decode()
    page = _Page(text)
    assert ("Content-Security-Policy" in text, page.is_harmless()) == (True, True)
    assert all(address.startswith("#") for address in page.addresses)


def test_ids_and_terms_are_escaped():
    story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
    rows = [{"id": f"{EVIL}{number}", "text": f"{story} {'Да. ' * number}"} for number in range(3)]
    compared = comparison_files(compare(rows, methods=["md5", "first-paragraph"], examples=True, disagreements=5))
    page = _Page(compared["report.html"].decode())
    assert page.is_harmless()
    assert any(EVIL in words for words in page.words)


def test_every_method_has_its_row_with_the_paper_next_to_it(compared):
    page = _Page(compared["report.html"].decode())
    assert set(NAMES) <= set(page.words)
    style = "".join(page.words).partition("@media print")[2]
    assert ("size: A4 landscape" in style, ".scroll { overflow: visible; }" in style) == (True, True), "no cut column"
    assert any("other corpora" in words for words in page.words)
    assert "Zelenkov, Segalovich 2007" in page.words


def test_a_row_is_highlighted_only_where_what_is_linked_is_judged():
    story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
    rows = [{"id": str(number), "text": f"{story} {'Да. ' * number}"} for number in range(3)]
    labels = labels_of([{"a": "0", "b": "1", "label": "dup"}])
    for closed in (False, True):
        found = compare(rows, methods=["md5", "long-sent"], labels=labels, closed=closed)
        page = comparison_files(found)["report.html"].decode()
        assert ('<tr class="best">' in page, "No row is highlighted" in page) == (closed, not closed)


def test_no_text_of_a_document_is_shown(compared):
    texts = [json.loads(line)["text"] for line in documents_path().read_text(encoding="utf-8").splitlines()]
    page = compared["report.html"].decode()
    assert not [text for text in texts if text and text[:60] in page]


def test_tables_can_be_read(compared):
    rows = list(csv.DictReader(io.StringIO(compared["comparison.csv"].decode())))
    assert [row["method"] for row in rows] == NAMES
    assert "cpu_seconds" not in rows[0]
    times = list(csv.DictReader(io.StringIO(compared["times.csv"].decode())))
    assert [row["method"] for row in times] == ["(reading, shared by all)", *NAMES]
    assert all(float(row["cpu_seconds"]) >= 0 for row in times)
    assert float(list(csv.DictReader(io.StringIO(compared["dice.csv"].decode())))[1]["long-sent"]) == 1.0
    assert json.loads(compared["comparison.json"])["dice"]["methods"] == NAMES


def test_a_comparison_of_nothing_has_a_report(tmp_path):
    found = compare([{"id": "1", "text": ""}], methods=["tf"], examples=True, disagreements=3)
    assert [path.name for path in write_comparison(found, tmp_path / "new")] == sorted(comparison_files(found))


def test_equal_comparisons_give_equal_bytes_but_for_times(compared):
    again = comparison_files(_comparison())
    assert set(again) == set(compared)
    assert [name for name in compared if compared[name] != again[name]] in (["times.csv"], [])


# A report that could not be written is refused before the work, and nothing is created by looking.
def test_a_folder_may_exist_or_be_made_and_must_be_writable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_report_folder(tmp_path)
    check_report_folder(tmp_path / "2026" / "march")
    assert not list(tmp_path.iterdir())
    # Permissions would not stop a test that root runs.
    monkeypatch.setattr(os, "access", lambda path, _mode: path != tmp_path)
    with pytest.raises(CannotCreateError, match=f"{tmp_path}: Permission denied"):
        check_report_folder(tmp_path / "2026" / "march")


# Pictures: places worked by hand, valid XML, and no matplotlib for SVG.
SVG = "{http://www.w3.org/2000/svg}"
Y = Axis(low=0, high=2, ticks=[(0, "0"), (2, "2")], label="y & z")


def picture(**content: object) -> Picture:
    return Picture(panels=[Panel(x=Axis(low=0, high=10, ticks=[(5, "five")]), y=Y, height=100, **content)])


def test_places_by_hand():
    line = Stroke(points=[(0, 0), (5, 1), (10, 2)], colour="#010203", marker="o", label="<a>", errors=[0, 0.5, 0])
    svg = as_svg(picture(lines=[line], boxes=[Box(0, 0, 5, 1, "#040506")], words=[Lettering(x=10, y=0, text="end")]))
    root = ET.fromstring(svg)  # noqa: S314 - our own
    # The panel is from 36.7 (30 and a digit) to 626 across, and from 12 down to 112.
    assert root.find(f"{SVG}polyline").get("points") == "36.7,112 331.3,62 626,12"
    box = root.find(f"{SVG}rect")
    assert [box.get(name) for name in ("x", "y", "width", "height")] == ["36.7", "62", "294.6", "50"]
    assert [one.get("cx") for one in root.iter(f"{SVG}circle")] == ["36.7", "331.3", "626", "27"]
    assert any("V37m" in one.get("d") for one in root.iter(f"{SVG}path")), "the interval ends at 1.5, y = 37"
    assert [one.text for one in root.iter(f"{SVG}text")] == ["0", "2", "five", "y & z", "end", "<a>"]
    assert as_svg(picture(lines=[line])) == as_svg(picture(lines=[line]))


@given(st.floats(0.001, 1e6))
def test_ticks_are_few_and_even(high):
    ticks = even_ticks(high)
    assert (ticks[0], ticks[-1] <= high * (1 + 1e-9), 3 <= len(ticks) <= 7) == (0, True, True)
    assert ticks == [ticks[1] * number for number in range(len(ticks))]


@given(st.text(max_size=20).filter(str.isprintable))
def test_words_of_others_are_escaped(text):
    root = ET.fromstring(as_svg(picture(words=[Lettering(x=1, y=1, text=text)])))  # noqa: S314 - our own
    assert [one.text or "" for one in root.iter(f"{SVG}text")][-1] == text


def test_png_only_with_the_extra(tmp_path, monkeypatch):
    assert as_png(picture(boxes=[Box(0, 0, 5, 1, "#040506")])).startswith(b"\x89PNG")
    few = Axis(low=0, high=1, ticks=[(0.5, "key-terms-morph:rule=forward")], tilt=90)
    assert as_png(Picture(panels=[Panel(x=few, y=replace(few, tilt=0), height=24)], width=270))  # no warning: names fit
    monkeypatch.setattr("infostream_dedup.report.find_spec", lambda _: None)
    assert sorted(path.name for path in write_learning_curve([], tmp_path)) == ["curve.csv", "curve.svg"]
    monkeypatch.undo()
    assert sorted(path.name for path in write_learning_curve([], tmp_path)) == ["curve.csv", "curve.png", "curve.svg"]
    assert re.search("<svg[^>]*>", (tmp_path / "curve.svg").read_text("utf-8"))
