"""Small English news made of common words, so that the background knows every one of them."""

from datetime import UTC, datetime, timedelta

import pytest

from infostream_dedup.documents import read_documents
from infostream_dedup.model import Document, Settings
from infostream_dedup.sample import documents_path
from infostream_dedup.stream.settings import StreamSettings
from tests.stream.made_up_stream import made_up_stream as made_up
from tests.stream.plain_stream import PlainStream

WORDS = [
    "bridge", "river", "minister", "bank", "school", "hospital", "doctor", "winter", "market", "farmer", "forest",
    "army", "president", "court", "judge", "police", "museum", "theatre", "engine", "train", "airport", "island",
    "mountain", "football", "coach", "contract", "budget", "parliament", "election", "candidate",
]  # fmt: skip

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)


def made_up_news(id_, words, *, numbers=(), day=0.0, source="agency", title="", dated=True):
    text = " ".join([*(WORDS[word] for word in words), *map(str, numbers)])
    time = BEGIN + timedelta(days=day) if dated else None
    return Document(id=id_, text=text, title=title, lang="en", time=time, source=source)


@pytest.fixture(scope="module")
def documents():
    return list(read_documents(documents_path()))


@pytest.fixture(scope="session")
def news():
    """Makes a document of numbers of words; ``day`` counts from the first of March 2026."""
    return made_up_news


@pytest.fixture(scope="session")
def plain_stream():
    return PlainStream


@pytest.fixture(scope="session")
def made_up_stream():
    """Makes a stream with everything that a verdict may depend on."""
    return made_up


@pytest.fixture(scope="session")
def terms():
    """Stems, for which no dictionary has to be read."""
    return Settings(representation="stem", df_min=0)


@pytest.fixture(scope="session")
def plain(terms):
    """Settings whose window and epochs are never in the way."""
    return StreamSettings(terms=terms, window_days=None, epoch_documents=10**6, first_epoch=10**6)
