"""Matching sentences chained into passages: by hand, and against all chains tried."""

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.passages.passage_runs import NEAR, REPEATS, Chains, find_chains, index_bags, matched
from infostream_dedup.judging.passages.passage_table import passage_table
from infostream_dedup.judging.passages.sentence_table import read_sentences, sentence_feature
from infostream_dedup.judging.passages.settings import PassageSettings

LOOSE = PassageSettings(min_words=1, min_run=0)


def _text(letters, size=lambda letter: 2):
    """A sentence for each letter: a word of it, written several times."""
    return " ".join(" ".join([f"{letter}oo"] * size(letter)).capitalize() + "." for letter in letters)


def _table(documents, settings=LOOSE, times=None, size=lambda letter: 2):
    table = read_sentences([_text(letters, size) for letters in documents], ["en"] * len(documents))
    assert table.first.tolist() == np.concatenate(([0], np.cumsum([len(letters) for letters in documents]))).tolist()
    classes = matched(index_bags(sentence_feature("exact").bags(table)), 1.0)
    times = None if times is None else np.array(times, dtype=np.int64)
    return passage_table(table, classes, settings, ids=[str(number) for number in range(len(documents))], times=times)


def _sides(found):
    """Of each passage: a, b, its places in a, its places in b, counted within the documents."""
    first = found.sentences.first
    sides = []
    for number, (a, b) in enumerate(found.rows[:, :2].tolist()):
        matches = found.matches[found.first_match[number] : found.first_match[number + 1]]
        sides.append((a, b, (matches[:, 0] - first[a]).tolist(), (matches[:, 1] - first[b]).tolist()))
    return sides


def test_a_run_of_sentences_is_one_passage():
    found = _table(["abcd", "xbcy"])
    assert _sides(found) == [(0, 1, [1, 2], [1, 2])]
    pair = next(found.document_pairs())
    assert (pair.coverage_a, pair.coverage_b, pair.sentences) == (0.5, 0.5, 2)
    passage = pair.passages[0]
    assert (passage.sentences, passage.words) == (2, 4)
    assert _text("abcd")[passage.start_a : passage.end_a] == _text("bc")
    assert _text("xbcy")[passage.start_b : passage.end_b] == _text("bc")


def test_a_gap_on_either_side():
    documents = ["abxcd", "abcyd"]
    assert _sides(_table(documents)) == [(0, 1, [0, 1, 3, 4], [0, 1, 2, 4])]
    assert _sides(_table(documents, LOOSE.but(gap=0))) == [(0, 1, [0, 1], [0, 1]), (0, 1, [3], [2]), (0, 1, [4], [4])]


def test_passages_in_another_order():
    assert _sides(_table(["abcdef", "defabc"])) == [(0, 1, [0, 1, 2], [3, 4, 5]), (0, 1, [3, 4, 5], [0, 1, 2])]


def test_short_passages_are_left_out():
    documents = ["abxxxxc", "abyyyyyc"]
    assert len(_table(documents)) == 2
    assert _sides(_table(documents, LOOSE.but(min_words=3))) == [(0, 1, [0, 1], [0, 1])]
    assert _sides(_table(documents, LOOSE.but(min_sentences=2))) == [(0, 1, [0, 1], [0, 1])]
    assert len(_table(documents, LOOSE.but(min_words=5))) == 0


def test_a_document_that_repeats_itself_is_not_a_copy_of_itself():
    assert len(_table(["abab"])) == 0


def test_equal_lines_are_covered_and_end():
    found = _table(["a" * 300, "b" + "a" * 300])
    assert _sides(found) == [(0, 1, list(range(300)), list(range(1, 301)))]
    found = _table(["a" * 3000, "b" + "a" * 3000])
    assert REPEATS <= found.rows[:, 6].sum() <= REPEATS + NEAR


def test_occurrences_far_from_each_other_do_not_match():
    # The only b behind a hundred a is the first b of both.
    found = _table(["a" * 100 + "b", "b" + "a" * 100], LOOSE.but(gap=0))
    assert [len(places) for _, _, places, _ in _sides(found)] == [100, 1]


def _plain_chains(sentences, classes, settings):
    rows: list[tuple[int, ...]] = []
    matches: list[tuple[int, int]] = []
    documents, lengths = sentences.documents.tolist(), sentences.lengths.tolist()
    for b in range(len(sentences.first) - 1):
        by_document: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for p, q in _points(sentences, classes, documents, b):
            by_document[documents[p]].append((p, q))
        for a, points in sorted(by_document.items()):
            for words, chain in _heaviest_chains(sorted(points), lengths, settings):
                first, last = chain[0], chain[-1]
                rows.append((a, b, first[0], last[0], first[1], last[1], len(chain), words))
                matches += chain
    return Chains(np.array(rows, dtype=np.int64).reshape(-1, 8), np.array(matches, dtype=np.int64).reshape(-1, 2))


def _points(sentences, classes, documents: list[int], document: int) -> list[tuple[int, int]]:
    """Match the sentences of a document with those of earlier documents."""
    times_seen: defaultdict[int, int] = defaultdict(int)
    points: list[tuple[int, int]] = []
    for sentence in range(int(sentences.first[document]), int(sentences.first[document + 1])):
        own = int(classes.class_of[sentence])
        if own < 0:
            continue
        times_seen[own] += 1
        if times_seen[own] > REPEATS:
            continue
        for number in (own, *classes.alike.row(own).tolist()):
            before, repeats = -1, 0
            for other in classes.members.row(number).tolist():
                if documents[other] >= document:
                    break
                repeats = repeats + 1 if documents[other] == before else 1
                before = documents[other]
                if abs(repeats - times_seen[own]) <= NEAR:
                    points.append((other, sentence))
    return points


def _heaviest_chains(points: list[tuple[int, int]], lengths: list[int], settings):
    """Take the heaviest chain, remove its sentences, and so on."""
    chains: list[tuple[int, list[tuple[int, int]]]] = []
    while points:
        words, chain = _heaviest_chain(points, lengths, settings.gap)
        if words < settings.min_words:
            break
        taken_p, taken_q = {p for p, _ in chain}, {q for _, q in chain}
        points = [(p, q) for p, q in points if p not in taken_p and q not in taken_q]
        if len(chain) >= settings.min_sentences:
            chains.append((words, chain))
    return chains


def _heaviest_chain(points: list[tuple[int, int]], lengths: list[int], gap: int) -> tuple[int, list[tuple[int, int]]]:
    scores: list[int] = []
    previous: list[int] = []
    best = -1
    for place, (p, q) in enumerate(points):
        weight = min(lengths[p], lengths[q])
        score, before = weight, -1
        earlier = place - 1
        while earlier >= 0 and p - points[earlier][0] <= gap + 1:
            step = q - points[earlier][1]
            if points[earlier][0] < p and 0 < step <= gap + 1 and scores[earlier] + weight > score:
                score, before = scores[earlier] + weight, earlier
            earlier -= 1
        scores.append(score)
        previous.append(before)
        if best < 0 or score > scores[best]:
            best = place
    chain: list[tuple[int, int]] = []
    at = best
    while at >= 0:
        chain.append(points[at])
        at = previous[at]
    return scores[best], chain[::-1]


@given(st.lists(st.text("abcde", max_size=9), max_size=4), st.integers(0, 2), st.integers(1, 3))
def test_plain_and_compiled_chains_are_equal(documents, gap, min_sentences):
    table = read_sentences([_text(letters) for letters in documents], ["en"] * len(documents))
    settings = LOOSE.but(gap=gap, min_sentences=min_sentences)
    for tau in (1.0, 0.4):
        classes = matched(index_bags(sentence_feature("shingles:w=1").bags(table)), tau)
        plain, compiled = _plain_chains(table, classes, settings), find_chains(table, classes, settings)
        assert plain.rows.tolist() == compiled.rows.tolist()
        assert plain.matches.tolist() == compiled.matches.tolist()


def _best(points, weights, gap):
    best = {}
    for p, q in sorted(points):
        before = [best[other] for other in best if 0 < p - other[0] <= gap + 1 and 0 < q - other[1] <= gap + 1]
        best[p, q] = weights[p, q] + max(before, default=0)
    return max(best.values(), default=0)


@given(st.text("abcd", max_size=9), st.text("abcd", max_size=9), st.integers(0, 2), st.integers(1, 4))
def test_passages_are_heaviest_chains_of_what_is_left(one, other, gap, min_words):
    sizes = {"a": 1, "b": 2, "c": 3, "d": 5}
    found = _table([one, other], PassageSettings(min_words=min_words, gap=gap, min_run=0), size=sizes.__getitem__)
    points = {(p, q) for p in range(len(one)) for q in range(len(other)) if one[p] == other[q]}
    weights = {(p, q): sizes[one[p]] for p, q in points}
    by_weight = sorted(zip(found.rows[:, 7].tolist(), _sides(found), strict=True), key=lambda item: -item[0])
    for words, (_, _, places_a, places_b) in by_weight:
        matches = list(zip(places_a, places_b, strict=True))
        assert set(matches) <= points
        assert words == sum(weights[match] for match in matches) == _best(points, weights, gap)
        steps = [np.diff(side).tolist() for side in (places_a, places_b)]
        assert all(0 < step <= gap + 1 for side in steps for step in side)
        points = {(p, q) for p, q in points if p not in places_a and q not in places_b}
    assert _best(points, weights, gap) < min_words
