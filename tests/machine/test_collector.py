import gc

from infostream_dedup.machine.memory import collect_once, collector_paused


def test_the_collector_is_paused_and_goes_on():
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_pause_inside_a_pause_does_not_end_it():
    with collector_paused():
        with collector_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_was_loaded_is_not_young_any_more():
    with collector_paused():
        loaded = [[number] for number in range(1000)]
        young = {id(one) for one in gc.get_objects(generation=0)}
        assert all(id(one) in young for one in loaded)
        collect_once()
        old = {id(one) for one in gc.get_objects(generation=2)}
        assert all(id(one) in old for one in loaded)
