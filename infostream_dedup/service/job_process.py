"""The process of one job: reads the store, reports to the desk, and ends on request or with its service."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.errors import ConfigurationError, InfostreamError
from infostream_dedup.judgements import Desk
from infostream_dedup.judgements.jobs import end_job, job_shown, report_step
from infostream_dedup.judgements.labels import import_labels, label_rows
from infostream_dedup.report.wording import UI_LANGUAGES
from infostream_dedup.service.job_lock import JobLock
from infostream_dedup.service.learning_jobs import compare_methods_on_labels, labels_file, train_classifier

if TYPE_CHECKING:
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Document
    from infostream_dedup.runs.batch.sweeping import SweepResult

__all__ = ["main"]

_NICE: Final = 10
_PAUSE: Final = 0.3
_EXAMPLES: Final = 6
_ASKED: Final = 50


class _StoppedError(Exception):
    """The job was asked to stop, or its service has ended."""


def main(store: Path, desk_file: Path, number: int, lock: JobLock) -> None:
    """Run one job, put its result on the desk, and let the next job begin.

    Args:
        store: the store to examine.
        desk_file: the desk that holds the job.
        number: the job's number.
        lock: held by this process; released here because the process may need seconds to end.
    """
    if hasattr(os, "nice"):
        os.nice(_NICE)
    try:
        _run(store, desk_file, number)
    except InfostreamError as error:
        # The desk cannot be written: nobody would see the result.
        sys.stderr.write(f"infostream-dedup: job {number}: {error}\n")
        sys.exit(error.exit_code)
    finally:
        lock.release()


def _run(store: Path, desk_file: Path, number: int) -> None:
    with Desk.open(desk_file, create=False) as desk:
        with desk.reading() as connection:
            job = job_shown(connection, number)
        if job is None:
            return
        state, message, result = "done", None, None
        try:
            result = _KINDS[job["kind"]](store, desk, job["parameters"], _reporter(desk, number))
        except _StoppedError:
            state = "stopped"
        except InfostreamError as error:
            state, message = "failed", str(error)
        except Exception as error:  # the page must not wait forever; the traceback goes to the log
            with desk.writing() as connection:
                end_job(connection, number, "failed", message=type(error).__name__)
            raise
        with desk.writing() as connection:
            end_job(connection, number, state, message=message, result=result)


def _reporter(desk: Desk, number: int) -> Progress:
    parent, last = os.getppid(), 0.0

    def report(step: str, done: int, total: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _PAUSE:
            return
        last = now
        with desk.writing() as connection:
            stop = report_step(connection, number, step, done, total)
        if stop or os.getppid() != parent:
            raise _StoppedError

    report("", 0, None)
    return report


def _sweep(store: Path, _: Desk, parameters: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from infostream_dedup.api import sweep_store

    del parameters
    return _swept(sweep_store(store, progress=progress))


def _estimate(store: Path, _: Desk, parameters: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    from infostream_dedup.api import sweep

    documents, settings = _documents(store, parameters["documents"], progress)
    representation = str(settings["representation"])
    return _swept(sweep(documents, representations=[representation], estimate=True, progress=progress))


def _audit(store: Path, desk: Desk, parameters: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Choose pairs to judge, or evaluate the judgements on them."""
    from infostream_dedup.api import audit
    from infostream_dedup.model import Settings

    documents, settings = _documents(store, parameters["documents"], progress)
    chosen = Settings.of(representation=settings["representation"])
    if not parameters["judged"]:
        asked = audit(documents, pairs=_ASKED, settings=chosen, progress=progress)
        with desk.writing() as connection:
            _, added = import_labels(connection, asked.rows, person="audit")
        return {"asked": len(asked.rows), "added": added, "notes": asked.notes}
    with desk.reading() as connection:
        rows = [row for row in label_rows(connection) if row["label"] and row.get("asked")]
    if not rows:
        raise ConfigurationError("nobody has judged a pair that an audit asked for; judge pairs of the queue 'audit'")
    with labels_file(rows) as file:
        found = audit(documents, judged=file, settings=chosen, progress=progress)
    return {"rows": found.rows, "notes": found.notes}


def _documents(store: Path, latest: int, progress: Progress) -> tuple[list[Document], dict[str, Any]]:
    """The latest documents whose texts were kept, and the settings of their key terms."""
    from infostream_dedup.runs.batch.stored_settings import settings_of_terms
    from infostream_dedup.stream.store import Store
    from infostream_dedup.stream.store.restoring import position_of

    with Store.open(store, read_only=True) as opened, opened.reading() as connection:
        end = position_of(connection).documents
        # Only the last of several versions counts: in a collection, each id names one document.
        rows = connection.execute(
            "SELECT max(ordinal) AS last FROM document WHERE ordinal >= ? AND forgotten = 0 GROUP BY id"
            " HAVING EXISTS (SELECT 1 FROM body WHERE body.ordinal = last) ORDER BY last",
            (end - latest,),
        ).fetchall()
        documents = []
        for place, (ordinal,) in enumerate(rows):
            progress("texts", place, len(rows))
            documents.append(opened.kept(ordinal))
        return documents, dict(settings_of_terms(opened.settings))


def _swept(result: SweepResult) -> dict[str, Any]:
    """What the page shows: rows, recommendation in three languages, a few pairs at each k."""
    from infostream_dedup.report.wording import wording_of

    (representation,) = result.configuration["representations"]
    reason = result.reason.get(representation, "")
    shown: dict[int, list[dict[str, Any]]] = {}
    for example in result.examples:
        several = shown.setdefault(example.k, [])
        if len(several) < _EXAMPLES:
            names = ("a", "b", "title_a", "title_b", "source_a", "source_b", "forward", "backward", "terms", "out_of")
            several.append({name: getattr(example, name) for name in names})
    return {
        "representation": representation,
        "rows": [row.as_dict() for row in result.rows if row.block == "all"],
        "recommended_k": result.recommended_k.get(representation),
        "reason": {language: wording_of(language).spoken(reason)[0] for language in UI_LANGUAGES},
        "documents": sum(result.documents.values()),
        "notes": result.notes,
        "examples": {str(k): rows for k, rows in shown.items()},
    }


_KINDS: Final[Mapping[str, Callable[[Path, Desk, Mapping[str, Any], Progress], dict[str, Any]]]] = {
    "sweep": _sweep,
    "estimate": _estimate,
    "audit": _audit,
    "train": train_classifier,
    "compare": compare_methods_on_labels,
}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), JobLock(tuple(map(int, sys.argv[4:]))))
