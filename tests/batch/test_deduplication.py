"""Status, groups and what remains."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import Settings, dedup
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import BadDataError, ConfigurationError, UsageError
from infostream_dedup.links.measures import NO_INTERVAL
from infostream_dedup.runs.batch import linking
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.deduplication import statuses
from infostream_dedup.runs.batch.linking import link, link_nodes, verbatim_links
from infostream_dedup.runs.batch.sweeping import sweep_collection
from infostream_dedup.sample import documents_path


def test_status_group_and_earlier_document_of_every_document(stream):
    rows = statuses(collect(read_documents(stream)), Settings())
    found = dict(zip([row["id"] for row in stream], rows, strict=True))
    assert {name: status.status for name, status in found.items()} == {
        "story": "new", "other": "new", "reprint": "duplicate", "copy": "exact", "third": "new", "digest": "similar",
        "headline": "insufficient_text",
    }  # fmt: skip
    assert found["reprint"].of == found["copy"].of == "story"
    assert found["digest"].of in ("story", "reprint", "copy", "other", "third")
    assert found["story"].of is None
    assert found["headline"].of is None
    assert {name for name, status in found.items() if status.group == "story"} == {"story", "reprint", "copy"}
    assert found["digest"].group == "digest"


def test_rule_contained_takes_a_part_of_an_earlier_document(stream):
    late = [stream[5], *stream[:5]]
    equal = list(statuses(collect(read_documents(late)), Settings()))
    contained = list(statuses(collect(read_documents(late)), Settings(), duplicate_rule="contained"))
    assert [status.status for status in equal[:3]] == ["new", "similar", "similar"]
    assert [status.status for status in contained[:3]] == ["new", "duplicate", "duplicate"]


def test_rule_either_of_preset_similar_takes_any_relation(stream):
    found = list(statuses(collect(read_documents(stream)), Settings(rule="either")))
    digest = [row["id"] for row in stream].index("digest")
    assert (found[digest].status, found[digest].group) == ("duplicate", "story")


def test_documents_of_too_few_terms_join_no_group_at_small_k():
    words = ("Сухона", "Сухона разлилась", "Сухона разлилась", "Погода")
    rows = [{"id": str(n), "title": text, "text": f"{text}{'.' * n}", "lang": "ru"} for n, text in enumerate(words)]
    found = statuses(collect(read_documents(rows)), Settings(representation="stem", k=1))
    few = "insufficient_text"
    assert [status.status for status in found] == [few, few, "exact", few]
    assert [status.group for status in found] == ["0", "1", "1", "3"]


def test_which_of_a_group_is_shown(stream):
    def shown(rows, show):
        return " ".join(row["id"] for row in dedup(rows, preset="faithful", show=show).rows or ())

    # "Глава" is two letters longer than "Мэр".
    assert shown(stream, "first") == "story other third digest headline"
    assert shown(stream, "longest") == "other reprint third digest headline"
    texts = {"a": "Мост через реку открыт", "b": "Суд отменил приговор", "c": "Снег закрыл дорогу", "d": "Рада приняла"}
    given = "a1 А 2024-03-02, a2 Б, b1 Б 2024-03-01, b2 А 2024-03-01, c1 Б, c2 В 2024-03-01, d1 А 2024-03-03, d2 А"
    rows = [dict(zip(("id", "source", "published"), row.split(), strict=False)) for row in given.split(", ")]
    rows = [row | {"text": texts[row["id"][0]]} for row in rows]
    # Of equal ranks the first, of equal times the later; copies of a source's own documents do not raise its rank.
    assert shown(rows, "longest") == "a1 b1 c1 d1"
    assert shown(rows, "latest") == "a1 b2 c2 d1"
    assert shown(rows, "rank") == "a2 b1 c1 d1"


def test_empty_texts_are_never_exact_copies():
    found = statuses(collect(read_documents([{"id": "1", "text": ""}, {"id": "2", "text": " "}])), Settings())
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


ROWS = [{"id": "1", "text": "Снег идёт", "group": "sport"}, {"id": "2", "text": "Снег идёт"}]


def test_a_field_of_the_name_of_a_column_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(BadDataError, match="overwrite") as refused:
        dedup(ROWS, tmp_path / "out.jsonl", annotate=True)
    assert (refused.value.code, refused.value.field) == ("E_FIELD_TAKEN", "group")
    assert list(tmp_path.iterdir()) == []


def test_a_prefix_gives_the_columns_names_of_their_own(tmp_path):
    dedup(ROWS, tmp_path / "out.jsonl", preset="faithful", annotate=True, prefix="dedup_")
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()] == [
        {**ROWS[0], "dedup_status": "insufficient_text", "dedup_of": None, "dedup_group": "1"},
        {**ROWS[1], "dedup_status": "exact", "dedup_of": "1", "dedup_group": "1"},
    ]


def test_without_annotations_nothing_is_in_the_way(tmp_path):
    dedup(ROWS, tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_bytes()) == ROWS[0]


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


def test_retold_stories_join_only_on_request(stream, tmp_path):
    words = f"{stream[0]['text']} {stream[1]['text']}".split()
    told = {"id": "1", "text": " ".join(words), "lang": "ru"}
    # Neighbours change places: no word triple is left, but key terms, names and opening are.
    swapped = [word for at in range(0, len(words) - 1, 2) for word in (words[at + 1], words[at])]
    again = {"id": "2", "text": " ".join(swapped), "lang": "ru"}
    assert said(annotated([told, again], tmp_path / "without.jsonl")["2"]) == ("similar", "1", "2", "retold")
    joined = annotated([told, again], tmp_path / "joined.jsonl", join="copy,retold")
    assert said(joined["2"]) == ("duplicate", "1", "1", "retold")
    found = annotated([one | {"published": "2026-03-01"} for one in (told, again)], tmp_path / "dated.jsonl")
    assert (found["2"]["status"], found["2"]["group"]) == ("similar", "2")


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


WORDS = ["снег", "дождь", "ветер", "град", "туман", "мороз", "гроза", "иней", "оттепель", "зной", "засуха", "буря"]
WORDS += ["шторм", "капель", "слякоть", "вьюга"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=0, max_size=14).map(" ".join)


def collection_of(texts):
    return collect(read_documents([{"id": str(n), "text": text, "lang": "ru"} for n, text in enumerate(texts)]))


@st.composite
def streams(draw):
    return draw(st.lists(st.sampled_from(draw(st.lists(TEXTS, min_size=1, max_size=6))), min_size=1, max_size=25))


@given(
    streams(), st.sampled_from(["equal", "contained"]), st.sampled_from(["scaled", "strict"]),
    st.sampled_from([2, 4, 6]), st.sampled_from(["text", "signature"]),
)  # fmt: skip
def test_statuses_are_those_of_all_pairs(texts, rule, short, k, target):
    collection = collection_of(texts)
    chosen = Settings(representation="stem", df_min=1, df_max=0.99, k=k, short=short, target=target)
    expected = list(statuses(collection, chosen, duplicate_rule=rule))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linking, "MOST_VERBATIM_LINKS", -1)
        assert list(statuses(collection, chosen, duplicate_rule=rule)) == expected


@given(streams(), st.integers(1, 4))
def test_measures_and_groups_are_those_of_all_links(texts, k_min):
    chosen = Settings(representation="stem", df_min=1, df_max=0.99)
    key_terms = collection_of(texts).key_terms(chosen)
    linked = link(key_terms, chosen, k_min=k_min)
    nodes = link_nodes(key_terms, chosen, k_min=k_min)
    assert nodes.measures() == linked.relation().measures()
    ks = range(k_min, 13)
    for ours, theirs in zip(nodes.group_sizes(ks), linked.relation().group_sizes(ks), strict=True):
        assert Counter(ours.tolist()) == Counter(theirs.tolist())


def test_links_between_equal_documents_are_counted():
    chosen = Settings(representation="stem", df_min=1, df_max=0.99)
    key_terms = collection_of([" ".join(WORDS[:8])] * 4 + [" ".join(WORDS[8:])] * 3 + ["", ""]).key_terms(chosen)
    assert verbatim_links(key_terms) == 4 * 3 + 3 * 2


def test_a_cluster_of_thousands_is_one_node():
    texts = [" ".join(np.roll(WORDS, shift)[:10]) for shift in range(8)] * 700 + ["снег дождь ветер град"] * 6000
    statuses_found = statuses(collection_of(texts), Settings(representation="stem", df_min=1, df_max=0.99))
    assert Counter(status.status for status in statuses_found)["exact"] == len(texts) - 9


def test_a_sweep_of_nodes_is_that_of_documents():
    texts = [" ".join(np.roll(WORDS, shift)[:10]) for shift in range(8)] * 5 + ["снег дождь ветер град"] * 20
    # Links between nodes of equal documents are not scaled.
    collection, chosen = collection_of(texts), Settings(df_max=0.99, short="strict")
    expected = sweep_collection(collection, chosen, ["stem"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linking, "MOST_VERBATIM_LINKS", -1)
        found = sweep_collection(collection, chosen, ["stem"])
    assert [replace(row, interval=NO_INTERVAL) for row in expected.rows[3:]] == found.rows[3:]
    assert [row.measures.links for row in found.rows] == [row.measures.links for row in expected.rows]
    assert (found.recommended_k, found.groups) == (expected.recommended_k, expected.groups)
    assert "counted as a whole" in found.notes[0]


def test_where_only_copies_leave_a_text_stays_in_every_wording_even_the_first_of_a_group():
    given, head = {"join": "copy,retold", "show": "latest"}, {}
    for row in dedup(documents_path(), annotate=True, **given).rows:
        head[row["id"]] = head[row["of"]] if row["kind"] == "copy" and row["status"] != "similar" else row["id"]
    assert {head[row["id"]] for row in dedup(documents_path(), drop="copy", **given).rows} == set(head.values())
