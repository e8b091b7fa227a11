"""The interface of every method from the literature: documents to signatures, signatures to pairs.

A method is a frozen data class: its fields are its parameters, with their ranges as annotations. ``registry.register``
gives it a name.
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
        """Return the allowed values of each parameter by name, without parameters that are true or false."""
        hints = get_type_hints(cls, include_extras=True)
        metadata = {field.name: getattr(hints[field.name], "__metadata__", ()) for field in fields(cls)}
        return {name: found[0] for name, found in metadata.items() if found}

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

    @abstractmethod
    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return the pairs of documents that the method considers near duplicates.

        Args:
            texts: the documents.
            signatures: result of ``sign`` for these texts.
        """

    def run(self, texts: Texts) -> Run:
        """Sign and link a collection."""
        signatures = self.sign(texts)
        return Run(signatures, self.link(texts, signatures))

    def as_dict(self) -> dict[str, Any]:
        """Return name and parameters."""
        return {"method": self.name, **{field.name: getattr(self, field.name) for field in fields(self)}}
