"""A story that repeats itself is judged by its distinct pairs; the verdicts are those of all pairs."""

import random
from datetime import UTC, datetime, timedelta
from itertools import cycle
from types import SimpleNamespace

import numpy as np
import pytest

from infostream_dedup.judging.evidence.facts import DAY, HOUR, DocumentFacts, circumstances
from infostream_dedup.judging.evidence.judging import judge_pairs
from infostream_dedup.model import NO_TIME, Document
from infostream_dedup.stream import evidence_counts, evidence_judge
from infostream_dedup.stream import evidence_judge as story_pairs
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.evidence_judge import Undecided
from infostream_dedup.stream.recent_documents import RecentDocuments
from infostream_dedup.stream.settings import StreamSettings

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = (
    "мост река министр банк школа больница врач зима рынок фермер лес армия президент суд судья полиция музей театр "
    "двигатель поезд аэропорт остров гора футбол тренер договор бюджет парламент выборы кандидат завод шахта порт улица"
).split()
OTHERS = "причал вокзал дорога учитель книга песня озеро стадион депутат закон".split()
SETTINGS = StreamSettings(preset="judged", first_epoch=30, epoch_documents=50, window_days=3)


def story(seed, size=160):
    """Repeats of three stories, most of them exact, under several titles, sources, days and addresses."""
    draw = random.Random(seed)  # noqa: S311
    bases = [[*draw.sample(WORDS, 24), "номер", str(number)] for number in range(3)]
    written = []
    for number in range(size):
        base = list(draw.choice(bases))
        for _ in range(draw.choice([0, 0, 0, 1, 1, 2, 9])):
            base[draw.randrange(len(base))] = draw.choice(OTHERS)
        if draw.random() < 0.1:
            base = base[: draw.choice([2, 8, 14])]
        text = draw.choice(written) if written and draw.random() < 0.5 else " ".join(base).capitalize()
        written.append(text)
        yield Document(
            id=f"{seed}-{number}",
            text=text,
            title=draw.choice(["", "Мост", "Суд 5 марта", "Суд 6 марта"]),
            lang="ru",
            source=draw.choice([None, "одно", "другое"]),
            url=draw.choice([None, None, "https://a.example/1"]),
            time=None
            if draw.random() < 0.2
            else BEGIN + timedelta(hours=number * 100 / size + draw.choice([0, 0, -9])),
        )


def always(*_):
    return True


@pytest.fixture
def decided(monkeypatch):
    """Verdicts and events of a stream, judged by distinct pairs from a given number of candidates on."""

    def run(documents, settings=SETTINGS, *, many, sizes=(40, 1, 70), epoch=40, worth=always):
        monkeypatch.setattr(evidence_judge, "MANY_CANDIDATES", many)
        monkeypatch.setattr(evidence_judge, "worth_keeping", worth)
        monkeypatch.setattr(evidence_counts, "EPOCH", epoch)
        found, events, begin = [], [], 0
        with Deduplicator.open(None, settings) as dedup:
            engine = dedup._current_engine()
            kept, inner = [], engine.decide
            monkeypatch.setattr(
                engine, "decide", lambda *given, **named: kept.append(inner(*given, **named)) or kept[-1]
            )
            while begin < len(documents):
                size = sizes[len(kept) % len(sizes)]
                found += dedup.process(documents[begin : begin + size])
                begin += size
            events = [event for one in kept for event in one.events]
        return [one.as_dict() for one in found], events

    return run


PLAIN = 10**9


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "changes",
    [{}, {"within": "outlets"}, {"within": "source", "window_days": 30},
     {"join": ("copy", "template", "retold")}, {"window_documents": 25, "chaining_documents": 4}],
)  # fmt: skip
def test_verdicts_and_groups_are_those_of_all_pairs(decided, seed, changes):
    documents = list(story(seed))
    settings = SETTINGS.but(**changes)
    plain, story_like = decided(documents, settings, many=PLAIN), decided(documents, settings, many=0)
    assert story_like == plain
    counted = {status: sum(one["status"] == status for one in plain[0]) for status in ("exact", "duplicate", "similar")}
    assert min(counted["exact"], counted["duplicate"] + counted["similar"]) >= 10


@pytest.mark.parametrize(("name", "value"), [("_MOST_KNOWN", 60), ("_MOST_EVIDENCE", 1), ("_UNUSED", 0)])
def test_forgetting_changes_no_verdict(decided, monkeypatch, name, value):
    documents = list(story(7))
    plain = decided(documents, many=PLAIN)
    monkeypatch.setattr(story_pairs, name, value)
    assert decided(documents, many=0) == plain


def test_each_distinct_pair_is_judged_once(decided, monkeypatch):
    """Three texts over and over: each is compared with each other once, in each order."""
    texts = [" ".join([*WORDS[:26], other]) for other in OTHERS[:3]]
    documents = [Document(id=str(number), text=texts[number % 3], lang="ru") for number in range(60)]
    asked = []

    def count(a, b, **given):
        asked.append(len(a))
        return judge_pairs(a, b, **given)

    monkeypatch.setattr(evidence_judge, "judge_pairs", count)
    settings = SETTINGS.but(window_days=None, first_epoch=1000, epoch_documents=1000)
    found, _ = decided(documents, settings, many=0, sizes=(1,), epoch=1000)
    assert [one["status"] for one in found] == ["new", "duplicate", "duplicate"] + ["exact"] * 57
    # The second text meets the first, the third meets both. Again the first meets two others, the second meets one.
    assert asked == [1, 2, 2, 1]


def test_circumstances_by_hand():
    documents = DocumentFacts(
        sources=np.array([0, 0, 1, -1, 1]), times=np.array([0, DAY + 12 * HOUR, DAY + 13 * HOUR, 5, NO_TIME]),
        texts=np.zeros(5, dtype=np.int64), addresses=np.array([3, 3, -1, -1, -1]),
    )  # fmt: skip
    one = circumstances(documents.at(np.zeros(5, dtype=np.int64)), documents)
    # Same address 1, both known 2, same source 4, another day 8, one has a date 16, and 32 for each of 12, 24, 36, 48
    # and 72 hours that is exceeded.
    assert one.tolist() == [1 + 2 + 4 + 16, 1 + 2 + 4 + 8 + 16 + 2 * 32, 2 + 8 + 16 + 3 * 32, 16, 16 + 5 * 32]


def test_whether_evidence_is_kept_changes_no_verdict(decided):
    """One call keeps evidence, the next one does not."""
    documents, turns = list(story(1)), cycle([True, False, False])
    assert decided(documents, many=0, worth=lambda *_: next(turns)) == decided(documents, many=PLAIN)


def test_evidence_is_kept_for_texts_that_repeat_each_other_and_for_few_documents():
    """Texts of 10 to 14: a a a b c. Of 11, 13, 14 all three are distinct; of 10, 11, 12 one of three, below a half."""
    hashes = [(text, b"") for text in (b"a", b"a", b"a", b"b", b"c")]
    window = SimpleNamespace(first=10, end=15, hashes=hashes)
    for recent in (np.zeros(4, dtype=np.bool_), np.ones(4, dtype=np.bool_)):
        assert not story_pairs.worth_keeping(np.array([11, 13, 14, 13]), recent, 1, window)
        assert story_pairs.worth_keeping(np.array([10, 11, 12, 12]), recent, 1, window)
    many = SimpleNamespace(first=0, end=401, hashes=[(b"%d" % number, b"") for number in range(401)])
    old = np.zeros(401, dtype=np.bool_)
    assert not story_pairs.worth_keeping(np.arange(400), old[:400], 2, many)
    assert story_pairs.worth_keeping(np.arange(401), old, 2, many)
    assert not story_pairs.worth_keeping(np.arange(401), ~old, 2, many)


@pytest.mark.parametrize("seed", [11, 12])
@pytest.mark.parametrize("changes", [{}, {"join": ("copy", "template", "retold")}])
def test_leaving_out_pairs_that_decide_nothing_changes_no_verdict(decided, monkeypatch, seed, changes):
    documents, left, of = list(story(seed)), [], []
    kept, settings = [], SETTINGS.but(**changes)
    screen, among = RecentDocuments.screen, Undecided.among

    def counted(a, *given):
        found = among(a, *given)
        of.append(len(a))
        left.append(len(found.places))
        kept.append(np.count_nonzero(found.may_decide(np.zeros((len(found.places), 4)))))
        return found

    monkeypatch.setattr(RecentDocuments, "screen", lambda *_: None)
    plain = decided(documents, settings, many=PLAIN)
    monkeypatch.setattr(RecentDocuments, "screen", screen)
    monkeypatch.setattr(Undecided, "among", counted)
    assert decided(documents, settings, many=PLAIN) == plain
    assert 0 < sum(kept) < sum(left) < sum(of)
