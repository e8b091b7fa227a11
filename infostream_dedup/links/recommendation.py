"""Choose a k: by what is known of copies, and by how close S and T show the links to be to an equivalence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from infostream_dedup.errors import UsageError
from infostream_dedup.links.measures import Measures
from infostream_dedup.machine.phrase import Phrase

FEWEST_COPIES: Final = 50
"""Fewer copies say too little about the best k."""

FEWEST_LINKS: Final = 50
"""Fewer links, or fewer paths, say too little about S and T."""

_FAR, _NEAR = 0.90, 0.95
"""Levels of H = 2ST / (S + T) at the usual k: below the first, links are far from copies of one text."""

_BELIEVED: Final = 0.97
"""An estimate below the usual k is believed only if H there reaches this share of its maximum nearby."""

_NOT_COUNTED: Final = Phrase.of("copies were not counted")

ChosenBy = Literal["estimate", "model", "count", "consistency", "default", "given"]
WAYS: Final = ("auto", "estimate", "count", "consistency")


def usual_k(n: int) -> int:
    """The k to use if nothing better is known: the paper's 6 of 12, half of any other n."""
    return -(-n // 2)


@dataclass(frozen=True, slots=True)
class Choice:
    """A k and one sentence on why."""

    k: int
    reason: Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownK:
    """What copies and the pair model say about k.

    Attributes:
        estimated: the k with the greatest estimated F1; ``None`` without an estimate.
        by_model: whether the pair model alone estimated it.
        counted: the k with the greatest F1 of the links as copies; ``None`` if too few were counted.
        uncounted: why the count chooses no k.
    """

    estimated: Choice | None = None
    by_model: bool = False
    counted: Choice | None = None
    uncounted: Phrase = _NOT_COUNTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Which k each way chooses, and which one is recommended.

    Attributes:
        estimated: by the estimate or the pair model; ``None`` without one.
        counted: by the copies counted; ``None`` where they are too few.
        consistent: by the level of S and T at the usual k; ``None`` where links or paths are too few.
        chosen: the recommended k; ``None`` for links that have no k.
        chosen_by: what chose it.
        symmetry: S at the chosen k.
        transitivity: T at the chosen k.
        links: number of links at the chosen k.
        reason: one sentence on the choice; begins with ``estimated``, ``counted``, ``consistency``, ``default`` or
            ``given``.
        consistency: one sentence on S and T at the usual k.
    """

    estimated: int | None = None
    counted: int | None = None
    consistent: int | None = None
    chosen: int | None = None
    chosen_by: ChosenBy = "default"
    symmetry: float | None = None
    transitivity: float | None = None
    links: int | None = None
    reason: str
    consistency: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The numbers, without sentences."""
        plain = asdict(self)
        del plain["reason"], plain["consistency"]
        return plain


def checked_way(way: str | int, n: int) -> str | int:
    """Return how k is to be chosen: a word of ``WAYS``, or a k from 1 to n."""
    if way in WAYS:
        return way
    text = str(way)
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= n):
        raise UsageError(f"choose_by (--choose-by) is {way!r}; expected {', '.join(WAYS)}, or a k from 1 to {n}")
    return int(text)


def consistency(row: Measures | None) -> float:
    """H, the harmonic mean of S and T; 0 where one of them is 0 or unknown."""
    if row is None or not row.symmetry or not row.transitivity:
        return 0.0
    return 2 * row.symmetry * row.transitivity / (row.symmetry + row.transitivity)


def advise(
    rows: Sequence[Measures],
    *,
    n: int,
    known: KnownK | None = None,
    way: str | int = "auto",
    inside: Sequence[Measures] | None = None,
    across: bool = False,
) -> Advice:
    """Recommend a k for links.

    ``auto`` takes the estimate, unless S and T there speak against it, else the count, else the consistent k, else the
    usual one.

    Args:
        rows: S and T of the links at each k.
        way: as ``checked_way`` returns it.
        inside: S and T of the links within languages, which decide for all; ``None`` if these are all.
        across: whether the links are those between languages, which have no T.
    """
    known = known or KnownK()
    by_k = {row.k: row for row in rows if row.k is not None}
    deciding = {row.k: row for row in inside or rows if row.k is not None}
    consistent, said = _consistent(deciding, n, inside=inside is not None, across=across)
    chosen, by = _chosen(known, consistent, said, deciding, n, way)
    row = by_k.get(chosen.k)
    return Advice(
        estimated=None if known.estimated is None else known.estimated.k,
        counted=None if known.counted is None else known.counted.k,
        consistent=consistent,
        chosen=chosen.k,
        chosen_by=by,
        symmetry=None if row is None else row.symmetry,
        transitivity=None if row is None else row.transitivity,
        links=None if row is None else row.links,
        reason=chosen.reason,
        consistency=said,
    )


def _chosen(
    known: KnownK, consistent: int | None, said: Phrase, rows: Mapping[int, Measures], n: int, way: str | int
) -> tuple[Choice, ChosenBy]:
    if isinstance(way, int):
        return Choice(way, Phrase.of("given: k = {k}", k=way)), "given"
    if known.estimated is not None and way in ("auto", "estimate"):
        estimated = _vetoed(known.estimated, rows, n) if way == "auto" else known.estimated
        return estimated, "model" if known.by_model else "estimate"
    if known.counted is not None and way in ("auto", "count"):
        return known.counted, "count"
    if consistent is not None and way in ("auto", "consistency"):
        return Choice(consistent, Phrase.of("consistency: {said}", said=said)), "consistency"
    why = {
        "estimate": [Phrase.of("there is no estimate")],
        "count": [known.uncounted],
        "consistency": [said],
    }.get(way, [known.uncounted, said])
    return Choice(usual_k(n), Phrase.of("default: {why}", why=Phrase.joined(why))), "default"


def _vetoed(estimated: Choice, rows: Mapping[int, Measures], n: int) -> Choice:
    """Raise an estimate below the usual k until S and T are near their best."""
    usual, k = usual_k(n), estimated.k
    needed = _BELIEVED * max(consistency(rows.get(one)) for one in range(usual - 2, usual + 2))
    while k < usual and consistency(rows.get(k)) < needed:
        k += 1
    if k == estimated.k:
        return estimated
    raised = Phrase.of("raised from {low} to {k}, as S and T are not near their best at {low}", low=estimated.k, k=k)
    return Choice(k, Phrase.joined([estimated.reason, raised]))


def _consistent(rows: Mapping[int, Measures], n: int, *, inside: bool, across: bool) -> tuple[int | None, Phrase]:
    """The k by the level of H at the usual one, with a sentence."""
    if across:
        return None, Phrase.of("paths between two languages cannot be closed, so T says nothing")
    usual = usual_k(n)
    row = rows.get(usual)
    if row is None or row.symmetry is None or row.transitivity is None or min(row.links, row.paths) < FEWEST_LINKS:
        found = (0, 0) if row is None else (row.links, row.paths)
        few = "{links} links and {paths} paths at k = {k}; S and T need {needed} of each to choose"
        return None, Phrase.of(few, links=found[0], paths=found[1], k=usual, needed=FEWEST_LINKS)
    level = consistency(row)
    k = min(usual + 1, n) if level < _FAR else usual if level < _NEAR else max(usual - 1, 1)
    other = rows.get(k)
    values = {
        "k": k,
        "usual": usual,
        "less": max(usual - 1, 1),
        "share": 0 if other is None else _hundred(other.links / row.links),
    }
    if level < _FAR:
        why = Phrase.of(
            "far from copies of one text; {k} is advised, which keeps {share} of 100 links; {usual} or {less} if"
            " stories are wanted",
            **values,
        )
    elif level < _NEAR:
        why = Phrase.of("close to copies of one text; {k} is advised; {less} if stories are wanted", **values)
    else:
        why = Phrase.of("copies of one text; {k} is advised, which gives {share} links for every 100", **values)
    said = Phrase.of(
        "at k = {usual}, {returned} of 100 {links} are returned and {closed} of 100 paths closed: {why}",
        usual=usual,
        returned=_hundred(row.symmetry),
        links=Phrase.of("links inside languages" if inside else "links"),
        closed=_hundred(row.transitivity),
        why=why,
    )
    return k, said


def _hundred(share: float) -> int:
    return round(100 * share)
