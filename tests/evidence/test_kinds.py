"""The rules of kinds and statuses by cases worked by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.differing import WordDifference
from infostream_dedup.judging.evidence.facts import DAY, HOUR, DocumentFacts, PairFacts, facts_of_pairs
from infostream_dedup.judging.evidence.judging import STATUS_NAMES, DocumentStatus, best_pairs, joined_kinds, statuses
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.kinds import (
    KIND_NAMES,
    RULES,
    Kind,
    counts_may_decide,
    form_filled_anew,
    kinds_of_rules,
    names_of_kinds,
    rules_of_pairs,
)

_PLAIN: dict[str, Any] = {
    "same_text": False, "same_whole": False, "same_opening": False, "same_address": False, "known": True, "dated": True,
    "same_source": False, "other_day": False, "hours": 2.0, "probability": 0.95, "wording_forward": 0.0,
    "wording_backward": 0.0, "lead": 0.5, "vocabulary": 0.5, "numbers": 1.0, "other_figure": False,
    "many_figures": False, "other_dates": False, "next_step": True, "same_title": False, "same_form": False,
    "no_title": False, "one_sentence": False, "turned": False, "figure_alone": False, "differing": None, "anew": False,
    "other_counts": False, "same_body": False, "filled": False, "numbered": False, "background": False,
    "recalled_forward": 0.6, "recalled_backward": 0.6, "counts_forward": 1.0, "counts_backward": 1.0, "names_kept": 1.0,
}  # fmt: skip
_OWN = {"same_source": True, "other_day": True, "hours": 24.0}
_STILL = {**_OWN, "next_step": False, "wording_forward": 0.6, "wording_backward": 0.6}
_OPEN = {"same_source": True, "next_step": False, "known": False, "hours": np.inf}
_MUCH = {**_OWN, "many_figures": True, "vocabulary": 0.55}
_MID = {**_OWN, "lead": 0.39, "vocabulary": 0.65}
_FIGURE = {"figure_alone": True, "wording_forward": 0.5, "wording_backward": 0.6}
ADVISORY = WordDifference("another figure", (("MSA-17", "MSA-19"),))
_UNDATED = {"known": False, "dated": False, "hours": np.inf}
_ONE = {**_UNDATED, "one_sentence": True}
_BARE = {**_UNDATED, "recalled_backward": 0.29}
_LED = {"hours": 12.0, "recalled_forward": 0.3, "recalled_backward": 0.29}
_MANY = {**_UNDATED, "many_figures": True, "wording_forward": 0.9, "wording_backward": 0.5}
_MINE, _HALF = {**_MANY, "same_source": True}, {"wording_forward": 0.4, "wording_backward": 0.2}
_ONE_RULE = "undated sentence with other numbers"
_EVEN = {"wording_forward": 0.4, "wording_backward": 0.4}
_SIZE = {"wording_backward": 0.7}  # too much for a text inside a longer one


def facts(**changes: Any) -> PairFacts:
    """One pair: two sources, two hours apart, other titles, one story, but for the changes."""
    return PairFacts(**{name: np.array([value]) for name, value in {**_PLAIN, **changes}.items()})


def facts_of(pairs: list[dict[str, Any]]) -> PairFacts:
    rows = [{**_PLAIN, **one} for one in pairs]
    return PairFacts(**{name: np.array([row[name] for row in rows]) for name in _PLAIN})


def wording(forward: float, backward: float) -> dict[str, float]:
    return {"wording_forward": forward, "wording_backward": backward}


def test_rules() -> None:
    for changes, kind, rule in [
        ({"same_text": True, **_OWN, "same_form": True}, "copy", "equal text"),
        ({"same_address": True, **wording(0.25, 0.25)}, "updated", "same page again"),
        ({"same_address": True, "turned": True, **wording(0.9, 0.9)}, "updated", "same page again"),
        ({"same_text": True, "turned": True}, "copy", "equal text"),
        ({"turned": True, **wording(0.9, 0.9)}, "differs", "turned round"),
        ({"figure_alone": True, **wording(0.49, 0.6)}, "retold", "told by another source"),
        ({"same_source": True, "same_title": True, **wording(0.9, 0.9)}, "updated", "same page again"),
        ({**_OWN, "same_form": True}, "template", "own form filled anew"),
        ({**_OWN, "lead": 0.8, "numbers": 0.6}, "template", "own form filled anew"),
        ({**_OWN, "numbered": True, "vocabulary": 0.45}, "template", "own number of a series"),
        ({**_OWN, "numbered": True, "vocabulary": 0.44}, "related", None),
        ({**_OWN, "lead": 0.5, "numbers": 0.44, **wording(0.05, 0)}, "template", "own form with other numbers"),
        ({**_OWN, "lead": 0.3, "vocabulary": 0.8, "numbers": 0.6}, "template", "own form of one vocabulary"),
        ({**_OWN, "lead": 0.3, "vocabulary": 0.8}, "follow-up", "next step"),
        ({**_OWN, "lead": 0.1, "vocabulary": 0.65, **wording(0.7, 0.25)}, "follow-up", "own old background"),
        ({**_OWN, "lead": 0.09, "vocabulary": 0.65, **wording(0.7, 0.25)}, "related", None),
        ({**_OWN, "lead": 0.1, "vocabulary": 0.64, **wording(0.4, 0.25)}, "related", None),
        ({**_MID, "probability": 0.9, **wording(0.6, 0.7)}, "follow-up", "own old background"),
        ({**_MID, "probability": 0.89, **wording(0.5, 0.85)}, "contains", "holds inside"),
        ({**_OWN, "lead": 0.39, "probability": 0.5, **wording(0.59, 0.59)}, "related", None),
        ({**_OWN, "numbers": 0.69, **wording(0.7, 0.7)}, "template", "own form with other dates"),
        ({**_OWN, "other_dates": True, **wording(0.7, 0.59)}, "template", "own form with other dates"),
        ({**_OWN, "other_dates": True, **wording(0.85, 0.6)}, "updated", "own later version"),
        ({**_OWN, **wording(0.9, 0.95)}, "copy", "own text repeated"),
        ({**_OWN, "hours": 72.1, "next_step": False, **wording(0.9, 0.95)}, "follow-up", "own next step"),
        ({**_OWN, "figure_alone": True, **wording(0.9, 0.95)}, "updated", "own later version"),
        ({**_OWN, "turned": True, **wording(0.9, 0.95)}, "updated", "own later version"),
        ({**_OWN, "no_title": True, "lead": 0.4, **wording(0.49, 0.5)}, "follow-up", "own next step"),
        ({**_OWN, "no_title": True, "lead": 0.4, **wording(0.5, 0.5)}, "template", "own post of another day"),
        ({**_OWN, "no_title": True, **wording(0.9, 0.95)}, "updated", "own later version"),
        ({**_OWN, "other_dates": True, "hours": 73.0, **wording(0.85, 0.7)}, "template", "own form with other dates"),
        ({**_OWN, "other_dates": True, "hours": 36.0, **wording(0.85, 0.7)}, "updated", "own later version"),
        ({**_OWN, "other_dates": True, "lead": 0.49, **wording(0.85, 0.7)}, "follow-up", "own next step"),
        ({**_OWN, "other_counts": True, **wording(0.9, 0.95)}, "follow-up", "own next step"),
        ({**_OWN, "same_body": True, "same_form": True, **wording(0.3, 0.3)}, "copy", "own body again"),
        ({**_OWN, "same_body": True, "anew": True, **wording(0.3, 0.3)}, "template", "told anew"),
        ({"anew": True, "same_text": True, **wording(1, 1)}, "template", "told anew"),
        ({**_FIGURE, "other_day": True, "hours": 12.1}, "template", "another figure in a form"),
        ({**_FIGURE, "other_day": True, "hours": 12.0}, "updated", "another figure alone"),
        ({**_FIGURE, **_UNDATED}, "updated", "another figure alone"),
        ({**_FIGURE, **_UNDATED, "other_dates": True}, "template", "another figure in a form"),
        ({**_OWN, "other_day": False, "numbers": 0.89, **wording(0.9, 0.95)}, "updated", "own later version"),
        ({**_OWN, **wording(0.25, 0.85)}, "updated", "own later version"),
        ({**_OWN, **wording(0.25, 0.84)}, "follow-up", "own next step"),
        ({"same_source": True, **wording(0.9, 0.9)}, "copy", "own text repeated"),
        ({**_OWN, **wording(0.5, 0.5)}, "follow-up", "own next step"),
        ({**_UNDATED, "same_source": True, "same_title": True, **wording(0.9, 0.9)}, "copy", "much the same wording"),
        ({"same_source": True, "no_title": True, **wording(0.6, 0.85)}, "copy", "much the same wording"),
        ({"same_source": True, "no_title": True, **wording(0.84, 0.84)}, "follow-up", "own next step"),
        ({"same_source": True, "no_title": True, **wording(0.59, 0.9)}, "updated", "own later version"),
        ({"probability": 0.9, **wording(0.3, 0.5)}, "copy", "much the same wording"),
        ({"probability": 0.9, **wording(0.49, 0.3)}, "retold", "told by another source"),
        ({"numbers": 0.75, **wording(0.9, 0.9)}, "copy", "much the same wording"),
        ({"numbers": 0.749999999, **wording(0.9, 0.9)}, "retold", "told by another source"),
        ({"numbers": 0.299999999, **wording(0.9, 0.9)}, "follow-up", "told with other numbers"),
        ({"numbers": -1.0, **wording(0.9, 0.9)}, "copy", "much the same wording"),
        ({"numbers": -1.0, "other_figure": True, **wording(0.9, 0.9)}, "retold", "told by another source"),
        ({"numbers": -1.0, "other_counts": True, **wording(0.9, 0.9)}, "follow-up", "told with other numbers"),
        ({"numbers": 0.75, "other_figure": True, **wording(0.9, 0.9)}, "copy", "much the same wording"),
        ({"probability": 0.5, **wording(0.5, 0.5)}, "copy", "much the same wording"),
        ({**_UNDATED, **wording(0.5, 0.5)}, "copy", "much the same wording"),
        ({**_ONE, **wording(0.67, 0.9)}, "copy", "much the same wording"),
        ({**_ONE, **wording(0.66, 0.9)}, "retold", "undated wording"),
        ({"one_sentence": True, "probability": 0.5, **wording(0.5, 0.5)}, "copy", "much the same wording"),
        ({**_ONE, "numbers": 0.5, **wording(0.9, 0.9)}, "retold", "undated wording"),
        ({**_BARE, **wording(0.79, 0.9)}, "related", None),
        ({**_BARE, "vocabulary": 0.6, **wording(0.8, 0.9)}, "copy", "much the same wording"),
        ({**_UNDATED, "other_dates": True, **wording(0.9, 0.9)}, "copy", "much the same wording"),
        ({**_FIGURE, "differing": ADVISORY}, "template", "another figure in a form"),
        ({**_ONE, "numbers": 0.49, **wording(0.9, 0.9)}, "template", "undated sentence with other numbers"),
        ({**_ONE, "other_figure": True, **wording(0.4, 0.15)}, "template", "undated sentence with other numbers"),
        ({**_ONE, "other_figure": True, **wording(0.4, 0.14)}, "related", None),
        ({**_ONE, "numbers": -1.0, **wording(0.4, 0.4)}, "retold", "told again"),
        ({**_UNDATED, "numbers": 0.0, "other_figure": True, **wording(0.4, 0.4)}, "retold", "told again"),
        ({**_UNDATED, "numbers": 0.7, **wording(0.9, 0.6)}, "retold", "undated wording"),
        ({**_UNDATED, "numbers": 0.7, **wording(0.85, 0.59)}, "contained", "lies inside"),
        ({**_UNDATED, "numbers": 0.7, **wording(0.84, 0.59)}, "retold", "undated wording"),
        ({**_UNDATED, "numbers": 0.7, **wording(0.9, 0.9)}, "retold", "undated wording"),
        ({**_UNDATED, **wording(0.9, 0.29)}, "contained", "lies inside"),
        ({**_MANY, "same_source": True, "numbers": 0.39, "vocabulary": 0.65, **_SIZE}, "related", None),
        ({**_MINE, "numbers": 0.69, "other_dates": True, "lead": 0.55, **wording(0.4, 0.4)}, "related", None),
        ({**_UNDATED, "other_counts": True, "counts_backward": 0.0, "counts_forward": 0.0, **_HALF}, "related", None),
        ({**_UNDATED, **_OPEN, "numbers": -1.0, **_HALF}, "related", None),
        ({**_UNDATED, **_OPEN, "numbers": -1.0, "names_kept": 0.9, **_HALF}, "retold", "told again"),
        ({**_MANY, "vocabulary": 0.8, "numbers": 0.44, "other_dates": True}, "template", "undated form"),
        ({**_MANY, "vocabulary": 0.8, "numbers": 0.44, **_SIZE}, "related", None),
        ({**_MANY, "many_figures": False, "vocabulary": 0.8, "numbers": 0.44}, "contained", "lies inside"),
        ({**_MANY, "vocabulary": 0.79, "numbers": 0.44}, "contained", "lies inside"),
        ({**_MANY, "vocabulary": 0.8, "numbers": 0.45}, "contained", "lies inside"),
        ({**wording(0.6, 0.1)}, "contained", "lies inside"),
        ({**wording(0.1, 0.6)}, "contains", "holds inside"),
        ({**wording(0.85, 0.49)}, "contained", "lies inside"),
        ({**wording(0.85, 0.5)}, "copy", "much the same wording"),
        ({**wording(0.49, 0.85)}, "copy", "much the same wording"),
        ({**_ONE, "many_figures": True, "vocabulary": 0.85, "numbers": 0.2, **_EVEN}, "template", _ONE_RULE),
        ({**_UNDATED, "lead": 0.25, **wording(0.6, 0.29)}, "contained", "lies inside"),
        ({**_UNDATED, "lead": 0.24, **wording(0.84, 0.29)}, "related", None),
        ({**_UNDATED, "lead": 0.24, **wording(0.85, 0.29)}, "contained", "lies inside"),
        ({"hours": 37.0, **wording(0.599999999, 0.1)}, "related", None),
        ({"hours": 37.0, "recalled_forward": 0.599999999, **wording(0.84, 0.1)}, "related", None),
        ({"recalled_forward": 0.0, **wording(0.85, 0.1)}, "contained", "lies inside"),
        ({"hours": 37.0, "counts_forward": 0.499999999, **wording(0.9, 0.1)}, "related", None),
        ({"numbers": 0.5, "hours": 37.0, **wording(0.8, 0.61)}, "related", None),
        ({"probability": 0.4, **wording(0.79, 0.1)}, "related", None),
        ({"probability": 0.4, "recalled_forward": 0.85, **wording(0.6, 0.1)}, "contained", "lies inside"),
        ({"probability": 0.98, **wording(0.15, 0.2)}, "copy", "told at once"),
        ({"probability": 0.98, "hours": 12.1, **wording(0.15, 0.2)}, "retold", "told by another source"),
        ({"probability": 0.98, "names_kept": 0.49, **wording(0.15, 0.2)}, "retold", "told by another source"),
        ({"probability": 0.98, "numbers": 0.74, **wording(0.15, 0.2)}, "retold", "told by another source"),
        ({"probability": 0.98, **wording(0.149, 0.2)}, "retold", "told by another source"),
        ({"hours": 36.0, "probability": 0.9, "vocabulary": 0.1}, "retold", "told by another source"),
        ({**_LED, "probability": 0.6, "vocabulary": 0.45}, "retold", "told by another source"),
        ({**_LED, "probability": 0.89, "vocabulary": 0.44}, "related", None),
        ({**_LED, "probability": 0.59, "vocabulary": 0.59}, "related", None),
        ({**_LED, "probability": 0.5, "vocabulary": 0.6}, "retold", "told by another source"),
        ({**_LED, "probability": 0.5, "vocabulary": 0.1, "recalled_backward": 0.3}, "retold", "told by another source"),
        ({**_LED, "probability": 0.49, "vocabulary": 0.6, "recalled_backward": 0.3}, "related", None),
        ({**_LED, "probability": 0.89, "numbers": 0.29, "recalled_backward": 0.3}, "related", None),
        ({"hours": 12.1, "probability": 0.89, "vocabulary": 0.9}, "related", None),
        ({"hours": 36.1}, "related", None),
        ({**_UNDATED, "probability": 0.5, **wording(0.9, 0.15)}, "contained", "lies inside"),
        ({**_UNDATED, "probability": 0.5, "vocabulary": 0.1, **wording(0.49, 0.15)}, "retold", "told again"),
        ({**_UNDATED, "probability": 0.89, **wording(0.49, 0.149)}, "related", None),
        ({**_UNDATED, "probability": 0.9, "vocabulary": 0.6}, "retold", "told again"),
        ({**_UNDATED, "background": True, **wording(0.49, 0.59)}, "related", None),
        ({**_UNDATED, "background": True, **wording(0.49, 0.3)}, "related", None),
        ({**_UNDATED, "probability": 0.9, "vocabulary": 0.599}, "related", None),
        ({**_OPEN, "next_step": True, **wording(0.9, 0.9)}, "copy", "own text repeated"),
        ({**_OPEN, "next_step": True, "other_day": False}, "related", None),
        ({**_OWN, "probability": 0.6, "vocabulary": 0.5}, "follow-up", "next step"),
        ({**_OWN, "probability": 0.6, "vocabulary": 0.5, "next_step": False}, "related", None),
        ({**_STILL, "lead": 0.1, "vocabulary": 0.65, **wording(0.85, 0.25)}, "contained", "lies inside"),
        ({**_OWN, "lead": 0.39, "next_step": False, **wording(0.7, 0.59)}, "follow-up", "next step"),
        (_STILL, "updated", "own later version"),
        ({**_STILL, "numbers": 0.89}, "follow-up", "own next step"),
        ({**_STILL, "vocabulary": 0.49}, "follow-up", "own next step"),
        ({**_STILL, "hours": 72.1}, "follow-up", "own next step"),
        ({**_STILL, "lead": 0.39, **wording(0.7, 0.6)}, "follow-up", "own next step"),
        ({**_STILL, "lead": 0.1, **wording(0.9, 0.9), "hours": 72.0}, "copy", "own text repeated"),
        ({**_STILL, "lead": 0.3, **wording(0.59, 0.6)}, "follow-up", "next step"),
        ({**_STILL, "lead": 0.29, **wording(0.59, 0.6)}, "related", None),
        ({**_OWN, "hours": 336.1, "counts_forward": 0.0, "counts_backward": 0.0}, "related", None),
        ({**_OWN, "other_day": False, "hours": 0, "numbers": 0.4, **_EVEN}, "template", "own form with other numbers"),
        ({**_STILL, "hours": 336.1, **wording(0.7, 0.6)}, "related", None),
        ({**_OPEN, **wording(0.89, 0.9)}, "related", None),
        ({**_STILL, "hours": 73.0, "lead": 0.7, "vocabulary": 0.9}, "template", "own form of one vocabulary"),
        ({**_STILL, "other_day": False, "same_form": True}, "template", "own form filled anew"),
        ({**_OWN, **wording(0.6, 0.6)}, "follow-up", "own next step"),
        ({**_OWN, "next_step": False, **wording(0.44, 0.6), "lead": 0.6}, "contains", "holds inside"),
        ({**_OWN, "probability": 0.599999999}, "related", None),
        ({**_OWN, "vocabulary": 0.45}, "follow-up", "next step"),
        ({**_OWN, "vocabulary": 0.449999999}, "related", None),
        ({**_MUCH, "numbers": 0.449999999, "probability": 0.5}, "template", "own form of many figures"),
        ({**_OWN, "many_figures": True, "vocabulary": 0.54, "numbers": 0.4}, "follow-up", "next step"),
        ({**_MUCH, "numbers": 0.45}, "follow-up", "next step"),
        ({**_OWN, "vocabulary": 0.55, "numbers": 0.4}, "follow-up", "next step"),
        ({**_MUCH, "other_day": False, "numbers": 0.4}, "follow-up", "next step"),
    ]:
        pair = facts(**changes)
        number = int(rules_of_pairs(pair)[0])
        assert (RULES[number].name if number < len(RULES) else None) == rule
        assert names_of_kinds(kinds_of_rules(rules_of_pairs(pair))) == [kind]


@pytest.mark.parametrize("accepted", [0.02, 0.5])
def test_rules_are_tried_in_order_on_every_pair_that_may_satisfy_one(accepted: float) -> None:
    draw, pairs = np.random.default_rng(7), 20_000
    steps = np.array([0.0, 0.05, 0.249999999, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9, 1.0])
    drawn: dict[str, Any] = {
        name: draw.random(pairs) < 0.5 if isinstance(value, bool) else draw.choice(steps, pairs)
        for name, value in _PLAIN.items()
    }
    drawn["same_text"] = draw.random(pairs) < accepted / 10
    drawn["probability"] = np.where(draw.random(pairs) < accepted, drawn["probability"], 0.499999999)
    drawn["wording_forward"] = np.where(draw.random(pairs) < accepted, drawn["wording_forward"], 0.249999999)
    drawn["wording_backward"] = np.where(draw.random(pairs) < accepted, drawn["wording_backward"], 0.0)
    # Few words are looked at only where much of the wording is common.
    drawn["turned"] &= np.minimum(drawn["wording_forward"], drawn["wording_backward"]) >= 0.25
    drawn["numbers"] -= draw.random(pairs) < 0.3
    every = PairFacts(**drawn)
    held = np.stack([rule.holds(every) for rule in RULES])
    expected = np.where(held.any(axis=0), held.argmax(axis=0), len(RULES))
    assert rules_of_pairs(every).tolist() == expected.tolist()
    assert 0 < np.count_nonzero(expected < len(RULES)) < pairs
    # Numbers of beginnings are looked at wherever they may change a verdict.
    firm = ("same_address", "turned", "figure_alone", "anew", "same_body", "numbered", "same_opening", "other_day")
    shares = dict.fromkeys(("counts_forward", "counts_backward"), draw.choice([0.0, 1.0], pairs))
    every = replace(every, **dict.fromkeys(firm, np.zeros(pairs, dtype=np.bool_)), **shares)
    both = [replace(every, other_counts=np.full(pairs, held)) for held in (False, True)]
    changed = np.not_equal(*map(rules_of_pairs, both)) | np.not_equal(*map(form_filled_anew, both))
    changed &= (every.wording_least >= 0.25) & (every.probability >= 0.5) & ~every.same_text
    assert counts_may_decide(every)[changed].all()


def test_every_rule_has_a_case_of_its_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert KIND_NAMES == (
        "related", "copy", "retold", "contained", "contains", "template", "updated", "follow-up", "translation",
        "differs", "same-story",
    )  # fmt: skip


def test_facts_from_evidence_and_documents() -> None:
    documents = DocumentFacts.of(
        ["x", "x", "", "y"], [0, DAY - HOUR, DAY, None], [b"1", b"1", b"", b""], ["u", None, "u", "u"]
    )
    a, b = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3])
    evidence = np.zeros((4, len(COLUMNS)))
    evidence[:, COLUMNS.index("title")] = [0, 1, 2, 3]
    evidence[:, COLUMNS.index("cosine")] = 0.375 - 1e-12
    evidence[:, COLUMNS.index("numbers_forward")] = 0.7 - 1e-12
    evidence[:, COLUMNS.index("numbers_least")] = [1, 2, 2, 2]
    evidence[:, COLUMNS.index("figures_least")] = [0, 3, 4, 5]
    evidence[:, COLUMNS.index("figures_backward")] = [0, 0, 0, 1e-12]
    evidence[:, COLUMNS.index("step")] = [0, 1, 1, 1]
    evidence[:, COLUMNS.index("opening_forward")] = [1, 0.5 - 1e-12, 0.499, 1]
    found = facts_of_pairs(documents.at(a), documents.at(b), evidence, np.zeros(4), np.array([29, 30, 0, 300]))
    assert found.same_text.tolist() == [True, False, False, False]
    assert found.same_address.tolist() == [False, True, False, True]
    assert found.known.tolist() == [True, False, False, False]
    assert found.dated.tolist() == [True, True, True, True]
    assert found.same_source.tolist() == [True, False, False, False]
    assert found.other_day.tolist() == [False, True, True, False]
    assert found.hours.tolist() == [23.0, 24.0, 1.0, np.inf]
    assert found.numbers.tolist() == [-1.0, 0.7, 0.7, 0.7]
    assert found.many_figures.tolist() == [False, False, True, True]
    assert found.vocabulary.tolist() == [0.375] * 4
    assert found.next_step.tolist() == [False, True, False, True]
    assert found.no_title.tolist() == [True, False, False, False]
    assert found.one_sentence.tolist() == [True, False, True, False]
    assert found.other_figure.tolist() == [False, False, False, False]
    assert found.same_form.tolist() == [False, False, True, True]
    assert found.same_title.tolist() == [False, False, False, True]
    # Without titles, two posts of one source are as different as under two.
    assert found.own.tolist() == [True, False, False, False]
    evidence[:, COLUMNS.index("figures_least")] = [1, 1, 1, 2]
    evidence[:, COLUMNS.index("figures_backward")] = [0, 0.5, 0, 0]
    again = facts_of_pairs(documents.at(a), documents.at(b), evidence, np.zeros(4), np.array([29, 30, 0, 300]))
    assert again.other_figure.tolist() == [True, False, True, False]


def test_statuses() -> None:
    kinds = np.array([Kind.COPY, Kind.COPY, Kind.RETOLD, Kind.RELATED, Kind.RELATED, Kind.TRANSLATION], dtype=np.int8)
    kinds = np.concatenate([kinds, kinds[2:3]])
    some = [wording(most, 0) for most in (0.5, 0, 0.3, 0.299999999, 1)]
    many = facts_of([{"same_text": True, "same_whole": True, **wording(1, 1)}, *some, {"same_text": True}])
    found = statuses(kinds, many, joined_kinds(["copy"]))
    assert [STATUS_NAMES[one] for one in found] == [
        "exact", "duplicate", "similar", "similar", "new", "new", "duplicate",
    ]  # fmt: skip
    assert statuses(kinds, many, joined_kinds(["copy", "retold"]))[2] == DocumentStatus.DUPLICATE


@pytest.mark.parametrize("name", ["related", "translation", "copies", ""])
def test_joining_what_cannot_be_joined_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="expected one or more of copy, retold"):
        joined_kinds(["copy", name])


def test_the_best_pair_has_the_strongest_status_first() -> None:
    a = np.array([0, 1, 2, 3, 0, 1, 4, 3])
    b = np.array([9, 9, 9, 9, 8, 8, 8, 8])
    status = np.array([1, 2, 2, 2, 1, 1, 1, 1], dtype=np.int8)
    probability = np.array([0.99, 0.6, 0.7, 0.7, 0.5, 0.5, 0.5, 0.5])
    shares = np.array([[1, 1], [1, 1], [0.5, 0.6], [0.7, 0.5], [0.2, 0.3], [0.2, 0.4], [0.4, 0.2], [0.1, 1.0]])
    assert best_pairs(a, b, status, probability, shares).tolist() == [5, 3]


def test_kinds_to_join_are_seen_from_the_later_document():
    joined = joined_kinds(["contained"])
    # The earlier document contains the later one.
    assert (joined[Kind.CONTAINS], joined[Kind.CONTAINED]) == (True, False)
