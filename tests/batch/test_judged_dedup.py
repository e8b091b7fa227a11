"""Statuses and groups with preset ``judged``."""

import json

import pytest

from infostream_dedup import dedup
from infostream_dedup.errors import ConfigurationError, UsageError

MORE = (
    "В музее показали вышивку северных мастериц прошлого века. Выставка работает до конца весны, вход свободный. "
    "На рынке подешевели огурцы, а яблоки остались в прежней цене. Метеорологи обещают сильный ветер, мокрый снег и "
    "гололёд на трассах. Спасатели просят рыбаков не выходить на лёд водохранилища. Библиотека ищет старые открытки."
)


@pytest.fixture
def news(stream) -> list[dict[str, str]]:
    """The small stream with a longer digest, of which the story is the fifth part."""
    return [one | {"text": f"{one['text']} {MORE}"} if one["id"] == "digest" else one for one in stream]


def annotated(documents, path, **options) -> dict[str, dict[str, object]]:
    dedup(documents, path, preset="judged", annotate=True, **options)
    return {row["id"]: row for row in map(json.loads, path.read_text("utf-8").splitlines())}


def said(row: dict[str, object]) -> tuple[object, ...]:
    return row["status"], row["of"], row["group"], row["kind"]


def test_status_of_a_small_stream(news, tmp_path):
    found = annotated(news, tmp_path / "out.jsonl")
    assert said(found["story"]) == ("new", None, "story", None)
    assert said(found["other"]) == ("new", None, "other", None)
    assert said(found["reprint"]) == ("duplicate", "story", "story", "copy")
    assert said(found["copy"]) == ("exact", "story", "story", "copy")
    assert said(found["digest"])[0] == "similar"
    assert said(found["headline"]) == ("insufficient_text", None, "headline", None)
    assert found["copy"]["probability"] == 1.0
    assert found["story"]["probability"] is None
    assert 0.9 <= found["reprint"]["probability"] < 1.0


def test_one_document_of_a_group_is_kept(news, tmp_path):
    out = tmp_path / "out.jsonl"
    summary = dedup(news, out, preset="judged")
    kept = [json.loads(line)["id"] for line in out.read_text("utf-8").splitlines()]
    assert kept == ["story", "other", "third", "digest", "headline"]
    assert (summary.kept, summary.groups, summary.statuses["duplicate"], summary.statuses["exact"]) == (5, 1, 1, 1)


def test_kinds_that_join_are_chosen(news, tmp_path):
    kind = annotated(news, tmp_path / "plain.jsonl")["digest"]["kind"]
    joined = annotated(news, tmp_path / "joined.jsonl", join=f"copy,{kind}")
    assert joined["digest"]["status"] == "duplicate"
    assert joined["digest"]["group"] == "story"
    none = annotated(news, tmp_path / "none.jsonl", join=["updated"])
    assert none["reprint"]["status"] == "similar"
    assert none["copy"]["status"] == "exact"


def test_retold_stories_join_only_on_request(stream, tmp_path):
    words = f"{stream[0]['text']} {stream[1]['text']}".split()
    told = {"id": "1", "text": " ".join(words), "lang": "ru"}
    # Neighbours change places: no word triple is left, but key terms, names and opening are.
    swapped = [word for at in range(0, len(words) - 1, 2) for word in (words[at + 1], words[at])]
    again = {"id": "2", "text": " ".join(swapped), "lang": "ru"}
    assert said(annotated([told, again], tmp_path / "without.jsonl")["2"]) == ("similar", "1", "2", "retold")
    joined = annotated([told, again], tmp_path / "joined.jsonl", join="copy,retold")
    assert said(joined["2"]) == ("duplicate", "1", "1", "retold")
    dated = [one | {"published": "2026-03-01"} for one in (told, again)]
    found = annotated(dated, tmp_path / "dated.jsonl")
    assert found["2"]["status"] == "similar"
    assert found["2"]["group"] == "2"


@pytest.mark.parametrize(("given", "error"), [
    ({"preset": "judged", "k": 6}, UsageError), ({"preset": "judged", "duplicate_rule": "contained"}, UsageError),
    ({"preset": "judged", "join": "copies"}, ConfigurationError),
    ({"preset": "judged", "join": "related"}, ConfigurationError),
])  # fmt: skip
def test_options_that_have_no_meaning_are_refused(given, error, tmp_path):
    with pytest.raises(error):
        dedup([], tmp_path / "out.jsonl", **given)


def test_great_clusters_of_equal_documents_are_compared_with_their_earliest(news, tmp_path, monkeypatch):
    again = [one | {"id": f"{one['id']}-{number}"} for number in range(3) for one in news]
    every = annotated(again, tmp_path / "every.jsonl")
    monkeypatch.setattr("infostream_dedup.runs.batch.judging.MOST_VERBATIM_LINKS", 0)
    assert annotated(again, tmp_path / "earliest.jsonl") == every
    assert every["reprint-2"]["of"] == "reprint-0"
    assert every["headline-1"]["status"] == "insufficient_text"


def test_headlines_with_other_numbers_are_no_repeats(tmp_path):
    headlines = (
        "Число жертв землетрясения в Непале превысило 3 тысячи человек",
        "Число жертв землетрясения в Непале превысило 5 тысяч человек",
        "Число жертв землетрясения в Непале, по данным властей, превысило 5 тысяч человек",
        "Индекс Московской биржи вырос на 8,2 пункта, или на 0,45 процента, до 1861 пункта",
        "Индекс Московской биржи вырос на 6,6 пункта, или на 0,34 процента, до 1917 пунктов",
        "Цены на хлеб в городских магазинах подняли второй раз за месяц",
    )
    documents = [{"id": str(number), "text": text} for number, text in enumerate(headlines)]
    found = annotated(documents, tmp_path / "out.jsonl", join="copy,retold")
    assert [said(found[str(number)]) for number in range(5)] == [
        ("new", None, "0", None), ("similar", "0", "1", "template"), ("duplicate", "1", "1", "retold"),
        ("new", None, "3", None), ("similar", "3", "4", "template"),
    ]  # fmt: skip
