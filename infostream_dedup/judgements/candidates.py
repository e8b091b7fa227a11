"""The queues: pairs of a store that are worth a judgement."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count, groupby
from typing import Any, Final

from infostream_dedup.errors import BadDataError
from infostream_dedup.judgements.desk import LABELS
from infostream_dedup.judgements.judgements import Judgement, add_judgement, ordered_pair

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


def linked_pairs(connection: sqlite3.Connection, queue: str, *, k_duplicate: int) -> list[tuple[str, str]]:
    """Return the pairs of a queue made from the stream's links, best first.

    Only the latest links are used. No group provides a second pair before every other group has provided its first.
    """
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


def asked_pairs(connection: sqlite3.Connection, queue: str) -> list[tuple[str, str]]:
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


def label_rows(connection: sqlite3.Connection, *, who: str | None = None) -> Iterator[dict[str, Any]]:
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
    connection: sqlite3.Connection,
    rows: Iterable[Mapping[str, Any]],
    *,
    person: str,
    queue: str = "import",
    source: str = "labels",
    lines: Iterable[int] | None = None,
) -> tuple[int, int]:
    """Import a labels file: rows with a label become judgements, rows without a label become pairs to judge.

    A row imported before is skipped, unless a later import has replaced it: a person may return to an earlier opinion.
    """
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


def _restored(connection: sqlite3.Connection, judgement: Judgement) -> bool:
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


def agreement_of(connection: sqlite3.Connection) -> dict[str, Any]:
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


def disagreements(connection: sqlite3.Connection, limit: int) -> list[dict[str, Any]]:
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
    """Agreement of two people beyond chance: 1 for full agreement, 0 for what chance gives.

    >>> kappa([("dup", "dup")] * 20 + [("dup", "no")] * 5 + [("no", "dup")] * 10 + [("no", "no")] * 15)
    0.4
    """
    if not rows:
        return None
    size = len(rows)
    agreed = sum(one == other for one, other in rows) / size
    ones, others = Counter(one for one, _ in rows), Counter(other for _, other in rows)
    chance = sum(ones[label] * others[label] for label in ones) / size**2
    return None if chance == 1 else round((agreed - chance) / (1 - chance), 6)


def _said(connection: sqlite3.Connection) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    """Each pair with the label of each person, without settlements, which are made knowing the other labels."""
    for pair, rows in groupby(connection.execute(_OPINIONS), key=lambda row: (row[0], row[1])):
        yield pair, {person: label for _, _, person, label in rows}
