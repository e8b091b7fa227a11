"""Limits on what a client may ask for."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ServiceLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLimits:
    """Every limit of the service.

    Attributes:
        body_bytes: length of a body, after decompression unless it is a batch.
        form_bytes: length of the body of a form.
        unpacked_bytes: length of a batch after decompression.
        gzip_ratio: how many times longer a body may become by decompression.
        documents: number of documents in a batch.
        checked: number of documents in a question about the verdicts they would get.
        text_bytes: length of a text to search for.
        header_bytes: length of all headers together.
        body_seconds: time to receive a body, in addition to the next limit.
        body_seconds_per_megabyte: time for each megabyte announced.
        silent_seconds: how long a client may leave an answer unread.
        searches: pending searches; further ones are refused.
        questions: pending questions to the store; further ones are refused.
        checks: pending questions about the verdicts that documents would get; further ones are refused.
        queued: pending batches; further ones are refused.
        readers: threads that read the store.
        query_seconds: time of one query of the store.
        figures_wait_seconds: how long a question about the latest documents waits for a new count before it gets the
            last one.
        figures_age_seconds: maximum age of the last count; the question waits if it is older.
        figures_pause_seconds: minimum time between two counts of the activity while batches arrive and nobody asks.
        streams: open streams of events.
        page: default number of rows on a page.
        rows: maximum number of rows on a page.
        counted: number up to which the rows of a list are counted.
        reads_per_second: reads a second for each token, on average over ten seconds.
        batches_at_once: unanswered batches of one token.
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
