"""Documents whose texts, or beginnings, are equal."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import md5
from typing import Annotated

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.judging.features.rows import rows_from
from infostream_dedup.judging.features.words import hash_text, read_words
from infostream_dedup.lab.methods.method import Method, Texts
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.language.text.fingerprint import text_hash
from infostream_dedup.language.text.sentences import sentences
from infostream_dedup.model.limits import OneOf, Range


@register("md5")
@dataclass(frozen=True)
class Md5(Method):
    """MD5: two documents are duplicates if their texts are the same word for word (A0).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007. The baseline of the comparison, with precision 1.00 and recall .23. The paper does not say which text is
    hashed; we hash what its preprocessing leaves, so that punctuation, case and function words are ignored.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Снег выпал в Киеве", "Снег выпал и в Киеве!", "Снег выпал во Львове")
        >>> method("md5").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    def sign(self, texts: Texts) -> Ragged:
        """Return the MD5 of each document's significant words joined by blanks: two 64-bit values."""
        words = texts.significant
        rows = [_hash_text(words.text(document)) for document in range(len(texts))]
        return rows_from(rows, np.dtype("<u8"))


def _hash_text(text: str) -> list[int]:
    if not text:
        return []
    digest = md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return [int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")]


@register("checksum")
@dataclass(frozen=True)
class Checksum(Method):
    """Checksum: documents with the same text, regardless of their titles.

    D. Lande: Matrix criteria of quality for finding similar documents in information streams (in Russian), section 1:
    one of the older rules of InfoStream, without parameters. White space is ignored.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> method("checksum").run(Texts.of("Мост открыт.", "Мост  открыт.", "Мост открыт!")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    def sign(self, texts: Texts) -> Ragged:
        """Return the checksum of each body: two 64-bit values."""
        hashes = [text_hash(document.text) for document in texts.documents]
        sizes = [len(found) // 8 for found in hashes]
        indptr = offsets_of(sizes)
        return Ragged(indptr, np.frombuffer(b"".join(hashes), dtype="<u8"))


@register("first-paragraph")
@dataclass(frozen=True)
class FirstParagraph(Method):
    r"""First paragraph: documents whose texts start with the same paragraph or sentence.

    D. Lande: Matrix criteria of quality for finding similar documents in information streams (in Russian), section 1:
    older rules of InfoStream for messages with uninformative headlines, without parameters. A paragraph ends at a line
    break; case, punctuation and the title are ignored.

    Attributes:
        unit: ``paragraph`` or ``sentence``.
        least_words: minimum number of words, 1 to 100; a document with a shorter beginning has no signature.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мост открыт.\nНачалось движение.", "МОСТ ОТКРЫТ\nПробок нет.", "Мост закрыт.")
        >>> method("first-paragraph").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    unit: Annotated[str, OneOf("paragraph", "sentence")] = "paragraph"
    least_words: Annotated[int, Range(1, 100)] = 1

    def sign(self, texts: Texts) -> Ragged:
        """Return one hash of the words of the beginning for each document."""
        beginnings = read_words([self._read_beginning(document.text) for document in texts.documents])
        rows = [
            [hash_text(beginnings.text(document), 64)] if size >= self.least_words else []
            for document, size in enumerate(beginnings.rows.sizes.tolist())
        ]
        return rows_from(rows, np.uint64)

    def _read_beginning(self, text: str) -> str:
        if self.unit == "paragraph":
            return text.lstrip().partition("\n")[0]
        start, end = next(iter(sentences(text)), (0, 0))
        return text[start:end]
