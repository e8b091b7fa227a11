"""``store groups`` and ``store show``."""

import json

import pytest

from infostream_dedup.api import store as kept
from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.lab.copy_scores import Drift
from infostream_dedup.stream.deduplicator import Deduplicator
from tests.conftest import failed, rows_of

BRIDGE = {
    "ru": "Президент открыл в городе новый мост через реку вместе с мэром. Строительство обошлось бюджету в 412 "
    "миллионов. Движение троллейбусов начнётся в октябре, рассказал директор департамента транспорта.",
    "uk": "Президент відкрив у місті новий міст через річку разом із мером. Будівництво коштувало бюджету 412 "
    "мільйонів. Рух тролейбусів почнеться в жовтні, розповів директор департаменту транспорту.",
}


@pytest.fixture
def filled(tmp_path):
    """Three equal Russian texts of two sources, of which one has a date, and a Ukrainian one."""
    documents = [
        {"id": "one", "text": BRIDGE["ru"], "lang": "ru", "source": "a", "title": "Мост"},
        {"id": "two", "text": BRIDGE["ru"], "lang": "ru", "source": "b"},
        {"id": "three", "text": BRIDGE["uk"], "lang": "uk", "source": "b", "url": "https://example.org/3"},
        {"id": "four", "text": BRIDGE["ru"], "lang": "ru", "source": "b"},
        {"id": "pair", "text": "Суд над учителем отложили из-за болезни.", "lang": "ru", "source": "c"},
        {"id": "twin", "text": "Суд над учителем отложили из-за болезни.", "lang": "ru", "source": "c",
         "published": "2026-03-01T10:00:00Z"},
    ]  # fmt: skip
    with Deduplicator.open(tmp_path / "s.db") as dedup:
        dedup.process(documents)
    return tmp_path / "s.db"


def test_groups_are_listed_and_undated_ones_have_no_1970(run, filled):
    rows = rows_of(run("store", "groups", "s.db", "--format", "jsonl"))
    assert rows == kept.groups(filled)
    assert [(row["group"], row["documents"], row["sources"], row["languages"]) for row in rows] == [
        ("one", 3, 2, 1),
        ("pair", 2, 1, 1),
    ]
    assert (rows[0]["first"], rows[0]["last"], rows[0]["title"]) == (None, None, "Мост")
    assert rows[1]["last"] == "2026-03-01T10:00:00Z"
    assert [row["group"] for row in kept.groups(filled, by="last")] == ["pair", "one"]
    assert [row["group"] for row in kept.groups(filled, source="a")] == ["one"]
    assert (kept.groups(filled, language="uk"), len(kept.groups(filled, top=1))) == ([], 1)
    with pytest.raises(ConfigurationError, match="size or last"):
        kept.groups(filled, by="name")


def test_a_document_is_shown_with_its_group_and_story(run, filled):
    found = kept.show(filled, "three")
    assert (found["document"]["translation_of"], found["document"]["story"]) == ("two", "one")
    assert found["document"]["url"] == "https://example.org/3"
    met = found["document"]["translation"]["met"]
    assert {"word": "річка", "pivot": "река", "their_word": "река", "rung": "dictionary"} in met
    assert found["document"]["key_terms"]
    assert kept.show(filled, "two")["document"]["story"] == "one"
    rows = rows_of(run("store", "show", "s.db", "two", "--format", "jsonl"))
    assert [(row["id"], row["status"], row["of"], row["group"]) for row in rows] == [
        ("two", "exact", "one", "one"), ("one", "new", None, "one"), ("four", "exact", "one", "one"),
    ]  # fmt: skip
    failed(run("store", "show", "s.db", "none"), 65, "no document 'none'")
    with pytest.raises(BadDataError, match="no document"):
        kept.show(filled, "none")


LISTS = [
    ("groups",), ("templates",), ("copies",), ("copies", "--drifts"), ("events",), ("best",), ("republications",),
]  # fmt: skip


def test_empty_lists_have_the_header_of_full_ones(run, filled, tmp_path):
    with Deduplicator.open(tmp_path / "bare.db"):
        pass
    for command, *options in LISTS:
        full, bare = (
            [run("store", command, name, *options, "--format", form).stdout.decode() for form in ("csv", "jsonl")]
            for name in ("s.db", "bare.db")
        )
        header = bare[0].rstrip("\n")
        assert (header.count("\n"), bare[1], header) == (0, "", full[0].splitlines()[0])
        if full[1]:
            assert header.split(",") == list(json.loads(full[1].splitlines()[0]))
    drift = Drift(first=0, last=0, source=None, measure="copies", recent=(1, 2), usual=(1, 2), chance=0.0)
    drifts = run("store", "copies", "s.db", "--drifts", "--format", "csv").stdout.decode()
    assert drifts.rstrip("\n").split(",") == list(drift.as_dict())


def test_why_no_copies_are_listed(run, filled, tmp_path):
    with Deduplicator.open(tmp_path / "undated.db") as dedup:
        dedup.process([{"id": "one", "text": BRIDGE["ru"]}, {"id": "two", "text": BRIDGE["ru"]}])
    for options in ([], ["--drifts"]):
        done = run("store", "copies", "undated.db", "--format", "csv", *options)
        assert "no document of this store has a date" in done.stderr.decode()
        assert not run("store", "copies", "undated.db", "--quiet", *options).stderr
    assert "no drifts" in run("store", "copies", "s.db", "--drifts").stderr.decode()
    assert not run("store", "copies", "s.db").stderr
