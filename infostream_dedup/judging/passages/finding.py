"""Find the passages that documents share: the steps in order.

The sentences of all documents become bags of features (``sentence_feature``); sentences whose bags resemble each other
are copies (``matched``); runs of copied sentences are passages (``passage_table``). Heavy modules are imported
lazily, so that importing this package costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from infostream_dedup.judging.passages.settings import DEFAULT_SETTINGS, PassageSettings
from infostream_dedup.model import Document, Language

if TYPE_CHECKING:
    from infostream_dedup.judging.passages.passage_runs import SentenceClasses
    from infostream_dedup.judging.passages.passage_table import PassageTable, TextComparison
    from infostream_dedup.judging.passages.sentence_table import SentenceCollection, SentenceTable
    from infostream_dedup.machine.arrays import Bools
    from infostream_dedup.machine.progress import Progress


def find_passages(
    documents: Iterable[Document], settings: PassageSettings = DEFAULT_SETTINGS, *, progress: Progress | None = None
) -> PassageTable:
    """Find the passages that any two documents share.

    Example:
        >>> from infostream_dedup.model import Document
        >>> quoted = "Мэр открыл новый мост через реку утром."
        >>> found = find_passages([Document(id="1", text=quoted), Document(id="2", text=f"Вчера. {quoted} Снег.")])
        >>> list(found.as_dicts())[0]["spans"]
        [{'a': [0, 39], 'b': [7, 46], 'sentences': 1, 'words': 7}]
    """
    from infostream_dedup.judging.passages.sentence_table import read_collection

    return passages_of(read_collection(documents, progress=progress), settings, progress=progress)


def passages_of(
    collection: SentenceCollection,
    settings: PassageSettings = DEFAULT_SETTINGS,
    *,
    without: Bools | None = None,
    progress: Progress | None = None,
) -> PassageTable:
    """Find passages of documents that have been read; sentences in ``without`` (bool) match nothing, as boilerplate."""
    from infostream_dedup.judging.passages.passage_table import passage_table

    classes = copied_sentences(collection.sentences, settings, without=without, progress=progress)
    _tell(progress, "passages")
    return passage_table(
        collection.sentences, classes, settings, ids=collection.ids, times=collection.times, without=without
    )


def copied_sentences(
    sentences: SentenceTable,
    settings: PassageSettings = DEFAULT_SETTINGS,
    *,
    without: Bools | None = None,
    progress: Progress | None = None,
) -> SentenceClasses:
    """Find the sentences that are copies of each other, but for those in ``without``: bool (sentences,)."""
    import numpy as np

    from infostream_dedup.judging.passages.passage_runs import index_bags, matched
    from infostream_dedup.judging.passages.sentence_table import sentence_feature

    feature = sentence_feature(settings.feature)
    _tell(progress, "features")
    bags = feature.bags(sentences)
    index = index_bags(bags if without is None else bags.chosen(np.repeat(~without, bags.sizes)))
    _tell(progress, "matching")
    return matched(index, feature.tau if settings.tau is None else settings.tau)


def compare(
    text_a: str,
    text_b: str,
    settings: PassageSettings = DEFAULT_SETTINGS,
    *,
    languages: tuple[Language, Language] | None = None,
    dictionaries_only: bool = False,
) -> TextComparison:
    """Find the passages that two texts share and, if their languages differ, the words that translate each other.

    Example:
        >>> found = compare("Снег. Мэр открыл новый мост через реку утром.", "Мэр открыл новый мост через реку утром!")
        >>> found.coverage_b, [found.text_a[one.start_a : one.end_a] for one in found.passages]
        (1.0, ['Мэр открыл новый мост через реку утром.'])
    """
    from infostream_dedup.judging.passages.passage_table import passage_table, text_comparison
    from infostream_dedup.judging.passages.sentence_table import read_sentences
    from infostream_dedup.language.text.language import detect
    from infostream_dedup.terms.matched_words import translated_words

    spoken = (detect(text_a), detect(text_b)) if languages is None else languages
    sentences = read_sentences([text_a, text_b], spoken)
    found = passage_table(sentences, copied_sentences(sentences, settings), settings, ids=("a", "b"))
    words = translated_words((text_a, text_b), spoken, dictionaries_only=dictionaries_only)
    return replace(text_comparison(text_a, text_b, found), languages=spoken, translated=words)


def _tell(progress: Progress | None, step: str) -> None:
    if progress is not None:
        progress(step, 0, None)
