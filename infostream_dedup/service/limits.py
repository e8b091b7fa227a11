"""What a client may ask for at most."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ServiceLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLimits:
    """Every limit of the service.

    Attributes:
        body_bytes: length of a body, also after decompression of all but batches.
        form_bytes: length of the body of a form.
        unpacked_bytes: length of a batch after decompression.
        gzip_ratio: how many times longer a body may become by decompression.
        documents: documents of a batch.
        checked: documents of one question "what if they came now".
        text_bytes: length of a text to search for.
        header_bytes: length of all headers together.
        body_seconds: time to receive a body, besides ``body_seconds_per_megabyte`` for each megabyte announced.
        body_seconds_per_megabyte: see there.
        silent_seconds: how long a client may leave an answer unread.
        searches: searches that wait for their turn; further ones are sent away.
        questions: questions to the store that wait for a thread; further ones are sent away.
        checks: questions "what if they came now" that wait; further ones are sent away.
        queued: batches that wait for the writer; further ones are sent away.
        readers: threads that read the store.
        query_seconds: time of one query of the store.
        figures_wait_seconds: how long a question about the latest documents waits for a new count before it gets the
            last one.
        figures_age_seconds: how old that one may be; then the question waits.
        figures_pause_seconds: how often at most the activity is counted while batches come and nobody asks.
        streams: open streams of events.
        page: rows of a list by default.
        rows: most rows of a list.
        counted: rows are counted up to this number.
        reads_per_second: reads a second for each token, on average over ten seconds.
        batches_at_once: batches of one token that wait for answers.
    """

    body_bytes: int = 16 * 1024 * 1024
    form_bytes: int = 64 * 1024
    unpacked_bytes: int = 64 * 1024 * 1024
    gzip_ratio: int = 200
    documents: int = 5_000
    checked: int = 100
    text_bytes: int = 100_000
    header_bytes: int = 16 * 1024
    body_seconds: float = 10.0
    body_seconds_per_megabyte: float = 1.0
    silent_seconds: float = 11.0
    searches: int = 16
    questions: int = 256
    checks: int = 4
    queued: int = 8
    readers: int = 4
    query_seconds: float = 5.0
    figures_wait_seconds: float = 0.05
    figures_age_seconds: float = 5.0
    figures_pause_seconds: float = 2.0
    streams: int = 20
    page: int = 50
    rows: int = 200
    counted: int = 10_000
    reads_per_second: int = 60
    batches_at_once: int = 4
