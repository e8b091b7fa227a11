"""What the scripts of reports/ share: the labelled corpora beside the project, tables, and pages made of parts.

A page holds the part of its own script first, then parts of others between marks; writing one part keeps the rest.
Pages contain only figures: no texts, ids or titles of the corpora.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from scipy.stats import spearmanr

from infostream_dedup import Document, Settings, read_documents
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.lab.census import CopyCensus
from infostream_dedup.lab.labels import Truth
from infostream_dedup.lab.scores import Documents, TruthRules
from infostream_dedup.runs.batch.collection import Collection, collect
from infostream_dedup.runs.batch.judging import JudgedCollection

REPORTS = Path(__file__).resolve().parent
CORPORA = REPORTS.parents[1] / "shared" / "data"
_FIRST_MARK = "<!-- part: "


@dataclass(frozen=True)
class LabelledSet:
    """A row of the quality table: options of ``evaluate``, and goals for the defaults and for preset ``best``."""

    name: str
    corpus: str
    lang: str | None = None
    domains: tuple[str, ...] = ()
    positive: tuple[str, ...] = ("dup",)
    rule: str = "both"
    label_free: bool = False
    must: float | None = None
    ambitious: float | None = None
    english: bool = False

    def truth(self, documents: Documents) -> Truth:
        """What its labels say of its documents."""
        return self.rules.truth(documents, labels_file(self.corpus))

    @property
    def rules(self) -> TruthRules:
        """How they are applied."""
        kin = kin_file(self.corpus)
        return TruthRules(kin=kin, lang=self.lang, domains=self.domains, positive=self.positive)


NEWS = ("", "news")
OTHER = ("!", "!news", "!conversation")

SETS = (
    LabelledSet("uagec", "uagec", label_free=True, must=0.985, ambitious=0.990),
    LabelledSet("wmt ru news", "wmt", "ru", NEWS, label_free=True, must=0.975, ambitious=0.993),
    LabelledSet("wmt uk news", "wmt", "uk", NEWS, label_free=True, must=0.980, ambitious=0.993),
    LabelledSet("wmt en news", "wmt", "en", NEWS, label_free=True, must=0.935, ambitious=0.975, english=True),
    LabelledSet("wmt ru other", "wmt", "ru", OTHER, must=0.94, ambitious=0.98),
    LabelledSet("wmt en other", "wmt", "en", OTHER, must=0.94, ambitious=0.955, english=True),
    LabelledSet("ntrex en", "ntrex", "en", label_free=True, must=0.98, ambitious=1.0, english=True),
    LabelledSet("mdnews dup", "mdnews", label_free=True, must=0.99, ambitious=0.99),
    LabelledSet("mdnews dup+similar, either", "mdnews", positive=("dup", "similar"), rule="either", must=0.985),
    LabelledSet("slavictopics dup", "slavictopics", label_free=True, must=0.98, ambitious=1.0),
    LabelledSet("tgpairs, either", "tgpairs", positive=("similar",), rule="either", must=0.82, ambitious=0.86),
)
"""Goals: the development column; see the closing lines of quality.md for where each is judged."""


def corpora() -> list[str]:
    """The names of the corpora, in alphabetical order."""
    return sorted(path.name.split(".")[0] for path in CORPORA.glob("*.docs.jsonl.gz"))


def documents_file(corpus: str) -> Path:
    """Gzipped documents."""
    return CORPORA / f"{corpus}.docs.jsonl.gz"


def labels_file(corpus: str) -> Path:
    """Gzipped labels of pairs."""
    return CORPORA / f"{corpus}.labels.jsonl.gz"


def dated_documents(corpus: str) -> list[Document]:
    """The documents with a date, in the order of their dates."""
    dated = [one for one in read_documents(documents_file(corpus)) if one.time is not None]
    return sorted(dated, key=lambda one: one.time.timestamp() if one.time else 0.0)


def kin_file(corpus: str) -> Path | None:
    """Gzipped pairs of kin families, where a corpus has them."""
    path = CORPORA / f"{corpus}.kin.jsonl.gz"
    return path if path.is_file() else None


def with_copies(documents: Iterable[Document]) -> tuple[Collection, CopyCensus]:
    """Documents as a collection, and its copies."""
    reader = EvidenceReader()
    collection = collect(documents, evidence=reader)
    return collection, CopyCensus(collection.documents, reader.finish(collection.languages))


def judged_collection(corpus: str) -> JudgedCollection:
    """A corpus, read as `pairs` does."""
    reader = EvidenceReader()
    collection = collect(read_documents(documents_file(corpus)), evidence=reader)
    return JudgedCollection.of(collection, reader.finish(collection.languages), Settings())


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a gzipped file of JSON Lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def read_table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file; none if it is not there yet."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as a Markdown table with the columns of the first row."""
    return table_of(list(rows[0]), [[row.get(name) for name in rows[0]] for row in rows])


def table_of(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table; floats have three decimals, None is a dash."""
    lines = [heads, ["---"] * len(heads), *([_cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def rank_correlation(one: Sequence[float | None], other: Sequence[float | None]) -> float | None:
    """Return Spearman's rank correlation where both are known; None if it is undefined, or always perfect."""
    points = [(x, y) for x, y in zip(one, other, strict=True) if x is not None and y is not None]
    if len(points) < 3 or any(len(set(column)) == 1 for column in zip(*points, strict=True)):
        return None
    x, y = (list(column) for column in zip(*points, strict=True))
    return float(spearmanr(x, y).statistic)


def made_by(command: str) -> str:
    """The command, date and machine behind figures."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"Made by `{command}` on {date.today().isoformat()}, Python {platform.python_version()}, {os.cpu_count()} "
        f"cores, {memory:.0f} GiB. Corpora: [docs/reports.md](../docs/reports.md)."
    )


def write_page(name: str, title: str, command: str, parts: Sequence[str]) -> None:
    """Write the part of a page that comes first, and keep the others."""
    path = REPORTS / name
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    others = kept[kept.index(_FIRST_MARK) :] if _FIRST_MARK in kept else ""
    text = "\n\n".join([f"# {title}", made_by(command), *parts]) + "\n"
    write_text(path, f"{text}\n{others}" if others else text)


def write_part(name: str, part: str, title: str, command: str, parts: Sequence[str]) -> None:
    """Write one part of a page, in its place or at the end; its headings become one level lower."""
    path = REPORTS / name
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    lower = [re.sub(r"^(#+ )", r"#\1", one, flags=re.MULTILINE) for one in parts]
    body = "\n\n".join([f"## {title}", made_by(command), *lower])
    written = f"{_FIRST_MARK}{part} -->\n\n{body}\n\n<!-- end of {part} -->\n"
    before, mark, rest = kept.partition(f"{_FIRST_MARK}{part} -->\n")
    after = rest.partition(f"<!-- end of {part} -->\n")[2] if mark else ""
    write_text(path, before + ("" if mark or not before else "\n") + written + after)


def write_text(path: Path, text: str) -> None:
    """Write a file and print its name."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(path.relative_to(REPORTS.parent))
