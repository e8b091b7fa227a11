"""What every method of the literature does: documents to signatures, signatures to pairs.

A method is a frozen data class: its fields are its parameters, with their ranges as annotations. ``registry.register``
gives it its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, get_type_hints

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.features.rows import Rows
from infostream_dedup.methods.pairs import Pairs
from infostream_dedup.methods.parameters import OneOf, Range
from infostream_dedup.methods.texts import Texts

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
        for parameter, limit in self.limits().items():
            limit.check(parameter, getattr(self, parameter))
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(field.default, bool) and not isinstance(value, bool):
                raise ConfigurationError(f"{field.name} is {value!r}; expected true or false")

    @classmethod
    def limits(cls) -> dict[str, Range | OneOf]:
        """What each parameter may be, by name; parameters that are true or false are left out."""
        hints = get_type_hints(cls, include_extras=True)
        metadata = {field.name: getattr(hints[field.name], "__metadata__", ()) for field in fields(cls)}
        return {name: found[0] for name, found in metadata.items() if found}

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
