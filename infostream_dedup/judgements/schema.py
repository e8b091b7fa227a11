"""Tables of a desk. Times are UTC microseconds since 1970."""

from __future__ import annotations

from typing import Final

APPLICATION_ID: Final = 0x4953444B
"""Marks an SQLite file as a desk: ``ISDK``."""

VERSION: Final = 1
"""Version of the schema, as ``PRAGMA user_version``."""

LABELS: Final = ("dup", "similar", "template", "translation", "different")
"""The labels that a person may give a pair, as in labels files. NULL is a skipped pair."""

_ONE_OF: Final = ", ".join(f"'{label}'" for label in LABELS)

TABLES: Final[tuple[str, ...]] = (
    # a is the smaller id. undoes: the judgement that this row undoes.
    f"""CREATE TABLE judgement (
        number INTEGER PRIMARY KEY CHECK (number >= 1),
        a TEXT NOT NULL CHECK (a <> ''),
        b TEXT NOT NULL CHECK (b > a),
        version_a INTEGER,
        version_b INTEGER,
        label TEXT CHECK (label IN ({_ONE_OF})),
        repeats TEXT CHECK (repeats IN ('a', 'b', 'both')),
        person TEXT NOT NULL CHECK (person <> ''),
        at INTEGER NOT NULL,
        seconds REAL NOT NULL CHECK (seconds >= 0),
        queue TEXT NOT NULL,
        seen_verdict INTEGER NOT NULL CHECK (seen_verdict IN (0, 1)),
        key TEXT NOT NULL UNIQUE CHECK (key <> ''),
        undoes INTEGER UNIQUE REFERENCES judgement (number),
        CHECK (undoes IS NULL OR (label IS NULL AND repeats IS NULL))
    ) STRICT""",
    "CREATE INDEX judgement_pair ON judgement (a, b, person)",
    "CREATE INDEX judgement_person ON judgement (person, number)",
    """CREATE TRIGGER judgement_stays BEFORE UPDATE ON judgement
    BEGIN SELECT RAISE(ABORT, 'judgements are never changed'); END""",
    """CREATE TRIGGER judgement_remains BEFORE DELETE ON judgement
    BEGIN SELECT RAISE(ABORT, 'judgements are never deleted'); END""",
    # What each person says of each pair now: the latest row that was not undone.
    """CREATE VIEW v_judgement AS
    SELECT said.* FROM judgement AS said
    WHERE said.undoes IS NULL AND said.number = (
        SELECT max(number) FROM judgement AS own
        WHERE own.a = said.a AND own.b = said.b AND own.person = said.person AND own.undoes IS NULL
            AND NOT EXISTS (SELECT 1 FROM judgement AS undo WHERE undo.undoes = own.number)
    )""",
    # What each person said without seeing the others' judgements.
    """CREATE VIEW v_opinion AS
    SELECT said.* FROM judgement AS said
    WHERE said.undoes IS NULL AND said.queue <> 'disagreement' AND said.number = (
        SELECT max(number) FROM judgement AS own
        WHERE own.a = said.a AND own.b = said.b AND own.person = said.person AND own.undoes IS NULL
            AND own.queue <> 'disagreement'
            AND NOT EXISTS (SELECT 1 FROM judgement AS undo WHERE undo.undoes = own.number)
    )""",
    # Pairs that somebody asked to have judged, in the order of asking.
    """CREATE TABLE asked (
        number INTEGER PRIMARY KEY,
        queue TEXT NOT NULL,
        a TEXT NOT NULL,
        b TEXT NOT NULL CHECK (b > a),
        UNIQUE (queue, a, b)
    ) STRICT""",
    """CREATE TABLE reservation (
        a TEXT NOT NULL,
        b TEXT NOT NULL,
        person TEXT NOT NULL,
        queue TEXT NOT NULL,
        until INTEGER NOT NULL,
        PRIMARY KEY (a, b)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX reservation_person ON reservation (person, queue, until)",
    """CREATE TABLE review (
        number INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('template', 'alarm')),
        subject TEXT NOT NULL,
        decision TEXT,
        measure REAL,
        person TEXT NOT NULL,
        at INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX review_subject ON review (kind, subject, number)",
    """CREATE TABLE job (
        number INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        parameters TEXT NOT NULL CHECK (json_valid(parameters)),
        position TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'stopped')),
        step TEXT NOT NULL DEFAULT '',
        done INTEGER NOT NULL DEFAULT 0,
        total INTEGER,
        stop INTEGER NOT NULL DEFAULT 0 CHECK (stop IN (0, 1)),
        message TEXT,
        result TEXT CHECK (result IS NULL OR json_valid(result)),
        person TEXT NOT NULL,
        began INTEGER NOT NULL,
        ended INTEGER
    ) STRICT""",
    "CREATE INDEX job_kind ON job (kind, state, number)",
)
