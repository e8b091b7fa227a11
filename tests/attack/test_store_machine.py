"""Long courses of batches, replays, conflicts, failures, expiry and backups leave what one engine says."""

from infostream_dedup.model import Settings
from infostream_dedup.stream.settings import StreamSettings
from tests.stream.conftest import made_up_news
from tests.stream.plain_stream import PlainStream
from tests.stream.test_deduplicator import GUARDED, play


def test_any_course_of_commands(record_figures, scale):
    terms = Settings(representation="stem", df_min=0)
    play(6 * scale, StreamSettings(terms=terms, **GUARDED), made_up_news, PlainStream, steps=20)
    record_figures(courses=6 * scale, differences=0)
