"""Links across languages that a restart reads back are those that were found before it."""

import numpy as np

from infostream_dedup.stream.across import _PastLinks

# The later document, the earlier one, the smaller share.
LINKS = np.array([[5, 2, 700], [6, 2, 800], [6, 5, 900]], dtype=np.int64)


def test_each_link_is_known_at_both_ends():
    past = _PastLinks.of(LINKS)
    assert sorted(past.of_document(2)) == [(5, 700), (6, 800)]
    assert sorted(past.of_document(5)) == [(2, 700), (6, 900)]
    assert sorted(past.of_document(6)) == [(2, 800), (5, 900)]
    assert past.of_document(3) == past.of_document(7) == []
    assert _PastLinks.of(LINKS[:0]).of_document(2) == []


def test_documents_that_left_the_window_are_forgotten_once_they_are_the_half():
    past = _PastLinks.of(LINKS)
    assert past.from_document(3) is past
    later = past.from_document(6)
    assert later.ordinals.tolist() == [6, 6]
    assert sorted(later.of_document(6)) == [(2, 800), (5, 900)]
    assert later.of_document(2) == []
