"""Draws links of `ingest` for a reader who sees no verdict, and scores what the reader judged.

    python reports/draw_reading.py draw FOLDER --seed 2031    # FOLDER/items.txt for the reader, FOLDER/key.jsonl
    python reports/draw_reading.py score FOLDER --seed 2031   # reads FOLDER/judged.jsonl, writes the page of the seed

The dated documents of mdnews pass through `ingest` with default settings in the order of their dates. Of every class
links are drawn by the seed; one that is drawn for two classes is read once, one that an earlier page lists is not drawn
again, except where the round says so. A stream holds few of these, so pairs of kind `copy` are drawn
too from whole collections: slavictopics, and mdnews without a window. The items come in shuffled order under numbers
that say nothing, with the earlier document first. The texts stay in FOLDER: pages hold ids, judgements and reasons
only.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from learn_pair_model import CORPORA, REPORTS
from reading_rounds import ROUNDS, Round

from infostream_dedup import Deduplicator, Document, pairs, read_documents
from infostream_dedup.language.text.fingerprint import text_hash
from infostream_dedup.runs.batch.judged_pairing import JudgedPairRow
from infostream_dedup.stream.settings import StreamSettings

if TYPE_CHECKING:
    from infostream_dedup.model.stream_records import Verdict

_STORY = ("same story", "copy", "updated")
_RIGHT: dict[str, tuple[tuple[str, ...], str]] = {
    "duplicate": (("copy",), ".90"),
    "copy in slavictopics": (("copy",), ".90"),
    "copy in mdnews": (("copy",), ".90"),
    "template": (("template",), ".86"),
    "retold": (_STORY, ".83"),
    "similar": ((*_STORY, "same affair", "follow-up", "template", "shared passage or form"), ".90"),
    "follow-up": (("follow-up",), ".66"),
    "updated": (("updated",), "none"),
}
"""Judgements that are right for each class, and the share that the project asks for."""

_OTHERS = "other"
"""Class of links that are mixed in so that the reader cannot guess, and are not scored."""

_BATCH = 1000

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Pool:
    """Links to draw from, in order, by class."""

    links: Mapping[str, Sequence[Pair]]

    @classmethod
    def of(cls, verdicts: Sequence[Verdict], round_: Round, copies: Mapping[str, Sequence[Pair]]) -> Pool:
        """Links of documents that are not new and not ``exact``; `duplicate` and `similar` are statuses."""
        linked = [one for one in verdicts if one.of is not None and one.status not in ("exact", "new")]
        links: dict[str, Sequence[Pair]] = dict(copies)
        found: dict[str, list[Pair]] = {name: [] for name in (*round_.classes, _OTHERS) if name not in links}
        for one in linked:
            for name in [name for name in (one.status, str(one.kind)) if name in found] or [_OTHERS]:
                found[name].append((str(one.of), one.id))
        return cls(links | found)


def drawn(pool: Pool, seed: int, *, read: frozenset[Pair]) -> dict[Pair, dict[str, Any]]:
    """Links by (earlier, later) id, with the classes they were drawn for and how many each class has.

    Args:
        pool: links of the stream and pairs of collections.
        seed: names the round.
        read: links of earlier pages.
    """
    wanted = ROUNDS[seed]
    chosen: dict[Pair, dict[str, Any]] = {}
    for name, count in wanted.classes.items():
        rows = pool.links.get(name, ())
        fresh = [one for one in rows if one not in read or name in wanted.again]
        chance = random.Random(f"{seed} {name}")  # noqa: S311
        links = chance.sample(fresh, min(count, len(fresh)))
        if name in wanted.filled:
            known = [one for one in rows if one in read]
            links += chance.sample(known, min(count - len(links), len(known)))
        _take(chosen, name, len(rows), links)
    return chosen


def _take(chosen: dict[Pair, dict[str, Any]], name: str, total: int, links: Sequence[Pair]) -> None:
    for link in links:
        row = chosen.setdefault(link, {"drawn": [], "of": {}})
        row["drawn"].append(name)
        row["of"][name] = total


def ingested(documents: Sequence[Document]) -> list[Verdict]:
    """Verdicts of a stream with default settings."""
    with tempfile.TemporaryDirectory() as folder, Deduplicator.open(Path(folder) / "s.db", StreamSettings.of({})) as on:
        found: list[Verdict] = []
        for first in range(0, len(documents), _BATCH):
            found += on.process(documents[first : first + _BATCH])
        return found


def copies_of(documents: Sequence[Document]) -> list[Pair]:
    """Pairs of kind ``copy`` whose texts are not equal."""
    text = {one.id: text_hash(one.text) for one in documents}
    rows = (row for row in pairs(documents, preset="judged") if isinstance(row, JudgedPairRow))
    return [(row.a, row.b) for row in rows if row.kind == "copy" and text[row.a] != text[row.b]]


def read_before(seed: int) -> frozenset[Pair]:
    """Links that the pages of earlier rounds list, in both directions: a collection need not be ordered as a stream."""
    pages = [REPORTS / one.page for number, one in ROUNDS.items() if number < seed]
    rows = (line.split("|") for page in pages for line in page.read_text("utf-8").splitlines())
    listed = (row for row in rows if len(row) > 6 and re.match(r" (md|sl)-", row[1]))
    links = [(row[1].strip(), row[2].strip()) for row in listed]
    return frozenset([*links, *((other, one) for one, other in links)])


def draw(corpora: Path, folder: Path, seed: int) -> None:
    """Write the items for the reader and the key."""
    dated = [one for one in read_documents(corpora / "mdnews.docs.jsonl.gz") if one.time is not None]
    dated.sort(key=lambda one: one.time.timestamp() if one.time else 0.0)
    sets = {name: list(read_documents(corpora / f"{name}.docs.jsonl.gz")) for name in ("slavictopics", "mdnews")}
    by_id = {one.id: one for documents in sets.values() for one in documents}
    copies = {f"copy in {name}": copies_of(documents) for name, documents in sets.items()}
    links = list(drawn(Pool.of(ingested(dated), ROUNDS[seed], copies), seed, read=read_before(seed)).items())
    random.Random(seed).shuffle(links)  # noqa: S311
    items, key = [], []
    for number, ((earlier, later), row) in enumerate(links, 1):
        items += [f"===== {number}", *_shown(by_id[earlier]), f"--- {number}, later", *_shown(by_id[later]), ""]
        key.append({"number": number, "a": earlier, "b": later, **row})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "items.txt").write_text("\n".join(items), "utf-8")
    (folder / "key.jsonl").write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in key))


def _shown(document: Document) -> tuple[str, str]:
    time = document.time
    when = "no date" if time is None else time.isoformat(timespec="minutes")
    return f"[{document.source}, {when}] {document.title}", document.text


def score(folder: Path, seed: int) -> str:
    """The page: what the reader's judgements say of each class, and every judgement."""
    key = {row["number"]: row for row in _rows(folder / "key.jsonl")}
    judged = {row["number"]: row for row in _rows(folder / "judged.jsonl")}
    if missing := sorted(set(key) - set(judged)):
        raise SystemExit(f"{folder / 'judged.jsonl'}: no judgement of {missing[0]}; judge every item")
    wanted = ROUNDS[seed]
    lines = [wanted.about.strip(), "", *_table(key, judged), "", *wanted.remarks.strip().splitlines(), ""]
    lines += ["| earlier | later | drawn for | judgement | also | reason |", "|---|---|---|---|---|---|"]
    for number, row in sorted(key.items(), key=lambda one: (one[1]["drawn"], one[0])):
        said = judged[number]
        cells = (row["a"], row["b"], ", ".join(row["drawn"]), said["judgement"], said.get("also") or "", said["reason"])
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _table(key: Mapping[int, dict[str, Any]], judged: Mapping[int, dict[str, Any]]) -> Iterator[str]:
    yield "| class | right means | in the stream | read | right | right, second word counted too | share | goal |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, (right, goal) in _RIGHT.items():
        rows = [(one, judged[number]) for number, one in key.items() if name in one["drawn"]]
        if not rows:
            continue
        first = sum(said["judgement"] in right for _, said in rows)
        either = sum(bool({said["judgement"], said.get("also")} & set(right)) for _, said in rows)
        share = f"{first / len(rows):.2f} ({either / len(rows):.2f})"
        total = rows[0][0]["of"][name]
        yield f"| `{name}` | {', '.join(right)} | {total} | {len(rows)} | {first} | {either} | {share} | {goal} |"


def _rows(path: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def main() -> None:
    """Draw or score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["draw", "score"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, choices=list(ROUNDS), required=True)
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    given = parser.parse_args()
    if given.action == "draw":
        draw(given.corpora, given.folder, given.seed)
    else:
        (REPORTS / ROUNDS[given.seed].page).write_text(score(given.folder, given.seed), "utf-8")


if __name__ == "__main__":
    main()
