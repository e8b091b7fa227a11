"""Stem texts in languages other than ours."""

from __future__ import annotations

from collections.abc import Sequence

from infostream_dedup.language.lexicon.word_lists import stop_words
from infostream_dedup.language.morphology.stemming import stems
from infostream_dedup.language.text.normalise import clean
from infostream_dedup.language.text.tokens import forms, surfaces
from infostream_dedup.language.text.utf8 import Utf8Texts, texts_of
from infostream_dedup.model import OUR_LANGUAGES


def stemmed_text(text: str, language: str) -> str:
    """Return the stems of the words of a text, joined by blanks, without the most frequent words of its language.

    All other languages share one set of statistics (``LANGUAGES``), in which a word is its own term, so the appropriate
    stemmer is applied before the words are counted.

    Args:
        language: code of its language; if it has no stemmer, words are only lower-cased.

    Example:
        >>> stemmed_text("Die Minister beschlossen neue Gesetze.", "de")
        'minist beschloss neu gesetz'
    """
    ignored = stop_words(language)
    words = [form.form for surface in surfaces(clean(text)) for form in forms(surface)]
    return " ".join(stems([word for word in words if word not in ignored], language))


def with_stems(texts: Utf8Texts, languages: Sequence[str | None]) -> Utf8Texts:
    """Replace texts in other languages by their stems.

    Args:
        languages: code of the language of each; ``None`` for one of ours.
    """
    return texts_of(
        [
            texts[number] if language is None or language in OUR_LANGUAGES else stemmed_text(texts[number], language)
            for number, language in enumerate(languages)
        ]
    )
