"""The stream's engine in memory: takes documents in order and returns verdicts."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, repeat
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind
from infostream_dedup.judging.evidence.pair_model import PairModel, shipped_model
from infostream_dedup.language.text.surface_pool import block_of
from infostream_dedup.machine.arrays import joined_rows
from infostream_dedup.machine.platform import collector_paused, trim_heap
from infostream_dedup.model import LANGUAGES, Document
from infostream_dedup.model.document import outlet_of
from infostream_dedup.model.settings import COMPARED_TERMS
from infostream_dedup.model.stream_records import (
    Decided,
    GroupEvent,
    Remembered,
    Status,
    StoryEvent,
    TranslatedFrom,
    Verdict,
)
from infostream_dedup.stream import analysis
from infostream_dedup.stream.across import Across
from infostream_dedup.stream.clock import NO_CLOCK, EpochBorders, StreamClock
from infostream_dedup.stream.decisions import NO_ORDINALS, BestCandidate, Judge, KeysThatMet, named_by, with_opening
from infostream_dedup.stream.entering import Entering, ReadBatch
from infostream_dedup.stream.evidence_judge import EvidenceCounts, EvidenceJudge
from infostream_dedup.stream.memory import Losses, Memory, best_member
from infostream_dedup.stream.pivot_terms import PIVOT, union
from infostream_dedup.stream.preparation import ComparedTexts, prepare
from infostream_dedup.stream.preparation import content_hashes as hashes_of
from infostream_dedup.stream.retuning import Watches
from infostream_dedup.stream.settings import StreamSettings, TermRules
from infostream_dedup.stream.store.opening import in_force, next_change
from infostream_dedup.stream.stories import Stories
from infostream_dedup.stream.window import EvidenceRows, PivotRows, Window, address_numbers, equal_to, published_times
from infostream_dedup.terms.key_terms import INSUFFICIENT_TERMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from infostream_dedup.machine.arrays import Ints, Ragged, Uint8s
    from infostream_dedup.stream.across import LinkAcross
    from infostream_dedup.stream.decisions import SecondStage
    from infostream_dedup.stream.recent_documents import WordingSource
    from infostream_dedup.stream.store.document_columns import RememberedTable
    from infostream_dedup.stream.store.restoring import Loaded


# Restoring the parts of an engine from a store


def resume_frequencies(frequencies: analysis.Frequencies, loaded: Loaded, settings: StreamSettings) -> None:
    """Restore the sums of the closed epochs, and count the documents of the open one."""
    goes_on = loaded.epoch == frequencies.epoch and any(counts.totals.documents for counts in frequencies.open)
    if not goes_on:
        frequencies.resume(loaded.epoch, analysis.counts_of(loaded.frequencies), analysis.counts_of(loaded.repeats))
    table = loaded.documents
    first = int(np.searchsorted(table.epochs, loaded.epoch))
    languages = np.array([LANGUAGES.index(language) for language in table.languages[first:]], dtype=np.uint8)
    lengths, targets = table.lengths[first:], table.targets.part(first)
    analysis.count_rows(frequencies.open, languages, lengths, targets)
    if settings.df_counts == "distinct":
        analysis.count_rows(frequencies.open_repeats, languages, lengths, targets, counted=table.repeats[first:] == 1)
    if not goes_on:
        frequencies.withhold(loaded.withheld, loaded.withheld_repeats)


def resume_across(across: Across | None, window: Window, loaded: Loaded, *, first: int | None = None) -> None:
    """Restore the cross-language state of a stream."""
    if across is None:
        return
    table, frequencies = loaded.documents, across.frequencies
    begin = 0 if first is not None else int(np.searchsorted(table.ordinals, loaded.oldest))
    across.links.resume(window.first if first is None else first, table.pivot.links.part(begin))
    closed = analysis.counts_of(loaded.pivot).get(LANGUAGES.index(PIVOT), analysis.LanguageCounts())
    # Otherwise the open epoch goes on, and what has been counted in it stays.
    if first is None or closed.totals.documents != frequencies.closed.totals.documents:
        frequencies.resume(closed)
        frequencies.withhold(loaded.withheld_pivot)
    fresh = int(np.searchsorted(table.epochs, loaded.epoch))
    frequencies.count(table.lengths[fresh:], table.pivot.canonical.part(fresh))


def _take_in(memory: Memory, loaded: Loaded, first: int) -> None:
    table, begin, judged = loaded.documents, memory.window.end, memory.window.evidence is not None
    clocks = table.clocks[first:]
    published = np.array([NO_CLOCK if time is None else time for time in table.published[first:]], dtype=np.int64)
    memory.window.extend(
        list(table.ids[first:]),
        list(map(equal_to, table.text_hashes[first:], table.opening_hashes[first:])),
        list(map(outlet_of, table.sources[first:], table.evidence.urls[first:] if judged else repeat(None))),
        clocks,
        np.where(published <= NO_CLOCK, clocks, published),
        (table.keys.part(first), table.weights.part(first), table.targets.part(first), table.numbers.part(first)),
        evidence=_evidence_rows(table, first) if judged else None,
    )
    if memory.window.pivot is not None:
        memory.window.pivot.enter(_pivot_rows(table, first))
    memory.resume(
        begin,
        oldest=loaded.oldest,
        clock=NO_CLOCK if loaded.clock is None else loaded.clock,
        groups=table.groups[first:],
        joined=table.ordinals[first:][table.leaves[first:] == 1].tolist() if judged else (),
        state=loaded.state.get("groups", {}),
        events=loaded.events,
    )


def _evidence_rows(table: RememberedTable, first: int) -> EvidenceRows:
    evidence, languages = table.evidence, table.languages[first:]
    return EvidenceRows(
        languages=np.array([LANGUAGES.index(language) for language in languages], dtype=np.uint8),
        published=published_times(table.published[first:]),
        addresses=address_numbers(evidence.urls[first:]),
        keys=evidence.keys.part(first),
        weights=evidence.weights.part(first),
        records=evidence.records.part(first),
    )


def _pivot_rows(table: RememberedTable, first: int) -> PivotRows:
    kept = table.pivot
    matched_by = union(kept.canonical.part(first), kept.further.part(first))
    return PivotRows(
        kept.keys.part(first), kept.weights.part(first), kept.members.part(first), matched_by, kept.order.part(first)
    )


_JUDGED_AT_ONCE: Final = 500
"""Number of documents looked up, or read by a model, at a time: a compromise between speed and memory."""

_GIVEN_BACK_AFTER: Final = 10_000
"""Number of documents after which freed memory returns to the system, which must clear all of it again."""


class StreamEngine:
    """Judges documents in order, each against all earlier ones in the window.

    The verdicts depend only on the ordered stream, not on how it is cut into batches. ``decide`` changes the engine at
    once: if its result cannot be stored, discard the engine and restore another one from the store.

    ``second`` judges the candidates by a classifier; ``wording`` returns the word triples of earlier documents, and is
    needed if evidence decides. ``rules_changed`` says whether the rules for key terms have changed since the last
    documents were stored.
    """

    def __init__(
        self, settings: StreamSettings, *, second: SecondStage | None = None, wording: WordingSource | None = None
    ) -> None:
        if settings.preset == "judged" and wording is None:
            raise ValueError("evidence decides in this stream, so the engine needs the wording of earlier documents")
        self._second = second
        self._wording = wording
        self._model = shipped_model()
        self._model_text = self._model.as_json()
        self._evidence = EvidenceCounts()
        self._dates: list[int] = []
        self._rules = TermRules(settings)
        self.rules_changed = False
        self.settings = settings
        self._weighed = settings.terms.but(n=COMPARED_TERMS) if settings.preset == "judged" else settings.terms
        self.numbers = analysis.TermNumbers()
        self.frequencies = analysis.Frequencies(settings.terms, self.numbers)
        self.texts = ComparedTexts(settings)
        self._analyser = analysis.Analyser(settings.terms, self.numbers)
        self._borders = EpochBorders(settings)
        self._losses = Losses(settings.loss_limit, settings.loss_documents)
        self._first_settings = settings
        self._retunes: list[dict[str, Any]] = []
        self._watches: Watches | None = None
        self._handed_out = self._keeping = 0
        self._across = Across(settings, self.numbers) if settings.across == "pivot" else None
        self._remember(Memory(settings))

    @classmethod
    def restore(
        cls,
        settings: StreamSettings,
        loaded: Loaded,
        *,
        second: SecondStage | None = None,
        wording: WordingSource | None = None,
    ) -> StreamEngine:
        """Make an engine that continues a stored stream as if it had judged all of it."""
        engine = cls(settings, second=second, wording=wording)
        engine._resume_state(loaded)
        with collector_paused():
            memory = Memory(settings, loaded.oldest)
            _take_in(memory, loaded, int(np.searchsorted(loaded.documents.ordinals, loaded.oldest)))
            engine._remember(memory)
            engine._stories.resume(loaded.stories)
            resume_across(engine._across, engine.window, loaded)
        return engine

    def catch_up(self, loaded: Loaded) -> bool:
        """Continue after batches that other processes have stored."""
        ordinals = loaded.documents.ordinals
        follows = ordinals[0] == self.next_ordinal if len(ordinals) else loaded.position.documents == self.next_ordinal
        if not follows or loaded.position.terms != len(self.numbers) + len(loaded.terms):
            return False
        self._resume_state(loaded)
        first = self.next_ordinal
        _take_in(self._memory, loaded, 0)
        self._stories.resume(loaded.stories)
        resume_across(self._across, self.window, loaded, first=first)
        self.window.tidy()
        self._read_on()
        return True

    def _resume_state(self, loaded: Loaded) -> None:
        self.numbers.extend(loaded.terms)
        self._handed_out = len(self.numbers)
        resume_frequencies(self.frequencies, loaded, self.settings)
        self._losses.resume(loaded.state.get("losses", {}))
        self.texts.resume(loaded)
        self._retunes = loaded.state.get("retunes", [])
        self._watch(loaded.state.get("watches", []))
        self.rules_changed = self._rules.resume(loaded.state, loaded.position.documents)
        self._evidence, self._dates = EvidenceCounts.of(loaded.evidence), loaded.state.get("dates", [])
        if "pair_model" in loaded.state:
            self._model_text = loaded.state["pair_model"]
            self._model = PairModel.from_json(self._model_text, "the store's pair model")

    def _remember(self, memory: Memory) -> None:
        self._memory = memory
        self._stories = Stories(memory.groups.of, memory.groups.begun)
        memory.groups.in_stories = self._stories.by_group
        self._judge = Judge(self.settings, memory.window, self._second)
        self._deciding: Judge | EvidenceJudge = self._judge
        if self._wording is not None and self.settings.preset == "judged":
            self._deciding = EvidenceJudge(self.settings, memory.window, self._wording, self._model)
        if self._across is not None:
            self._across.remember(memory.window)
        self._read_on()

    def _read_on(self) -> None:
        """Let the next document be read after the last one of the window."""
        self._read_to = self.next_ordinal, self._memory.clock

    def _watch(self, changes: list[dict[str, Any]]) -> None:
        if changes and (self._watches is None or self._watches.changes != changes):
            self._watches = Watches(changes, in_text=self._first_settings.terms.target == "text")
        elif not changes:
            self._watches = None

    def _tune(self, ordinal: int) -> int | None:
        settings = StreamSettings.of(in_force(self._first_settings.as_dict(), self._retunes, ordinal))
        if settings != self.settings:
            self.settings = settings
            self._judge.use(settings)
            self._deciding.use(settings)
        return next_change(self._retunes, ordinal)

    def be_ready(self) -> None:
        """Make what the next documents need, which every fork of this process would otherwise make anew."""
        self.window.make_room()
        self._evidence.weights()

    @property
    def window(self) -> Window:
        """The documents of the window."""
        return self._memory.window

    @property
    def next_ordinal(self) -> int:
        """Ordinal of the next document."""
        return self.window.end

    def best_of(self, group: str) -> str | None:
        """Return the id of the group's best document in the window by ``settings.show``; ``None`` if there is none."""
        members = self._memory.members(group)
        return best_member(members, self.settings).id if members else None

    def decide(
        self,
        batch: Sequence[Document],
        *,
        versions: Sequence[int] | None = None,
        content_hashes: Sequence[bytes] | None = None,
    ) -> Decided:
        """Judge the documents of a batch in their order."""
        return self.judge(self.read(batch, versions=versions, content_hashes=content_hashes))

    def read(
        self,
        batch: Sequence[Document],
        *,
        versions: Sequence[int] | None = None,
        content_hashes: Sequence[bytes] | None = None,
    ) -> ReadBatch:
        """Read the next batch: whatever depends on the documents before it, but not on their verdicts."""
        # Another thread may do so while ``judge`` is busy with the batch before.
        first, clock = self._read_to
        given = block_of(batch)
        content_hashes = content_hashes or hashes_of(given)
        running = StreamClock(clock, self._dates, agreeing=self.settings.preset == "judged")
        compared = self.texts.read(given, first)
        prepared = prepare(
            given, compared, self.settings, first=first, clock=running, content_hashes=content_hashes, versions=versions
        )
        self._dates = running.dates
        self._rules.read_from(first)
        documents = compared.documents
        analysed = self._analyser.read(documents, ordered=self._across is not None)
        judged = self.settings.preset == "judged"
        evidence = self._evidence.read(documents, analysed.languages, first) if judged else None
        pivot = None if self._across is None else self._across.reader.read(documents, analysed)
        self._read_to = first + len(prepared), running.at
        state = self._rules.state() | ({"dates": self._dates} if judged else {})
        return ReadBatch(
            prepared=prepared, analysed=analysed, evidence=evidence, pivot=pivot, clock=clock, terms=len(self.numbers),
            left_out=compared.left_out, state=state,
        )  # fmt: skip

    def judge(self, batch: ReadBatch) -> Decided:
        """Judge the documents of the batch that was read first of those not yet judged."""
        decided, prepared = Decided(), batch.prepared
        self._deciding.begin_batch()
        changed = None
        self.texts.left_out.add(batch.left_out)
        decided.evidence = [] if batch.evidence is None else batch.evidence.counted
        epoch, clocks = self.frequencies.epoch, prepared.clocks.tolist()
        epochs = self._borders.epochs(prepared.first, clocks, epoch=epoch, clock=batch.clock)
        start = 0
        while start < len(prepared):
            if epochs[start] != self.frequencies.epoch:
                if self._across is not None:
                    decided.pivot += self._across.frequencies.close(self.frequencies.epoch)
                closed, repeated = self.frequencies.close()
                decided.closed += closed
                decided.repeated += repeated
            if self._retunes:
                changed = self._tune(prepared.first + start)
            end = start + epochs[start:].count(epochs[start])
            if changed is not None:
                end = min(end, changed - prepared.first)
            self._decide_within_epoch(self._entering(batch, start, end), decided)
            start = end
        self.window.tidy()
        self._keeping += len(prepared)
        if self._keeping >= _GIVEN_BACK_AFTER:
            # Otherwise the heap of a long stream keeps what its largest batches needed.
            trim_heap()
            self._keeping = 0
        decided.new_terms = self.numbers.terms[self._handed_out : batch.terms]
        self._handed_out = batch.terms
        decided.state = self._state(batch.state)
        decided.oldest = self.window.oldest
        return decided

    def take_rules(self, state: Mapping[str, Any], documents: int) -> None:
        """Take over by which rules the documents of another store were read."""
        self._rules.resume(state, documents)

    def decide_anew(self, remembered: Sequence[Remembered], new_terms: Sequence[str]) -> Decided:
        """Judge documents of another store by their key terms alone; the preset must be ``faithful``."""
        decided = Decided(new_terms=list(new_terms))
        self.numbers.extend(new_terms)
        self._handed_out = len(self.numbers)
        for epoch, same in groupby(remembered, key=lambda one: one.epoch):
            if epoch != self.frequencies.epoch:
                closed, repeated = self.frequencies.close()
                decided.closed += closed
                decided.repeated += repeated
            self._decide_part([replace(one, evidence=None, pivot=None) for one in same], decided)
        self.window.tidy()
        decided.state, decided.oldest = self._state(self._rules.state()), self.window.oldest
        self._read_on()
        return decided

    def _decide_part(self, part: list[Remembered], decided: Decided) -> None:
        clocks = np.array([one.clock for one in part], dtype=np.int64)
        times = np.array([one.clock if one.published is None else one.published for one in part], dtype=np.int64)
        keys, weights, targets, numbers = (
            joined_rows([getattr(one, name) for one in part]) for name in ("keys", "weights", "targets", "numbers")
        )
        self._memory.window.extend(
            [one.id for one in part],
            [equal_to(one.text_hash, one.opening_hash) for one in part],
            [one.source for one in part],
            clocks,
            times,
            (keys, weights, targets, numbers),
        )
        verdicts = self._judge_in_turn(part, self._memory.oldest_at(part[0].ordinal, len(part)), [], decided)
        self._count(
            np.array([LANGUAGES.index(one.language) for one in part], dtype=np.uint8),
            np.array([one.length for one in part], dtype=np.int64),
            targets,
            verdicts,
        )

    def _count(self, languages: Uint8s, lengths: Ints, targets: Ragged, verdicts: Sequence[Verdict]) -> None:
        analysis.count_rows(self.frequencies.open, languages, lengths, targets)
        if self.settings.df_counts == "distinct":
            repeats = np.array([one.repeats for one in verdicts], dtype=np.bool_)
            analysis.count_rows(self.frequencies.open_repeats, languages, lengths, targets, counted=repeats)

    def _decide_within_epoch(self, entering: Entering, decided: Decided) -> None:
        entering.put_into(self.window)
        oldest = self._memory.oldest_at(entering.first, len(entering))
        links = [] if self._across is None else self._across.links.find(entering.first, oldest)
        remembered = entering.remembered(self.frequencies.epoch, keep_text=self.settings.keep_text, links=links)
        verdicts = self._judge_in_turn(remembered, oldest, links, decided)
        languages, lengths, targets = entering.languages, entering.lengths, entering.targets
        if self._across is not None and entering.across is not None:
            self._across.frequencies.count(lengths, entering.across.canonical)
        self._count(languages, lengths, targets, verdicts)

    def _judge_in_turn(
        self, documents: Sequence[Remembered], oldest: Ints, links: Sequence[Sequence[LinkAcross]], decided: Decided
    ) -> list[Verdict]:
        """Judge documents of the window; ``oldest``: int64, first ordinal in the window when each arrives."""
        equals, before = self._memory.equals(documents[0].ordinal, oldest), len(decided.verdicts)
        decided.remembered += documents
        for begin in range(0, len(documents), _JUDGED_AT_ONCE):
            more = slice(begin, begin + _JUDGED_AT_ONCE)
            decided.verdicts += self._judge_some(documents[more], equals[more], oldest[more], links[more], decided)
        return decided.verdicts[before:]

    def _entering(self, batch: ReadBatch, start: int, end: int) -> Entering:
        analysed, pivot = batch.analysed, batch.pivot
        chosen = analysis.choose_keys(analysed, start, end, self.frequencies, self.numbers, self._weighed)
        keys, further = chosen.split(self.settings.terms.n)
        across = None if self._across is None or pivot is None else self._across.entering(pivot, start, end)
        return Entering(
            batch=batch,
            start=start,
            end=end,
            targets=analysed.terms.part(start, end).as_int64(),
            keys=keys,
            further=further,
            across=across,
        )

    def _judge_some(
        self,
        documents: Sequence[Remembered],
        equals: Sequence[tuple[int | None, int | None]],
        oldest: Ints,
        links_across: Sequence[Sequence[LinkAcross]],
        decided: Decided,
    ) -> Iterator[Verdict]:
        events = decided.events
        self._deciding.read(documents)
        if self._watches is not None:
            self._watches.see(self.numbers.terms)
        links: list[list[LinkAcross]] = []
        translations: list[TranslatedFrom | None] = []
        told_across: list[list[LinkAcross]] = []
        if self._across is not None and isinstance(self._deciding, EvidenceJudge):
            first = documents[0].ordinal
            kept = self._across.links.kept(first, links_across, oldest.tolist(), self._deciding.one_text)
            links, told_across = self._across.links.told(first, links_across, kept)
            best = [
                own or [one for one in told[:1] if one.differing] for own, told in zip(links, told_across, strict=True)
            ]
            translations = self._across.met(first, best)
        rows = self._memory.candidate_rows(documents[0].ordinal, oldest, self._deciding.needs, INSUFFICIENT_TERMS)
        for candidates in rows:
            more = slice(candidates.first, candidates.first + len(candidates))
            founds = self._deciding.found(candidates, documents[more])
            texts, openings = zip(*equals[more], strict=True) if equals[more] else ((), ())
            if self.settings.compares_openings:
                founds = list(map(with_opening, founds, openings))
            asked = list(map(self._of_others, documents[more], texts, founds, oldest[more].tolist()))
            linked = ((document.ordinal, named_by(equal, found)) for document, equal, found, _ in asked)
            pairs = [(ordinal, of) for ordinal, of in linked if of is not None]
            met = self._judge.met(pairs, self.numbers.terms)
            for number, (document, equal, found, alive) in enumerate(asked, start=candidates.first):
                known = len(events)
                verdict = self._judge_document(document, equal, found, alive, met, events)
                if self._across is not None and links:
                    across = links[number], translations[number], told_across[number]
                    verdict = self._across.extend_verdict(verdict, *across)
                if self.settings.preset == "judged":
                    translated = [one.ordinal for one in (*links[number], *told_across[number])] if links else []
                    told = NO_ORDINALS if found is None else found.told
                    happened = events[known:]
                    verdict.story = self._told(document.ordinal, verdict, happened, translated, told, decided.stories)
                names = [] if self._watches is None else self._watches.hits(document, self.frequencies)
                if names:
                    events += [GroupEvent(document.ordinal, "watch", name) for name in names]
                    verdict = replace(verdict, watches=tuple(names))
                yield verdict

    def _told(
        self,
        ordinal: int,
        verdict: Verdict,
        happened: Sequence[GroupEvent],
        translated: Sequence[int],
        told: Ints,
        events: list[StoryEvent],
    ) -> str | None:
        stories = self._stories
        events += stories.follow(ordinal, happened)
        if translated:
            events += stories.join(ordinal, translated)
        if len(told):
            events += stories.tell(ordinal, told.tolist())
        return stories.of(verdict.group) or (verdict.group if verdict.status in ("exact", "duplicate") else None)

    def _of_others(
        self, document: Remembered, equal: int | None, found: BestCandidate | None, oldest: int
    ) -> tuple[Remembered, int | None, BestCandidate | None, int]:
        if document.version == 0:
            return document, equal, found, oldest
        if equal is not None and self.window.id_of(equal) == document.id:
            equal = None
        if found is not None and (not found.duplicate or self.window.id_of(found.of) == document.id):
            found = None
        if equal is not None and found is not None and self._whole(equal) == document.text_hash:
            found = replace(found, exact=found.exact and self._whole(found.of) == document.text_hash)
        return document, equal, found, oldest

    def _whole(self, ordinal: int) -> bytes:
        return self.window.hashes[ordinal - self.window.first].whole

    def _judge_document(
        self,
        document: Remembered,
        equal: int | None,
        found: BestCandidate | None,
        oldest: int,
        met: Iterator[KeysThatMet],
        events: list[GroupEvent],
    ) -> Verdict:
        memory, ordinal = self._memory, document.ordinal
        if oldest > memory.window.oldest:
            events += memory.let_go(oldest, ordinal)
        repeats = equal is not None or (found is not None and found.duplicate)
        passes, happened = self._losses.passes(document.source, repeats, ordinal)
        events += happened
        of = named_by(equal, found)
        if of is None:
            if document.version > 0:
                memory.groups.begin_again(ordinal)
            enough = len(document.keys) >= INSUFFICIENT_TERMS
            # Preset faithful compares key terms alone.
            enough |= self.settings.preset == "judged" and document.text_hash != b""
            status: Status = "new" if enough else "insufficient_text"
            verdict = Verdict(id=document.id, status=status, group=memory.groups.of(ordinal))
            if document.version == 0:
                return verdict
            kind = KIND_NAMES[Kind.UPDATED] if self.settings.preset == "judged" else None
            return replace(verdict, kind=kind, revision_of=document.id)
        joined = False
        if repeats and not passes:
            linked = (NO_ORDINALS, None) if found is None else (found.repeated, found.weights)
            joined, happened = memory.groups.join(ordinal, of, *linked, exact=equal is not None)
            events += happened
        if not joined and document.version > 0:
            memory.groups.begin_again(ordinal)
        exact = equal is not None and (self.settings.preset != "judged" or self._whole(of) == document.text_hash)
        status = "similar" if not joined else "exact" if exact else "duplicate"
        best = self._deciding.equal_text(of) if found is None or equal is not None else found
        verdict = self._make_verdict(document, status, best, next(met))
        if self.settings.preset == "judged" and not verdict.stands_for_kept:
            memory.groups.joined.add(ordinal)
        return verdict

    def _make_verdict(self, document: Remembered, status: Status, found: BestCandidate, met: KeysThatMet) -> Verdict:
        return Verdict(
            id=document.id,
            status=status,
            of=self.window.id_of(found.of),
            group=self._memory.groups.of(document.ordinal),
            relation=found.relation,
            forward=met.forward,
            backward=met.backward,
            terms=met.words,
            kind=found.kind,
            probability=found.probability,
            criteria=found.criteria,
            revision_of=document.id if document.version > 0 else None,
            differs_by=None if found.differing is None else found.differing.reason,
            differing=None if found.differing is None else found.differing.words,
        )

    def _state(self, read: Mapping[str, Any]) -> dict[str, Any]:
        state: dict[str, Any] = {"groups": self._memory.groups.state(), **read}
        if self.settings.preset == "judged":
            state["pair_model"] = self._model_text
        if self.settings.loss_limit is not None:
            state["losses"] = self._losses.state()
        return state
