"""Tables and views of a store, as an analyst sees them in any SQLite browser.

Times are UTC microseconds since 1970. Arrays are blobs of little-endian integers: 4 bytes for numbers of terms and
document frequencies, 8 bytes for weights (in units of 1e-9), hashes of numbers and ordinals.
"""

from __future__ import annotations

from typing import Final

__all__ = ["ACROSS", "APPLICATION_ID", "DATED_GROUPS", "EVIDENCE", "JUDGEMENT", "REPEATS", "TABLES", "TERM", "VIEWS"]

APPLICATION_ID: Final = 0x49534444
"""Marks an SQLite file as one of our stores: ``ISDD``."""

TABLES: Final[tuple[str, ...]] = (
    """CREATE TABLE store (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        settings_digest TEXT NOT NULL CHECK (settings_digest <> ''),
        settings TEXT NOT NULL CHECK (json_valid(settings)),
        made_by TEXT NOT NULL,
        expired_below INTEGER NOT NULL DEFAULT 0 CHECK (expired_below >= 0)
    ) STRICT""",
    # answers: ordinals of the batch's documents; NULL if they are exactly the new ones, in order.
    # oldest: smallest ordinal still in the window after the batch.
    """CREATE TABLE batch (
        sequence INTEGER PRIMARY KEY CHECK (sequence >= 0),
        batch_id TEXT NOT NULL UNIQUE CHECK (batch_id <> ''),
        content_hash BLOB NOT NULL,
        first_ordinal INTEGER NOT NULL CHECK (first_ordinal >= 0),
        documents INTEGER NOT NULL CHECK (documents >= 0),
        answers BLOB CHECK (length(answers) % 8 = 0),
        first_term INTEGER NOT NULL CHECK (first_term >= 0),
        terms INTEGER NOT NULL CHECK (terms >= 0),
        oldest INTEGER NOT NULL CHECK (oldest >= 0),
        checksum BLOB NOT NULL CHECK (length(checksum) = 16)
    ) STRICT""",
    """CREATE TABLE document (
        ordinal INTEGER PRIMARY KEY CHECK (ordinal >= 0),
        batch INTEGER NOT NULL REFERENCES batch (sequence),
        id TEXT NOT NULL CHECK (id <> ''),
        version INTEGER NOT NULL CHECK (version >= 0),
        source TEXT,
        language TEXT NOT NULL CHECK (language IN ('ru', 'uk', 'en')),
        clock INTEGER NOT NULL,
        published INTEGER,
        epoch INTEGER NOT NULL CHECK (epoch >= 0),
        length INTEGER NOT NULL CHECK (length >= 0),
        content_hash BLOB NOT NULL,
        signature_hash BLOB NOT NULL CHECK (length(signature_hash) = 8),
        title TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('new', 'exact', 'duplicate', 'similar', 'insufficient_text')),
        of_id TEXT,
        group_id TEXT NOT NULL,
        relation TEXT CHECK (relation IN ('equal', 'contained', 'contains', 'template', 'updated')),
        forward INTEGER CHECK (forward BETWEEN 0 AND 255),
        backward INTEGER CHECK (backward BETWEEN 0 AND 255),
        terms TEXT CHECK (terms IS NULL OR json_valid(terms)),
        forgotten INTEGER NOT NULL DEFAULT 0 CHECK (forgotten IN (0, 1)),
        UNIQUE (id, version)
    ) STRICT""",
    "CREATE INDEX document_forgotten ON document (ordinal) WHERE forgotten = 1",
    """CREATE TABLE signature (
        ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
        text_hash BLOB NOT NULL,
        opening_hash BLOB NOT NULL,
        keys BLOB NOT NULL CHECK (length(keys) % 4 = 0),
        weights BLOB NOT NULL CHECK (length(weights) = 2 * length(keys)),
        targets BLOB NOT NULL CHECK (length(targets) % 4 = 0),
        numbers BLOB NOT NULL CHECK (length(numbers) % 8 = 0)
    ) STRICT""",
    # Only if the store keeps texts; compressed by zlib.
    """CREATE TABLE body (
        ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
        packed BLOB NOT NULL
    ) STRICT""",
    # Replaced by TERM.
    """CREATE TABLE term (
        number INTEGER PRIMARY KEY CHECK (number BETWEEN 0 AND 2147483647),
        term TEXT NOT NULL UNIQUE
    ) STRICT""",
    """CREATE TABLE epoch_frequency (
        epoch INTEGER NOT NULL CHECK (epoch >= 0),
        language TEXT NOT NULL CHECK (language IN ('ru', 'uk', 'en')),
        batch INTEGER NOT NULL REFERENCES batch (sequence),
        documents INTEGER NOT NULL CHECK (documents >= 0),
        length INTEGER NOT NULL CHECK (length >= 0),
        terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
        df BLOB NOT NULL CHECK (length(df) = length(terms)),
        PRIMARY KEY (epoch, language)
    ) STRICT""",
    # What forgotten documents of the open epoch had added to its frequencies; removed when the epoch closes.
    """CREATE TABLE withheld_frequency (
        epoch INTEGER NOT NULL CHECK (epoch >= 0),
        language TEXT NOT NULL CHECK (language IN ('ru', 'uk', 'en')),
        terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
        df BLOB NOT NULL CHECK (length(df) = length(terms)),
        PRIMARY KEY (epoch, language)
    ) STRICT""",
    """CREATE TABLE event (
        number INTEGER PRIMARY KEY CHECK (number >= 0),
        batch INTEGER NOT NULL REFERENCES batch (sequence),
        ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
        kind TEXT NOT NULL CHECK (kind IN ('merge', 'expiry', 'alarm', 'limit')),
        group_id TEXT NOT NULL,
        other TEXT CHECK ((other IS NOT NULL) = (kind = 'merge')),
        value REAL
    ) STRICT""",
    "CREATE INDEX event_batch ON event (batch)",
    "CREATE INDEX event_merge ON event (other, ordinal) WHERE kind = 'merge'",
    """CREATE TABLE state (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL CHECK (json_valid(value))
    ) STRICT, WITHOUT ROWID""",
    # Lets views read blobs: a byte and its value.
    """CREATE TABLE octet (
        octet BLOB PRIMARY KEY CHECK (length(octet) = 1),
        value INTEGER NOT NULL UNIQUE CHECK (value BETWEEN 0 AND 255)
    ) STRICT, WITHOUT ROWID""",
)


TERM: Final = """CREATE TABLE term (
    number INTEGER PRIMARY KEY CHECK (number BETWEEN 0 AND 2147483647),
    term TEXT NOT NULL
) STRICT"""
"""Each term once, without the index of SQLite that the first schema had; ``term_index`` finds a term by its text."""


JUDGEMENT: Final = """CREATE TABLE judgement (
    ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
    probability REAL NOT NULL CHECK (probability BETWEEN 0 AND 1),
    criteria TEXT NOT NULL CHECK (json_valid(criteria))
) STRICT"""
"""What the model of a stream says about a document and the one that it repeats or resembles."""


REPEATS: Final[tuple[str, ...]] = (
    """CREATE TABLE repeat_frequency (
        epoch INTEGER NOT NULL,
        language TEXT NOT NULL,
        batch INTEGER NOT NULL REFERENCES batch (sequence),
        documents INTEGER NOT NULL CHECK (documents >= 1),
        length INTEGER NOT NULL CHECK (length >= 0),
        terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
        df BLOB NOT NULL CHECK (length(df) = length(terms)),
        PRIMARY KEY (epoch, language),
        FOREIGN KEY (epoch, language) REFERENCES epoch_frequency (epoch, language)
    ) STRICT""",
    """CREATE TABLE withheld_repeats (
        epoch INTEGER NOT NULL CHECK (epoch >= 0),
        language TEXT NOT NULL CHECK (language IN ('ru', 'uk', 'en')),
        terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
        df BLOB NOT NULL CHECK (length(df) = length(terms)),
        PRIMARY KEY (epoch, language)
    ) STRICT""",
)
"""As `epoch_frequency` and `withheld_frequency`, over documents that repeat earlier ones; empty if `df_counts` is
``all``. A language without a repeat in the epoch has no row."""


def _time(column: str) -> str:
    return f"strftime('%Y-%m-%dT%H:%M:%SZ', {column} / 1000000, 'unixepoch')"


def _integer(blob: str, place: str, size: int) -> str:
    """The integer at `place` of a blob; with joins instead of look-ups, SQLite chooses plans that never finish."""
    octets = (f"substr({blob}, {size} * {place} + {byte + 1}, 1)" for byte in range(size))
    values = (f"(SELECT value FROM octet WHERE octet = {octet})" for octet in octets)
    return " + ".join(f"({value} << {8 * byte})" for byte, value in enumerate(values))


# ruff: noqa: S608 - all names in the views are from this file
VIEWS: Final[tuple[str, ...]] = (
    # The first merge of a document's group after the document leads to another group, whose next merge leads on; the
    # last one holds. Earlier merges do not count: a name may be used again when an id is.
    """CREATE VIEW v_members AS
    WITH RECURSIVE path (began, number, group_id) AS (
        SELECT number, number, group_id FROM event WHERE kind = 'merge'
        UNION ALL
        SELECT path.began, event.number, event.group_id FROM path JOIN event ON event.number = (
            SELECT min(later.number) FROM event AS later
            WHERE later.kind = 'merge' AND later.other = path.group_id AND later.number > path.number
        )
    ),
    final (began, number, group_id) AS (SELECT began, max(number), group_id FROM path GROUP BY began)
    SELECT document.ordinal, document.id, coalesce(final.group_id, document.group_id) AS group_id
    FROM document LEFT JOIN final ON final.began = (
        SELECT min(number) FROM event
        WHERE kind = 'merge' AND other = document.group_id AND event.ordinal >= document.ordinal
    )""",
    f"""CREATE VIEW v_duplicates AS
    SELECT document.ordinal, document.id, document.status, document.relation, document.of_id,
        document.forward, document.backward, document.terms, document.group_id,
        document.source, earlier.source AS of_source,
        {_time("document.published")} AS published, {_time("earlier.published")} AS of_published,
        document.title, earlier.title AS of_title
    FROM document JOIN document AS earlier ON earlier.ordinal = (
        SELECT max(ordinal) FROM document AS named WHERE named.id = document.of_id AND named.ordinal < document.ordinal
    )
    WHERE document.status IN ('exact', 'duplicate', 'similar')""",
    f"""CREATE VIEW v_groups AS
    WITH several AS (
        SELECT v_members.group_id, count(*) AS documents, count(DISTINCT source) AS sources,
            count(DISTINCT language) AS languages, min(document.ordinal) AS earliest,
            min(coalesce(published, clock)) AS first, max(coalesce(published, clock)) AS last
        FROM v_members JOIN document ON document.ordinal = v_members.ordinal
        GROUP BY v_members.group_id HAVING count(*) > 1
    )
    SELECT several.group_id, documents, sources, languages, {_time("first")} AS first, {_time("last")} AS last,
        document.title, document.ordinal,
        EXISTS (SELECT 1 FROM event WHERE kind = 'alarm' AND event.group_id = several.group_id) AS alarm
    FROM several JOIN document ON document.ordinal = several.earliest""",
    f"""CREATE VIEW v_terms AS
    SELECT document.ordinal, document.id, place.value + 1 AS rank,
        (SELECT term FROM term WHERE number = {_integer("signature.keys", "place.value", 4)}) AS term,
        ({_integer("signature.weights", "place.value", 8)}) / 1e9 AS weight
    FROM document
    JOIN signature ON signature.ordinal = document.ordinal
    CROSS JOIN octet AS place ON place.value < length(signature.keys) / 4""",
)


DATED_GROUPS: Final = f"""CREATE VIEW v_groups AS
WITH several AS (
    SELECT v_members.group_id, count(*) AS documents, count(DISTINCT source) AS sources,
        count(DISTINCT language) AS languages, min(document.ordinal) AS earliest,
        min(coalesce(published, nullif(clock, 0))) AS first,
        max(coalesce(published, nullif(clock, 0))) AS last
    FROM v_members JOIN document ON document.ordinal = v_members.ordinal
    GROUP BY v_members.group_id HAVING count(*) > 1
)
SELECT several.group_id, documents, sources, languages, {_time("first")} AS first, {_time("last")} AS last,
    document.title, document.ordinal,
    EXISTS (SELECT 1 FROM event WHERE kind = 'alarm' AND event.group_id = several.group_id) AS alarm
FROM several JOIN document ON document.ordinal = several.earliest"""
"""The current view: a group whose documents arrived before any date has none; earlier it had 1970."""


EVIDENCE: Final[tuple[str, ...]] = (
    """ALTER TABLE document ADD COLUMN kind TEXT CHECK (kind IN
        ('copy', 'retold', 'contained', 'contains', 'template', 'updated', 'follow-up', 'related', 'translation'))""",
    "ALTER TABLE document ADD COLUMN probability REAL CHECK (probability BETWEEN 0 AND 1)",
    "ALTER TABLE document ADD COLUMN url TEXT",
    # keys, weights: the key terms after the first n, up to the 30 heaviest, that are compared.
    """CREATE TABLE evidence (
        ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
        keys BLOB NOT NULL CHECK (length(keys) % 4 = 0),
        weights BLOB NOT NULL CHECK (length(weights) = 2 * length(keys)),
        record BLOB NOT NULL CHECK (length(record) % 4 = 0)
    ) STRICT""",
    # Separate from the records, because it is read for few documents only.
    """CREATE TABLE wording (
        ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
        triples BLOB NOT NULL CHECK (length(triples) % 8 = 0)
    ) STRICT""",
    # Part 0 counts all documents before the epoch, every other part those of one batch within it.
    """CREATE TABLE evidence_frequency (
        epoch INTEGER NOT NULL CHECK (epoch >= 0),
        part INTEGER NOT NULL CHECK (part >= 0),
        counts BLOB NOT NULL,
        checksum BLOB NOT NULL CHECK (length(checksum) = 16),
        PRIMARY KEY (epoch, part)
    ) STRICT""",
)
"""What preset ``judged`` keeps: kinds and probabilities of verdicts, evidence of documents, and its frequencies. Also
the address of every document."""


ACROSS: Final[tuple[str, ...]] = (
    "ALTER TABLE document ADD COLUMN translation_of TEXT",
    "ALTER TABLE document ADD COLUMN translation TEXT CHECK (translation IS NULL OR json_valid(translation))",
    "ALTER TABLE document ADD COLUMN story_id TEXT",
    # members: 8 bytes each, a term times 32 plus the place of the key term that it stands for.
    # canonical, further: terms that frequencies count, and further terms by which the document can be found.
    # links: ordinals of earlier documents, each followed by the smaller share in units of 1e-9.
    """CREATE TABLE pivot (
        ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
        keys BLOB NOT NULL CHECK (length(keys) % 4 = 0),
        weights BLOB NOT NULL CHECK (length(weights) = 2 * length(keys)),
        members BLOB NOT NULL CHECK (length(members) % 8 = 0),
        canonical BLOB NOT NULL CHECK (length(canonical) % 4 = 0),
        further BLOB NOT NULL CHECK (length(further) % 4 = 0),
        links BLOB NOT NULL CHECK (length(links) % 16 = 0)
    ) STRICT""",
    # As epoch_frequency and withheld_frequency, over the documents of all languages; language is the pivot language.
    """CREATE TABLE pivot_frequency (
        epoch INTEGER NOT NULL,
        language TEXT NOT NULL CHECK (language IN ('ru', 'uk', 'en')),
        batch INTEGER NOT NULL REFERENCES batch (sequence),
        documents INTEGER NOT NULL CHECK (documents >= 1),
        length INTEGER NOT NULL CHECK (length >= 0),
        terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
        df BLOB NOT NULL CHECK (length(df) = length(terms)),
        PRIMARY KEY (epoch, language)
    ) STRICT""",
    """CREATE TABLE withheld_pivot (
        epoch INTEGER NOT NULL CHECK (epoch >= 0),
        language TEXT NOT NULL CHECK (language IN ('ru', 'uk', 'en')),
        terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
        df BLOB NOT NULL CHECK (length(df) = length(terms)),
        PRIMARY KEY (epoch, language)
    ) STRICT""",
    """CREATE TABLE story_event (
        number INTEGER PRIMARY KEY CHECK (number >= 0),
        batch INTEGER NOT NULL REFERENCES batch (sequence),
        ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
        story_id TEXT NOT NULL,
        other TEXT NOT NULL CHECK (other <> story_id),
        begun INTEGER NOT NULL CHECK (begun BETWEEN 0 AND ordinal)
    ) STRICT""",
    "CREATE INDEX story_event_batch ON story_event (batch)",
    # begun: ordinal of its earliest document. Stories that joined others have no row.
    """CREATE TABLE story (
        story_id TEXT PRIMARY KEY,
        begun INTEGER NOT NULL CHECK (begun >= 0)
    ) STRICT, WITHOUT ROWID""",
    # alive: whether a document of the group is in the window.
    """CREATE TABLE telling (
        group_id TEXT PRIMARY KEY,
        story_id TEXT NOT NULL REFERENCES story (story_id) DEFERRABLE INITIALLY DEFERRED,
        alive INTEGER NOT NULL DEFAULT 1 CHECK (alive IN (0, 1))
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX telling_story ON telling (story_id)",
)
"""What a stream that looks across languages keeps: translations and stories of verdicts, terms of the pivot language
with their frequencies, events of stories, and the current story of each group that has one."""
