"""Texts around the figures of make_comparison.py, which fills in the numbers of sets."""

from __future__ import annotations

from typing import Final

__all__ = ["COMPARISON_TEXT", "CROSS_TEXT", "KEY_TERMS_TEXT", "ORDERINGS_TEXT", "TIMES_TEXT"]

COMPARISON_TEXT: Final = """\
Every method of the source papers with its defaults (`infostream-dedup compare`), and seven variants, on every labelled
set. Two protocols:

- **labels**, as in quality.md: listed pairs are true; where documents carry a family, every other linked pair of two
  families that are not kin is false. mdnews, slavictopics and tgpairs have no families: there only labelled pairs
  count, the negatives are easy, and a precision of 1.000 says little.
- **pool**, as in Zelenkov & Segalovich: the pairs that A0 to A10 find together, verified by String::Similarity >= .80;
  recall is against the verified pool. A pair outside of the pool counts as false, however alike the texts are; the
  column "alike" is the share of all pairs of a method whose texts are that similar.

`rule=forward` of key terms is directed: as pairs it counts a link in either direction. `n=30:score=share` is the
preset `best`. Shingles at `tau=0.05` and `w=2:tau=0.1` and the cosine at `tau=0.4` are thresholds of ours, picked on
these very sets because the defaults are made for copies; key terms use the k of their paper. `pair-model` was learned
from pairs of these very sets; with each set left out, it is much the same:
[quality.md](quality.md#kinds-and-statuses-of-pairs). Times are in
[speed.md](speed.md#what-the-methods-cost), all rows as data in [comparison.csv](comparison.csv), the published
orderings in [orderings.md](orderings.md)."""

CROSS_TEXT: Final = """\
F1 on translations between Russian and Ukrainian, both directions at k = 6. Methods that find no true pair are left out:
words, sentences and shingles of two languages do not meet; stems and lemmas do where both languages have one form."""

KEY_TERMS_TEXT: Final = """\
## How key terms compare

By labels, with every method at its default, key terms lead wherever a text was reworded (all of wmt,
tgpairs, the partial copies of mdnews): fingerprints, sentences and shingles at the thresholds of their papers recall
almost nothing there. Where a text was copied and edited (uagec, the reprints of mdnews and slavictopics) others are
level or above, inside or at the end of our interval of 95 %.

That lead is one of thresholds, not of principle. **All 3-shingles at a resemblance of .05, or all 2-shingles at .10,
beat our default on eight of the eleven sets, on wmt mostly by more than our interval; the 2-shingles beat the preset
`best` there too.** The cosine at .4 is above our default on five. Two renderings of one text keep a twentieth of their
shingles, two reports about one case do not: the wording of a whole text says more than the 12 terms of its topic. (On
mdnews the labels are themselves shared 5-grams, which helps shingles; and partial copies ask for a direction: there
`rule=forward` has .923.) Only where no wording is shared (tgpairs, the same story by other authors) do key terms keep a
clear lead, .80 against .62 at the best of those thresholds. What shingles cost for it: 2,700 bytes a document instead
of 48 (113 for `best`), work that grows faster with the collection ([speed.md](speed.md#what-the-methods-cost)), no
direction, no reason that a reader understands, no other language.

What would close the gap:

- **more terms and their weights**: the preset `best` (30 terms, share of weight) takes back half of the distance and
  more on uagec and wmt; on slavictopics, where one topic fills the collection, it loses;
- **wording as a second look**: key terms find the candidates, and the share of common shingles of the pairs found (some
  thousands, not all documents) confirms them. SpotSigs on slavictopics shows the same: two independent reports share
  the words of their topic, not the wording of their prose.

What the pool protocol adds: on mdnews most pairs that key terms link at k = 6 are not copies at all (column "alike"):
daily exchange rates, weather, weekly surveys, all of one template and of one vocabulary. No labelled pair says so, and
no choice of k cures it. So for *copies* key terms are a filter of near-perfect recall (column R of the pool tables) at
48 bytes a document, and a second look at the linked pairs would close the gap: their numbers and dates (two texts of
one template differ in them), a window of a few days, or plainly the String::Similarity of the pairs found."""

TIMES_TEXT: Final = """\
Times differ from run to run, and this machine had other work beside. Every method is timed for itself, after a first
run on 20 documents that loads its dictionaries; what they share of the texts (words, sentences, frequencies, surfaces)
is read beforehand. "Growth" is the exponent e of n^e in the number of documents, from all documents and their first
half: 1 for work that grows with the documents; a method whose number of pairs grows faster than the documents is above.
Bytes are those of the signatures alone."""

ORDERINGS_TEXT: Final = {
    "opening": """\
The papers measured on other corpora (Zelenkov & Segalovich: some 500,000 Web documents of ROMIP; Chala & Popadenko:
method guides of a library; Yu et al.: sentences of ClueWeb), so only orders and ratios can be compared. Below, each
published ordering by both protocols of [comparison.md](comparison.md); the pool of tgpairs has too few pairs and is
left out. The reasons given are our reading of the figures.""",
    "recall": """\
On natural reprints (mdnews dup) it holds; on all other sets TF*RIDF or TF recalls more, and on some most methods of six
words do. Both its sentences must be equal to the letter. A Web page that was copied in 2007 got
another frame but kept its longest sentences; a text that is corrected (uagec) or retold (wmt, tgpairs) changes inside
its sentences, while its six most significant words mostly stay.""",
    "precision": """\
By labels hardly any method of A0 to A10 makes an error, and "best precision" is a tie. By the pool it holds for MD5,
and, except for a few pairs of wmt, for Lex Rand. It does not hold for Log Shingles. Its samples are nested, so
that they often come down to a few shingles: two articles that share paragraphs of background, or two days of one
template, can agree in all of them. The Web documents of the paper were longer.""",
    "three-plus-five": """\
It holds on ntrex and mdnews by labels. Elsewhere TF*RIDF is above, mostly by recall: "3+5" too builds on equal
sentences, and asks for lengths within 15 % besides. Its recall of .96 was measured in a pool of methods that find
equal wording. It improves on Long Sent, its predecessor, on all sets except slavictopics.""",
    "n": """\
It holds wherever there is something to gain: recall falls on every set, and precision and the share of alike pairs rise
wherever they are below 1. By labels both are free of errors, so that N = 3 only loses.""",
    "three-plus-two": """\
In F it holds on nearly all sets. But the paper says +1.3 % precision and -.4 % recall, and here it is mostly the other
way round. The sentences with frequent words survive more edits than the longest ones: recall gains. Precision by the
pool falls, on uagec because its additional pairs are outside the pool (they are alike all the same), on wmt and
slavictopics because fewer of them are alike.""",
    "low-idf": """\
In F it mostly holds: where the gap is wider than .02 Low-IDF-Sig has the lower recall. (The paper measured sentences; a
document has more features, and every edit costs some.) The third holds for Russian and Ukrainian; where most documents
are English (wmt, ntrex) the 50 most frequent words make up more of a text, and it is .35 to .38. The other two of that
paper are the other way round: it prints I-Match (.877) above SpotSigs (.764), and here SpotSigs is far above by
labels: one changed word of middle frequency changes the only fingerprint of I-Match, and a document has more spots than
a sentence. By the pool of mdnews SpotSigs is lower, for it also links the lists of streets of daily power cuts.""",
    "decomposition": """\
True of copies with few edits (uagec, ntrex). It requires a String::Similarity of .85, so it cannot find texts that were
retold (wmt, tgpairs) or are part of a longer text (mdnews, slavictopics); what it finds by that measure is right by
definition.""",
    "order": """\
Spearman's correlation of our figures with those of Zelenkov & Segalovich: F, recall and precision of the eleven
methods, and the 28 Dice coefficients of their table 4 (a dash where all of ours are equal). The order of the methods
agrees moderately; which methods find the same pairs agrees hardly at all. (In their table Lex Rand is contained in
TF, at the limit of what its numbers allow; this is not to be expected again.)""",
    "closing": """\
## Checked elsewhere

- S and T rise with k within one language, and S across languages falls: [sweeps.md](sweeps.md).
- Megashingles match with probability .291, .495, .729 at p = .75, .80, .85, not .33, .42, .50 as printed: by simulation
  in `tests/features/test_shingles_and_samples.py`.
- The features of the example sentence of Low-IDF-Sig: `tests/features/test_chains_of_words.py`.
- The partitions and bounds of SpotSigs miss no pair that trying all pairs finds: `tests/features/test_joins.py`.
- String::Similarity is 2 LCS / (|a| + |b|): `tests/features/test_string_similarity.py`.""",
}
