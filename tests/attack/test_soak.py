"""A stream that goes on and on, with expiry: memory, time and file stay what they are."""

import os
import random
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from infostream_dedup.model import Document, Settings
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from tests.long_words import LONG_WORDS

WORDS = LONG_WORDS[300:9000]
BATCH = 200


def held_megabytes():
    """Memory in use by this process, without what the allocator only keeps."""
    fields = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in fields if line.startswith("Anonymous:")) / 1024


def batches():
    draw, number, day = random.Random(4), 0, datetime(2026, 1, 1, tzinfo=UTC)  # noqa: S311
    former = []
    while True:
        made = []
        for _ in range(BATCH):
            text = draw.choice(former) if former and draw.random() < 0.3 else " ".join(draw.choices(WORDS, k=60))
            former = [*former[-300:], text]
            made.append(Document(id=f"s{number}", text=text, lang="ru", time=day + timedelta(seconds=30 * number)))
            number += 1
        yield made


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="memory is read from Linux's /proc")
@pytest.mark.slow
def test_it_goes_on(tmp_path, record_figures, scale):
    limit = float(os.environ.get("ATTACK_SOAK_SECONDS", 6 * scale * scale))
    settings = StreamSettings(terms=Settings(representation="stem"), window_days=0.5, keep_text=True)
    path, seen, begin = tmp_path / "s.db", [], time.monotonic()
    with Deduplicator.open(path, settings) as stream:
        for number, batch in enumerate(batches()):
            at = time.process_time()
            stream.process(batch)
            taken = 1000 * (time.process_time() - at) / BATCH
            if number % 20 == 19:
                stream.store.expire()
                files = sum(one.stat().st_size for one in tmp_path.glob("s.db*"))
                row = stream.store.connection.execute("SELECT count(*) FROM signature").fetchone()
                open_files = len(list(Path("/proc/self/fd").iterdir()))
                seen.append((held_megabytes(), taken, files / (number + 1), row[0], open_files))
            if time.monotonic() - begin > limit and len(seen) >= 6:
                break
    half = len(seen) // 2
    first, last = seen[half], seen[-1]
    record_figures(
        seconds=limit, documents=BATCH * 20 * len(seen), memory_growth_percent=100 * (last[0] / first[0] - 1),
        ms_a_document_first=sum(one[1] for one in seen[:half]) / half,
        ms_a_document_last=sum(one[1] for one in seen[half:]) / (len(seen) - half),
        bytes_a_batch_growth_percent=100 * (last[2] / first[2] - 1), signatures_kept=last[3],
        open_files_growth=last[4] - seen[0][4],
    )  # fmt: skip
    # Ids, titles and verdicts stay for ever, so the file grows by the batch; signatures and texts do not.
    assert last[2] < 1.05 * first[2]
    assert last[4] == seen[0][4]
    assert last[0] < 1.25 * first[0]
