"""Estimate quality at every step of a sweep, also by copies planted into the collection, and recommend one."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import UsageError
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.judging.evidence.pair_evidence import TripleRanges, key_rows
from infostream_dedup.lab.census import COPY_WORDING, LEAST_TOKENS, WINDOW_DAYS, Copies, CopyCensus, CountedPairs
from infostream_dedup.lab.copy_scores import BANDS, Bounds, CopyScores, Links, count_copies
from infostream_dedup.lab.duplicate_scores import (
    CHECKED_K,
    LOWEST_K,
    MOST_FAR,
    MOST_REFILLED,
    DuplicateEstimate,
    compare_candidates,
    draw_candidates,
    estimate_duplicates,
)
from infostream_dedup.links.measures import FEWEST_COPIES, Advice, Choice, KnownK, error_of_share, usual_k
from infostream_dedup.links.pair_rules import LEAST_NEED, count_grades, share_grades
from infostream_dedup.links.relation import LowLinks, survey
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, pattern_of
from infostream_dedup.machine.arrays import Ints, Uint8s
from infostream_dedup.machine.platform import trim_heap
from infostream_dedup.machine.progress import Phrase, Progress
from infostream_dedup.machine.scratch import row_blocks
from infostream_dedup.model import (
    LANGUAGES,
    Document,
    DocumentBlock,
    Language,
    Settings,
    single_documents,
    without_text,
)
from infostream_dedup.model.settings import SHOWN_DECIMALS
from infostream_dedup.runs.batch.collection import Collection, Weighable, collect
from infostream_dedup.runs.batch.linking import MOST_LINKS, SHARE_THRESHOLDS, Linked, LinkEstimate

if TYPE_CHECKING:
    from infostream_dedup.runs.sharded.disk_runner import DiskRun, LinkedRun
    from infostream_dedup.terms.key_terms import KeyTerms

_MOST_DISPUTED: Final = 1.0  # ``FitCheck.overall`` at which forms and copies are indistinguishable
_MOST_TOPICAL: Final = 0.75  # ``FitCheck.overall`` at which the classes are topics, not texts

_LEAST_ACCEPTED: Final = 0.75
"""Share of the links that the pair model must take for one text before it chooses k; on news streams it is lower."""


def known_k(copies: Sequence[CopyScores], estimate: DuplicateEstimate | None = None, *, n: int = 12) -> KnownK:
    """What the estimate, if it is reliable, or the pair model, and the count say about k.

    The count knows only copies. If most links are one text in other words, as the pair model tells, the count would
    raise k until only copies are linked; then the model's probabilities choose k. It must take three links in four for
    one text, and no sign may speak of topics, forms or old news, which the model takes for one text too. If the
    estimate is refused for too few candidates or links, no sign can be seen; the same share is enough there.
    """
    estimated, by_model = None, False
    if estimate is not None and estimate.code == "reliable":
        best = max((one for one in estimate.scores if one.step >= LOWEST_K), key=lambda one: (one.f1, -one.step))
        estimated = Choice(
            best.step, Phrase.of("estimated: F1 of the links as duplicates is greatest ({f1:.2f})", f1=best.f1)
        )
    elif estimate is not None and _retellings(estimate):
        estimated, by_model = _by_model(estimate, n), True
    counted, uncounted = _by_count([one for one in copies if one.step >= LOWEST_K], estimate, n)
    return KnownK(estimated=estimated, by_model=by_model, counted=counted, uncounted=uncounted)


def _retellings(estimate: DuplicateEstimate) -> bool:
    """Whether most links are one text, perhaps in other words, although the estimate is not reliable or is refused."""
    check = estimate.check
    near = check.far is None or check.far < MOST_FAR
    texts = near and check.refilled < MOST_REFILLED and check.overall < _MOST_TOPICAL
    return (estimate.code == "refused" or texts) and estimate.accepted >= _LEAST_ACCEPTED


def _by_model(estimate: DuplicateEstimate, n: int) -> Choice:
    lowest = max(LOWEST_K, estimate.lowest_step)
    # Several k may link the same pairs, above all in a small collection; more documents would tell them apart.
    usual = usual_k(n)
    f1, _, step = max((f1, -abs(step - usual), -step) for step, f1 in estimate.by_model.items() if step >= lowest)
    found = {"f1": f1, "share": 100 * estimate.accepted, "k": min(CHECKED_K, n)}
    why = Phrase.of(
        "estimated: F1 of the links as duplicates is greatest by the pair model ({f1:.2f}), which takes {share:.0f}"
        " % of them at k = {k} for one text; there are too few pairs for an estimate of their own"
        if estimate.code == "refused"
        else "estimated: F1 of the links as duplicates is greatest by the pair model ({f1:.2f}), which takes"
        " {share:.0f} % of them at k = {k} for one text; only some of these are copies",
        **found,
    )
    return Choice(-step, why)


def _by_count(found: Sequence[CopyScores], estimate: DuplicateEstimate | None, n: int) -> tuple[Choice | None, Phrase]:
    """The k with the greatest F1 of the links as copies, or why there is none."""
    few, copies = Phrase.of("copies were not counted"), found[0].copies if found else 0
    if found and copies < FEWEST_COPIES:
        few = Phrase.of(
            "{copies} copies, fewer than the {needed} that a choice needs", copies=copies, needed=FEWEST_COPIES
        )
    if copies < FEWEST_COPIES:
        return None, few
    if estimate is not None and estimate.code != "refused" and estimate.check.refilled >= MOST_REFILLED:
        return _without_forms(estimate)
    most = max(found, key=lambda one: (one.f1, -one.step))
    # Within one standard error of the best, the k nearest to the usual one (Breiman's rule).
    least = most.f1 - error_of_share(most.f1, most.copies)
    near = min((one for one in found if one.f1 >= least), key=lambda one: (abs(one.step - usual_k(n)), one.step))
    if near is most:
        reason = Phrase.of(
            "counted: F1 of the links as copies is greatest ({f1:.2f}; {copies} copies)", f1=most.f1, copies=most.copies
        )
    else:
        reason = Phrase.of(
            "counted: F1 of the links as copies ({f1:.2f}) cannot be told from the greatest ({most:.2f} at k = {best})"
            " by {copies} copies",
            f1=near.f1,
            most=most.f1,
            best=most.step,
            copies=most.copies,
        )
    return Choice(near.step, reason), few


def _without_forms(estimate: DuplicateEstimate) -> tuple[Choice | None, Phrase]:
    share = 100 * estimate.check.refilled
    why = Phrase.of(
        "{share:.0f} of 100 copies are forms with other numbers, so the count does not choose k", share=share
    )
    known = [
        (f1, -one.step)
        for one, f1 in zip(estimate.scores, estimate.without_forms, strict=True)
        if one.step >= max(LOWEST_K, estimate.lowest_step)
    ]
    if not known or estimate.not_forms < FEWEST_COPIES or estimate.check.overall >= _MOST_DISPUTED:
        return None, why
    f1, step = max(known)
    reason = Phrase.of(
        "counted: F1 of the links as copies other than forms is greatest ({f1:.2f}; {share:.0f} of 100 copies are forms"
        " with other numbers)",
        f1=f1,
        share=share,
    )
    return Choice(-step, reason), why


def said(
    representation: str,
    counted: CountedPairs,
    copies: Mapping[str, Sequence[CopyScores]],
    estimate: DuplicateEstimate,
    known: str,
    k: int,
) -> list[str]:
    """Make two sentences on the links at a k."""
    at_k = next((one for one in copies["all"] if one.step == k), None)
    if at_k is None:
        return []
    both = (_counted(at_k, counted), _estimated(estimate, at_k.step, known))
    return [Phrase.of("{representation}: {said}", representation=representation, said=one) for one in both]


def _counted(scores: CopyScores, counted: CountedPairs) -> Phrase:
    about = Phrase.of("all pairs; forms count as copies")
    if counted.windowed:
        about = Phrase.of(
            "pairs at most {days} days apart; {copies} of {links} links of series, left out here, are copies too"
            if scores.series_links
            else "pairs at most {days} days apart",
            days=WINDOW_DAYS,
            copies=scores.series_copies,
            links=scores.series_links,
        )
    k = scores.step
    if scores.precision is None:
        return Phrase.of(
            "no links between texts of {least} words or more at k = {k}; {copies} copies (counted: {about})",
            least=LEAST_TOKENS, k=k, copies=scores.copies, about=about,
        )  # fmt: skip
    share = _hundred(scores.precision)
    if scores.recall is None:
        return Phrase.of("{share} of 100 links at k = {k} are copies (counted: {about})", share=share, k=k, about=about)
    return Phrase.of(
        "{share} of 100 links at k = {k} are copies, {recall} of 100 copies are linked (counted: {about})",
        share=share,
        k=k,
        recall=_hundred(scores.recall),
        about=about,
    )


def _estimated(estimate: DuplicateEstimate, step: int, known: str) -> Phrase:
    links = Phrase.of("links inside languages" if known == "mono" else "links")
    scores = next((one for one in estimate.scores if one.step == step), None)
    if estimate.code == "refused" or scores is None or scores.precision is None or scores.model_precision is None:
        return Phrase.of("no estimate for texts in other words: {why}", why=estimate.check.reason)
    if estimate.code == "upper_bound":
        return Phrase.of(
            "probably at most {share} of 100 {links} at k = {k} are the same text, copied or reworded (model; no "
            "estimate: {why})",
            share=_hundred(scores.model_precision),
            links=links,
            k=step,
            why=estimate.check.reason,
        )
    low, high = scores.precision_bounds or (scores.precision, scores.precision)
    return Phrase.of(
        "about {share} of 100 {links} at k = {k} are the same text, copied or reworded, and {recall} of 100 such pairs "
        "are linked (estimated; precision {low:.2f} to {high:.2f})",
        share=_hundred(scores.precision),
        links=links,
        k=step,
        recall=_hundred(scores.recall or 0.0),
        low=low,
        high=high,
    )


def _hundred(share: float) -> int:
    return round(100 * share)


COLUMNS: Final = (
    "copies",
    *("copy_precision", "copy_precision_low", "copy_precision_high"),
    *("copy_recall", "copy_recall_low", "copy_recall_high"),
    *("precision", "recall", "f1", "precision_low", "precision_high", "recall_low", "recall_high"),
    *("reliable", "reliable_code"),
)
"""Columns added to a sweep."""

_KEY_TERMS: Final = 30
_CHECKED_SHARE: Final = SHARE_THRESHOLDS.index(0.4) + 1  # step of the share score at which links are checked


class SweepEstimator:
    """Counts the copies among links, once for all representations, and estimates the duplicates if possible."""

    def __init__(self, collection: Weighable, census: CopyCensus) -> None:
        self._collection = collection
        self._census = census

    def linked(
        self, key_terms: KeyTerms, matrix: SimilarityMatrix, settings: Settings, *, progress: Progress | None = None
    ) -> tuple[Links, CountedPairs, Copies, int]:
        """Links with grades; universe and copies of documents whose links are all stored; number of other documents."""
        counted, copies, few = _of_key_terms(
            self._census.counted, self._census.copies(progress), key_terms, matrix, settings
        )
        return Links.of(_grades(key_terms, matrix, settings)), counted, copies, few

    def estimate(
        self,
        key_terms: KeyTerms,
        matrix: SimilarityMatrix | None,
        settings: Settings,
        blocks: Sequence[str],
        *,
        progress: Progress | None = None,
    ) -> LinkEstimate:
        """As ``LinkEstimator.estimate``."""
        absent = dict.fromkeys(COLUMNS) | {"reliable": False, "reliable_code": "refused"}
        if matrix is None:
            note = "copies are not counted among links of large clusters of equal documents"
            return LinkEstimate({}, absent, {}, {}, lambda series, _: [f"{series}: {note}"])
        links, counted, copies, few = self.linked(key_terms, matrix, settings, progress=progress)
        shares = settings.score == "share"
        steps = range(1, len(SHARE_THRESHOLDS) + 1) if shares else range(matrix.k_min, settings.n + 1)
        scores = count_copies(links, copies, counted, key_terms.counts.languages, steps=steps)
        known = "mono" if "mono" in blocks else "all"
        estimate = self._duplicates(key_terms, matrix, links, settings, counted, steps)
        columns: dict[tuple[str, int], dict[str, Any]] = {}
        choices: dict[str, KnownK] = {}
        for block in blocks:
            estimated = estimate if block == known else None
            for place, one in enumerate(scores[block]):
                columns[block, one.step] = copy_columns(one) | _duplicate_columns(estimated, place)
            if not shares:
                # A link between languages is never a copy, however right it is, so links inside languages decide.
                across = KnownK(uncounted=Phrase.of("a translation is no copy, so the count of copies says nothing"))
                choices[block] = across if block == "cross" else known_k(scores[known], estimate, n=settings.n)
        summary = {
            "universe": {**counted.as_dict(), "few_terms": few},
            "copies": _summary(scores["all"], copies),
            "duplicates": {
                "block": known,
                "reliable_code": estimate.code,
                "check": estimate.check.as_dict(),
                "classes": None if estimate.fit is None else estimate.fit.as_dict(),
            },
        }

        def notes(series: str, k: int | None) -> list[str]:
            return [] if k is None else said(series, counted, scores, estimate, known, k)

        return LinkEstimate(columns, absent, choices, summary, notes)

    def forget(self) -> None:
        """As ``LinkEstimator.forget``."""
        del self._census
        trim_heap()

    def advice(
        self, linked: Linked, documents: Ints | None = None, *, cross: bool = False, way: str | int = "auto"
    ) -> Advice:
        """As ``KChooser.advice``."""
        census = self._census if documents is None else self._census.part(documents)
        part = SweepEstimator(self._collection, census)
        languages = linked.key_terms.counts.languages
        shown = languages if documents is None else languages[documents]
        apart = len(np.unique(shown)) > 1 and (cross or linked.key_terms.pivot is not None)
        blocks = ("all", "mono", "cross") if apart else ("all",)
        found = part.estimate(linked.key_terms, linked.matrix, linked.settings, blocks)
        relation = LowLinks(linked.relation(documents), exact=False)
        surveyed = survey(relation, n=linked.settings.n, labels=shown if apart else None, known=found.known, way=way)
        return surveyed.advice["cross" if cross and apart else "all"]

    def _duplicates(
        self,
        key_terms: KeyTerms,
        matrix: SimilarityMatrix,
        links: Links,
        settings: Settings,
        counted: CountedPairs,
        steps: Sequence[int],
    ) -> DuplicateEstimate:
        checked_step = _CHECKED_SHARE if settings.score == "share" else min(CHECKED_K, settings.n)
        drawn = draw_candidates(
            matrix,
            links,
            facts=self._census.facts,
            universe=counted.universe,
            languages=key_terms.counts.languages,
            checked_step=checked_step,
        )
        thirty = self._collection.key_terms_of(settings.but(n=_KEY_TERMS), drawn.documents(), key_terms)
        candidates = compare_candidates(
            drawn,
            links,
            key_rows(thirty.keys, thirty.targets),
            records=self._census.records,
            wording=self._census.wording,
            facts=self._census.facts,
            checked_step=checked_step,
            lowest_step=1 if settings.score == "share" else LOWEST_K,
        )
        return estimate_duplicates(candidates, steps=steps)


def _grades(key_terms: KeyTerms, matrix: SimilarityMatrix, settings: Settings) -> Any:
    if settings.score == "share" and matrix.matched is not None:
        return share_grades(
            matrix.counts,
            matrix.matched,
            key_terms.own_weights,
            thresholds=SHARE_THRESHOLDS,
            min_terms=settings.min_terms,
        )
    return count_grades(matrix.counts, key_terms.sizes, n=settings.n, short=settings.short)


def _of_key_terms(
    counted: CountedPairs, copies: Copies, key_terms: KeyTerms, matrix: SimilarityMatrix, settings: Settings
) -> tuple[CountedPairs, Copies, int]:
    """Leave out documents of fewer than n key terms, whose links a matrix may not store; count them."""
    if settings.score == "share" or settings.short == "strict" or matrix.k_min <= LEAST_NEED:
        return counted, copies, 0
    whole = key_terms.sizes >= settings.n
    few = int((counted.universe.counted & ~whole).sum())
    kept = whole[copies.a] & whole[copies.b]
    universe = counted.universe._replace(counted=np.asarray(counted.universe.counted & whole))
    return replace(counted, universe=universe), copies.at(kept), few


def copy_columns(scores: CopyScores) -> dict[str, Any]:
    """The columns ``copies`` to ``copy_recall_high`` of one step."""
    precision = figures_of("copy_precision", scores.precision, scores.precision_bounds)
    return {"copies": scores.copies, **precision, **figures_of("copy_recall", scores.recall, scores.recall_bounds)}


def figures_of(name: str, value: float | None, bounds: Bounds | None) -> dict[str, float | None]:
    """The columns of a share and of its interval."""
    low, high = bounds or (None, None)
    return {name: _rounded(value), f"{name}_low": _rounded(low), f"{name}_high": _rounded(high)}


def _duplicate_columns(estimate: DuplicateEstimate | None, place: int) -> dict[str, Any]:
    """Columns of the estimate at a step, given its index; for a block without an estimate, the columns of a refusal."""
    found: dict[str, Any] = dict.fromkeys(COLUMNS[COLUMNS.index("precision") :])
    code = "refused" if estimate is None else estimate.code
    found |= {"reliable": code == "reliable", "reliable_code": code}
    if estimate is None or code == "refused":
        return found
    scores = estimate.scores[place]
    if scores.step < estimate.lowest_step:
        # Pairs with fewer common terms are not candidates.
        return found | {"reliable": False, "reliable_code": "refused"}
    if code == "upper_bound":
        return found | {"precision_high": _rounded(scores.model_precision)}
    found |= figures_of("precision", scores.precision, scores.precision_bounds)
    found |= figures_of("recall", scores.recall, scores.recall_bounds)
    return found | {"f1": None if scores.precision is None else _rounded(scores.f1)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, SHOWN_DECIMALS)


def _summary(scores: Sequence[CopyScores], copies: Copies) -> Mapping[str, Any]:
    bands = [f"{low}-{high}" for low, high in BANDS]
    steps = [
        {
            **{name: getattr(one, name) for name in ("step", "links", "linked_copies")},
            "recall_by_wording": dict(zip(bands, map(_rounded, one.bands), strict=True)),
            **{name: getattr(one, name) for name in ("series_links", "series_copies")},
        }
        for one in scores
    ]
    counts = {"pairs": copies.total, "sampled": copies.sampled, "series": copies.series}
    return {"wording": COPY_WORDING, **counts, "steps": steps}


_PAIRS_AT_ONCE: Final = 1_000_000
_DOCUMENT_BYTES: Final = 3_000
_CHARACTER_BYTES: Final = 2
"""Of memory: evidence and key terms of a document, and the index of its word triples for each of its characters."""


@dataclass(frozen=True, slots=True)
class _FolderCollection:
    """A collection in a work folder, as the estimator needs it."""

    linked: LinkedRun
    documents: list[Document]
    languages: list[Language]

    def __len__(self) -> int:
        return len(self.documents)

    def key_terms(self, settings: Settings) -> KeyTerms:
        from infostream_dedup.runs.sharded.pairing import all_key_terms

        run = self.linked if settings == self.linked.settings else self.linked.with_settings(settings)
        return all_key_terms(run)

    def key_terms_of(self, settings: Settings, documents: Ints, _all_terms: KeyTerms, /) -> KeyTerms:
        return self.key_terms(settings).of(documents)


class DiskEstimator:
    """Collects the evidence of documents while a run reads them, and estimates its links; evidence stays in memory."""

    def __init__(self) -> None:
        self._documents: list[Document] = []
        self._ranges = TripleRanges()
        self._reader = EvidenceReader(ranges=self._ranges)
        self._read = False
        self._census: CopyCensus | None = None

    def take(self, document: Document | DocumentBlock) -> None:
        """Take the evidence of a document."""
        self._reader.take(document)

    def watching(self, run: DiskRun) -> DiskRun:
        """Return the run with a source that also tells this estimator about documents."""
        read = run.source.read
        return replace(run, source=replace(run.source, read=lambda: self._watched(read, run.plan.memory)))

    def _watched(self, read: Callable[[], Iterable[Document | DocumentBlock]], memory: int) -> Iterator[Document]:
        self._ranges.close()
        self._documents, self._ranges, needed = [], TripleRanges(), 0
        self._reader = EvidenceReader(ranges=self._ranges)
        for document in chain.from_iterable(map(single_documents, read())):
            needed += _DOCUMENT_BYTES + _CHARACTER_BYTES * len(document.text)
            if needed > memory:
                raise UsageError(
                    f"the evidence of these documents does not fit into {memory / 1e9:.1f} GB: give more (--memory),"
                    " or leave out estimate (--estimate)"
                )
            self._documents.append(without_text(document))
            yield document
        self._read = True

    def estimate(self, linked: LinkedRun, blocks: Sequence[str] = ("all",)) -> LinkEstimate:
        """Estimate the links of one representation, as ``LinkEstimator.estimate``."""
        from infostream_dedup.runs.sharded.pairing import all_key_terms

        if not self._read:
            for _ in linked.run.source.read():
                pass
        key_terms = all_key_terms(linked)
        languages = [LANGUAGES[number] for number in key_terms.counts.languages.tolist()]
        if self._census is None:
            self._census = CopyCensus(self._documents, self._reader.finish(languages), ranges=self._ranges)
        found = SweepEstimator(_FolderCollection(linked, self._documents, languages), self._census)
        return found.estimate(key_terms, _matrix(linked), linked.settings, blocks, progress=linked.run.progress)


def _matrix(linked: LinkedRun) -> SimilarityMatrix | None:
    """All stored links, written out; ``None`` if there are too many."""
    from infostream_dedup.runs.sharded.pairing import paired

    least, node_of = linked.least_k, linked.nodes.node_of
    finder = paired(linked, least)
    work = finder.work(whole=True)[node_of]
    if int(work.sum()) > MOST_LINKS:
        return None
    ones, others, counts = [], [], []
    for block in row_blocks(work, _PAIRS_AT_ONCE):
        pairs = finder.later(np.arange(block.start, min(block.stop, len(node_of)), dtype=np.int64))
        for a, b, count in ((pairs.a, pairs.b, pairs.forward), (pairs.b, pairs.a, pairs.backward)):
            stored = count >= least
            ones.append(a[stored].astype(np.int32))
            others.append(b[stored].astype(np.int32))
            counts.append(count[stored].astype(np.uint8))
    empty = np.zeros(0, dtype=np.int32)
    rows, columns = np.concatenate([empty, *ones]), np.concatenate([empty, *others])
    values = np.concatenate([empty.astype(np.uint8), *counts])
    matrix = sp.csr_array(sp.coo_array((values, (rows, columns)), shape=(len(node_of), len(node_of))))
    matrix.sum_duplicates()
    return SimilarityMatrix(matrix, linked.settings.n, least)


Edit = Literal["cuts", "additions", "word forms", "numbers", "all"]

EDITS: Final[tuple[Edit, ...]] = ("cuts", "additions", "word forms", "numbers", "all")
"""``cuts``: sentences are left out; ``additions``: sentences of other documents are inserted; ``word forms``: words are
replaced by others of the collection that begin alike; ``numbers``: numbers are replaced; ``all``: all of these."""

_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|\n+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r"\d+")
_OPENING: Final = 5  # number of first letters that forms of a word have in common
_SHORTEST: Final = 6


class Vocabulary:
    """Words and sentences of a collection, for editing its texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        forms: dict[str, set[str]] = defaultdict(set)
        self.sentences: list[str] = []
        for text in texts:
            for word in _WORD.findall(text.lower()):
                if len(word) >= _SHORTEST:
                    forms[word[:_OPENING]].add(word)
            self.sentences.extend(sentences_of(text))
        self._forms: Mapping[str, Sequence[str]] = {opening: sorted(words) for opening, words in forms.items()}

    def another_form(self, word: str, random: Random) -> str:
        """Another word that begins alike, in the same letter case; the word itself if no other does."""
        known = self._forms.get(word[:_OPENING].lower(), ())
        others = [one for one in known if one != word.lower()] if len(word) >= _SHORTEST else []
        if not others:
            return word
        found = random.choice(others)
        return found.capitalize() if word[0].isupper() else found


def sentences_of(text: str) -> list[str]:
    """Split a text into sentences, roughly: at line ends and at spaces after a full stop."""
    return [one for one in _SENTENCE.split(text) if one.strip()]


def edited(document: Document, edit: Edit, rate: float, vocabulary: Vocabulary, random: Random) -> Document:
    """Copy a document with changes in its text; in the title, if there is one, only word forms change."""
    sentences = sentences_of(document.text)
    if edit in ("cuts", "all"):
        sentences = [one for one in sentences if random.random() >= rate] or sentences[:1]
    if edit in ("additions", "all") and vocabulary.sentences:
        kept, sentences = sentences, []
        for one in kept:
            sentences.append(one)
            if random.random() < rate:
                sentences.append(random.choice(vocabulary.sentences))
    text, title = " ".join(sentences), document.title
    if edit in ("word forms", "all"):
        text, title = (
            _replaced(_WORD, one, rate, random, lambda word: vocabulary.another_form(word, random))
            for one in (text, title)
        )
    if edit in ("numbers", "all"):
        text = _replaced(_NUMBER, text, rate, random, lambda number: _another_number(number, random))
    return replace(document, text=text, title=title)


def _replaced(pattern: re.Pattern[str], text: str, rate: float, random: Random, another: Callable[[str], str]) -> str:
    return pattern.sub(lambda found: another(found[0]) if random.random() < rate else found[0], text)


def _another_number(number: str, random: Random) -> str:
    """A random number with the same number of digits."""
    return str(random.randrange(1, 10)) + "".join(str(random.randrange(10)) for _ in number[1:])


RATES: Final = (0.1, 0.3, 0.5)  # share of the sentences, words or numbers that are changed
MOST_OF_A_KIND: Final = 100  # copies in one language with one kind of edit at one rate
_SEED: Final = 21
_FOR_WORDS: Final = 1000
_NORMAL: Final = 1.959964


@dataclass(frozen=True, slots=True)
class PlantedCollection:
    """A collection with edited copies of some of its documents."""

    collection: Collection  # the documents, then the copies
    originals: Ints  # int64 (copies,), ordinal of the original of each copy
    kinds: list[tuple[Language, Edit, float]]  # language, edit and rate of each copy

    @classmethod
    def of(
        cls, documents: Sequence[Document], languages: Sequence[Language], *, progress: Progress | None = None
    ) -> PlantedCollection:
        """Plant copies: one of each sampled document, at most ``MOST_OF_A_KIND`` of a kind."""
        random = Random(_SEED)  # noqa: S311
        every = [(edit, rate) for edit in EDITS for rate in RATES]
        copies: list[Document] = []
        originals: list[int] = []
        kinds: list[tuple[Language, Edit, float]] = []
        for language in sorted(set(languages)):
            long_enough = [
                number
                for number, one in enumerate(documents)
                if languages[number] == language and len(one.text.split()) >= LEAST_TOKENS
            ]
            drawn = random.sample(long_enough, min(len(long_enough), MOST_OF_A_KIND * len(every)))
            vocabulary = Vocabulary(documents[number].text for number in drawn[:_FOR_WORDS])
            for place, number in enumerate(drawn):
                edit, rate = every[place % len(every)]
                one = replace(documents[number], lang=language)
                copies.append(replace(edited(one, edit, rate, vocabulary, random), id=f"copy of {one.id}"))
                originals.append(number)
                kinds.append((language, edit, rate))
        collection = collect([*documents, *copies], hashes=False, progress=progress)
        return cls(collection, np.array(originals, dtype=np.int64), kinds)

    def recovered(self, settings: Settings, ks: Sequence[int] | None = None) -> list[dict[str, Any]]:
        """Rows ``representation, language, edit, rate, copies, k, recovered, low, high``."""
        # ``recovered`` is the share of the copies that are linked to their original both ways at k (``need(k)``);
        # ``low`` and ``high`` are its 95 % interval (Wilson, Journal of the American Statistical Association 22, 1927).
        grades = self._grades(self.collection.key_terms(settings), settings)
        rows: list[dict[str, Any]] = []
        for kind in dict.fromkeys(self.kinds):
            of_kind = grades[[one == kind for one in self.kinds]]
            language, edit, rate = kind
            for k in range(1, settings.n + 1) if ks is None else ks:
                found = int((of_kind >= k).sum())
                low, high = _wilson(found, len(of_kind))
                row = {"representation": settings.representation, "language": language, "edit": edit, "rate": rate}
                shares = {"recovered": found / len(of_kind), "low": low, "high": high}
                shown = {name: round(share, SHOWN_DECIMALS) for name, share in shares.items()}
                rows.append(row | {"copies": len(of_kind), "k": k} | shown)
        return sorted(rows, key=lambda row: (row["language"], EDITS.index(row["edit"]), row["rate"], row["k"]))

    def _grades(self, key_terms: KeyTerms, settings: Settings) -> Uint8s:
        """Largest k at which each copy and its original are linked both ways: uint8 (copies,)."""
        documents = len(self.collection)
        copies = np.arange(documents - len(self.originals), documents)
        asking = np.concatenate([self.originals, copies])
        answering = np.concatenate([copies, self.originals])
        keys, targets = (one[rows] for one, rows in ((key_terms.keys, asking), (key_terms.targets, answering)))
        met = pattern_of(keys).multiply(pattern_of(targets))
        shared = np.asarray(met.sum(axis=1)).ravel().astype(np.uint8)
        counts = sp.csr_array((shared, (asking, answering)), shape=(documents, documents))
        counts.sort_indices()
        graded = count_grades(counts, key_terms.sizes, n=settings.n, short=settings.short)
        return Links.of(graded).grades_of(self.originals, copies)


def _wilson(found: int, of: int) -> tuple[float, float]:
    share, squared = found / of, _NORMAL * _NORMAL
    middle = share + squared / (2 * of)
    half = _NORMAL * math.sqrt(share * (1 - share) / of + squared / (4 * of * of))
    whole = 1 + squared / of
    return max((middle - half) / whole, 0.0), min((middle + half) / whole, 1.0)
