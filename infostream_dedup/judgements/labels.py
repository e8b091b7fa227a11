"""Convert judgements to labels files, which ``evaluate``, ``train``, ``compare`` and ``audit`` read, and back."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count, groupby
from typing import Any, Final

from infostream_dedup.errors import BadDataError
from infostream_dedup.judgements.candidates import asked_pairs
from infostream_dedup.judgements.judgements import Judgement, add_judgement, ordered_pair
from infostream_dedup.judgements.schema import LABELS

SETTLING: Final = "disagreement"
"""Queue of judgements that decide a pair on which others disagree."""

_IMPORTED: Final = "import-"
"""Beginning of the keys of imported judgements."""

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

    Args:
        rows: each with ``a`` and ``b``, ``label`` (or None) and perhaps ``repeats``; other fields are ignored.
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
    settled = [one for one in said if one[2] == SETTLING]
    counted = settled[-1:] or said
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
