"""The desk of a store: people's judgements on its pairs, groups and templates, in an SQLite file next to the store.

The stream writes to a store for seconds at a time, and a store can be rebuilt from its documents. Judgements are
people's work, so they are in a separate file, ``<store>.desk``, in which nothing is ever overwritten.

The command ``desk`` has the same name, so this package also re-exports its public functions (``api.desk``).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from infostream_dedup.desk.desk import Desk, desk_path

if TYPE_CHECKING:
    from infostream_dedup.api.desk import backup_desk, export_labels, forget_in_desk, import_labels

__all__ = ["Desk", "backup_desk", "desk_path", "export_labels", "forget_in_desk", "import_labels"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module("infostream_dedup.api.desk"), name)
