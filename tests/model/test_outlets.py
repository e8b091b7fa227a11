"""Which outlet a source or an address names."""

from __future__ import annotations

import pytest

from infostream_dedup import Deduplicator, dedup
from infostream_dedup.model.outlets import outlet_of
from infostream_dedup.stream.memory import Member, best_member
from infostream_dedup.stream.settings import StreamSettings

SITES = (
    "a.example",
    "www.a.example",
    "A.Example",
    "https://a.example/",
    "http://www.a.example:80/rss?x=1",
    " a.example ",
)


@pytest.mark.parametrize("name", [*SITES, "//a.example/news", "a.example."])
def test_a_site_has_one_name(name: str) -> None:
    assert outlet_of(name) == "a.example"
    assert outlet_of(name, "https://b.example/1") == "a.example", "a source is believed before the address"


@pytest.mark.parametrize(
    ("source", "url", "outlet"),
    [
        (None, "https://www.a.example/news/1", "a.example"),
        ("", "https://a.example/news/1", "a.example"),
        ("t.me/vesti", None, "t.me/vesti"),
        (None, "https://t.me/s/Vesti/12", "t.me/vesti"),
        (None, "https://telegram.me/vesti/12?single", "t.me/vesti"),
        (None, "https://vk.com/wall-1_2", "vk.com/wall-1_2"),
        ("ТАСС", None, "тасс"),
        (" Тасс ", None, "тасс"),
        ("Interfax  Ukraine", None, "interfax ukraine"),
        ("пример.рф", None, "пример.рф"),
        ("https://xn--e1afmkfd.xn--p1ai/", None, "пример.рф"),
        ("U.S. News", None, "u.s. news"),
        (None, "not an address", None),
        (None, "http://[::1/x", None),
        (None, None, None),
        (" ", None, None),
    ],
)
def test_what_names_an_outlet(source: str | None, url: str | None, outlet: str | None) -> None:
    assert outlet_of(source, url) == outlet


CASUALTIES = (
    "В результате обрушения моста в городе Салтар погибли {} человек, ещё {} получили ранения, сообщили власти. "
    "Спасатели продолжают разбирать завалы, на месте работают кинологи и тяжёлая техника."
)


def _pair(first: dict[str, str], second: dict[str, str]) -> list[dict[str, str]]:
    one = {"id": "1", "text": CASUALTIES.format("пять", "12"), "published": "2024-05-01T10:00Z"}
    other = {"id": "2", "text": CASUALTIES.format("девять", "20"), "published": "2024-05-01T11:00Z"}
    return [one | first, other | second]


PAIRS = [
    _pair({"source": "a.example"}, {"source": "a.example"}),
    _pair({"source": "a.example"}, {"source": "https://www.A.example/"}),
    _pair({"url": "https://a.example/1"}, {"url": "https://www.a.example/2"}),
    _pair({"source": "a.example"}, {"url": "https://a.example/2"}),
]


def test_all_ways_of_naming_an_outlet_give_one_verdict(tmp_path) -> None:
    batch = [[(row["status"], row.get("kind")) for row in dedup(pair, annotate=True).rows] for pair in PAIRS]
    assert batch[1:] == batch[:1] * 3
    for number, pair in enumerate(PAIRS):
        with Deduplicator.open(None, StreamSettings(preset="judged")) as stream:
            together = [(one.status, one.kind) for one in stream.process(pair)]
        found = []
        for row in pair:
            with Deduplicator.open(tmp_path / f"{number}.db", StreamSettings(preset="judged")) as stream:
                found += [(one.status, one.kind) for one in stream.process([row])]
        assert found == together, "an outlet is known again when a store is opened"
        assert [kind for _, kind in found] == [kind for _, kind in batch[number]]


def test_a_rank_of_sources_is_one_of_outlets() -> None:
    members = [Member(0, "first", 20, "www.blog.example"), Member(1, "second", 20, "agency.example")]
    ranked = StreamSettings(show="rank", source_ranks=("https://agency.example/", "blog.example"))
    assert best_member(members, ranked).id == "second"
