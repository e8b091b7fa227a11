"""Judgements on pairs, added one row at a time and never changed; queues of pairs, labels files, agreement."""

from __future__ import annotations

import hashlib
import statistics
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, replace
from itertools import combinations, count, groupby
from sqlite3 import Connection
from typing import Any, Final

import orjson

from infostream_dedup.errors import BadDataError
from infostream_dedup.judgements.desk import LABELS, present_moment
from infostream_dedup.stream.store.browsing import time_text

_PACE_OF: Final = 20  # the pace is the median of this many judgements

_CONTENT: Final = ("a", "b", "label", "repeats", "person")

_SHOWN: Final = (
    *("number", "a", "b", "label", "repeats", "person", "at", "seconds", "queue", "seen_verdict", "undoes"),
    "EXISTS (SELECT 1 FROM judgement AS undo WHERE undo.undoes = judgement.number) AS undone",
)

_MOST_SECONDS: Final = 3600.0
_MOST_NUMBER: Final = 1 << 62
_SWAPPED: Final = {"a": "b", "b": "a"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One person's judgement on one pair."""

    a: str  # id of one document
    b: str  # id of the other; the order does not matter
    label: str | None  # one of `LABELS`; None skips the pair
    person: str  # name of the person
    key: str  # identifies this judgement: the same key is stored only once
    repeats: str | None = None  # which text repeats the other, `a`, `b` or `both`; None if not given
    seconds: float = 0.0  # time for which the pair was on display
    queue: str = "own"  # where the pair came from
    seen_verdict: bool = False  # whether the person had seen the stream's verdict
    version_a: int | None = None  # version of a that was judged; None if unknown
    version_b: int | None = None  # the same of b


@dataclass(frozen=True, slots=True)
class Said:
    """Where a judgement is stored."""

    number: int  # number of its row
    added: bool  # whether it was added now; False if its key was stored already
    a: str  # id of one document
    b: str  # id of the other
    queue: str  # where the pair came from


def ordered_pair(a: str, b: str) -> tuple[str, str]:
    """The ids of a pair, the smaller first."""
    if a == b:
        raise BadDataError("a and b are the same document", code="E_SELF_PAIR", source="judgement", field="b")
    return (a, b) if a < b else (b, a)


def add_judgement(connection: Connection, judgement: Judgement) -> Said:
    """Add a judgement; if its key was stored before, return the stored one instead."""
    a, b = ordered_pair(judgement.a, judgement.b)
    swapped = a != judgement.a
    repeats, versions = judgement.repeats, (judgement.version_a, judgement.version_b)
    if swapped:
        repeats, versions = _SWAPPED.get(repeats or "", repeats), versions[::-1]
    before = connection.execute(
        f"SELECT number, undoes, queue, {', '.join(_CONTENT)} FROM judgement WHERE key = ?",  # noqa: S608
        (judgement.key,),
    ).fetchone()
    if before is not None:
        number, undoes, queue, *content = before
        if undoes is not None or tuple(content) != (a, b, judgement.label, repeats, judgement.person):
            raise BadDataError("belongs to another judgement", code="E_KEY_CONFLICT", source="judgement", field="key")
        return Said(number, added=False, a=a, b=b, queue=queue)
    given = asdict(judgement) | {"a": a, "b": b, "repeats": repeats, "version_a": versions[0], "version_b": versions[1]}
    seconds = min(max(judgement.seconds, 0.0), _MOST_SECONDS)
    number = _insert(connection, given | {"at": present_moment(), "seconds": seconds})
    connection.execute("DELETE FROM reservation WHERE a = ? AND b = ? AND person = ?", (a, b, judgement.person))
    return Said(number, added=True, a=a, b=b, queue=judgement.queue)


def undo_judgement(connection: Connection, number: int, person: str, key: str) -> Said:
    """Undo a judgement by adding a row; a judgement undone before stays undone."""
    found = connection.execute(
        "SELECT a, b, queue FROM judgement WHERE number = ? AND person = ? AND undoes IS NULL", (number, person)
    ).fetchone()
    if found is None:
        raise BadDataError(
            "is not the number of one of your judgements", code="E_UNKNOWN_ID", source="judgement", field="number"
        )
    a, b, queue = found
    before = connection.execute("SELECT number FROM judgement WHERE undoes = ?", (number,)).fetchone()
    if before is not None:
        return Said(int(before[0]), added=False, a=a, b=b, queue=queue)
    if connection.execute("SELECT 1 FROM judgement WHERE key = ?", (key,)).fetchone() is not None:
        raise BadDataError("belongs to another judgement", code="E_KEY_CONFLICT", source="judgement", field="key")
    undo = {"a": a, "b": b, "person": person, "at": present_moment(), "queue": queue, "key": key, "undoes": number}
    return Said(_insert(connection, undo | {"seconds": 0.0, "seen_verdict": False}), added=True, a=a, b=b, queue=queue)


def progress_of(connection: Connection, person: str) -> dict[str, Any]:
    """The progress of a person."""
    judged, passed, last = connection.execute(
        "SELECT count(label), count(*) - count(label), max(number) FROM v_judgement WHERE person = ?", (person,)
    ).fetchone()
    seconds = connection.execute(
        "SELECT seconds FROM judgement WHERE person = ? AND label IS NOT NULL AND seconds > 0"
        " ORDER BY number DESC LIMIT ?",
        (person, _PACE_OF),
    ).fetchall()
    pace = round(statistics.median(one for (one,) in seconds), 1) if seconds else None
    return {"judged": judged, "passed": passed, "last": last, "pace": pace}


def judgement_page(
    connection: Connection, *, person: str | None = None, label: str | None = None, before: int | None, limit: int
) -> list[dict[str, Any]]:
    """Return a page of all rows, latest first: judgements, and rows that undo one."""
    conditions = ["number < ?"]
    named: list[Any] = [_MOST_NUMBER if before is None else before]
    for column, value in (("person", person), ("label", label)):
        if value is not None:
            conditions.append(f"{column} = ?")
            named.append(value)
    rows = _table(connection).rows_where(
        " AND ".join(conditions), named, order_by="number DESC", limit=limit, select=", ".join(_SHOWN)
    )
    return [
        row | {"at": time_text(row["at"]), "seen_verdict": bool(row["seen_verdict"]), "undone": bool(row["undone"])}
        for row in rows
    ]


def _insert(connection: Connection, row: dict[str, Any]) -> int:
    """Insert a row, inside a transaction, and return its number."""
    return int(_table(connection).insert(row).last_pk)


def _table(connection: Connection) -> Any:
    # Importing it takes a third of a second, and most commands have nothing to do with judgements.
    from sqlite_utils import Database

    return Database(connection, recursive_triggers=False, execute_plugins=False).table("judgement", pk="number")


# Reserve pairs for people: each pair goes to one person, except for a share that two people judge

SHARE_OF_TWO: Final = 0.1  # share of pairs that two people judge, so that their agreement is known

_MINUTES: Final = 10
_MICROSECONDS: Final = 1_000_000


def next_pairs(
    connection: Connection,
    candidates: Iterable[tuple[str, str]],
    *,
    person: str,
    queue: str,
    wanted: int,
    besides: AbstractSet[tuple[str, str]] = frozenset(),
    share_of_two: float = SHARE_OF_TWO,
) -> list[tuple[str, str]]:
    """Choose the next pairs of a person and reserve them for ten minutes.

    Pairs already reserved for this person come first, so that reopening a page shows the same pair. A pair that the
    person has judged or skipped is not shown again, nor one that somebody else has judged, unless two people are to
    judge it.
    """
    now = present_moment()
    until = now + _MINUTES * 60 * _MICROSECONDS
    # Those that end later were made before the clock was set back.
    connection.execute("DELETE FROM reservation WHERE until < ? OR until > ?", (now, until + _MICROSECONDS))
    mine = connection.execute(
        "SELECT a, b FROM reservation WHERE person = ? AND queue = ? ORDER BY until, a, b", (person, queue)
    ).fetchall()
    chosen = [(a, b) for a, b in mine if (a, b) not in besides and _open(connection, (a, b), person, share_of_two)]
    for pair in candidates:
        if len(chosen) >= wanted:
            break
        if pair in besides or pair in chosen or not _open(connection, pair, person, share_of_two):
            continue
        taken = connection.execute("SELECT person FROM reservation WHERE a = ? AND b = ?", pair).fetchone()
        if taken is None or taken[0] == person:
            chosen.append(pair)
    for place, pair in enumerate(chosen[:wanted]):
        connection.execute(
            "REPLACE INTO reservation (a, b, person, queue, until) VALUES (?, ?, ?, ?, ?)",
            (*pair, person, queue, until + place),
        )
    return chosen[:wanted]


def for_two(pair: tuple[str, str], share: float) -> bool:
    """Whether a pair is one of those that two people judge; always the same answer for the same pair."""
    digest = hashlib.sha256("\0".join(pair).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") < share * (1 << 32)


def _open(connection: Connection, pair: tuple[str, str], person: str, share_of_two: float) -> bool:
    said = dict(connection.execute("SELECT person, label FROM v_judgement WHERE a = ? AND b = ?", pair))
    if person in said:
        return False
    judges = sum(label is not None for label in said.values())
    return True if share_of_two > 1 else judges < (2 if for_two(pair, share_of_two) else 1)


# Decisions of people on templates and alarms: rows are only added, and the latest counts

DECISIONS: Final = {"template": ("accept", "refuse", "mute"), "alarm": ("known", "snoozed")}
"""The possible decisions on each kind; None undoes a decision."""


def add_review(
    connection: Connection, kind: str, subject: str, decision: str | None, *, person: str, measure: float | None = None
) -> None:
    """Add a decision."""
    connection.execute(
        "INSERT INTO review (kind, subject, decision, measure, person, at) VALUES (?, ?, ?, ?, ?, ?)",
        (kind, subject, decision, measure, person, present_moment()),
    )


def present_reviews(connection: Connection, kind: str) -> dict[str, dict[str, Any]]:
    """Return the current decision on each subject, ``decision, measure, person, at``, without undone ones."""
    rows = connection.execute(
        "SELECT subject, decision, measure, person, at FROM review AS latest WHERE kind = ?1 AND decision IS NOT NULL"
        " AND number = (SELECT max(number) FROM review WHERE kind = ?1 AND subject = latest.subject)",
        (kind,),
    )
    return {
        subject: {"decision": decision, "measure": measure, "person": person, "at": time_text(at)}
        for subject, decision, measure, person, at in rows
    }


# Remove what a desk quotes from documents that the store has forgotten


def forget_in_desk(connection: Connection, documents: Collection[str]) -> int:
    """Remove what job results quote from documents, and requests to judge them; judgements and decisions stay."""
    # Not every caller rewrites the file: deleted content is at least overwritten with zeros.
    connection.execute("PRAGMA secure_delete = ON")
    changed = 0
    for number, packed in connection.execute("SELECT number, result FROM job WHERE result IS NOT NULL").fetchall():
        result = orjson.loads(packed)
        left = _without(result, documents)
        if left != result:
            connection.execute("UPDATE job SET result = ? WHERE number = ?", (orjson.dumps(left).decode(), number))
            changed += 1
    for table in ("asked", "reservation"):
        for document in documents:
            gone = connection.execute(f"DELETE FROM {table} WHERE ? IN (a, b)", (document,))  # noqa: S608 - our names
            changed += gone.rowcount
    return changed


def _without(value: Any, documents: Collection[str]) -> Any:
    """The value without rows that name one of the documents."""
    if isinstance(value, dict):
        return {name: _without(one, documents) for name, one in value.items()}
    if isinstance(value, list):
        return [_without(one, documents) for one in value if not _names(one, documents)]
    return value


def _names(row: Any, documents: Collection[str]) -> bool:
    """Whether a row is about a pair with one of the documents."""
    pair = [row.get("a"), row.get("b")] if isinstance(row, dict) else row
    return isinstance(pair, list) and len(pair) == 2 and any(isinstance(one, str) and one in documents for one in pair)


# The queues: pairs of a store that are worth a judgement


QUEUES: Final = ("boundary", "model", "translation", "random", "audit", "disagreement", "learning", "methods")
"""Names of queues; ``group:ID`` is a queue too.

``boundary``: links that the stream was least sure of. ``model``: links on which key terms and evidence disagree.
``translation``: documents that count as translations. ``random``: links drawn at random. ``audit``: pairs that somebody
requested. ``disagreement``: pairs that people label differently. ``learning``: pairs about which the latest classifier
is least sure. ``methods``: pairs on which the latest compared methods disagree.
"""

_PAIRS: Final = 5_000
_LOOKED_AT: Final = 200_000
_GROUP_MEMBERS: Final = 40

_LINKS: Final = (
    "SELECT id, of_id, group_id, probability, min(forward, backward) FROM document"
    " WHERE of_id IS NOT NULL AND of_id <> id AND forgotten = 0 AND status <> 'exact'"
    " AND ordinal > (SELECT max(ordinal) FROM document) - ? ORDER BY ordinal DESC LIMIT ?"
)

_TRANSLATIONS: Final = (
    "SELECT id, translation_of, group_id, NULL, NULL FROM document"
    " WHERE translation_of IS NOT NULL AND translation_of <> id AND forgotten = 0"
    " AND ordinal > (SELECT max(ordinal) FROM document) - ? ORDER BY ordinal DESC LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class _Link:
    pair: tuple[str, str]
    group: str
    probability: float | None
    met: int | None


def linked_pairs(connection: Connection, queue: str, *, k_duplicate: int) -> list[tuple[str, str]]:
    """Return the pairs of a queue made from the stream's links, best first."""
    # Only the latest links are used. No group provides a second pair before every other group has provided its first.
    query = _TRANSLATIONS if queue == "translation" else _LINKS
    links = [
        _Link(ordered_pair(one, other), group, probability, met)
        for one, other, group, probability, met in connection.execute(query, (_LOOKED_AT, _PAIRS))
    ]
    rank = _RANKS[queue]
    ranked = [(place, link) for link in links if (place := rank(link, k_duplicate)) is not None]
    ranked.sort(key=lambda one: (one[0], one[1].pair))
    return _spread([link for _, link in ranked])


def group_pairs(ids: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of a group, those with its first document before all others."""
    shown = list(dict.fromkeys(ids))[:_GROUP_MEMBERS]
    return [ordered_pair(one, other) for one, other in combinations(shown, 2)]


def asked_pairs(connection: Connection, queue: str) -> list[tuple[str, str]]:
    """Return the requested pairs, in the order of the requests."""
    rows = connection.execute("SELECT a, b FROM asked WHERE queue = ? ORDER BY number", (queue,))
    return [(a, b) for a, b in rows]


def _spread(links: Sequence[_Link]) -> list[tuple[str, str]]:
    given: dict[str, int] = {}
    placed = []
    for place, link in enumerate(links):
        placed.append((given.get(link.group, 0), place, link.pair))
        given[link.group] = given.get(link.group, 0) + 1
    return list(dict.fromkeys(pair for _, _, pair in sorted(placed)))


def _boundary(link: _Link, k_duplicate: int) -> float | None:
    if link.probability is not None:
        return abs(link.probability - 0.5)
    return None if link.met is None else abs(link.met + 0.5 - k_duplicate) / k_duplicate


def _model(link: _Link, k_duplicate: int) -> float | None:
    if link.probability is None or link.met is None or (link.probability >= 0.5) == (link.met >= k_duplicate):
        return None
    return -abs(link.probability - 0.5)


def _random(link: _Link, _: int) -> float | None:
    # Not the hash by which pairs are chosen for two people, or all of these would come first.
    return int.from_bytes(hashlib.sha256("\0".join(("random", *link.pair)).encode()).digest()[:6], "big")


_RANKS: Final[Mapping[str, Callable[[_Link, int], float | None]]] = {
    "boundary": _boundary,
    "model": _model,
    "translation": lambda *_: 0.0,
    "random": _random,
}


# Convert judgements to labels files, which `evaluate`, `train`, `compare` and `audit` read, and back

SETTLING: Final = "disagreement"  # queue of judgements that decide a pair on which others disagree

_IMPORTED: Final = "import-"  # beginning of the keys of imported judgements

REPEATS: Final = (None, "a", "b", "both")


def label_rows(connection: Connection, *, who: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield rows ``a, b, label, judges`` and, if somebody gave it, ``repeats``, in the order of a and b.

    Pairs that an audit asked for also have ``asked``: only these were drawn at random, as an audit needs. The
    latest judgement of each person counts. A settled pair has the label of its latest settlement; any other has the
    label of the majority, or ``None`` without a majority (readers of labels leave such rows out). ``labels`` counts
    the choices.
    """
    rows = connection.execute(
        "SELECT a, b, label, repeats, queue FROM v_judgement WHERE label IS NOT NULL AND (?1 IS NULL OR person = ?1)"
        " ORDER BY a, b, number",
        (who,),
    )
    asked = set(asked_pairs(connection, "audit"))
    for (a, b), said in groupby(rows, key=lambda row: (row[0], row[1])):
        drawn = {"asked": True} if (a, b) in asked else {}
        yield {"a": a, "b": b, **_agreed([tuple(row[2:]) for row in said]), **drawn}


def import_labels(
    connection: Connection,
    rows: Iterable[Mapping[str, Any]],
    *,
    person: str,
    queue: str = "import",
    source: str = "labels",
    lines: Iterable[int] | None = None,
) -> tuple[int, int]:
    """Import a labels file: rows with a label become judgements, others pairs to judge; rows known are skipped."""
    judged = asked = 0
    stored: dict[tuple[str, str], Judgement] = {}
    for line, row in zip(count(1) if lines is None else lines, rows, strict=False):
        a, b, label, repeats = _checked(row, source, line)
        if label is None:
            added = connection.execute(
                "INSERT OR IGNORE INTO asked (queue, a, b) VALUES ('audit', ?, ?)", ordered_pair(a, b)
            )
            asked += added.rowcount
            continue
        judgement = Judgement(
            a=a, b=b, label=label, repeats=repeats, person=person, queue=queue,
            key=_key(person, queue, a, b, label, repeats or ""),
        )  # fmt: skip
        # Only the last row of a pair counts, so that an import that is sent twice adds nothing.
        stored.pop(ordered_pair(a, b), None)
        if add_judgement(connection, judgement).added:
            judged += 1
        else:
            stored[ordered_pair(a, b)] = judgement
    return judged + sum(_restored(connection, judgement) for judgement in stored.values()), asked


def _key(*content: str) -> str:
    return f"{_IMPORTED}{hashlib.sha256(chr(0).join(content).encode()).hexdigest()[:40]}"


def _restored(connection: Connection, judgement: Judgement) -> bool:
    """Add a judgement that was imported before once more if another import has replaced it; say whether it had."""
    a, b = ordered_pair(judgement.a, judgement.b)
    latest = connection.execute(
        "SELECT latest.number FROM v_judgement AS latest, judgement AS before WHERE before.key = ?1"
        " AND latest.a = ?2 AND latest.b = ?3 AND latest.person = ?4 AND substr(latest.key, 1, ?5) = ?6"
        " AND (latest.label IS NOT before.label OR latest.repeats IS NOT before.repeats)",
        (judgement.key, a, b, judgement.person, len(_IMPORTED), _IMPORTED),
    ).fetchone()
    if latest is None:
        return False
    return add_judgement(connection, replace(judgement, key=_key(judgement.key, str(latest[0])))).added


def _agreed(said: list[tuple[Any, ...]]) -> dict[str, Any]:
    counted = [one for one in said if one[2] == SETTLING][-1:] or said
    votes = Counter(label for label, *_ in counted)
    (label, most), *others = votes.most_common()
    if others and others[0][1] == most:
        return {"label": None, "judges": len(said), "labels": dict(sorted(votes.items()))}
    ways = Counter(repeats for found, repeats, _ in counted if found == label and repeats)
    row: dict[str, Any] = {"label": label, "judges": len(said)}
    if len(ways) == 1:
        row["repeats"] = next(iter(ways))
    return row


def _checked(row: Mapping[str, Any], source: str, line: int) -> tuple[str, str, str | None, str | None]:
    for name in ("a", "b"):
        if not isinstance(row.get(name), str) or not row[name]:
            raise BadDataError("expected the id of a document", code="E_TYPE", source=source, line=line, field=name)
    if row["a"] == row["b"]:
        raise BadDataError("a and b are the same document", code="E_SELF_PAIR", source=source, line=line, field="b")
    label, repeats = row.get("label"), row.get("repeats")
    if label is not None and label not in LABELS:
        raise BadDataError(
            f"expected one of {', '.join(LABELS)}", code="E_LABEL", source=source, line=line, field="label"
        )
    if repeats not in REPEATS:
        raise BadDataError("expected a, b or both", code="E_LABEL", source=source, line=line, field="repeats")
    return row["a"], row["b"], label, repeats


# Whether people who judged the same pairs agree: kappa (Cohen, Educational and Psychological Measurement 20, 1960)

_OPINIONS = "SELECT a, b, person, label FROM v_opinion WHERE label IS NOT NULL ORDER BY a, b, number"
_SETTLED = "SELECT DISTINCT a, b FROM v_judgement WHERE queue = 'disagreement' AND label IS NOT NULL"


def agreement_of(connection: Connection) -> dict[str, Any]:
    """Compare people who judged the same pairs."""
    several = [said for _, said in _said(connection) if len(said) > 1]
    shared: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for said in several:
        for one, other in combinations(sorted(said), 2):
            shared.setdefault((one, other), []).append((said[one], said[other]))
    judges = [
        {"persons": list(two), "pairs": len(rows), "agreed": sum(x == y for x, y in rows), "kappa": kappa(rows)}
        for two, rows in sorted(shared.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    return {"pairs": len(several), "agreed": sum(len(set(said.values())) == 1 for said in several), "judges": judges}


def disagreements(connection: Connection, limit: int) -> list[dict[str, Any]]:
    """Return rows ``a, b, labels`` (by person) of pairs that people label differently and nobody settled."""
    settled = set(connection.execute(_SETTLED))
    found = []
    for (a, b), labels in _said(connection):
        if len(set(labels.values())) > 1 and (a, b) not in settled:
            found.append({"a": a, "b": b, "labels": labels})
            if len(found) == limit:
                break
    return found


def kappa(rows: Sequence[tuple[str, str]]) -> float | None:
    """Agreement of two people beyond chance: 1 for full agreement, 0 for what chance gives."""
    if not rows:
        return None
    size = len(rows)
    agreed = sum(one == other for one, other in rows) / size
    ones, others = Counter(one for one, _ in rows), Counter(other for _, other in rows)
    chance = sum(ones[label] * others[label] for label in ones) / size**2
    return None if chance == 1 else round((agreed - chance) / (1 - chance), 6)


def _said(connection: Connection) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    """Each pair with the label of each person, without settlements, which are made knowing the other labels."""
    for pair, rows in groupby(connection.execute(_OPINIONS), key=lambda row: (row[0], row[1])):
        yield pair, {person: label for _, _, person, label in rows}
