"""Terms of one pivot language, into which the terms of the other languages are translated (Lande, section 3).

The terms of ``morph`` are translated; English terms are lemmas of nouns instead of stems.

Every source term has one canonical pivot term, its best equivalent, which carries document frequency and weight;
further equivalents count only in matching. The key terms of a document are the n heaviest of its canonical terms, and
are looked up among all equivalents of all terms of another document. A term without an equivalent, or an English noun
that is mostly a verb or an adjective, adds to the length of its document but is not a key term.

A key term of a document matches another document if any of its equivalents is among the equivalents of the other
document's terms; it counts once. Matching need not know about equivalents, because its columns are not terms but
distinct sets of equivalents, each with its canonical term: a document asks with its own columns, and answers to every
column that contains one of its equivalents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.language.morphology.readings import is_seldom_noun, noun_term
from infostream_dedup.language.text.tokens import Form
from infostream_dedup.language.translation.word_pairs import marked_term, plain_term
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language, Settings
from infostream_dedup.terms.compiled import select_key_terms
from infostream_dedup.terms.equivalents import Translate, equivalents_of, source_terms, translate_by_ladder
from infostream_dedup.terms.key_terms import KeyTerms, PivotSpace, Select, StatisticsOfTerms
from infostream_dedup.terms.representation import Representation, representation, term_frequencies
from infostream_dedup.terms.statistics import TermCounts


class _Pivot(Representation):
    name = "pivot"
    colour = "#2e8b57"
    marker = "D"
    cached = True

    def of_language(self, language: Language) -> Representation:
        """Return what decides the terms before translation."""
        return self if language == "en" else representation("morph")

    def terms(self, forms: Sequence[Form], language: Language, settings: Settings) -> list[str | None]:
        if language != "en":
            return self.of_language(language).terms(forms, language, settings)
        found = [noun_term(form, shape) for form, shape in forms]
        return [term and marked_term(form, term) for form, term in zip(forms, found, strict=True)]

    def frequencies(self, language: Language) -> Mapping[str, float]:
        """Return the background of the terms before translation."""
        return super().frequencies(language) if language == "en" else term_frequencies(language, "morph")

    def background_terms(self, forms: Sequence[Form], language: Language) -> list[str | None]:
        """Return plain terms that may be key terms: wordfreq does not know how often a word is a name."""
        found = [term and plain_term(term) for term in super().background_terms(forms, language)]
        return [None if term and is_seldom_noun(term) else term for term in found]

    def key_terms(
        self, counts: TermCounts, settings: Settings, select: Select, statistics: StatisticsOfTerms | None = None
    ) -> KeyTerms:
        """Select key terms after translation, by the statistics of the pivot space."""
        del statistics
        return pivot_key_terms(counts, settings, select=select)


REPRESENTATION: Final = _Pivot()


def pivot_key_terms(
    counts: TermCounts,
    settings: Settings,
    *,
    select: Select = select_key_terms,
    translate: Translate = translate_by_ladder,
) -> KeyTerms:
    """Key terms of every document in the pivot language."""
    # Searches read words by this representation, and need not load scipy.
    from infostream_dedup.terms import pivot_columns as made

    pivot = cast("Language", settings.pivot)
    sources = source_terms(counts)
    documents = np.bincount(counts.languages, minlength=len(LANGUAGES))
    equivalents = equivalents_of(sources, pivot, translate, shares=shares_of_languages(documents))
    canonical = made.canonical_counts(counts, sources, equivalents)
    chosen = select(canonical, settings, made.SpaceCounts.of(canonical).statistics(sources, equivalents, settings))
    named = made.KeyNames.of(chosen.keys, sources, equivalents)
    columns = made.KeyColumns.of(named.names, len(equivalents.vocabulary))
    met_by = sources.counts if settings.target == "text" else made.restricted(sources, equivalents, chosen.targets)
    space = PivotSpace(pivot, sources, equivalents, columns.canonical, columns.sets)
    targets = made.Targets(columns, equivalents).of(met_by)
    # Columns ascend within a document, as they are sorted by canonical term, which is distinct there.
    return KeyTerms(columns.keyed(chosen.keys, named.number), targets, canonical, chosen.statistics, space)


def shares_of_languages(documents: NDArray[np.integer]) -> dict[Language, float]:
    """Return the share of documents in each of our languages, among those in any of them."""
    ours = documents[: len(OUR_LANGUAGES)]
    return dict(zip(OUR_LANGUAGES, (ours / max(ours.sum(), 1)).tolist(), strict=True))
