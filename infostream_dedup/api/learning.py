"""``train``, ``suggest`` and ``classify``: a classifier learned from judged pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack

from infostream_dedup.api.keywords import parted
from infostream_dedup.api.sources import Listing, read_list
from infostream_dedup.documents import Reading, ReadingReport, check_output, check_quarantine, paths_of
from infostream_dedup.documents.reading import ReadingOptions, chosen_reading
from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.model import names_in
from infostream_dedup.model.limits import Range

if TYPE_CHECKING:
    from infostream_dedup.judging.criteria.classifier import Classifier, ClassifierPreset, Decisions
    from infostream_dedup.judging.criteria.document_models import DocumentModels
    from infostream_dedup.judging.criteria.judged_pairs import JudgedPairs
    from infostream_dedup.judging.criteria.model_file import ClassifierSet
    from infostream_dedup.judging.criteria.training import Authority, CurvePoint
    from infostream_dedup.machine.arrays import Ints
    from infostream_dedup.machine.progress import Progress

Candidates = Literal["key-terms", "two-words"]


def candidate_pairs(models: DocumentModels, candidates: Candidates, k: int) -> tuple[Ints, Ints]:
    """Return the candidate pairs, the earlier document first."""
    import numpy as np

    from infostream_dedup.judging.criteria.document_models import key_term_candidates, two_word_candidates

    if candidates not in ("key-terms", "two-words"):
        raise ConfigurationError(f"candidates is {candidates!r}; expected key-terms or two-words")
    i, j = two_word_candidates(models) if candidates == "two-words" else key_term_candidates(models, k=k)
    turned = models.times[j] < models.times[i]
    return np.where(turned, j, i), np.where(turned, i, j)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Training:
    """A trained classifier and its training data.

    Attributes:
        classifier: the classifier.
        models: the models of the documents.
        pairs: the judged pairs.
        preset: purpose of the classifier.
        authority: where the authority of sources comes from.
        labels: name of the file of labels.
        report: what was read.
    """

    classifier: Classifier
    models: DocumentModels
    pairs: JudgedPairs
    preset: ClassifierPreset
    authority: Authority
    labels: str
    report: ReadingReport

    def __repr__(self) -> str:
        # The models of all documents would fill a notebook.
        return f"<Training: preset {self.preset.name}, {len(self.pairs):,} judged pairs of {self.labels}>"

    def weights(self) -> list[dict[str, Any]]:
        """Return rows ``criterion, weight, weight_earlier, mean, scale``, the heaviest first.

        ``weight`` judges the later document of a pair against the earlier, ``weight_earlier`` the earlier against the
        later. A positive weight favours a repeat if the criterion is greater than ``mean``.
        """
        later, earlier = self.classifier.later, self.classifier.earlier
        columns = (later.weights.tolist(), earlier.weights.tolist(), later.means.tolist(), later.scales.tolist())
        ordered = sorted(zip(self.classifier.criteria, *columns, strict=True), key=lambda row: (-abs(row[1]), row[0]))
        names = ("criterion", "weight", "weight_earlier", "mean", "scale")
        return [dict(zip(names, row, strict=True)) for row in ordered]

    def suggest(self, number: int = 10, *, candidates: Candidates = "key-terms", k: int = 3) -> list[dict[str, Any]]:
        """Suggest the pairs whose labels would teach the classifier most.

        Args:
            number: maximum number of pairs.
            candidates: which pairs are considered, ``key-terms`` or ``two-words``.
            k: number of shared key terms that links a pair, 1 to 12.

        Returns:
            Rows ``a, b, label, outcome, a_repeats_b, b_repeats_a``, which become labels once ``label`` is filled in.
        """
        from infostream_dedup.judging.criteria.classifier import OUTCOMES, suggestions

        number = Range(0).check("number", number)
        ids = self.models.ids
        i, j = candidate_pairs(self.models, candidates, k)
        decisions = self.classifier.decide(self.models, i, j)
        judged = {(ids[a], ids[b]) for a, b in zip(self.pairs.i.tolist(), self.pairs.j.tolist(), strict=True)}
        outcomes = decisions.outcomes
        return [
            {
                "a": ids[int(i[row])],
                "b": ids[int(j[row])],
                "label": None,
                "outcome": OUTCOMES[outcomes[row]],
                "a_repeats_b": round(float(decisions.probability_forward[row]), 6),
                "b_repeats_a": round(float(decisions.probability_backward[row]), 6),
            }
            for row in suggestions(decisions, ids, judged, number).tolist()
        ]

    def learning_curve(self, *, draws: int = 20) -> list[CurvePoint]:
        """Measure quality by number of judged pairs, to see whether there are enough.

        Args:
            draws: number of training sets drawn for each point.

        Raises:
            BadDataError: ``E_TOO_FEW``: the pairs do not allow the smallest training set.
        """
        from infostream_dedup.judging.criteria.training import curve_criteria, learning_curve

        draws = Range(1).check("draws", draws)
        points = learning_curve(
            self.models,
            self.pairs,
            curve_criteria(self.classifier.criteria),
            self.preset.rule,
            draws=draws,
            authority=self.authority,
            prior=self.preset.prior,
        )
        if not any(point.size for point in points):
            raise BadDataError(
                f"{len(self.pairs)} judged pairs are too few for a learning curve, which starts at 50 training pairs "
                "of other stories than each third",
                code="E_TOO_FEW",
                source=self.labels,
            )
        return points


def train(
    source: Any,
    labels: str | Path,
    *,
    model: str | Path | None = None,
    preset: str = "duplicate",
    criteria: Sequence[str] | str | None = None,
    positive: Sequence[str] | str | None = None,
    domain: str = "",
    statistics: str = "collection",
    authority: str | Path | None = None,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Training:
    """Learn from judged pairs which documents repeat each other, starting from the built-in evidence.

    Args:
        source: the documents (see ``read_documents``).
        labels: JSON Lines of ``a``, ``b``, ``label``; a line may also have ``repeats`` (``a``, ``b``, ``both`` or
            ``none``) to say which of the two repeats the other.
        model: file to write the classifier to (JSON), for ``classify`` and ``ingest``; none is written by default.
        preset: ``duplicate``: which document repeats which; ``story``: which documents report one event.
        criteria: names of the criteria, instead of the preset's.
        positive: labels that mean "repeats", instead of the preset's.
        domain: subject of the documents, such as law or sport; names the model.
        statistics: ``collection`` weights words by these documents, ``background`` by general language, which
            ``ingest`` requires.
        authority: file with the authority of each source, 0 to 1 (TSV or JSON Lines); by default it is learned as the
            share of originals, shrunk towards the share of all sources.
        reading, options: reading options, all at once or single ones by name.
        progress: called with each step.

    Returns:
        The classifier, with methods ``weights``, ``suggest`` and ``learning_curve``.

    Raises:
        ConfigurationError: a preset, criterion, label or kind of statistics is unknown, or an option is given twice.
        BadDataError, NoInputError: an input cannot be used; ``E_ONE_CLASS``: all pairs have the same judgement.
        CannotCreateError, CannotWriteError: the model cannot be written.
    """
    from infostream_dedup.judging.criteria.classifier import chosen_preset
    from infostream_dedup.judging.criteria.document_models import document_models
    from infostream_dedup.judging.criteria.judged_pairs import judged_pairs
    from infostream_dedup.judging.criteria.model_file import write_model
    from infostream_dedup.judging.criteria.training import train as learn
    from infostream_dedup.lab.labels import positive_labels, read_labels

    _, reads = parted(train, ReadingOptions, options)
    read = chosen_reading(reading, reads)
    inputs = [*paths_of(source), str(labels), *([] if authority is None else [str(authority)])]
    check_quarantine(read.quarantine, [labels, authority])
    if model is not None:
        check_output(model, inputs=inputs, quarantine=read.quarantine)
    chosen = chosen_preset(preset)
    wanted = chosen.positive if positive is None else positive_labels(names_in(positive))
    judged = read_labels(labels)
    documents, report = read_list(source, read)
    models = document_models(documents, progress=progress, statistics=statistics)
    pairs = judged_pairs(judged, models.ids, positive=wanted)
    learned = _authority(authority, models)
    named = chosen.criteria if criteria is None else names_in(criteria)
    classifier = learn(models, pairs, chosen, criteria=named, domain=domain, authority=learned, labels=str(labels))
    if model is not None:
        write_model(classifier, model, inputs=inputs)
    return Training(
        classifier=classifier,
        models=models,
        pairs=pairs,
        preset=chosen,
        authority=learned,
        labels=str(labels),
        report=report,
    )


def _authority(path: str | Path | None, models: DocumentModels) -> Authority:
    """Return the authority from an expert's file, or learn it from the judged pairs."""
    from infostream_dedup.judging.criteria.criterion import read_authority
    from infostream_dedup.judging.criteria.training import GivenAuthority, LearnedAuthority

    return LearnedAuthority(models) if path is None else GivenAuthority(models, read_authority(path))


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
        reading, options: reading options, all at once or single ones by name.
        progress: called with each step.

    Returns:
        Rows ``a, b`` (ids, a the earlier), ``outcome`` (both original, a repeats b, b repeats a, each repeats the
        other), ``a_repeats_b`` and ``b_repeats_a`` (probability that the document adds nothing to the other, 0 to 1),
        ``domain`` (domain of the model used; empty for a model of any domain). The outcome follows from the sum of the
        criteria; probabilities are fitted to it afterwards, so the border between the outcomes need not be at .5. Also
        ``judged``, ``repeating`` and ``report``.

    Raises:
        ConfigurationError: the models do not fit each other or the domain, or an option is given twice.
        BadDataError, NoInputError: an input cannot be used.
    """
    from infostream_dedup.judging.criteria.document_models import document_models
    from infostream_dedup.judging.criteria.judged_pairs import read_pairs
    from infostream_dedup.judging.criteria.model_file import ClassifierSet, read_domain_rules, read_model

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


def suggest(
    source: Any,
    labels: str | Path,
    number: int = 10,
    *,
    preset: str = "duplicate",
    candidates: Candidates = "key-terms",
    k: int = 3,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Listing[dict[str, Any]]:
    """Suggest the pairs whose labels would teach a classifier most. Needs the extra ``learn``.

    A classifier is trained on the existing labels; the pairs about which it is least certain come first, spread over
    the collection. For other options of training see ``train`` and ``Training.suggest``.

    Args:
        source: the documents (see ``read_documents``).
        labels: JSON Lines of ``a``, ``b``, ``label``.
        number: maximum number of pairs.
        preset: see ``train``.
        candidates: which pairs are considered: ``key-terms`` (linked by key terms) or ``two-words`` (the same two
            heaviest words, as in the paper).
        k: number of shared key terms that links a pair, 1 to 12.
        reading, options: reading options, all at once or single ones by name.
        progress: called with each step.

    Returns:
        Rows ``a, b, label, outcome, a_repeats_b, b_repeats_a``, which become labels once ``label`` is filled in.

    Raises:
        ConfigurationError, BadDataError, NoInputError, MissingExtraError: see ``train``.
    """
    parted(suggest, ReadingOptions, options)
    trained = train(source, labels, preset=preset, reading=reading, progress=progress, **options)
    columns = ("a", "b", "label", "outcome", "a_repeats_b", "b_repeats_a")
    return Listing(trained.suggest(number, candidates=candidates, k=k), columns, trained.report)
