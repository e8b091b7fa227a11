"""A whole package of somebody else: a method, a representation and a reader of files."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from infostream_dedup.lab.methods import Method, register
from infostream_dedup.machine.arrays import rows_from
from infostream_dedup.terms.representation import Representation


@register("first-letter")
@dataclass(frozen=True)
class FirstLetter(Method):
    """Documents that begin with the same letter."""

    def sign(self, texts):
        return rows_from([[ord(texts.significant.text(one)[:1] or " ")] for one in range(len(texts))], np.dtype("<u8"))


class FourLetters(Representation):
    """The first four letters of a word."""

    name = "four"

    def terms(self, forms, language, settings):
        return [one.form[:4] if len(one.form) > 4 else None for one in forms]


FOUR = FourLetters()


def read_wire(path):
    """Yield the messages of a file: the id, a bar, the text."""
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            name, text = line.rstrip("\n").split("|")
            yield {"id": name, "text": text}
