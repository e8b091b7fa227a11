"""Status, groups and what remains."""

import orjson
import pytest

from infostream_dedup import Settings, dedup
from infostream_dedup.documents import read_documents
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.deduplication import kept_documents, statuses


@pytest.fixture
def found(stream):
    return dict(zip([row["id"] for row in stream], statuses(collect(read_documents(stream)), Settings()), strict=True))


def test_status_of_every_document(found):
    assert {name: status.status for name, status in found.items()} == {
        "story": "new", "other": "new", "reprint": "duplicate", "copy": "exact", "third": "new", "digest": "similar",
        "headline": "insufficient_text",
    }  # fmt: skip


def test_of_names_the_earlier_document(found):
    assert found["reprint"].of == found["copy"].of == "story"
    assert found["digest"].of in ("story", "reprint", "copy", "other", "third")
    assert found["story"].of is None
    assert found["headline"].of is None


def test_groups_join_exact_and_duplicate_only(found):
    assert {name for name, status in found.items() if status.group == "story"} == {"story", "reprint", "copy"}
    assert found["digest"].group == "digest"


def test_rule_contained_takes_a_part_of_an_earlier_document(stream):
    late = [stream[5], *stream[:5]]
    equal = statuses(collect(read_documents(late)), Settings())
    contained = statuses(collect(read_documents(late)), Settings(), duplicate_rule="contained")
    assert [status.status for status in equal[:3]] == ["new", "similar", "similar"]
    assert [status.status for status in contained[:3]] == ["new", "duplicate", "duplicate"]


def test_rule_either_of_preset_similar_takes_any_relation(stream):
    found = statuses(collect(read_documents(stream)), Settings(rule="either"))
    digest = [row["id"] for row in stream].index("digest")
    assert found[digest].status == "duplicate"
    assert found[digest].group == "story"


def test_documents_of_too_few_terms_join_no_group_at_small_k():
    words = ("Сухона", "Сухона разлилась", "Сухона разлилась", "Погода")
    rows = [
        {"id": str(n), "title": f"{text}", "text": f"{text}{'.' * n}", "lang": "ru"} for n, text in enumerate(words)
    ]
    found = statuses(collect(read_documents(rows)), Settings(representation="stem", k=1))
    few = "insufficient_text"
    assert [status.status for status in found] == [few, few, "exact", few]
    assert [status.group for status in found] == ["0", "1", "1", "3"]


def test_the_first_or_the_longest_of_a_group_is_shown(stream):
    collection = collect(read_documents(stream))
    decided = statuses(collection, Settings())
    names = [row["id"] for row in stream]

    def kept(rule):
        return [name for name, stays in zip(names, kept_documents(collection, decided, rule), strict=True) if stays]

    assert kept("first") == ["story", "other", "third", "digest", "headline"]
    # "Глава" is two letters longer than "Мэр".
    assert kept("longest") == ["other", "reprint", "third", "digest", "headline"]


def test_empty_texts_are_never_exact_copies():
    rows = [{"id": "1", "text": ""}, {"id": "2", "text": " "}]
    found = statuses(collect(read_documents(rows)), Settings())
    assert [status.status for status in found] == ["insufficient_text", "insufficient_text"]


def test_dedup_keeps_every_column_and_the_order(stream, tmp_path):
    rows = [{"extra": {"number": i}, **row, "published": "2026"} for i, row in enumerate(stream)]
    target = tmp_path / "unique.jsonl"
    summary = dedup(rows, target, preset="faithful")
    written = [orjson.loads(line) for line in target.read_bytes().splitlines()]
    assert written == [rows[i] for i in (0, 1, 4, 5, 6)]
    assert [list(row) for row in written] == [list(rows[0])] * 5
    assert summary.as_dict() == {
        "documents": 7, "kept": 5, "groups": 1, "new": 3, "exact": 1, "duplicate": 1, "similar": 1,
        "insufficient_text": 1,
    }  # fmt: skip


def test_annotate_keeps_every_document(stream, tmp_path):
    target = tmp_path / "all.jsonl"
    assert dedup(stream, target, preset="faithful", annotate=True).kept == 7
    written = [orjson.loads(line) for line in target.read_bytes().splitlines()]
    assert written[2] == {**stream[2], "status": "duplicate", "of": "story", "group": "story"}
