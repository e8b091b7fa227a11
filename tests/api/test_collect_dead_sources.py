"""``collect``: sources that cannot be read are named, and the others are written."""

import json

import pytest

from infostream_dedup import collect
from infostream_dedup.errors import BadDataError, NoInputError

pytest.importorskip("trafilatura")

RSS = """<rss version="2.0"><channel><link>https://www.example.{0}/</link>
<item><guid>n-1</guid><description>Уряд схвалив бюджет.</description></item>
<item><guid>n-2</guid><title>Порожня</title></item>
<item><guid>n-1</guid><description>Уряд схвалив бюджет.</description></item></channel></rss>"""
RECORD = """WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: https://news.example.com/feed\r
WARC-Date: 2024-03-05T07:00:00Z\r\nWARC-Record-ID: <urn:uuid:12345678-1234-1234-1234-123456789abc>\r
Content-Type: application/rss+xml\r\nContent-Length: {}\r\n\r\n"""
# Nothing listens on this port.
DEAD = "http://127.0.0.1:1/feed"


@pytest.fixture
def sources(tmp_path):
    (tmp_path / "good.xml").write_text(RSS.format("org"), encoding="utf-8")
    (tmp_path / "also.xml").write_text(RSS.format("net"), encoding="utf-8")
    (tmp_path / "bad.xml").write_text("<rss>", encoding="utf-8")
    return ("none.xml", "good.xml", DEAD, "bad.xml", "also.xml")


def test_the_others_are_written(run_command, tmp_path, sources) -> None:
    answer = run_command(tmp_path, "collect", *sources, "--out", "out.jsonl", "--summary", "run.json", TZ="UTC")
    assert answer.returncode == 66
    missing, dead, bad, *told = answer.stderr.decode().splitlines()
    assert missing == "none.xml: No such file or directory"
    assert dead.startswith(f"{DEAD}: ")
    assert bad == "bad.xml: the feed breaks off; fetch it again [E_FEED]"
    assert told == [
        "collected 2 documents; 2 repeated; 2 without a text",
        "infostream-dedup: 3 could not be read, as said above; the others were written",
    ]
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["example.org:n-1", "example.net:n-1"]
    summary = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert (summary["status"], summary["read"], summary["used"]) == ("failed", 9, 2)
    assert summary["quarantined"] == {"again": 2, "empty": 2, "unread": 3}


def test_without_any_source_the_old_file_is_kept(run_command, tmp_path, sources) -> None:
    (tmp_path / "out.jsonl").write_text("old")
    answer = run_command(tmp_path, "collect", "none.xml", "bad.xml", "--out", "out.jsonl", TZ="UTC")
    assert answer.returncode == 65
    assert b"none.xml: No such file" in answer.stderr
    assert (tmp_path / "out.jsonl").read_text() == "old"


def test_in_python_an_error_is_raised_unless_a_function_takes_it(tmp_path, sources) -> None:
    feed = RSS.format("com").encode()
    record = RECORD.format(len(feed)).encode() + feed + b"\r\n\r\n"
    (tmp_path / "cut.warc").write_bytes(record + record[:-40])
    names = [tmp_path / name for name in ("cut.warc", "none.xml", "good.xml")]
    with pytest.raises(BadDataError, match="breaks off"):
        collect(names).as_rows()
    failures = []
    rows = collect(names, on_failure=failures.append).as_rows()
    assert len(rows) == 2, "the first record of the archive was whole"
    assert [type(failure) for failure in failures] == [BadDataError, NoInputError]
    with pytest.raises(NoInputError, match="none"):
        collect(names[:2], on_failure=failures.append).as_rows()
