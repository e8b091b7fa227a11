"""The desk of a store: what people say of its pairs, groups and templates, in an SQLite file beside the store.

A store is written by the stream for seconds at a time, and can be made from its documents once more. Judgements are
people's work: they are in a file of their own, ``<store>.desk``, and nothing in it is ever overwritten.

The command ``desk`` has the same name, so that this package also hands on its public functions (``api.desk``).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.desk.desk import Desk, desk_path

if TYPE_CHECKING:
    from infostream_dedup.api.desk import backup_desk, export_labels, forget_in_desk, import_labels

__all__ = ["Desk", "backup_desk", "desk_path", "export_labels", "forget_in_desk", "import_labels"]

_PUBLIC: Final = ("backup_desk", "export_labels", "forget_in_desk", "import_labels")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _PUBLIC:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module("infostream_dedup.api.desk"), name)
