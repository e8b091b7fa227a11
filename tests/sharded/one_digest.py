"""One SHA-256 over everything that must not depend on who computed it: links, S and T, groups, recommendation."""

import hashlib
import json

import numpy as np

from infostream_dedup.links.measures import EXACT_FROM
from infostream_dedup.links.relation import survey
from infostream_dedup.model import Document
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.linking import link, relate
from infostream_dedup.runs.sharded.disk_runner import DiskRun, Input
from infostream_dedup.runs.sharded.plan import Cut, Plan
from infostream_dedup.runs.sharded.sweeping import FoldedLinks
from infostream_dedup.runs.sharded.work_folder import WorkFolder


def documents_of(rows):
    return [Document(**row) for row in rows]


def engine_digest(documents, settings, k_min):
    """Of the engine that keeps a collection in memory."""
    key_terms = collect(documents, hashes=False).key_terms(settings)
    counts = link(key_terms, settings, k_min=k_min).matrix.counts.tocoo()
    return digest(counts.row, counts.col, counts.data, survey(relate(key_terms, settings), n=settings.n))


def disk_digest(documents, settings, folder, cut):
    """Of a run in a work folder; also the smallest k whose links it stored."""
    work = WorkFolder(folder)
    with work.held():
        run = DiskRun(
            folder=work, source=Input(lambda: iter(documents), {"test": len(documents)}), settings=settings,
            representations=[settings.representation], plan=Plan(2 << 30, cut),
        )  # fmt: skip
        linked = run.linked(settings.representation)
        relation = FoldedLinks(linked)
        found = survey(relation, n=settings.n)
        return relation.k_min, digest(*document_links(linked, relation.k_min), found)


def document_links(linked, k_min):
    """Links between documents, written out from those between nodes: int64 a, b, and counts."""
    nodes = linked.nodes
    indptr, members = nodes.members()
    several = np.flatnonzero(nodes.inside >= k_min)
    one, other, counts = [several], [several], [nodes.inside[several]]
    for rows in linked.link_table(k_min).chunks():
        one.append(np.repeat(rows.nodes, np.diff(rows.indptr)))
        other.append(rows.columns)
        counts.append(rows.counts)
    one, other, counts = np.concatenate(one), np.concatenate(other), np.concatenate(counts)
    times = nodes.weights[one] * nodes.weights[other]
    link = np.repeat(np.arange(len(one)), times)
    within = np.arange(len(link)) - np.repeat(np.cumsum(times) - times, times)
    a = members[indptr[one[link]] + within // nodes.weights[other[link]]]
    b = members[indptr[other[link]] + within % nodes.weights[other[link]]]
    between = a != b
    return a[between], b[between], counts[link][between]


def _certain(row):
    """A row without T where the engine may sample it, and a work folder count it or leave it out."""
    wanted = row.as_dict()
    if row.k < EXACT_FROM:
        for name in ("closed", "transitivity", "transitivity_error", "sampled"):
            del wanted[name]
    return wanted


def digest(a, b, counts, found):
    order = np.lexsort((b, a))
    text = json.dumps(
        [
            [_certain(row) for row in found.rows["all"]], found.advice["all"].chosen, found.advice["all"].reason,
            sorted(found.group_sizes.tolist()),
        ]
    )  # fmt: skip
    whole = hashlib.sha256(text.encode())
    for column in (a.astype("<i8"), b.astype("<i8"), counts.astype("u1")):
        whole.update(column[order].tobytes())
    return whole.hexdigest()


CUTS = (Cut(), Cut(chunk=7, shards=1, blocks=1), Cut(chunk=5, shards=2, blocks=3), Cut(chunk=3, shards=7, blocks=7))
