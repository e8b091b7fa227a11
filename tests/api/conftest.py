"""One process parses the pages of all tests: to start one takes longer than most of them."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from infostream_dedup.documents import page_process

KEPT = page_process.PageProcess()


@pytest.fixture(autouse=True, scope="package")
def _kept_page_process() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_process, "PageProcess", lambda: SimpleNamespace(rows=KEPT.rows, close=lambda: 0))
        yield
    KEPT.close()
