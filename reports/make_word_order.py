"""Makes the part of cross-language.md on the order of words in translations, as part of ``make reports``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from frame import judged_collection, table, write_part

from infostream_dedup.lab.labels import family_of
from infostream_dedup.runs.batch.pairing import find_across, orders_of
from infostream_dedup.stream.word_order import LEAST_ALONE_ORDER, LEAST_ORDER

PARALLEL: Final = ("wmt", "ntrex", "multilingual")
KEPT: Final = 0.97  # share of right pairs that the threshold is to keep in the sets on which it is chosen

TEXT: Final = f"""Pairs that `--between plain` lists, that is before any other rule. A pair is right if both documents
are of one family. *Order* is (chain - against) / (places - against): *places* are those of words with a match in the
text with fewer of them, *chain* those in the longest chain of matches in the order of both texts, *against* those in
the longest chain against it. *Elsewhere* is the greatest threshold at which the other two sets keep {KEPT} of their
right pairs; the threshold of the program is {LEAST_ORDER}, and {LEAST_ALONE_ORDER} where less than half of the numbers
agree. Numbers in figures have no places."""

TOPICS: Final = """slavictopics, 718 Russian and Ukrainian documents about a few topics, had no part in the choice:
`pairs` listed 127 translations at commit 136660a9, {listed} with this rule."""


def main() -> None:
    """Measure the order of all pairs and write the part."""
    found = {corpus: measured(corpus) for corpus in PARALLEL}
    rows = [row(corpus, found) for corpus in PARALLEL]
    listed = find_across(judged_collection("slavictopics"))
    text = TOPICS.format(listed=0 if listed is None else len(listed[0].a))
    command = "python reports/make_word_order.py"
    write_part("cross-language.md", "word-order", "The order of the words", command, [TEXT, table(rows), text])


def measured(corpus: str) -> tuple[np.ndarray, np.ndarray]:
    """Order of each pair (NaN with too few places), and whether the pair is right."""
    collection = judged_collection(corpus)
    found = find_across(collection, between="plain")
    if found is None:
        raise ValueError(f"{corpus} has documents of one language only")
    plain, *_ = found
    families = [family_of(one) for one in collection.collection.documents]
    right = [families[a] == families[b] for a, b in zip(plain.a.tolist(), plain.b.tolist(), strict=True)]
    order = [one.share for one in orders_of(collection, plain)]
    return np.array([np.nan if one is None else one for one in order]), np.array(right)


def row(corpus: str, found: dict[str, tuple[np.ndarray, np.ndarray]]) -> dict[str, Any]:
    """What the rule keeps of a set, at the program's threshold and at that of the other sets."""
    order, right = found[corpus]
    elsewhere = min(least(*found[other]) for other in PARALLEL if other != corpus)
    judged = ~np.isnan(order)
    return {
        "set": corpus, "right": int(right.sum()), "too few places": int((right & ~judged).sum()),
        f"kept at {LEAST_ORDER}": share(order[right & judged] >= LEAST_ORDER), "elsewhere": f"{elsewhere:.3f}",
        "kept there": share(order[right & judged] >= elsewhere), "wrong families": int((~right).sum()),
        f"of these kept at {LEAST_ORDER}": share(order[~right & judged] >= LEAST_ORDER),
    }  # fmt: skip


def least(order: np.ndarray, right: np.ndarray) -> float:
    """The greatest threshold that keeps `KEPT` of the right pairs."""
    known = np.sort(order[right & ~np.isnan(order)])
    return float(known[int(len(known) * (1 - KEPT))])


def share(kept: np.ndarray) -> str:
    """A share for the table."""
    return f"{kept.mean():.3f}" if len(kept) else "-"


if __name__ == "__main__":
    main()
