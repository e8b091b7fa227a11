"""The interface of every method from the literature, which turns documents into signatures and signatures into pairs.

A method is a frozen data class: its fields are its parameters, with their ranges as annotations. ``registry.register``
gives it a name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from infostream_dedup.judging.features.chains import equal_pairs
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.lab.methods.pairs import Pairs, equal
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import check_limits

__all__ = ["Method", "Run"]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Result of a method on a collection.

    Attributes:
        signatures: signature of each document, one row each.
        pairs: pairs that the method links.
    """

    signatures: Rows
    pairs: Pairs

    @property
    def bytes_per_document(self) -> float:
        """Mean size of a signature in bytes; 0 without documents."""
        return self.signatures.nbytes / len(self.signatures) if len(self.signatures) else 0.0


@dataclass(frozen=True)
class Method(ABC):
    """A method with its parameters.

    Raises:
        ConfigurationError: a parameter is out of range.
    """

    name: ClassVar[str] = ""
    only_when_named: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_limits(self)

    @property
    def directed(self) -> bool:
        """Whether a pair (a, b) only means that a is found in b."""
        return False

    @abstractmethod
    def sign(self, texts: Texts) -> Rows:
        """Return the signature of each document: one row of values, empty if the document has no signature.

        A signature depends on the document and, if the method weights words by the collection, on the collection, but
        never on the order of the documents.
        """

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return the pairs of documents that the method considers near duplicates.

        By default, these are the documents whose signatures have a value in common.

        Args:
            texts: the documents.
            signatures: result of ``sign`` for these texts.
        """
        del texts
        return equal(equal_pairs(signatures))

    def run(self, texts: Texts) -> Run:
        """Sign and link a collection."""
        signatures = self.sign(texts)
        return Run(signatures, self.link(texts, signatures))

    def as_dict(self) -> dict[str, Any]:
        """Return name and parameters."""
        return {"method": self.name, **{field.name: getattr(self, field.name) for field in fields(self)}}
