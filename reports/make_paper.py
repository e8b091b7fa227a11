"""Makes paper.md: Lande's Tables 1 and 2 and Figures 1 and 2, redone on what is there, beside the published numbers.

    python reports/make_paper.py          (make paper)

The bundled sample is always there; the labelled corpora are used where they lie beside the checkout.
"""

from __future__ import annotations

from typing import Any, Final

from frame import REPORTS, documents_file, table_of, write_page, write_text

from infostream_dedup import sweep
from infostream_dedup.report.drawing import as_svg
from infostream_dedup.report.plots import Quantity, curve_figure
from infostream_dedup.report.tables import PUBLISHED, PublishedSeries
from infostream_dedup.runs.batch.sweeping import SweepResult, SweepRow
from infostream_dedup.sample import documents_path

_SERIES: Final = (("stem:tfidf", "all", "stem"), ("morph:bm25", "all", "morph"), ("pivot", "cross", "pivot"))
_KS: Final = range(4, 9)

_REST: Final = """\
The tables of the other papers are redone on their own pages, beside the published numbers: those of Zelenkov and
Segalovich and of Chala and Popadenko in [comparison.md](comparison.md) and [orderings.md](orderings.md), Table 1 and
Figure 3 of Andreev et al. in [criteria.md](criteria.md), the comparison of Yu et al. in
[orderings.md](orderings.md). They need the labelled corpora and are made by `make reports`."""


def main() -> None:
    """Sweep each collection by the paper's three series, and write the page and its figures."""
    collections = {"the bundled sample": str(documents_path())}
    for corpus in ("mdnews", "slavictopics"):
        if documents_file(corpus).is_file():
            collections[corpus] = str(documents_file(corpus))
    parts = [_REST]
    for name, path in collections.items():
        result = sweep(path, series="paper", ks=_KS, estimate=False, examples=False)
        rows = {(row.representation, row.block, row.measures.k or 0): row for row in result.rows}
        parts += [f"## {name[0].upper()}{name[1:]}", _documents(result), _table_1(rows), _table_2(rows), _says(rows)]
        slug = "sample" if path == collections["the bundled sample"] else name
        quantities: tuple[tuple[int, Quantity], ...] = ((1, "symmetry"), (2, "transitivity"))
        for number, quantity in quantities:
            file = REPORTS / "figures" / f"paper-{slug}-{quantity}.svg"
            write_text(file, as_svg(curve_figure(result, quantity, paper=True)) + "\n")
            parts.append(f"![Figure {number}: {quantity}](figures/{file.name})")
    write_page("paper.md", "Lande's tables and figures, redone", "make_paper.py", parts)


def _documents(result: SweepResult) -> str:
    return f"{sum(result.documents.values()):,} documents: " + ", ".join(
        f"{language} {number:,}" for language, number in result.documents.items()
    )


def _symmetry(row: SweepRow | None) -> float | None:
    return None if row is None else row.measures.symmetry


def _transitivity(row: SweepRow | None) -> float | None:
    if row is None:
        return None
    return row.transitivity_with_return if row.block == "cross" else row.measures.transitivity


def _beside(value: float | None, published: float | None) -> str:
    shown = "-" if value is None else f"{value:.2f}"
    return shown if published is None else f"{shown} ({published:.2f})"


def _table_1(rows: dict[tuple[str, str, int], SweepRow]) -> str:
    names = ["k", *(f"{title}: {what}" for title in ("standard", "new", "across") for what in ("S", "T"))]
    lines: list[list[Any]] = []
    for k in _KS:
        line: list[Any] = [k]
        for series, block, name in _SERIES:
            row, published = rows.get((series, block, k)), PUBLISHED[name]
            line += [
                _beside(_symmetry(row), published.symmetry.get(k)),
                _beside(_transitivity(row), published.transitivity.get(k)),
            ]
        lines.append(line)
    return f"Table 1, S and T (published values in brackets; T across counts the way back).\n\n{table_of(names, lines)}"


def _table_2(rows: dict[tuple[str, str, int], SweepRow]) -> str:
    lines = []
    for k in _KS:
        found = [
            rows[series, block, k].measures.links if (series, block, k) in rows else None
            for series, block, _ in _SERIES
        ]
        ratio = f"{found[0] / found[1]:.2f}" if found[0] and found[1] else "-"
        paper = _paper_ratio(PUBLISHED["stem"], PUBLISHED["morph"], k)
        lines.append(
            [k, *("-" if one is None else f"{one:,}" for one in found), f"{ratio} ({paper})" if paper else ratio]
        )
    names = ["k", "standard", "new", "across", "standard / new"]
    return f"Table 2, numbers of links (published ratio in brackets).\n\n{table_of(names, lines)}"


def _paper_ratio(one: PublishedSeries, other: PublishedSeries, k: int) -> str:
    return f"{one.links[k] / other.links[k]:.2f}" if k in one.links and k in other.links else ""


def _says(rows: dict[tuple[str, str, int], SweepRow]) -> str:
    """Which of the paper's trends hold here, from the numbers."""
    said = []
    for series, block, name in _SERIES:
        for what, of in (("S", _symmetry), ("T", _transitivity)):
            values = [value for k in _KS if (value := of(rows.get((series, block, k)))) is not None]
            if len(values) < len(_KS) or (block == "cross" and what == "T"):
                continue
            rises = values[0] < values[len(values) // 2] < values[-1]
            falls = values[0] > values[len(values) // 2] > values[-1]
            expected = "falls" if name == "pivot" else "rises"
            real = "rises" if rises else "falls" if falls else "neither rises nor falls throughout"
            holds = "as published" if real == expected else f"published: {expected}"
            title = {"stem": "standard way", "morph": "new way", "pivot": "across languages"}[name]
            said.append(f"{what} of the {title} {real} ({holds})")
    more = [
        rows["stem:tfidf", "all", k].measures.links > rows["morph:bm25", "all", k].measures.links for k in (6, 7, 8)
    ]
    order = "more links than" if all(more) else "no more links than"
    verdict = "as published" if all(more) else "published: more"
    return "; ".join([*said, f"at k = 6 to 8 the standard way finds {order} the new one ({verdict})"]) + "."


if __name__ == "__main__":
    main()
