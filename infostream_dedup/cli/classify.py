"""``classify``: who repeats whom, by a trained model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from infostream_dedup.cli.criteria_options import candidate_pairs, candidates_option, link_option
from infostream_dedup.cli.options import documents_argument, general_options, pop_reading, reading_options
from infostream_dedup.cli.output import chosen_format, note, print_rows
from infostream_dedup.cli.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infostream_dedup.criteria.classifier import Decisions
    from infostream_dedup.criteria.document_models import DocumentModels
    from infostream_dedup.criteria.domains import ClassifierSet

__all__ = ["classify"]

_COLUMNS = ("a", "b", "outcome", "a_repeats_b", "b_repeats_a", "domain")
_CHUNK = 5000


@click.command()
@documents_argument
@click.option(
    "--model",
    "models",
    type=click.Path(dir_okay=False),
    multiple=True,
    required=True,
    help="From 'train'; several, one for each domain.",
)
@click.option("--domain", help="Judge everything by the model of this domain.")
@click.option("--rules", type=click.Path(dir_okay=False), help="Domains by source or category (TSV or JSON).")
@click.option("--pairs", type=click.Path(dir_okay=False), help="Judge these pairs (JSONL: a, b) instead of candidates.")
@click.option("--explain", is_flag=True, help="With what each criterion said, for and against.")
@click.option("--repeats", is_flag=True, help="Only pairs of which at least one repeats the other.")
@candidates_option
@link_option
@reading_options
@general_options("table", "jsonl", "json", "csv")
def classify(**given: Any) -> None:
    """Judge pairs of documents, each in both directions.

    A row: a, b (ids, a the earlier), outcome (both original, a repeats b, b repeats a, each repeats the other),
    a_repeats_b and b_repeats_a (probability that it adds nothing), domain (of the model that judged; empty for any).
    With --explain two columns follow: why (the weightiest reasons of the likelier direction) and reasons (all of them,
    both directions).
    """
    from infostream_dedup.corpus import ReadingReport, read_documents
    from infostream_dedup.criteria.document_models import document_models
    from infostream_dedup.criteria.domains import ClassifierSet, read_domain_rules
    from infostream_dedup.criteria.given_pairs import read_pairs
    from infostream_dedup.criteria.model_file import read_model

    rules = read_domain_rules(given["rules"]) if given["rules"] else ()
    classifiers = ClassifierSet([read_model(path) for path in given["models"]], rules=rules, domain=given["domain"])
    report = ReadingReport()
    with progress_bar(quiet=given["quiet"]) as progress:
        documents = list(read_documents(list(given["documents"]), report=report, **pop_reading(given)))
        models = document_models(documents, progress=progress, statistics=classifiers.statistics)
    if given["pairs"]:
        i, j = read_pairs(given["pairs"], models.ids)
    else:
        i, j = candidate_pairs(models, given["candidates"], given["k"])
    decisions = classifiers.decide(models, i, j)
    output_format = chosen_format(given["output_format"], "table", "jsonl")
    columns: tuple[str, ...] = _COLUMNS
    if given["explain"]:
        columns = (*_COLUMNS, "why") if output_format == "table" else (*_COLUMNS, "why", "reasons")
    rows = _rows(models, classifiers, decisions, explain=given["explain"], repeats=given["repeats"])
    print_rows(({name: row[name] for name in columns} for row in rows), output_format, columns=columns)
    found = int((decisions.outcomes > 0).sum())
    note(f"{report.summary()}\n{len(i)} pairs judged, {found} repeat", quiet=given["quiet"])


def _rows(
    models: DocumentModels, classifiers: ClassifierSet, decisions: Decisions, *, explain: bool, repeats: bool
) -> Iterator[dict[str, Any]]:
    import numpy as np

    wanted = np.flatnonzero(decisions.outcomes > 0) if repeats else np.arange(len(decisions))
    for start in range(0, len(wanted), _CHUNK):
        some = decisions.at(wanted[start : start + _CHUNK])
        chosen = classifiers.chosen(models, some.i, some.j).tolist()
        why = _explained(models, classifiers, some, chosen) if explain else [{}] * len(some)
        for row, number in enumerate(chosen):
            yield _judged(models, some, row) | {"domain": classifiers.classifiers[number].domain} | why[row]


def _judged(models: DocumentModels, decisions: Decisions, row: int) -> dict[str, Any]:
    from infostream_dedup.criteria.classifier import OUTCOMES

    return {
        "a": models.ids[int(decisions.i[row])],
        "b": models.ids[int(decisions.j[row])],
        "outcome": OUTCOMES[decisions.outcomes[row]],
        "a_repeats_b": round(float(decisions.probability_forward[row]), 6),
        "b_repeats_a": round(float(decisions.probability_backward[row]), 6),
    }


def _explained(
    models: DocumentModels, classifiers: ClassifierSet, decisions: Decisions, chosen: list[int]
) -> list[dict[str, Any]]:
    """Reasons of each pair, in both directions and, of the likelier one, in words."""
    import numpy as np

    from infostream_dedup.criteria.explanation import in_words, reasons

    explained: list[dict[str, Any]] = [{}] * len(decisions)
    for number, classifier in enumerate(classifiers.classifiers):
        rows = np.flatnonzero(np.array(chosen, dtype=np.int64) == number)
        vectors = classifier.vectors(models, decisions.i[rows], decisions.j[rows])
        for row, forward, backward in zip(rows.tolist(), *vectors, strict=True):
            found = reasons(classifier, forward), reasons(classifier, backward)
            likelier = found[0] if decisions.forward[row] >= decisions.backward[row] else found[1]
            explained[row] = {
                "why": in_words(likelier),
                "reasons": {
                    name: [reason.as_dict() for reason in direction]
                    for name, direction in zip(("a_against_b", "b_against_a"), found, strict=True)
                },
            }
    return explained
