-- Tables and views of a store, as an analyst sees them in any SQLite browser.
--
-- Times are UTC microseconds since 1970. Arrays are blobs of little-endian integers: 4 bytes for numbers of terms and
-- document frequencies, 8 bytes for weights (in units of 1e-9), hashes of numbers and ordinals.
-- Words are compared one by one, because for IN, SQLite builds a table of the words whenever it checks a row.

-- The settings of the stream. expired_below: all signatures with smaller ordinals have been deleted.
CREATE TABLE store (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    settings_digest TEXT NOT NULL CHECK (settings_digest <> ''),
    settings TEXT NOT NULL CHECK (json_valid(settings)),
    made_by TEXT NOT NULL,
    expired_below INTEGER NOT NULL DEFAULT 0 CHECK (expired_below >= 0)
) STRICT;

-- Small values that the engine keeps between batches, and a checksum of all single values.
CREATE TABLE state (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL CHECK (json_valid(value))
) STRICT, WITHOUT ROWID;

-- answers: ordinals of the batch's documents; NULL if they are exactly the new ones, in order.
-- oldest: smallest ordinal in the window after the batch. checksum: covers everything that the batch wrote.
CREATE TABLE batch (
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
) STRICT;

-- Documents and their verdicts. version: number of earlier documents with the same id. clock: the stream's clock.
-- length: number of terms. signature_hash: covers the document's rows in the six tables that follow.
-- group_id, story_id: as the verdict named them. url: as given. kind, probability: of preset judged.
-- differs_by, differing: why a document differs from the earlier one in few words, and these words of both.
CREATE TABLE document (
    ordinal INTEGER PRIMARY KEY CHECK (ordinal >= 0),
    batch INTEGER NOT NULL REFERENCES batch (sequence),
    id TEXT NOT NULL CHECK (id <> ''),
    version INTEGER NOT NULL CHECK (version >= 0),
    source TEXT,
    language TEXT NOT NULL CHECK (language = 'ru' OR language = 'uk' OR language = 'en' OR language = 'other'),
    clock INTEGER NOT NULL,
    published INTEGER,
    epoch INTEGER NOT NULL CHECK (epoch >= 0),
    length INTEGER NOT NULL CHECK (length >= 0),
    content_hash BLOB NOT NULL,
    signature_hash BLOB NOT NULL CHECK (length(signature_hash) = 8),
    title TEXT NOT NULL,
    status TEXT NOT NULL CHECK (
        status = 'new' OR status = 'exact' OR status = 'duplicate' OR status = 'similar'
        OR status = 'insufficient_text'
    ),
    of_id TEXT,
    group_id TEXT NOT NULL,
    relation TEXT CHECK (
        relation = 'equal' OR relation = 'contained' OR relation = 'contains' OR relation = 'template'
        OR relation = 'updated'
    ),
    forward INTEGER CHECK (forward BETWEEN 0 AND 255),
    backward INTEGER CHECK (backward BETWEEN 0 AND 255),
    terms TEXT CHECK (terms IS NULL OR json_valid(terms)),
    forgotten INTEGER NOT NULL DEFAULT 0 CHECK (forgotten IN (0, 1)),
    kind TEXT CHECK (
        kind = 'copy' OR kind = 'retold' OR kind = 'contained' OR kind = 'contains' OR kind = 'template'
        OR kind = 'updated' OR kind = 'follow-up' OR kind = 'related' OR kind = 'translation'
        OR kind = 'differs' OR kind = 'same-story'
    ),
    probability REAL CHECK (probability BETWEEN 0 AND 1),
    differs_by TEXT,
    differing TEXT CHECK (differing IS NULL OR json_valid(differing)),
    url TEXT,
    translation_of TEXT,
    translation TEXT CHECK (translation IS NULL OR json_valid(translation)),
    same_story_of TEXT,
    story_id TEXT,
    UNIQUE (id, version)
) STRICT;
CREATE INDEX document_forgotten ON document (ordinal) WHERE forgotten = 1;

-- Terms and hashes by which later documents are compared. targets: all terms, ascending.
CREATE TABLE signature (
    ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
    text_hash BLOB NOT NULL,
    opening_hash BLOB NOT NULL,
    keys BLOB NOT NULL CHECK (length(keys) % 4 = 0),
    weights BLOB NOT NULL CHECK (length(weights) = 2 * length(keys)),
    targets BLOB NOT NULL CHECK (length(targets) % 4 = 0),
    numbers BLOB NOT NULL CHECK (length(numbers) % 8 = 0)
) STRICT;

-- Text compressed by zlib, only if the stream keeps texts.
CREATE TABLE body (
    ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
    packed BLOB NOT NULL
) STRICT;

-- keys, weights: the key terms after the first n, up to the 30 heaviest, that preset judged compares.
-- record: numbers, names and words of the lead as hashes, and the first 512 characters as written.
CREATE TABLE evidence (
    ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
    keys BLOB NOT NULL CHECK (length(keys) % 4 = 0),
    weights BLOB NOT NULL CHECK (length(weights) = 2 * length(keys)),
    record BLOB NOT NULL CHECK (length(record) % 4 = 0)
) STRICT;

-- Triples of words; apart from evidence because they are read for few documents only.
CREATE TABLE wording (
    ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
    triples BLOB NOT NULL CHECK (length(triples) % 8 = 0)
) STRICT;

-- Terms of the pivot language, in streams that look across languages.
-- members: 8 bytes each, a term times 32 plus the place of the key term that it stands for.
-- canonical, further: terms that frequencies count, and further terms by which the document can be found.
-- word_order: the first words of the text as they follow each other.
-- links: ordinals of earlier documents, each followed by the smaller share in units of 1e-9.
CREATE TABLE pivot (
    ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
    keys BLOB NOT NULL CHECK (length(keys) % 4 = 0),
    weights BLOB NOT NULL CHECK (length(weights) = 2 * length(keys)),
    members BLOB NOT NULL CHECK (length(members) % 8 = 0),
    canonical BLOB NOT NULL CHECK (length(canonical) % 4 = 0),
    further BLOB NOT NULL CHECK (length(further) % 4 = 0),
    word_order BLOB NOT NULL CHECK (length(word_order) % 4 = 0),
    links BLOB NOT NULL CHECK (length(links) % 16 = 0)
) STRICT;

-- First and last lines and sentences of the text, from which repeated lines are learned: 34 bytes each, a hash of 8
-- bytes, the number of words, marks, and twelve hashes of 2 bytes of beginnings of words.
CREATE TABLE fragments (
    ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
    lines BLOB NOT NULL CHECK (length(lines) % 34 = 0)
) STRICT;

-- What the model of a stream says about a document and the one that it repeats or resembles.
CREATE TABLE judgement (
    ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
    probability REAL NOT NULL CHECK (probability BETWEEN 0 AND 1),
    criteria TEXT NOT NULL CHECK (json_valid(criteria))
) STRICT;

-- Every term once; table term_index finds a term by its text.
CREATE TABLE term (
    number INTEGER PRIMARY KEY CHECK (number BETWEEN 0 AND 2147483647),
    term TEXT NOT NULL
) STRICT;

-- Hashes of a block of consecutive terms from number first on (4 bytes each, ascending), then the place in the block of
-- the term with each hash (2 bytes each).
CREATE TABLE term_index (
    first INTEGER PRIMARY KEY CHECK (first >= 0),
    packed BLOB NOT NULL,
    checksum BLOB NOT NULL CHECK (length(checksum) = 16)
) STRICT;

-- Document frequencies of closed epochs.
CREATE TABLE epoch_frequency (
    epoch INTEGER NOT NULL CHECK (epoch >= 0),
    language TEXT NOT NULL CHECK (language = 'ru' OR language = 'uk' OR language = 'en' OR language = 'other'),
    batch INTEGER NOT NULL REFERENCES batch (sequence),
    documents INTEGER NOT NULL CHECK (documents >= 0),
    length INTEGER NOT NULL CHECK (length >= 0),
    terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
    df BLOB NOT NULL CHECK (length(df) = length(terms)),
    PRIMARY KEY (epoch, language)
) STRICT;

-- The same over documents that repeat earlier ones; empty if setting df_counts is all. A language without a repeat in
-- the epoch has no row.
CREATE TABLE repeat_frequency (
    epoch INTEGER NOT NULL,
    language TEXT NOT NULL,
    batch INTEGER NOT NULL REFERENCES batch (sequence),
    documents INTEGER NOT NULL CHECK (documents >= 1),
    length INTEGER NOT NULL CHECK (length >= 0),
    terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
    df BLOB NOT NULL CHECK (length(df) = length(terms)),
    PRIMARY KEY (epoch, language),
    FOREIGN KEY (epoch, language) REFERENCES epoch_frequency (epoch, language)
) STRICT;

-- The same over the documents of all languages; language is the pivot language.
CREATE TABLE pivot_frequency (
    epoch INTEGER NOT NULL,
    language TEXT NOT NULL CHECK (language = 'ru' OR language = 'uk' OR language = 'en'),
    batch INTEGER NOT NULL REFERENCES batch (sequence),
    documents INTEGER NOT NULL CHECK (documents >= 1),
    length INTEGER NOT NULL CHECK (length >= 0),
    terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
    df BLOB NOT NULL CHECK (length(df) = length(terms)),
    PRIMARY KEY (epoch, language)
) STRICT;

-- What forgotten documents of the open epoch had added to its frequencies; removed when the epoch closes.
CREATE TABLE withheld_frequency (
    epoch INTEGER NOT NULL CHECK (epoch >= 0),
    language TEXT NOT NULL CHECK (language = 'ru' OR language = 'uk' OR language = 'en' OR language = 'other'),
    terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
    df BLOB NOT NULL CHECK (length(df) = length(terms)),
    PRIMARY KEY (epoch, language)
) STRICT;

CREATE TABLE withheld_repeats (
    epoch INTEGER NOT NULL CHECK (epoch >= 0),
    language TEXT NOT NULL CHECK (language = 'ru' OR language = 'uk' OR language = 'en' OR language = 'other'),
    terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
    df BLOB NOT NULL CHECK (length(df) = length(terms)),
    PRIMARY KEY (epoch, language)
) STRICT;

CREATE TABLE withheld_pivot (
    epoch INTEGER NOT NULL CHECK (epoch >= 0),
    language TEXT NOT NULL CHECK (language = 'ru' OR language = 'uk' OR language = 'en'),
    terms BLOB NOT NULL CHECK (length(terms) % 4 = 0),
    df BLOB NOT NULL CHECK (length(df) = length(terms)),
    PRIMARY KEY (epoch, language)
) STRICT;

-- Part 0 counts all documents before the epoch, every other part those of one batch within it.
CREATE TABLE evidence_frequency (
    epoch INTEGER NOT NULL CHECK (epoch >= 0),
    part INTEGER NOT NULL CHECK (part >= 0),
    counts BLOB NOT NULL,
    checksum BLOB NOT NULL CHECK (length(checksum) = 16),
    PRIMARY KEY (epoch, part)
) STRICT;

-- What happened to groups and sources.
CREATE TABLE event (
    number INTEGER PRIMARY KEY CHECK (number >= 0),
    batch INTEGER NOT NULL REFERENCES batch (sequence),
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    kind TEXT NOT NULL CHECK (kind IN ('merge', 'expiry', 'alarm', 'limit', 'watch')),
    group_id TEXT NOT NULL,
    other TEXT CHECK ((other IS NOT NULL) = (kind = 'merge')),
    value REAL
) STRICT;
CREATE INDEX event_batch ON event (batch);
CREATE INDEX event_merge ON event (other, ordinal) WHERE kind = 'merge';
CREATE INDEX event_alarm ON event (group_id) WHERE kind = 'alarm';
CREATE INDEX event_watch ON event (ordinal) WHERE kind = 'watch';
CREATE INDEX event_watched ON event (group_id, ordinal) WHERE kind = 'watch';

-- The current groups of two or more documents; views v_members and v_groups give the same, following all merges.
-- earliest: ordinal of the earliest document. first, last: of publication, or of arrival without a date; NULL if no
-- document has either.
CREATE TABLE grouping (
    group_id TEXT PRIMARY KEY,
    earliest INTEGER NOT NULL REFERENCES document (ordinal),
    documents INTEGER NOT NULL CHECK (documents >= 2),
    sources INTEGER NOT NULL CHECK (sources >= 0),
    languages INTEGER NOT NULL CHECK (languages >= 1),
    first INTEGER,
    last INTEGER,
    alarm INTEGER NOT NULL DEFAULT 0 CHECK (alarm IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX grouping_size ON grouping (documents DESC, earliest);
CREATE INDEX grouping_last ON grouping (last DESC, earliest);

CREATE TABLE membership (
    ordinal INTEGER PRIMARY KEY REFERENCES document (ordinal),
    group_id TEXT NOT NULL,
    source TEXT,
    language TEXT NOT NULL
) STRICT;
CREATE INDEX membership_group ON membership (group_id, ordinal);
CREATE INDEX membership_source ON membership (group_id, source);
CREATE INDEX membership_language ON membership (group_id, language);

-- Stories that were united. begun: ordinal of the earliest document.
CREATE TABLE story_event (
    number INTEGER PRIMARY KEY CHECK (number >= 0),
    batch INTEGER NOT NULL REFERENCES batch (sequence),
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    story_id TEXT NOT NULL,
    other TEXT NOT NULL CHECK (other <> story_id),
    begun INTEGER NOT NULL CHECK (begun BETWEEN 0 AND ordinal),
    kind TEXT NOT NULL CHECK (kind = 'merge' OR kind = 'split')
) STRICT;
CREATE INDEX story_event_batch ON story_event (batch);

-- Current stories; those that joined others have no row.
CREATE TABLE story (
    story_id TEXT PRIMARY KEY,
    begun INTEGER NOT NULL CHECK (begun >= 0)
) STRICT, WITHOUT ROWID;

-- The story of each group that has one. alive: whether a document of the group is in the window.
CREATE TABLE telling (
    group_id TEXT PRIMARY KEY,
    story_id TEXT NOT NULL REFERENCES story (story_id) DEFERRABLE INITIALLY DEFERRED,
    alive INTEGER NOT NULL DEFAULT 1 CHECK (alive IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX telling_story ON telling (story_id);

-- Stories and the groups that tell them; a group of several documents that no other group tells is a story of its own.
CREATE VIEW v_stories AS
SELECT telling.story_id, telling.group_id, story.begun FROM telling JOIN story USING (story_id)
UNION ALL
SELECT group_id, group_id, earliest FROM grouping
WHERE NOT EXISTS (SELECT 1 FROM telling WHERE telling.group_id = grouping.group_id);

-- Each row indexes consecutive documents of one closed epoch; after the first row there are no gaps.
CREATE TABLE search_index (
    first INTEGER PRIMARY KEY CHECK (first >= 0),
    documents INTEGER NOT NULL CHECK (documents >= 1),
    packed BLOB NOT NULL,
    checksum BLOB NOT NULL CHECK (length(checksum) = 16)
) STRICT;

-- A byte and its value; lets views read blobs.
CREATE TABLE octet (
    octet BLOB PRIMARY KEY CHECK (length(octet) = 1),
    value INTEGER NOT NULL UNIQUE CHECK (value BETWEEN 0 AND 255)
) STRICT, WITHOUT ROWID;

-- The first merge of a document's group after the document leads to another group, whose next merge leads on; the last
-- one holds. Earlier merges do not count: a name may be used again when an id is.
CREATE VIEW v_members AS
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
);

CREATE VIEW v_groups AS
WITH several AS (
    SELECT v_members.group_id, count(*) AS documents, count(DISTINCT source) AS sources,
        count(DISTINCT language) AS languages, min(document.ordinal) AS earliest,
        min(coalesce(published, nullif(clock, 0))) AS first,
        max(coalesce(published, nullif(clock, 0))) AS last
    FROM v_members JOIN document ON document.ordinal = v_members.ordinal
    GROUP BY v_members.group_id HAVING count(*) > 1
)
SELECT several.group_id, documents, sources, languages,
    strftime('%Y-%m-%dT%H:%M:%SZ', first / 1000000, 'unixepoch') AS first,
    strftime('%Y-%m-%dT%H:%M:%SZ', last / 1000000, 'unixepoch') AS last,
    document.title, document.ordinal,
    EXISTS (SELECT 1 FROM event WHERE kind = 'alarm' AND event.group_id = several.group_id) AS alarm
FROM several JOIN document ON document.ordinal = several.earliest;

CREATE VIEW v_duplicates AS
SELECT document.ordinal, document.id, document.status, document.relation, document.of_id,
    document.forward, document.backward, document.terms, document.group_id,
    document.source, earlier.source AS of_source,
    strftime('%Y-%m-%dT%H:%M:%SZ', document.published / 1000000, 'unixepoch') AS published,
    strftime('%Y-%m-%dT%H:%M:%SZ', earlier.published / 1000000, 'unixepoch') AS of_published,
    document.title, earlier.title AS of_title
FROM document JOIN document AS earlier ON earlier.ordinal = (
    SELECT max(ordinal) FROM document AS named WHERE named.id = document.of_id AND named.ordinal < document.ordinal
)
WHERE document.status IN ('exact', 'duplicate', 'similar');

-- With joins instead of look-ups, SQLite chooses plans that never finish.
CREATE VIEW v_terms AS
SELECT document.ordinal, document.id, place.value + 1 AS rank,
    (SELECT term FROM term WHERE number =
        ((SELECT value FROM octet WHERE octet = substr(signature.keys, 4 * place.value + 1, 1)) << 0)
        + ((SELECT value FROM octet WHERE octet = substr(signature.keys, 4 * place.value + 2, 1)) << 8)
        + ((SELECT value FROM octet WHERE octet = substr(signature.keys, 4 * place.value + 3, 1)) << 16)
        + ((SELECT value FROM octet WHERE octet = substr(signature.keys, 4 * place.value + 4, 1)) << 24)
    ) AS term,
    (
        ((SELECT value FROM octet WHERE octet = substr(signature.weights, 8 * place.value + 1, 1)) << 0)
        + ((SELECT value FROM octet WHERE octet = substr(signature.weights, 8 * place.value + 2, 1)) << 8)
        + ((SELECT value FROM octet WHERE octet = substr(signature.weights, 8 * place.value + 3, 1)) << 16)
        + ((SELECT value FROM octet WHERE octet = substr(signature.weights, 8 * place.value + 4, 1)) << 24)
        + ((SELECT value FROM octet WHERE octet = substr(signature.weights, 8 * place.value + 5, 1)) << 32)
        + ((SELECT value FROM octet WHERE octet = substr(signature.weights, 8 * place.value + 6, 1)) << 40)
        + ((SELECT value FROM octet WHERE octet = substr(signature.weights, 8 * place.value + 7, 1)) << 48)
        + ((SELECT value FROM octet WHERE octet = substr(signature.weights, 8 * place.value + 8, 1)) << 56)
    ) / 1e9 AS weight
FROM document
JOIN signature ON signature.ordinal = document.ordinal
CROSS JOIN octet AS place ON place.value < length(signature.keys) / 4;
