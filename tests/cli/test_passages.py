"""``passages``: find and compare."""

import json
import re

import pytest

from tests.conftest import failed, succeeded

QUOTE = "Мэр города открыл вчера новый мост через широкую реку."
SECOND = "На церемонии выступали школьники и ветераны из соседних районов."
DOCUMENTS = (
    {"id": "late", "text": f"Свое начало.\r\n{QUOTE} {SECOND} 👍", "published": "2024-02-01"},
    {"id": "early", "text": f"{QUOTE}\n{SECOND}\nИ конец другой.", "published": "2024-01-01"},
    {"id": "other", "text": "Погода в горах меняется каждые десять минут.", "published": "2024-01-02"},
)


@pytest.fixture
def docs(tmp_path):
    lines = (json.dumps(document, ensure_ascii=False) for document in DOCUMENTS)
    (tmp_path / "docs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return "docs.jsonl"


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "a.txt").write_bytes(f"\ufeff{DOCUMENTS[0]['text']}".encode())
    (tmp_path / "b.txt").write_bytes(f"{DOCUMENTS[1]['text']} <script>\x1b[2J".encode())
    return "a.txt", "b.txt"


def test_find_prints_rows_with_exact_spans(run, docs):
    done = succeeded(run("passages", "find", docs))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["a"], row["b"], row["sentences"]) for row in rows] == [("early", "late", 2)]
    span = rows[0]["spans"][0]
    assert DOCUMENTS[1]["text"][slice(*span["a"])] == f"{QUOTE}\n{SECOND}"
    assert DOCUMENTS[0]["text"][slice(*span["b"])] == f"{QUOTE} {SECOND}"
    assert (rows[0]["coverage_a"], rows[0]["coverage_b"]) == (round(18 / 21, 6), 0.9)
    assert b"read 3 = used 3" in done.stderr


def test_find_takes_options(run, docs):
    assert run("passages", "find", docs, "--min-words", "19").stdout == b""
    assert run("passages", "find", docs, "--min-sentences", "3").stdout == b""
    for feature in ("exact", "low-idf-sig:n=10", "i-match"):
        assert run("passages", "find", docs, "--feature", feature, "--gap", "0", "--tau", "0.9").stdout != b""
    table = run("passages", "find", docs, "--format", "table").stdout.decode()
    assert table.splitlines()[1].split()[:3] == ["early", "late", "0:119=14:133"]
    lines = run("passages", "find", docs, "--format", "csv", "--min-words", "99").stdout.decode()
    assert lines == "a,b,spans,coverage_a,coverage_b,sentences\n"


@pytest.mark.parametrize("encoding", ["cp1251", "utf-16"])
def test_compare_reads_what_windows_wrote(run, tmp_path, encoding):
    (tmp_path / "a.txt").write_text(f"{QUOTE} {SECOND}", encoding="utf-8")
    (tmp_path / f"{encoding}.txt").write_text(f"{QUOTE} {SECOND}", encoding=encoding)
    done = run("passages", "compare", "a.txt", f"{encoding}.txt")
    said = (
        f"{encoding}.txt: the text is {encoding}, not UTF-8, and is read as such; if wrong, convert it (where documents"
    )
    assert said.encode() in done.stderr
    assert f"{encoding}.txt: 100 % of the words are shared" in done.stdout.decode()


def test_compare_in_a_pipe_is_plain(run, texts):
    shown = succeeded(run("passages", "compare", *texts)).stdout.decode()
    assert "\x1b" not in shown
    assert "a.txt: 90 % of the words are shared" in shown
    assert shown.count("[1: ") == 2
    assert "14:133" in shown
    assert b"The texts have no passage in common." in run("passages", "compare", *texts, "--min-words", "99").stdout


def test_compare_as_json(run, texts):
    row = json.loads(run("passages", "compare", *texts, "--format", "json").stdout)
    assert row["spans"] == [{"a": [14, 133], "b": [0, 119], "sentences": 2, "words": 18, "changed": []}]


def test_compare_writes_a_page_of_links(run, texts, tmp_path):
    done = run("passages", "compare", *texts, "--html", "page.html")
    assert (done.returncode, done.stdout) == (0, b"")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert f'id="a1" href="#b1"><sup>1</sup>{QUOTE} {SECOND}</a>' in page
    assert f'id="b1" href="#a1"><sup>1</sup>{QUOTE}\n{SECOND}</a>' in page
    anchors = set(re.findall(' id="([ab][0-9]+)"', page))
    assert set(re.findall('href="#([^"]+)"', page)) <= anchors
    assert not re.findall("https?://", page)
    assert run("passages", "compare", *texts, "--html", "a.txt").returncode == 73


@pytest.fixture
def translated(tmp_path):
    (tmp_path / "uk.txt").write_text("Злодії вкрали гроші <b>з банкомата</b>.", encoding="utf-8")
    (tmp_path / "en.txt").write_text("Thieves stole money from an ATM. The thieves fled.", encoding="utf-8")
    return "uk.txt", "en.txt"


def test_compare_writes_the_words_of_a_translation(run, translated, tmp_path):
    row = json.loads(run("passages", "compare", *translated, "--format", "json").stdout)
    assert (row["languages"], row["translated_a"], row["spans"]) == (["uk", "en"], 1.0, [])
    first = {"number": 1, "a": "злодій", "b": "thief", "pivot": "вор", "rung": "dictionary"}
    assert row["met"][0] == first | {"spans_a": [[0, 6]], "spans_b": [[0, 7], [37, 44]]}
    assert run("passages", "compare", *translated, "--html", "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    word = '<a class="word" id="wa1" href="#wb1" title="злодій=вор=thief (dictionary)">Злодії</a>'
    assert word in page
    assert page.count('href="#wa1"') == 2
    assert set(re.findall('href="#([^"]+)"', page)) == set(re.findall(' id="(w[^"]+)"', page))
    assert "<b>з" not in page


def test_compare_takes_the_languages_of_texts_that_are_too_short_to_tell(run, tmp_path):
    (tmp_path / "a.txt").write_text("Мер Коваль.", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Мэр Коваль.", encoding="utf-8")
    compare = ("passages", "compare", "a.txt", "b.txt")
    detected = json.loads(run(*compare, "--format", "json").stdout)
    assert (detected["languages"], detected["met"]) == (["ru", "ru"], [])
    given = json.loads(run(*compare, "--languages", "uk,ru", "--format", "json").stdout)
    assert given["languages"] == ["uk", "ru"]
    assert ("мер", "мэр") in [(word["a"], word["b"]) for word in given["met"]]
    assert run(*compare, "--languages", "uk,ru", "--html", "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count('<div class="text" lang="uk">') == page.count('<div class="text" lang="ru">') == 1
    assert '<td lang="uk">мер</td><td lang="ru">мэр</td>' in page
    assert run(*compare, "--languages", "other,ru", "--html", "page.html").returncode == 0
    assert (tmp_path / "page.html").read_text(encoding="utf-8").count('<div class="text">') == 1
    for wrong in ("uk", "uk,de", "uk,ru,en"):
        failed(run(*compare, "--languages", wrong), 78, "expected two of ru, uk, en, other")


@pytest.fixture
def quoted(tmp_path):
    """A Russian text that quotes an English one, whose words it also has in Russian."""
    quote = "Police found the old coins in a bank near the bridge yesterday evening, local officials said on the phone."
    (tmp_path / "ru.txt").write_text(f"Полиция сообщила журналистам вчера:\n{quote}\nДеньги вернули в банк.", "utf-8")
    other = quote.replace("old coins", "other money")
    (tmp_path / "en.txt").write_text(f"The weather was fine. {other}", encoding="utf-8")
    return "ru.txt", "en.txt"


def test_compare_links_to_translated_words_inside_passages(run, quoted, tmp_path):
    assert run("passages", "compare", *quoted, "--html", "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert set(re.findall('href="#([^"]+)"', page)) <= set(re.findall(' id="([^"]+)"', page))
    assert '<a class="word" id="wa1" href="#wb1" title="полиция=police (dictionary)">Полиция</a>' in page
    word = '<span class="word" id="wb1" title="полиция=police (dictionary)">Police</span>'
    assert f'id="b1" href="#a1"><sup>1</sup>{word} found the ' in page
    # A passage is one link, however many words are marked in it.
    assert (page.count('href="#a1"'), page.count('href="#b1"')) == (2, 1)


def test_compare_reads_standard_input(run, texts):
    done = run("passages", "compare", "-", "b.txt", "--format", "json", stdin=QUOTE.encode())
    assert json.loads(done.stdout)["coverage_a"] == 1.0
    assert run("passages", "compare", "-", "-").returncode == 2
    assert run("passages", "compare", "-", "b.txt", stdin=b"\xff").returncode == 65
    assert run("passages", "compare", "no.txt", "b.txt").returncode == 66


TEXT = "The mayor opened a new bridge over the river on Monday morning. Three hundred guests came to the ceremony."
ROWS = [{"id": str(number), "text": f"{TEXT} Part {number}.", "x_group": "0"} for number in range(3)]


@pytest.fixture
def documents(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_the_column_of_groups_has_the_prefix(run, documents):
    found = run("passages", "provenance", str(documents), "--prefix", "x_")
    assert [json.loads(line)["id"] for line in found.stdout.splitlines()] == ["1", "2"]
    failed(run("passages", "provenance", str(documents)), 2, "no document has a column group")
