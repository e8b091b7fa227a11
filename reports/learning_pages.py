"""A made-up collection in which only pictures and links tell a reprint from a new edition, for learning.md."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

from infostream_dedup.lab.evaluation.labels import Label
from infostream_dedup.model import Document

__all__ = ["attached_pages"]

_START = datetime(2026, 3, 1, tzinfo=UTC)
_MOST = 4
"""Pictures or links that a page gains or loses are drawn below this."""


def attached_pages(pages: int) -> tuple[list[Document], list[Label]]:
    """Make pages that are published twice, the second time with one sentence changed.

    Of every two pages one is a reprint, which loses pictures and links, and one a new edition, which gains as many as
    are drawn. Words, times and sources do not depend on which it is.

    Args:
        pages: number of pages; there are twice as many documents.

    Returns:
        The documents, and a label for each page: the later repeats the earlier, or they are different.
    """
    random = np.random.default_rng(7)
    documents, labels = [], []
    for page in range(pages):
        reprint = page % 2 == 0
        sentences = [" ".join(f"{_word(random)}" for _ in range(8)).capitalize() + "." for _ in range(6)]
        changed = [*sentences[:-1], " ".join(_word(random) for _ in range(8)).capitalize() + "."]
        pictures, links = (int(number) for number in random.integers(_MOST, 2 * _MOST, 2))
        moves = (int(number) for number in random.integers(0, _MOST, 2))
        later = [one - move if reprint else one + move for one, move in zip((pictures, links), moves, strict=True)]
        for name, text, hours, (images, anchors) in (
            ("a", sentences, 0, (pictures, links)),
            ("b", changed, 3, later),
        ):
            documents.append(
                Document(
                    id=f"{page}{name}",
                    text=" ".join(text),
                    lang="ru",
                    time=_START + timedelta(days=page, hours=hours),
                    images=images,
                    links=anchors,
                )
            )
        extra = {"repeats": "b"} if reprint else {}
        labels.append(Label(f"{page}a", f"{page}b", "dup" if reprint else "different", extra=extra))
    return documents, labels


def _word(random: np.random.Generator) -> str:
    return "".join(random.choice(list("абвгдеклмнорст"), 6))
