"""The desk of a store: people's judgements on its pairs, groups and templates, in an SQLite file next to the store.

The stream writes to a store for seconds at a time, and a store can be rebuilt from its documents. Judgements are
people's work, so they are in a separate file, ``<store>.desk``, in which nothing is ever overwritten.
"""

from infostream_dedup.judgements.desk import Desk, desk_path

__all__ = ["Desk", "desk_path"]
