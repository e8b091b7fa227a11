"""Decide, document by document, which marked English words of a batch are names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.language.translation.written_names import Marked, decided, is_marked
from infostream_dedup.stream.term_numbers import TermNumbers, longer

if TYPE_CHECKING:
    from numpy.typing import NDArray


_UNKNOWN: Final = -2


class WrittenWords:
    """Knows which words are marked; each word is looked at once.

    Args:
        numbers: numbers of the words; the name and the plain word of a marked one get numbers too.
    """

    def __init__(self, numbers: TermNumbers) -> None:
        self._numbers = numbers
        self._marked = Marked(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def decided(self, owners: NDArray[Any], words: NDArray[Any]) -> NDArray[np.int64]:
        """Replace marked words by names or plain words.

        Args:
            owners: int (entries,), documents.
            words: int (entries,), numbers of the words of each.

        Returns:
            int64 (entries,), of which a document may now have the same one twice.
        """
        self._make_room(int(words.max(initial=-1)) + 1)
        unknown = words[self._marked.name[words] == _UNKNOWN]
        if len(unknown):
            self._look_at(np.unique(unknown))
        return decided(owners, words, self._marked)

    def _make_room(self, words: int) -> None:
        known = len(self._marked.name)
        if known < words:
            name = longer(self._marked.name, words)
            name[known:] = _UNKNOWN
            self._marked = Marked(longer(self._marked.plain, len(name)), name)

    def _look_at(self, words: NDArray[Any]) -> None:
        self._marked.plain[words], self._marked.name[words] = words, -1
        for word, term in zip(words.tolist(), self._numbers.terms.some(words), strict=True):
            if is_marked(term):
                self._marked.enter(word, term, self._numbers.number)
