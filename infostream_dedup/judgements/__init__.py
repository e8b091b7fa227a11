"""The desk of a store: people's work on it, in a file of its own, in which nothing is ever overwritten."""

from infostream_dedup.judgements.desk import Desk, desk_path

__all__ = ["Desk", "desk_path"]
