"""Makes paper.md, paper.html and examples/: the papers redone on what is there, and reports as analysts get them.

    python reports/make_paper.py          (make paper)

The bundled sample and a made-up month are always there; the labelled corpora are used where they lie beside the
checkout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import paper_methods
from frame import REPORTS, documents_file, table_of, write_page, write_text
from made_month import month, write_month
from markdown import markdown
from paper_methods import Known

from infostream_dedup import sweep
from infostream_dedup.api.evaluate import compare
from infostream_dedup.lab.methods import POOL_METHODS
from infostream_dedup.report.comparison import comparison_files
from infostream_dedup.report.drawing import as_svg
from infostream_dedup.report.files import Quantity, curve_figure, report_files
from infostream_dedup.report.tables import PUBLISHED
from infostream_dedup.runs.batch.sweeping import SweepResult, SweepRow
from infostream_dedup.sample import documents_path

_SERIES: Final = (("stem:tfidf", "all", "stem"), ("morph:bm25", "all", "morph"), ("pivot", "cross", "pivot"))
_KS: Final = range(4, 9)
_MONTH: Final = "the made-up month"

_ABOUT: Final = """\
What five papers printed, and what the same methods give here. Corpora differ, so only orders and ratios can be
compared; each table is followed by a sentence on what holds. *The made-up month* is written by
`python reports/made_month.py` from word lists, and all its duplicates are known; *mdnews* and *slavictopics* are there
only where the labelled corpora lie beside the checkout."""


def main() -> None:
    """Write the page and its figures."""
    parts = [_ABOUT, "## Lande: Tables 1 and 2, Figures 1 and 2"]
    with TemporaryDirectory() as folder:
        made = Path(folder, "month.jsonl")
        write_month(made, Path(folder, "labels.jsonl"))
        collections = {"the bundled sample": documents_path(), _MONTH: made}
        for corpus in ("mdnews", "slavictopics"):
            if documents_file(corpus).is_file():
                collections[corpus] = documents_file(corpus)
        for name, path in collections.items():
            parts += _lande(name, path)
        _write_examples(made, Path(folder, "labels.jsonl"))
    parts += _others()
    write_page("paper.md", "The papers, redone", "make paper", parts)
    # The page as one file that a browser shows, figures inside.
    body = markdown((REPORTS / "paper.md").read_text(encoding="utf-8"), extensions=["tables"])
    body = re.sub(
        r'<img alt="([^"]*)" src="([^"]*)" ?/>',
        lambda image: f"<figure>{(REPORTS / image[2]).read_text(encoding='utf-8')}</figure>",
        body,
    )
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    write_text(REPORTS / "paper.html", f"{_HEAD}<body>{body}</body></html>\n")


def _write_examples(made: Path, labels: Path) -> None:
    """The report of the sample; of the made-up month by week, with advice; and its comparison of methods."""
    sample = sweep(documents_path(), ks=_KS)
    weeks = sweep(made, representations=["stem", "morph"], ks=_KS, by="week", examples=False)
    files = {
        "sample": report_files(sample)["report.html"],
        "month": report_files(weeks)["report.html"],
        "month-comparison": comparison_files(compare(made, labels=labels, closed=True))["report.html"],
    }
    (REPORTS / "examples").mkdir(exist_ok=True)
    for name, content in files.items():
        write_text(REPORTS / "examples" / f"{name}.html", content.decode())


def _lande(name: str, path: Path) -> Iterable[str]:
    result = sweep(path, series="paper", ks=_KS, estimate=False, examples=False)
    rows = {(row.representation, row.block, row.measures.k or 0): row for row in result.rows}
    yield from (f"### {name[0].upper()}{name[1:]}", _documents(result), _table_1(rows), _table_2(rows), _says(rows))
    quantities: tuple[tuple[int, Quantity], ...] = ((1, "symmetry"), (2, "transitivity"))
    for number, quantity in quantities:
        file = REPORTS / "figures" / f"paper-{name.split()[-1]}-{quantity}.svg"
        write_text(file, as_svg(curve_figure(result, quantity, paper=True)) + "\n")
        yield f"![Figure {number}: {quantity}](figures/{file.name})"


def _others() -> Iterable[str]:
    """The other papers."""
    invented = Known(_MONTH, *month(), closed=True)
    known = [invented, *filter(None, [Known.of_corpus("mdnews")])]
    methods = [*POOL_METHODS, "three-plus-five", "three-plus-two", "three-plus-two:n=3"]
    found = {one.name: one.compared(methods) for one in known}
    found[f"{_MONTH}, pool"] = invented.compared(methods, protocol="pool")
    yield "## Zelenkov and Segalovich: Tables 2 to 4"
    yield "By labels, and by the paper's own pool: pairs that A0 to A10 find, if String::Similarity is .80 or more."
    yield paper_methods.methods_table(found, methods[: len(POOL_METHODS) + 1])
    yield " ".join(paper_methods.romip(found))
    yield "## Chala and Popadenko: Table 2"
    yield paper_methods.methods_table(found, methods[len(POOL_METHODS) :])
    yield " ".join(paper_methods.chala(found))
    yield "## Andreev, Berezkin, Kozlov and Simakov: Table 1, Figure 3"
    yield paper_methods.table_1(known)
    yield " ".join(paper_methods.says_of_filters(known))
    for one in known:
        points, file = paper_methods.learned(one)
        yield f"Figure 3 on {one.name}: F1 on other stories after learning from so many pairs, mean of 10 draws."
        yield paper_methods.curve_table(points)
        yield f"![Figure 3]({file})"
        yield paper_methods.saturation(points)
    yield "## Yu et al.: Figures 1 and 2"
    figures, says = paper_methods.sentence_sweeps(invented)
    yield from (f"![Figure {number}]({file})" for number, file in enumerate(figures, 1))
    yield f"On {_MONTH}, {says}"


_HEAD: Final = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The papers, redone</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { font: 16px/1.5 sans-serif; max-width: 70rem; margin: auto; padding: 1rem; }
.wide, figure { overflow-x: auto; margin: 1rem 0; } table { border-collapse: collapse; font-size: .85rem; }
td, th { padding: .2rem .6rem; border-bottom: 1px solid #ccc; text-align: right; white-space: nowrap; }
td:first-child, th:first-child { text-align: left; } svg { max-width: 100%; height: auto; }</style></head>
"""


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
        one, other = PUBLISHED["stem"].links, PUBLISHED["morph"].links
        paper = f"{one[k] / other[k]:.2f}" if k in one and k in other else ""
        lines.append(
            [k, *("-" if one is None else f"{one:,}" for one in found), f"{ratio} ({paper})" if paper else ratio]
        )
    names = ["k", "standard", "new", "across", "standard / new"]
    return f"Table 2, numbers of links (published ratio in brackets).\n\n{table_of(names, lines)}"


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
            title = {"stem": "of the standard way", "morph": "of the new way", "pivot": "across languages"}[name]
            said.append(f"{what} {title} {real} ({holds})")
    more = [
        rows["stem:tfidf", "all", k].measures.links > rows["morph:bm25", "all", k].measures.links for k in (6, 7, 8)
    ]
    order = "more links than" if all(more) else "no more links than"
    verdict = "as published" if all(more) else "published: more"
    return "; ".join([*said, f"at k = 6 to 8 the standard way finds {order} the new one ({verdict})"]) + "."


if __name__ == "__main__":
    main()
