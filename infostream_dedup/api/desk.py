"""``desk``: the judgements on a store's documents, kept in ``<store>.desk``.

Every function takes the path of the store and may be called while the service runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["backup_desk", "export_labels", "forget_in_desk", "import_labels"]


def export_labels(path: str | Path, *, who: str | None = None) -> list[dict[str, Any]]:
    """Export judgements as labels for ``evaluate``, ``train``, ``compare`` and ``audit``.

    Args:
        path: the store.
        who: export only this person's judgements; by default the majority, or the judgement that settled the pair.

    Returns:
        Rows ``a, b, label, judges``, ``repeats`` if it was given, and ``asked`` if an audit asked for the pair:
        ``audit`` then counts no others. The label of a pair without a majority is None.

    Raises:
        NoInputError: the store has no desk.
        BadDataError: the file is not a desk.
    """
    from infostream_dedup.judgements import Desk, desk_path
    from infostream_dedup.judgements.candidates import label_rows

    with Desk.open(desk_path(path), create=False) as desk, desk.reading() as connection:
        return list(label_rows(connection, who=who))


def import_labels(path: str | Path, labels: str | Path, *, person: str) -> tuple[int, int]:
    """Import a labels file; rows imported before are skipped, unless a later import has replaced them.

    Args:
        path: the store.
        labels: JSON Lines, CSV or a workbook of ``a``, ``b``, ``label``; rows without a label go to the queue
            ``audit``.
        person: name of the person who judged.

    Returns:
        Number of judgements added, and of pairs added to the queue.

    Raises:
        NoInputError: there is no such file, or no store.
        BadDataError: a row is not a valid label row; nothing was imported.
        ConfigurationError: the name of the person is empty or not printable.
    """
    from infostream_dedup.errors import ConfigurationError, NoInputError
    from infostream_dedup.judgements import Desk, desk_path
    from infostream_dedup.judgements.candidates import import_labels as take_in
    from infostream_dedup.lab.evaluation.labels import label_rows

    if not person.strip() or not person.isprintable():
        raise ConfigurationError(f"{person!r} is not the name of a person; use printable characters")
    if not Path(path).exists():
        raise NoInputError(f"{path}: there is no store; 'ingest' creates one")
    found = list(label_rows(labels))
    rows, lines = [row for _, row in found], [line for line, _ in found]
    with Desk.open(desk_path(path)) as desk, desk.writing() as connection:
        return take_in(connection, rows, person=person, source=str(labels), lines=lines)


def backup_desk(path: str | Path, copy: str | Path) -> int:
    """Copy the desk of a store while others write to it; the copy is written completely or not at all.

    Args:
        path: the store.
        copy: path of the copy; an older copy is replaced.

    Returns:
        Size of the copy in bytes.

    Raises:
        NoInputError: the store has no desk.
        CannotCreateError, CannotWriteError: the copy cannot be written.
    """
    from infostream_dedup.judgements import Desk, desk_path

    with Desk.open(desk_path(path), create=False) as desk:
        desk.backup(copy)
    return Path(copy).stat().st_size


def forget_in_desk(path: str | Path, ids: str | Iterable[str]) -> int:
    """Remove what the desk quotes from documents: example pairs in job results, and requests to judge them.

    Judgements stay: they contain ids of documents but none of their content. The file is rewritten afterwards, so that
    no remnants are left in it. ``store.forget`` does all this by itself.

    Args:
        path: the store.
        ids: one id or several.

    Returns:
        Number of rows that were changed or removed.

    Raises:
        NoInputError: the store has no desk.
        StoreBusyError, CannotWriteError: nothing was changed, or the file was not rewritten.
    """
    return forget_and_wipe(path, ids)[0]


def forget_and_wipe(path: str | Path, ids: str | Iterable[str]) -> tuple[int, bool]:
    """Do what ``forget_in_desk`` does; return also whether the file contains no remnants."""
    from infostream_dedup.judgements import Desk, desk_path
    from infostream_dedup.judgements.judgements import forget_in_desk as forget_all

    with Desk.open(desk_path(path), create=False) as desk:
        with desk.writing() as connection:
            changed = forget_all(connection, {ids} if isinstance(ids, str) else dict.fromkeys(ids))
        return changed, desk.wipe()
