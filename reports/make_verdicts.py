"""Writes reports/verdicts.md: what the evidence of pairs is worth on the labelled sets.

    python reports/make_verdicts.py                       # measures everything and writes the page
    python reports/make_verdicts.py --ingest              # measures `ingest` and writes its section anew
    python reports/make_verdicts.py --draw 30 --seed 17   # ids of links of each kind, for a reader

Figures and ids only: no text of the corpora, no titles.
"""

from __future__ import annotations

import argparse
import platform
import random
import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from ingested_news import ingested_lines
from learn_pair_model import CORPORA, REPORTS, leave_one_out, training_set
from pair_model_sets import SETS, candidates_of, collection_of, judged_set
from reading_rounds import ROUNDS
from verdict_measures import LabelledNews, StreamFigures, closed_figures, labelled_news, stream_figures
from wording_race import race

from infostream_dedup.judging.evidence.judging import FILTER
from infostream_dedup.judging.evidence.learning import learn
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.model import full_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

INGESTED = "mdnews through `ingest`"
"""Title of the section that ``--ingest`` writes anew."""

_ABOUT = (
    "The data are the development sets described in `quality.md`. The model is learned without mdnews; the thresholds "
    "of the kinds were chosen on it, so its figures are optimistic. Key terms are weighed by the whole collection."
)

_RULES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.bool_]]] = {
    "share of 12, both added >= .3": lambda shares: shares[:, :2].sum(axis=1) >= 0.3,
    "share of 30, both added >= .3": lambda shares: shares[:, 2:4].sum(axis=1) >= 0.3,
    "larger share of 30 >= .2": lambda shares: shares[:, 2:4].max(axis=1) >= 0.2,
    "12 + 30 >= .6": lambda shares: shares[:, :4].sum(axis=1) >= 0.6,
    "12 + 2 x 30 >= .8": lambda shares: _weighted(shares) >= 0.8,
    "12 + 2 x 30 >= .9 (taken)": lambda shares: _weighted(shares) >= FILTER,
    "12 + 2 x 30 >= 1.0": lambda shares: _weighted(shares) >= 1.0,
}
"""Filters in the race, on the first four columns of the evidence."""


def _weighted(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    total: NDArray[np.float64] = shares[:, :2].sum(axis=1) + 2 * shares[:, 2:4].sum(axis=1)
    return total


def model_lines(corpora: Path) -> list[str]:
    """F of every set by a model that has not seen it."""
    found = leave_one_out(corpora)
    mean = np.mean([one.f1 for name, one in found.items() if name != "tgpairs"])
    lines = ["| set | F | right | wrong | missed |", "|---|---|---|---|---|"]
    lines += [f"| {name} | {one.f1:.4f} | {one.right} | {one.wrong} | {one.missed} |" for name, one in found.items()]
    return [*lines, "", f"Mean of the eight sets but tgpairs: {mean:.4f}."]


def filter_lines(corpora: Path, news: LabelledNews) -> list[str]:
    """Candidates that each filter keeps, and accepted pairs that it loses."""
    sets = {
        f"{recipe.corpus} {recipe.language or ''}".strip(): collection_of(corpora, recipe.corpus, recipe.language)
        for recipe in SETS.values()
    }
    evidence = {
        name: found.evidence(*candidates_of(corpora, *(*name.split(), None)[:2])) for name, found in sets.items()
    }
    evidence["mdnews"] = news.collection.evidence(news.a, news.b)
    evidence["mdnews, seven days"] = evidence["mdnews"][news.in_window(news.a, news.b)]
    accepted = {name: shipped_model().probabilities(one) >= 0.5 for name, one in evidence.items()}
    lines = ["| filter | kept of mdnews | kept within seven days | most lost | where |", "|---|---|---|---|---|"]
    for rule, holds in _RULES.items():
        kept = {name: holds(one) for name, one in evidence.items()}
        lost = {name: float((accepted[name] & ~kept[name]).sum() / accepted[name].sum()) for name in evidence}
        worst = max(lost, key=lambda name: lost[name])
        shares = (kept["mdnews"].mean(), kept["mdnews, seven days"].mean())
        lines.append(f"| {rule} | {shares[0]:.2f} | {shares[1]:.2f} | {100 * lost[worst]:.2f} % | {worst} |")
    return lines


def race_lines(news: LabelledNews) -> list[str]:
    """Ways to measure wording."""
    judged = news.judged(None, news.in_window(news.a, news.b), filtered=False)
    documents = [full_text(one) for one in news.collection.documents]
    rows = race(documents, judged.a, judged.b, judged.facts, news.collection.triples)
    lines = [
        "| way | bytes a document | mean error | kinds changed | the same, wording >= .2 |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.name} | {row.bytes:.0f} | {row.error:.3f} | {100 * row.kinds:.2f} % | {100 * row.related:.1f} % |"
        for row in rows
    ]
    return [
        *lines,
        "",
        "Triples are kept: they are the definition of wording, and both smaller ways change the kinds of many pairs",
        "that share a fifth of their wording. They lie apart from the records and are asked for only where a pair",
        "passes the filter, so memory does not hold them.",
    ]


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in found.most_common()) or "none"


def stream_lines(found: StreamFigures) -> list[str]:
    """Figures of a stream as a list."""
    shares = {name: found.statuses[name] / found.documents for name in ("new", "similar", "duplicate", "exact")}
    return [
        f"- {found.documents} documents, {found.candidates} candidates, {found.passed} pass the filter",
        "- statuses: " + ", ".join(f"{name} {found.statuses[name]} ({share:.3f})" for name, share in shares.items()),
        f"- kinds of the similar: {_counts(found.kinds)}",
        f"- `duplicate` links with a label of overlap that is no template: {found.duplicate_right:.3f}",
        f"- the same with `exact`: {found.duplicate_or_exact_right:.3f}",
        f"- reprints inside the window: {_counts(found.reprints)}",
        f"- reprints across sources: {_counts(found.reprints_across)}",
        f"- equal texts: {_counts(found.equal_texts)}",
        f"- templates inside the window by kind: {_counts(found.templates)}",
        f"- templates by status of the later document: {_counts(found.template_statuses)}",
        f"- pairs of containment >= .5 that are similar or stronger: {found.containing_pairs:.3f} ({found.containing})",
        f"- largest group: {found.largest_group}",
    ]


def closed_lines(corpora: Path, news: LabelledNews) -> list[str]:
    """Kind ``copy`` in a closed world."""
    sets = {"slavictopics": labelled_news(corpora, "slavictopics"), "mdnews": news}
    others = learn([training_set(judged_set(corpora, name)) for name in SETS if name != "slavictopics"])
    lines = ["| set | pairs `copy` | with overlap | precision | reprints that are `copy` | reprints found |"]
    lines.append("|---|---|---|---|---|---|")
    for name, one in sets.items():
        found = closed_figures(one, others if name == "slavictopics" else None)
        precision = found["right"] / max(found["copies"], 1)
        reprints = found["reprints"]
        lines.append(
            f"| {name} | {found['copies']} | {found['right']} | {precision:.3f} | {found['copy']} of {reprints} "
            f"| {found['found']} of {reprints} |"
        )
    return lines


def drawn_lines(news: LabelledNews, count: int, seed: int) -> list[str]:
    """Ids of links of each kind and status, drawn by a seed."""
    found = stream_figures(news)
    ids = [one.id for one in news.collection.documents]
    lines = []
    for name in ("duplicate", "similar", "template", "retold", "follow-up", "updated"):
        rows = [row for row in found.best if name in row[2:] and row[3] != "exact"]
        for a, b, _, _ in random.Random(seed).sample(rows, min(count, len(rows))):  # noqa: S311
            lines.append(f"{name}\t{ids[a]}\t{ids[b]}")
    return lines


def reading_lines() -> list[str]:
    """What readers who saw no verdict said, round after round; the pages of the rounds say more."""
    about = (
        "Links drawn by a seed and judged from titles, sources, dates and texts by a reader who saw no verdict "
        "(`python reports/draw_reading.py`). The rule was changed after each of the first three rounds, before the "
        "sixth, before and after the seventh, and after the eighth."
    )
    head = "| round | class | right means | in the stream | read | right | with second words | share | goal |"
    lines = [about, "", head, "|---|---|---|---|---|---|---|---|---|"]
    for seed, one in ROUNDS.items():
        # A round has no page until its reader is done.
        rows = (REPORTS / one.page).read_text("utf-8").splitlines() if (REPORTS / one.page).exists() else []
        lines += [f"| [{seed}]({one.page}) {row}" for row in rows if row.startswith("| `")]
    return lines


def page(corpora: Path) -> str:
    """The whole page."""
    news = labelled_news(corpora, "mdnews")
    streamed = labelled_news(corpora, "mdnews", as_stream=True)
    weighed = stream_figures(streamed)
    sections = {
        "The pair model, each set judged by a model learned from the others": model_lines(corpora),
        "The cheap filter": filter_lines(corpora, news),
        "Wording": race_lines(news),
        INGESTED: ingested_section(corpora),
        "mdnews as a stream of seven days": stream_lines(stream_figures(news)),
        "The same, numbers, names and leads weighed by the documents before each epoch": stream_lines(weighed),
        "Closed world": closed_lines(corpora, news),
        "Read": reading_lines(),
    }
    lines = [
        "# Kinds and statuses of pairs",
        "",
        f"`python reports/make_verdicts.py`, {date.today().isoformat()}, {platform.machine()}. {_ABOUT}",
    ]
    for title, body in sections.items():
        lines += ["", f"## {title}", "", *body]
    return "\n".join(lines) + "\n"


def ingested_section(corpora: Path) -> list[str]:
    """What ``ingest`` makes of mdnews."""
    about = (
        f"`python reports/make_verdicts.py --ingest`, {date.today().isoformat()}, {platform.machine()}. All dated "
        "documents in the order of their dates, `--across none`: key terms and evidence are weighed by what came "
        "before. The thresholds of the kinds were chosen on these documents."
    )
    return [about, "", *ingested_lines(corpora)]


def with_section(text: str, title: str, body: list[str]) -> str:
    """A page with one section written anew, or added before the section of the simulated stream."""
    parts = re.split(r"(?m)^(?=## )", text)
    written = "\n".join([f"## {title}", "", *body, "", ""])
    kept = [part for part in parts if not part.startswith(f"## {title}\n")]
    place = next(number for number, part in enumerate(kept) if part.startswith("## mdnews as a stream"))
    return "".join([*kept[:place], written, *kept[place:]])


def main() -> None:
    """Write the page, or draw links to read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--ingest", action="store_true")
    given = parser.parse_args()
    if given.ingest:
        target = REPORTS / "verdicts.md"
        target.write_text(with_section(target.read_text("utf-8"), INGESTED, ingested_section(given.corpora)), "utf-8")
        return
    if given.draw is not None:
        print("\n".join(drawn_lines(labelled_news(given.corpora, "mdnews"), given.draw, given.seed)))
        return
    (REPORTS / "verdicts.md").write_text(page(given.corpora), "utf-8")


if __name__ == "__main__":
    main()
