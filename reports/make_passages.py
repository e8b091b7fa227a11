"""Makes passages.md, as part of ``make reports``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from frame import documents_file, labels_file, read_rows, table_of, write_page

from infostream_dedup import read_documents
from infostream_dedup.judging.passages import PassageSettings, find_passages
from infostream_dedup.model import Document

SHOWN = ("shingles", "low-idf-sig", "low-idf-sig:n=500", "exact")


def main() -> None:
    """Measure everything and write the page."""
    parts = [_document_pairs(), _words_in_runs()]
    write_page("passages.md", "Copied passages", "python reports/make_passages.py", parts)


# Pairs of documents.

_WORD = re.compile("\\w+")


def _five_grams(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.lower().replace("ё", "е"))
    return {tuple(words[place : place + 5]) for place in range(len(words) - 4)}


def _document_pairs() -> str:
    rows: list[tuple[Any, ...]] = []
    for name in ("mdnews", "slavictopics"):
        documents = list(read_documents(documents_file(name)))
        labels = list(read_rows(labels_file(name)))
        rows += [(name, notation, *_document_row(documents, labels, notation)) for notation in SHOWN]
    heads = ("corpus", "feature", "pairs labelled", "found", "recall", "pairs found", "passages", "precision", "half")
    return f"""## Pairs of documents that share a whole sentence

Pairs labelled: those whose labels have `same_sentences` of at least 1 (an equal sentence of six words or more). \
Precision: share of the passages found whose two sides have a word 5-gram in common; half: share of those whose \
smaller side has half of its 5-grams in the other. Goals: recall .99, precision .97.

{table_of(heads, rows)}"""


def _document_row(documents: list[Document], labels: list[dict[str, Any]], notation: str) -> tuple[Any, ...]:
    texts = {document.id: document.text for document in documents}
    true = {frozenset((label["a"], label["b"])) for label in labels if label.get("same_sentences")}
    found = list(find_passages(documents, PassageSettings(feature=notation)).as_dicts())
    met = true & {frozenset((row["a"], row["b"])) for row in found}
    shared = half = passages = 0
    for row in found:
        for span in row["spans"]:
            one = _five_grams(texts[row["a"]][slice(*span["a"])])
            other = _five_grams(texts[row["b"]][slice(*span["b"])])
            common = len(one & other)
            passages += 1
            shared += common > 0
            half += common > 0 and common >= min(len(one), len(other)) / 2
    recall, precision = len(met) / len(true), shared / passages
    return (len(true), len(met), f"{recall:.4f}", len(found), passages, f"{precision:.4f}", f"{half / passages:.4f}")


# Words in runs.

RUN = 10  # equal words in a row that must lie inside a passage

KINDS = ("partial", "reprint", "contained", "template")


def _words_in_runs() -> str:
    rows: list[tuple[Any, ...]] = []
    for name in ("mdnews", "slavictopics"):
        documents = list(read_documents(documents_file(name)))
        labels = [label for label in list(read_rows(labels_file(name))) if label["kind"] in KINDS]
        for told, least in (("none", 0), (f"of {RUN} words", RUN)):
            found = find_passages(documents, PassageSettings(min_run=least)).as_dicts()
            shares = _word_recall(documents, labels, {frozenset((row["a"], row["b"])): row for row in found})
            rows.append((name, told, *(shares.get(kind, "-") for kind in KINDS)))
    return f"""## Words in runs

Of the words of labelled pairs that are in a run of {RUN} equal words or more (counted by brute force, in both \
documents of a pair), the share inside a passage; feature shingles. Goal: .97 for every kind of pair.

{table_of(("corpus", "runs looked for", *KINDS), rows)}"""


def _word_recall(
    documents: list[Document], labels: list[dict[str, Any]], found: dict[frozenset[str], dict[str, Any]]
) -> dict[str, str]:
    texts = {document.id: document.text for document in documents}
    inside, whole = Counter[str](), Counter[str]()
    for label in labels:
        row = found.get(frozenset((label["a"], label["b"])))
        words = {name: _placed_words(texts[name]) for name in (label["a"], label["b"])}
        for one, other in ((label["a"], label["b"]), (label["b"], label["a"])):
            side = "b" if row is not None and row["b"] == one else "a"
            spans = [] if row is None else [span[side] for span in row["spans"]]
            for begin, end in _places_in_runs(words[one], words[other]):
                whole[label["kind"]] += 1
                inside[label["kind"]] += any(low <= begin and end <= high for low, high in spans)
    return {kind: f"{inside[kind] / whole[kind]:.4f}" for kind in whole}


def _placed_words(text: str) -> list[tuple[str, int, int]]:
    return [(found[0].lower().replace("ё", "е"), *found.span()) for found in _WORD.finditer(text)]


def _places_in_runs(one: list[tuple[str, int, int]], other: list[tuple[str, int, int]]) -> Iterable[tuple[int, int]]:
    """Yield the places of the words of a text that are in a run of equal words of another text."""
    runs = {tuple(word for word, *_ in other[place : place + RUN]) for place in range(len(other) - RUN + 1)}
    last = -1
    for place in range(len(one) - RUN + 1):
        if tuple(word for word, *_ in one[place : place + RUN]) in runs:
            yield from ((begin, end) for _, begin, end in one[max(place, last + 1) : place + RUN])
            last = place + RUN - 1


if __name__ == "__main__":
    main()
