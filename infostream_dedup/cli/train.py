"""``train``: a classifier from judged pairs."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from infostream_dedup.cli.criteria_options import candidate_pairs, candidates_option, link_option
from infostream_dedup.cli.options import documents_argument, general_options, pop_reading, reading_options
from infostream_dedup.cli.output import chosen_format, note, print_rows
from infostream_dedup.cli.progress import progress_bar

if TYPE_CHECKING:
    from infostream_dedup.criteria.classifier import Classifier
    from infostream_dedup.criteria.classifier_presets import ClassifierPreset
    from infostream_dedup.criteria.cross_validation import LearnAuthority
    from infostream_dedup.criteria.document_models import DocumentModels
    from infostream_dedup.criteria.judged_pairs import JudgedPairs

__all__ = ["train"]


@click.command()
@documents_argument
@click.option("--labels", type=click.Path(dir_okay=False), required=True, help="Judged pairs (JSONL): a, b, label.")
@click.option("--model", type=click.Path(dir_okay=False), help="Where the model goes (JSON).")
@click.option(
    "--preset",
    type=click.Choice(["duplicate", "story"]),
    default="duplicate",
    show_default=True,
    help="Who repeats whom, or what tells of one event.",
)
@click.option("--criteria", help="Criteria instead of the preset's, comma-separated.")
@click.option("--positive", help="Labels that mean 'repeats', comma-separated.  [default: the preset's]")
@click.option("--domain", default="", help="Subject of the documents, such as law or sport; names the model.")
@click.option(
    "--statistics",
    type=click.Choice(["collection", "background"]),
    default="collection",
    show_default=True,
    help="What words are weighed by: these documents, or the language at large, as 'ingest --model' needs it.",
)
@click.option(
    "--authority",
    type=click.Path(dir_okay=False),
    help="Authority of sources, 0 to 1 (TSV or JSONL).  [default: learned, the share of originals]",
)
@click.option("--suggest", type=click.IntRange(min=1), help="Print this many pairs to label next.")
@click.option("--curve", type=click.Path(file_okay=False), help="Folder for the learning curve (CSV, SVG, PNG).")
@click.option("--draws", type=click.IntRange(min=1), default=20, show_default=True, help="Per point of the curve.")
@candidates_option
@link_option
@reading_options
@general_options("table", "jsonl", "json", "csv")
def train(**given: Any) -> None:
    """Learn from judged pairs which documents repeat each other.

    Prints the criteria with their weights, or with --suggest the pairs that teach most: give each its label and train
    again. A line of labels may hold repeats (a, b, both or none) where only one of the two repeats the other. Needs the
    extra learn; classify does not.
    """
    if given["model"] is None and given["suggest"] is None and given["curve"] is None:
        raise click.UsageError("give --model, --suggest or --curve")
    from infostream_dedup.corpus import ReadingReport, check_output, read_documents
    from infostream_dedup.criteria.classifier_presets import chosen_preset
    from infostream_dedup.criteria.document_models import document_models
    from infostream_dedup.criteria.judged_pairs import judged_pairs
    from infostream_dedup.criteria.model_file import write_model
    from infostream_dedup.criteria.training import train as learn
    from infostream_dedup.evaluation.labels import positive_labels, read_labels

    inputs = [*given["documents"], given["labels"], *filter(None, [given["authority"]])]
    if given["model"] is not None:
        check_output(given["model"], inputs=inputs, quarantine=given["quarantine"])
    preset = chosen_preset(given["preset"])
    positive = positive_labels(given["positive"].split(",")) if given["positive"] else preset.positive
    criteria = given["criteria"].split(",") if given["criteria"] else preset.criteria
    labels = read_labels(given["labels"])
    report = ReadingReport()
    with progress_bar(quiet=given["quiet"]) as progress:
        documents = list(read_documents(list(given["documents"]), report=report, **pop_reading(given)))
        models = document_models(documents, progress=progress, statistics=given["statistics"])
    pairs = judged_pairs(labels, models.ids, positive=positive)
    learn_authority = _authority(given["authority"], models)
    classifier = learn(
        models, pairs, preset, criteria=criteria, domain=given["domain"], learn_authority=learn_authority
    )
    if given["model"] is not None:
        write_model(classifier, given["model"], inputs=inputs)
    if given["curve"] is not None:
        _write_curve(given, models, pairs, preset, classifier, learn_authority)
    rows = _weights(classifier) if given["suggest"] is None else _suggested(given, models, pairs, classifier)
    print_rows(rows, chosen_format(given["output_format"], "table", "jsonl"))
    note(f"{report.summary()}\n{_summary(classifier)}", quiet=given["quiet"])


def _authority(path: str | None, models: DocumentModels) -> LearnAuthority:
    """What an expert wrote, or what the judged pairs tell."""
    from infostream_dedup.criteria.authority import learned_authority, read_authority

    if path is None:
        return functools.partial(_learned, models, learned_authority)
    known = read_authority(path)
    return lambda _: known


def _learned(models: DocumentModels, learned: Any, pairs: JudgedPairs) -> Mapping[str, float]:
    found: Mapping[str, float] = learned(models, pairs.i, pairs.j, pairs.repeats)
    return found


def _write_curve(
    given: dict[str, Any],
    models: DocumentModels,
    pairs: JudgedPairs,
    preset: ClassifierPreset,
    classifier: Classifier,
    learn_authority: LearnAuthority,
) -> None:
    import io

    from infostream_dedup.corpus import write_rows
    from infostream_dedup.criteria.learning_curve import curve_criteria, learning_curve
    from infostream_dedup.errors import BadDataError
    from infostream_dedup.report.criteria_plots import learning_figure
    from infostream_dedup.report.files import write_files
    from infostream_dedup.report.plots import as_png, as_svg

    points = learning_curve(
        models,
        pairs,
        curve_criteria(classifier.criteria),
        preset.rule,
        draws=given["draws"],
        learn_authority=learn_authority,
    )
    if not points:
        message = f"{len(pairs)} judged pairs are too few for a learning curve, which begins with 50 to learn from"
        raise BadDataError(message, code="E_TOO_FEW", source=given["labels"])
    table = io.BytesIO()
    write_rows((point.as_dict() for point in points), table, "csv")
    figure = learning_figure(points)
    drawn = f'<?xml version="1.0" encoding="utf-8"?>\n{as_svg(figure)}'.encode()
    write_files({"curve.csv": table.getvalue(), "curve.svg": drawn, "curve.png": as_png(figure)}, given["curve"])


def _weights(classifier: Classifier) -> list[dict[str, Any]]:
    """Criteria by weight: a positive one speaks for a repeat where the criterion is greater than usual."""
    plane = classifier.plane
    columns = zip(classifier.criteria, plane.weights.tolist(), plane.means.tolist(), plane.scales.tolist(), strict=True)
    ordered = sorted(columns, key=lambda row: (-abs(row[1]), row[0]))
    return [
        {"criterion": name, "weight": weight, "mean": mean, "scale": scale} for name, weight, mean, scale in ordered
    ]


def _suggested(
    given: dict[str, Any], models: DocumentModels, pairs: JudgedPairs, classifier: Classifier
) -> list[dict[str, Any]]:
    """Rows that become labels once ``label`` is filled in."""
    from infostream_dedup.criteria.classifier import OUTCOMES
    from infostream_dedup.criteria.suggestion import suggestions

    i, j = candidate_pairs(models, given["candidates"], given["k"])
    decisions = classifier.decide(models, i, j)
    judged = {(models.ids[a], models.ids[b]) for a, b in zip(pairs.i.tolist(), pairs.j.tolist(), strict=True)}
    chosen = suggestions(decisions, models.ids, judged, given["suggest"]).tolist()
    outcomes = decisions.outcomes
    return [
        {
            "a": models.ids[int(i[row])],
            "b": models.ids[int(j[row])],
            "label": None,
            "outcome": OUTCOMES[outcomes[row]],
            "a_repeats_b": round(float(decisions.probability_forward[row]), 6),
            "b_repeats_a": round(float(decisions.probability_backward[row]), 6),
        }
        for row in chosen
    ]


def _summary(classifier: Classifier) -> str:
    facts = classifier.training
    folds = facts["folds"]
    return (
        f"learned from {facts['pairs']} judged pairs, {facts['repeats']} of them repeats; in five folds by story "
        f"{folds['tp']} were found, {folds['fn']} missed, {folds['fp']} called so wrongly: F1 {folds['f1']:.3f}"
    )
