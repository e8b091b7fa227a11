"""Makes boilerplate.md from the labelled corpora beside the project: ``python reports/make_boilerplate.py``.

The page contains only numbers: no texts, ids or titles of the corpora. Judgements by eye are kept here as checksums.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable
from datetime import date
from hashlib import blake2b
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

from infostream_dedup import evaluate, read_documents
from infostream_dedup.judging.passages import copied_sentences, passages_of
from infostream_dedup.judging.passages.boilerplate import Boilerplate, BoilerplateRule, ListedSentence, find_boilerplate
from infostream_dedup.judging.passages.digests import find_digests
from infostream_dedup.judging.passages.provenance import novel_sentences, novelties, stream_order
from infostream_dedup.judging.passages.sentence_table import SentenceCollection, read_collection
from infostream_dedup.model import Document

REPORTS = Path(__file__).resolve().parent
CORPORA = REPORTS.parents[1] / "shared" / "data"
NAMES = ("mdnews", "slavictopics")
RULES = {
    "default": BoilerplateRule(),
    "5 documents, any share, any day": BoilerplateRule(min_share=0, min_days=1),
    "5 documents, any share": BoilerplateRule(min_share=0),
    "10 documents, .2 %": BoilerplateRule(min_documents=10, min_share=0.002),
    "1 % of the source": BoilerplateRule(min_share=0.01),
}
KS = (4, 5, 6, 7, 8)

READ = 30
"""Sentences of each list that were read: those of the lowest checksums."""
WRONG = {
    "mdnews": "32c1fa97 32df7427 351b0f02 4cfdc37e 53cd7b5e 5b9966ae 6ef79f4f".split(),
    "slavictopics": (
        "018fae3e 13dcd8f8 3bc15324 4affa75d 6ef7b742 88188e3d 9dfae929 c98224b0 da5364de e0d733fe".split()
    ),
}
"""Of these the ones that say something about the news."""
RIGHT = {
    "mdnews": (
        "1abe8d96 1fb5312d 20dd7b34 22a36c7d 298b3f5e 2d78149f 32c9decd 33af4027 3a9055f0 43a1ab74 44edf814 45994ba5 "
        "4dd8a761 51911fbf 52d06443 5bbad74f 63f34b74 6f231750 746e3a5a 77a578ec 7c86e521 8176770a 86aae141".split()
    ),
    "slavictopics": (
        "09976e03 0dc81548 197b70bf 1b8f1323 1f680d18 34c190bd 399f0a02 4f5fb757 524e3b50 5c9b09ff 65a860da 687ed942 "
        "68893456 891e5284 9084db24 9ab4cce0 9be11991 a3086d55 d0fa076b e80e9100".split()
    ),
}
_WORD = re.compile("\\w+")


def main() -> None:
    """Measure everything and write the page."""
    corpora = {name: list(read_documents(CORPORA / f"{name}.docs.jsonl.gz")) for name in NAMES}
    collections = {name: read_collection(documents) for name, documents in corpora.items()}
    parts = [_head(), _lists(corpora, collections), _links(corpora, collections), _novelty(corpora, collections)]
    page = "\n\n".join((*parts, _digests(corpora, collections))) + "\n"
    (REPORTS / "boilerplate.md").write_text(page, encoding="utf-8")
    print(page)


def _head() -> str:
    return f"""# Boilerplate, novelty, digests

Made by `python reports/make_boilerplate.py` on {date.today().isoformat()}, Python {platform.python_version()}. \
Corpora: see docs/reports.md. `slavictopics` gives one source for texts of many sites and no dates, so \
that the rules of source and day cannot help there."""


def _lists(corpora: dict[str, list[Document]], collections: dict[str, SentenceCollection]) -> str:
    counts: list[tuple[Any, ...]] = []
    judged: list[tuple[Any, ...]] = []
    for name, documents in corpora.items():
        sentences = collections[name].sentences
        sources = [one.source for one in documents]
        for title, rule in RULES.items():
            found = find_boilerplate(documents, sentences, rule)
            marked = Boilerplate(found).marked(sentences, sources)
            touched = len(np.unique(sentences.documents[marked]))
            words = int(sentences.lengths[marked].sum()) / int(sentences.lengths.sum())
            counts.append((name, title, len(found), int(marked.sum()), touched, f"{100 * words:.2f} %"))
        judged.append((name, *_count_verdicts(name, find_boilerplate(documents, sentences))))
    heads = ("corpus", "rule", "sentences listed", "places", "documents", "of all words")
    return f"""## What is found

{_table(heads, counts)}

Read by eye: {READ} of each list (default rule; the lowest checksums), wrong if the sentence says something about \
the news: the background of a long story, a phrase of the weather. They repeat too, but not whatever the text is about.

{_table(("corpus", "read", "right", "wrong", "not read yet"), judged)}"""


def _count_verdicts(name: str, found: list[ListedSentence]) -> tuple[int, int, int, int]:
    keys = sorted(blake2b(f"{one.source}\t{one.sentence}".encode(), digest_size=4).hexdigest() for one in found)[:READ]
    right, wrong = (sum(key in known[name] for key in keys) for known in (RIGHT, WRONG))
    return len(keys), right, wrong, len(keys) - right - wrong


def _links(corpora: dict[str, list[Document]], collections: dict[str, SentenceCollection]) -> str:
    rows: list[tuple[Any, ...]] = []
    for name, documents in corpora.items():
        listed = Boilerplate(find_boilerplate(documents, collections[name].sentences))
        labels = CORPORA / f"{name}.labels.jsonl.gz"
        for positive in (("dup",), ("dup", "similar")):
            before, after = (
                {row.step: row.scores for row in evaluate(given, labels, positive=positive).rows}
                for given in (documents, list(listed.left_out(documents)))
            )
            for k in KS:
                changed = [
                    f"{old.tp} {old.fp} {old.fn} → {new.tp} {new.fp} {new.fn}" for old, new in ((before[k], after[k]),)
                ]
                figures = [
                    f"{_ratio(getattr(before[k], one))} → {_ratio(getattr(after[k], one))}"
                    for one in ("precision", "recall", "f1")
                ]
                rows.append((name, "+".join(positive), k, *changed, *figures))
    heads = ("corpus", "positive", "k", "tp fp fn", "precision", "recall", "F1")
    return f"""## Links without boilerplate in key terms

Before → after the default list is left out (`evaluate`, default settings, labelled pairs).

{_table(heads, rows)}"""


def _novelty(corpora: dict[str, list[Document]], collections: dict[str, SentenceCollection]) -> str:
    rows: list[tuple[Any, ...]] = []
    for name in corpora:
        collection = collections[name]
        ranks = stream_order(collection.times)
        novel = novel_sentences(collection.sentences, copied_sentences(collection.sentences), ranks)
        shares = [one.share for one in novelties(collection.sentences, novel) if one.share is not None]
        rows.append((
            name, len(shares), len(novel), f"{novel.mean():.3f}", f"{mean(shares):.3f}",
            sum(share == 0 for share in shares), sum(share < 0.5 for share in shares),
            *_check_novelty(collection, ranks, novel),
        ))  # fmt: skip
    heads = ("corpus", "documents", "sentences", "novel", "novel words, mean of documents", "nothing new",
             "less than half new", "not novel: 5-gram seen earlier", "novel: all 5-grams earlier")  # fmt: skip
    return f"""## Novel sentences

The last two columns judge sentences of six words and more against exact word 5-grams of earlier documents: the first \
should be near 1, the second near 0.

{_table(heads, rows)}"""


def _check_novelty(collection: SentenceCollection, ranks: Any, novel: Any) -> tuple[str, str]:
    table = collection.sentences
    size = len(table.words.vocabulary)
    holders: dict[int, list[int]] = {}
    seen = [0, 0]
    whole = [0, 0]
    for document in np.argsort(ranks).tolist():
        own: list[int] = []
        for sentence in range(int(table.first[document]), int(table.first[document + 1])):
            words = table.words.rows.row(sentence).tolist()
            if len(words) < 6:
                continue
            grams = [_code(words[at : at + 5], size) for at in range(len(words) - 4)]
            own += grams
            if novel[sentence]:
                common = set(holders.get(grams[0], ()))
                for gram in grams[1:]:
                    common &= set(holders.get(gram, ()))
                whole[0] += bool(common)
                whole[1] += 1
            else:
                seen[0] += any(gram in holders for gram in grams)
                seen[1] += 1
        for gram in dict.fromkeys(own):
            holders.setdefault(gram, []).append(document)
    return _ratio(seen[0] / max(seen[1], 1)), f"{whole[0] / max(whole[1], 1):.4f} ({whole[0]})"


def _code(words: list[int], size: int) -> int:
    """Encode five numbers as one, which takes less memory."""
    code = 0
    for word in words:
        code = code * size + word
    return code


def _digests(corpora: dict[str, list[Document]], collections: dict[str, SentenceCollection]) -> str:
    rows: list[tuple[Any, ...]] = []
    for name, documents in corpora.items():
        collection = collections[name]
        listed = Boilerplate(find_boilerplate(documents, collection.sentences))
        marked = listed.marked(collection.sentences, [one.source for one in documents])
        for title, without in (("all", None), ("without boilerplate", marked)):
            found = find_digests(passages_of(collection, without=without), collection.times)
            held = [_share_in_sources(documents, one.document, [part.source for part in one.parts]) for one in found]
            rows.append((
                name, title, len(documents), len(found),
                f"{mean(len(one.parts) for one in found):.1f}" if found else "-",
                f"{median(one.share for one in found):.2f}" if found else "-",
                f"{median(held):.2f}" if held else "-", sum(share >= 0.4 for share in held),
            ))  # fmt: skip
    heads = ("corpus", "sentences", "documents", "digests", "sources, mean", "share from them, median",
             "5-grams in them, median", "with 40 % and more")  # fmt: skip
    return f"""## Digests

Judged by the share of a digest's word 5-grams that occur in the named sources.

{_table(heads, rows)}"""


def _share_in_sources(documents: list[Document], digest: int, sources: list[int]) -> float:
    own = _five_grams(documents[digest].text)
    return len(own & set().union(*(_five_grams(documents[source].text) for source in sources))) / max(len(own), 1)


def _five_grams(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.lower().replace("ё", "е"))
    return {tuple(words[place : place + 5]) for place in range(len(words) - 4)}


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    lines = [tuple(heads), *(tuple(map(str, row)) for row in rows)]
    lines.insert(1, tuple("---" for _ in lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
