"""The description of the routes that clients build on."""

from __future__ import annotations

import json
from pathlib import Path

from infostream_dedup.service.application import routes

CONTRACT = Path(__file__).resolve().parents[2] / "infostream_dedup" / "service" / "openapi.json"


def written() -> str:
    description = routes().openapi()
    description["info"]["version"] = "1"
    return json.dumps(description, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def test_the_description_is_that_of_the_routes() -> None:
    """``python tests/service/test_contract.py`` writes it anew."""
    assert CONTRACT.read_text(encoding="utf-8") == written()


def test_every_path_but_those_of_operations_has_a_version() -> None:
    operations = {"/health", "/ready", "/metrics"}
    paths = json.loads(CONTRACT.read_text(encoding="utf-8"))["paths"]
    assert {path for path in paths if not path.startswith("/v1/")} == operations


if __name__ == "__main__":
    CONTRACT.write_text(written(), encoding="utf-8")
