"""``collect``: turn feeds, web pages and web archives into documents."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from infostream_dedup.api.sources import Listing
from infostream_dedup.documents import ReadingReport
from infostream_dedup.errors import BadDataError, ConfigurationError, InfostreamError, NoInputError

if TYPE_CHECKING:
    from infostream_dedup.documents.fetching import Deadline, FetchLimits
    from infostream_dedup.documents.page_process import PageProcess

_COLUMNS = ("id", "title", "text", "published", "source", "url", "item", "collected_at")


def collect(
    sources: str | Path | Sequence[str | Path],
    *,
    max_bytes: int = 20_000_000,
    timeout: float = 30.0,
    max_redirects: int = 5,
    total_timeout: float = 3600.0,
    on_failure: Callable[[InfostreamError], object] | None = None,
) -> Listing[dict[str, Any]]:
    """Turn RSS and Atom feeds, HTML pages, WARC archives and exports of Telegram into documents (extra ``feeds``).

    Only addresses listed in ``sources`` are opened: items of a feed are taken as they appear in the feed. No other
    function of the package opens a connection.

    Args:
        sources: files, ``-`` for standard input, or addresses (``http://``, ``https://``).
        max_bytes: maximum size of a feed, page or archive record in bytes.
        timeout: seconds within which an address must have answered in full, redirects included.
        max_redirects: maximum number of redirects. A server outside cannot redirect to an address inside the network
            (loopback, link-local, private).
        total_timeout: seconds for all addresses together; later ones are not opened.
        on_failure: called with the error of each source or record of an archive that cannot be read; its remaining
            items are then missing, and the other sources and records are read. If no source can be read, the error of
            the last is raised. By default, the first error is raised.

    Returns:
        Rows ``id, title, text, published, source, url, item, collected_at``, each id once (and ``relation``,
        ``forwarded_by``, ``edited`` of posts); ``report`` counts what was read. Its
        ``quarantined_by_code`` counts items that came ``again``, items and pages that were ``empty``, and sources that
        stayed ``unread``.

    Raises:
        NoInputError: a source is missing, cannot be reached, or answers with an error.
        BadDataError: ``E_TOO_LARGE``, ``E_FEED``, ``E_WARC``, ``E_MARKUP`` (no parser takes it), ``E_SLOW`` (parsing
            takes more than 20 seconds of CPU time and 20 for each megabyte).
        MissingExtraError: the extra ``feeds`` is not installed.
        ConfigurationError: a limit is out of range.
    """
    from infostream_dedup.documents.fetching import Deadline, FetchLimits

    if max_bytes < 1 or min(timeout, total_timeout) <= 0 or max_redirects < 0:
        raise ConfigurationError("max_bytes and the timeouts must be at least 1, max_redirects at least 0")
    limits = FetchLimits(max_bytes=max_bytes, timeout=timeout, max_redirects=max_redirects)
    every = [sources] if isinstance(sources, str | Path) else list(sources)
    report = ReadingReport()
    deadline = Deadline("", total_timeout, "--total-timeout")
    return Listing(_rows([str(one) for one in every], limits, deadline, report, on_failure), _COLUMNS, report)


def _rows(
    sources: Sequence[str],
    limits: FetchLimits,
    deadline: Deadline,
    report: ReadingReport,
    on_failure: Callable[[InfostreamError], object] | None,
) -> Iterator[dict[str, Any]]:
    from infostream_dedup.documents.page_process import PageProcess

    seen: dict[str, str] = {}
    failures = 0

    def unread(error: InfostreamError) -> None:
        if on_failure is None or failures == len(sources):
            raise error
        report.read += 1
        report.count_quarantined("unread")
        on_failure(error)

    with closing(PageProcess()) as pages:
        for source in sources:
            try:
                yield from _rows_of(source, limits, deadline, report, seen, pages, unread)
            except (NoInputError, BadDataError) as error:
                failures += 1
                unread(error)


def _rows_of(
    source: str,
    limits: FetchLimits,
    deadline: Deadline,
    report: ReadingReport,
    seen: dict[str, str],
    pages: PageProcess,
    unread: Callable[[InfostreamError], object],
) -> Iterator[dict[str, Any]]:
    from infostream_dedup.documents.collecting import collected, content_digest
    from infostream_dedup.documents.fetching import fetch, is_address

    charset, moment = None, datetime.now(UTC)
    if is_address(source):
        content, name, charset = fetch(source, limits, deadline)
        stream: IO[bytes] = io.BytesIO(content)
    else:
        stream, name = _opened_file(source)
        if source != "-":
            moment = datetime.fromtimestamp(Path(source).stat().st_mtime, UTC)
    with stream:
        for row in collected(stream, name, limits.max_bytes, pages.rows, charset, moment):
            if isinstance(row, BadDataError):
                unread(row)
                continue
            report.read += 1
            if row is None:
                report.count_quarantined("empty")
                continue
            digest = content_digest(row)
            if seen.get(row["id"], digest) != digest:
                # Another item, whose site or feed gives many the same id.
                row["id"] = row["item"] = f"{row['id']}#{digest}"
            if row["id"] in seen:
                report.count_quarantined("again")
                continue
            seen[row["id"]] = digest
            row.setdefault("collected_at", moment.isoformat(timespec="seconds"))
            report.count_used(source)
            report.count_origin(row.get("source"), None)
            yield row


def _opened_file(source: str) -> tuple[IO[bytes], str]:
    if source == "-":
        return open(sys.stdin.fileno(), "rb", closefd=False), "standard input"
    try:
        return Path(source).open("rb"), source
    except OSError as error:
        raise NoInputError(f"{source}: {error.strerror or error}") from error
