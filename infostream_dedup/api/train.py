"""``train``: train a classifier on judged pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.candidates import Candidates, candidate_pairs
from infostream_dedup.api.keywords import parted
from infostream_dedup.documents.reading import ReadingOptions, chosen_reading

if TYPE_CHECKING:
    from infostream_dedup.documents import Reading, ReadingReport
    from infostream_dedup.judging.criteria.classifier import Classifier, ClassifierPreset
    from infostream_dedup.judging.criteria.document_models import DocumentModels
    from infostream_dedup.judging.criteria.judged_pairs import JudgedPairs
    from infostream_dedup.judging.criteria.training import Authority, CurvePoint
    from infostream_dedup.machine.progress import Progress

__all__ = ["Training", "train"]


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
        from infostream_dedup.model.limits import Range

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
        from infostream_dedup.errors import BadDataError
        from infostream_dedup.judging.criteria.training import curve_criteria, learning_curve
        from infostream_dedup.model.limits import Range

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
        reading: all reading options at once.
        progress: called with each step.
        options: single reading options by name, instead of ``reading``.

    Returns:
        The classifier, with methods ``weights``, ``suggest`` and ``learning_curve``.

    Raises:
        ConfigurationError: a preset, criterion, label or kind of statistics is unknown, or an option is given twice.
        BadDataError, NoInputError: an input cannot be used; ``E_ONE_CLASS``: all pairs have the same judgement.
        CannotCreateError, CannotWriteError: the model cannot be written.
        TypeError: an option is unknown.
    """
    from infostream_dedup.api.sources import read_list
    from infostream_dedup.documents import check_output, check_quarantine, paths_of
    from infostream_dedup.judging.criteria.classifier import chosen_preset
    from infostream_dedup.judging.criteria.document_models import document_models
    from infostream_dedup.judging.criteria.judged_pairs import judged_pairs
    from infostream_dedup.judging.criteria.model_file import write_model
    from infostream_dedup.judging.criteria.training import train as learn
    from infostream_dedup.lab.evaluation.labels import positive_labels, read_labels
    from infostream_dedup.model import names_in

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
    from infostream_dedup.judging.criteria.authority import read_authority
    from infostream_dedup.judging.criteria.training import GivenAuthority, LearnedAuthority

    return LearnedAuthority(models) if path is None else GivenAuthority(models, read_authority(path))
