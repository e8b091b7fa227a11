from dataclasses import replace
from datetime import UTC, datetime

from infostream_dedup.model import Document, without_text


def test_everything_but_the_text_stays() -> None:
    time = datetime(2026, 3, 1, tzinfo=UTC)
    document = Document(
        id="1", text="body", title="title", lang="uk", published="2026-03-01", time=time, source="source",
        url="https://example.org", images=["a"], links=3, extra={"mood": "good"},
    )  # fmt: skip
    assert without_text(document) == replace(document, text="")
