"""``passages find --list-boilerplate|--novel|--digests``, ``passages provenance``, ``--boilerplate`` elsewhere."""

import json

import pytest

from tests.conftest import failed, rows_of, succeeded

PHRASE = "Подписывайтесь на наш телеграм канал о погоде."
NEWS = (
    "Мэр города открыл вчера новый мост через широкую реку.",
    "Синоптики обещают на выходных сильный снег и метель в горах.",
    "Парламент принял во втором чтении бюджет страны на будущий год.",
    "Сборная выиграла решающий матч отборочного турнира.",
    "Учёные нашли древнее поселение под стенами крепости.",
)


@pytest.fixture
def docs(tmp_path):
    rows = [
        {"id": str(number), "text": f"{news} {PHRASE}", "source": "a.md", "published": f"2024-01-0{number + 1}"}
        for number, news in enumerate(NEWS)
    ]
    rows.append({"id": "digest", "text": "\n".join(NEWS[:3]), "source": "b.md", "published": "2024-01-09"})
    (tmp_path / "docs.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return "docs.jsonl"


def test_boilerplate_is_listed_and_left_out(run, docs, tmp_path):
    listed = rows_of(run("passages", "find", docs, "--list-boilerplate", "--out", "list.jsonl")) or rows_of(
        run("passages", "find", docs, "--list-boilerplate")
    )
    assert [(row["source"], row["sentence"], row["documents"]) for row in listed] == [("a.md", PHRASE, 5)]
    assert (tmp_path / "list.jsonl").read_text(encoding="utf-8").count("\n") == 1
    every = rows_of(run("passages", "find", docs))
    left = rows_of(run("passages", "find", docs, "--boilerplate", "list.jsonl"))
    assert len(every) == 13
    assert [(row["a"], row["b"]) for row in left] == [("0", "digest"), ("1", "digest"), ("2", "digest")]
    novel = rows_of(run("passages", "find", docs, "--novel", "--boilerplate", "list.jsonl"))
    assert [row["novel"] for row in novel] == [1, 1, 1, 1, 1, 0]


def test_novel_and_digests(run, docs):
    assert [row["novel"] for row in rows_of(run("passages", "find", docs, "--novel"))] == [2, 1, 1, 1, 1, 0]
    digests = rows_of(run("passages", "find", docs, "--digests"))
    assert [(row["id"], [part["id"] for part in row["sources"]]) for row in digests] == [("digest", ["0", "1", "2"])]
    assert run("passages", "find", docs, "--digests", "--format", "table").stdout.split()[:3] == [
        b"id", b"share", b"sources",
    ]  # fmt: skip


def test_documents_are_written_whole(run, docs, tmp_path):
    (tmp_path / "list.jsonl").write_text(json.dumps({"sentence": PHRASE}), encoding="utf-8")
    succeeded(run("dedup", docs, "--out", "kept.jsonl", "--annotate", "--boilerplate", "list.jsonl"))
    assert (tmp_path / "kept.jsonl").read_text(encoding="utf-8").count("телеграм") == 5
    taken = succeeded(run("ingest", docs, "--store", "s.db", "--annotate", "--boilerplate", "list.jsonl", "--quiet"))
    assert taken.stdout.decode().count("телеграм") == 5
    again = run("ingest", docs, "--store", "s.db", "--annotate", "--boilerplate", "list.jsonl", "--quiet")
    assert again.stdout == taken.stdout
    failed(run("ingest", docs, "--store", "s.db", "--quiet"), 78, "give the same list (--boilerplate)")
    (tmp_path / "other.jsonl").write_text('{"sentence": "Other words of another list."}\n', encoding="utf-8")
    refused = failed(run("ingest", docs, "--store", "s.db", "--boilerplate", "other.jsonl", "--quiet"), 78)
    assert b"made with other settings (boilerplate '" in refused.stderr


def test_provenance_of_a_group(run, docs, tmp_path):
    rows = rows_of(run("passages", "provenance", docs, "--group", "digest,0", "--html", "page.html"))
    assert [(row["first"], row["id"], row["kept"], row["cut"]) for row in rows] == [("0", "digest", 1, [PHRASE])]
    assert "Provenance" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert run("passages", "provenance", docs, "--group", "0,none").returncode == 2
    assert run("passages", "provenance", docs, "--group", "0").returncode == 2
    assert run("passages", "provenance", docs).returncode == 2


def test_provenance_of_what_dedup_found(run, tmp_path):
    text = " ".join(NEWS)
    rows = [{"id": "a", "text": text}, {"id": "b", "text": text}, {"id": "c", "text": "Совсем другое дело."}]
    (tmp_path / "docs.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert run("dedup", "docs.jsonl", "--out", "all.jsonl", "--annotate").returncode == 0
    found = rows_of(run("passages", "provenance", "all.jsonl"))
    assert [(row["group"], row["first"], row["id"], row["kept_share"]) for row in found] == [("a", "a", "b", 1.0)]
