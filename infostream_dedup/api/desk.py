"""``desk``: the judgements on a store's documents, kept in ``<store>.desk``.

Every function takes the path of the store and may be called while the service runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError

__all__ = ["backup_desk", "export_labels", "forget_in_desk", "import_labels", "label_studio_tasks"]


def export_labels(path: str | Path, *, who: str | None = None) -> list[dict[str, Any]]:
    """Export judgements as labels for ``evaluate``, ``train``, ``compare`` and ``audit``.

    Args:
        who: export only this person's judgements; by default the majority, or the judgement that settled the pair.

    Returns:
        Rows ``a, b, label, judges``, ``repeats`` if it was given, and ``asked`` if an audit asked for the pair:
        ``audit`` then counts no others. The label of a pair without a majority is None.

    Raises:
        NoInputError: the store has no desk.
        BadDataError: the file is not a desk.
    """
    from infostream_dedup.judgements import Desk, desk_path
    from infostream_dedup.judgements.judgements import label_rows

    with Desk.open(desk_path(path), create=False) as desk, desk.reading() as connection:
        return list(label_rows(connection, who=who))


def import_labels(path: str | Path, labels: str | Path, *, person: str) -> tuple[int, int]:
    """Import a labels file; rows imported before are skipped, unless a later import has replaced them.

    Args:
        labels: JSON Lines, CSV or a workbook of ``a``, ``b``, ``label``; rows without a label go to the queue
            ``audit``. Or what Label Studio exports as JSON, of tasks from ``label_studio_tasks``.
        person: name of the person who judged; if several did in Label Studio, their numbers or addresses are added.

    Returns:
        Number of judgements added, and of pairs added to the queue.

    Raises:
        NoInputError: there is no such file, or no store.
        BadDataError: a row is not a valid label row; nothing was imported.
        ConfigurationError: the name of the person is empty or not printable.
    """
    from infostream_dedup.judgements import Desk, desk_path
    from infostream_dedup.judgements.judgements import import_labels as take_in
    from infostream_dedup.lab.labels import label_rows

    if not person.strip() or not person.isprintable():
        raise ConfigurationError(f"{person!r} is not the name of a person; use printable characters")
    if not Path(path).exists():
        raise NoInputError(f"{path}: there is no store; 'ingest' creates one")
    by_person: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    tasks = _tasks_in(labels)
    if tasks is None:
        by_person[person] = list(label_rows(labels))
    else:
        people = {who for who, *_ in tasks}
        for who, line, row in tasks:
            by_person.setdefault(person if len(people) < 2 else f"{person} {who}", []).append((line, row))
    judged = asked = 0
    with Desk.open(desk_path(path)) as desk, desk.writing() as connection:
        for name, found in by_person.items():
            rows, lines = [row for _, row in found], [line for line, _ in found]
            counts = take_in(connection, rows, person=name, source=str(labels), lines=lines)
            judged, asked = judged + counts[0], asked + counts[1]
    return judged, asked


def label_studio_tasks(path: str | Path, *, who: str | None = None) -> list[dict[str, Any]]:
    """Make tasks for Label Studio: pairs that were judged, with their labels, and pairs that an audit asks for.

    Args:
        who: as in ``export_labels``.

    Returns:
        Tasks with ``data`` (``a``, ``b``, and ``title_a``, ``source_a``, ``published_a``, ``text_a`` and so on; texts
        are empty if the store keeps none) and, of judged pairs, ``annotations`` with the choices ``label`` and
        ``repeats``.

    Raises:
        NoInputError: the store has no desk.
        BadDataError: the file is not a desk.
    """
    from infostream_dedup.judgements import Desk, desk_path
    from infostream_dedup.judgements.judgements import asked_pairs, label_rows
    from infostream_dedup.stream.store import Store
    from infostream_dedup.stream.store.browsing import document_shown

    with Desk.open(desk_path(path), create=False) as desk, desk.reading() as connection:
        rows = list(label_rows(connection, who=who))
        judged = {(row["a"], row["b"]) for row in rows}
        rows += [{"a": a, "b": b, "label": None} for a, b in asked_pairs(connection, "audit") if (a, b) not in judged]
    tasks = []
    with Store.open(path, read_only=True) as store, store.reading() as connection:
        for row in rows:
            data = {"a": row["a"], "b": row["b"]}
            for side in "ab":
                shown = document_shown(connection, row[side]) or {}
                data |= {f"{name}_{side}": shown.get(name) or "" for name in ("title", "source", "published")}
                data[f"text_{side}"] = (store.text(shown["ordinal"]) if shown else None) or ""
            given = [
                {"from_name": name, "to_name": "text_a", "type": "choices", "value": {"choices": [row[name]]}}
                for name in ("label", "repeats")
                if row.get(name)
            ]
            tasks.append({"data": data, **({"annotations": [{"result": given}]} if given else {})})
    return tasks


def _tasks_in(path: str | Path) -> list[tuple[str, int, dict[str, Any]]] | None:
    """Who judged, the number of the task and the label row, of what Label Studio exported; None for other files."""
    try:
        content = Path(path).read_bytes()
        tasks = orjson.loads(content) if content[:1] == b"[" else None
    except (OSError, orjson.JSONDecodeError):
        return None  # told by the reader of labels
    if tasks is None:
        return None
    found = []
    for number, task in enumerate(tasks, start=1):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise BadDataError(
                "expected a task of Label Studio with 'data'", code="E_TYPE", source=str(path), line=number
            )
        pair = {name: task["data"].get(name) for name in "ab"}
        said = [one for one in task.get("annotations") or [] if not one.get("was_cancelled")]
        if not said:
            found.append(("", number, pair))
        for one in said:
            chosen = {
                part.get("from_name"): part["value"]["choices"][0]
                for part in one.get("result") or []
                if part.get("type") == "choices" and part.get("value", {}).get("choices")
            }
            who = one.get("completed_by")
            row = pair | {name: chosen[name] for name in ("label", "repeats") if name in chosen}
            found.append((str(who.get("email") if isinstance(who, dict) else who or ""), number, row))
    return found


def backup_desk(path: str | Path, copy: str | Path) -> int:
    """Copy the desk of a store while others write to it; the copy is written completely or not at all.

    Args:
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
