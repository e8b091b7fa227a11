"""Several services over one store: a job belongs to the process that runs it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup.errors import CannotCreateError, CannotWriteError, StoreBusyError
from infostream_dedup.judgements import Desk, desk_path
from infostream_dedup.judgements.desk import add_job, end_job, job_shown
from infostream_dedup.service import job_process
from infostream_dedup.service.job_process import JobLock, JobRunner
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.service.tokens import add_token

from .conftest import ServiceClient, wait_until_ready

pytest.importorskip("fcntl")


@pytest.fixture
def desk_with_job(tmp_path: Path) -> tuple[Path, int]:
    path = tmp_path / "stream.db.desk"
    with Desk.open(path) as desk, desk.writing() as connection:
        number = add_job(connection, "sweep", {}, position="1-3-0", person="local")
    return path, number


def state_of(path: Path, number: int) -> str:
    with Desk.open(path) as desk, desk.reading() as connection:
        job = job_shown(connection, number)
    assert job is not None
    return str(job["state"])


def test_a_second_service_leaves_a_running_job_alone(desk_with_job: tuple[Path, int]) -> None:
    path, number = desk_with_job
    lock = JobLock.take(path)
    assert lock is not None
    second = JobRunner(path.with_suffix(""), path)
    second.begin()
    assert state_of(path, number) == "waiting"
    with pytest.raises(StoreBusyError):
        second.claim()
    lock.release()
    second.begin()
    assert state_of(path, number) == "failed"


def test_the_process_holds_the_lock_when_its_service_has_ended(desk_with_job: tuple[Path, int]) -> None:
    path, number = desk_with_job
    lock = JobLock.take(path)
    assert lock is not None
    waits = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, pass_fds=lock.descriptors) as process:
        lock.release()
        assert JobLock.take(path) is None
        JobRunner(path.with_suffix(""), path).begin()
        assert state_of(path, number) == "waiting"
        process.communicate()
    claimed = JobRunner(path.with_suffix(""), path).claim()
    assert state_of(path, number) == "failed"
    claimed.release()


def test_only_one_of_two_claims_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "stream.db.desk"
    first = JobRunner(tmp_path / "stream.db", path).claim()
    assert JobLock.take(path) is None
    first.release()
    again = JobLock.take(path)
    assert again is not None
    again.release()


def test_the_next_job_need_not_wait_for_the_process_of_the_last(
    desk_with_job: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, number = desk_with_job
    lock = JobLock.take(path)
    assert lock is not None
    monkeypatch.setattr("os.nice", lambda _: 0)
    job_process.main(path.with_name("missing.db"), path, number, lock)
    assert state_of(path, number) == "failed"
    # This process has not ended, as that of a job may not have when somebody begins the next.
    following = JobLock.take(path)
    assert following is not None
    following.release()


def test_the_end_of_a_job_is_written_once_the_disk_has_room_again(
    desk_with_job: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, number = desk_with_job
    failures = [CannotWriteError("no space left")] * 2

    def full(*given: Any, **named: Any) -> None:
        if failures:
            raise failures.pop()
        end_job(*given, **named)

    monkeypatch.setattr(job_process, "end_job", full)
    monkeypatch.setattr(job_process, "_AGAIN_SECONDS", 0.01)
    runner = JobRunner(path.with_suffix(""), path)
    runner._wait(subprocess.Popen([sys.executable, "-c", "raise SystemExit(74)"]), number)
    assert not failures
    assert state_of(path, number) == "failed"


def test_the_log_of_a_job_that_a_full_disk_ended_is_one_line(
    desk_with_job: tuple[Path, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, number = desk_with_job
    lock = JobLock.take(path)
    assert lock is not None

    def full(*_: Any, **__: Any) -> None:
        raise CannotWriteError(f"{path}: no space left")

    monkeypatch.setattr(job_process, "end_job", full)
    monkeypatch.setattr("os.nice", lambda _: 0)
    with pytest.raises(SystemExit) as left:
        job_process.main(path.with_name("missing.db"), path, number, lock)
    assert left.value.code == 74
    assert capsys.readouterr().err == f"infostream-dedup: job {number}: {path}: no space left\n"
    following = JobLock.take(path)
    assert following is not None
    following.release()


def test_a_service_starts_where_the_lock_cannot_be_written(desk_with_job: tuple[Path, int]) -> None:
    path, number = desk_with_job
    # As on a file system that is read-only, which root would not notice from permissions.
    path.with_name(f"{path.name}.job").mkdir()
    runner = JobRunner(path.with_suffix(""), path)
    runner.begin()
    assert state_of(path, number) == "waiting"
    with pytest.raises(CannotCreateError, match=r"stream\.db\.desk\.job: "):
        runner.claim()


def test_only_those_who_may_ask_how_far_a_job_is_are_told_its_number(tmp_path: Path) -> None:
    tokens = {role: add_token(tmp_path / "tokens", role, role) for role in ("reader", "analyst")}
    client = ServiceClient(ServiceSettings(store=tmp_path / "news.db", token_file=tmp_path / "tokens"))
    wait_until_ready(client)
    with Desk.open(desk_path(tmp_path / "news.db")) as desk, desk.writing() as connection:
        number = add_job(connection, "sweep", {}, position="0-0-0", person="analyst")
    for role, told in (("reader", False), ("analyst", True)):
        shown = client("GET", "/explore", headers={"authorization": f"Bearer {tokens[role]}"}).text
        assert 'id="job"' in shown
        assert (f'data-number="{number}"' in shown) is told
    client.close()
