"""Of a story that repeats itself, pairs that decide nothing are left out; the verdicts are those of all pairs."""

import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from infostream_dedup.model import Document
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.evidence_judge import _Part
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
            id=f"{seed}-{number}", text=text, title=draw.choice(["", "Мост", "Суд 5 марта", "Суд 6 марта"]), lang="ru",
            source=draw.choice([None, "одно", "другое"]), url=draw.choice([None, None, "https://a.example/1"]),
            time=None
            if draw.random() < 0.2
            else BEGIN + timedelta(hours=number * 100 / size + draw.choice([0, 0, -9])),
        )  # fmt: skip


def decided(documents, settings):
    with Deduplicator.open(None, settings) as dedup:
        found = [one for begin in range(0, len(documents), 40) for one in dedup.process(documents[begin : begin + 40])]
    return [one.as_dict() for one in found]


@pytest.mark.parametrize("seed", [11, 12])
@pytest.mark.parametrize("changes", [{}, {"join": ("copy", "template", "retold")}])
def test_leaving_out_pairs_that_decide_nothing_changes_no_verdict(monkeypatch, seed, changes):
    documents, sizes, settings = list(story(seed)), [], SETTINGS.but(**changes)
    screened = _Part.screened

    def counted(part, *given):
        found = screened(part, *given)
        maybe = found.screen.may_decide(found.bounds, np.zeros((len(found.a), 4)))
        sizes.append((len(part.a), len(found.a), np.count_nonzero(maybe)))
        return found

    monkeypatch.setattr(_Part, "screened", lambda part, _: part)
    plain = decided(documents, settings)
    monkeypatch.setattr(_Part, "screened", counted)
    assert decided(documents, settings) == plain
    of, left, kept = map(sum, zip(*sizes, strict=True))
    assert 0 < kept < left < of
