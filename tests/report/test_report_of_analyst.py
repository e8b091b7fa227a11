"""The report that an analyst sends on: what was measured, parts, groups, languages, drill-down, workbook."""

import ast
import io
import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

import infostream_dedup
from infostream_dedup import Document, dedup, sweep
from infostream_dedup.errors import MissingExtraError, UsageError
from infostream_dedup.machine.phrase import Phrase
from infostream_dedup.report.files import report_files
from infostream_dedup.report.html import html_report
from infostream_dedup.report.tables import UI_LANGUAGES, Cover, wording_of
from infostream_dedup.report.workbook import workbook_of
from infostream_dedup.runs.batch.parts import part_into, short_names
from infostream_dedup.runs.batch.sweeping import list_groups
from infostream_dedup.sample import documents_path

PACKAGE = Path(infostream_dedup.__file__).parent


@pytest.fixture(scope="module")
def swept():
    return sweep(documents_path(), estimate=False, representations=["stem", "pivot"], by="week")


@pytest.fixture(scope="module")
def pages(swept):
    return {name: report_files(swept, Cover(language=name))["report.html"].decode() for name in UI_LANGUAGES}


def text_of(page):
    without = re.sub(r"<(style|svg)\b.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", without).split())


def test_the_page_says_what_was_measured(swept):
    cover = Cover(command="infostream-dedup sweep news.jsonl", made="2026-11-22")
    text = text_of(report_files(swept, cover)["report.html"].decode())
    assert "Files stream.jsonl" in text
    assert "Documents 199 (Russian 79, Ukrainian 69, English 51)" in text
    assert "Period (UTC) 2026-03-01 10:30 – 2026-03-10 13:00 (1 without a date)" in text
    assert "Sources 8: volna.example 29, " in text
    assert "Command infostream-dedup sweep news.jsonl" in text
    assert "Made on 2026-11-22" in text
    assert str(documents_path().parent) not in text


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
    assert wording_of("uk").moment("вчора") == "вчора"
    assert wording_of("ru").moment("2026-03-05T14:00:07Z") == "05.03.2026 14:00"


def test_without_a_day_given_no_day_is_on_the_page(swept):
    page = report_files(swept)["report.html"].decode()
    assert "Made on" not in page
    assert f"{datetime.now(tz=UTC):%Y-%m-%d}" not in page


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
    for shown in (example.title_a, example.source_b, example.url_a, str(example.published_b)[:10]):
        assert shown in there
    assert f"k = 5: 10 of {example.out_of} pairs" in page


def test_an_address_that_is_no_web_address_is_not_linked():
    rows = [
        {"id": str(i), "title": "Мост", "text": "Мэр открыл мост через реку в городе.", "url": "javascript:alert(1)"}
        for i in range(3)
    ]
    page = report_files(sweep(rows, estimate=False, representations=["stem"]))["report.html"].decode()
    assert "javascript" not in page


def test_every_language_has_all_words_and_other_languages_only_where_they_must(pages):
    keys = [set(wording_of(name)._words) for name in UI_LANGUAGES]
    assert keys[0] == keys[1] == keys[2]
    for name in ("uk", "ru"):
        assert f'<html lang="{name}">' in pages[name]
        assert '<span lang="en">' not in pages[name]
    assert "Рекомендоване k" in pages["uk"]
    assert "0,642" in pages["ru"]
    used = set(re.findall(r'_\("(\w+)"[,)]', (PACKAGE / "report/templates/report.html").read_text("utf-8")))
    assert used <= keys[0]


SPEAKERS = (
    *("links/recommendation.py", "runs/batch/sweeping.py", "runs/batch/probabilities.py", "runs/sharded/sweeping.py"),
    "lab/estimation/*.py",
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
                named = constants.get(first.id) if isinstance(first, ast.Name) else first
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
    whole = Phrase.of("no estimate for texts in other words: {why}", why=why)
    said, own = wording_of("ru").spoken(whole)
    assert own
    assert said == (
        "пересказы тех же текстов не оценены: два способа отличить один текст от двух по-разному оценивают связи; "
        "у 49 из 100 пар, принятых за один текст, нет общих формулировок"
    )
    unknown = Phrase.joined([*signs, Phrase.of("never said before")])
    assert wording_of("ru").spoken(unknown) == (str(unknown), False)
    assert Phrase.joined(signs[:1]) is signs[0]


def test_parts_are_swept_alone(swept):
    week = swept.parts["2026-W10"]
    rows = [row for row in swept.as_rows() if row["part"] == "2026-W10"]
    assert [{k: v for k, v in row.items() if k != "part"} for row in rows] == [row.as_dict() for row in week.rows]
    assert list(swept.parts) == ["2026-W01", "2026-W09", "2026-W10", "2026-W11", None]
    assert sum(sum(part.documents.values()) for part in swept.parts.values()) == 199
    assert swept.rows[0].measures.documents == 199
    found = swept.as_dict()
    assert found["whole"]["rows"][0]["documents"] == 199
    assert [part["part"] for part in found["parts"]] == list(swept.parts)
    assert found["recommended_k"]["stem"] == found["advice"]["stem"]["chosen"] == 7
    assert found["parts"][0]["advice"]["stem"]["chosen_by"] == "default"


def test_share_of_duplicates_by_hand():
    text = "Мэр открыл мост через реку, жители района довольны стройкой набережной города"
    rows = [{"id": str(i), "text": text} for i in range(3)] + [{"id": "x", "text": "Цены на зерно выросли вдвое"}]
    found = sweep(rows, estimate=False, representations=["stem"], by="file")
    # Three equal documents are one group: two of four documents repeat another one.
    assert found.duplicates("stem") == 0.5
    assert next(iter(found.parts.values())).duplicates("stem") == 0.5


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
    from zoneinfo import ZoneInfo

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
    assert [[one.id for one in group.documents] for group in found.groups] == [
        ["early", "other", "late"],
        ["own", "own too"],
    ]
    assert [(group.size, group.sources) for group in found.groups] == [(3, 3), (2, 1)]
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
    page = files["report.html"].decode()
    names = re.findall(r'\bid="([^"]+)"', page)
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
    banded = "Copies linked, by common wording: 25.0 % from 0.3 to 0.5; 100.0 % from 0.8 to 1.0."
    counted = "Counted: 90.0 % of the links are copies (80.0 %–95.0 %), and 75.0 % of all 40 copies are linked."
    for code, said in (
        ("reliable", "Estimated with retellings: precision 97.0 %, recall 99.0 %, F1 98.0 %."),
        ("upper_bound", "Estimated: probably at most 99.0 % of the links say the same."),
        ("refused", "Not estimated: there are too few candidates, or the estimate contradicts itself."),
    ):
        rows = [replace(row, estimated={**columns, "reliable_code": code, "precision_high": 0.99}) for row in stems]
        figures = dict.fromkeys(("symmetry", "transitivity", "groups"), "<svg></svg>")
        told = replace(swept, rows=rows, by=None, without_labels={"stem": summary})
        text = text_of(html_report(told, figures, Cover())).replace("\N{NO-BREAK SPACE}", " ")
        assert counted in text
        assert banded in text
        assert said in text
        assert "how good the links are, without labels" in text


def test_the_workbook_holds_the_tables_and_no_formula(swept):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(workbook_of(swept, Cover())))
    rows = list(book["Links and groups"].values)
    assert len(rows) == len(swept.as_rows()) + 1
    assert rows[1][rows[0].index("part")] == "2026-W01"
    assert workbook_of(swept, Cover()) == workbook_of(swept, Cover())
    evil = sweep(
        [{"id": f"={i}", "title": "=1+1", "text": "Мэр открыл мост через реку"} for i in range(3)], estimate=False
    )
    found = openpyxl.load_workbook(io.BytesIO(workbook_of(evil, Cover())))
    assert {cell.data_type for sheet in found for line in sheet for cell in line} <= {"s", "n", "b"}


def test_a_missing_extra_is_named(swept, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    with pytest.raises(MissingExtraError, match=r"\[xlsx\]"):
        workbook_of(swept, Cover())


def test_the_first_page_gives_the_counts_of_dedup():
    found = sweep(documents_path(), representations=["stem"])
    judged = dedup(str(documents_path()), annotate=True)
    answer = found.answer
    assert {name: answer.statuses.get(name, 0) for name in judged.statuses} == judged.statuses
    assert (answer.groups, answer.repeats) == (judged.groups, judged.statuses["exact"] + judged.statuses["duplicate"])
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


def test_the_values_of_the_paper_are_shown_on_request(swept):
    plain = report_files(swept, Cover())["report.html"].decode()
    asked = report_files(swept, Cover(paper=True))["report.html"].decode()
    assert "Hollow marks" not in plain
    assert "Hollow marks" in asked
