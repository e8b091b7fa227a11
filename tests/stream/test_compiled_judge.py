"""The compiled judge against the plain one: cases by hand, windows of all kinds, real news."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.model import Settings
from infostream_dedup.stream.clock import DAY
from infostream_dedup.stream.decisions import Judge
from infostream_dedup.stream.kernels.judging import shares_enough
from infostream_dedup.stream.memory import Memory
from infostream_dedup.stream.settings import StreamSettings
from tests.stream import plain_judge

PLAIN = StreamSettings(terms=Settings(representation="stem"), window_days=None)
TERMS = range(100, 120)


def entered(settings_, documents):
    """A memory with the columns of documents (keys, further targets, numbers, source, hour), heaviest key first."""
    memory = Memory(settings_)
    times = np.array([DAY + hour * DAY // 24 for *_, hour in documents], dtype=np.int64)
    keys = [list(one[0]) for one in documents]
    rows = (
        plain_judge.rows_of(keys),
        plain_judge.rows_of([range(3 * len(own), 2 * len(own), -1) for own in keys]),
        plain_judge.rows_of([sorted({*one[0], *one[1]}) for one in documents]),
        plain_judge.rows_of([sorted(one[2]) for one in documents]),
    )
    ids = [str(number) for number in range(len(documents))]
    hashes = [(b"", b"")] * len(ids)
    memory.window.extend(ids, hashes, [one[3] for one in documents], np.maximum.accumulate(times), times, rows)
    return memory


def judged(settings_, documents, least_keys=0):
    """What the compiled judge finds and what meets, beside what the plain one says of it."""
    memory = entered(settings_, documents)
    if not documents:
        return [], []
    judge, plain = Judge(settings_, memory.window), plain_judge.PlainJudge(settings_, memory.window)
    found, expected = [], []
    oldest = memory.oldest_at(0, len(documents))
    for rows in memory.candidate_rows(0, oldest, judge.needs, least_keys):
        asking = [SimpleNamespace(ordinal=ordinal) for ordinal in range(rows.first, rows.first + len(rows))]
        for one, begin, end, got in zip(asking, rows.ends[:-1], rows.ends[1:], judge.found(rows, asking), strict=True):
            finds = (column[begin:end].copy() for column in (rows.ordinals, rows.forward, rows.backward))
            expected.append(plain.found(one.ordinal, *finds))
            fields = () if got is None else (got.of, got.duplicate, got.relation, got.repeated.tolist())
            found.append(plain_judge.PlainFound(*fields) if fields else plain_judge.NOTHING)
    pairs = [(ordinal, of) for ordinal in range(len(documents)) for of in range(ordinal)]
    for (ordinal, of), met in zip(pairs, judge.met(pairs, NAMES), strict=True):
        found.append((met.forward, met.backward, met.words))
        expected.append(named(plain.met(ordinal, of)))
    return found, expected


NAMES = SurfaceList.of([f"{number:05}" for number in range(100_000)])
"""Words for the numbers of terms, in their order."""


def named(met):
    """What meets according to the plain judge, with words instead of terms and weights."""
    forward, backward, weighed = met
    return forward, backward, tuple(f"{term:05}" for term, _ in sorted(weighed, key=lambda one: (-one[1], one[0])))


def statuses(documents, **changes):
    found, _ = judged(PLAIN.but(**changes), documents)
    return [(one.of, one.duplicate, one.relation) for one in found[: len(documents)]]


def test_numbers_contained_in_each_other():
    def pair(own, other):
        return statuses([(TERMS[:12], (), own, "s", 0), (TERMS[:12], (), other, "s", 1)])[1]

    same, other = (0, True, "equal"), (0, False, "updated")
    # Half of four; a quarter; two of five; too few numbers to say anything, three times.
    assert pair([1, 2, 3, 4], [1, 2, 8]) == same
    assert pair([1, 2, 3, 4], [1, 8, 9]) == other
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
    documents = [(sorted(own), (), (), "s", 0), (sorted(others), (), (), "s", 0)]
    columns = entered(PLAIN, documents).window.columns
    both = own | others
    assert shares_enough(0, 1, columns, least) == bool(both and len(own & others) / len(both) >= least)


def test_the_best_is_the_earliest_of_the_best():
    # Six of eighteen terms, then all twelve.
    documents = [(own, (), (), "s", 0) for own in [TERMS[:12], TERMS[6:18], TERMS[6:18], TERMS[6:18]]]
    found, expected = judged(PLAIN, documents)
    assert found == expected
    assert [one.of for one in found[:4]] == [None, 0, 1, 1]
    assert [one.repeated for one in found[:4]] == [[], [0], [0, 1], [0, 1, 2]]


documents_of_a_window = st.lists(
    st.tuples(
        st.lists(st.integers(0, 17), max_size=12, unique=True), st.sets(st.integers(0, 24), max_size=9),
        st.sets(st.integers(0, 6), max_size=6), st.sampled_from([None, "one", "two"]), st.integers(0, 30),
    ),
    max_size=25,
)  # fmt: skip
choices = st.fixed_dictionaries(
    {
        "k_duplicate": st.sampled_from([2, 4, 6]), "k_similar": st.sampled_from([1, 2]),
        "duplicate_rule": st.sampled_from(["equal", "contained"]),
        "within": st.sampled_from(["all", "outlets", "source"]), "templates": st.booleans(),
        "least_shared": st.sampled_from([0.0, 0.3, 0.5, 1.0]), "window_documents": st.sampled_from([None, 1, 6]),
        "terms": st.builds(
            Settings, representation=st.just("stem"), target=st.sampled_from(["text", "signature"]),
            short=st.sampled_from(["scaled", "strict"]), n=st.sampled_from([12, 255]),
        ),
    }
)  # fmt: skip


@given(documents=documents_of_a_window, chosen=choices, least_keys=st.sampled_from([0, 3]))
def test_any_window_is_judged_as_the_plain_way_does(documents, chosen, least_keys):
    found, expected = judged(StreamSettings(window_days=None, **chosen), documents, least_keys)
    assert found == expected
