"""Writes cross-errors.md: missed and false pairs across languages by cause, with the defaults of ``pivot``.

    python reports/make_cross_errors.py DATA

DATA is the folder of the labelled sets (wmt, ntrex, multilingual). For every pair examined, each key term that was not
found is assigned a reason; the pair gets the reason of most of its terms. All reasons are decided by rule.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.documents import read_documents
from infostream_dedup.lab.evaluation.collection_scores import predictions_of, truth_for
from infostream_dedup.lab.evaluation.labels import FALSE, both_of
from infostream_dedup.language.morphology.stemming import stem
from infostream_dedup.language.translation.ladder import Translator, standard_rungs
from infostream_dedup.language.translation.romanisation import latin_key
from infostream_dedup.language.translation.rung import Translation
from infostream_dedup.links.pair_rules import need
from infostream_dedup.model import Language, Settings
from infostream_dedup.runs.batch.collection import Collection, collect
from infostream_dedup.runs.batch.linking import link
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.plain import SurfaceCounts
from infostream_dedup.terms.reading import key_terms_of_surfaces

if TYPE_CHECKING:
    from numpy.typing import NDArray

REPORTS: Final = Path(__file__).resolve().parent
SETS: Final = {"wmt": ["", "news"], "ntrex": [], "multilingual": []}
BLOCKS: Final = ("ru-uk", "en-ru", "en-uk")
SAMPLE: Final = 50
SURE: Final = 0.75
EXAMPLES: Final = 6
WORTH_SHOWING: Final = 4

NO_EQUIVALENT: Final = "no equivalent in the other language"
OTHER_SPELLING: Final = "name or loan word spelt otherwise"
OTHER_PART: Final = "the equivalent occurs there as another part of speech, or is not a term"
OTHER_WORD: Final = "has equivalents, the other text says something else"
ONE_WAY: Final = "enough terms met one way, too few the other"
SHORT: Final = "short: fewer than 12 key terms in one of them"
NAMES: Final = "most terms that met are names or foreign words"
SYNONYMS: Final = "half of the terms met by a second equivalent"
TOPIC: Final = "same topic or template: common nouns met by their first equivalents"


class Unmet(NamedTuple):
    """A key term that was not found in the other document.

    Attributes:
        term: the term as in its document.
        language: language of its document.
        other: language of the other document.
        rung: rung of the ladder that translates it directly into the other language; ``none`` if no rung does.
        cause: one of the constants above.
    """

    term: str
    language: str
    other: str
    rung: str
    cause: str


class Reader:
    """Examines the pairs of one set.

    Args:
        collection: documents of the set.
        key_terms: their key terms in the pivot language.
    """

    def __init__(self, collection: Collection, key_terms: KeyTerms) -> None:
        self.collection = collection
        if key_terms.pivot is None:
            raise ValueError("these key terms are in no pivot language")
        self.keys = key_terms
        self.space = key_terms.pivot
        self._stems: dict[int, set[str]] = {}

    def columns(self, document: int) -> list[int]:
        """Return the key columns of a document."""
        keys = self.keys.keys
        found: list[int] = keys.indices[keys.indptr[document] : keys.indptr[document + 1]].tolist()
        return found

    def answered(self, document: int) -> set[int]:
        """Return the target columns of a document."""
        targets = self.keys.targets
        return set(targets.indices[targets.indptr[document] : targets.indptr[document + 1]].tolist())

    def sources(self, document: int) -> list[int]:
        """Return the source terms of a document."""
        counts = self.space.sources.counts
        found: list[int] = counts.indices[counts.indptr[document] : counts.indptr[document + 1]].tolist()
        return found

    def stands_for(self, document: int, column: int) -> int:
        """Return the first source term of a document that a key column represents."""
        space = self.space
        return next(s for s in self.sources(document) if space.equivalents.canonical[s] == space.canonical[column])

    def stems(self, document: int) -> set[str]:
        """Return the stems of all words of a document, terms or not."""
        if document not in self._stems:
            from infostream_dedup.language.text.tokens import forms

            surfaces = self.collection.surfaces
            if not isinstance(surfaces, SurfaceCounts):
                raise TypeError("the collection was not read by the plain engine")
            row = slice(surfaces.counts.indptr[document], surfaces.counts.indptr[document + 1])
            language = self.collection.languages[document]
            self._stems[document] = {
                stem(form.form, language)
                for surface in surfaces.counts.indices[row].tolist()
                for form in forms(surfaces.surfaces[surface])
            }
        return self._stems[document]

    def unmet(self, a: int, b: int) -> Iterator[Unmet]:
        """List the key terms of either document that the other lacks, with the reason."""
        for one, other in ((a, b), (b, a)):
            there = self.answered(other)
            for column in self.columns(one):
                if column not in there:
                    yield self._explain(self.stands_for(one, column), one, other)

    def _explain(self, source: int, one: int, other: int) -> Unmet:
        term = self.space.sources.terms[source]
        own, theirs = self.collection.languages[one], self.collection.languages[other]
        answers = _translate(term, own, theirs)
        sure = [answer for answer in answers if answer.confidence >= SURE]
        spelt = {latin_key(self.space.sources.terms[word]) for word in self.sources(other)}
        if len(term) >= WORTH_SHOWING and latin_key(term) in spelt:
            cause = OTHER_SPELLING
        elif not sure:
            cause = NO_EQUIVALENT
        elif any(stem(answer.term, theirs) in self.stems(other) for answer in sure):
            cause = OTHER_PART
        else:
            cause = OTHER_WORD
        return Unmet(term, own, theirs, sure[0].rung if sure else "none", cause)

    def met_by(self, a: int, b: int) -> str:
        """Explain why a false pair was linked."""
        if min(len(self.columns(a)), len(self.columns(b))) < self.most:
            return SHORT
        space = self.space
        names = second = total = 0
        for one, other in ((a, b), (b, a)):
            there = self.answered(other)
            first = {int(space.equivalents.canonical[word]) for word in self.sources(other)}
            for column in self.columns(one):
                if column in there:
                    source = self.stands_for(one, column)
                    rung = space.equivalents.rungs[int(space.equivalents.indptr[source])]
                    total += 1
                    names += rung in ("names", "identity")
                    second += int(space.canonical[column]) not in first
        return NAMES if 2 * names > total else SYNONYMS if 2 * second >= total else TOPIC

    @property
    def most(self) -> int:
        """Number of key terms of a full document."""
        return int(self.keys.sizes.max(initial=0))


@cache
def _translate(term: str, source: Language, target: Language) -> tuple[Translation, ...]:
    return _translator(source, target).translate([term])[0]


@cache
def _translator(source: Language, target: Language) -> Translator:
    return Translator(source, target, rungs=standard_rungs())


def main() -> int:
    """Examine every set and write the page."""
    if len(sys.argv) != 2:
        print("usage: python reports/make_cross_errors.py DATA", file=sys.stderr)
        return 2
    data = Path(sys.argv[1])
    parts = [section(data, name) for name in SETS]
    page = f"""# Errors across languages

Made on {date.today().isoformat()} by `python reports/make_cross_errors.py DATA`, with the defaults of representation
`pivot` (12 key terms, both directions, k = 6), without any translation model. Up to {SAMPLE} missed and {SAMPLE} false
pairs of each set, spread evenly over all of them. The causes are decided by rule, term by term, and were not judged by
a reader; a pair counts under the cause that most of its unmet terms have. "Says something else" holds paraphrase,
synonyms and wrong equivalents alike. A few single terms are given as examples.

{"".join(parts)}"""
    (REPORTS / "cross-errors.md").write_text(page.rstrip("\n") + "\n", encoding="utf-8")
    return 0


def section(data: Path, name: str) -> str:
    """Make the section on one set."""
    settings = Settings(representation="pivot")
    collection = collect(read_documents(data / f"{name}.docs.jsonl.gz"), hashes=False, engine="scipy")
    key_terms = key_terms_of_surfaces(collection.surfaces, settings)
    linked = link(key_terms, settings, k_min=3, engine="scipy")
    predictions = predictions_of(linked)
    kin = data / f"{name}.kin.jsonl.gz"
    predicted = predictions.grades >= list(predictions.steps).index(settings.k) + 1
    missed: list[tuple[int, int]] = []
    false: list[tuple[int, int]] = []
    for block in BLOCKS:
        truth = truth_for(
            collection,
            data / f"{name}.labels.jsonl.gz",
            kin=kin if kin.exists() else None,
            lang=block,
            domains=SETS[name],
            positive=("translation", "dup"),
        )
        found = predictions.codes[predicted]
        missed += _decode_pairs(np.setdiff1d(truth.positives, found), len(collection))
        false += _decode_pairs(found[truth.judge(found) == FALSE], len(collection))
    reader = Reader(collection, key_terms)
    return _section(name, reader, settings, missed, false)


def _decode_pairs(codes: NDArray[np.int64], documents: int) -> list[tuple[int, int]]:
    a, b = both_of(codes, documents)
    return list(zip(a.tolist(), b.tolist(), strict=True))


def _sample(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Take the wanted number, evenly spread."""
    places: list[int] = np.unique(np.linspace(0, max(len(pairs) - 1, 0), SAMPLE).astype(int)).tolist() if pairs else []
    return [pairs[place] for place in places]


def _section(
    name: str, reader: Reader, settings: Settings, missed: list[tuple[int, int]], false: list[tuple[int, int]]
) -> str:
    pairs: Counter[str] = Counter()
    terms: Counter[tuple[str, str]] = Counter()
    examples: dict[str, Counter[str]] = {}
    looked_at = _sample(missed)
    for a, b in looked_at:
        unmet = list(reader.unmet(a, b))
        sizes = np.array([len(reader.columns(a)), len(reader.columns(b))])
        met = [sum(column in reader.answered(y) for column in reader.columns(x)) for x, y in ((a, b), (b, a))]
        needed = int(need(settings.k, sizes[:1], sizes[1:], n=settings.n, short=settings.short)[0])
        causes = Counter(one.cause for one in unmet)
        pairs[ONE_WAY if max(met) >= needed else min(causes, key=lambda cause: (-causes[cause], cause))] += 1
        for one in unmet:
            terms[one.cause, one.rung] += 1
            examples.setdefault(one.cause, Counter())[f"{one.term} ({one.language}-{one.other})"] += 1
    falsely = Counter(reader.met_by(a, b) for a, b in _sample(false))
    rows = [
        (
            cause,
            str(pairs[cause]),
            str(sum(count for (of, _), count in terms.items() if of == cause)),
            *_rungs(cause, terms),
        )
        for cause in (ONE_WAY, NO_EQUIVALENT, OTHER_SPELLING, OTHER_PART, OTHER_WORD)
    ]
    lines = [
        f"## {name}{' news' if name == 'wmt' else ''}\n",
        f"Missed: {len(missed)}, looked at {len(looked_at)}. False: {len(false)}, looked at {sum(falsely.values())}.\n",
        _table(("cause of missed pairs", "pairs", "terms", "rungs of the terms"), rows),
        "",
        _table(("cause of false pairs", "pairs"), [(c, str(falsely[c])) for c in (SHORT, NAMES, SYNONYMS, TOPIC)]),
        "",
    ]
    for cause in (NO_EQUIVALENT, OTHER_SPELLING, OTHER_PART):
        often = sorted(examples.get(cause, {}).items(), key=lambda item: (-item[1], item[0]))[:EXAMPLES]
        if often:
            lines.append(f"{cause[0].upper()}{cause[1:]}: {', '.join(term for term, _ in often)}.\n")
    return "\n".join(lines) + "\n"


def _rungs(cause: str, terms: Counter[tuple[str, str]]) -> tuple[str]:
    of = sorted(((count, rung) for (one, rung), count in terms.items() if one == cause), key=lambda x: (-x[0], x[1]))
    return (", ".join(f"{rung} {count}" for count, rung in of),)


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ("---",) * len(heads), *rows))


if __name__ == "__main__":
    sys.exit(main())
