"""Makes the part of quality.md on preset ``judged``: the pair model, each set left out, and ``ingest``."""

from __future__ import annotations

from frame import CORPORA, table, write_part
from ingested_news import ingested_lines
from learn_pair_model import leave_one_out

ABOUT = """\
The data are the development sets of this page. The model is learned without mdnews; the thresholds of the kinds were
chosen on it, so its figures are optimistic. What readers said of the verdicts: [readings.md](readings.md)."""

INGESTED = """\
All dated documents in the order of their dates, `--across none`: key terms and evidence are weighed by what came
before. The thresholds of the kinds were chosen on these documents."""


def main() -> None:
    """Measure and write the part."""
    found = leave_one_out(CORPORA)
    rows = [
        {"set": name, "F": f"{one.f1:.4f}", "right": one.right, "wrong": one.wrong, "missed": one.missed}
        for name, one in found.items()
    ]
    others = [one.f1 for name, one in found.items() if name != "tgpairs"]
    parts = [
        ABOUT,
        "## The pair model, each set judged by a model learned from the others",
        table(rows),
        f"Mean of the sets but tgpairs: {sum(others) / len(others):.4f}.",
        "## mdnews through `ingest`",
        INGESTED,
        "\n".join(ingested_lines(CORPORA)),
    ]
    command = "python reports/make_verdicts.py"
    write_part("quality.md", "verdicts", "Kinds and statuses of pairs", command, parts)


if __name__ == "__main__":
    main()
