"""What a terminal shows: the answer first, no line beyond its width, and the columns that say what a row is."""

import json
import os
import pty
import re
import termios
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import reduce
from pathlib import Path

import pytest

from infostream_dedup import Deduplicator, read_documents
from infostream_dedup.cli.output import cell_width, print_table
from infostream_dedup.sample import documents_path
from tests.conftest import called

WIDTHS = (80, 160)


def everything(terminal: int) -> str:
    printed = b""
    with suppress(OSError):
        while part := os.read(terminal, 65536):
            printed += part
    return printed.decode()


@pytest.fixture(autouse=True)
def _no_size_in_the_environment(monkeypatch):
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


def uncoloured(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def shown(arguments: list[str], width: int, folder) -> list[str]:
    """The lines that a command leaves on a terminal, whose progress bar writes over itself."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, width))
    with Path(os.devnull).open() as nothing, ThreadPoolExecutor(1) as pool:
        printed = pool.submit(everything, ours)
        code = called(folder, arguments, nothing.fileno(), theirs, theirs)
        os.close(theirs)
        text = printed.result()
    os.close(ours)
    assert code == 0, text
    text = uncoloured(text).replace("\r\n", "\n")
    lines = [reduce(lambda old, new: new + old[len(new) :], line.split("\r")).rstrip() for line in text.split("\n")]
    return [line for line in lines if line]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn")
    title = "Рада ухвалила закон про місцеві бюджети громад на наступний рік після довгого обговорення в комітетах"
    text = "Верховна Рада ухвалила закон про бюджети громад. Міністр фінансів Ткач назвав видатки на лікарні та школи."
    other = "Київський театр показав прем'єру вистави за романом Ольги Кобилянської, режисер Савченко запросив хор."
    names = ("id", "title", "text", "source", "published")
    rows = [
        ("одинадцять-00001", title, text, "persha.example.com", "2026-11-01T09:00Z"),
        ("2", title, text + " Про це пише газета.", "druha.example", "2026-11-01T11:00Z"),
        ("3", "Прем'єра в театрі", other, "tretia.example", "2026-11-02T11:00Z"),
    ]
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    (folder / "news.jsonl").write_text("\n".join(lines), encoding="utf-8")
    lines = documents_path().read_text(encoding="utf-8").splitlines()[:30]
    (folder / "few.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with Deduplicator.open(folder / "news.db") as stream:
        stream.process(read_documents(documents_path()))
    return folder


@pytest.mark.parametrize("width", WIDTHS)
def test_pairs_begin_with_counts_and_name_kind_ids_titles_and_sources(files, width):
    lines = shown(["pairs", "news.jsonl"], width, files)
    assert lines[0] == "1 pair among 2 of 3 items: 1 copy"
    first, second, evidence = lines[1:4]
    assert re.match(r" 1 copy +\S+00001 ", first)
    for words in ("Рада ухвал", "persha", "2026-11-01"):
        assert words in first
    assert re.match(r" +2 +Рада ухвал", second)
    assert "wording 100 % there" in evidence
    assert re.search(r"\d+ of \d+ terms: ", evidence)
    assert max(map(cell_width, lines)) <= width


@pytest.mark.parametrize("width", WIDTHS[:1])
def test_dedup_says_what_stays_and_shows_the_largest_groups(files, width):
    lines = shown(["dedup", "news.jsonl", "--out", f"kept-{width}.jsonl"], width, files)
    whole = " ".join(lines)
    assert "3 items → 2 kept, 1 left out, 1 group" in whole
    assert "1 repeats an earlier item (0 exact)" in whole
    assert re.search(r"2 × +Рада ухвал", whole)
    assert lines[-1] == f"written: kept-{width}.jsonl"
    lines += shown(["dedup", str(documents_path())], width, files)
    assert re.search(r"\d\d more groups: --annotate", " ".join(lines))
    assert max(map(cell_width, lines)) <= width


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("command", "first", "others"),
    [
        (
            ["demo", "--out", "demo"], r"199 news items \(79 ru, 69 uk, 51 en\), 8 sources, 2026-03-01 to 2026-03-10",
            [r"^   \d+ repeat an earlier item  █+", r" copy +ru-", r" {15}\d+ of \d+ terms: ", " template ", "▶ .*█"],
        ),
        (
            ["sweep", "news.jsonl", "--representation", "stem"], r"3 news items \(3 uk\), 3 sources",
            [r" k  S +T +links  groups", r" 12  ", r"rows: --wide.*remarks?: --verbose"],
        ),
        (
            ["sweep", "few.jsonl", "--representation", "morph"], r"30 news items",
            ["recommended: k = 5, where the pair model finds", "this collection itself allows no estimate"],
        ),
        (
            ["sweep", "news.jsonl", "--representation", "stem", "--by", "source"], r"3 news items",
            [r"source +items +k +S +T +linked", r"persha.example.com +1 "],
        ),
        (
            ["ingest", "news.jsonl", "--store", "own{width}.db"],
            r"3 items: 1 repeats an earlier item \(0 exact\) · 2 new", [r"duplicate +2 Рада", r" +\S+-00001 Рада"],
        ),
        (
            ["passages", "find", "news.jsonl"], "1 pair with passages in common, ",
            [r" 1 \d+ words +\S+-00001 ", r" % of the first, \d+ % of the second", "«.*"],
        ),
        (["passages", "find", "news.jsonl", "--novel"], "id .* spans", ["· Міністр"]),
        (["store", "groups", "news.db"], r" +\d ×  +\S", [r"3 sources"]),
        (["store", "stories", "news.db"], r" +\d ×  +\S", [r"\d origin\w* · .*ru, uk"]),
        (["store", "show", "news.db", "ru-002"], "ru-002", [r"title +", r"verdict +\w+ of ru-001", "in group ru-001"]),
        (["store", "show", "news.db", "ru-005"], "ru-005", ["verdict +new", "nothing repeats it"]),
    ],
)  # fmt: skip
def test_the_answer_comes_first_and_no_line_is_beyond_the_width(files, width, command, first, others):
    lines = shown([one.format(width=width) for one in command], width, files)
    assert re.match(first, lines[0] if width > 80 or len(lines[0]) < 79 else f"{lines[0]} {lines[1].strip()}")
    for other in others:
        assert any(re.search(other, line) for line in lines), other
    assert max(map(cell_width, lines)) <= width
    assert len(lines) <= 50  # a screen


@pytest.mark.parametrize("width", WIDTHS[:1])
@pytest.mark.parametrize(("command", "keys"), [
    (["store", "groups", "news.db", "--wide"], {"group", "title", "documents"}),
    (["store", "best", "news.db"], {"group", "title", "total"}),
    (["store", "templates", "news.db"], {"source", "title"}), (["pairs", "news.jsonl", "--wide"], {"a", "b", "kind"}),
    (["sweep", "news.jsonl", "--wide"], {"representation", "k", "symmetry", "transitivity"}),
    (["dictionaries", "show", "повестка", "--to", "uk"], {"word", "rung", "answer", "why"}),
])  # fmt: skip
def test_tables_keep_their_key_columns_and_their_width(files, width, command, keys):
    lines = shown(command, width, files)
    assert keys <= set(lines[0].split())
    assert max(map(cell_width, [line for line in lines if not line.startswith("(")][:3])) <= width


def test_documents_without_a_title_are_named_by_the_first_words_of_their_text(files):
    lines = shown(["ingest", "news.jsonl", "--columns", "title=", "--store", "posts.db", "--keep-text"], 100, files)
    assert re.match(r"duplicate +2 Верховна Рада .* druha", lines[1])
    for words in ("groups posts.db", "stories posts.db", "show posts.db 2", "story posts.db 2"):
        assert any("Верховна Рада ухвалила" in line for line in shown(["store", *words.split()], 100, files)), words
    assert "Верховна" in shown(["search", "--store", "posts.db", "--id", "2"], 100, files)[0]
    shown(["watch", "add", "law", "--store", "posts.db", "--terms", "відставка"], 100, files)
    (files / "later.jsonl").write_text('{"id": "4", "text": "Міністр Ткач подав у відставку."}', encoding="utf-8")
    shown(["ingest", "later.jsonl", "--store", "posts.db"], 100, files)
    assert "Міністр Ткач" in " ".join(shown(["watch", "hits", "law", "--store", "posts.db"], 100, files))


def test_reasons_and_histories_are_shown(files):
    reasons = shown(["pairs", "news.jsonl", "--explain"], 80, files)
    assert any(re.match(r" +[+-]\d+\.\d\d before anything is compared", line) for line in reasons)
    history = shown(["passages", "provenance", "news.jsonl", "--group", "2,одинадцять-00001"], 100, files)
    assert re.match(r"first by time +\S+00001 Рада", history[0])
    assert re.search(r"\d sentences kept, 0 cut, 1 added, \d changed · \d+ % from одинадцять-00001$", history[2])


def test_a_table_keeps_why_beside_long_ids(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
    ids = [f"https://persha.example.com/news/2026/11/01/politics/{number:05}" for number in range(2)]
    told = {"outcome": "each repeats the other", "a_repeats_b": 0.9, "why": "wording of both differs in part: for"}
    print_table([{"a": ids[0], "b": ids[1], **told}])
    assert "why" in (text := uncoloured(capsys.readouterr().out)).splitlines()[0]
    assert "…/politics/00000  …/politics/00001 " in text


def test_a_narrow_table_keeps_f1_and_the_pairs_judged(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    names = ("method", "pairs", "precision", "recall", "f1", "low", "high", "linked", "judged", "bcubed_f1", "symmetry")
    for width, kept in (("80", {"f1", "judged", "linked"}), ("40", {"f1", "method"})):
        monkeypatch.setenv("COLUMNS", width)
        print_table([dict.fromkeys(names, 0.5) | {"method": "key-terms-morph"}])
        assert kept <= set(uncoloured(capsys.readouterr().out).splitlines()[0].split())


@pytest.mark.parametrize("width", WIDTHS[:1])
def test_hits_of_a_search_have_titles(files, width):
    document = list(read_documents(documents_path()))[-1]
    lines = shown(["search", "--store", "news.db", "--text", document.text, "--top", "2"], width, files)
    assert document.id[: width // 6 - 1] in lines[0]
    assert " % of what was asked for: " in lines[1]
    text = next(one.text for one in read_documents(documents_path()) if one.id == "uk-020")
    across = shown(["search", "--store", "news.db", "--text", text, "--languages", "ru"], width, files)
    assert " % of what could be translated: " in across[1]
    assert max(map(cell_width, lines)) <= width
