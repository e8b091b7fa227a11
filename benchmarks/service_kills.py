"""Kills ``serve`` again and again while clients send batches and judgements, and looks for what was lost or doubled.

    python -m benchmarks.service_kills --kills 200 --out reports/service/kills.json

Three clients send batches of made-up documents, two people judge pairs of documents that were acknowledged. A client
that gets no answer sends the same again, under the same batch id or key, until it is acknowledged. The process gets
SIGKILL at a random moment after it is ready and has acknowledged up to five batches and a dozen of judgements. At the
end everything acknowledged must be on disk as it was answered, once, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, Final

import httpx

from benchmarks.million_store import made_up_documents
from benchmarks.served import ServedStore
from infostream_dedup.judgements import Desk, desk_path
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.checking import checks

BATCH: Final = 5
CLIENTS: Final = 3
PEOPLE: Final = 2
_MOST_BATCHES: Final = 6
_MOST_JUDGEMENTS: Final = 12
_MOST_SECONDS: Final = 20.0
_LATER: Final = 0.3
LABELS: Final = ("dup", "similar", "different", None)


class Clients:
    """What clients have sent, and what was acknowledged."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.ended = threading.Event()
        self.batches: dict[str, list[dict[str, Any]]] = {}
        self.judgements: dict[str, tuple[str, str, str | None]] = {}
        self.unanswered = Counter[str]()
        self.replayed = 0
        self.failures: list[str] = []
        self._ids: list[str] = []
        self._own = threading.local()

    def wait_for(self, batches: int, judgements: int, seconds: float) -> None:
        """Wait until so many more of both are acknowledged, or the time is up."""
        end = time.monotonic() + seconds
        batches, judgements = len(self.batches) + batches, len(self.judgements) + judgements
        while (len(self.batches) < batches or len(self.judgements) < judgements) and time.monotonic() < end:
            time.sleep(0.005)

    def send_batches(self, number: int) -> None:
        """Send one batch after another until the end."""
        documents = made_up_documents(1_000_000, seed=number, first=number * 1_000_000)
        while not self.ended.is_set():
            batch = [next(documents) for _ in range(BATCH)]
            name = batch[0]["id"]
            answer = self._sent("batches", "/v1/batches", {"batch_id": name, "documents": batch}, {})
            if answer is not None:
                self.replayed += answer["replayed"]
                self.batches[name] = answer["verdicts"]
                self._ids += [one["id"] for one in batch]

    def judge(self, number: int) -> None:
        """Judge pairs of documents that were acknowledged, until the end."""
        random, count = Random(number), 0  # noqa: S311 - pairs, not secrets
        while not self.ended.is_set():
            if len(self._ids) < 2 * BATCH:
                time.sleep(0.05)
                continue
            a, b = random.sample(self._ids, 2)
            key, label = f"person {number} act {count}", random.choice(LABELS)
            count += 1
            answer = self._sent(
                "judgements", "/v1/judgements", {"a": a, "b": b, "label": label}, {"idempotency-key": key}
            )
            if answer is not None:
                self.judgements[key] = (*sorted((a, b)), label)  # type: ignore[assignment]

    def _client(self) -> httpx.Client:
        if not hasattr(self._own, "client"):
            self._own.client = httpx.Client(base_url=self._address, timeout=120)
        client: httpx.Client = self._own.client
        return client

    def _sent(self, kind: str, path: str, body: dict[str, Any], headers: dict[str, str]) -> dict[str, Any] | None:
        """Send something until it is acknowledged."""
        while True:
            try:
                answer = self._client().post(path, json=body, headers=headers)
            except httpx.ConnectError:
                # Nothing was sent.
                time.sleep(0.2)
                continue
            except httpx.TransportError:
                self.unanswered[kind] += 1
                continue
            # 408: on a machine without a free core the body did not get through in time.
            if answer.status_code in (408, 429, 503):
                time.sleep(0.05)
                continue
            if answer.status_code not in (200, 201):
                self.failures.append(f"{path} {answer.status_code} {answer.text[:200]}")
                return None
            found: dict[str, Any] = answer.json()
            return found


def main() -> None:
    """Kill, start again, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=600, help="stop after the kill that exceeds this time")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of kills")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = _run(Path(folder) / "news.db", arguments.kills, arguments.minutes, arguments.seed)
    figures |= {"load": round(os.getloadavg()[0], 1), "cores": os.cpu_count()}
    text = json.dumps(figures, indent=1)
    print(text)
    if arguments.out is not None:
        arguments.out.write_text(f"{text}\n", encoding="utf-8")


def _run(path: Path, most: int, minutes: float, seed: int) -> dict[str, Any]:
    served = ServedStore(path, "--representation", "stem")
    clients = Clients(served.address)
    random, begin = Random(seed), time.monotonic()  # noqa: S311 - moments of kills
    served.start()
    threads = [threading.Thread(target=clients.send_batches, args=(n,), daemon=True) for n in range(CLIENTS)]
    threads += [threading.Thread(target=clients.judge, args=(n,), daemon=True) for n in range(PEOPLE)]
    for thread in threads:
        thread.start()
    kills = 0
    while kills < most and time.monotonic() - begin < 60 * minutes:
        clients.wait_for(random.randrange(_MOST_BATCHES), random.randrange(_MOST_JUDGEMENTS), _MOST_SECONDS)
        time.sleep(random.random() * _LATER)
        served.kill()
        served.start()
        kills += 1
        print(kills, len(clients.batches), len(clients.judgements), flush=True)
    clients.ended.set()
    for thread in threads:
        thread.join(timeout=300)
    served.kill()
    return {
        "kills": kills,
        "seconds": round(time.monotonic() - begin),
        "batches": len(clients.batches),
        "documents": BATCH * len(clients.batches),
        "judgements": len(clients.judgements),
        "replayed": clients.replayed,
        "unanswered": dict(clients.unanswered),
        "refused": clients.failures,
        **_found(path, clients),
    }


def _found(path: Path, clients: Clients) -> dict[str, Any]:
    """Compare what is on disk with what was acknowledged."""
    with Store.open(path, read_only=True) as store, store.reading() as connection:
        fields = tuple(next(iter(clients.batches.values()))[0])
        lost = 0
        for name, verdicts in clients.batches.items():
            stored = store.batch(name)
            lost += stored is None or [one.as_dict(fields) for one in stored.verdicts] != verdicts
        ids = [name for (name,) in connection.execute("SELECT id FROM document")]
        faults = sum(check.faults for check in checks(connection))
    with Desk.open(desk_path(path)) as desk, desk.reading() as connection:
        rows = connection.execute("SELECT key, a, b, label FROM judgement").fetchall()
        sound = connection.execute("PRAGMA integrity_check").fetchone()[0]
    said = {key: (a, b, label) for key, a, b, label in rows}
    return {
        "batches_lost": lost,
        "documents_double": len(ids) - len(set(ids)),
        "documents_besides": len(ids) - BATCH * len(clients.batches),
        "faults_of_verify": faults,
        "judgements_lost": sum(said.get(key) != what for key, what in clients.judgements.items()),
        "judgements_double": len(rows) - len(said),
        "judgements_besides": len(rows) - len(clients.judgements),
        "desk": sound,
    }


if __name__ == "__main__":
    main()
