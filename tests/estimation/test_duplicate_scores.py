"""The check tells a good fit from a bad one: on made-up signs, and on every labelled set."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from infostream_dedup import read_documents, sweep
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.lab import duplicate_scores
from infostream_dedup.lab import duplicate_scores as duplicates
from infostream_dedup.lab.census import DrawnPairs
from infostream_dedup.lab.copy_scores import CopyScores
from infostream_dedup.lab.sweep_estimator import known_k
from infostream_dedup.links.measures import advise

GOOD = duplicates.FitCheck(
    disagreement=0.03, overall=0.2, unworded=0.01, refilled=0.01, disputed=0.0, far_links=0, far=None, candidates=900,
    links=300,
)  # fmt: skip


def recommended_k(copies, estimate=None, n=12):
    """The advice where there are no links."""
    return advise([], n=n, known=known_k(copies, estimate, n=n))


def test_one_bad_sign_is_enough():
    for signs, code, word in [
        ({}, "reliable", "nothing speaks"),
        ({"disagreement": 0.06}, "upper_bound", "different answers"),
        ({"overall": 0.3}, "upper_bound", "are in doubt"),
        ({"unworded": 0.05}, "upper_bound", "no wording"),
        ({"refilled": 0.06}, "upper_bound", "other numbers"),
        ({"disputed": 0.05}, "upper_bound", "5 of 100 links"),
        ({"far_links": 100, "far": 0.1}, "upper_bound", "60 days"),
        ({"far_links": 100, "far": 0.09}, "reliable", "nothing"), ({"candidates": 199}, "refused", "199"),
        ({"links": 49, "disagreement": 0.9}, "refused", "49"),
    ]:  # fmt: skip
        check = replace(GOOD, **signs)
        assert check.code == code
        assert word in check.reason


def test_sources_that_a_mean_hides_by_hand():
    # 250 links of source 7 in which the two agree, 50 of source 8 in which they do not; the mean is .04.
    sources = np.array([[7] * 250 + [8] * 50] * 2)
    apart = np.array([0.02] * 250 + [0.12] * 50)
    assert duplicates.disputed_share(sources, apart) == pytest.approx(50 / 300)
    assert duplicates.disputed_share(sources, np.minimum(apart, 0.119)) == 0.0
    # One link less is too little to tell, unless a link with another source is one of its own.
    assert duplicates.disputed_share(sources[:, :-1], apart[:-1]) == 0.0
    assert duplicates.disputed_share(np.append(sources[:, :-1], [[8], [9]], axis=1), apart) == pytest.approx(50 / 300)
    assert duplicates.disputed_share(sources[:, :0], apart[:0]) == 0.0


def test_forms_filled_in_with_other_numbers_are_no_duplicates():
    """Mixture and pair model agree that daily rates are one text; their numbers tell that they are not."""
    random = np.random.default_rng(3)
    rates = []
    for number in range(60):
        buys, sells, lows, highs, deals = random.integers(1000, 9999, 5).tolist()
        text = (
            f"Национальный банк сообщает официальный курс доллара на рынке: покупка {buys}, продажа {sells},"
            f" наименьшее значение за день {lows}, наибольшее {highs}, объём торгов {deals} миллионов. Банки ожидают"
            " завтра спокойных торгов и просят клиентов следить за объявлениями в отделениях."
        )
        rates.append({"id": str(number), "text": text, "lang": "ru"})
    found = sweep(rates, representations=["stem"], examples=False, estimate=True)
    six = next(row.as_dict() for row in found.rows if row.measures.k == 6)
    assert six["copies"] == six["links"] // 2 == 60 * 59 // 2
    assert (six["reliable_code"], six["precision"]) == ("upper_bound", None)
    check = found.without_labels["stem"]["duplicates"]["check"]
    assert (check["refilled"] > 0.5, check["disagreement"] < 0.06) == (True, True)


def _scores(step, precision, recall):
    return duplicates.DuplicateScores(
        step=step, precision=precision, recall=recall, precision_bounds=None, recall_bounds=None,
        model_precision=precision,
    )  # fmt: skip


def test_only_a_reliable_estimate_chooses_k():
    scores = [_scores(2, 1.0, 1.0), _scores(4, 0.6, 1.0), _scores(7, 0.9, 0.9), _scores(9, 1.0, 0.5)]
    good = duplicates.DuplicateEstimate(scores=scores, check=GOOD, fit=None, lowest_step=3)
    assert recommended_k([], good).chosen == 7
    assert recommended_k([], good).reason.startswith("estimated: ")
    bad = duplicates.DuplicateEstimate(scores=scores, check=replace(GOOD, unworded=0.2), fit=None, lowest_step=3)
    assert recommended_k([], bad).chosen == 6
    assert recommended_k([], bad, n=4).chosen == 2


def copies(step, share):
    """60 copies, enough to choose k by."""
    return CopyScores(
        step=step, links=50, linked_copies=45, copies=60, precision=share, recall=0.8, precision_bounds=None,
        recall_bounds=None, bands=(), series_links=0, series_copies=0,
    )  # fmt: skip


def test_where_most_links_are_one_text_in_other_words_the_pair_model_chooses_k():
    counted = [copies(4, 0.3), copies(6, 0.5), copies(9, 0.9)]
    scores = [_scores(step, 0.5, 1.0) for step in (2, 4, 6, 9)]
    check = replace(GOOD, disagreement=0.07, overall=0.749)
    found = duplicates.DuplicateEstimate(
        scores=scores, check=check, fit=None, lowest_step=3,
        by_model=dict(zip((2, 4, 6, 9), (0.99, 0.9, 0.89, 0.7), strict=True)), accepted=0.75,
    )  # fmt: skip
    assert recommended_k(counted, found).chosen == 4
    assert "F1 of the links as duplicates is greatest by the pair" in recommended_k([], found).reason
    assert "75 % of them at k = 6" in recommended_k(counted, found).reason
    assert "75 % of them at k = 4" in recommended_k(counted, found, n=4).reason
    for signs in ({"overall": 0.75}, {"refilled": 0.06}, {"far_links": 100, "far": 0.1}):
        doubtful = replace(found, check=replace(check, **signs), without_forms=[0.0, 0.4, 0.5, 0.8], not_forms=50)
        assert recommended_k(counted, doubtful).chosen == 9
    assert recommended_k(counted, replace(found, accepted=0.749)).chosen == 9
    # Where several k link the same pairs, it is the one nearest to 6, then the smaller.
    for f1, k in (({3: 0.9, 4: 0.9, 6: 0.9, 9: 0.9}, 6), ({3: 0.9, 5: 0.9, 7: 0.9}, 5), ({8: 0.9, 9: 0.9}, 8)):
        assert recommended_k(counted, replace(found, by_model=f1)).chosen == k


def test_in_a_small_collection_the_pair_model_chooses_k_by_hand(monkeypatch):
    probabilities = np.array([0.9, 0.8, 0.1])
    model = SimpleNamespace(probabilities=lambda evidence: probabilities[: len(evidence)])
    monkeypatch.setattr(duplicate_scores, "shipped_model", lambda: model)

    def estimated(grades):
        evidence, pairs = np.zeros((len(grades), len(COLUMNS))), np.arange(len(grades))
        links = duplicates.CheckedLinks(
            sources=np.zeros((2, 0), np.int64), grades=grades, evidence=evidence, far=evidence[:0], far_links=0
        )
        candidates = duplicates.ComparedCandidates(
            a=2 * pairs, b=2 * pairs + 1, grades=np.array(grades, dtype=np.uint8), evidence=evidence,
            texts=np.arange(6), links=links, checked_step=6, lowest_step=3,
        )  # fmt: skip
        return duplicates.estimate_duplicates(candidates, steps=range(1, 13))

    # The model expects 1.8 right pairs: .9 of one link at k = 6, 1.7 of two at k = 5, 1.8 of three at k = 4.
    found = estimated([7, 5, 4])
    assert (found.code, found.scores, found.accepted) == ("refused", [], 0.9)
    f1 = [found.by_model[k] for k in (6, 5, 4)]
    assert f1 == pytest.approx([2 * 0.9 / (1 + 1.8), 2 * 1.7 / (2 + 1.8), 2 * 1.8 / (3 + 1.8)])
    assert recommended_k([], found).chosen == 5
    assert recommended_k([copies(6, 0.5), copies(9, 0.9)], found).chosen == 5
    assert recommended_k([], found).reason == (
        "estimated: F1 of the links as duplicates is greatest by the pair model (0.89), which takes 90 % of them at"
        " k = 6 for one text; there are too few pairs for an estimate of their own"
    )
    # Of all three links at k = 6 it expects 1.8 to be right, less than three in four; without links it says nothing.
    assert estimated([7, 6, 6]).accepted == pytest.approx(0.6)
    assert recommended_k([], estimated([7, 6, 6])).reason.startswith("default: ")
    assert recommended_k([copies(6, 0.5), copies(9, 0.9)], estimated([7, 6, 6])).chosen == 9
    assert recommended_k([], estimated([5, 4, 4])).chosen == recommended_k([], estimated([])).chosen == 6


def test_a_count_in_which_forms_are_many_does_not_choose_k():
    # F1 of 9 is 2 * .9 * .8 / 1.7.
    counted = [copies(6, 0.5), copies(9, 0.9)]
    few = duplicates.DuplicateEstimate(
        scores=[_scores(6, 0.5, 1.0)], check=replace(GOOD, unworded=0.2, refilled=0.059), fit=None, lowest_step=3
    )
    assert recommended_k(counted, few).chosen == 9
    many = replace(few, check=replace(few.check, refilled=0.06), without_forms=[0.4])
    assert recommended_k(counted, many).chosen == 6
    assert recommended_k(counted, many).reason.startswith("default: 6 of 100 copies are forms")
    # 50 copies that are not forms are enough; of equal F1 the smaller k, but none below 3.
    steps = [_scores(step, 0.5, 1.0) for step in (2, 4, 5, 8)]
    enough = replace(many, scores=steps, without_forms=[0.9, 0.7, 0.7, 0.6], not_forms=50)
    found = recommended_k(counted, enough)
    assert (found.chosen, found.reason[:7]) == (4, "counted")
    assert "other than forms is greatest (0.70; 6 of 100 copies" in found.reason
    assert recommended_k(counted, replace(enough, not_forms=49)).chosen == 6
    assert recommended_k(counted, replace(enough, check=replace(enough.check, overall=1.0))).chosen == 6


def test_a_text_that_is_not_drawn_takes_its_pairs_with_it(monkeypatch):
    evidence = np.random.default_rng(3).random((3, len(COLUMNS)))
    none = duplicates.CheckedLinks(
        sources=np.zeros((2, 0), np.int64), grades=np.zeros(0, np.uint8), evidence=evidence[:0], far=evidence[:0],
        far_links=0,
    )  # fmt: skip
    candidates = duplicates.ComparedCandidates(
        a=np.array([0, 0, 1]), b=np.array([1, 2, 2]), grades=np.array([7, 5, 5], dtype=np.uint8), evidence=evidence,
        texts=np.array([3, 10, 40]), links=none, checked_step=6, lowest_step=3,
    )  # fmt: skip
    patterns, which = duplicates.patterns_of(duplicates.levels_of(evidence))
    fit = duplicates.fit_mixture(patterns, np.bincount(which).astype(np.float64), np.full(len(patterns), 0.5))

    def drawn(documents, *, draws):
        # Text 10, that of document 1, is missing in the first draw.
        times = np.ones((documents, draws), dtype=np.uint8)
        times[10, 0] = 0
        return times

    monkeypatch.setattr(duplicate_scores, "drawn_documents", drawn)
    shown = np.ones(3, dtype=np.bool_)
    (five, _), (six, _) = duplicate_scores._drawn(candidates, patterns, which, fit, [5, 6], 2, shown)
    assert np.isnan(five).tolist() == [False, False]
    # The only pair of grade 6 or more is that of documents 0 and 1.
    assert np.isnan(six).tolist() == [True, False]


def test_what_the_pair_model_says_of_the_links_is_kept_beside_a_doubtful_fit():
    random = np.random.default_rng(5)
    evidence, grades = random.random((400, len(COLUMNS))), random.integers(3, 10, 400).astype(np.uint8)
    links = duplicates.CheckedLinks(
        sources=np.zeros((2, 400), np.int64), grades=grades, evidence=evidence, far=evidence[:0], far_links=0
    )
    a, b = np.divmod(np.arange(400), 20)
    candidates = duplicates.ComparedCandidates(
        a=a, b=b + 20, grades=grades, evidence=evidence, texts=np.arange(40), links=links, checked_step=6, lowest_step=3
    )
    found = duplicates.estimate_duplicates(candidates, steps=[4, 6], draws=2)
    model = shipped_model().probabilities(evidence)
    assert (found.code, found.accepted) == ("upper_bound", pytest.approx(model[grades >= 6].mean()))
    linked = grades >= 4
    assert found.by_model[4] == pytest.approx(2 * model[linked].sum() / (linked.sum() + model.sum()))


def test_copies_that_are_not_forms_by_hand():
    # Four pairs with equal wording, one of which has other numbers; at k = 6 two of three links are right.
    linked, right = np.array([True, True, True, False]), np.array([True, True, False, True])
    assert duplicates._f1(linked, right) == pytest.approx(2 * 2 / (3 + 3))
    assert duplicates._f1(np.zeros(2, dtype=bool), np.zeros(2, dtype=bool)) == 0.0


def test_a_sample_does_not_depend_on_how_pairs_come():
    a, b = np.triu_indices(80, 1)
    whole, parts = DrawnPairs(300), DrawnPairs(300)
    whole.add(a, b)
    for part in np.array_split(np.random.default_rng(1).permutation(len(a)), 17):
        parts.add(a[part], b[part])
    assert whole.total == parts.total == len(a)
    assert np.array_equal(whole.pairs(), parts.pairs())
    assert np.bincount(np.concatenate(whole.pairs()), minlength=80).min() > 0
    few = DrawnPairs(5000)
    few.add(a, b)
    assert len(few.pairs()[0]) == len(a)


def _rows(corpora, name, language=None):
    """Of wmt the news: its conversations are templates, and no two of them tell one text."""
    documents = read_documents(corpora / f"{name}.docs.jsonl.gz")
    chosen = [d for d in documents if language in (None, d.lang) and d.extra.get("domain", "") in ("", "news", None)]
    return sweep(chosen, representations=["morph"], examples=False, estimate=True)


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "language"), [
    ("ntrex", "en"), pytest.param("wmt", "uk", marks=pytest.mark.slow),
    pytest.param("wmt", "ru", marks=pytest.mark.slow), pytest.param("wmt", "en", marks=pytest.mark.slow),
    pytest.param("uagec", "uk", marks=pytest.mark.slow),
])  # fmt: skip
def test_families_are_estimated(corpora, name, language):
    found = _rows(corpora, name, language)
    rows = {row.measures.k: row.as_dict() for row in found.rows}
    six = rows[6]
    assert six["reliable_code"] == "reliable"
    assert six["reliable"] is True
    assert six["precision_low"] <= six["precision"] <= six["precision_high"]
    assert six["recall_low"] <= six["recall"] <= six["recall_high"]
    assert rows[2]["precision"] is None
    assert found.reason["morph"].startswith("estimated: ")
    table = found.without_labels["morph"]["duplicates"]["classes"]["fields"]["wording"]
    assert sum(table["m"]) == pytest.approx(1, abs=1e-5)


@pytest.mark.corpus
@pytest.mark.parametrize("name", [
    pytest.param("slavictopics", marks=pytest.mark.slow), pytest.param("tgpairs", marks=pytest.mark.slow),
    pytest.param("mdnews", marks=pytest.mark.slow),
])  # fmt: skip
def test_topics_and_streams_are_not(corpora, name):
    found = _rows(corpora, name)
    six = next(row.as_dict() for row in found.rows if row.measures.k == 6)
    assert six["reliable_code"] in ("upper_bound", "refused")
    assert six["reliable"] is False
    assert six["precision"] is six["recall"] is six["f1"] is None
    assert not found.reason["morph"].startswith("estimated")


@pytest.mark.corpus
@pytest.mark.slow
def test_a_stream_beside_an_archive_is_seen_by_its_sources(corpora):
    """Most links are translations, so that a mean over all links hides those of the stream."""
    archive = [one for one in read_documents(corpora / "wmt.docs.jsonl.gz") if one.lang == "ru"]
    stream = [replace(one, published=None, time=None) for one in read_documents(corpora / "mdnews.docs.jsonl.gz")][::4]
    archive = [one for one in archive if one.extra.get("domain") != "conversation"]
    found = sweep([*archive, *stream], representations=["stem"], examples=False)
    estimate = found.without_labels["stem"]["duplicates"]
    assert estimate["check"]["disagreement"] < 0.06
    assert estimate["check"]["disputed"] > 0.1
    assert estimate["reliable_code"] == "upper_bound"


# The mixture finds two classes that are there, and levels are cut where they should be.
def _row(**values):
    return [values.get(name, 0.0) for name in COLUMNS]


def test_levels_of_a_pair_worked_by_hand():
    pair = _row(
        wording_forward=0.09, wording_backward=0.01, numbers_forward=0.7, numbers_least=2, names_forward=0.9,
        names_backward=0.5, names_least=1, opening_forward=0.85, opening_backward=0.12, share30_forward=0.41,
        share30_backward=0.39,
    )  # fmt: skip
    # Roots: .09 is .3. One name is too few to compare. A cut belongs to the level above it.
    assert duplicates.levels_of(np.array([pair])).tolist() == [[3, 6, 0, 7, 2, 3]]
    assert duplicates.levels_of(np.array([_row()])).tolist() == [[1, 0, 0, 1, 1, 1]]


def test_a_form_filled_in_twice_has_the_wording_and_not_the_numbers():
    # Levels of wording: 5 is a root of .55, three tenths. Of numbers: 0 none to compare, 3 below .4, 4 from .4 on.
    levels = np.array(
        [[5, 3, 0, 7, 7, 7], [5, 4, 0, 7, 7, 7], [5, 0, 0, 7, 7, 7], [4, 1, 0, 7, 7, 7], [7, 1, 7, 1, 1, 1]]
    )
    assert duplicates.are_refilled(levels.astype(np.int8)).tolist() == [True, False, False, False, True]


def test_patterns_are_distinct_and_lead_back():
    levels = np.random.default_rng(1).integers(0, 3, (500, len(duplicates.FIELDS))).astype(np.int8)
    patterns, which = duplicates.patterns_of(levels)
    assert np.array_equal(patterns[which], levels)
    assert len(np.unique(patterns, axis=0)) == len(patterns)


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.02])
def test_two_classes_are_found_again(prior):
    random = np.random.default_rng(3)
    m = random.dirichlet([0.3, 0.3, 0.5, 0.5, 1, 2, 4, 8], len(duplicates.FIELDS))
    u = random.dirichlet([0.3, 8, 4, 2, 1, 0.5, 0.5, 0.3], len(duplicates.FIELDS))
    pairs = 40_000
    same = random.random(pairs) < prior
    drawn = random.random((pairs, len(duplicates.FIELDS)))
    columns = [
        np.where(same, *(np.searchsorted(one[field].cumsum(), drawn[:, field]) for one in (m, u)))
        for field in range(len(duplicates.FIELDS))
    ]
    levels = np.stack(columns, axis=1).clip(0, duplicates.LEVELS - 1).astype(np.int8)
    patterns, which = duplicates.patterns_of(levels)
    weights = np.bincount(which).astype(np.float64)
    # The start knows the answer for four pairs in five only.
    told = np.where(random.random(pairs) < 0.8, same, ~same).astype(np.float64)
    fit = duplicates.fit_mixture(patterns, weights, np.bincount(which, told) / weights)
    probability = fit.probabilities(patterns)[which]
    assert fit.prior == pytest.approx(same.mean(), abs=0.01)
    assert np.abs(fit.u - u).max() < 0.02
    assert probability[same].mean() > 0.9
    assert probability[~same].mean() < 0.02 + prior / 10
    assert fit.unworded == fit.m[0, 1]
