"""The rules of the compiled judge by cases worked by hand; test_stream_engine.py compares it on any stream."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.machine.arrays import rows_from
from infostream_dedup.model import Settings
from infostream_dedup.stream.clock import DAY
from infostream_dedup.stream.decisions import Judge
from infostream_dedup.stream.kernels.judging import shares_enough
from infostream_dedup.stream.memory import Memory
from infostream_dedup.stream.settings import StreamSettings

PLAIN = StreamSettings(terms=Settings(representation="stem"), window_days=None)
TERMS = range(100, 120)


def entered(settings_, documents):
    """A memory with the columns of documents (keys, further targets, numbers, source, hour), heaviest key first."""
    memory = Memory(settings_)
    times = np.array([DAY + hour * DAY // 24 for *_, hour in documents], dtype=np.int64)
    keys = [list(one[0]) for one in documents]
    rows = (
        rows_from(keys, np.int64),
        rows_from([range(3 * len(own), 2 * len(own), -1) for own in keys], np.int64),
        rows_from([sorted({*one[0], *one[1]}) for one in documents], np.int64),
        rows_from([sorted(one[2]) for one in documents], np.int64),
    )
    ids = [str(number) for number in range(len(documents))]
    hashes = [(b"", b"")] * len(ids)
    memory.window.extend(ids, hashes, [one[3] for one in documents], np.maximum.accumulate(times), times, rows)
    return memory


def judged(documents, **changes):
    """What the compiled judge finds of each document; ``None`` where it finds nothing."""
    memory = entered(PLAIN.but(**changes), documents)
    judge = Judge(PLAIN.but(**changes), memory.window)
    found = []
    for rows in memory.candidate_rows(0, memory.oldest_at(0, len(documents)), judge.needs, 0):
        asking = [SimpleNamespace(ordinal=ordinal) for ordinal in range(rows.first, rows.first + len(rows))]
        found += judge.found(rows, asking)
    return found


def statuses(documents, **changes):
    return [one and (one.of, one.duplicate, one.relation) for one in judged(documents, **changes)]


def test_numbers_contained_in_each_other():
    def pair(own, other):
        return statuses([(TERMS[:12], (), own, "s", 0), (TERMS[:12], (), other, "s", 1)])[1]

    same, other = (0, True, "equal"), (0, False, "updated")
    # Half of four; a quarter; two of five; too few numbers to say anything, three times.
    assert (pair([1, 2, 3, 4], [1, 2, 8]), pair([1, 2, 3, 4], [1, 8, 9])) == (same, other)
    assert pair([1, 2, 3, 4], [1, 2, 7, 8, 9]) == other
    assert pair([1, 2, 3, 4], [5, 6]) == pair([1, 2], [5, 6, 7, 8]) == pair([], []) == same


def test_shared_terms_as_a_share_of_all():
    # Twelve of thirty and of thirty-two terms.
    assert statuses([(TERMS[:12], range(9), (), "s", 0), (TERMS[:12], range(20, 29), (), "s", 0)],
                    least_shared=0.4)[1] == (0, True, "equal")  # fmt: skip
    assert statuses([(TERMS[:12], range(10), (), "s", 0), (TERMS[:12], range(20, 30), (), "s", 0)],
                    least_shared=0.4)[1] == (0, False, "equal")  # fmt: skip


def test_templates_are_one_source_s_on_another_day():
    def pair(source, hour, more=()):
        first = (TERMS[:12], (), [1, 2, 3], "s", 0)
        return statuses([first, (TERMS[:12], more, [4, 5, 6], source, hour)])[1][2]

    assert [pair("s", 12), pair("s", 11), pair("t", 12), pair(None, 12)] == [
        "template", "updated", "updated", "updated",
    ]  # fmt: skip
    # Twelve of thirty terms, and of thirty-one.
    assert [pair("s", 12, range(18)), pair("s", 12, range(19))] == ["template", "updated"]


@given(
    own=st.sets(st.integers(0, 40)),
    others=st.sets(st.integers(0, 40)),
    least=st.sampled_from([0.25, 0.3, 1 / 3, 0.5, 1.0]) | st.floats(1e-9, 1.0),
)
def test_enough_terms_are_shared_as_the_jaccard_index_says(own, others, least):
    columns = entered(PLAIN, [(sorted(own), (), (), "s", 0), (sorted(others), (), (), "s", 0)]).window.columns
    both = own | others
    assert shares_enough(0, 1, columns, least) == bool(both and len(own & others) / len(both) >= least)


def test_the_best_is_the_earliest_of_the_best():
    # Six of eighteen terms, then all twelve.
    documents = [(own, (), (), "s", 0) for own in [TERMS[:12], TERMS[6:18], TERMS[6:18], TERMS[6:18]]]
    first, *others = judged(documents)
    assert first is None
    assert [one.of for one in others] == [0, 1, 1]
    assert [one.repeated.tolist() for one in others] == [[0], [0, 1], [0, 1, 2]]


def test_the_best_has_most_terms_in_common_both_ways():
    # Twelve of the asking document's terms there and four back; then eight both ways.
    one_way = ([*TERMS[:4], *range(200, 208)], TERMS[:12], (), "s", 0)
    both_ways = ([*TERMS[:8], *range(300, 304)], (), (), "s", 0)
    found = judged([one_way, both_ways, (TERMS[:12], (), (), "s", 0)], k_duplicate=4, k_similar=2)
    assert (found[2].of, found[2].repeated.tolist()) == (1, [0, 1])
