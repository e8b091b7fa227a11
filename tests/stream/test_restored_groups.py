"""Groups of a window after a restart."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.machine.arrays import Ragged
from infostream_dedup.stream.memory import Groups
from infostream_dedup.stream.window import Window


@given(joined=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=30), gone=st.integers(0, 12))
def test_groups_come_back_as_they_were(joined, gone):
    """A restart finds the groups that documents joined one by one."""
    before, after = Window(), Window()
    groups, restarted = (Groups(one, watched_from=99, least_density=0.0) for one in (before, after))
    for ordinal, (to, kind) in enumerate(joined):
        _enter(before, f"d{ordinal % 20}")
        earlier = max(before.oldest, ordinal - to)
        if kind and earlier < ordinal:
            groups.join(ordinal, earlier, np.array([earlier]), exact=True)
        elif ordinal >= 20:
            groups.begin_again(ordinal)
    for ordinal in range(min(gone, before.end)):
        groups.expire(ordinal, before.end)
        before.expire_before(ordinal + 1)
    for name in before.ids:
        _enter(after, name)
    after.groups[:] = before.groups
    after.expire_before(before.oldest)
    restarted.resume(groups.state(), [])
    assert restarted.state() == groups.state()
    for ordinal in range(before.oldest, before.end):
        name = groups.of(ordinal)
        assert restarted.members(name) == groups.members(name)
        assert (restarted.size(name), restarted.begun(ordinal)) == (groups.size(name), groups.begun(ordinal))
        assert after.group_starts[ordinal] == before.group_starts[ordinal]


def _enter(window, name):
    row, moment = Ragged(np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int64)), np.zeros(1, dtype=np.int64)
    window.extend([name], [(b"", b"")], [None], moment, moment, (row, row, row, row))
