"""Series of a sweep: a representation with a weighting, the paper's three, identical ones told once."""

from dataclasses import replace

import pytest

from infostream_dedup import pairs, read_documents, sweep
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.sweeping import PROBABILITIES
from infostream_dedup.sample import documents_path, topics_path

SAMPLE = str(documents_path())


def plain(rows):
    return [{name: value for name, value in row.as_dict().items() if name != "representation"} for row in rows]


def test_a_series_is_its_settings():
    assert Settings().for_series("stem:tfidf") == Settings(representation="stem", weighting="tfidf")
    assert Settings(weighting="tfidf").for_series("stem") == Settings(representation="stem", weighting="tfidf")
    assert Settings().for_series("stem:tfidf:middle").df_min == 0.018
    assert Settings().for_series("morph:middle") == Settings(df_min=0.018)
    for wrong in ("stem:best", "stem:tfidf:bm25", "stem:middle:tfidf", "words", "", "stem:"):
        with pytest.raises(ConfigurationError):
            Settings().for_series(wrong)
    with pytest.raises(UsageError, match="paper, middle"):
        sweep(SAMPLE, series="lande")


def test_rows_of_a_series_are_those_of_its_weighting(tmp_path):
    found = sweep(SAMPLE, representations="stem:tfidf,stem:bm25,stem", estimate=False, examples=False)
    alone = sweep(SAMPLE, representations="stem", weighting="tfidf", estimate=False, examples=False)
    assert plain(found.rows[:12]) == plain(alone.rows)
    assert {row.representation for row in found.rows[:12]} == {"stem:tfidf"}
    assert found.same_as == {"stem": "stem:bm25"}
    assert list(found.recommended_k) == ["stem:tfidf", "stem:bm25", "stem"]
    assert found.settings("stem:tfidf") == alone.settings("stem")
    assert found.thresholds().ks.keys() == {"stem:tfidf", "stem"}
    assert sweep(SAMPLE, representations="stem:tfidf,stem:bm25", workdir=tmp_path / "work").rows == found.rows[:24]


@pytest.fixture(scope="module")
def three_hundred():
    """The sample, its topics, and the first halves of 68 texts: 300 documents."""
    found = [replace(one, lang=one.id[:2]) for path in (SAMPLE, topics_path()) for one in read_documents(str(path))]
    halves = [replace(d, id=f"{d.id}-half", text=d.text[: len(d.text) // 2], url=f"{d.url}/half") for d in found[:68]]
    return [*found, *halves]


@pytest.mark.parametrize("series", ["stem:tfidf", "morph", "pivot"])
def test_every_row_by_brute_force(three_hundred, series):
    assert len(three_hundred) == 300
    representation, _, weighting = series.partition(":")
    found = sweep(three_hundred, representations=[series], estimate=False, examples=False, short="strict")
    settings = {"representation": representation, "weighting": weighting or "bm25"}
    hits = {}
    for row in pairs(three_hundred, k_min=1, terms=False, short="strict", **settings):
        hits[row.a, row.b], hits[row.b, row.a] = row.forward, row.backward
    blocks = {"all": (True, False), "mono": (True,), "cross": (False,)}
    assert {row.block for row in found.rows} == (set(blocks) if series == "pivot" else {"all"})
    assert len(found.rows) == 12 * (3 if series == "pivot" else 1)
    for row in found.rows:
        links = {(a, b) for (a, b), n in hits.items() if n >= row.measures.k and (a[:2] == b[:2]) in blocks[row.block]}
        out = {}
        for a, b in links:
            out.setdefault(a, set()).add(b)
        ends = [(a, c) for a, b in links for c in out.get(b, ())]
        paths = sum(a != c for a, c in ends)
        closed = sum((a, c) in links for a, c in ends)
        assert row.measures.links == len(links)
        assert row.measures.symmetry == (sum((b, a) in links for a, b in links) / len(links) if links else None)
        if row.block == "cross":
            # With the way back: i -> j -> l, l may be i; it is closed if i links l, or is l.
            returned = len(ends) - paths
            assert row.transitivity_with_return == ((closed + returned) / len(ends) if ends else None)
        else:
            assert row.measures.transitivity == (closed / paths if paths else None)
            assert row.transitivity_with_return is None


def test_pivot_of_one_language_is_told_once(tmp_path):
    documents = [one for one in read_documents(SAMPLE) if one.id.startswith("ru")]
    found = sweep(documents, representations=["morph", "pivot"], estimate=False)
    assert found.same_as == found.as_dict()["same_as"] == {"pivot": "morph"}
    assert "pivot has the same links as morph here, and is shown once" in found.notes
    assert {one.representation for one in found.examples} == {"morph"}
    for where in ({}, {"workdir": tmp_path / "work"}):
        unasked = sweep(documents, estimate=False, examples=False, **where)
        assert {row.representation for row in unasked.rows} == {"stem", "morph"}
        assert "second language" in unasked.missing["pivot"]
        assert unasked.configuration["representations"] == ["stem", "morph"]
    pytest.importorskip("matplotlib")
    from infostream_dedup import write_report

    write_report(found, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("Links of morph") >= 1 or "morph" in page
    assert "<h3>pivot" not in page


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["mdnews", "slavictopics"])
def test_the_papers_series_have_the_papers_shape(corpora, corpus):
    """The standard way finds more links; S and T rise on news, on one topic they fall; S falls across languages."""
    path = corpora / f"{corpus}.docs.jsonl.gz"
    found = sweep(str(path), series="paper", ks=range(4, 9), estimate=False, examples=False)
    rows = {(row.representation, row.block, row.measures.k): row.measures for row in found.rows}
    for k in (4, 5, 6):
        assert 1.3 <= rows["stem:tfidf", "all", k].links / rows["morph:bm25", "all", k].links <= 2.7
    sign = 1 if corpus == "mdnews" else -1
    for series in ("stem:tfidf", "morph:bm25"):
        for measure in ("symmetry", "transitivity"):
            values = [getattr(rows[series, "all", k], measure) for k in range(4, 8)]
            assert values == sorted(values, reverse=sign < 0)
    if ("pivot", "cross", 4) in rows:
        assert any("they join texts on one topic, not translations" in note for note in found.notes)
        assert rows["pivot", "cross", 4].symmetry > rows["pivot", "cross", 6].symmetry > 0
        assert rows["pivot", "cross", 6].symmetry > rows["pivot", "cross", 8].symmetry


def test_short_texts_are_swept_as_pairs_links_them():
    """Headlines alone: the median has fewer than 12 key terms, so links follow need(k) by default."""
    titles = [{"id": one.id, "text": one.title, "lang": one.id[:2]} for one in read_documents(SAMPLE)]
    found = sweep(titles, representations=["morph"], estimate=False)
    assert {row.short for row in found.rows} == {"scaled"}
    strict = sweep(titles, representations=["morph"], estimate=False, short="strict")
    assert {row.short for row in strict.rows} == {"strict"}
    for row, plain in zip(found.rows, strict.rows, strict=True):
        listed = pairs(titles, k=row.measures.k, terms=False)
        assert row.measures.links == sum({"equal": 2}.get(one.relation, 1) for one in listed)
        assert row.measures.links >= plain.measures.links
    assert found.rows[5].measures.links > 3 * strict.rows[5].measures.links
    assert {row.short for row in sweep(SAMPLE, representations=["morph"], estimate=False).rows} == {"strict"}
    asked = sweep(SAMPLE, representations=["morph"], estimate=False, short="scaled")
    assert {row.short for row in asked.rows} == {"scaled"}
    shares = sweep(SAMPLE, representations=["morph"], estimate=False, score="share")
    assert {row.short for row in shares.rows} == {None}


# The sweep of the minimum probability equals what ``pairs`` lists, by brute force.
def transitivity(linked):
    out = {}
    for a, b in linked:
        out.setdefault(a, set()).add(b)
        out.setdefault(b, set()).add(a)
    paths = [(a, c) for b, ends in out.items() for a in ends for c in ends if a != c]
    return sum(c in out[a] for a, c in paths) / len(paths) if paths else None


def groups(linked):
    leader = {}

    def find(one):
        while leader.setdefault(one, one) != one:
            one = leader[one]
        return one

    for a, b in linked:
        leader[find(a)] = find(b)
    sizes = {}
    for one in leader:
        sizes[find(one)] = sizes.get(find(one), 0) + 1
    return len(sizes), sum(sizes.values()), max(sizes.values(), default=0)


def test_every_probability_by_brute_force(three_hundred):
    found = sweep(three_hundred, score="probability")
    found_pairs = pairs(three_hundred, min_probability=0, between="none", terms=False)
    listed = [row for row in found_pairs if row.probability is not None]
    terms = list(pairs(three_hundred, preset="judged", k_min=3, min_probability=0, between="none", terms=False))
    languages = {one.id: one.id[:2] for one in three_hundred}
    judged = [row for row in found.rows if row.block == "judged"]
    assert [row.measures.threshold for row in judged] == list(PROBABILITIES)
    assert len(listed) > len([row for row in listed if row.probability >= 0.5]) > 200
    for row in judged:
        accepted = [one for one in listed if one.probability >= row.measures.threshold]
        linked = {(one.a, one.b) for one in accepted}
        assert row.measures.links == 2 * len(linked)
        assert row.measures.transitivity == transitivity(linked)
        assert (row.groups.groups, row.groups.grouped, row.groups.largest) == groups(linked)
        one_way = sum({"equal": 2, "contained": 1, "contains": 1, None: 0}[one.relation] for one in accepted)
        assert row.measures.symmetry == sum(2 for one in accepted if one.relation == "equal") / one_way
    for row, beside in zip([row for row in found.rows if row.block == "mutual"], judged, strict=True):
        k = row.estimated["k_of_mutual"]
        mutual = {
            least: {
                (one.a, one.b)
                for one in terms
                if min(one.forward, one.backward) >= least and languages[one.a] == languages[one.b]
            }
            for least in range(3, 13)
        }
        assert row.measures.links == 2 * len(mutual[k])
        assert row.measures.transitivity == transitivity(mutual[k])
        distance = {one: abs(2 * len(linked) - beside.measures.links) for one, linked in mutual.items()}
        assert distance[k] == min(distance.values())
    assert found.recommended_k == {"morph": None}
    assert any("paths between accepted pairs are closed" in note for note in found.notes)


@pytest.mark.parametrize("more", [{"ks": 6}, {"n": 10}, {"by": "day"}, {"series": "paper"}, {"preset": "best"}])
def test_what_a_sweep_of_probabilities_has_no_use_for_is_refused(three_hundred, more):
    with pytest.raises(UsageError, match="score probability sweeps preset judged"):
        sweep(three_hundred, score="probability", **more)
