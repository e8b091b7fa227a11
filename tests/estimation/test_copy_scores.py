"""Precision and recall as copies, in links, groups and sweeps, and of planted copies."""

import gzip
import json
from random import Random

import numpy as np
import pytest
import scipy.sparse as sp
from click.testing import CliRunner

from infostream_dedup import Document, compare, dedup, sweep
from infostream_dedup.cli import cli
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import UsageError
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.lab import census, copy_scores
from infostream_dedup.lab.census import Copies, CountedPairs, counted_pairs, find_all_copies
from infostream_dedup.lab.copy_scores import CopyScores, Links, count_copies, links_in_groups
from infostream_dedup.lab.sweep_estimator import (
    EDITS,
    PlantedCollection,
    Vocabulary,
    _summary,
    _wilson,
    edited,
    sentences_of,
)
from infostream_dedup.links.pair_rules import count_grades
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.linking import link
from infostream_dedup.sample import documents_path
from tests.estimation.test_duplicate_scores import recommended_k


# Precision and recall as copies: worked by hand, and against a count of every pair.
def _links(documents, grades):
    table = np.zeros((documents, documents), dtype=np.uint8)
    for (a, b), (forward, backward) in grades.items():
        table[a, b], table[b, a] = forward, backward
    return Links.of(sp.csr_array(table))


def _copies(pairs, **more):
    a, b = np.array([*pairs], dtype=np.int64).reshape(-1, 2).T
    wording = np.array([*pairs.values()], dtype=np.float64)
    marks = np.zeros(len(a), dtype=np.uint8)
    return Copies(a=a, b=b, wording=wording, **{"marks": marks, "total": len(a), "series": 0, "sampled": 1} | more)


def test_a_case_worked_by_hand(universe):
    links = _links(5, {(0, 1): (9, 6), (1, 2): (3, 7), (0, 3): (4, 4), (2, 4): (12, 2)})
    copies = _copies({(0, 1): 0.9, (0, 3): 0.35, (3, 4): 0.6})
    counted = CountedPairs(universe(5), short=0, undated=0)
    three, four, six = count_copies(links, copies, counted, np.zeros(5, dtype=np.uint8), steps=[3, 4, 6])["all"]
    # At 3: 0-1, 1-2 and 0-3 are linked both ways; 2-4 only at 2.
    assert (three.links, three.linked_copies, three.precision, three.recall) == (3, 2, 2 / 3, 2 / 3)
    assert (four.links, four.linked_copies, four.precision) == (2, 2, 1.0)
    assert (six.links, six.linked_copies, six.recall) == (1, 1, 1 / 3)
    assert three.bands == (1.0, 0.0, 1.0)
    assert (six.bands, six.f1) == ((0.0, 0.0, 1.0), pytest.approx(0.5))


def test_series_are_counted_apart(universe):
    within = universe(3, days=np.array([0.0, 1.0, 2.0]), sources=np.array([1, 1, 2]), titles=np.array([5, 6, 7]))
    links = _links(3, {(0, 1): (6, 6), (1, 2): (6, 6)})
    copies = _copies(
        {(0, 1): 1.0, (1, 2): 0.4}, total=1, series=1, marks=np.array([census.SERIES, census.COUNTED], dtype=np.uint8)
    )
    (six,) = count_copies(
        links, copies, CountedPairs(within, short=0, undated=0), np.zeros(3, dtype=np.uint8), steps=[6]
    )["all"]
    assert (six.links, six.copies, six.series_links, six.series_copies) == (1, 1, 1, 1)


def test_equal_to_counting_every_pair(universe, triple_rows, edited):
    random = np.random.default_rng(7)
    rows = triple_rows(edited(8, [40, 12, *[3] * 30]))
    documents = len(rows.begins) - 1
    table = np.triu(random.integers(0, 13, (documents, documents)).astype(np.uint8), 1)
    table = np.where(random.random(table.shape) < 0.7, 0, table + table.T).astype(np.uint8)
    languages = random.integers(0, 2, documents).astype(np.uint8)
    counted = CountedPairs(universe(documents), short=0, undated=0)
    copies = find_all_copies(rows, counted.universe)
    found = count_copies(Links.of(sp.csr_array(table)), copies, counted, languages, steps=range(1, 13))
    both = np.triu(np.minimum(table, table.T), 1)
    copied = np.zeros_like(both, dtype=bool)
    copied[copies.a, copies.b] = copies.marks == census.COUNTED
    # Of links with a phrase in common, nobody knows whether they are copies.
    both[copies.a[copies.marks == census.PHRASE], copies.b[copies.marks == census.PHRASE]] = 0
    assert (copies.marks == census.PHRASE).any()
    across = languages[:, None] != languages[None, :]
    for block, chosen in (("all", np.ones_like(across)), ("mono", ~across), ("cross", across)):
        for one in found[block]:
            linked = (both >= one.step) & chosen
            assert one.links == linked.sum()
            assert one.linked_copies == (linked & copied).sum()
            assert one.copies == (copied & chosen).sum()
            assert one.precision_bounds[0] <= one.precision <= one.precision_bounds[1]
            assert one.recall_bounds[0] <= one.recall <= one.recall_bounds[1]


def test_intervals_are_as_wide_as_the_spread_over_other_documents(universe):
    """Stars of one document and its five copies: pairs are not independent, and Wilson would be far too narrow."""
    stars, links, copies = 60, {}, {}
    for star in range(stars):
        for leaf in range(5):
            pair = (6 * star, 6 * star + 1 + leaf)
            links[pair] = (6, 6) if star % 3 else (2, 2)
            copies[pair] = 0.9
    counted = CountedPairs(universe(6 * stars), short=0, undated=0)
    (six,) = count_copies(
        _links(6 * stars, links), _copies(copies), counted, np.zeros(6 * stars, dtype=np.uint8), steps=[6]
    )["all"]
    low, high = six.recall_bounds
    # The standard error over stars is (2/3 * 1/3 / 60 * 2.2)^.5, 2.2 for the Poisson weights of hub and leaves.
    assert 0.2 < high - low < 0.45


def test_k_is_chosen_by_f1_where_there_are_50_copies(universe):
    links = {(2 * pair, 2 * pair + 1): (5 + pair % 2, 5 + pair % 2) for pair in range(60)}
    noise = {(2 * pair, 2 * pair + 3): (4, 4) for pair in range(50)}
    counted = CountedPairs(universe(130), short=0, undated=0)

    def chosen(copies):
        copied = _copies({(2 * pair, 2 * pair + 1): 0.8 for pair in range(copies)})
        none = np.zeros(130, dtype=np.uint8)
        return recommended_k(count_copies(_links(130, links | noise), copied, counted, none, steps=range(1, 13))["all"])

    assert chosen(60).chosen == 5
    assert chosen(60).reason.startswith("counted: ")
    assert chosen(49).chosen == 6
    assert chosen(49).reason.startswith("default: 49 copies")
    assert recommended_k([]).chosen == 6
    assert recommended_k([]).reason == (
        "default: copies were not counted; 0 links and 0 paths at k = 6; S and T need 50 of each to choose"
    )


def test_blocks_of_links_change_nothing(universe, monkeypatch):
    random = np.random.default_rng(9)
    grades = sp.csr_array(np.where(random.random((80, 80)) < 0.4, random.integers(1, 12, (80, 80)), 0).astype(np.uint8))
    grades.setdiag(0)
    grades.eliminate_zeros()
    links, languages = Links.of(grades), random.integers(0, 2, 80).astype(np.uint8)
    within = universe(
        80, days=random.random(80) * 20, sources=random.integers(0, 3, 80), titles=random.integers(0, 9, 80)
    )
    counted = CountedPairs(within, short=0, undated=0)
    monkeypatch.setattr(copy_scores, "_MOST_DRAWN", 100)
    whole = count_copies(links, _copies({(0, 1): 0.5}), counted, languages, steps=[1, 4, 8])
    monkeypatch.setattr(copy_scores, "_LINKS_AT_ONCE", 30)
    assert count_copies(links, _copies({(0, 1): 0.5}), counted, languages, steps=[1, 4, 8]) == whole
    assert whole["all"][0].links > 100


@pytest.mark.parametrize("sampled", [1, 2])
def test_sampled_links_never_hold_more_copies_than_links(universe, monkeypatch, sampled):
    """Drawn from other pairs than the links, copies of a large cluster made intervals of precision up to 3.25."""
    random = np.random.default_rng(3)
    pairs = [(a, b) for a in range(60) for b in range(a + 1, 60)]
    grades = random.choice([4, 4, 4, 4, 8, 12], len(pairs)).tolist()
    links = _links(80, {pair: (grade, grade) for pair, grade in zip(pairs, grades, strict=True)} | {(60, 70): (4, 4)})
    a, b = np.array(pairs, dtype=np.int64).T
    kept = census.are_kept(a, b, sampled.bit_length() - 1)
    copies = _copies({pair: 0.9 for pair, one in zip(pairs, kept.tolist(), strict=True) if one}, sampled=sampled)
    counted = CountedPairs(universe(80), short=0, undated=0)
    monkeypatch.setattr(copy_scores, "_MOST_DRAWN", 200)
    four, *others = count_copies(links, copies, counted, np.zeros(80, dtype=np.uint8), steps=[4, 8, 12])["all"]
    assert four.links == len(pairs) + 1
    assert 0.9 < four.precision_bounds[0] <= four.precision <= four.precision_bounds[1] <= 1.0
    for one in others:
        assert 0.0 < one.precision_bounds[0] <= one.precision <= one.precision_bounds[1] <= 1.0


@pytest.mark.parametrize("pairs", [0, 1, 50])
def test_pairs_are_counted_in_each_draw_whatever_the_threads(pairs, monkeypatch):
    random = np.random.default_rng(pairs)
    a, b = random.integers(0, 20, (2, pairs))
    grades, across = random.integers(0, 13, pairs).astype(np.uint8), random.integers(0, 2, pairs)
    weights = random.integers(0, 9, (20, 7)).astype(np.uint8)
    expected = np.zeros((2, copy_scores._GRADES, 7))
    for one, other, grade, part in zip(a, b, grades, across, strict=True):
        expected[part, grade] += weights[one].astype(float) * weights[other]
    for threads in (1, 2, 3):
        monkeypatch.setattr(copy_scores, "thread_count", lambda _, threads=threads: threads)
        assert np.array_equal(copy_scores._drawn(a, b, grades, across, weights), expected)


# Copies among the pairs of groups: links by hand, and dedup that counts.
STORY = (
    "Вчера в {} открыли новый мост через реку, который строили четыре года и семь месяцев подряд, а {} жители "
    "соседних районов теперь смогут добираться до работы на двадцать минут быстрее прежнего, сообщила мэрия"
)
OTHER = (
    "Пожарные {} города весь вечер тушили склад старой мебели на окраине, никто не пострадал, причины назовёт "
    "следствие, которое начала прокуратура области по заявлению владельца здания и его соседей по улице"
)


def test_links_worked_by_hand():
    links = links_in_groups(np.array([0, 1, 0, 2, 0, 1]))
    assert links.indptr.tolist() == [0, 2, 3, 5, 5, 7, 8]
    assert links.indices.tolist() == [2, 4, 5, 0, 4, 0, 2, 1]
    assert links.grades_of(np.array([0, 1, 0]), np.array([4, 5, 1])).tolist() == [1, 1, 0]


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(copy_scores, "_MOST_IN_GROUPS", 5)
    with pytest.raises(UsageError, match="join 3 pairs"):
        links_in_groups(np.array([0, 0, 0]))


def test_what_groups_join_and_miss():
    # Two equal texts are one group; the third version of the story differs, but by wording it is a copy of both.
    texts = [STORY.format("Казани", "все"), STORY.format("Казани", "все"), OTHER.format("большого")]
    texts.append(STORY.format("Самаре", "многие"))
    documents = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    found = dedup(documents, preset="faithful", representation="stem", k=12, df_min=1, df_max=1, count_copies=True)
    row = found.as_dict()
    assert row["pairs"] == sum(len(ids) * (len(ids) - 1) // 2 for ids in found.members.values()) == 1
    assert (row["copies"], row["copy_precision"]) == (3, 1.0)
    assert row["copy_recall"] == pytest.approx(1 / 3, abs=1e-6)
    assert "copies" not in dedup(documents, preset="faithful", representation="stem").as_dict()


def test_both_presets_count_and_print(tmp_path):
    rows = [dedup(documents_path(), preset=preset, count_copies=True).as_dict() for preset in ("judged", "faithful")]
    assert rows[0]["copies"] == rows[1]["copies"] > 0
    for row in rows:
        assert row["copy_recall_low"] <= row["copy_recall"] <= row["copy_recall_high"]
    arguments = [
        "dedup", str(documents_path()), "--count-copies", "--format", "csv", "--out", str(tmp_path / "o.jsonl"),
    ]  # fmt: skip
    printed = CliRunner().invoke(cli, arguments)
    assert printed.exit_code == 0, printed.output
    assert "copy_precision" in printed.stdout


def test_on_disk_nothing_is_counted(tmp_path):
    with pytest.raises(UsageError, match="in memory"):
        dedup(documents_path(), tmp_path / "o.jsonl", preset="faithful", count_copies=True, workdir=tmp_path / "work")


def test_methods_beside_each_other():
    texts = [STORY.format("Казани", "все"), STORY.format("Казани", "все"), STORY.format("Самаре", "многие")]
    texts.append(OTHER.format("большого"))
    documents = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    assert "copies" not in compare(documents, methods=["md5", "shingles"], pool="all").as_rows()[0]
    found = {
        row["method"]: row
        for row in compare(documents, methods=["md5", "shingles"], pool="all", count_copies=True).as_rows()
    }
    # Three versions of a story are three copies; MD5 finds the two that are equal.
    assert {row["copies"] for row in found.values()} == {3}
    assert (found["md5"]["pairs"], found["md5"]["copy_precision"]) == (1, 1.0)
    assert found["md5"]["copy_recall"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["shingles"]["copy_recall"] >= found["md5"]["copy_recall"]


# The columns that a sweep gets: on the sample, by share, on pivot blocks, and on real news.
SHORT = [{"id": f"short {number}", "text": "Снег идёт в Киеве уже третий день"} for number in range(3)]


def test_a_story_that_all_print_is_one_cluster_of_copies_and_short_texts_are_left_out():
    towns = ["Казани", "Самаре", "Пензе", "Томске"]
    texts = [{"id": f"{town}-{word}", "text": STORY.format(town, word)} for town in towns for word in ("все", "многие")]
    found = sweep([*texts, *SHORT], representations=["stem"], df_max=0.9, estimate=True)
    row = found.rows[2].as_dict()
    assert (row["copies"], row["copy_precision"]) == (28, 1.0)
    universe = found.without_labels["stem"]["universe"]
    assert universe == {"documents": 8, "days": None, "short": 3, "undated": 0, "few_terms": 0}


def test_the_summary_of_a_step_by_name():
    named = {name: place for place, name in enumerate(CopyScores.__dataclass_fields__)}
    (step,) = _summary([CopyScores(**named | {"bands": (0.1, 0.2, 0.3)})], _copies({}, total=7, series=5))["steps"]
    assert [*step.pop("recall_by_wording").values()] == [0.1, 0.2, 0.3]
    assert step == {name: named[name] for name in ("step", "links", "linked_copies", "series_links", "series_copies")}


def test_shares_and_blocks_have_the_columns_too():
    found = sweep(str(documents_path()), representations=["pivot"], score="share", preset="best", estimate=True)
    rows = {(row.block, row.measures.threshold): row.as_dict() for row in found.rows}
    alls, mono, cross = (rows[block, 0.4] for block in ("all", "mono", "cross"))
    assert alls["copies"] == mono["copies"] + cross["copies"]
    assert alls["copy_recall"] is not None


def _labelled(corpora, name):
    reader = EvidenceReader()
    collection = collect(read_documents(corpora / f"{name}.docs.jsonl.gz"), evidence=reader)
    evidence, settings = reader.finish(collection.languages), Settings()
    counted = counted_pairs(DocumentFacts.of_documents(collection.documents, collection.text_hashes), evidence.records)
    copies = find_all_copies(evidence.triples, counted.universe)
    key_terms = collection.key_terms(settings)
    links = Links.of(count_grades(link(key_terms, settings, k_min=3).matrix.counts, key_terms.sizes, n=12))
    place = {one.id: number for number, one in enumerate(collection.documents)}
    with gzip.open(corpora / f"{name}.labels.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    pairs = [sorted((place[row["a"]], place[row["b"]])) for row in rows if row["label"] in ("dup", "similar")]
    a, b = np.unique(np.array(pairs, dtype=np.int64), axis=0).T
    inside, series = census.in_universe(counted.universe, a, b)
    kept = inside & ~series
    grades = links.grades_of(a[kept], b[kept])
    scores = count_copies(links, copies, counted, key_terms.counts.languages, steps=range(3, 13))["all"]
    true = [int((grades >= one.step).sum()) for one in scores]
    precision = [abs(one.precision - hit / one.links) for one, hit in zip(scores, true, strict=True)]
    recall = [abs(one.recall - hit / int(kept.sum())) for one, hit in zip(scores, true, strict=True)]
    return float(np.mean(precision)), float(np.mean(recall))


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "most"), [("slavictopics", (0.02, 0.06)), pytest.param("mdnews", (0.02, 0.08), marks=pytest.mark.slow)]
)
def test_the_count_is_right_on_real_news(corpora, name, most):
    """Against every label of overlapping 5-grams; nothing here was chosen on these sets but the definition."""
    precision, recall = _labelled(corpora, name)
    assert precision <= most[0]
    assert recall <= most[1]


@pytest.mark.corpus
def test_footers_and_daily_forms_of_posts_are_no_copies(corpora):
    """They were half of 842 copies, so that .48 of these seemed to be in groups; a reader found about .9."""
    row = dedup(corpora / "tgposts.docs.jsonl.gz", count_copies=True).as_dict()
    assert row["copies"] < 450
    assert 0.75 < row["copy_recall"] < 0.95


# Edited copies have the edits that were asked for, at their rate, and no others.
SENTENCES = [f"Строители моста номер {number} закончили строительство опоры." for number in range(10, 110)]
ORIGINAL = Document(id="1", title="Мост", text=" ".join(SENTENCES))
VOCABULARY = Vocabulary(["Строителям, строительства, закончим. Опорами и опорам. Чужое предложение."])


def _copy(edit, rate):
    return edited(ORIGINAL, edit, rate, VOCABULARY, Random(4))  # noqa: S311


@pytest.mark.parametrize("edit", EDITS)
def test_nothing_is_changed_at_rate_0(edit):
    assert _copy(edit, 0.0).text == ORIGINAL.text


def test_cuts_leave_sentences_out():
    kept = sentences_of(_copy("cuts", 0.3).text)
    assert 60 <= len(kept) <= 80
    assert kept == [one for one in SENTENCES if one in kept]
    assert sentences_of(_copy("cuts", 1.0).text) == SENTENCES[:1]


def test_additions_come_from_other_documents():
    found = sentences_of(_copy("additions", 0.3).text)
    assert [one for one in found if one in SENTENCES] == SENTENCES
    assert 120 <= len(found) <= 140
    assert set(found) - set(SENTENCES) <= set(VOCABULARY.sentences)


def test_words_are_replaced_by_words_that_begin_alike():
    found = sentences_of(_copy("word forms", 1.0).text)
    assert len(found) == len(SENTENCES)
    assert {one.split()[0] for one in found} <= {"Строителям", "Строительства"}
    assert all(one.split()[1] == "моста" for one in found)


def test_numbers_keep_their_length():
    changed = sentences_of(_copy("numbers", 1.0).text)
    pairs = [(one.split()[3], other.split()[3]) for one, other in zip(SENTENCES, changed, strict=True)]
    assert all(len(one) == len(other) for one, other in pairs)
    assert sum(one != other for one, other in pairs) > 80


# Planted copies: by hand where all is known, and on the sample.
SETTINGS = Settings(representation="stem")


def test_recovered_are_the_pairs_that_a_matrix_links_both_ways():
    documents = list(read_documents(str(documents_path())))
    planted = PlantedCollection.of(documents, collect(documents).languages)
    assert len(planted.collection) == len(documents) + len(planted.kinds)
    key_terms = planted.collection.key_terms(SETTINGS)
    matrix = link(key_terms, SETTINGS).matrix
    links = Links.of(count_grades(matrix.counts, key_terms.sizes, n=12, short=SETTINGS.short))
    grades = links.grades_of(planted.originals, len(documents) + np.arange(len(planted.kinds)))
    of_kind = np.array([one == ("ru", "cuts", 0.3) for one in planted.kinds])
    rows = [r for r in planted.recovered(SETTINGS) if (r["language"], r["edit"], r["rate"]) == ("ru", "cuts", 0.3)]
    assert [row["k"] for row in rows] == list(range(1, 13))
    for row in rows:
        assert row["copies"] == of_kind.sum()
        assert row["recovered"] == pytest.approx((grades[of_kind] >= row["k"]).mean(), abs=1e-6)
        assert 0.0 <= row["low"] <= row["recovered"] <= row["high"] <= 1.0
    falling = [row["recovered"] for row in rows]
    assert falling == sorted(falling, reverse=True)
    assert falling[0] > 0.5


def test_an_interval_worked_by_hand():
    # Wilson, 8 of 10: (.8 + 3.8415/20 +- 1.96 sqrt(.8 * .2 / 10 + 3.8415/400)) / (1 + 3.8415/10)
    assert _wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_a_sweep_with_planted_copies_is_else_the_same(tmp_path):
    plain = sweep(str(documents_path()), representations=["stem"], ks=[5, 6])
    found = sweep(str(documents_path()), representations=["stem"], ks=[5, 6], planted=True)
    assert [row.as_dict() for row in found.rows] == [row.as_dict() for row in plain.rows]
    assert "planted" not in plain.as_dict()
    rows = found.as_dict()["planted"]
    assert {row["k"] for row in rows} == {5, 6}
    assert {row["language"] for row in rows} == {"en", "ru", "uk"}
    assert sweep(str(documents_path()), representations=["stem"], ks=[5, 6], planted=True).planted == rows


def test_planted_copies_are_printed_and_in_the_report(tmp_path):
    arguments = ["sweep", str(documents_path()), "--representation", "stem", "--planted", "--format", "table"]
    printed = CliRunner().invoke(cli, [*arguments, "--out", str(tmp_path), "--ui-language", "uk"])
    assert printed.exit_code == 0, printed.output
    assert "planted copies that are linked to their originals" in printed.stdout
    assert "Підкладені копії" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_what_planted_copies_do_not_go_with(tmp_path):
    with pytest.raises(UsageError, match="count score"):
        sweep(str(documents_path()), score="share", planted=True)
    with pytest.raises(UsageError, match="in memory"):
        sweep(str(documents_path()), planted=True, workdir=tmp_path)
    assert CliRunner().invoke(cli, ["sweep", "--store", str(tmp_path / "none.db"), "--planted"]).exit_code == 2
