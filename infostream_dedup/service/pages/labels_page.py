"""What has been judged, by whom, and where people disagree."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.judgements.agreement import agreement_of, disagreements
from infostream_dedup.judgements.judgements import judgement_page
from infostream_dedup.judgements.labels import label_rows
from infostream_dedup.judgements.schema import LABELS
from infostream_dedup.service.answers import keyset, listed, needs
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.pages.titles import titles_of
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import running

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_ROWS: Final = 50
_DISAGREED: Final = 50
_PERSONS: Final = "SELECT DISTINCT person FROM judgement ORDER BY person"


@router.get("/labels", dependencies=[needs("analyst")])
async def labels(request: Request, person: str = "", label: str = "", after: str | None = None) -> Response:
    """Judgements, the latest first, and how far two judges agree on the same pairs."""
    if label and label not in LABELS:
        raise ProblemError(422, "invalid", "expected a label", field="label")
    place = keyset(after, (int,))
    before = None if place is None else place[0]

    def question(desk: sqlite3.Connection) -> dict[str, Any]:
        rows = judgement_page(desk, person=person or None, label=label or None, before=before, limit=_ROWS + 1)
        return {
            "several": listed(rows, _ROWS, lambda row: [row["number"]]),
            "agreement": agreement_of(desk),
            "disagreed": disagreements(desk, _DISAGREED),
            # Pairs, as in the file and on the page of the model: not every person's judgement.
            "counts": Counter(row["label"] for row in label_rows(desk) if row["label"] is not None),
            "persons": [name for (name,) in desk.execute(_PERSONS)],
        }

    service = running(request)
    found = await service.desk.read(question)
    rows = found["several"]["items"]
    named = {one for row in (*rows, *found["disagreed"]) for one in (row["a"], row["b"])}
    titles = await service.read(lambda store: titles_of(store, named))
    return page(
        request,
        "labels",
        rows=rows,
        next=found["several"]["next"],
        titles=titles,
        known=LABELS,
        filters={"person": person, "label": label},
        **{name: found[name] for name in ("agreement", "disagreed", "counts", "persons")},
    )
