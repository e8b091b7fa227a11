"""``classify``: let a trained model decide which document repeats which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

from infostream_dedup.api.candidates import Candidates, candidate_pairs
from infostream_dedup.api.keywords import parted
from infostream_dedup.api.listing import Listing
from infostream_dedup.documents.reading import ReadingOptions, chosen_reading

if TYPE_CHECKING:
    from infostream_dedup.documents import Reading, ReadingReport
    from infostream_dedup.judging.criteria.classifier import Decisions
    from infostream_dedup.judging.criteria.document_models import DocumentModels
    from infostream_dedup.judging.criteria.domains import ClassifierSet
    from infostream_dedup.machine.progress import Progress

__all__ = ["Classification", "classify"]

_COLUMNS: Final = ("a", "b", "outcome", "a_repeats_b", "b_repeats_a", "domain")
_CHUNK: Final = 5000


class Classification(Listing[dict[str, Any]]):
    """Judged pairs, computed as they are read.

    Args:
        rows: the pairs.
        columns: names of their columns.
        report: what was read.
        decisions: decisions on all pairs, shown or not.

    Attributes:
        judged: how many pairs were judged.
        repeating: number of pairs in which at least one document repeats the other.
    """

    def __init__(
        self, rows: Iterator[dict[str, Any]], columns: tuple[str, ...], report: ReadingReport, decisions: Decisions
    ) -> None:
        super().__init__(rows, columns, report)
        self.judged = len(decisions)
        self.repeating = int((decisions.outcomes > 0).sum())


def classify(
    source: Any,
    models: str | Path | Sequence[str | Path],
    *,
    domain: str | None = None,
    rules: str | Path | None = None,
    pairs: str | Path | None = None,
    candidates: Candidates = "key-terms",
    k: int = 3,
    explain: bool = False,
    repeats: bool = False,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Classification:
    """Judge pairs of documents with trained models, each pair in both directions.

    Args:
        source: the documents (see ``read_documents``).
        models: a file from ``train``, or several, one for each domain.
        domain: judge all documents by the model of this domain.
        rules: file that assigns documents to domains by source or category (TSV or JSON).
        pairs: file of the pairs to judge (JSON Lines of ``a``, ``b``) instead of candidates.
        candidates: which pairs are considered: ``key-terms`` (linked by key terms) or ``two-words`` (the same two
            heaviest words, as in the paper).
        k: number of shared key terms that links a pair, 1 to 12.
        explain: add ``why`` (the weightiest reasons of the likelier direction) and ``reasons`` (all, both directions).
        repeats: return only pairs in which at least one document repeats the other.
        reading: all reading options at once.
        progress: called with each step.
        options: single reading options by name, instead of ``reading``.

    Returns:
        Rows ``a, b`` (ids, a the earlier), ``outcome`` (both original, a repeats b, b repeats a, each repeats the
        other), ``a_repeats_b`` and ``b_repeats_a`` (probability that the document adds nothing to the other, 0 to 1),
        ``domain`` (domain of the model used; empty for a model of any domain). The outcome follows from the sum of the
        criteria; probabilities are fitted to it afterwards, so the border between the outcomes need not be at .5. Also
        ``judged``, ``repeating`` and ``report``.

    Raises:
        ConfigurationError: the models do not fit each other or the domain, or an option is given twice.
        BadDataError, NoInputError: an input cannot be used.
        TypeError: an option is unknown.
    """
    from infostream_dedup.api.sources import read_list
    from infostream_dedup.documents import check_quarantine
    from infostream_dedup.judging.criteria.document_models import document_models
    from infostream_dedup.judging.criteria.domains import ClassifierSet, read_domain_rules
    from infostream_dedup.judging.criteria.judged_pairs import read_pairs
    from infostream_dedup.judging.criteria.model_file import read_model

    _, reads = parted(classify, ReadingOptions, options)
    read = chosen_reading(reading, reads)
    paths = [models] if isinstance(models, str | Path) else list(models)
    check_quarantine(read.quarantine, [*paths, rules, pairs])
    ordered = () if rules is None else read_domain_rules(rules)
    classifiers = ClassifierSet([read_model(path) for path in paths], rules=ordered, domain=domain)
    documents, report = read_list(source, read)
    modelled = document_models(documents, progress=progress, statistics=classifiers.statistics)
    i, j = candidate_pairs(modelled, candidates, k) if pairs is None else read_pairs(pairs, modelled.ids)
    decisions = classifiers.decide(modelled, i, j)
    rows = _rows(modelled, classifiers, decisions, explain=explain, repeats=repeats)
    return Classification(rows, (*_COLUMNS, "why", "reasons") if explain else _COLUMNS, report, decisions)


def _rows(
    models: DocumentModels, classifiers: ClassifierSet, decisions: Decisions, *, explain: bool, repeats: bool
) -> Iterator[dict[str, Any]]:
    import numpy as np

    wanted = np.flatnonzero(decisions.outcomes > 0) if repeats else np.arange(len(decisions))
    for start in range(0, len(wanted), _CHUNK):
        some = decisions.at(wanted[start : start + _CHUNK])
        numbers = classifiers.chosen(models, some.i, some.j).tolist()
        why = _explanations(models, classifiers, some, numbers) if explain else [{}] * len(some)
        for row, number in enumerate(numbers):
            yield _row(models, some, row) | {"domain": classifiers.classifiers[number].domain} | why[row]


def _row(models: DocumentModels, decisions: Decisions, row: int) -> dict[str, Any]:
    from infostream_dedup.judging.criteria.classifier import OUTCOMES

    return {
        "a": models.ids[int(decisions.i[row])],
        "b": models.ids[int(decisions.j[row])],
        "outcome": OUTCOMES[decisions.outcomes[row]],
        "a_repeats_b": round(float(decisions.probability_forward[row]), 6),
        "b_repeats_a": round(float(decisions.probability_backward[row]), 6),
    }


def _explanations(
    models: DocumentModels, classifiers: ClassifierSet, decisions: Decisions, numbers: list[int]
) -> list[dict[str, Any]]:
    """Return the reasons for each pair, in both directions, and in words for the likelier one."""
    import numpy as np

    from infostream_dedup.judging.criteria.classifier import comes_later, in_words, reasons

    a_is_later = comes_later(models.times, decisions.i, decisions.j).tolist()
    explained: list[dict[str, Any]] = [{}] * len(decisions)
    for number, classifier in enumerate(classifiers.classifiers):
        rows = np.flatnonzero(np.array(numbers, dtype=np.int64) == number)
        vectors = classifier.vectors(models, decisions.i[rows], decisions.j[rows])
        for row, forward, backward in zip(rows.tolist(), *vectors, strict=True):
            later = a_is_later[row]
            found = reasons(classifier, forward, later=later), reasons(classifier, backward, later=not later)
            likelier = found[0] if decisions.forward[row] >= decisions.backward[row] else found[1]
            explained[row] = {
                "why": in_words(likelier),
                "reasons": {
                    name: [reason.as_dict() for reason in direction]
                    for name, direction in zip(("a_against_b", "b_against_a"), found, strict=True)
                },
            }
    return explained
