"""Which k is advised: by hand on tables of S and T."""

import pytest

from infostream_dedup.errors import UsageError
from infostream_dedup.links import Choice, KnownK, Measures, advise, checked_way
from infostream_dedup.links.measures import consistency, usual_k
from infostream_dedup.machine.progress import Phrase
from infostream_dedup.report.tables import PUBLISHED


def row(k, symmetry, transitivity, links=1000, paths=1000):
    return Measures.of(
        k=k,
        documents=500,
        links=links,
        reciprocal=round(symmetry * links),
        paths=paths,
        closed=None if transitivity is None else round(transitivity * paths),
    )


def table(*levels, links=1000):
    return [row(4 + place, level, level, links=links) for place, level in enumerate(levels)]


@pytest.mark.parametrize(
    ("level", "k", "said"),
    [
        (0.5, 7, "at k = 6, 50 of 100 links are returned and 50 of 100 paths closed: far from copies"),
        (0.899, 7, "7 is advised, which keeps 100 of 100 links; 6 or 5 if stories are wanted"),
        (0.9, 6, "close to copies of one text; 6 is advised; 5 if stories are wanted"),
        (0.949, 6, "close"),
        (0.95, 5, "copies of one text; 5 is advised"),
    ],
)
def test_the_level_at_the_usual_k_tells_families_from_streams(level, k, said):
    found = advise(table(0.1, 0.2, level, 0.99), n=12)
    assert (found.consistent, found.chosen, found.chosen_by) == (k, k, "consistency")
    assert said in found.consistency
    assert found.reason == f"consistency: {found.consistency}"
    at_k = {4: 0.1, 5: 0.2, 6: level, 7: 0.99}[k]
    assert (found.symmetry, found.transitivity, found.links) == (pytest.approx(at_k), pytest.approx(at_k), 1000)


@pytest.mark.parametrize(("links", "paths"), [(49, 1000), (1000, 49)])
def test_few_links_or_paths_choose_nothing(links, paths):
    found = advise([row(6, 0.5, 0.5, links, paths)], n=12)
    assert (found.consistent, found.chosen, found.chosen_by) == (None, 6, "default")
    assert f"{links} links and {paths} paths at k = 6" in found.reason
    assert advise([row(6, 0.5, 0.5, 50, 50)], n=12).chosen == 7


def test_another_n_has_another_usual_k():
    assert [usual_k(n) for n in (1, 2, 5, 8, 12, 30)] == [1, 1, 3, 4, 6, 15]
    assert advise([row(4, 0.5, 0.5)], n=8).chosen == 5
    assert advise([row(4, 0.99, 0.99)], n=8).chosen == 3
    assert (advise([row(1, 0.5, 0.5)], n=1).chosen, advise([row(1, 1, 1)], n=1).chosen) == (1, 1)


def test_an_estimate_below_the_usual_k_needs_s_and_t_near_their_best():
    known = KnownK(estimated=Choice(4, Phrase.of("given: k = {k}", k=4)))
    # .97 of .80 is .776: 4 and 5 are below it, 6 is not.
    vetoed = advise(table(0.7, 0.775, 0.777, 0.8), n=12, known=known)
    assert (vetoed.estimated, vetoed.chosen, vetoed.chosen_by) == (4, 6, "estimate")
    assert "raised from 4 to 6" in vetoed.reason
    assert advise(table(0.7, 0.777, 0.78, 0.8), n=12, known=known).chosen == 5
    assert advise(table(0.777, 0.7, 0.78, 0.8), n=12, known=known).chosen == 4
    # A best far above 7 does not count, and an estimate is never raised past 6.
    assert advise(table(0.5, 0.5, 0.5, 0.5, 0.9), n=12, known=known).chosen == 4
    assert advise(table(0.1, 0.1, 0.1, 0.9), n=12, known=known).chosen == 6
    high = KnownK(estimated=Choice(8, Phrase.of("given: k = {k}", k=8)), by_model=True)
    assert (advise(table(0.9, 0.1, 0.1, 0.1), n=12, known=high).chosen_by) == "model"
    assert advise(table(0.7, 0.775, 0.777, 0.8), n=12, known=known, way="estimate").chosen == 4


def test_each_way_can_be_asked_for():
    nine, ten = (Choice(k, Phrase.of("given: k = {k}", k=k)) for k in (9, 10))
    known = KnownK(estimated=nine, counted=ten)
    rows = table(0.1, 0.2, 0.5, 0.9)

    def by(way):
        found = advise(rows, n=12, known=known, way=way)
        assert (found.estimated, found.counted, found.consistent) == (9, 10, 7)
        return found.chosen, found.chosen_by

    found = [by(way) for way in ("auto", "estimate", "count", "consistency", 3)]
    assert found == [(9, "estimate"), (9, "estimate"), (10, "count"), (7, "consistency"), (3, "given")]
    for way in ("estimate", "count", "consistency"):
        assert advise([], n=12, way=way).chosen_by == "default"
    assert advise(rows, n=12, known=KnownK(counted=known.counted)).chosen_by == "count"


def test_one_k_is_recommended_and_what_s_and_t_alone_would_say_is_told_beside_it():
    known = KnownK(counted=Choice(6, Phrase.of("given: k = {k}", k=6)))
    found = advise(table(0.1, 0.2, 0.5, 0.9), n=12, known=known)
    assert (found.chosen, found.consistent) == (6, 7)
    assert "S and T alone would say 7, which keeps 100 of 100 links" in found.consistency
    assert "advised" not in found.consistency + found.reason


def test_where_s_and_t_fall_topics_come_apart():
    # H of k = 4 to 12, worked by hand: it falls to 9 and rises again.
    found = advise(table(0.8, 0.7, 0.6, 0.5, 0.45, 0.4, 0.41, 0.6, 0.9), n=12)
    assert (found.chosen, found.chosen_by) == (9, "consistency")
    assert "fewer than at k = 5, so most links join texts of one topic, which come apart up to k = 9" in found.reason
    # A fall to the last k ends at 10; no fall up to 6, a high level, and few links higher up are no such case.
    assert advise(table(0.8, 0.7, 0.6, 0.5, 0.45, 0.4, 0.3, 0.2, 0.1), n=12).chosen == 10
    assert advise(table(0.7, 0.7, 0.6, 0.5, 0.45), n=12).chosen == 7
    assert advise(table(0.99, 0.98, 0.97, 0.5, 0.45), n=12).chosen == 5
    assert advise([*table(0.8, 0.7, 0.6, 0.5), row(8, 0.1, 0.1, links=49)], n=12).chosen == 7
    # Of 1,000 links, one standard error of .40 is .0155: the lowest k within it keeps most links.
    assert advise(table(0.8, 0.7, 0.6, 0.5, 0.415, 0.4, 0.41, 0.6, 0.9), n=12).chosen == 8
    assert advise(table(0.8, 0.7, 0.6, 0.5, 0.416, 0.4, 0.41, 0.6, 0.9), n=12).chosen == 9


def test_links_inside_languages_decide_and_those_between_them_have_no_t():
    found = advise(table(0.9, 0.9, 0.99, 0.99), n=12, inside=table(0.1, 0.2, 0.5, 0.9))
    assert (found.consistent, found.symmetry) == (7, 0.99)
    assert "50 of 100 links inside languages" in found.consistency
    across = advise([row(6, 0.2, None)], n=12, across=True)
    assert (across.consistent, across.chosen, across.symmetry) == (None, 6, 0.2)
    assert "T says nothing" in across.reason


def test_a_way_is_a_word_or_a_k():
    assert [checked_way(way, 12) for way in ("auto", "count", "7", 12)] == ["auto", "count", 7, 12]
    for way in ("best", "0", 13, "-1", "6.5", "", "²"):
        with pytest.raises(UsageError, match="choose_by"):
            checked_way(way, 12)


def test_the_published_table_rises_to_its_edge():
    """The paper's criterion, both coefficients as great as possible, gives k = 8: the last k it measured."""
    for one in (PUBLISHED["stem"], PUBLISHED["morph"]):
        rows = [row(k, one.symmetry[k], one.transitivity[k]) for k in one.symmetry]
        levels = {found.k: consistency(found) for found in rows}
        assert max(levels, key=levels.__getitem__) == max(levels) == 8
        assert advise(rows, n=12).consistent == 7
