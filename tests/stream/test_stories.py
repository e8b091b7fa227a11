"""Stories: what joins them, what keeps them apart, who covers them, and from how many origins."""

import csv
import json

import numpy as np
import pytest

import infostream_dedup
from infostream_dedup.api import store as kept
from infostream_dedup.errors import NoInputError, UsageError
from infostream_dedup.model.stream_records import GroupEvent
from infostream_dedup.sample import documents_path
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.stories import agency_named
from infostream_dedup.stream.stories import Stories, stories_of
from tests.conftest import failed, rows_of, succeeded

BRIDGE = (
    "Мэр Кременчуга Виталий Малецкий открыл в пятницу новый мост через Днепр длиной 1740 метров. Строительство начали "
    "в 2019 году, оно обошлось в 11 миллиардов гривен. По словам мэра, мост разгрузит центр города, где каждый день "
    "проезжает 40 тысяч автомобилей. Старый мост закроют на ремонт до конца года."
)
RETOLD = (
    "В Кременчуге заработала новая переправа через Днепр. Её длина 1740 метров, а цена 11 миллиардов гривен. На "
    "открытии Виталий Малецкий напомнил, что строительство шло с 2019 года: мост заберёт часть из 40 тысяч "
    "автомобилей, которые ежедневно стоят в центре города. Прежний мост ждёт ремонт."
)
OTHER = (
    "Учёные Киевского зоопарка сообщили о рождении редкого амурского леопарда. Малыш весит полтора килограмма, имя ему "
    "выберут посетители на сайте зоопарка до конца месяца."
)


class Named:
    """Groups, given by the ordinals of their documents."""

    def __init__(self, **groups: list[int]) -> None:
        self.groups = groups

    def of(self, ordinal: int) -> str:
        return next(name for name, own in self.groups.items() if ordinal in own)

    def begun(self, ordinal: int) -> int:
        return min(self.groups[self.of(ordinal)])


def events(found):
    return [(one.kind, one.story, one.other) for one in found]


def test_stories_are_named_after_their_earliest_group():
    groups = Named(a=[1], b=[2], c=[3], d=[4], x=[5], y=[6])
    stories = Stories(groups.of, groups.begun)
    assert stories.of("a") is None
    assert events(stories.join(3, [2])) == [("merge", "b", "c")]
    assert events(stories.join(4, [1])) == [("merge", "a", "d")]
    assert [stories.of(group) for group in "abcd"] == ["a", "b", "b", "a"]
    assert (events(stories.join(4, [3])), {stories.of(group) for group in "abcd"}) == ([("merge", "a", "b")], {"a"})
    # Groups that become one bring their stories along.
    stories.join(6, [5])
    groups.groups = {"a": [1], "b": [2], "c": [3, 6, 7], "d": [4], "x": [5]}
    assert events(stories.follow(7, [GroupEvent(7, "merge", "c", "y")])) == [("merge", "a", "x")]
    assert (stories.of("y"), stories.of("c"), stories.of("x")) == (None, "a", "a")
    for group in "abcdx":
        stories.follow(8, [GroupEvent(8, "expiry", group)])
    assert [stories.of(group) for group in "abcdx"] == [None] * 5


def test_a_story_of_several_groups_takes_what_two_of_them_report_or_the_first():
    groups = Named(a=[0], b=[1], c=[2], d=[3], e=[4])
    stories = Stories(groups.of, groups.begun)
    assert events(stories.tell(1, [0])) == [("merge", "a", "b")]
    assert events(stories.tell(2, [1])) == [("split", "c", "a")]
    assert stories.of("c") is None
    assert events(stories.tell(3, [0])) == [("merge", "a", "d")]
    assert events(stories.tell(4, [1, 3])) == [("merge", "a", "e")]


def test_a_whole_collection_has_the_stories_of_a_stream(tmp_path):
    # 0 and 4 are one group; 1, 3 and 4 tell of it, 2 only of 1; 5 is alone, and 6 and 7 repeat each other.
    told = [np.array([[1, 2, 3, 4], [0, 1, 1, 0]]), np.array([[3, 7], [0, 6]])]
    assert stories_of(told, np.array([0, 1, 2, 3, 0, 5, 6, 6])).tolist() == [0, 0, -1, 0, 0, -1, 6, 6]
    assert stories_of([], np.arange(2)).tolist() == [-1, -1]
    documents = [one for one in infostream_dedup.read_documents(documents_path()) if one.lang == "ru"]
    infostream_dedup.dedup(documents, annotate=True, out=tmp_path / "a.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    with Deduplicator.open(None, StreamSettings.of({"across": "none"})) as stream:
        streamed = {one.id: one.story for one in stream.process(documents)}
    # A verdict is given before later documents join the story.
    assert len([row["id"] for row in rows if streamed[row["id"]] not in (row["story"], None)]) <= 2
    assert len({row["story"] for row in rows}) > 10


def documents():
    rows = [
        ("first", BRIDGE, "2026-03-06T10:00:00Z", "a.example"), ("other", OTHER, "2026-03-06T10:30:00Z", "a.example"),
        ("copy", BRIDGE, "2026-03-06T12:00:00Z", "b.example"),
        ("retold", f"{RETOLD} Об этом сообщил УНИАН.", "2026-03-06T13:00:00Z", "c.example"),
        ("copy-of-retold", f"{RETOLD} Об этом сообщил УНИАН.", "2026-03-06T19:00:00Z", "d.example"),
    ]  # fmt: skip
    return [dict(zip(("id", "text", "published", "source"), row, strict=True), lang="ru") for row in rows]


@pytest.fixture
def path(tmp_path):
    with Deduplicator.open(tmp_path / "s.db", StreamSettings.of({"keep_text": True})) as dedup:
        found = dedup.process(documents())
    assert [one.story for one in found] == [None, None, "first", "first", "first"]
    return tmp_path / "s.db"


def test_origins_are_texts_written_independently(path):
    found = infostream_dedup.coverage(path, story="first")
    assert {name: found[name] for name in ("story", "outlets", "origins", "first", "echo_share", "wires_read")} == {
        "story": "first", "outlets": 4, "origins": 2, "first": "first", "echo_share": 0.5, "wires_read": True,
    }  # fmt: skip
    assert [(one["id"], one["origin"], one["role"], one["lag_hours"], one["wire"]) for one in found["documents"]] == [
        ("first", 1, "first", 0.0, None), ("copy", 1, "copy", 2.0, None), ("retold", 2, "retelling", 0.0, "УНИАН"),
        ("copy-of-retold", 2, "copy", 6.0, "УНИАН"),
    ]  # fmt: skip
    assert infostream_dedup.coverage(path, id="copy-of-retold") == found
    assert infostream_dedup.coverage(path, text=RETOLD) == found
    alone = infostream_dedup.coverage(path, id="other")
    assert (alone["origins"], alone["echo_share"], len(alone["documents"])) == (1, 0.0, 1)
    assert infostream_dedup.coverage(path, id=["other", "copy"])["origins"] == 3
    rows = kept.stories(path, by="origins")
    assert [(row["story"], row["documents"], row["origins"], row["spread"]) for row in rows] == [("first", 4, 2, 4)]
    assert kept.stories(path, since=infostream_dedup.api.moment("2026-04-01")) == []


def test_roles_follow_publication_and_a_copy_repeats_what_it_copies_not_a_translation(tmp_path):
    translated = (
        "Мер Кременчука Віталій Малецький відкрив у п'ятницю новий міст через Дніпро довжиною 1740 метрів. Будівництво "
        "почали у 2019 році, воно обійшлося в 11 мільярдів гривень. За словами мера, міст розвантажить центр міста."
    )
    told = {"first": (BRIDGE, 10), "uk": (translated, 11), "copy": (BRIDGE, 12), "early": (BRIDGE, 8)}
    rows = [
        {"id": name, "text": text, "published": f"2026-03-06T{hour:02}:00Z", "source": f"{name}.example"}
        for name, (text, hour) in told.items()
    ]
    with Deduplicator.open(tmp_path / "s.db") as dedup:
        dedup.process(rows)
    found = infostream_dedup.coverage(tmp_path / "s.db", story="first")["documents"]
    assert [(one["id"], one["role"], one["of"]) for one in found] == [
        ("early", "first", None), ("first", "copy", "early"), ("uk", "translation", "first"),
        ("copy", "copy", "first"),
    ]  # fmt: skip


def test_what_is_not_there_is_said(path, run_command, tmp_path):
    for asked in ({"story": "none"}, {"id": "none"}, {"text": "Совсем другое сообщение о погоде на завтра в горах"}):
        with pytest.raises(NoInputError):
            infostream_dedup.coverage(path, **asked)
    with pytest.raises(UsageError):
        infostream_dedup.coverage(path)
    failed(run_command(tmp_path, "coverage", path, "--story", "none"), 66, "'none'")


def test_a_message_says_nothing_twice(path):
    rows = kept.message(path, "copy")
    assert {row["story"] for row in rows} == {"first"}
    assert " ".join(row["text"] for row in rows if row["kind"] == "first") == BRIDGE
    assert {row["id"] for row in rows} == {"first", "retold"}


@pytest.mark.parametrize(
    ("text", "agency"),
    [
        ("Об этом передаёт ТАСС со ссылкой на министра.", "ТАСС"),
        ("Про це повідомляє Укрінформ.", "Укринформ"),
        ("Как сказали Укринформу в полиции", "Укринформ"),
        ("The minister told Reuters on Monday.", "Рейтер"),
        ("An apple a day; APPLES and TASSELS.", None),
        ("Интерфакс-Украина пишет, а Интерфакс молчит", "Интерфакс-Украина"),
    ],
)  # fmt: skip
def test_agencies_are_found_in_texts(text, agency):
    assert agency_named(text) == agency


def test_many_questions_get_the_sentences_that_meet(path, run_command, tmp_path):
    from infostream_dedup.api.search import answers, search

    asked = [
        {"id": "a", "text": f"Погода хорошая. {RETOLD[:100]}"}, {"id": "b", "text": OTHER}, {"id": "c", "text": "Нет"},
    ]  # fmt: skip
    found = dict(answers(path, asked, sentences=True))
    assert list(found) == ["a", "b", "c"]
    hit = found["a"][0]
    assert hit.sentence.startswith("В Кременчуге заработала")
    assert hit.their_sentence.startswith("В Кременчуге заработала")
    assert found["b"].as_rows() == search(path, OTHER, sentences=True).as_rows() != search(path, OTHER).as_rows()
    questions = tmp_path / "q.txt"
    questions.write_text('{"id": "x", "text": "Мост через Днепр"}\n\nМост через Днепр\n{"id": "y"}\n', encoding="utf-8")
    command = ("search", "--store", path, "--questions", questions)
    failed(run_command(tmp_path, *command), 65, "q.txt:4", "'text'")
    questions.write_text(questions.read_text(encoding="utf-8").rpartition("{")[0], encoding="utf-8")
    rows = rows_of(run_command(tmp_path, *command))
    by_question = {name: [row["id"] for row in rows if row["question"] == name] for name in ("x", "3")}
    assert by_question["x"] == by_question["3"] != []


def test_what_only_some_rows_have_is_a_column_of_csv(run_command, tmp_path):
    changed = BRIDGE.replace("открыл", "закрыл")
    rows = [row | {"id": name, "text": text} for row, (name, text) in zip(
        documents(), [("z", OTHER), ("z2", OTHER), ("a", BRIDGE), ("b", changed)], strict=False)]  # fmt: skip
    file, questions = tmp_path / "n.jsonl", tmp_path / "q.txt"
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    questions.write_text(f"{OTHER}\n{changed}\n", encoding="utf-8")
    searches = (f"search --store s.db {asked}" for asked in ("--id b", "--questions q.txt"))
    for command in ("ingest n.jsonl --store s.db", "pairs n.jsonl", *searches):
        done = succeeded(run_command(tmp_path, *command.split(), "--format", "csv"))
        read = list(csv.DictReader(done.stdout.decode().splitlines()))
        assert any("закрыл" in row["differing"] for row in read if row["kind"] == "differs"), command
