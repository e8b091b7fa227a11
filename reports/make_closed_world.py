"""Makes reports/closed-world.md, as part of ``make reports``: what the open figures do not count, and groups.

Figures only: no texts, ids or titles of the corpora.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from make_reports import CORPORA, NEWS, LabelledSet, table, write_page

from infostream_dedup import evaluate, read_documents
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.lab.evaluation.collection_scores import evaluate as evaluate_predictions
from infostream_dedup.lab.evaluation.collection_scores import judged_predictions, truth_for
from infostream_dedup.lab.evaluation.method_runs import judged_by_labels, run_methods
from infostream_dedup.lab.evaluation.scores import GROUP_MEASURES, group_scores
from infostream_dedup.lab.methods import Texts
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.judged_deduplication import judged_statuses
from infostream_dedup.runs.batch.judging import JudgedCollection

METHODS = (
    "md5",
    "long-sent",
    "three-plus-five",
    "spotsigs",
    "shingles",
    "shingles:tau=0.05",
    "tf-idf-cosine",
    "key-terms-morph",
    "key-terms-morph:n=30:score=share",
    "pair-model",
)
ANSWERS = ((("dup",), "reprints"), (("dup", "similar"), "any overlap"))
FAMILIES = (
    LabelledSet("uagec", "uagec"),
    LabelledSet("wmt ru news", "wmt", "ru", NEWS),
    LabelledSet("wmt uk news", "wmt", "uk", NEWS),
    LabelledSet("wmt en news", "wmt", "en", NEWS),
    LabelledSet("ntrex en", "ntrex", "en"),
)

_ABOUT = """\
mdnews and slavictopics list every pair of documents that share a fifth of the word 5-grams of the smaller text. If only
listed pairs count (open), a method pays nothing for the other pairs that it links, and most of its links are not judged
at all. Here every other linked pair counts as false (`--closed`), and so do the labelled templates. Precision is a
lower bound: templates whose 5-grams occur in more than 60 documents are not listed. The labels ignore paraphrases: a
retelling counts as false. "Reprints": label `dup` is right, other overlap is not
counted; "any overlap": `dup` and `similar` are right."""

_GROUPS = """\
Groups of preset `judged` (`dedup --preset judged`) beside families: BCubed, adjusted Rand index, F1 of pairs. The
coefficients of the model were learned on sets of this kind, these among them; reports/verdicts.md leaves the set out
that is judged. By `infostream-dedup evaluate`."""


_TOPICS = """\
Groups that `dedup` makes of slavictopics, beside those of its reprints. Without dates `dedup` joins `copy` and `retold`
by default. If one topic fills a collection, the model is sure of many pairs that merely report on one event, and each
such pair joins two groups. A threshold of probability or vocabulary that breaks these groups up also loses paraphrases
of wmt that nothing else finds. `--join copy` is the choice for a collection about one topic. Reprints alone are right
here; pairs that share other wording are not counted."""


def main() -> None:
    """Measure and write the page."""
    parts = [_ABOUT]
    for corpus in ("slavictopics", "mdnews"):
        texts = Texts(list(read_documents(CORPORA / f"{corpus}.docs.jsonl.gz")))
        for title, rows in _closed(corpus, texts):
            parts += [f"## {title}", table(rows)]
            print(title, file=sys.stderr)
    parts += ["## Groups of one topic", _TOPICS, table(list(_topic_groups("slavictopics")))]
    parts += ["## Families", _GROUPS, table([_families(labelled) for labelled in FAMILIES])]
    write_page("closed-world.md", "Closed world and groups", "make_closed_world.py", parts)


def _closed(corpus: str, texts: Texts) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    labels = CORPORA / f"{corpus}.labels.jsonl.gz"
    runs = run_methods(texts, METHODS).runs
    second_look = _second_look(texts)
    predicted = {f"preset judged{said}": judged_predictions(second_look, kinds) for kinds, said in _KINDS}
    for positive, name in ANSWERS:
        opened, closed = (truth_for(texts, labels, positive=positive, closed=one) for one in (False, True))
        rows = []
        for run in runs:
            found, before = judged_by_labels(run, closed), judged_by_labels(run, opened)
            rows.append(_row(run.name, found, before["precision"], before["f1"]))
        for title, predictions in predicted.items():
            one, other = (
                evaluate_predictions(predictions, truth, recommended=1).recommended for truth in (closed, opened)
            )
            rows.append(_row(title, one.as_dict(), other.scores.precision, other.scores.f1))
        yield f"{corpus}, right: {name} ({len(closed.positives):,} pairs)", rows


_KINDS: Sequence[tuple[tuple[str, ...] | None, str]] = ((None, ""), (("copy",), ", kind copy"))


def _row(method: str, found: dict[str, Any], open_precision: float | None, open_f1: float | None) -> dict[str, Any]:
    return {
        "method": method,
        "linked": found["linked"],
        "judged": found["judged"],
        "precision": found["precision"],
        "recall": found["recall"],
        "F1": found["f1"],
        "low": found["low"],
        "high": found["high"],
        "open precision": open_precision,
        "open F1": open_f1,
    }


def _second_look(texts: Texts) -> JudgedCollection:
    reader = EvidenceReader()
    collection = collect(texts.documents, evidence=reader)
    return JudgedCollection.of(collection, reader.finish(collection.languages), Settings())


def _topic_groups(corpus: str) -> Iterator[dict[str, Any]]:
    texts = Texts(list(read_documents(CORPORA / f"{corpus}.docs.jsonl.gz")))
    truth = truth_for(texts, CORPORA / f"{corpus}.labels.jsonl.gz", positive=("dup",), closed=True)
    second_look = _second_look(texts)
    for join in (("copy",), ("copy", "retold")):
        numbers: dict[str, int] = {}
        named = [one.group for one in judged_statuses(second_look, join=join)]
        groups = np.array([numbers.setdefault(name, len(numbers)) for name in named], dtype=np.int64)
        found = group_scores(groups, truth)
        if found is None:
            raise ValueError(f"{corpus} has no pairs that count")
        sizes = np.bincount(groups)
        yield {"join": ",".join(join), "grouped": int(sizes[sizes > 1].sum()), "largest": int(sizes.max())} | {
            name: found.as_dict()[name] for name in GROUP_MEASURES
        }


def _families(labelled: LabelledSet) -> dict[str, Any]:
    kin = CORPORA / f"{labelled.corpus}.kin.jsonl.gz"
    found = evaluate(
        CORPORA / f"{labelled.corpus}.docs.jsonl.gz",
        CORPORA / f"{labelled.corpus}.labels.jsonl.gz",
        kin=kin if kin.is_file() else None,
        lang=labelled.lang,
        domains=labelled.domains,
    )
    if found.judged is None or found.groups is None:
        raise ValueError(f"{labelled.name} names no families")
    pairs, groups = found.judged.as_dict(), found.groups.as_dict()
    names = ("linked", "judged", "precision", "recall", "f1")
    return (
        {"set": labelled.name} | {name: pairs[name] for name in names} | {name: groups[name] for name in GROUP_MEASURES}
    )


if __name__ == "__main__":
    main()
