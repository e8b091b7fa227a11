"""Copies of a collection: shared word triples, every pair, samples of candidates, and counts by resample.

Most triples of a collection occur in only one text and link nothing. Triples are hashes, so they are processed in
ranges of their leading bits, by several threads, and within a range in parts, whose tables fit in the cache.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.kernels.triples import TripleRange, table_size, take_parts
from infostream_dedup.links.compiled.kernels.rows import first_not_below
from infostream_dedup.machine.arrays import GOLDEN, Bools, Cube, Int32s, Ints, Table, Uint8s, Uint64s
from infostream_dedup.machine.compiling import compiled, inlined, prefetch, signed

_SPREAD = np.uint64(GOLDEN)  # an odd factor, so that products differ


class _Table(NamedTuple):
    """Table of the triples of a part by open addressing: triples, how often each occurs, and its number or -1."""

    keys: Uint64s
    counts: Int32s
    found: Int32s


def _number_part(given: TripleRange, begin: int, end: int, table: _Table, numbers: Int32s, first: int) -> int:
    """Number the triples of one part by open addressing; return the next free number."""
    values, places = given.scratch
    keys, counts, found = table
    mask = keys.size - 1
    counts[:] = 0
    for item in range(begin, end):
        slot = signed(values[item] & np.uint64(mask))
        while counts[slot] and keys[slot] != values[item]:
            slot = (slot + 1) & mask
        keys[slot] = values[item]
        counts[slot] += 1
        found[slot] = -1
    for item in range(begin, end):
        slot = signed(values[item] & np.uint64(mask))
        while keys[slot] != values[item] or counts[slot] == 0:
            slot = (slot + 1) & mask
        if counts[slot] >= 2 and found[slot] < 0:
            found[slot] = first
            first += 1
        numbers[places[item]] = found[slot]
    return first


def _keep_numbered(counts: Int32s, chosen: Bools, numbers: Int32s, kept: Int32s) -> int:
    """Move the numbers of shared triples to the front, and return how many there are."""
    at = size = 0
    for document in range(counts.size):
        before, end = size, at + counts[document]
        if chosen[document]:
            for place in range(at, end):
                numbers[size] = numbers[place]
                size += numbers[place] >= 0
        kept[document] = size - before
        at = end
    return size


@compiled
def number_range(given: TripleRange, chosen: Bools, numbers: Int32s, kept: Int32s) -> tuple[int, int]:
    """Number the triples of one range that occur in at least two of the chosen documents.

    ``given``: the range; the triples themselves are not needed once they are in their parts; ``chosen``: (documents,),
    the documents whose triples count; ``numbers``: as long as the triples, perhaps in their memory; receives the
    numbers of shared triples, from 0, document by document; ``kept``: (documents,), receives how many numbers each
    document has. Returns how many different numbers there are, and how many numbers of all documents.
    """
    ends = np.zeros((1 << given.part_bits) + 1, dtype=np.int64)
    take_parts(given, chosen, ends)
    size = table_size(ends)
    table = _Table(np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32))
    first = begin = 0
    for part in range(ends.size - 1):
        first = _number_part(given, begin, ends[part], table, numbers, first)
        begin = ends[part]
    return first, _keep_numbered(given.counts, chosen, numbers, kept)


@compiled
def arrange_range(numbers: Int32s, kept: Int32s, first: int, ends: Ints, arranged: Int32s) -> None:
    """Add the numbers of a range to those of each document.

    ``numbers``: numbers of the range, document by document; ``kept``: (documents,), how many each document has;
    ``first``: added to each number; ``ends``: (documents,), where the numbers of each document in ``arranged`` end;
    moved on; ``arranged``: receives the numbers.
    """
    at = 0
    for document in range(kept.size):
        place, size = ends[document], kept[document]
        for number in range(at, at + size):
            arranged[place] = numbers[number] + first
            place += 1
        ends[document] = place
        at += size


@compiled
def write_rows(numbers: Int32s, begins: Ints, ends: Ints, fillers: Ints, bounds: Ints, rows: Uint64s) -> None:
    """Write rows of triples in which equal numbers are equal triples, and all other triples differ.

    ``numbers``: numbers of shared triples; ``begins``: (rows,), start of each row in ``numbers``; ``ends``: (rows,),
    end of each row; ``fillers``: (rows,), the first of the distinct values for the other triples of a row; ``bounds``:
    (rows + 1,), bounds of each row in ``rows``; ``rows``: receives the triples, ascending in each row.
    """
    for row in range(begins.size):
        place, last = bounds[row], bounds[row + 1]
        for at in range(begins[row], ends[row]):
            rows[place] = np.uint64(numbers[at]) * _SPREAD
            place += 1
        filler = fillers[row]
        while place < last:
            rows[place] = np.uint64(filler + (1 << 32)) * _SPREAD
            filler += 1
            place += 1
        rows[bounds[row] : last] = np.sort(rows[bounds[row] : last])


# Find every pair of texts that share a third of their word triples, exactly.
#
# The smaller text of a pair needs `least` of its triples in the larger one. Rare triples are counted by walking their
# postings. A pair that shares no rare triple must share `least` common ones, so at least one of the rarest `common -
# least + 1` of them: only their postings are walked, and only for texts with that many common triples. So a story
# that a thousand sites print is still found, although each of its triples is in a thousand texts.

_AHEAD: Final = 6  # triples that are looked up while the memory of a later one is fetched
_FIRST_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_MIX = np.uint64(0x94D049BB133111EB)


class SharedIndex(NamedTuple):
    """The triples that occur in at least two texts."""

    begins: Ints  # int64 (texts,), start of each text in `terms`
    middles: Ints  # int64 (texts,), start of the common triples of each text
    ends: Ints  # int64 (texts,), end of each text
    terms: Int32s  # int32, numbers of triples: the rare ones ascending, then the common ones ascending
    heads: Ints  # int64 (terms + 2,), bounds of each triple in `texts`; one place is spare
    texts: Int32s  # int32, texts of each triple, ascending


@compiled
def count_postings(index: SharedIndex, first: int, last: int) -> None:
    """Count the texts of the terms from ``first`` to ``last`` - 1 in ``heads``, zeros before, two places later."""
    for text in range(index.begins.size):
        for at in range(index.begins[text], index.ends[text]):
            if first <= index.terms[at] < last:
                index.heads[index.terms[at] + 2] += 1


@compiled
def fill_postings(index: SharedIndex, first: int, last: int) -> None:
    """Write the texts of terms ``first`` to ``last`` - 1; ``heads``: starts, one place later; afterwards ends."""
    for text in range(index.begins.size):
        for at in range(index.begins[text], index.ends[text]):
            term = index.terms[at]
            if first <= term < last:
                index.texts[index.heads[term + 1]] = text
                index.heads[term + 1] += 1


@compiled
def sort_rows(index: SharedIndex, rare: int, first: int, last: int) -> None:
    """Order the terms of texts ``first`` to ``last`` - 1: those of at most ``rare`` texts, then the others.

    Both are ascending; ``middles`` receives the start of the others.
    """
    for text in range(first, last):
        begin, end = index.begins[text], index.ends[text]
        ordered = np.sort(index.terms[begin:end])
        place = begin
        for term in ordered:
            if index.heads[term + 1] - index.heads[term] <= rare:
                index.terms[place] = term
                place += 1
        index.middles[text] = place
        for term in ordered:
            if index.heads[term + 1] - index.heads[term] > rare:
                index.terms[place] = term
                place += 1


class TextClasses(NamedTuple):
    """Documents grouped by equal sets of triples; each group is one text."""

    sizes: Ints  # int64 (texts,), triples of each text
    begins: Ints  # int64 (texts + 1,), bounds of each text in `members`
    members: Int32s  # int32, ordinals of the documents of each text, ascending
    first: Ints  # int64 (texts,), the first text that may be close enough in time
    last: Ints  # int64 (texts,), the text after the last such one


class Universe(NamedTuple):
    """Which pairs of documents are counted."""

    counted: Bools  # bool (documents,), whether a document is counted at all
    window: int  # maximum number of microseconds between two documents; negative for no limit
    times: Ints  # int64 (documents,), microseconds since 1970
    days: Ints  # int64 (documents,), days since 1970
    sources: Ints  # int64 (documents,), number of the source; negative if unknown
    # int64 (documents,), equal for titles that differ only in case and punctuation; 0 without a title
    titles: Ints


class TextCounters(NamedTuple):
    """Scratch arrays of a thread."""

    counts: Int32s  # int32 (texts,), zero whenever no text is looked up
    touched: Int32s  # int32 (texts + 1,), texts with a count


class FoundPairs(NamedTuple):
    """Room for pairs of documents. When it is full, half of the pairs are dropped, chosen by a hash of the pair."""

    a: Int32s  # int32 (room,), the earlier document
    b: Int32s  # int32 (room,), the later one
    values: Table[np.int32]  # int32 (room, numbers), what is known of each pair, one number or two
    # int64 (4,): numbers of pairs kept, pairs found outside a series, pairs found in a series, and halvings
    state: Ints


@inlined
def is_series(universe: Universe, a: int, b: int) -> bool:
    """Whether one source published both, on different days and not under one title."""
    source, title = universe.sources[a], universe.titles[a]
    same = (source >= 0) & (source == universe.sources[b])
    return bool(same & (universe.days[a] != universe.days[b]) & ((title == 0) | (title != universe.titles[b])))


@inlined
def hash_of_pair(a: int, b: int) -> np.uint64:
    """Evenly distributed; no two pairs of documents have the same."""
    state = np.uint64(a) << np.uint64(32) | np.uint64(b)
    state = (state ^ (state >> np.uint64(30))) * _FIRST_MIX
    state = (state ^ (state >> np.uint64(27))) * _SECOND_MIX
    return state ^ (state >> np.uint64(31))


@inlined
def thinned_out(a: int, b: int, halvings: int) -> bool:
    """Whether a pair has been dropped after a number of halvings."""
    return halvings > 0 and (hash_of_pair(a, b) >> np.uint64(64 - halvings)) != np.uint64(0)


@inlined
def is_inside(universe: Universe, a: int, b: int) -> bool:
    """Whether a pair is counted."""
    near = universe.window < 0 or abs(universe.times[a] - universe.times[b]) <= universe.window
    return bool(near and universe.counted[a] and universe.counted[b])


def _keep(found: FoundPairs, a: int, b: int, first: int, second: int) -> None:
    """Keep a pair with its numbers, unless it is dropped."""
    while found.state[0] == found.a.size and not thinned_out(a, b, found.state[3]):
        found.state[3] += 1
        kept = 0
        for pair in range(found.state[0]):
            if not thinned_out(signed(found.a[pair]), signed(found.b[pair]), found.state[3]):
                found.a[kept], found.b[kept] = found.a[pair], found.b[pair]
                found.values[kept] = found.values[pair]
                kept += 1
        found.state[0] = kept
    if not thinned_out(a, b, found.state[3]):
        place = found.state[0]
        found.a[place], found.b[place] = a, b
        found.values[place, 0] = first
        found.values[place, found.values.shape[1] - 1] = second
        found.state[0] = place + 1


def _note(found: FoundPairs, universe: Universe, one: int, other: int, shared: int, smaller: int) -> None:
    """Count a pair of documents if it is in the universe, and keep it."""
    a, b = min(one, other), max(one, other)
    if universe.window >= 0 and abs(universe.times[a] - universe.times[b]) > universe.window:
        return
    found.state[2 if is_series(universe, a, b) else 1] += 1
    _keep(found, a, b, shared, smaller)


def _note_texts(found: FoundPairs, classes: TextClasses, universe: Universe, text: int, other: int, alike: int) -> None:
    smaller = classes.sizes[text]
    for one in range(classes.begins[text], classes.begins[text + 1]):
        first = classes.begins[other] if other != text else one + 1
        for two in range(first, classes.begins[other + 1]):
            _note(found, universe, signed(classes.members[one]), signed(classes.members[two]), alike, smaller)


@inlined
def _common_shared(index: SharedIndex, text: int, other: int) -> int:
    """Number of common triples that two texts share."""
    at, end = index.middles[text], index.ends[text]
    there, stop = index.middles[other], index.ends[other]
    shared = 0
    while at < end and there < stop:
        mine, theirs = index.terms[at], index.terms[there]
        shared += mine == theirs
        at += mine <= theirs
        there += theirs <= mine
    return shared


def _walk(
    index: SharedIndex, classes: TextClasses, text: int, term: int, again: int, scratch: TextCounters, met: int
) -> int:
    """Count a triple for each larger text that has it; without ``again``, only for texts not counted before."""
    size, last = classes.sizes[text], classes.last[text]
    end = index.heads[term + 1]
    for place in range(first_not_below(index.texts, index.heads[term], end, classes.first[text]), end):
        other = signed(index.texts[place])
        if other >= last:
            break
        theirs = classes.sizes[other]
        if theirs > size or (theirs == size and other < text):
            unmet = signed(scratch.counts[other] == 0)
            scratch.touched[met] = other
            scratch.counts[other] += unmet | again
            met += unmet
    return met


def _walk_rare(index: SharedIndex, classes: TextClasses, text: int, scratch: TextCounters) -> int:
    """Count the rare triples of a text for each larger text; return how many texts have one."""
    met, last = 0, index.middles[text] - 1
    for at in range(index.begins[text], index.middles[text]):
        # Each look-up would wait for memory twice.
        prefetch(index.heads, signed(index.terms[min(at + 2 * _AHEAD, last)]))
        prefetch(index.texts, index.heads[index.terms[min(at + _AHEAD, last)]])
        met = _walk(index, classes, text, signed(index.terms[at]), 1, scratch, met)
    return met


@compiled
def find_copies(
    index: SharedIndex,
    classes: TextClasses,
    universe: Universe,
    begin: int,
    end: int,
    scratch: TextCounters,
    found: FoundPairs,
) -> None:
    """Find the pairs whose smaller text is in ``begin`` .. ``end`` - 1 and that share three tenths of its triples.

    ``index``: triples that occur in two texts or more; ``classes``: documents with equal triples; ``universe``: which
    pairs are counted; ``begin``: the first text; ``end``: the text after the last; ``scratch``: scratch arrays;
    ``found``: receives the pairs.
    """
    for text in range(begin, end):
        size = classes.sizes[text]
        if size == 0:
            continue
        least = (3 * size + 9) // 10
        _note_texts(found, classes, universe, text, text, size)
        middle, stop = index.middles[text], index.ends[text]
        common = stop - middle
        if stop - index.begins[text] < least:
            continue
        met = _walk_rare(index, classes, text, scratch)
        rarely = met
        if common >= least:
            widths = np.empty(common, dtype=np.int64)
            for at in range(common):
                term = index.terms[middle + at]
                widths[at] = index.heads[term + 1] - index.heads[term]
            for at in np.argsort(widths, kind="mergesort")[: common - least + 1]:
                met = _walk(index, classes, text, signed(index.terms[middle + at]), 0, scratch, met)
        for place in range(met):
            other = signed(scratch.touched[place])
            rare = signed(scratch.counts[other]) if place < rarely else 0
            scratch.counts[other] = 0
            theirs = index.ends[other] - index.middles[other]
            if rare + min(common, theirs) >= least:
                shared = rare + _common_shared(index, text, other)
                if shared >= least:
                    _note_texts(found, classes, universe, text, other, shared)


# Draw candidates from the links of a collection: in each sample, the pairs with the smallest hashes


class GradedLinks(NamedTuple):
    """Directed links."""

    indptr: Ints  # int64 (documents + 1,), bounds of the rows
    indices: Int32s  # int32, the document that answers, ascending in each row
    grades: Uint8s  # uint8, largest step at which each link counts, 0 if it counts at none


class DatedSources(NamedTuple):
    """Who published the documents, and when."""

    sources: Ints  # int64 (documents,), negative if unknown
    times: Ints  # int64 (documents,), microseconds since 1970
    dated: Bools  # bool (documents,), whether the time is known


class SmallestPairs(NamedTuple):
    """Room for pairs. When it is full, the half with the smaller hashes is kept."""

    hashes: Uint64s  # uint64 (room,)
    a: Int32s  # int32 (room,), the earlier document
    b: Int32s  # int32 (room,), the later one
    state: Ints  # int64 (2,): number of pairs held, number of pairs that came
    bound: Uint64s  # uint64 (1,), the largest hash that may be kept


def _halve_heap(drawn: SmallestPairs) -> None:
    kept = drawn.a.size // 2
    order = np.argsort(drawn.hashes)[:kept]
    drawn.hashes[:kept], drawn.a[:kept], drawn.b[:kept] = drawn.hashes[order], drawn.a[order], drawn.b[order]
    drawn.state[0], drawn.bound[0] = kept, drawn.hashes[kept - 1]


def _add(drawn: SmallestPairs, a: int, b: int) -> None:
    drawn.state[1] += 1
    hashed = hash_of_pair(a, b)
    if hashed > drawn.bound[0]:
        return
    if drawn.state[0] == drawn.a.size:
        _halve_heap(drawn)
    place = drawn.state[0]
    drawn.hashes[place], drawn.a[place], drawn.b[place] = hashed, a, b
    drawn.state[0] = place + 1


@inlined
def _may_draw(drawn: SmallestPairs, universe: Universe, a: int, b: int) -> bool:
    """Whether a pair has a small hash, is counted and not a series."""
    small = hash_of_pair(a, b) <= drawn.bound[0]
    return bool(small and is_inside(universe, a, b) and not is_series(universe, a, b))


@inlined
def _are_far(published: DatedSources, far: int, a: int, b: int) -> bool:
    source, other = published.sources[a], published.sources[b]
    known = published.dated[a] & published.dated[b] & (source >= 0) & (other >= 0)
    return bool(known and source != other and abs(published.times[a] - published.times[b]) > far)


@inlined
def _link(links: GradedLinks, asks: int, answers: int) -> int:
    """Place of a directed link, -1 if there is none."""
    end = links.indptr[asks + 1]
    place = first_not_below(links.indices, links.indptr[asks], end, answers)
    return place if place < end and links.indices[place] == answers else -1


@inlined
def _grade(links: GradedLinks, asks: int, answers: int) -> int:
    """Grade of a directed link; 0 if there is no link."""
    place = _link(links, asks, answers)
    return signed(links.grades[place]) if place >= 0 else 0


@inlined
def _holds(links: GradedLinks, found: Uint8s, least: int, step: int, asks: int, answers: int) -> bool:
    """Whether a document finds enough key terms in another for a candidate, with a link at a step."""
    place = _link(links, asks, answers)
    return bool(place >= 0 and found[place] >= least and links.grades[place] >= step)


@compiled
def draw_pairs(
    links: GradedLinks,
    found: Uint8s,
    universe: Universe,
    languages: Uint8s,
    published: DatedSources,
    least: int,
    step: int,
    far_apart: int,
    first: int,
    last: int,
    drawn: SmallestPairs,
    linked: SmallestPairs,
    far: SmallestPairs,
) -> None:
    """Draw pairs within one language, found in the rows from ``first`` to ``last`` - 1.

    A pair belongs to the row of its earlier document if the count there is large enough, otherwise to the other row.

    ``links``: all links; ``found``: key terms that each finds; ``universe``: which pairs are drawn from, series
    excepted; ``languages``: (documents,); ``published``: sources and dates; ``least``: minimum count, in either
    direction, of a candidate; ``step``: minimum grade, in both directions, of a link that is checked; ``far_apart``:
    microseconds above which two documents are far apart; ``first``: the first row; ``last``: the row after the last;
    ``drawn``: receives candidates; ``linked``: receives candidates that have ``least`` terms in both directions and are
    linked at ``step``; ``far``: receives such links between different sources, far apart, inside or outside the
    universe.
    """
    for row in range(first, last):
        for at in range(links.indptr[row], links.indptr[row + 1]):
            other = signed(links.indices[at])
            if found[at] < least or languages[row] != languages[other]:
                continue
            if other < row:
                # Most pairs are in both rows, and few have a small hash.
                if _may_draw(drawn, universe, other, row) and not _holds(links, found, least, 0, other, row):
                    _add(drawn, other, row)
                continue
            if _may_draw(drawn, universe, row, other):
                _add(drawn, row, other)
            if links.grades[at] >= step:
                if _are_far(published, far_apart, row, other) and _holds(links, found, least, step, other, row):
                    _add(far, row, other)
                if _may_draw(linked, universe, row, other) and _holds(links, found, least, step, other, row):
                    _add(linked, row, other)


# Count links and copies by grade: once for the collection itself, and once for each resample of its documents.
#
# The grade of a pair is the largest k at which both documents are linked to each other. In a resample, each document
# has a multiplicity (Poisson with mean 1), and a pair counts as often as the product of its two multiplicities.


def _take_answers(links: GradedLinks, first: int, last: int, fill: Ints, answers: Table[np.int32]) -> None:
    """Write the later document and the grade of each link from later documents to ``first`` .. ``last`` - 1.

    ``fill``: where the links to each of them begin in ``answers``; afterwards where they end, ascending in each row;
    ``answers``: (links, 2); without rows, the links are only counted.
    """
    for b in range(first + 1, links.indptr.size - 1):
        end, upto = links.indptr[b + 1], min(last, b)
        at = first_not_below(links.indices, links.indptr[b], end, first)
        while at < end and links.indices[at] < upto:
            if links.grades[at] != 0:
                row = links.indices[at] - first
                if answers.shape[0] > 0:
                    answers[fill[row], 0], answers[fill[row], 1] = b, links.grades[at]
                fill[row] += 1
            at += 1


@compiled
def count_linked_pairs(
    links: GradedLinks,
    universe: Universe,
    languages: Uint8s,
    first: int,
    last: int,
    counts: Cube[np.int64],
    picked: FoundPairs,
) -> None:
    """Count the pairs of the universe that are linked both ways, and keep those outside a series.

    Looking every link up in the row of its answer would wait for memory each time, so the links of later documents to
    the earlier ones are gathered by the earlier one first.

    ``links``: all links; ``universe``: which pairs are counted; ``languages``: (documents,), language of each document;
    ``first``: the first of the earlier documents; ``last``: the document after the last of them; ``counts``: (2, 2,
    grades + 1); the number of pairs by series, language crossing, grade is added; ``picked``: receives the pairs with
    their grades, or a sample of them; its arrays hold at least one.
    """
    heads = np.zeros(last - first + 1, dtype=np.int64)
    _take_answers(links, first, last, heads[1:], np.empty((0, 2), dtype=np.int32))
    for row in range(heads.size - 1):
        heads[row + 1] += heads[row]
    answers = np.empty((heads[-1], 2), dtype=np.int32)
    _take_answers(links, first, last, heads[:-1].copy(), answers)
    for a in range(first, last):
        back, stop, end = heads[a - first], heads[a - first + 1], links.indptr[a + 1]
        at = first_not_below(links.indices, links.indptr[a], end, a + 1)
        while at < end and back < stop:
            b, answer = signed(links.indices[at]), signed(answers[back, 0])
            grade = min(signed(links.grades[at]), signed(answers[back, 1]))
            if b == answer and grade > 0 and is_inside(universe, a, b):
                series = is_series(universe, a, b)
                counts[signed(series), signed(languages[a] != languages[b]), grade] += 1
                if not series:
                    _keep(picked, a, b, grade, grade)
            at += b <= answer
            back += answer <= b


@compiled
def grades_of_pairs(links: GradedLinks, a: Ints, b: Ints, found: Uint8s) -> None:
    """Write the grade of each pair: the smaller of its two directions."""
    for pair in range(a.size):
        forward = _grade(links, a[pair], b[pair])
        found[pair] = min(forward, _grade(links, b[pair], a[pair])) if forward else 0


@compiled
def count_drawn(a: Ints, b: Ints, grades: Uint8s, drawn: Table[np.uint8], counts: Table[np.int64]) -> None:
    """Count pairs by grade in each resample.

    ``a``: (pairs,), ordinals; ``b``: (pairs,), ordinals; ``grades``: (pairs,), 0 for pairs that are not linked;
    ``drawn``: (documents, draws), multiplicity of each document in each resample; ``counts``: (grades + 1, draws),
    zeros; receives the pairs.
    """
    for pair in range(a.size):
        # No multiplicity exceeds 8, so a product fits in a byte.
        grade, one, other = grades[pair], a[pair], b[pair]
        for draw in range(drawn.shape[1]):
            counts[grade, draw] += drawn[one, draw] * drawn[other, draw]
