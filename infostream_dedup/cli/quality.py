"""Commands that measure or learn: ``evaluate``, ``audit``, ``compare``, ``train`` and ``classify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import infostream_dedup as api
from infostream_dedup.cli import options
from infostream_dedup.cli import output as printing
from infostream_dedup.cli.face import Excludes, Needs, alike, command, expert, output, reads

if TYPE_CHECKING:
    from infostream_dedup.judging.criteria.classifier import Classifier
    from infostream_dedup.lab.comparison import Comparison
    from infostream_dedup.lab.scores import Evaluation


_truth_options = options.stack(
    [
        reads("--kin", type=options.FILE, help="Pairs of families that are no negatives (JSONL)."),
        reads("--lang", help="Only pairs of one language (ru) or of two (ru-uk)."),
        reads(
            "--kin-field",
            default="submission=translation",
            help="Also treat families whose documents share this value as kin; empty: do not.",
        ),
        reads(
            "--domain",
            "domains",
            multiple=True,
            help="Only these domains (field domain), comma-separated; !name excludes one, an empty name is no domain.",
        ),
        reads("--positive", default="dup", help="Labels that count as true, comma-separated."),
        alike(
            "--closed",
            is_flag=True,
            help="The labels are exhaustive: count unlisted linked pairs, and labels of kind template, as false.",
        ),
    ]
)


@command(
    examples=[
        "evaluate march.jsonl --labels pairs.jsonl",
        "evaluate march.jsonl --labels pairs.jsonl --lang ru-uk --format json",
        "evaluate crossnews-ua.csv --labels crossnews-ua.csv --positive similar",
    ]
)
@options.documents_argument
@reads("--labels", type=options.FILE, required=True, help="Labelled pairs (JSONL, CSV): a, b, label.")
@_truth_options
@alike(
    "--rule",
    type=["both", "either"],
    help="Directions in which need(k) terms must match.  [default: both, or the preset's]",
)
@alike(
    "--kinds",
    metavar="KIND,...",
    help="Evaluate only these kinds of pairs of preset judged, such as copy.  [default: all listed]",
)
@options.between_option
@options.semantic_option
@options.choose_by_option
@options.representation_option
@options.settings_options
@options.reading_options
@options.general_options("table", "json", "jsonl", "csv")
def evaluate(documents: tuple[str, ...], labels: str, output_format: str | None, **given: Any) -> None:
    """Measure precision, recall and F1 at every k against labelled pairs, with 95 % intervals of F1.

    If documents have a family, every linked pair from two families counts as false unless the families are kin;
    otherwise only labelled pairs count, unless --closed says that the labels are exhaustive. Pairs with other labels
    and unlisted pairs of one family are ignored. Columns linked and judged: number of linked pairs, and how many of
    them count. Below the rows: figures of preset judged, whatever the other options, and its groups compared with the
    groups that true pairs connect (BCubed, adjusted Rand index, F1 of pairs), where unlisted pairs count.
    """
    with printing.progress_bar() as progress:
        found = api.evaluate(
            documents,
            labels,
            kin_field=given.pop("kin_field") or None,
            between=given.pop("between") or "nothing-better",
            progress=progress,
            **given,
        )
    form = printing.chosen_format(output_format, "table", "json")
    rows = [row.as_dict() for row in found.rows]
    if form == "json":
        printing.print_json(found.as_dict())
    else:
        printing.print_rows(rows, form)
    if form == "table":
        click.echo()
        for line in _evaluation_in_words(found):
            printing.say(line)
    for remark in found.notes:
        printing.note(remark)
    printing.note_reading(found.report)


def _evaluation_in_words(found: Evaluation) -> list[str]:
    """Describe the best row, the recommended row, preset judged and its groups in words."""
    lines = []
    for name, row in (("best", found.best), ("recommended", found.recommended)):
        if row is not None:
            refused = " (no k recommended: judged as this)" if row.refused else ""
            lines.append(f"{name}: {row.step_name} = {row.step:g}, F1 {_figure(row.scores.f1)}{refused}")
    if found.judged is not None:
        scores, (low, high) = found.judged.scores, found.judged.intervals.f1 or (None, None)
        asked = ", with the sentence encoder" if found.semantic else ""
        lines.append(
            f"preset judged{asked}: precision {_figure(scores.precision)}, recall {_figure(scores.recall)}, "
            f"F1 {_figure(scores.f1)} [{_figure(low)}-{_figure(high)}]; {scores.linked} pairs linked, "
            f"{scores.judged} of them judged"
        )
    if found.groups is not None:
        figures = ", ".join(f"{name} {_figure(value)}" for name, value in found.groups.as_dict().items())
        lines.append(f"its groups: {figures}")
    return lines


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


_LONG = ("text_a", "text_b", "url_a", "url_b", "audit")  # columns for which a terminal has no room


@command(
    examples=["audit march.jsonl --pairs 50 --out ask.jsonl", "audit march.jsonl --judged ask.jsonl"],
    rules=[Excludes(("out", "judged"))],
)
@options.documents_argument
@output("--pairs", type=options.FROM_ONE, default=50, help="Number of pairs to choose.")
@output(
    "--out",
    type=options.FILE,
    help="Write the pairs to judge here: JSON Lines, or by its ending .csv, .xlsx or .sqlite.",
)
@reads(
    "--judged", type=options.FILE, help="Read these judgements (JSONL, CSV or .xlsx: a, b, label) and show the figures."
)
@reads("--positive", default="dup", help="Labels that mark duplicates, comma-separated.")
@alike("--k", type=click.IntRange(min=3), default=6, help="Number of key terms that a link needs.")
@options.representation_option
@options.settings_options
@options.reading_options
@options.general_options("table", "jsonl", "json", "csv")
def audit(
    documents: tuple[str, ...], out: str | None, judged: str | None, output_format: str | None, **given: Any
) -> None:
    """Measure precision and recall with a few judgements of your own.

    First choose pairs: audit DOCS --pairs 50 --out ask.jsonl. They are sampled by wording and link so that judging
    them narrows the intervals as much as possible. Fill in the label of every row (dup or different), then run:
    audit DOCS --judged ask.jsonl (or with what 'desk export' wrote, after 'desk import' and judging). The rows show
    what was counted, what was estimated, and what your judgements say, with 95 % intervals. Use the same settings
    both times.
    """
    form = printing.form_of(out, output_format)
    with printing.progress_bar() as progress:
        found = api.audit(documents, judged=judged, progress=progress, **given)
    if out is None and form == "json":
        printing.print_json(found.as_dict())
    else:
        hidden = _LONG if form == "table" else ()
        rows = [{name: value for name, value in row.items() if name not in hidden} for row in found.rows]
        printing.print_rows(rows, form, columns=found.columns, out=out, inputs=documents)
    printing.note("\n".join(found.notes))
    printing.note_reading(found.report)


_MAIN: Final = ("precision", "recall", "f1", "symmetry", "transitivity")
_DISAGREEMENTS: Final = "disagreements.jsonl"
_EXAMPLES: Final = 20
_COMPARED: Final = (
    *("method", "pairs", "precision", "recall", "f1", "low", "high", "linked", "judged", "alike", "bcubed_f1", "ari"),
    *("pairwise_f1", "only", "symmetry", "transitivity", "seconds", "cpu_seconds", "growth", "bytes_per_document"),
)


@command(
    examples=[
        "compare march.jsonl",
        "compare march.jsonl --labels pairs.jsonl --methods simhash,minhash,key-terms-morph --out report",
    ],
    rules=[Needs("out_labels", ("sample_disagreements",))],
)
@options.documents_argument
@reads("--labels", type=options.FILE, help="Labelled pairs (JSONL, CSV): a, b, label.")
@alike(
    "--methods",
    "methods",
    multiple=True,
    help="Only these methods, comma-separated; parameters follow colons, as in three-plus-two:n=3.  [default: all]",
)
@alike(
    "--protocol",
    type=["labels", "pool"],
    help="Evaluate with labels, or with the pairs that several methods find.  [default: labels if given]",
)
@alike(
    "--pool",
    type=click.Choice(["a0-a10", "all"], case_sensitive=False),
    default="a0-a10",
    help="Methods whose pairs form the pool: those of the paper, or all compared methods.",
)
@_truth_options
@output("--growth", is_flag=True, help="Also run every method on half of the documents to see how its time grows.")
@output(
    "--count-copies",
    is_flag=True,
    help="Also count how many pairs of each method are copies, and how many of all copies it finds.",
)
@output(
    "--sample-disagreements",
    type=options.FROM_ONE,
    metavar="N",
    help="Write N unlabelled pairs on which methods disagree, for an expert to label.",
)
@output(
    "--out-labels",
    type=options.FILE_OR_PIPE,
    help=f"File for those pairs (JSONL).  [default: {_DISAGREEMENTS} in the --out folder, or here]",
)
@output("--out", type=options.FOLDER, help="Folder for tables, plots and report.html with examples.")
@options.reading_options
@options.general_options("table", "json", "csv", "jsonl")
def compare(
    documents: tuple[str, ...],
    sample_disagreements: int | None,
    out_labels: str | None,
    out: str | None,
    output_format: str | None,
    **given: Any,
) -> None:
    """Run every method of the source papers on your documents; show what each finds, how well, and at what cost.

    Columns: pairs, precision, recall, f1 (with its 95 % interval low, high), linked (pairs of the languages and domains
    considered) and judged (those of them that count), bcubed_f1, ari and pairwise_f1 of the groups that the pairs
    connect, only (pairs that no other method finds), symmetry and transitivity (of key terms, of the links before a
    pair needs both directions; pairs of other methods have no direction, so no symmetry), seconds, CPU seconds, bytes
    per signature. Reading, which all methods share, comes first and is timed separately.
    """
    wanted = sample_disagreements or 0
    with printing.progress_bar() as progress:
        found = api.compare(
            documents,
            methods=[name.strip() for part in given.pop("methods") for name in part.split(",")] or None,
            pool=given.pop("pool").lower(),
            kin_field=given.pop("kin_field") or None,
            examples=out is not None,
            disagreements=max(wanted, _EXAMPLES if out is not None else 0),
            progress=progress,
            **given,
        )
    target = out_labels or str(Path(out or "") / _DISAGREEMENTS)
    rows = [pair.as_dict() for pair in found.disagreements[:wanted]]
    try:
        _print_comparison(found, printing.chosen_format(output_format, "table", "json"))
    finally:
        # Also if the reader of the numbers stops at the first lines.
        if out is not None:
            from infostream_dedup.report.comparison import write_comparison

            write_comparison(found, out)
        if wanted:
            inputs = [*documents, *filter(None, [given["labels"]])]
            printing.print_rows(rows, printing.form_of(target, None), out=target, inputs=inputs)
    _say_of_comparison(found)
    if wanted:
        printing.note(f"{len(rows)} pairs to judge: {target}")
    printing.note_reading(found.report)
    if out is not None:
        printing.note(f"report: {Path(out, 'report.html')}")


def _print_comparison(found: Comparison, output_format: str) -> None:
    rows = [row.as_dict() for row in found.rows]
    if output_format == "json":
        printing.print_json(found.as_dict())
    elif output_format != "table":
        printing.print_rows(rows, output_format)
    else:
        # Of the main figures, a dash is an answer.
        shown = [name for name in _COMPARED if name in _MAIN or any(row.get(name) is not None for row in rows)]
        printing.print_table([{name: row.get(name) for name in shown} for row in rows])
        _print_dice(found)


def _print_dice(found: Comparison) -> None:
    """Print Dice coefficients in hundredths, with methods by number, if the lines are wide enough."""
    names = found.names
    click.echo()
    if max(map(len, names)) + 4 + 5 * len(names) > printing.terminal_width():
        click.echo(f"the Dice matrix of {len(names)} methods is too wide for this table: see --format json or --out")
        return
    rows = [
        {
            "Dice, %": f"{number} {name}",
            **{
                str(column): None if value is None else round(100 * value)
                for column, value in enumerate(found.dice[number - 1], start=1)
            },
        }
        for number, name in enumerate(names, start=1)
    ]
    printing.print_table(rows)


def _say_of_comparison(found: Comparison) -> None:
    if found.pool is not None:
        pool = found.pool
        printing.note(
            f"pool: {pool.pairs} pairs of {len(pool.methods)} methods, {pool.verified} of them verified "
            f"(String::Similarity >= {pool.threshold:.2f})"
            + ("" if pool.verified else "; without a verified pair there is no precision and no recall")
        )
    for name, why in found.missing.items():
        printing.note(f"{name}: not run: {why}")
    for remark in found.notes:
        printing.note(remark)
    cost = found.reading
    printing.note(f"reading, shared by all: {cost.seconds:.2f} s, {cost.cpu_seconds:.2f} CPU s")


@command(
    examples=[
        "train march.jsonl --labels pairs.jsonl --model ours.json",
        "train march.jsonl --labels pairs.jsonl --suggest 20",
    ]
)
@options.documents_argument
@reads("--labels", type=options.FILE, required=True, help="Judged pairs (JSONL, CSV): a, b, label.")
@output("--model", type=options.FILE, help="File for the model (JSON).")
@alike(
    "--preset",
    type=["duplicate", "story"],
    default="duplicate",
    help="Learn which document repeats which, or which documents report one event.",
)
@alike("--criteria", help="Criteria to use instead of the preset's, comma-separated.")
@reads("--positive", help="Labels that mean 'repeats', comma-separated.  [default: the preset's]")
@reads("--domain", default="", help="Subject of the documents, e.g. law or sport; names the model.")
@expert(
    "--statistics",
    type=["collection", "background"],
    default="collection",
    help="Weight words by statistics of these documents, or of the general language (required by 'ingest --model').",
)
@reads(
    "--authority",
    type=options.FILE,
    help="Authority of sources, 0 to 1 (TSV or JSONL).  [default: learned from the share of originals]",
)
@output("--suggest", type=options.FROM_ONE, help="Print this many pairs to label next.")
@output("--curve", type=options.FOLDER, help="Folder for a learning curve (CSV, SVG, and PNG).")
@expert("--draws", type=options.FROM_ONE, default=20, help="Training sets drawn per point of the curve.")
@options.candidates_option
@options.link_option
@options.reading_options
@options.general_options("table", "jsonl", "json", "csv")
def train(
    documents: tuple[str, ...], suggest: int | None, curve: str | None, output_format: str | None, **given: Any
) -> None:
    """Learn from judged pairs which documents repeat each other.

    Prints the criteria with their weights or, with --suggest, the pairs whose labels would teach most: label them, and
    train again. A label may have a field repeats (a, b, both or none) to say which of the two documents repeats the
    other. Learning starts from the built-in evidence, so a few labels are enough.
    """
    if given["model"] is None and suggest is None and curve is None:
        raise click.UsageError("give --model, --suggest or --curve")
    considered = {name: given.pop(name) for name in ("candidates", "k")}
    draws = given.pop("draws")
    for name in ("criteria", "positive"):
        given[name] = given[name] or None
    with printing.progress_bar() as progress:
        trained = api.train(documents, given.pop("labels"), progress=progress, **given)
    if curve is not None:
        from infostream_dedup.report.comparison import write_learning_curve

        write_learning_curve(trained.learning_curve(draws=draws), curve)
    rows = trained.weights() if suggest is None else trained.suggest(suggest, **considered)
    printing.print_rows(rows, printing.chosen_format(output_format, "table", "jsonl"))
    printing.note_reading(trained.report)
    printing.note(_training_in_words(trained.classifier))


def _training_in_words(classifier: Classifier) -> str:
    facts = classifier.training
    folds = facts["folds"]
    summary = (
        f"learned from {facts['pairs']} judged pairs, {facts['repeats']} of them repeats; in five folds by story "
        f"{folds['tp']} were found, {folds['fn']} missed, {folds['fp']} reported wrongly: F1 {folds['f1']:.3f}"
    )
    if facts["rule"] == "either":
        ways = (f"{name.replace('_', ' ')} {counts['f1']:.3f}" for name, counts in facts["directions"].items())
        summary += f"; by direction: {', '.join(ways)}"
    if "by_time" in facts:
        later = facts["by_time"]
        first = f"{later['learned_from']} pair{'' if later['learned_from'] == 1 else 's'}"
        summary += (
            f"; learned from the first {first} by date, of the later ones {later['tp']} were found, "
            f"{later['fn']} missed, {later['fp']} reported wrongly: F1 {later['f1']:.3f}"
        )
    return summary


@command(
    examples=["classify march.jsonl --model ours.json", "classify march.jsonl --model ours.json --repeats --explain"]
)
@options.documents_argument
@reads(
    "--model",
    "models",
    type=options.FILE,
    multiple=True,
    required=True,
    help="Model from 'train'; may be given several times, once per domain.",
)
@reads("--domain", help="Judge every pair by the model of this domain.")
@reads("--rules", type=options.FILE, help="Rules that assign domains by source or category (TSV or JSON).")
@reads("--pairs", type=options.FILE, help="Judge these pairs (JSONL: a, b) instead of candidates.")
@output("--explain", is_flag=True, help="Add what each criterion contributes, for and against.")
@output("--repeats", is_flag=True, help="Only pairs in which at least one document repeats the other.")
@options.candidates_option
@options.link_option
@options.reading_options
@options.general_options("table", "jsonl", "json", "csv")
def classify(documents: tuple[str, ...], models: tuple[str, ...], output_format: str | None, **given: Any) -> None:
    """Judge pairs of documents, each in both directions.

    Columns: a, b (ids, the earlier first), outcome (both original, a repeats b, b repeats a, each repeats the other),
    a_repeats_b and b_repeats_a (probability that the document adds nothing), domain (domain of the model used; empty
    for a model of any domain). --explain adds why (the strongest reasons of the likelier direction) and reasons (all,
    both directions). The outcome follows from the sum of the criteria; probabilities are fitted to it afterwards, so
    the border between the outcomes need not be at .5.
    """
    with printing.progress_bar() as progress:
        found = api.classify(documents, models, progress=progress, **given)
    form = printing.chosen_format(output_format, "table", "jsonl")
    columns = tuple(name for name in found.columns if form != "table" or name != "reasons")
    printing.print_rows(({name: row[name] for name in columns} for row in found.once()), form, columns=columns)
    printing.note_reading(found.report)
    printing.note(f"{found.judged} pairs judged, {found.repeating} repeat")
