"""Standing searches: whatever the batches, documents that have the terms are named, in any language."""

import pytest

from infostream_dedup import ingest, store, watch
from infostream_dedup.errors import ConfigurationError, NoInputError, UsageError

FIRST = [{"id": "0", "text": "Суд в Полтаве оправдал директора завода, сообщила пресс-служба."}]
NEWS = [
    {"id": "ru", "text": "В Харькове открыли новый мост через реку: движение пустили утром."},
    {"id": "uk", "text": "У Харкові відкрили рух новим мостом через річку: пустили вранці."},
    {"id": "en", "text": "A new bridge across the river was opened in Kharkiv on Monday morning."},
    {"id": "other", "text": "В Полтаве открыли новый мост через реку: движение пустили утром."},
    {"id": "none", "text": "Рада прийняла закон про пенсії, президент підписав його в середу."},
]


@pytest.fixture
def news(tmp_path):
    list(ingest(FIRST, tmp_path / "news.db"))
    return tmp_path / "news.db"


def named(found):
    return {verdict.id: verdict.watches for verdict in found}


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_hits_do_not_depend_on_batches(news, size):
    bridges = watch.add(news, "bridges", terms="мост,Харьков")
    assert (bridges["first"], bridges["k"], bridges["languages"]) == (1, 2, ["ru", "uk", "en"])
    watch.add(news, "either", terms=["bridge", "Poltava"], k=1, languages="ru")
    watch.add(news, "text", text=NEWS[4]["text"], k=3)
    found = named(ingest(NEWS, news, batch_size=size))
    both = ("bridges", "either")
    assert found == {"ru": both, "uk": ("bridges",), "en": ("bridges",), "other": ("either",), "none": ("text",)}
    assert named(ingest(NEWS, news, batch_size=size)) == found
    events = [(one["group"], one["ordinal"]) for one in store.events(news) if one["kind"] == "watch"]
    assert events == [("bridges", 1), ("either", 1), ("bridges", 2), ("bridges", 3), ("either", 4), ("text", 5)]
    assert [one["id"] for one in watch.hits(news, "bridges")] == ["en", "uk", "ru"]
    assert [(one["name"], one["hits"], one["last"]) for one in watch.listed(news)] == [
        ("bridges", 3, 3), ("either", 2, 4), ("text", 1, 5),
    ]  # fmt: skip
    assert sum(check.faults for check in store.verify(news)) == 0


@pytest.mark.parametrize("size", [1, 1000])
def test_a_name_that_no_document_had_before_is_watched_for(news, size):
    texts = {
        "Ткач": "Міністр фінансів Ткач подав у відставку, повідомила пресслужба уряду.",
        "Сырский": "Министры прибыли в Киев. На фронте остался Сырский, а Вятлев уехал.",
        "Quillfeather": "On Sunday Mayor Harriet Quillfeather opened the new ferry terminal in Dunmore.",
    }
    for name in (*texts, "Вятлев"):
        watch.add(news, name, terms=name, lang="uk" if name == "Ткач" else None)
    told = named(ingest([{"id": name, "text": text} for name, text in texts.items()], news, batch_size=size))
    assert told == {"Ткач": ("Ткач",), "Сырский": ("Сырский", "Вятлев"), "Quillfeather": ("Quillfeather",)}


def test_a_search_ends_with_the_next_document_and_its_hits_remain(news):
    watch.add(news, "bridges", terms="мост")
    assert named(ingest(NEWS[:1], news)) == {"ru": ("bridges",)}
    watch.remove(news, "bridges")
    assert (named(ingest(NEWS[3:4], news)), watch.listed(news)) == ({"other": None}, [])
    assert [one["id"] for one in watch.hits(news, "bridges")] == ["ru"]
    watch.add(news, "bridges", terms="закон", lang="uk")
    assert named(ingest(NEWS[4:], news)) == {"none": ("bridges",)}


def test_without_searches_verdicts_have_no_field(news):
    assert all("watches" not in verdict.as_dict() for verdict in ingest(NEWS, news))


@pytest.mark.parametrize(("given", "error", "told"), [
    ({"name": "a b", "terms": "мост"}, UsageError, "cannot name"), ({"name": "a"}, UsageError, "either"),
    ({"name": "a", "terms": "и"}, UsageError, "no terms"),
    ({"name": "a", "terms": "мост", "languages": "xx"}, ConfigurationError, "'xx'"),
    ({"name": "a", "terms": "мост", "k": 2}, ConfigurationError, "k"),
    ({"name": "taken", "terms": "мост"}, UsageError, "taken"),
])  # fmt: skip
def test_what_cannot_be_watched_is_refused(news, given, error, told):
    watch.add(news, "taken", terms="суд")
    with pytest.raises(error, match=told):
        watch.add(news, given.pop("name"), **given)
    with pytest.raises(NoInputError, match="taken"):
        watch.remove(news, "nothing")
