"""``passages``: find and locate parts that documents share.

``find`` lists the passages of every two documents, ``find_novel`` the sentences that no earlier document has,
``find_digests`` the documents compiled from others; ``compare`` compares two texts side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.keyword_types import FindKeywords, PassageKeywords
from infostream_dedup.api.keywords import parted
from infostream_dedup.api.sources import Listing, read_list
from infostream_dedup.documents import Reading, ReadingReport, check_quarantine, read_documents
from infostream_dedup.documents.reading import chosen_reading
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.model.limits import check_record, check_texts

if TYPE_CHECKING:
    from infostream_dedup.judging.passages.passage_table import PassageTable, TextComparison
    from infostream_dedup.judging.passages.sentence_table import SentenceCollection
    from infostream_dedup.judging.passages.settings import PassageSettings
    from infostream_dedup.machine.progress import Progress

__all__ = ["compare", "find", "find_digests", "find_novel"]


def find(
    source: Any,
    *,
    boilerplate: str | Path | None = None,
    settings: PassageSettings | None = None,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[FindKeywords],
) -> Listing[dict[str, Any]]:
    """Find the passages that documents share. Titles are ignored.

    Args:
        source: the documents (see ``read_documents``).
        boilerplate: file of sentences that match nothing (from ``boilerplate``).
        settings: what counts as a copy and as a passage.
        reading: all reading options at once.
        progress: called with each step.
        options: single settings (``feature``, ``tau``, ``gap``, ``min_sentences``, ``min_words``) and reading options
            by name, instead of ``settings`` and ``reading``.

    Returns:
        A row for every two documents that share a passage: ``a``, ``b`` (ids, a the earlier by date, otherwise the
        first in the input), ``spans`` (for each passage its position in both texts as [start, end) in code points, its
        sentences and words), ``coverage_a`` (share of a's words in sentences and runs of words that b has too, 0 to 1;
        sentences that a span skips do not count), ``coverage_b``, ``sentences`` (number of matching sentences).

    Raises:
        ConfigurationError: a setting is out of range or given twice, or there is no such feature.
        BadDataError, NoInputError: see ``read_documents``.

    Example:
        >>> from infostream_dedup.api import passages
        >>> quoted = "Мэр открыл новый мост через реку утром."
        >>> documents = [{"id": "1", "text": quoted}, {"id": "2", "text": f"Вчера. {quoted} Снег."}]
        >>> [(row["a"], row["b"], row["sentences"]) for row in passages.find(documents)]
        [('1', '2', 1)]
    """
    _, table, report = _shared(find, source, options, settings, reading, boilerplate, progress)
    return Listing(table.as_dicts(), ("a", "b", "spans", "coverage_a", "coverage_b", "sentences"), report)


def find_novel(
    source: Any,
    *,
    boilerplate: str | Path | None = None,
    settings: PassageSettings | None = None,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[FindKeywords],
) -> Listing[dict[str, Any]]:
    """List, for each document, what no earlier document says. Keeps all texts in memory.

    Words are known that an earlier document has four on end, or in a copy of their sentence. Stretches of new words are
    novel, and new numbers.

    Args:
        source, settings, reading, progress, options: see ``find``.
        boilerplate: file of sentences that are never novel.

    Returns:
        A row for each document: ``id``, ``novel_share`` (share of its words, 0 to 1), ``novel`` (number of sentences
        that say something new), ``sentences`` (number of all sentences), ``spans`` (span, text).

    Raises:
        ConfigurationError, BadDataError, NoInputError: see ``find``.
    """
    import numpy as np

    from infostream_dedup.judging.passages.boilerplate import marked_sentences
    from infostream_dedup.judging.passages.finding import copied_sentences
    from infostream_dedup.judging.passages.provenance import novel_words, novelties, stream_order
    from infostream_dedup.judging.passages.sentence_table import read_collection

    agreed, read = _chosen(find_novel, options, settings, reading, boilerplate)
    kept, report = read_list(source, read)
    collection = read_collection(kept, progress=progress)
    without = marked_sentences(boilerplate, collection)
    classes = copied_sentences(collection.sentences, agreed, without=without, progress=progress)
    novel = novel_words(collection.sentences, classes, stream_order(collection.times))
    if without is not None:
        novel &= ~np.repeat(without, collection.sentences.lengths)
    rows = (
        found.as_dict(kept[found.document].id, kept[found.document].text)
        for found in novelties(collection.sentences, novel)
    )
    return Listing(rows, ("id", "novel_share", "novel", "sentences", "spans"), report)


def find_digests(
    source: Any,
    *,
    boilerplate: str | Path | None = None,
    settings: PassageSettings | None = None,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[FindKeywords],
) -> Listing[dict[str, Any]]:
    """Find the documents most of whose text comes from three or more others.

    Args:
        source, boilerplate, settings, reading, progress, options: see ``find``.

    Returns:
        A row for each digest: ``id``, ``share`` (share of its words that come from others, 0 to 1), ``sources`` (id,
        share, spans; in the order of the text).

    Raises:
        ConfigurationError, BadDataError, NoInputError: see ``find``.
    """
    from infostream_dedup.judging.passages.passage_table import find_digests as digests_of

    collection, table, report = _shared(find_digests, source, options, settings, reading, boilerplate, progress)
    rows: Iterable[dict[str, Any]] = (one.as_dict(collection.ids) for one in digests_of(table, collection.times))
    return Listing(rows, ("id", "share", "sources"), report)


def compare(
    text_a: str,
    text_b: str,
    settings: PassageSettings | None = None,
    *,
    languages: tuple[Language, Language] | None = None,
    dictionaries_only: bool = False,
    **options: Unpack[PassageKeywords],
) -> TextComparison:
    """Find what two texts share and, if they are in two languages, the nouns and names that translate each other.

    Args:
        text_a: the first text.
        text_b: the second text.
        settings: what counts as a copy and as a passage.
        languages: those of the texts: ``ru``, ``uk``, ``en`` or ``other``; by default as detected.
        dictionaries_only: translate words as streams do, without the rungs that recognise names and cognates, which
            need seconds and half a gigabyte to start.
        options: single settings by name, instead of ``settings``.

    Returns:
        Passages, coverage, translated words with their places, and both texts cut into stretches.

    Raises:
        ConfigurationError: a setting is out of range or given twice, or there is no such feature or language.

    Example:
        >>> from infostream_dedup.api import passages
        >>> found = passages.compare("Мэр открыл больницу.", "Мер відкрив лікарню.")
        >>> [(word.words.a, word.words.b, word.spans_b) for word in found.translated.met]
        [('мэр', 'мер', ((0, 3),)), ('больница', 'лікарня', ((12, 19),))]
    """
    from infostream_dedup.judging.passages.finding import compare as compare_texts

    single, _ = parted(compare, PassageKeywords, options)
    if languages is not None and not (len(languages) == 2 and set(languages) <= set(LANGUAGES)):
        raise ConfigurationError(f"languages are {languages!r}; expected two of {', '.join(LANGUAGES)}")
    agreed = _settings(settings, single)
    check_texts(text_a=text_a, text_b=text_b)
    return compare_texts(text_a, text_b, agreed, languages=languages, dictionaries_only=dictionaries_only)


def _shared(
    function: Callable[..., Any],
    source: Any,
    options: Any,
    settings: PassageSettings | None,
    reading: Reading | None,
    boilerplate: str | Path | None,
    progress: Progress | None,
) -> tuple[SentenceCollection, PassageTable, ReadingReport]:
    """Read documents, and find the passages that they share."""
    from infostream_dedup.judging.passages.boilerplate import marked_sentences
    from infostream_dedup.judging.passages.finding import passages_of
    from infostream_dedup.judging.passages.sentence_table import read_collection

    agreed, read = _chosen(function, options, settings, reading, boilerplate)
    report = ReadingReport()
    collection = read_collection(read_documents(source, report=report, reading=read), progress=progress)
    without = marked_sentences(boilerplate, collection)
    return collection, passages_of(collection, agreed, without=without, progress=progress), report


def _chosen(
    function: Callable[..., Any],
    options: Any,
    settings: PassageSettings | None,
    reading: Reading | None,
    boilerplate: str | Path | None,
) -> tuple[PassageSettings, Reading]:
    single, reads = parted(function, FindKeywords, options)
    read = chosen_reading(reading, reads)
    check_quarantine(read.quarantine, [boilerplate])
    return _settings(settings, single), read


def _settings(settings: PassageSettings | None, given: Mapping[str, Any]) -> PassageSettings:
    from infostream_dedup.judging.passages.sentence_table import sentence_feature
    from infostream_dedup.judging.passages.settings import PassageSettings

    check_record("settings", settings, PassageSettings)
    named = {name: value for name, value in given.items() if value is not None}
    if settings is not None and named:
        raise ConfigurationError(f"settings and {', '.join(named)} are both given; put everything into settings")
    agreed = settings or PassageSettings(**named)
    # Report a wrong feature before hours of reading, not after.
    sentence_feature(agreed.feature)
    return agreed
