from dataclasses import replace

import pytest

from infostream_dedup.model import Document
from infostream_dedup.model.stream_records import Batch, Decided, GroupEvent, Verdict
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import day_of, summary, time_text
from infostream_dedup.stream.store.overview import republications, templates

DAY = 86_400_000_000


@pytest.mark.parametrize(("microseconds", "text"), [
    (None, None), (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
    (1_700_000_000_123_456, "2023-11-14T22:13:20Z"),
])  # fmt: skip
def test_times_are_iso_texts(microseconds, text):
    assert time_text(microseconds) == text
    if text:
        assert day_of(microseconds) == text[:10]


def test_a_store_in_figures(filled):
    with Store.open(filled) as store:
        store.forget("документ-99")
        found = {row["what"]: row["value"] for row in summary(store.connection, store.path)}
    log = found.pop("bytes in the log")
    assert found == {
        "store": str(filled), "batches": 20, "documents": 100, "terms": 300, "first": "1970-01-01T01:00:00Z",
        "last": "1970-01-05T03:00:00Z", "status new": 63, "status duplicate": 25, "status similar": 12,
        "relation equal": 25, "relation template": 6, "relation updated": 6, "language ru": 66, "language uk": 34,
        "sources": 3, "groups of several": 26, "event alarm": 2, "event merge": 2, "open epoch": 4, "signatures": 99,
        "signatures needed from ordinal": 70, "texts": 49, "forgotten": 1, "schema": 1, "bytes": filled.stat().st_size,
    }  # fmt: skip
    assert log > 0


@pytest.fixture
def fill(new_store, synthetic):
    """``fill((id, source, day, status, of, group, relation), ...)``: one batch of such documents."""

    def append(*rows, events=()):
        remembered, verdicts = [], []
        for ordinal, (id_, source, day, status, of, group, relation) in enumerate(rows):
            one = replace(synthetic.document(ordinal), id=id_, source=source, title=f"О {id_}")
            remembered.append(replace(one, clock=ordinal, published=None if day is None else day * DAY))
            verdicts.append(Verdict(id=id_, status=status, of=of, group=group, relation=relation))
        terms = [str(number) for number in range(3 * len(rows))]
        new_store.append(
            Batch("b", b"", Decided(remembered=remembered, verdicts=verdicts, events=events, new_terms=terms))
        )
        return new_store.connection

    return append


def test_republications_by_source_and_day(fill):
    connection = fill(
        ("a", "tass", 3, "new", None, "a", None), ("b", "ria", 3, "new", None, "b", None),
        ("c", "ria", 3, "duplicate", "a", "a", "equal"), ("d", "tass", 4, "exact", "a", "a", "equal"),
        ("e", "ria", 3, "duplicate", "c", "a", "equal"), ("f", None, None, "duplicate", "b", "b", "equal"),
        ("g", "ria", 5, "similar", "b", "g", "contains"),
    )  # fmt: skip
    rows = [
        ("a", "О a", 4, "ria", "1970-01-04", 2), ("a", "О a", 4, "tass", "1970-01-04", 1),
        ("a", "О a", 4, "tass", "1970-01-05", 1), ("b", "О b", 2, None, "1970-01-01", 1),
        ("b", "О b", 2, "ria", "1970-01-04", 1),
    ]  # fmt: skip
    names = ("group", "title", "total", "source", "day", "documents")
    assert republications(connection, top=0) == [dict(zip(names, row, strict=True)) for row in rows]
    assert {row["group"] for row in republications(connection, top=1)} == {"a"}


def test_republications_before_the_first_date_have_no_day(tmp_path):
    documents = [Document(id=name, text="Мэр открыл новый мост через реку", source="one") for name in "ab"]
    with Deduplicator.open(tmp_path / "s.db") as stream:
        stream.process(documents)
        assert republications(stream.store.connection, top=0) == [
            {"group": "a", "title": "", "total": 2, "source": "one", "day": None, "documents": 2}
        ]


def test_republications_count_merged_groups_as_one(fill):
    connection = fill(
        ("a", "tass", 0, "new", None, "a", None), ("b", "ria", 0, "new", None, "b", None),
        ("c", "ria", 1, "duplicate", "b", "a", "equal"), events=[GroupEvent(2, "merge", "a", "b")],
    )  # fmt: skip
    assert [(row["group"], row["total"]) for row in republications(connection, top=20)] == [("a", 3)] * 3


def test_templates_of_one_source(fill):
    connection = fill(
        ("rates-1", "bank", 1, "new", None, "rates-1", None),
        ("rates-2", "bank", 2, "similar", "rates-1", "rates-2", "template"),
        ("weather-1", "meteo", 2, "new", None, "weather-1", None),
        ("rates-3", "bank", 3, "similar", "rates-2", "rates-3", "template"),
        ("copied", "tass", 3, "similar", "rates-3", "copied", "template"),
        ("weather-2", "meteo", 4, "similar", "weather-1", "weather-2", "template"),
        ("rates-4", "bank", 5, "similar", "rates-1", "rates-4", "template"),
        ("later", "bank", 6, "similar", "rates-1", "later", "updated"),
        ("copied-2", "tass", 7, "similar", "copied", "copied-2", "template"),
    )
    names = ("source", "template", "title", "times", "first", "last", "filling", "filling_title", "words")
    rows = [
        ("bank", "rates-1", "О rates-1", 3, "1970-01-02T00:00:00Z", "1970-01-06T00:00:00Z", "rates-4", "О rates-4",
         ["rates", "о"]),
        ("meteo", "weather-1", "О weather-1", 1, "1970-01-03T00:00:00Z", "1970-01-05T00:00:00Z", "weather-2",
         "О weather-2", ["weather", "о"]),
        ("tass", "copied", "О copied", 1, "1970-01-04T00:00:00Z", "1970-01-08T00:00:00Z", "copied-2", "О copied-2",
         ["copied", "о"]),
    ]  # fmt: skip
    connection.execute("UPDATE document SET kind = relation, relation = NULL WHERE id = 'weather-2'")
    assert templates(connection, least=1) == [dict(zip(names, row, strict=True)) for row in rows]
    assert [row["template"] for row in templates(connection, least=3)] == ["rates-1"]


def test_two_forms_of_a_source_with_the_same_words_are_one(fill):
    connection = fill(
        ("1", "bank", 1, "new", None, "1", None), ("2", "bank", 2, "similar", "1", "2", "template"),
        ("3", "bank", 3, "new", None, "3", None), ("4", "bank", 4, "similar", "3", "4", "template"),
        ("5", "tass", 5, "new", None, "5", None), ("6", "tass", 6, "similar", "5", "6", "template"),
    )  # fmt: skip
    connection.execute("UPDATE document SET title = 'Курс валют банка на ' || id || ' марта'")
    connection.execute("UPDATE document SET title = 'Доллар растёт. ' || title WHERE id IN ('3', '4')")
    bank, tass = templates(connection, least=1)
    assert (bank["template"], bank["times"], bank["filling"], tass["times"]) == ("1", 3, "4", 1)
    assert bank["words"] == ["банка", "валют", "курс", "марта", "на"]


def test_templates_before_the_first_date_have_no_dates(fill):
    connection = fill(
        ("rates-1", "bank", 0, "new", None, "rates-1", None),
        ("rates-2", "bank", 0, "similar", "rates-1", "rates-2", "template"),
    )
    connection.execute("UPDATE document SET published = NULL, clock = 0")
    (row,) = templates(connection, least=1)
    assert (row["template"], row["filling"], row["first"], row["last"]) == ("rates-1", "rates-2", None, None)
