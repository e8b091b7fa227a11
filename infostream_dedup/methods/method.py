"""What every method of the literature does: documents to signatures, signatures to pairs.

A method is a frozen data class: its fields are its parameters, with their ranges as annotations. ``registry.register``
gives it its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from infostream_dedup.features.rows import Rows
from infostream_dedup.methods.pairs import Pairs
from infostream_dedup.methods.texts import Texts
from infostream_dedup.model.limits import check_limits

__all__ = ["Method", "Run"]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What a method made of a collection.

    Attributes:
        signatures: what it keeps of each document.
        pairs: what it links.
    """

    signatures: Rows
    pairs: Pairs

    @property
    def bytes_per_document(self) -> float:
        """Mean size of a signature in bytes; 0 for no documents."""
        return self.signatures.nbytes / len(self.signatures) if len(self.signatures) else 0.0


@dataclass(frozen=True)
class Method(ABC):
    """A method with its parameters.

    Raises:
        ConfigurationError: a parameter is out of its range.
    """

    name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        check_limits(self)

    @property
    def directed(self) -> bool:
        """Whether a pair (a, b) says only that a is found in b."""
        return False

    @abstractmethod
    def sign(self, texts: Texts) -> Rows:
        """Signature of each document: one row of values, empty where the document has none.

        A signature depends on the document and, where the method weighs words by the collection, on the collection; on
        the order of the documents never.
        """

    @abstractmethod
    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Pairs of documents that the method takes for near duplicates.

        Args:
            texts: the documents.
            signatures: what ``sign`` made of them.
        """

    def run(self, texts: Texts) -> Run:
        """Sign and link a collection."""
        signatures = self.sign(texts)
        return Run(signatures, self.link(texts, signatures))

    def as_dict(self) -> dict[str, Any]:
        """Name and parameters."""
        return {"method": self.name, **{field.name: getattr(self, field.name) for field in fields(self)}}
