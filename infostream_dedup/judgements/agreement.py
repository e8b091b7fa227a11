"""Whether people who judged the same pairs agree: kappa (Cohen, Educational and Psychological Measurement 20, 1960)."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from typing import Any

_OPINIONS = "SELECT a, b, person, label FROM v_opinion WHERE label IS NOT NULL ORDER BY a, b, number"
_SETTLED = "SELECT DISTINCT a, b FROM v_judgement WHERE queue = 'disagreement' AND label IS NOT NULL"


def agreement_of(connection: sqlite3.Connection) -> dict[str, Any]:
    """Compare people who judged the same pairs.

    Returns:
        ``pairs`` (judged by two or more people), ``agreed`` (all gave one label), and ``judges``: for each two people
        ``persons, pairs, agreed, kappa``, those with the most common pairs first. ``kappa`` is None if chance alone
        would always make them agree, or if they share no pair.
    """
    several = [said for _, said in _said(connection) if len(said) > 1]
    shared: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for said in several:
        for one, other in combinations(sorted(said), 2):
            shared.setdefault((one, other), []).append((said[one], said[other]))
    judges = [
        {"persons": list(two), "pairs": len(rows), "agreed": sum(x == y for x, y in rows), "kappa": kappa(rows)}
        for two, rows in sorted(shared.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    return {
        "pairs": len(several),
        "agreed": sum(len(set(said.values())) == 1 for said in several),
        "judges": judges,
    }


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

    Example:
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
