"""Collections made to be slow: how time grows with their size, and a story of very many documents."""

import math
import random
import time

import pytest

from infostream_dedup import pairs, sweep
from infostream_dedup.model import Document, Settings
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings
from tests.long_words import LONG_WORDS

WORDS = LONG_WORDS[300:6000]


def collection(kind, size):
    draw = random.Random(size)  # noqa: S311
    story = draw.sample(WORDS, 40)
    for number in range(size):
        # Words of half of the documents weigh nothing.
        if "identical" in kind and number % 5 > 1:
            text = draw.sample(WORDS, 40)
        elif kind == "near-identical":
            text = [*story[:-1], draw.choice(WORDS)]
        elif kind == "identical":
            text = story
        elif kind == "one hub":
            text = WORDS[:800] if number == 0 else draw.sample(WORDS[:800], 20)
        elif kind == "few words":
            text = draw.sample(WORDS[:60], 25)
        else:
            text = draw.sample(WORDS, 40)
        yield {"id": str(number), "text": " ".join(text), "lang": "ru"}


SAME = {"df_max": 1e9}  # words that stay key terms however many documents hold them

MANY = 12_500  # documents of a story, a unit of scale: 50,000 at the scale of ``make attack``

KINDS = ("all different", "identical", "near-identical", "one hub", "few words")


def seconds(work):
    begin = time.process_time()
    work()
    return time.process_time() - begin


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["pairs", "sweep"])
def test_time_grows_no_faster_than_the_links(command, kind, record_figures, scale):
    """Links grow with the square of a story's documents, and nothing may grow faster."""
    sizes = [150 * scale, 300 * scale, 600 * scale]

    def run(size):
        documents = list(collection(kind, size))
        if command == "pairs":
            return lambda: sum(1 for _ in pairs(documents, representation="stem", **SAME))
        return lambda: sweep(documents, representations=["stem"], **SAME)

    run(50)()
    # Of two runs the one that other programs disturbed less.
    taken = [max(min(seconds(run(size)) for _ in range(2)), 1e-3) for size in sizes]
    exponent = math.log2(taken[2] / taken[1])
    record_figures(documents=sizes[-1], cpu_seconds=taken[-1], exponent=exponent)
    # A doubling of a second or two says nothing of growth on a busy machine.
    # The two-step paths of a clique are as the cube of its documents, until there are so many that they are sampled.
    assert taken[2] < 2 or exponent < (2.7 if command == "pairs" else 3.2)


@pytest.mark.parametrize("preset", ["faithful", "judged"])
def test_a_story_of_very_many_documents(preset, record_figures, scale):
    size = 1000 if scale == 1 else MANY * scale
    documents = [Document(id=row["id"], text=row["text"], lang="ru") for row in collection("near-identical", size)]
    terms = Settings() if preset == "judged" else Settings(representation="stem")
    taken = []
    repeats = 0
    with Deduplicator.open(None, StreamSettings(terms=terms, preset=preset)) as dedup:
        for begin in range(0, size, size // 4):
            at = time.process_time()
            verdicts = dedup.process(documents[begin : begin + size // 4])
            taken.append(time.process_time() - at)
            # A copy whose last word is another verb or adjective than one of its group differs, and joins no group.
            repeats += sum(one.status in ("exact", "duplicate") or one.kind in ("copy", "differs") for one in verdicts)
    record_figures(
        documents=size, repeats=repeats, cpu_seconds=sum(taken), last_quarter_ms_a_document=4000 * taken[-1] / size
    )
    # Three documents in five tell something else.
    assert repeats >= 0.99 * 0.4 * size


def test_a_chain_of_very_many_documents_is_broken_with_an_alarm(record_figures, scale):
    """Each document is a copy of the one before with some words changed: the ends have nothing in common."""
    draw, size = random.Random(8), 600 if scale == 1 else MANY * scale  # noqa: S311
    text, documents = draw.sample(WORDS, 40), []
    for number in range(size):
        for place in draw.sample(range(40), 4):
            text[place] = draw.choice(WORDS)
        documents.append(Document(id=str(number), text=" ".join(text), lang="ru"))
    decided = StreamEngine(StreamSettings(terms=Settings(representation="stem"))).decide(documents)
    groups = {}
    for one in decided.verdicts:
        groups[one.group] = groups.get(one.group, 0) + 1
    alarms = sum(event.kind == "alarm" for event in decided.events)
    record_figures(documents=size, alarms=alarms, groups=len(groups), largest_group=max(groups.values()))
    assert alarms >= 1
    assert max(groups.values()) < size / 4
