"""What kind a pair is: a list of named rules, tried in order; the first that holds decides.

The kinds are defined in the glossary. In a pair, a is the earlier document and b the later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np

from infostream_dedup.judging.evidence.facts import NEWS_HOURS, STORY_DAYS, STORY_HOURS, VERSION_HOURS, PairFacts
from infostream_dedup.machine.arrays import Bools, Floats, Int8s

_Shares = Floats


REPEATED_WORDING: Final = 0.9
"""Share of wording, both ways, of an item that its source has published again under another title."""

LEAST_WORDING: Final = 0.25
"""Smallest share of wording that a rule requires of a pair of different texts that the model does not accept."""


_YEAR_HOURS: Final = 24 * 366  # hours after which a report is no next step: an affair of years has another one


class Kind(IntEnum):
    """Kinds of pairs; arrays hold the value."""

    RELATED = 0
    COPY = 1
    RETOLD = 2
    CONTAINED = 3
    CONTAINS = 4
    TEMPLATE = 5
    UPDATED = 6
    FOLLOW_UP = 7
    TRANSLATION = 8
    DIFFERS = 9
    SAME_STORY = 10


ONE_TEXT: Final = (Kind.COPY, Kind.RETOLD, Kind.UPDATED)
"""Kinds of pairs whose documents have the same text in the same language, perhaps reworded or in another version."""

ACROSS: Final = (Kind.TRANSLATION, Kind.SAME_STORY)  # kinds of pairs of two languages, decided without a probability

BETWEEN_LANGUAGES: Final = (*ACROSS, Kind.DIFFERS)
"""Kinds that a pair of two languages may have; it differs if a translation gives another figure."""

STORY_KINDS: Final = (Kind.COPY, Kind.RETOLD, Kind.FOLLOW_UP, Kind.CONTAINED, Kind.CONTAINS, Kind.UPDATED)
"""Kinds of pairs that tell one story, if the model is sure (`STORY_PROBABILITY`) and little time lies between."""

STORY_PROBABILITY: Final = 0.8
KIND_NAMES: Final = tuple(kind.name.lower().replace("_", "-") for kind in Kind)
"""Name of each kind in output rows and command-line flags."""

LISTED_KINDS: Final = tuple(name for name in KIND_NAMES if name not in ("related", "template"))
"""Kinds that ``pairs`` lists unless others are asked for: the two documents have a text or an event in common."""

Condition = Callable[[PairFacts], "Bools"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that decides the kind of a pair."""

    name: str  # what the rule looks for
    kind: Kind  # kind of the pairs for which the rule holds
    holds: Condition  # function that returns for which pairs it holds, bool (pairs,)


def told_anew(pair: PairFacts) -> Bools:
    """Equal short texts that report two events: an alert on another day, a stub under another title."""
    return pair.anew


def equal_text(pair: PairFacts) -> Bools:
    """The bodies are equal."""
    return pair.same_text


def same_page_again(pair: PairFacts) -> Bools:
    """Same address, or same source, day and title, and some shared wording: the page was edited."""
    own_title = pair.known & pair.same_source & pair.same_title & ~pair.other_day
    return (pair.same_address | own_title) & (pair.wording_least >= 0.25) & (pair.probability >= 0.5)


def turned_round(pair: PairFacts) -> Bools:
    """Two texts that differ in few words, of which one turns the news round: a negation, another verb."""
    return pair.turned & ~pair.own


def another_figure_alone(pair: PairFacts) -> Bools:
    """Two texts that differ in few words: the later one gives another figure."""
    return pair.figure_alone & (pair.wording_least >= 0.5) & ~pair.own


def another_figure_in_a_form(pair: PairFacts) -> Bools:
    """Two texts that differ in few words: figures of two days, or the number of a name, as of advisories."""
    found = pair.figure_alone & (pair.wording_least >= 0.5)
    of_two_days = (pair.other_day & (pair.hours > NEWS_HOURS) | pair.other_dates & ~pair.known) & ~pair.own
    for place in np.flatnonzero(found & ~of_two_days).tolist():
        found[place] = getattr(pair.differing[place], "of_series", False)
    return found


def own_post_of_another_day(pair: PairFacts) -> Bools:
    """Same source, another day, no title: half of both posts under one lead, but not the figure, or not nearly all."""
    some = (pair.wording_least >= 0.5) & ((pair.wording_least < 0.8) | pair.figure_alone)
    again = some & _old_lead(pair) & (pair.probability >= 0.5)
    return pair.own & pair.other_day & pair.no_title & again


def own_body_again(pair: PairFacts) -> Bools:
    """Same source within two days: a short text again, under another version of its title."""
    return pair.same_body & (pair.hours <= 48.0)


def own_number_of_a_series(pair: PairFacts) -> Bools:
    """Same source: both titles begin with a number of a series, as of advisories, however much the texts share."""
    return pair.numbered & ((pair.wording_most >= 0.25) | (pair.probability >= 0.6) & (pair.vocabulary >= 0.45))


def own_form_filled_anew(pair: PairFacts) -> Bools:
    """Same source: the titles differ only by the date, or, on another day, the lead is repeated with other numbers."""
    lead_again = pair.other_day & (pair.lead >= 0.8) & _other_numbers(pair)
    # The chapters of a book share neither wording nor lead.
    filled = pair.same_form & ((pair.wording_most >= 0.05) | (pair.lead >= 0.5))
    again = filled & (pair.other_day | ~pair.same_title) | lead_again
    return pair.own & (pair.probability >= 0.5) & again


def own_form_with_other_numbers(pair: PairFacts) -> Bools:
    """Same source, another day: half of the lead and a little of the wording are repeated, but few of the numbers."""
    few = (pair.numbers < 0.45) | pair.many_figures & (pair.numbers < 0.6)
    again = (pair.lead >= 0.5) & (pair.wording_most >= 0.04) & (pair.numbers >= 0) & few
    return pair.own & _apart(pair) & (pair.probability >= 0.5) & again


def own_form_of_one_vocabulary(pair: PairFacts) -> Bools:
    """Same source, another day: nearly all of the vocabulary is repeated, in any order, with other numbers."""
    # After three days, most of the wording under the old lead is a form even with the same numbers.
    later = _mostly_old(pair) & (pair.vocabulary >= 0.9) & (pair.lead >= 0.7) & (pair.hours > VERSION_HOURS)
    again = (pair.vocabulary >= 0.8) & _other_numbers(pair) | later
    return pair.own & pair.other_day & (pair.probability >= 0.5) & again


def own_old_background(pair: PairFacts) -> Bools:
    """Same source: a new lead over old wording tells the next step."""
    # The model must be sure, the story's vocabulary must be repeated, and the lead must have something in common with
    # the old one. Otherwise an affair has two sides with one background.
    told = pair.next_step & (pair.probability >= 0.9) & (pair.vocabulary >= 0.65) & (pair.lead >= 0.1)
    return _own_wording(pair) & ~_old_lead(pair) & told & _later(pair)


def own_form_with_other_dates(pair: PairFacts) -> Bools:
    """Same source, another day: the wording is repeated with other numbers, or with another date at its beginning."""
    # Within a few days, most of the wording with another date is a later version.
    redated = pair.other_dates & (~_mostly_old(pair) | (pair.hours > VERSION_HOURS))
    again = _other_numbers(pair) | pair.same_form | redated
    return _own_wording(pair) & _old_lead(pair) & pair.other_day & again


def own_text_repeated(pair: PairFacts) -> Bools:
    """Same source within three days: the text again under another title, with the same numbers, not turned round."""
    # Posts without titles on another day are not: a warning that is repeated is another one.
    near = (pair.hours <= VERSION_HOURS) | np.isinf(pair.hours)
    again = (pair.wording_least >= REPEATED_WORDING) & near & ~(pair.no_title & pair.other_day)
    same = ~pair.turned & ~pair.figure_alone & ~pair.other_dates & ((pair.numbers < 0) | (pair.numbers >= 0.9))
    return pair.own & again & same & ~_other_count(pair)


def own_later_version(pair: PairFacts) -> Bools:
    """Same source, within 36 hours: nearly all of both texts is the same, or most of it, with most of the lead."""
    # With less of it, or later, a report of another step has kept old paragraphs.
    nearly = pair.wording_least >= REPEATED_WORDING
    most = (pair.wording_most >= 0.85) | _mostly_old(pair) & ~pair.next_step
    kept = most & (pair.vocabulary >= 0.5) & ((pair.numbers < 0) | (pair.numbers >= 0.9))
    again = (nearly | kept) & (pair.lead >= 0.5) & (pair.hours <= STORY_HOURS)
    return _own_wording(pair) & again & ~pair.other_counts


def undated_form(pair: PairFacts) -> Bools:
    """No dates: the figures of another day in nearly all of the vocabulary, as of rates and counts of losses."""
    return _undated_figures(pair) & pair.other_dates & (pair.vocabulary >= 0.8) & (pair.numbers < 0.45)


def _undated_figures(pair: PairFacts) -> Bools:
    """No dates: many figures, most of them others, with some of the lead and most of the vocabulary, or another date.

    With few figures, the "source" may be just the name of a collection, and its items retell one another. With nearly
    all of the vocabulary, daily rates and counts of losses are forms from any outlet.
    """
    other = (pair.numbers >= 0) & (pair.numbers < 0.6) & (pair.vocabulary >= 0.65)
    other |= _other_numbers(pair) & pair.other_dates & (pair.lead >= 0.55)
    own = pair.same_source & ~pair.same_title & _old_lead(pair) & (pair.wording_most >= 0.1) & other
    any_outlet = ~pair.own & (pair.vocabulary >= 0.8) & (pair.numbers >= 0) & (pair.numbers < 0.45)
    return ~pair.known & pair.many_figures & (pair.probability >= 0.5) & (own | any_outlet)


def undated_form_of_another_day(pair: PairFacts) -> Bools:
    """Without sources or dates, half of the wording with other dates and numbers."""
    # Two are enough here, since the second would leave the collection.
    other = pair.other_dates & (pair.lead >= 0.5) & (pair.numbers < 0.9)
    much = (pair.probability >= 0.5) & (pair.wording_least >= 0.5) & (pair.wording_least < 0.9)
    return ~pair.known & ~pair.own & other & much


def undated_sentence_with_other_numbers(pair: PairFacts) -> Bools:
    """Without sources or dates, one sentence in the same form, with other numbers: a rate, a toll, a score."""
    # Its number is the news, while a longer text retold may give some numbers in other units, or leave them out.
    short = pair.one_sentence & ~pair.known
    if not short.any():  # As in all streams of dated news.
        return short
    other = pair.other_figure | (pair.numbers >= 0) & (pair.numbers < 0.5)
    return short & other & _one_event_undated(pair) & (pair.wording_least >= 0.15)


def own_next_step(pair: PairFacts) -> Bools:
    """Same source: some of the wording is repeated, and a lead with much of the old one tells the next step."""
    # It may tell it by other numbers alone, or, within two weeks, under any lead if most of both texts is the same.
    told = _own_wording(pair) & _old_lead(pair) & (pair.next_step | pair.other_counts)
    again = _mostly_old(pair) & (pair.probability >= 0.5) & (pair.hours <= 24 * STORY_DAYS)
    return pair.own & (told | again) & _later(pair)


def much_the_same_wording(pair: PairFacts) -> Bools:
    """Half of one text is in the other, a good part of the other is in it, and the model agrees.

    Two sources that quote a statement in full share a third of their wording. If sources or dates are unknown, the rule
    requires half of both, and of one sentence, in which one other word may be the news, two thirds. A copy keeps the
    numbers, though it may be cut: of two short items in one form, the number is the news. Days later, under another
    lead, half of the wording may be the background of an affair. A later text that is mostly new is no copy.
    """
    numbers_kept = _numbers_kept(pair)
    least = np.where(pair.one_sentence & ~pair.known, 2 / 3, 0.5)
    much = (pair.wording_least >= least) & (pair.probability >= 0.5)
    in_time = (pair.hours <= VERSION_HOURS) | _old_lead(pair) | _mostly_old(pair)
    added = (pair.wording_forward >= 0.85) & (pair.wording_backward < 0.5)
    dated = pair.known & (_some_wording(pair) | much) & in_time & ~added
    return ~pair.own & (dated | much & ~pair.known & _lead_kept(pair)) & numbers_kept


def undated_wording(pair: PairFacts) -> Bools:
    """Without sources or dates, much shared wording, though not enough for a copy: the same text in other words."""
    # A digest, or a text with another half, holds nearly all of the other one word by word.
    holds = (pair.wording_most >= 0.85) & (pair.wording_least < 0.6)
    return _told_undated(pair) & (_some_wording(pair) | (pair.wording_least >= 0.5)) & ~holds


def lies_inside(pair: PairFacts) -> Bools:
    """Most of a is in b, which is longer."""
    return _inside(pair, pair.wording_forward, pair.wording_backward, pair.recalled_forward, pair.counts_forward)


def holds_inside(pair: PairFacts) -> Bools:
    """Most of b is in a, which is longer."""
    return _inside(pair, pair.wording_backward, pair.wording_forward, pair.recalled_backward, pair.counts_backward)


def _inside(pair: PairFacts, own: _Shares, other: _Shares, lead: _Shares, counts: _Shares) -> Bools:
    """Whether most of the wording of a text is in a longer one, with its numbers and its lead.

    Where the lead is not, the two share an old background, as do two reports of one source, unless their leads are
    alike. A text of the same length is a version, a form or a retelling. If the model does not agree, a few common
    phrases and a footer may be all that is shared.
    """
    most = (own >= 0.85) | (own >= 0.6) & (lead >= 0.6) & np.where(pair.own, pair.lead >= 0.6, ~_other_leads(pair))
    agreed = (pair.probability >= 0.5) | (own >= 0.8) | (lead >= 0.85)
    return most & (other <= 0.75 * own) & agreed & (counts >= 0.5)


def _other_leads(pair: PairFacts) -> Bools:
    """Much of a text, but not all of it or of its lead, is in a longer one, under another lead: a background."""
    longer = pair.wording_least <= 0.75 * pair.wording_most
    forward = pair.wording_forward > pair.wording_backward
    lead = np.where(forward, pair.recalled_forward, pair.recalled_backward)
    much = (pair.wording_most >= 0.6) & (pair.wording_most < 0.85)
    return longer & much & (pair.lead < 0.25) & (lead < 0.85)


def equal_opening(pair: PairFacts) -> Bools:
    """Two sources begin alike on one day; neither text is in the other, so they have other footers."""
    return pair.same_opening


def told_at_once(pair: PairFacts) -> Bools:
    """Two sources within half a day, and the model is certain: a text rewritten lightly, with its names and numbers."""
    sure = (pair.probability >= 0.98) & (pair.wording_least >= 0.15) & (pair.names_kept >= 0.5)
    near = pair.known & ~pair.same_source & (pair.hours <= NEWS_HOURS)
    return near & sure & _numbers_kept(pair) & ~pair.turned & ~pair.figure_alone


def told_with_other_numbers(pair: PairFacts) -> Bools:
    """Two sources within 36 hours, and the model is sure, but the numbers are others: the next step of an event."""
    return _by_another_source(pair) & (pair.probability >= 0.9) & _numbers_of_another_step(pair)


def told_by_another_source(pair: PairFacts) -> Bools:
    """Two sources within 36 hours, and the model is sure, or accepts them within half a day."""
    # Then the story's vocabulary is repeated, or something of each lead is in the other text, as in posts of few words.
    again = (pair.probability >= 0.6) & (pair.vocabulary >= 0.45) | (pair.probability >= 0.5) & _lead_kept(pair)
    soon = again & (pair.hours <= NEWS_HOURS)
    return _by_another_source(pair) & ((pair.probability >= 0.9) | soon) & ~_numbers_of_another_step(pair)


def told_again(pair: PairFacts) -> Bools:
    """Without source or date: the model is sure, and part of the wording or the story's vocabulary is repeated."""
    # In a collection on one topic, the model is sure of many pairs that share only the topic or a background, and each
    # would join two groups.
    recalled = _recalled(pair) >= 0.5
    vocabulary = (pair.probability >= 0.9) & (pair.vocabulary >= 0.6) & recalled
    return _told_undated(pair) & ((pair.wording_least >= 0.15) | vocabulary)


def _told_undated(pair: PairFacts) -> Bools:
    """Without sources or dates, one event as far as the leads tell; no form, and no page of a manual."""
    filled = pair.same_source & pair.other_counts & (pair.wording_least >= 0.3) & (pair.numbers < 0.9)
    filled |= pair.other_counts & (np.maximum(pair.counts_forward, pair.counts_backward) <= 0) | _undated_figures(pair)
    # Nothing happens there, and there is no number or name of its own.
    manual = pair.same_source & ~pair.same_title & ~pair.no_title & ~pair.next_step
    return _one_event_undated(pair) & ~filled & ~(manual & (pair.numbers < 0) & np.equal(pair.names_kept, 1.0))


def _one_event_undated(pair: PairFacts) -> Bools:
    another = pair.background | _other_leads(pair)
    return ~pair.known & ~pair.own & (pair.probability >= 0.5) & _lead_kept(pair) & ~another


def _recalled(pair: PairFacts) -> _Shares:
    return (pair.recalled_forward + pair.recalled_backward) / 2


def may_be_background(pair: PairFacts) -> Bools:
    """Undated pairs of which it is asked whether what they share lies behind their beginnings."""
    # Of what two texts share word by word, there is more than their leads have in common with the texts. More than
    # three tenths of a text is more than a background, and half of a sentence or two more than a line of hashtags.
    least = pair.wording_least
    most = np.where(pair.one_sentence, 0.5, 0.3)
    shared = (least >= 0.15) & (least < most) & (_recalled(pair) - pair.wording_most < 0.3)
    return ~pair.known & ~pair.own & (pair.probability >= 0.5) & shared & ~pair.same_text


def form_filled_anew(pair: PairFacts) -> Bools:
    """One text with other numbers or names in it, or figures without dates: a form, if a third document is alike."""
    # Of two alone, one may be another report of the event; so may reports of a few hours, whose numbers change with it.
    alike = (pair.wording_least >= 0.3) | (pair.vocabulary >= 0.8) & (pair.lead >= 0.8)
    other = np.where(pair.numbers >= 0, pair.numbers < 0.5, _other_count(pair)) | pair.filled
    return (pair.probability >= 0.5) & alike & other & _of_two_times(pair) | _undated_figures(pair)


def may_be_form(pair: PairFacts) -> Bools:
    """Pairs of which a form asks whether most of the words that differ are names, numbers and days."""
    # Of one source, other rules know its forms.
    return (pair.probability >= 0.5) & (pair.wording_least >= LEAST_WORDING) & _of_two_times(pair) & ~pair.own


def may_be_of_series(pair: PairFacts) -> Bools:
    """Pairs of one source under different titles that another rule may decide."""
    alike = (pair.probability >= 0.5) | (pair.wording_most >= LEAST_WORDING)
    return pair.own & alike & ~pair.no_title & ~pair.same_title & ~pair.same_text


def may_be_retitled(pair: PairFacts) -> Bools:
    """Pairs of which it is asked whether a source has published one short text under two titles."""
    near = pair.own & (pair.hours <= 48.0) & ~pair.no_title & ~pair.same_title
    return near & (pair.wording_least >= LEAST_WORDING) & ~pair.same_text


def _of_two_times(pair: PairFacts) -> Bools:
    return (~pair.known | (pair.hours > NEWS_HOURS)) & ~pair.same_text


def own_form_of_many_figures(pair: PairFacts) -> Bools:
    """Same source, another day: forecasts, rates and counts in other words; most of their figures are new."""
    again = pair.many_figures & (pair.vocabulary >= 0.55) & (pair.numbers >= 0) & (pair.numbers < 0.45)
    return pair.own & _apart(pair) & (pair.probability >= 0.5) & again


def next_step(pair: PairFacts) -> Bools:
    """Same source: the model is fairly sure that it is one story, its vocabulary is repeated, and something happened.

    Of the links whose lead only repeats what somebody said, or tells of no event, most share only an affair. Below 0.6,
    every second pair shares only a topic. An earlier rule has handled old wording under a new lead; most of a text that
    neither holds another nor lies in it is the background of another step, or, if the leads have little in common, of
    another event. So is a story of weeks ago without any of the numbers.
    """
    background = _own_wording(pair) & ~_old_lead(pair)
    lead = pair.lead >= np.where(pair.next_step, 0.1, 0.3)
    step = pair.next_step & (pair.probability >= 0.6) & (pair.vocabulary >= 0.45) & lead & ~background
    near = pair.hours <= 24 * STORY_DAYS
    most = (pair.wording_most >= 0.6) & (pair.probability >= 0.5) & lead
    same = near | (pair.counts_forward > 0) | (pair.counts_backward > 0)
    return pair.own & (step & same | most & near) & _later(pair)


def _own_wording(pair: PairFacts) -> Bools:
    return pair.own & (pair.wording_least >= 0.25)


def _apart(pair: PairFacts) -> Bools:
    """On different days, as far as is known, or at one moment, as forms that are filled several times."""
    return ~np.isfinite(pair.hours) | pair.other_day | np.equal(pair.hours, 0.0)


def _later(pair: PairFacts) -> Bools:
    """It is known which of the two is the later one, within a year."""
    return np.asarray((pair.hours > 0) & (pair.hours <= _YEAR_HOURS), dtype=np.bool_)


def _mostly_old(pair: PairFacts) -> Bools:
    return pair.wording_least >= 0.6


def counts_may_decide(pair: PairFacts) -> Bools:
    """Pairs of which a rule asks whether the numbers at their beginnings are others."""
    alike = (pair.wording_least >= LEAST_WORDING) | (pair.lead >= 0.25)
    near = ~pair.known | (pair.hours <= STORY_HOURS) | (pair.wording_least >= LEAST_WORDING)
    none = np.maximum(pair.counts_forward, pair.counts_backward) <= 0
    asked = pair.own | _by_another_source(pair) | (pair.numbers < 0) | none | pair.same_source & (pair.numbers < 0.9)
    return (pair.probability >= 0.5) & alike & near & asked & ~pair.same_text


def _by_another_source(pair: PairFacts) -> Bools:
    return pair.known & ~pair.same_source & (pair.hours <= STORY_HOURS)


def _other_count(pair: PairFacts) -> Bools:
    return pair.other_figure | pair.other_counts


def _numbers_of_another_step(pair: PairFacts) -> Bools:
    return pair.other_counts | (pair.numbers >= 0) & (pair.numbers < 0.3)


def _numbers_kept(pair: PairFacts) -> Bools:
    return ((pair.numbers < 0) & ~_other_count(pair) | (pair.numbers >= 0.75)) & ~pair.figure_alone


def _old_lead(pair: PairFacts) -> Bools:
    return pair.lead >= 0.4


def _lead_kept(pair: PairFacts) -> Bools:
    """Each lead has something of the other text, or one and most words: else they share a background or footer."""
    recalled = pair.recalled_forward >= 0.3, pair.recalled_backward >= 0.3
    little = pair.lead < np.where(pair.wording_least >= 0.2, 0.3, 0.2)
    another = pair.same_source & ~pair.same_title & ~pair.no_title & ~_mostly_old(pair) & little
    return (recalled[0] & recalled[1] | (pair.vocabulary >= 0.6) & (recalled[0] | recalled[1])) & ~another


def _some_wording(pair: PairFacts) -> Bools:
    return (pair.wording_least >= 0.3) & (pair.wording_most >= 0.5) & (pair.probability >= 0.9)


def _other_numbers(pair: PairFacts) -> Bools:
    """Both have numbers or dates, and they share less than 0.7 of them."""
    return (pair.numbers >= 0) & (pair.numbers < 0.7)


RULES: Final = (
    Rule("told anew", Kind.TEMPLATE, told_anew),
    Rule("equal text", Kind.COPY, equal_text),
    Rule("same page again", Kind.UPDATED, same_page_again),
    Rule("own body again", Kind.COPY, own_body_again),
    Rule("turned round", Kind.DIFFERS, turned_round),
    Rule("another figure in a form", Kind.TEMPLATE, another_figure_in_a_form),
    Rule("own number of a series", Kind.TEMPLATE, own_number_of_a_series),
    Rule("own form filled anew", Kind.TEMPLATE, own_form_filled_anew),
    Rule("own form with other numbers", Kind.TEMPLATE, own_form_with_other_numbers),
    Rule("own form of one vocabulary", Kind.TEMPLATE, own_form_of_one_vocabulary),
    Rule("own old background", Kind.FOLLOW_UP, own_old_background),
    Rule("own form with other dates", Kind.TEMPLATE, own_form_with_other_dates),
    Rule("own text repeated", Kind.COPY, own_text_repeated),
    Rule("own post of another day", Kind.TEMPLATE, own_post_of_another_day),
    Rule("own later version", Kind.UPDATED, own_later_version),
    Rule("undated form", Kind.TEMPLATE, undated_form),
    Rule("undated sentence with other numbers", Kind.TEMPLATE, undated_sentence_with_other_numbers),
    Rule("own next step", Kind.FOLLOW_UP, own_next_step),
    Rule("another figure alone", Kind.UPDATED, another_figure_alone),
    Rule("undated form of another day", Kind.TEMPLATE, undated_form_of_another_day),
    Rule("much the same wording", Kind.COPY, much_the_same_wording),
    Rule("undated wording", Kind.RETOLD, undated_wording),
    Rule("lies inside", Kind.CONTAINED, lies_inside),
    Rule("holds inside", Kind.CONTAINS, holds_inside),
    Rule("equal opening", Kind.COPY, equal_opening),
    Rule("told at once", Kind.COPY, told_at_once),
    Rule("told with other numbers", Kind.FOLLOW_UP, told_with_other_numbers),
    Rule("told by another source", Kind.RETOLD, told_by_another_source),
    Rule("told again", Kind.RETOLD, told_again),
    Rule("own form of many figures", Kind.TEMPLATE, own_form_of_many_figures),
    Rule("next step", Kind.FOLLOW_UP, next_step),
)
"""The rules in the order in which they are tried; a pair for which none holds is ``related``."""


def rules_of_pairs(facts: PairFacts) -> Int8s:
    """Index of the first rule that matches each pair, or ``len(RULES)``: int8 (pairs,)."""
    decided = np.full(len(facts), len(RULES), dtype=np.int8)
    # No rule holds for a pair without any of these, and nearly all candidates have none.
    equal = facts.same_text | facts.same_opening | facts.anew | facts.same_body
    places = np.flatnonzero(equal | (facts.probability >= 0.5) | (facts.wording_most >= LEAST_WORDING))
    if not len(places):
        return decided
    facts = facts.at(places)
    for number in reversed(range(len(RULES))):
        decided[places[RULES[number].holds(facts)]] = number
    return decided


def kinds_of_rules(rules: Int8s) -> Int8s:
    """``Kind`` of each pair from the rule that decided it, as ``rules_of_pairs`` returned it: int8 (pairs,)."""
    kinds = np.array([*(rule.kind for rule in RULES), Kind.RELATED], dtype=np.int8)
    return kinds[rules]


def seen_from_later(kind: Kind) -> Kind:
    """The kind as seen from the later document: it is ``contained`` if the earlier document contains it."""
    return {Kind.CONTAINED: Kind.CONTAINS, Kind.CONTAINS: Kind.CONTAINED}.get(kind, kind)


def names_of_kinds(kinds: Int8s) -> list[str]:
    """Name of each kind."""
    return [KIND_NAMES[kind] for kind in kinds.tolist()]
