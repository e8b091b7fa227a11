"""Reads a search text: its key terms in its own language, and translated into others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from sqlite3 import Connection
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from infostream_dedup.judging.evidence.differing import WordDifference
from infostream_dedup.judging.evidence.facts import HOUR, DocumentFacts
from infostream_dedup.judging.evidence.judging import agreement, judge_pairs
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind, seen_from_later
from infostream_dedup.judging.evidence.meaning import Meanings
from infostream_dedup.judging.evidence.pair_model import PairModel, shipped_model
from infostream_dedup.judging.evidence.policies import EVERY_PAIR, Policy
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.judging.repeated.equality import equality_hash
from infostream_dedup.language.text.fingerprint import TEXT_HASH
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation.ladder import Translator, dictionary_rungs
from infostream_dedup.language.translation.word_pairs import plain_term
from infostream_dedup.links.pair_rules import NEAR_BEST
from infostream_dedup.machine.arrays import Bools, Floats, Ints, Ragged, joined_rows
from infostream_dedup.model import LANGUAGES, Document, Language, Settings
from infostream_dedup.model.settings import COMPARED_TERMS
from infostream_dedup.stream import analysis
from infostream_dedup.stream.evidence_judge import EvidenceCounts, verdict_probability
from infostream_dedup.stream.pivot_terms import PivotWords, WrittenWords, and_itself
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.opening import check_settings
from infostream_dedup.stream.store.restoring import counted_evidence, open_epoch, position_of, summed_frequencies
from infostream_dedup.stream.store.search_index import FoundDocument, IndexPart, TermIndex, term_names_of
from infostream_dedup.stream.store.store import Store
from infostream_dedup.stream.window import compared_keys, triple_rows
from infostream_dedup.stream.word_order import OrderedWords, contradictions, keep_order, tell_one_event
from infostream_dedup.terms.representation import representation

# Share, by weight, of the key terms of documents that a text contains


def share_of_rows(keys: Ragged, weights: Ragged, targets: Ints) -> Floats:
    """Share, by weight, of each document's key terms that a text contains."""
    met = np.isin(keys.values, targets)
    size = len(keys)
    found = np.bincount(keys.numbers[met], weights=weights.values[met].astype(np.float64), minlength=size)
    total = np.bincount(keys.numbers, weights=weights.values.astype(np.float64), minlength=size)
    return np.round(found / np.maximum(total, 1.0), 9)


def closeness(asked: AskedTerms, orders: Ragged) -> Floats:
    """Share, by weight, of a sentence's key terms that a document has close together, plus that at its beginning.

    A document that answers a sentence has its words in one place, and says at the beginning what it is about. Close is
    within twice as many words as the sentence has key terms. ``orders``: the words of each document in their order.
    """
    reach = 2 * max(len(asked.sets), _FEWEST_CLOSE)
    key_of = np.repeat(np.arange(len(asked.sets)), [len(terms) for terms in asked.sets])
    terms, firsts = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *asked.sets]), return_index=True)
    places = np.flatnonzero(np.isin(orders.values, terms))
    rows, keys = orders.numbers[places], key_of[firsts][np.searchsorted(terms, orders.values[places])]
    begun = places - orders.indptr[rows] < reach
    # Documents are set apart, so that no reach goes from one into the next.
    places = places + rows * reach
    near, first, best = np.zeros(len(places)), np.zeros(len(orders)), np.zeros(len(orders))
    for key, weight in enumerate((asked.weights / max(int(asked.weights.sum()), 1)).tolist()):
        own = places[keys == key]
        if len(own):
            following = np.searchsorted(own, places)
            near += weight * ((following < len(own)) & (own[np.minimum(following, len(own) - 1)] < places + reach))
            first[np.unique(rows[begun & (keys == key)])] += weight
    np.maximum.at(best, rows, near)
    return np.round(best + first, 9)


# Words of search texts, numbered separately from the terms of the stream: a search never changes a stream

_FEWEST_CLOSE: Final = 4
_NOT_ASKED: Final = -2
_UNKNOWN: Final = -1


class QueryWords:
    """Numbers the words of questions, and knows which are terms of a store, and how frequent in its closed epochs."""

    def __init__(self, settings: Settings) -> None:
        self.numbers = analysis.TermNumbers()
        self.frequencies = analysis.Frequencies(settings, self.numbers)
        self._index = TermIndex()
        self._stored = np.zeros(0, dtype=np.int64)
        self._terms = 0
        self._epoch = -1
        self._connection: Connection | None = None

    def refresh(self, connection: Connection) -> None:
        """Update from the store."""
        self._connection = connection
        epoch, terms = open_epoch(connection), position_of(connection).terms
        if terms != self._terms:
            self._stored[self._stored == _UNKNOWN] = _NOT_ASKED
            self._terms = terms
        if epoch != self._epoch:
            closed = summed_frequencies(connection, before=epoch, terms=terms)
            repeats = summed_frequencies(connection, before=epoch, terms=terms, table="repeat_frequency")
            made = partial(_StoredCounts, words=self)
            self.frequencies.resume(epoch, analysis.counts_of(closed, made), analysis.counts_of(repeats, made))
            self._epoch = epoch

    def stored(self, words: NDArray[np.integer]) -> Ints:
        """Return the store's number of each word, negative if the store does not know the word: int64."""
        if len(self._stored) < len(self.numbers):
            more = np.full(len(self.numbers) - len(self._stored), _NOT_ASKED, dtype=np.int64)
            self._stored = np.concatenate((self._stored, more))
        fresh = np.unique(words[self._stored[words] == _NOT_ASKED]).astype(np.int64)
        if len(fresh) and self._connection is not None:
            terms = self.numbers.terms.some(fresh)
            known = self._index.numbers_of(self._connection, terms)
            self._stored[fresh] = [known.get(term, _UNKNOWN) for term in terms]
        found: Ints = self._stored[words]
        return found


@dataclass(slots=True)
class _StoredCounts(analysis.LanguageCounts):
    """Counts by the store's numbers, looked up by ours."""

    words: QueryWords = field(kw_only=True)

    def df_of(self, terms: NDArray[np.integer]) -> Floats:
        stored = self.words.stored(terms)
        df = np.zeros(len(terms), dtype=np.float64)
        counted = (stored >= 0) & (stored < len(self.df))
        df[counted] = self.df[stored[counted]]
        return df


# Finds the documents that share key terms with a text, in the index of a store


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTerms:
    """A text in the language of some documents; terms are those of the store."""

    # for each key term, heaviest first, the terms that match it: int64; empty if the store has none of them
    sets: Sequence[Ints]
    weights: Ints  # int64, weight of each key term
    targets: Ints  # int64, all terms, each once
    words: Sequence[str]  # for each key term, the word of the text that it was made from
    language: int | None = None  # index into `LANGUAGES`: compare only documents in this language; `None` for all

    @property
    def matching(self) -> Ints:
        """The terms that match any key term, each once, ascending."""
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *self.sets]))


@dataclass(frozen=True, slots=True)
class NearDocuments:
    """Documents that share enough terms with a text."""

    ordinals: Ints  # int64 (documents,), ascending
    # int64 (documents, 2), key terms of the text found in each document, and its key terms found in the text
    counts: Ints
    # float64 (documents,), share, by weight, of the text's key terms found in each document
    shares: Floats

    def nearest(self, most: int, besides: Ints) -> NearDocuments:
        """The documents with the greatest shares, all that tie with the last of them, and some others."""
        if len(self.ordinals) <= most:
            return self
        least = np.partition(self.shares, -most)[-most]
        chosen = (self.shares >= least) | np.isin(self.ordinals, besides)
        return NearDocuments(self.ordinals[chosen], self.counts[chosen], self.shares[chosen])


@dataclass(frozen=True, slots=True)
class FoundInPart:
    """Documents of a part that may share enough terms with a text."""

    ordinals: Ints  # int64 (documents,), ascending
    backward: Ints  # int64 (documents,), number of each document's key terms found in the text
    least: Ints  # int64 (documents,), how many key terms must match in either direction
    # int64, for each match of a term with a key term of the text, the index of the document in `ordinals`
    rows: Ints
    keys: Ints  # int64, the key term of each match


class TermQuestions:
    """Texts that are looked up together; ``least`` has the hits that each needs by the key terms of the document."""

    def __init__(self, asked: Sequence[AskedTerms], least: Sequence[Ints], *, in_text: bool) -> None:
        self._asked = asked
        self._least = least
        self._lowest = [int(one.min()) for one in least]
        self._in_text = in_text
        forward = [np.concatenate([np.zeros(0, dtype=np.int64), *one.sets]) for one in asked]
        backward = [one.targets if in_text else one.matching for one in asked]
        self._key_of = [np.repeat(np.arange(len(one.sets)), [len(terms) for terms in one.sets]) for one in asked]
        self._forward, self._forward_ends = _joined(forward)
        self._backward, self._backward_ends = _joined(backward)

    def ask(self, part: IndexPart, allowed: Bools, besides: Ints) -> Iterator[tuple[int, FoundInPart]]:
        """Yield the number of each text and the documents found for it; those ``besides`` whatever matches."""
        always = np.isin(np.arange(part.first, part.end), besides) if len(besides) else np.zeros(len(part), np.bool_)
        hits = (part.targets if self._in_text else part.keys).of_terms(self._forward)
        met = part.keys.of_terms(self._backward)
        bounds = np.searchsorted(hits[0], self._forward_ends), np.searchsorted(met[0], self._backward_ends)
        for number, one in enumerate(self._asked):
            forward = slice(*bounds[0][number : number + 2].tolist())
            counted = np.bincount(met[1][slice(*bounds[1][number : number + 2].tolist())], minlength=len(part))
            # Several terms that match one key term are counted separately here: too many hits, never too few.
            most = np.bincount(hits[1][forward], minlength=len(part))
            anyway = always & (one.language is not None)
            found = np.flatnonzero((most >= self._lowest[number]) | (counted >= self._lowest[number]) | anyway)
            least = np.where(anyway[found], 0, self._least[number][part.sizes[found]])
            kept = allowed[found] & (np.maximum(most[found], counted[found]) >= least)
            if one.language is not None:
                kept &= part.languages[found] == one.language
            found, least = found[kept], least[kept]
            if not len(found):
                continue
            keys = self._key_of[number][hits[0][forward] - self._forward_ends[number]]
            documents = hits[1][forward]
            place = np.full(len(part), -1, dtype=np.int64)
            place[found] = np.arange(len(found))
            rows: Ints = place[documents]
            met_rows = rows >= 0
            yield number, FoundInPart(part.first + found, counted[found], least, rows[met_rows], keys[met_rows])

    def near(self, number: int, parts: Sequence[FoundInPart]) -> NearDocuments:
        """Join the documents that the parts found for one text, and compare them with it."""
        if not parts:
            return NearDocuments(np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64), np.zeros(0))
        one = self._asked[number]
        ordinals, backward, least, rows, keys = (
            np.concatenate([getattr(part, name) for part in parts]) for name in FoundInPart.__slots__
        )
        sizes = [len(part.ordinals) for part in parts]
        rows += np.repeat(np.cumsum([0, *sizes[:-1]]), [len(part.rows) for part in parts])
        matched = np.zeros((len(ordinals), len(one.sets)), dtype=np.bool_)
        matched[rows, keys] = True
        counts = np.stack((matched.sum(axis=1), backward), axis=1).astype(np.int64)
        near = counts.max(axis=1) >= least
        shares = np.round(matched @ one.weights / max(int(one.weights.sum()), 1), 9)
        return NearDocuments(ordinals[near], counts[near], shares[near])


def _joined(rows: Sequence[Ints]) -> tuple[Ints, Ints]:
    return np.concatenate([np.zeros(0, dtype=np.int64), *rows]), np.cumsum([0, *map(len, rows)])


# Translates the words of a text in another language into the terms of the stream

_SURE: Final = 0.75  # equivalents with lower confidence are guesses: they may match, but never become key terms
_MOST_REMEMBERED: Final = 200_000


@dataclass(frozen=True, slots=True)
class TranslatedQuery:
    """Key terms of a text in another language."""

    keys: Ints  # int64, number of each key term, heaviest first
    weights: Ints  # int64, weight of each key term in units of 1e-9
    sets: list[Ints]  # for each key term the numbers that match it, its own included: int64, ascending
    targets: Ints  # int64, ascending: all equivalents of all words
    words: list[str]  # the word of the text that became each key term; of several, the most frequent
    usual: int  # number of key terms without those that are too rare to be one of a document


class QueryTranslator:
    """Translates texts by the dictionaries alone, because the slower rungs of the ladder take seconds to start."""

    def __init__(self, settings: Settings, numbers: analysis.TermNumbers, frequencies: analysis.Frequencies) -> None:
        self._settings = settings
        self._numbers = numbers
        self._frequencies = frequencies
        self._own = analysis.TermNumbers()
        self._reader = analysis.Analyser(settings.but(representation="pivot"), self._own)
        self._written = WrittenWords(self._own)
        self._rungs = dictionary_rungs()
        self._known: dict[tuple[Language, Language], dict[str, tuple[int, tuple[int, ...]]]] = {}

    def translated(self, document: Document, into: Sequence[int]) -> dict[int, TranslatedQuery]:
        """Translate a text into other languages."""
        analysed = self._reader.read([document])
        own, words = int(analysed.languages[0]), self._counted(analysed)
        return {
            language: self._in_language(words, analysed.lengths, own, language) for language in into if language != own
        }

    def equivalents(self, document: Document, into: Sequence[int]) -> dict[int, list[tuple[int, ...]]]:
        """For each word of a text all that it may be in other languages; words without an equivalent are empty."""
        analysed = self._reader.read([document])
        own, words = int(analysed.languages[0]), [*self._counted(analysed)]
        found = {one: self._equivalents(words, LANGUAGES[own], LANGUAGES[one]) for one in into if one != own}
        return {language: [known[word][1] for word in words] for language, known in found.items()}

    def _counted(self, analysed: analysis.Analysed) -> dict[str, int]:
        numbers = self._written.decided(analysed.terms.numbers, analysed.terms.row(0)).tolist()
        words: dict[str, int] = {}
        for number, count in zip(numbers, analysed.counts.tolist(), strict=True):
            word = self._own.terms[number]
            words[word] = words.get(word, 0) + count
        return words

    def _in_language(self, words: Mapping[str, int], lengths: Ints, own: int, language: int) -> TranslatedQuery:
        known = self._equivalents([*words], LANGUAGES[own], LANGUAGES[language])
        counts: dict[int, int] = {}
        sets: dict[int, set[int]] = {}
        word_of: dict[int, tuple[int, str]] = {}
        for word, count in words.items():
            canonical, every = known[word]
            if canonical >= 0:
                word_of[canonical] = min(word_of.get(canonical, (0, word)), (-count, word))
                counts[canonical] = counts.get(canonical, 0) + count
                sets.setdefault(canonical, set()).update(every)
        terms = sorted(counts)
        translated = analysis.Analysed(
            Ragged(np.array([0, len(terms)], dtype=np.int64), np.array(terms, dtype=np.int32)),
            np.array([counts[term] for term in terms], dtype=np.int32),
            np.array([language], dtype=np.uint8),
            lengths,
        )
        chosen = analysis.choose_keys(translated, 0, 1, self._frequencies, self._numbers, self._settings)
        keys, weights = chosen.keys.row(0), chosen.weights.row(0)
        rare = _rare_terms(translated, keys, self._frequencies)
        keys, weights = _with_more(keys, weights, rare, self._settings.n, self._numbers)
        return TranslatedQuery(
            keys,
            weights,
            [np.array(sorted(sets[key]), dtype=np.int64) for key in keys.tolist()],
            np.array(sorted({term for word in words for term in known[word][1]}), dtype=np.int64),
            [plain_term(word_of[key][1]) for key in keys.tolist()],
            len(chosen.keys.values),
        )

    def _equivalents(
        self, words: Sequence[str], source: Language, target: Language
    ) -> dict[str, tuple[int, tuple[int, ...]]]:
        """For each word find the number of its best equivalent (-1 if none is sure), and the numbers of all."""
        known = self._known.setdefault((source, target), {})
        if len(known) > _MOST_REMEMBERED:
            known.clear()
        new = [word for word in dict.fromkeys(words) if word not in known]
        answers = Translator(source, target, rungs=self._rungs).translate(new) if new else []
        if source == "en":
            answers = [and_itself(word, found) for word, found in zip(new, answers, strict=True)]
        distinct = list(dict.fromkeys(one.term for found in answers for one in found))
        number_of = dict(zip(distinct, self._stream_terms(distinct, target), strict=True))
        for word, found in zip(new, answers, strict=True):
            numbers = [(number_of[one.term], one.confidence) for one in found]
            alone = len(found) == 1 and found[0].rung == "identity"  # an English name or word without equivalent
            sure = [number for number, confidence in numbers if number >= 0 and (alone or confidence >= _SURE)]
            every = dict.fromkeys(number for number, _ in numbers if number >= 0)
            known[word] = (sure[0] if sure else -1, tuple(every))
        return known

    def _stream_terms(self, words: Sequence[str], language: Language) -> list[int]:
        """Return the stream's term number of each translated word; -1 if it is not a term, as for phrases."""
        terms: Sequence[str | None] = words
        if self._settings.representation == "stem" or language == "en":
            forms = [Form(word, Shape.CAPITAL) for word in words]
            terms = representation(self._settings.representation).terms(forms, language, self._settings)
        return [-1 if term is None or " " in term else self._numbers.number(term) for term in terms]


_UNKNOWN_FROM: Final = 1 << 30  # the first number for words that the store does not know, whose own are smaller
_MOST_WORDS: Final = 200_000  # maximum number of words remembered; beyond it, all are forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A text that is searched for."""

    language: int  # index into `LANGUAGES`
    asked: AskedTerms  # its key terms
    # int64, up to 30 key terms, heaviest first, by the store's numbers or, for unknown words, larger ones
    keys: Ints
    weights: Ints  # int64, their weights
    targets: Ints  # int64, all its terms, ascending
    # the text that was read; `None` for a stored document, which is compared as stored
    document: Document | None = None


class QuestionReader:
    """Reads questions with the settings and frequencies of a stream, without changing them."""

    def __init__(self, settings: StreamSettings) -> None:
        self._settings = settings.terms
        self._start_over()

    def _start_over(self) -> None:
        self._words = QueryWords(self._settings)
        self._analyser = analysis.Analyser(self._settings, self._words.numbers)
        self._translator = QueryTranslator(self._settings, self._words.numbers, self._words.frequencies)

    def refresh(self, connection: Connection) -> None:
        """Update from the store."""
        if len(self._words.numbers) > _MOST_WORDS:
            self._start_over()
        self._words.refresh(connection)

    def read(self, document: Document) -> Question:
        """Read a text."""
        words, terms = self._words, self._settings
        analysed = self._analyser.read([document])
        compared = terms.but(n=max(terms.n, COMPARED_TERMS))
        every = analysis.choose_keys(analysed, 0, 1, words.frequencies, words.numbers, compared)
        keys, weights, targets = every.keys.row(0), every.weights.row(0), analysed.terms.row(0).astype(np.int64)
        stored = words.stored(targets)
        first, heavy = keys[: terms.n], weights[: terms.n]
        more = _rare_terms(analysed, first, words.frequencies)
        more = more[words.stored(more) >= 0]
        if len(first) < FEW_TERMS:
            # A surname alone may be no term: what tells that it is a name is missing.
            plain = [] if len(targets) else _WORD.findall(document.text.lower())[:FEW_TERMS]
            targets = np.unique(words.numbers.numbered(plain)).astype(np.int64) if plain else targets
            more, stored = np.setdiff1d(targets, first), words.stored(targets)
        first, heavy = _with_more(first, heavy, more, terms.n, words.numbers)
        asked = AskedTerms(
            sets=[one[one >= 0] for one in words.stored(first).reshape(-1, 1)],
            weights=heavy,
            targets=stored[stored >= 0],
            words=words.numbers.terms.some(first),
        )
        return Question(
            language=int(analysed.languages[0]),
            asked=asked,
            keys=_numbered_apart(words.stored(keys), keys),
            weights=weights,
            targets=np.sort(_numbered_apart(stored, targets)),
            document=document,
        )

    def written(self, document: Document, into: Sequence[int], *, every: bool) -> dict[str, list[list[str]]]:
        """The key terms of a text, or all its terms, by language: for each the terms that match it."""
        numbers = self._words.numbers
        if every:
            analysed = self._analyser.read([document])
            own, found = int(analysed.languages[0]), [[one] for one in analysed.terms.row(0).tolist()]
            others: Mapping[int, Sequence[Iterable[int]]] = self._translator.equivalents(document, into)
        else:
            question = self.read(document)
            own, found = question.language, [[numbers.number(word)] for word in question.asked.words]
            others = {language: one.sets for language, one in self._translator.translated(document, into).items()}
        sets: dict[int, Sequence[Iterable[int]]] = {own: found, **others}
        return {
            LANGUAGES[language]: [[str(numbers.terms[number]) for number in terms] for terms in one]
            for language, one in sets.items()
        }

    def stored(self, connection: Connection, document: FoundDocument) -> Question:
        """Make a question of a stored document, as it is in the store."""
        names = term_names_of(connection, document.keys.tolist())
        asked = AskedTerms(
            sets=list(document.keys.reshape(-1, 1)),
            weights=document.weights,
            targets=document.targets,
            words=[names[key] for key in document.keys.tolist()],
        )
        return Question(
            language=LANGUAGES.index(document.language),
            asked=asked,
            keys=np.concatenate((document.keys, document.further_keys)),
            weights=np.concatenate((document.weights, document.further_weights)),
            targets=document.targets,
        )

    def translated(self, document: Document, into: Sequence[int]) -> list[AskedTerms]:
        """Translate a text into other languages, by index into ``LANGUAGES``; its own is skipped."""
        found = []
        for language, query in self._translator.translated(document, into).items():
            targets = self._words.stored(query.targets)
            sets = [self._known(terms) for terms in query.sets]
            places = [place for place, terms in enumerate(sets) if place < query.usual or len(terms)]
            asked = AskedTerms(
                sets=[sets[place] for place in places],
                weights=query.weights[places],
                targets=targets[targets >= 0],
                words=[query.words[place] for place in places],
                language=language,
            )
            found.append(asked)
        return found

    def _known(self, words: Ints) -> Ints:
        stored = self._words.stored(words)
        # By the store's numbers, because ours depend on earlier questions.
        return np.sort(stored[stored >= 0])


def _numbered_apart(stored: Ints, own: Ints) -> Ints:
    return np.where(stored >= 0, stored, own + _UNKNOWN_FROM)


# Judges the documents that a search found: kind and probability, by the evidence of preset `judged`

FEW_TERMS: Final = 3
"""A document with fewer key terms is compared only for equal text; a question with fewer asks for all its terms."""

_WORD: Final = re.compile(r"[^\W\d_]{3,}")

_RARE: Final = 10**9
"""Weight of words of a question that are too rare for key terms, if it has no others, in 1e-9 units."""

_RARE_DOCUMENTS: Final = 3  # a word of fewer documents is what somebody who asks by a sentence looks for


def _rare_terms(analysed: analysis.Analysed, keys: Ints, frequencies: analysis.Frequencies) -> Ints:
    """Terms of a text that are too rare for a key term of a document: int64."""
    more = np.setdiff1d(analysed.terms.values, keys).astype(np.int64)
    return more[frequencies.closed[int(analysed.languages[0])].df_of(more) < _RARE_DOCUMENTS]


def _with_more(keys: Ints, weights: Ints, more: Ints, n: int, numbers: analysis.TermNumbers) -> tuple[Ints, Ints]:
    """Fill up key terms and their weights with more terms, as heavy as the heaviest."""
    # By name, because numbers depend on earlier questions, and not all may fit.
    more = more[np.argsort(np.array(numbers.terms.some(more), dtype=np.str_), kind="stable")]
    keys = np.concatenate((keys, more))[: max(n, len(keys))]
    return keys, np.concatenate((weights, np.full(len(keys) - len(weights), weights.max(initial=_RARE))))


@dataclass(frozen=True, slots=True)
class HitJudgement:
    """Kind and probability of a found document."""

    kind: str  # kind of the pair, seen from the text
    probability: float  # probability that the two are copies or report the same event
    differing: WordDifference | None = None  # the few words that make it `differs` or `updated`
    counts: bool = True  # whether its wording is that of one text, if a policy asks for it


class QuestionJudge:
    """Judges found documents of a store of preset ``judged`` as ``pairs`` and verdicts do."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._counts: EvidenceCounts | None = None
        self._model = shipped_model()
        self._start_over()

    def _start_over(self) -> None:
        self._numbers = analysis.TermNumbers()
        self._pivot = PivotWords(self._numbers)

    def refresh(self, connection: Connection) -> None:
        """Load the frequencies of the store's last closed epoch of evidence."""
        row = connection.execute("SELECT max(epoch) FROM evidence_frequency").fetchone()
        if self._counts is None or self._counts.epoch != (row[0] or 0):
            check_settings(connection, self._store.path)
            self._counts = EvidenceCounts.of(counted_evidence(connection, only_closed=True))
            kept = connection.execute("SELECT value FROM state WHERE name = 'pair_model'").fetchone()
            if kept is not None:
                self._model = PairModel.from_json(orjson.loads(kept[0]), "the store's pair model")

    def judged(
        self,
        question: Question,
        itself: FoundDocument | None,
        found: Sequence[FoundDocument],
        *,
        semantic: bool = False,
        policy: Policy = EVERY_PAIR,
    ) -> list[HitJudgement | None]:
        """Judge documents; ``None`` if the two cannot be compared: too short, or in different languages."""
        answers: list[HitJudgement | None] = [None] * len(found)
        asking = _Side.of_stored(itself) if itself is not None else self._read(question)
        long_enough = len(question.asked.words) >= FEW_TERMS
        places = [
            place
            for place, one in enumerate(found)
            if (asking.text and one.text_hash[:TEXT_HASH] == asking.text[:TEXT_HASH])
            or (long_enough and len(one.keys) >= FEW_TERMS and LANGUAGES.index(one.language) == question.language)
        ]
        if not places:
            return answers
        sides = [*(_Side.of_stored(found[place]) for place in places), asking]
        triples = self._store.wording([one.ordinal for one in (*(found[place] for place in places), itself) if one])
        triples += [asking.triples] if itself is None else []
        last = len(places)
        later = np.array([itself is not None and found[place].ordinal > itself.ordinal for place in places])
        rows = np.arange(last, dtype=np.int64)
        pairs = judge_pairs(
            np.where(later, last, rows),
            np.where(later, rows, last),
            keys=self._compared([found[place] for place in places], question),
            records=EvidenceRecords.of_blobs([side.record for side in sides]),
            triples=triple_rows(triples),
            documents=DocumentFacts.of(
                [side.source for side in sides],
                [side.published for side in sides],
                [side.text for side in sides],
                [side.url for side in sides],
            ),
            model=self._model,
            filtered=False,
            meanings=self._meanings([found[place] for place in places], itself, question) if semantic else None,
        )
        counts = policy.counts(pairs)
        for at, place in enumerate(places):
            kind = Kind(int(pairs.kinds[at]))
            name = KIND_NAMES[kind if later[at] else seen_from_later(kind)]
            probability = verdict_probability(float(pairs.probability[at]))
            answers[place] = HitJudgement(name, probability, pairs.differing[at], bool(counts[at]))
        return answers

    def translate(
        self,
        connection: Connection,
        question: Question,
        itself: FoundDocument | None,
        found: Sequence[FoundDocument],
        shares: Floats,
    ) -> list[str]:
        """Kind of each document in another language by both shares, as `ingest` decides it; empty without one."""
        last = np.full(len(found), len(found), dtype=np.int64)
        rows = np.arange(len(found), dtype=np.int64)
        records = [*(one.record for one in found), itself.record if itself is not None else self._read(question).record]
        asked = None if itself is None else itself.published
        dates = [one.published for one in found]
        hours = np.array([abs(one - asked) / HOUR if one and asked else np.inf for one in dates], dtype=np.float64)
        evidence = EvidenceRecords.of_blobs(records)
        agreed = agreement(rows, last, shares, hours, self._compared(found, question), evidence)
        orders = self._ordered(connection, question, itself, found).compared(rows, last)
        told = agreed.one_event & tell_one_event(orders, shares)
        kept = ~agreed.contradicts & keep_order(orders, shares, agreed.numbers)
        smaller, best = shares.min(axis=1), dict[str, int]()
        for row in np.flatnonzero(kept)[np.argsort(-smaller[kept], kind="stable")].tolist():
            better = best.setdefault(found[row].language, row)
            # Documents of one group have one text.
            kept[row] = smaller[row] >= NEAR_BEST * smaller[better] or found[row].group == found[better].group
        languages = np.array([*(LANGUAGES.index(one.language) for one in found), question.language])
        figures = contradictions(rows, last, languages, evidence)
        differs = kept & np.array([one is not None for one in figures], dtype=np.bool_)
        cases = [differs, kept, told]
        names = [KIND_NAMES[kind] for kind in (Kind.DIFFERS, Kind.TRANSLATION, Kind.SAME_STORY)]
        found_kinds: list[str] = np.select(cases, names, "").tolist()
        return found_kinds

    def _ordered(
        self, connection: Connection, question: Question, itself: FoundDocument | None, found: Sequence[FoundDocument]
    ) -> OrderedWords:
        if len(self._numbers) > _MOST_WORDS:
            self._start_over()
        numbers, stored = self._numbers, [*found, *([] if itself is None else [itself])]
        words = np.unique(np.concatenate([one.order for one in stored]))
        names = term_names_of(connection, words.tolist())
        own = numbers.numbered([names[word] for word in words.tolist()]).astype(np.int64) if len(words) else words
        orders = [own[np.searchsorted(words, one.order)] for one in stored]
        if itself is None and question.document is not None:
            read = analysis.Analyser(self._settings.but(representation="pivot"), numbers).read(
                [question.document], ordered=True
            )
            orders.append(WrittenWords(numbers).told(read).row(0))
        languages = [*(LANGUAGES.index(one.language) for one in found), question.language]
        return OrderedWords(self._pivot, joined_rows(orders), np.array(languages, dtype=np.uint8))

    def _meanings(self, found: Sequence[FoundDocument], itself: FoundDocument | None, question: Question) -> Meanings:
        meanings = Meanings()
        for one in (*found, itself):
            if one is not None:
                meanings.add(Document(id=one.id, title=one.title, text=self._store.text(one.ordinal) or ""))
        if itself is None and question.document is not None:
            meanings.add(question.document)
        return meanings

    def _compared(self, found: Sequence[FoundDocument], question: Question) -> ComparedKeys:
        keys, weights, targets, firsts = [], [], [], []
        for one in found:
            keys.append(np.concatenate((one.keys, one.further_keys)))
            weights.append(np.concatenate((one.weights, one.further_weights)))
            targets.append(one.targets)
            firsts.append(len(one.keys))
        return compared_keys(
            joined_rows([*keys, question.keys]),
            joined_rows([*weights, question.weights]),
            joined_rows([*targets, question.targets]),
            firsts=np.array([*firsts, min(self._settings.n, len(question.keys))], dtype=np.int64),
        )

    def _read(self, question: Question) -> _Side:
        document = question.document
        if document is None or self._counts is None:
            raise ValueError("the text has not been read, or the store has not been loaded")
        record, triples = self._counts.weigh(document, question.language)
        return _Side(text=equality_hash(document), record=record, triples=triples)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    text: bytes
    record: bytes
    triples: bytes = b""
    source: str | None = None
    published: int | None = None
    url: str | None = None

    @classmethod
    def of_stored(cls, one: FoundDocument) -> _Side:
        published = one.published if one.published is not None and one.published > 0 else None
        return cls(text=one.text_hash, record=one.record, source=one.source, published=published, url=one.url)
