"""Collections on which every runner must agree, and the digest they agree on."""

import numpy as np
import pytest

from infostream_dedup.model import Document

_WORDS = [f"{first}{second}{third}" for first in ("мост", "река", "банк", "суд") for second in ("ов", "ин", "ар")
          for third in ("ский", "ение", "ник", "ость", "щик")]  # fmt: skip


def made_up(number, *, seed, words=60, length=25):
    """Documents of random words, a third of them reprints of earlier ones with a few words changed."""
    random = np.random.default_rng(seed)
    texts: list[list[str]] = []
    for place in range(number):
        if place and random.random() < 0.35:
            text = list(texts[random.integers(place)])
            for _ in range(int(random.integers(0, 5))):
                text[random.integers(len(text))] = _WORDS[random.integers(words)]
        else:
            text = [_WORDS[word] for word in random.integers(0, words, length)]
        texts.append(text)
    return [
        Document(id=f"d{place}", text=" ".join(text), lang="uk" if place % 5 == 0 else "ru")
        for place, text in enumerate(texts)
    ]


@pytest.fixture(scope="session")
def collections() -> dict[str, list[Document]]:
    return small_collections()


def small_collections() -> dict[str, list[Document]]:
    """Empty texts, clusters of equal ones, ties, several languages, none at all."""
    plain = made_up(120, seed=5)
    empty = [Document(id="e1", text=""), *plain[:20], Document(id="e2", text="  "), Document(id="e3", text="и в на")]
    copies = [Document(id=f"c{number}", text=plain[3].text, lang="ru") for number in range(40)]
    ties = [Document(id=f"t{number}", text=" ".join(_WORDS[number % 9 : number % 9 + 30])) for number in range(30)]
    return {
        "made-up": plain, "empty texts": empty, "equal texts": [*plain[:30], *copies, *plain[30:60], *copies[:0]],
        "ties": ties, "one": plain[:1], "none": [], "short": [*made_up(70, seed=3, length=7), *copies[:3]],
    }  # fmt: skip
