"""The process of one job: reads the store, reports to the desk, ends on request or with its service; and its start."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import orjson

from infostream_dedup.errors import BadDataError, CannotCreateError, ConfigurationError, InfostreamError, StoreBusyError
from infostream_dedup.judgements import Desk
from infostream_dedup.judgements.desk import end_job, end_orphans, is_job_open, job_shown, report_step
from infostream_dedup.judgements.judgements import import_labels, label_rows, linked_pairs
from infostream_dedup.machine import platform
from infostream_dedup.machine.files import reopenable_file
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Document
from infostream_dedup.report.tables import UI_LANGUAGES, wording_of
from infostream_dedup.runs.batch.sweeping import SweepResult
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.restoring import position_of

if TYPE_CHECKING:
    from infostream_dedup.api.learning import Training
    from infostream_dedup.judging.criteria.training import HeldOut

LEAST_PAIRS: Final = 50  # judged pairs from which a classifier is learned, and translations

_CANDIDATES: Final = 300
_TAUGHT: Final = 50
_DISPUTED: Final = 50
_DRAWS: Final = 10
_RESAMPLES: Final = 200
_LEFT_OUT: Final = "translation"
_ONE_BODY: Final = (
    "SELECT max(ordinal) FROM document JOIN body USING (ordinal) WHERE id = ? AND forgotten = 0 HAVING count(*) > 0"
)


def train_classifier(store: Path, desk: Desk, parameters: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Learn a classifier from the judged pairs of a desk."""
    from infostream_dedup.api import train
    from infostream_dedup.judging.criteria.model_file import model_bytes

    rows = _judged(desk)
    with Store.open(store, read_only=True) as opened, opened.reading():
        present = _with_texts(opened, {name for row in rows for name in (row["a"], row["b"])})
        used = [row for row in rows if row["label"] != _LEFT_OUT and row["a"] in present and row["b"] in present]
        counts = Counter(str(row["label"]) for row in used)
        result: dict[str, Any] = {"labels": dict(counts), "left_out": len(rows) - len(used)}
        repeats = counts["dup"]
        if len(used) < LEAST_PAIRS or not repeats or repeats == len(used):
            return result | {"missing": max(LEAST_PAIRS - len(used), 0)}
        judged = {(row["a"], row["b"]) for row in rows}
        least = StreamSettings.of(opened.settings).k_duplicate
        links = linked_pairs(opened.connection, "boundary", k_duplicate=least)  # the least certain first
        candidates = [pair for pair in links if pair not in judged][:_CANDIDATES]
        named = {name for row in used for name in (row["a"], row["b"])} | {name for pair in candidates for name in pair}
        documents = _kept(opened, sorted(_with_texts(opened, named).values()), progress)
    known = {document.id for document in documents}
    candidates = [pair for pair in candidates if set(pair) <= known]
    with labels_file(used) as file:
        trained = train(documents, file, preset=parameters["preset"], statistics="background", progress=progress)
    progress("curve", 0, None)
    unseen = _unseen(trained)
    model = model_bytes(trained.classifier)
    return result | {
        "folds": _fold_scores(unseen, trained),
        "weights": trained.weights(),
        "curve": _curve(trained),
        "confused": _confused(unseen, trained, {(row["a"], row["b"]): row["label"] for row in used}),
        "teach": _teaching(trained, candidates),
        "facts": trained.classifier.training,
        "model": model.decode(),
    }


def compare_methods_on_labels(
    store: Path, desk: Desk, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Run methods over the latest documents and all judged ones, and evaluate them by people's judgements."""
    from infostream_dedup.api import compare

    rows = _judged(desk)
    with Store.open(store, read_only=True) as opened, opened.reading() as connection:
        present = _with_texts(opened, {name for row in rows for name in (row["a"], row["b"])})
        used = [row for row in rows if row["a"] in present and row["b"] in present]
        if not any(row["label"] == "dup" for row in used):
            raise BadDataError("no pair is judged a duplicate yet", code="E_TOO_FEW", source="labels")
        latest = connection.execute(
            "SELECT id FROM document WHERE forgotten = 0 ORDER BY ordinal DESC LIMIT ?", (parameters["documents"],)
        )
        named = {name for (name,) in latest} | {name for row in used for name in (row["a"], row["b"])}
        documents = _kept(opened, sorted(_with_texts(opened, named).values()), progress)
    with labels_file(used) as file:
        found = compare(
            documents,
            labels=file,
            methods=parameters["methods"],
            resamples=_RESAMPLES,
            disagreements=_DISPUTED,
            progress=progress,
        )
    shown = found.as_dict()
    del shown["configuration"]
    return shown | {
        "labels": dict(Counter(row["label"] for row in used)),
        "disputed": [{"a": one.a, "b": one.b, "found_by": one.found_by} for one in found.disagreements],
    }


@contextmanager
def labels_file(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The name of a labels file that exists while the block runs; messages about it do not quote the name."""
    with reopenable_file(".jsonl") as file:
        file.write(b"".join(orjson.dumps(row) + b"\n" for row in rows))
        file.flush()
        try:
            yield file.name
        except BadDataError as error:
            if error.source != file.name:
                raise
            raise BadDataError(
                error.message, code=error.code, source="labels", line=error.line, field=error.field
            ) from error


def _judged(desk: Desk) -> list[dict[str, Any]]:
    with desk.reading() as connection:
        return [row for row in label_rows(connection) if row["label"] is not None]


def _with_texts(store: Store, ids: set[str]) -> dict[str, int]:
    """Ordinal of the latest version of each document whose text is kept."""
    found = {}
    for name in ids:
        row = store.connection.execute(_ONE_BODY, (name,)).fetchone()
        if row is not None:
            found[name] = int(row[0])
    return found


def _kept(store: Store, ordinals: Sequence[int], progress: Progress) -> list[Document]:
    documents = []
    for place, ordinal in enumerate(ordinals):
        progress("texts", place, len(ordinals))
        documents.append(store.kept(ordinal))
    return documents


def _unseen(trained: Training) -> HeldOut:
    from infostream_dedup.judging.criteria.training import held_out, prior_plane

    names = trained.classifier.criteria
    return held_out(trained.models, trained.pairs, names, trained.authority, prior_plane(names, trained.preset.prior))


def _fold_scores(unseen: HeldOut, trained: Training) -> dict[str, Any]:
    """Precision, recall and F1 with bootstrap intervals: 1,000 samples, in which a story's pairs stay together."""
    from infostream_dedup.judging.criteria.judged_pairs import stories
    from infostream_dedup.judging.criteria.training import found_by_rule

    rule = trained.classifier.training["rule"]
    truth = found_by_rule(unseen.pairs.i_repeats, unseen.pairs.j_repeats, rule)
    found = unseen.found(rule)
    _, story = np.unique(stories(trained.pairs)[0], return_inverse=True)
    counts = np.stack([np.bincount(story, weights=one) for one in (truth & found, found & ~truth, truth & ~found)])
    generator = np.random.PCG64(0)
    size = counts.shape[1]
    drawn = generator.random_raw(1000 * size).reshape(1000, size) % size
    totals = np.concatenate((counts.sum(axis=1)[None], counts[:, drawn].sum(axis=2).T))
    hits, wrong, missed = totals.T
    figures: dict[str, Any] = {}
    for name, below in (("precision", hits + wrong), ("recall", hits + missed), ("f1", hits + (wrong + missed) / 2)):
        values = np.divide(hits, below, out=np.full(len(hits), np.nan), where=below > 0)
        known = values[1:][~np.isnan(values[1:])]
        low, high = np.quantile(known, (0.025, 0.975)).tolist() if len(known) else (None, None)
        figures |= {name: None if np.isnan(values[0]) else float(values[0]), f"{name}_low": low, f"{name}_high": high}
    return figures | {"tp": int(hits[0]), "fp": int(wrong[0]), "fn": int(missed[0]), "stories": int(size)}


def _curve(trained: Training) -> list[dict[str, Any]]:
    try:
        points = trained.learning_curve(draws=_DRAWS)
    except BadDataError as error:
        if error.code != "E_TOO_FEW":
            raise
        return []
    return [point.as_dict() for point in points if point.criteria == "all"]


def _confused(unseen: HeldOut, trained: Training, labels: Mapping[tuple[str, str], str]) -> list[dict[str, Any]]:
    from infostream_dedup.judging.criteria.training import found_by_rule

    rule = trained.classifier.training["rule"]
    truth = found_by_rule(unseen.pairs.i_repeats, unseen.pairs.j_repeats, rule)
    strength = (
        np.minimum(unseen.forward, unseen.backward) if rule == "both" else np.maximum(unseen.forward, unseen.backward)
    )
    ids = trained.models.ids
    wrong = np.flatnonzero((truth != unseen.found(rule)) & ~np.isnan(strength))
    probabilities = trained.classifier.calibration.probabilities(strength)
    rows = []
    for number in wrong.tolist():
        one, other = ids[int(unseen.pairs.i[number])], ids[int(unseen.pairs.j[number])]
        pair = (min(one, other), max(one, other))
        rows.append(
            {"a": pair[0], "b": pair[1], "label": labels[pair], "probability": round(float(probabilities[number]), 4)}
        )
    return sorted(rows, key=lambda row: (-abs(row["probability"] - 0.5), row["a"], row["b"]))


def _teaching(trained: Training, candidates: Sequence[tuple[str, str]]) -> list[list[str]]:
    """The pairs of the stream that the classifier is least sure of: one of each story before a second of any."""
    from infostream_dedup.judging.criteria.classifier import suggestions

    if not candidates:
        return []
    ids = trained.models.ids
    place = {name: number for number, name in enumerate(ids)}
    i, j = (np.array([place[pair[side]] for pair in candidates], dtype=np.int64) for side in (0, 1))
    chosen = suggestions(trained.classifier.decide(trained.models, i, j), ids, set(), _TAUGHT)
    return [list(candidates[row]) for row in chosen.tolist()]


_NICE: Final = 10
_PAUSE: Final = 0.3
_EXAMPLES: Final = 6
_ASKED: Final = 50


class _StoppedError(Exception):
    """The job was asked to stop, or its service has ended."""


def main(store: Path, desk_file: Path, number: int, parent: int, lock: JobLock) -> None:
    """Run one job of a service, ``parent``, put its result on the desk, and let the next job begin."""
    if hasattr(os, "nice"):
        platform.lower_priority(_NICE)
    try:
        _run(store, desk_file, number, parent)
    except InfostreamError as error:
        # The desk cannot be written: nobody would see the result.
        sys.stderr.write(f"infostream-dedup: job {number}: {error}\n")
        sys.exit(error.exit_code)
    finally:
        lock.release()


def _run(store: Path, desk_file: Path, number: int, parent: int) -> None:
    with Desk.open(desk_file, create=False) as desk:
        with desk.reading() as connection:
            job = job_shown(connection, number)
        if job is None:
            return
        state, message, result = "done", None, None
        try:
            result = _KINDS[job["kind"]](store, desk, job["parameters"], _reporter(desk, number, parent))
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


def _reporter(desk: Desk, number: int, parent: int) -> Progress:
    last = 0.0

    def report(step: str, done: int, total: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _PAUSE:
            return
        last = now
        with desk.writing() as connection:
            stop = report_step(connection, number, step, done, total)
        if stop or not platform.is_child_of(parent):
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
        notes = ["judge the pairs of the queue 'audit', then start an audit with judged: true"]
        return {"asked": len(asked.rows), "added": added, "notes": notes}
    with desk.reading() as connection:
        rows = [row for row in label_rows(connection) if row["label"] and row.get("asked")]
    if not rows:
        raise ConfigurationError("nobody has judged a pair that an audit asked for; judge pairs of the queue 'audit'")
    with labels_file(rows) as file:
        found = audit(documents, judged=file, settings=chosen, progress=progress)
    return {"rows": found.rows, "notes": found.notes}


def _documents(store: Path, latest: int, progress: Progress) -> tuple[list[Document], dict[str, Any]]:
    """The latest documents whose texts were kept, and the settings of their key terms."""
    from infostream_dedup.runs.batch.stored_collection import settings_of_terms

    with Store.open(store, read_only=True) as opened, opened.reading() as connection:
        end = position_of(connection).documents
        # Only the last of several versions counts: in a collection, each id names one document.
        rows = connection.execute(
            "SELECT max(ordinal) AS last FROM document WHERE ordinal >= ? AND forgotten = 0 GROUP BY id"
            " HAVING EXISTS (SELECT 1 FROM body WHERE body.ordinal = last) ORDER BY last",
            (end - latest,),
        )
        return _kept(opened, [last for (last,) in rows], progress), dict(settings_of_terms(opened.settings))


def _swept(result: SweepResult) -> dict[str, Any]:
    """What the page shows: rows, recommendation in three languages, a few pairs at each k."""
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


# What starts and ends that process, and the lock that it holds


class JobLock:
    """Lock of one job. Any process that inherits ``descriptors`` holds it too, until it ends."""

    def __init__(self, descriptors: tuple[int, ...]) -> None:
        # Empty where files cannot be locked: there every service gets the lock.
        self.descriptors = descriptors

    @classmethod
    def take(cls, desk: Path) -> JobLock | None:
        """Take the lock that belongs to a desk; ``None`` if the process of a job holds it, or a service for one."""
        path = desk.with_name(f"{desk.name}.job")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise CannotCreateError(f"{path}: {error.strerror or error}") from error
        locked = platform.lock_file(descriptor)
        if locked:
            return cls((descriptor,))
        os.close(descriptor)
        return cls(()) if locked is None else None

    def release(self) -> None:
        """Let go of the lock in this process."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = ()


_GRACE_SECONDS: Final = 5.0
_LOOK_PAUSE: Final = 0.05
_AGAIN_SECONDS: Final = 2.0


class JobRunner:
    """Runs one job at a time in a separate process of low priority, so that batches and readers do not wait."""

    def __init__(self, store: Path, desk: Path) -> None:
        self._store, self._desk = store, desk
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: threading.Thread | None = None
        self._number = 0
        self._closing = threading.Event()

    def begin(self) -> None:
        """End jobs that an earlier service left running. A job whose process still runs is another service's."""
        if not self._desk.exists():
            return
        try:
            lock = JobLock.take(self._desk)
        except CannotCreateError:
            # Where nobody can write, such as on a mounted backup, no job is left.
            return
        if lock is not None:
            self._end_orphans(lock)
            lock.release()

    def claim(self) -> JobLock:
        """Take the lock for a new job, and end jobs that nobody runs any more. This may wait: call it in a thread."""
        until = time.monotonic() + _GRACE_SECONDS
        while (lock := JobLock.take(self._desk)) is None:
            with Desk.open(self._desk) as desk, desk.reading() as connection:
                if is_job_open(connection) or time.monotonic() > until:
                    raise StoreBusyError("another job is running; wait for it, or stop it")
            # The process of a job that has reported its result is about to release the lock.
            time.sleep(_LOOK_PAUSE)
        if lock.descriptors and self._desk.exists():
            self._end_orphans(lock)
        return lock

    def _end_orphans(self, lock: JobLock) -> None:
        try:
            with Desk.open(self._desk) as desk, desk.writing() as connection:
                end_orphans(connection)
        except BaseException:
            lock.release()
            raise

    def run(self, number: int, lock: JobLock) -> None:
        """Start the process of a job on the desk, and hand it the lock."""
        arguments = self._store, self._desk, number, os.getpid(), *platform.inherited(lock.descriptors)
        self._number = number
        self._process = subprocess.Popen(  # noqa: S603 - our own module and paths
            platform.python_command("infostream_dedup.service.job_process", *arguments),
            env=platform.python_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=platform.inherited(lock.descriptors),
        )
        lock.release()
        self._watch = threading.Thread(target=self._wait, args=(self._process, number), daemon=True)
        self._watch.start()

    def stop(self, number: int) -> None:
        """End the process of a job if it does not soon stop by itself."""
        process = self._process
        if process is not None and self._number == number:
            threading.Timer(_GRACE_SECONDS, process.terminate).start()

    def close(self) -> None:
        """End the running process."""
        self._closing.set()
        if self._process is not None:
            self._process.terminate()
        if self._watch is not None:
            self._watch.join()

    def _wait(self, process: subprocess.Popen[bytes], number: int) -> None:
        code = process.wait()
        message = None if code < 0 else f"exit code {code}; the log of the service says why"
        while True:
            try:
                with Desk.open(self._desk) as desk, desk.writing() as connection:
                    # This has no effect on a job that ended by itself.
                    end_job(connection, number, "stopped" if code < 0 else "failed", message=message)
                return
            except InfostreamError:
                # Such as a full disk, which may have ended the job as well. The next start ends what is still open.
                if self._closing.wait(_AGAIN_SECONDS):
                    return


if __name__ == "__main__":
    job, service, *held = map(int, sys.argv[3:])
    main(Path(sys.argv[1]), Path(sys.argv[2]), job, service, JobLock(tuple(held)))
