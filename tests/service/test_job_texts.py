"""What the jobs read of a store that kept texts only for a while."""

from pathlib import Path

from infostream_dedup.service.job_process import _documents
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings


def test_documents_without_text_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "news.db"
    for name, keep in (("a", False), ("b", True), ("c", True)):
        with Deduplicator.open(path, StreamSettings.of({"keep_text": keep})) as stream:
            stream.process([{"id": name, "text": f"Мэр открыл мост, {name}."}])
    with Deduplicator.open(path, StreamSettings.of({"keep_text": True})) as stream:
        stream.process([{"id": "b", "text": "Мэр открыл мост, уточнение."}], on_conflict="version")
    documents, _ = _documents(path, 100, lambda *_: None)
    assert [(one.id, one.text) for one in documents] == [
        ("c", "Мэр открыл мост, c."),
        ("b", "Мэр открыл мост, уточнение."),
    ]
