"""The analysis of one word form."""

from __future__ import annotations

from dataclasses import dataclass

from infostream_dedup.language.lexicon.name_tables import NO_NAME, NameKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Lemma and key term of a form.

    Attributes:
        lemma: normal form in key spelling; the form itself if none is known.
        part_of_speech: OpenCorpora's tag (NOUN, ADJF, VERB ...); empty if unknown.
        kinds: kinds of things that a proper name denotes; empty for other words.
        known: whether a dictionary contains the word; otherwise the analysis is a guess.
        frequency: share of running words that are the lemma, 0 to 1.
        source: where the lemma comes from: ``pymorphy3``, ``names-translator``, ``predicted``, ``latin``, ``stem`` or
            ``file:line``.
        term: the key term; ``None`` for a form that is not a term.
        in_dictionary: whether the strict rule, which excludes guesses, also accepts the term.
        why: why the form is not a term; empty if it is one.
    """

    lemma: str
    part_of_speech: str = ""
    kinds: NameKind = NO_NAME
    known: bool = False
    frequency: float = 0.0
    source: str = ""
    term: str | None = None
    in_dictionary: bool = False
    why: str = ""
