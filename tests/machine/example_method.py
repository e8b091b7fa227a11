"""A whole package of somebody else: one method, which calls documents equal that begin with the same letter."""

from dataclasses import dataclass

import numpy as np

from infostream_dedup.judging.features.rows import rows_from
from infostream_dedup.lab.methods.method import Method, register


@register("first-letter")
@dataclass(frozen=True)
class FirstLetter(Method):
    """Documents that begin with the same letter."""

    def sign(self, texts):
        return rows_from([[ord(texts.significant.text(one)[:1] or " ")] for one in range(len(texts))], np.dtype("<u8"))
