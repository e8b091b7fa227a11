"""The desk of a store: what people say of its pairs, groups and templates, in an SQLite file beside the store.

A store is written by the stream for seconds at a time, and can be made from its documents once more. Judgements are
people's work: they are in a file of their own, ``<store>.desk``, and nothing in it is ever overwritten.
"""

from infostream_dedup.desk.desk import Desk, desk_path

__all__ = ["Desk", "desk_path"]
