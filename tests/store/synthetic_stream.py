"""A made-up stream that depends only on the numbers of its batches, and a process: STORE BATCHES; says what is safe."""

import sys
from dataclasses import replace

import numpy as np

from infostream_dedup.model import stream_records as records
from infostream_dedup.stream.store import Store

SIZE = 5
"""Documents of a batch."""
EPOCH = 20
"""Documents of an epoch."""
WINDOW = 30
"""Documents of the window."""
NEW_TERMS = 3
"""New terms of a document."""
HOUR = 3_600_000_000
DIGEST = "synthetic"


def document(ordinal):
    own = range(NEW_TERMS * ordinal, NEW_TERMS * (ordinal + 1))
    targets = np.unique([*own, *(n * n % (NEW_TERMS * (ordinal + 1)) for n in range(ordinal, ordinal + 20))])
    keys, further = targets[::-1][:12], targets[::-1][12:14]
    return records.Remembered(
        ordinal=ordinal,
        id=name(ordinal),
        version=0,
        source=f"site-{ordinal % 3}" if ordinal % 4 else None,
        clock=ordinal * HOUR,
        published=ordinal * HOUR if ordinal % 5 else None,
        language="ru" if ordinal % 3 else "uk",
        content_hash=ordinal.to_bytes(16, "big"),
        text_hash=(ordinal // 2).to_bytes(16, "big"),
        opening_hash=b"" if ordinal % 2 else b"opening",
        epoch=ordinal // EPOCH,
        length=40 + ordinal % 7,
        keys=keys,
        weights=np.arange(len(keys), 0, -1, dtype=np.int64) * 1_500_000_000,
        targets=targets,
        numbers=np.array([ordinal, 2**62 + ordinal][: ordinal % 3], dtype=np.int64),
        title=f"Заголовок {ordinal}",
        text=f"Текст {ordinal} " * 9 if ordinal % 2 else None,
        url=f"https://example.org/{ordinal}" if ordinal % 3 else None,
        evidence=records.KeptEvidence(
            keys=further.astype("<i4").tobytes(), weights=np.array([7, 5][: len(further)], dtype="<i8").tobytes(),
            record=ordinal.to_bytes(8, "little") * 3, triples=ordinal.to_bytes(8, "little") * (ordinal % 4),
        ),
    )  # fmt: skip


def verdict(ordinal):
    if ordinal % 4 == 3:
        earlier = name(ordinal - 1)
        return records.Verdict(
            id=name(ordinal), status="duplicate", of=earlier, group=earlier, relation="equal", forward=9, backward=8,
            terms=("слово", 'кав"ычка'), kind="copy", probability=0.987654,
        )  # fmt: skip
    if ordinal % 8 == 4:
        template = "template" if ordinal % 16 == 4 else "updated"
        return records.Verdict(
            id=name(ordinal), status="similar", of=name(ordinal - 3), group=name(ordinal), relation=template,
            forward=5, backward=4, terms=(),
        )  # fmt: skip
    return records.Verdict(id=name(ordinal), status="new", group=name(ordinal))


def name(ordinal):
    return f"документ-{ordinal}"


def frequencies(epoch):
    """Counted one by one, as a check on faster ways."""
    closed = []
    documents = [document(ordinal) for ordinal in range(EPOCH * epoch, EPOCH * (epoch + 1))]
    for language in ("ru", "uk"):
        own = [one for one in documents if one.language == language]
        df = {}
        for one in own:
            for term in one.targets.tolist():
                df[term] = df.get(term, 0) + 1
        terms = sorted(df)
        counts = np.array([df[term] for term in terms])
        length = sum(one.length for one in own)
        closed.append(records.EpochFrequencies(epoch, language, len(own), length, np.array(terms), counts))
    return closed


def batch(number, **changed):
    """A batch for `Store.append`; ``changed`` replaces fields of what was decided."""
    first = SIZE * number
    ordinals = range(first, first + SIZE)
    events = []
    if number and number % 7 == 0:
        events.append(records.GroupEvent(first, "merge", name(first - 10), name(first - 5)))
        events.append(records.GroupEvent(first, "alarm", name(first - 10), value=0.25))
    begins_epoch = first > 0 and first % EPOCH == 0
    evidence = [records.CountedEvidence(first // EPOCH, closed=False, counts=number.to_bytes(2, "big"))]
    if begins_epoch:
        evidence.insert(0, records.CountedEvidence(first // EPOCH, closed=True, counts=b"all"))
    decided = records.Decided(
        remembered=[document(ordinal) for ordinal in ordinals],
        verdicts=[verdict(ordinal) for ordinal in ordinals],
        events=events,
        closed=frequencies(first // EPOCH - 1) if begins_epoch else [],
        evidence=evidence,
        new_terms=[f"термин-{term}" for term in range(NEW_TERMS * first, NEW_TERMS * (first + SIZE))],
        state={"documents": first + SIZE, "half": number // 2},
        oldest=max(0, first + SIZE - WINDOW),
    )
    # Every third batch ends with a document of the batch before once more.
    answers = [*ordinals, first - 1] if number % 3 == 2 else None
    return records.Batch(f"batch-{number}", number.to_bytes(16, "big"), replace(decided, **changed), answers)


def write(path, batches, acknowledge):
    """Append until the store has so many batches; others may write too."""
    with Store.open(path, settings_digest=DIGEST, settings={"n": 12}) as store:
        while True:
            with store.transaction():
                if store.changed():
                    store.load(since=store.position)
                number = store.position.batches
                if number >= batches:
                    return
                store.append(batch(number))
            acknowledge(number)


def content(store):
    """All rows of all tables but those that hold times of the machine."""
    connection = store.connection
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return {
        table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr)  # noqa: S608
        for table in tables
        if not table.startswith(("_sqlite", "sqlite_"))
    }


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), lambda number: print(number, flush=True))
